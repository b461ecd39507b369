//! A level with things that move: crates that are instances of its meshes, bullets that are boxes, and a picking ray. Then how
//! long the tree over many boxes takes: `moving 100000`.

use std::env;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use bvhc_runtime::{Aabb, Handle, Level, MovingWorld, Pose, Ray, Similarity, Thing, World, include_aligned};

fn main() -> Result<(), Box<dyn Error>> {
    let mut meshes = [None; 2];
    let level = World::from_bytes(include_aligned!("../golden/world.bvh"), &mut meshes)?;
    let mut memory = vec![0; MovingWorld::bytes_needed(1000)];
    let mut world = MovingWorld::new(level, 1000, &mut memory)?;
    let at = |x: f64| Pose::from_translation([x, 0.0, 2.0]).map(|pose| Similarity::new(pose, 1.0, false));
    let place = at(10.0)?.ok_or("1 is a scale")?;
    let board = world.add_instance(0, &place, u32::MAX, 0)?;
    let bullet = world.add_box(&Aabb::new([10.4, 0.2, 4.0], [10.6, 0.3, 4.1]), u32::MAX, 0)?;
    let pick = Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0]);
    for frame in 0..3 {
        let now = world.snapshot();
        let found = now.closest_hit_with(&pick, &mut (|thing: Thing| thing != Thing::Moving(bullet)));
        println!("frame {frame}: {:?}", found.map(|found| (found.thing, found.answer.t)));
        let place = at(10.0 + 5.0 * f64::from(frame))?.ok_or("1 is a scale")?;
        world.move_instance(board, &place)?;
        world.update();
    }
    match env::args().nth(1) {
        Some(count) => measure(count.parse()?),
        None => Ok(()),
    }
}

/// Boxes of about the same density, whatever their number.
fn measure(count: u32) -> Result<(), Box<dyn Error>> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let side = 2.0 * f64::from(count).cbrt() as f32;
    let mut memory = vec![0; MovingWorld::bytes_needed(count)];
    let cpu = Level::detect().ok_or("no level")?;
    let mut world = MovingWorld::of_models(&[], cpu, count, &mut memory)?;
    let mut corners = Vec::new();
    let start = Instant::now();
    for _ in 0..count {
        corners.push([side * random(), side * random(), side * random()]);
    }
    let unit = |corner: [f32; 3]| Aabb::new(corner, corner.map(|x| x + 1.0));
    let handles: Vec<Handle> =
        corners.iter().map(|corner| world.add_box(&unit(*corner), 1, 0)).collect::<Result<_, _>>()?;
    println!("adding {count}: {:?}", start.elapsed());
    for round in 0..5 {
        let start = Instant::now();
        world.rebuild();
        let rebuilt = start.elapsed();
        for corner in &mut corners {
            *corner = corner.map(|x| x + 0.1 * (random() - 0.5));
        }
        let start = Instant::now();
        for (handle, corner) in handles.iter().zip(&corners) {
            world.move_box(*handle, &unit(*corner))?;
        }
        let moved = start.elapsed();
        let start = Instant::now();
        let updated = world.update();
        println!(
            "round {round}: rebuild {rebuilt:?}, moving all {moved:?}, update {:?} ({updated:?})",
            start.elapsed()
        );
        let (start, mut pairs) = (Instant::now(), 0u64);
        let _ = world.snapshot().near_pairs(0.05, |_| {
            pairs += 1;
            ControlFlow::Continue(())
        });
        println!("round {round}: {pairs} pairs within 0.05 in {:?}", start.elapsed());
    }
    Ok(())
}
