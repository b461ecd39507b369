//! Near pairs of many boxes, bodies that collide, and rays.
//!
//! `cargo bench --bench worlds [-- pairs|bodies [sweeps]|rays [SCENE...]]`. Of pairs: the mean and the least time of a frame, of
//! bodies the mean, over all frames but the first ones; peers are in README.md. All must find as many pairs in each frame.

#[path = "worlds/bodies.rs"]
mod bodies;
#[path = "worlds/pairs.rs"]
mod pairs;
#[path = "worlds/rays/mod.rs"]
mod rays;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let has = |name: &str| wanted.iter().any(|it| it == name);
    let has_any = ["pairs", "bodies", "rays"].into_iter().any(has);
    if !has_any || has("pairs") {
        pairs::report(has("sweeps"));
    }
    if !has_any || has("bodies") {
        bodies::report();
    }
    if !has_any || has("rays") {
        let has_scene = wanted.iter().any(|it| !["pairs", "bodies", "sweeps", "rays"].contains(&it.as_str()));
        rays::report(|scene| !has_scene || has(scene));
    }
}
