//! Near pairs of many boxes, trees over many that move, bodies that collide, and rays.
//!
//! `cargo bench --bench worlds [-- pairs [sweeps]|updates|fat|bodies|rays [SCENE...]]`. Peers are in README.md. All must find the same
//! pairs in each frame.

#[path = "worlds/bodies.rs"]
mod bodies;
#[path = "worlds/fat.rs"]
mod fat;
#[path = "worlds/pairs/mod.rs"]
mod pairs;
#[path = "../../tests/examples/paper/plot.rs"]
#[expect(dead_code, reason = "bars are for the papers' other figures")]
mod plot;
#[path = "worlds/rays/mod.rs"]
mod rays;
#[path = "worlds/updates.rs"]
mod updates;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let has = |name: &str| wanted.iter().any(|it| it == name);
    let has_any = ["pairs", "updates", "fat", "bodies", "rays"].into_iter().any(has);
    if !has_any || has("pairs") {
        pairs::report(has("sweeps"));
    }
    if !has_any || has("updates") {
        updates::report();
    }
    if !has_any || has("fat") {
        fat::report();
    }
    if !has_any || has("bodies") {
        bodies::report();
    }
    if !has_any || has("rays") {
        let has_scene = wanted
            .iter()
            .any(|it| !["pairs", "updates", "fat", "bodies", "sweeps", "rays"].contains(&it.as_str()));
        rays::report(|scene| !has_scene || has(scene));
    }
}
