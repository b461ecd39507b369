//! Near pairs of many boxes, and bodies that collide.
//!
//! `cargo bench --bench worlds [-- pairs|bodies]`. Each figure is the least time of a frame over all frames but the first ones;
//! peers are in README.md. All must find as many pairs in each frame.

#[path = "worlds/bodies.rs"]
mod bodies;
#[path = "worlds/pairs.rs"]
mod pairs;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let has = |name: &str| wanted.is_empty() || wanted.iter().any(|it| it == name);
    if has("pairs") {
        pairs::report();
    }
    if has("bodies") {
        bodies::report();
    }
}
