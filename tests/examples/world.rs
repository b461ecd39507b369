//! A world of instances: what a picking ray hits, what is near a point, and which layers a query sees.

use std::error::Error;

use bvhc_runtime::{Ray, World, include_aligned};

fn main() -> Result<(), Box<dyn Error>> {
    // A place for each mesh of the file. `WorldFile::read(path)` owns a file with its meshes instead.
    let mut meshes = [None; 2];
    let level = World::from_bytes(include_aligned!("../golden/world.bvh"), &mut meshes)?;
    let pick = Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0]);
    let found = level.closest_hit(&pick).expect("the ray meets a board");
    let instance = level.instance(found.instance).expect("every hit has an instance");
    println!("{} at t = {}, user data {}", instance.name(), found.hit.t, instance.user());
    if let Some(near) = level.closest_point([0.0, 19.0, 0.0], 5.0) {
        println!("instance {} is {} away", near.instance, near.distance);
    }
    println!("in the first layer: {}", level.with_layers(1).any_hit(&pick));
    Ok(())
}
