//! Near pairs of many boxes, trees over many that move, bodies that collide, rays, and a mesh against worlds.
//!
//! `cargo bench --bench worlds [-- pairs [sweeps]|updates|fat|bodies|rays|meshes [SCENE...]]`. Peers are in README.md. All must find the same
//! pairs in each frame.

#[path = "worlds/bodies.rs"]
mod bodies;
#[path = "worlds/fat.rs"]
mod fat;
#[path = "worlds/meshes.rs"]
mod meshes;
#[path = "worlds/pairs/mod.rs"]
mod pairs;
#[path = "../../tests/examples/paper/plot.rs"]
#[expect(dead_code, reason = "bars are for the papers' other figures")]
mod plot;
#[path = "worlds/rays/mod.rs"]
mod rays;
#[path = "worlds/scenes.rs"]
mod scenes;
#[path = "worlds/updates.rs"]
mod updates;

/// What may be wanted; other words are names of scenes.
const PARTS: [&str; 6] = ["pairs", "updates", "fat", "bodies", "rays", "meshes"];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let names = |name: &str| wanted.iter().any(|it| it == name);
    let has_any = PARTS.into_iter().any(names);
    let has = |part: &str| !has_any || names(part);
    let has_scene = wanted.iter().any(|it| it != "sweeps" && !PARTS.contains(&it.as_str()));
    let has_this = |scene: &str| !has_scene || names(scene);
    if has("pairs") {
        pairs::report(names("sweeps"));
    }
    if has("updates") {
        updates::report();
    }
    if has("fat") {
        fat::report();
    }
    if has("bodies") {
        bodies::report();
    }
    if has("rays") {
        rays::report(has_this);
    }
    if has("meshes") {
        meshes::report(has_this);
    }
}
