//! Near pairs of many boxes, and bodies that collide.
//!
//! `cargo bench --bench worlds [-- pairs|bodies [sweeps]]`. Of pairs: the mean and the least time of a frame, of bodies
//! the mean, over all frames but the first ones; peers are in README.md. All must find as many pairs in each frame.

#[path = "worlds/bodies.rs"]
mod bodies;
#[path = "worlds/pairs.rs"]
mod pairs;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let has = |name: &str| wanted.iter().all(|it| it == "sweeps") || wanted.iter().any(|it| it == name);
    if has("pairs") {
        pairs::report(wanted.iter().any(|it| it == "sweeps"));
    }
    if has("bodies") {
        bodies::report();
    }
}
