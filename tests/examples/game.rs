//! A small game: a compiled level of blocks, crates that fall, stack and slide on a belt, and a ray from the camera that picks one.
//!
//! The rules are simple, but the loop is that of a game: near pairs once a frame, motion by them, an update, and rays.

use std::error::Error;
use std::io;

use bvhc::{Files, Options, world};
use bvhc_runtime::{
    Aabb, Handle, LoadedModel, MovingError, MovingWorldFile, Pose, Ray, Similarity, SweepAndPrune, Thing,
    ThingPair, WorldFile,
};

/// A cube of one, its corner at the origin: the mesh of blocks and crates.
const CUBE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A floor of sixteen by sixteen below z = 0, a step of four on it, and a belt on the step that carries crates along x.
const LEVEL: &[u8] = br#"
    [[mesh]]
    name = "cube"
    file = "cube.obj"

    [[instance]]
    name = "floor"
    mesh = "cube"
    position = [-8.0, -8.0, -16.0]
    scale = 16.0

    [[instance]]
    name = "step"
    mesh = "cube"
    position = [-8.0, -2.0, -3.0]
    scale = 4.0

    [[instance]]
    name = "belt"
    mesh = "cube"
    position = [-7.0, -1.0, -0.9]
    scale = 2.0
    user = 1
"#;

const STEP: f64 = 1.0 / 60.0;
const GRAVITY: f64 = -9.8;
const BELT: f64 = 1.5;

/// How far below a crate something may be to carry it: boxes in the world are a little larger than what is in them.
const NEAR: f32 = 0.01;

#[derive(Debug)]
struct OneFile;

impl Files for OneFile {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Ok(CUBE.to_vec())
    }
}

/// A crate: its lowest corner, and how fast it falls.
struct Crate {
    handle: Handle,
    at: [f64; 3],
    falling: f64,
}

struct Game {
    world: MovingWorldFile,
    crates: Vec<Crate>,
    belt: Thing,
    pairs: Vec<ThingPair>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let compiled = world::compile(LEVEL, "level.toml", &OneFile, &Options::default(), &())?;
    let file = WorldFile::loaded(LoadedModel::from_bytes(&compiled.bytes)?)?;
    let belt = file.world().find_name("belt").ok_or("the level has a belt")?;
    let world = MovingWorldFile::new(file, 16)?;
    let nothing = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };
    let mut game = Game { world, crates: Vec::new(), belt: Thing::Still(belt), pairs: vec![nothing; 100] };
    for at in [[3.0, 3.0, 2.0], [3.25, 3.0, 4.0], [3.0, 3.25, 6.0], [-6.5, -0.5, 3.0]] {
        game.drop_crate(at)?;
    }
    let boxes = game.world.world().box_capacity();
    let mut memory = vec![0; SweepAndPrune::bytes_needed(boxes, 1000)];
    let mut sweep = SweepAndPrune::new(boxes, 1000, &mut memory)?;
    for frame in 0..360 {
        game.step(&mut sweep)?;
        if frame == 150 {
            // The camera looks down on the stack; what it sees first is taken away, and what was on it falls.
            let picked = game.pick(&Ray::new([3.5, 3.5, 20.0], [0.0, 0.0, -1.0]));
            println!(
                "frame {frame}: the ray picks {}",
                picked.map_or("nothing".into(), |thing| thing.to_string())
            );
            if let Some(Thing::Moving(handle)) = picked {
                game.world.remove(handle)?;
                game.crates.retain(|it| it.handle != handle);
            }
        }
        if frame % 60 == 59 {
            let [x, y, z] = game.crates.last().ok_or("a crate is left")?.at;
            println!("frame {frame}: {} crates, the last one at {x:.2}, {y:.2}, {z:.2}", game.crates.len());
        }
    }
    let heights: Vec<f64> = game.crates.iter().map(|it| (it.at[2] * 10.0).round() / 10.0).collect();
    assert_eq!(heights, [0.0, 1.0, 1.0], "two are stacked, and the belt has carried one onto the step");
    Ok(())
}

impl Game {
    fn drop_crate(&mut self, at: [f64; 3]) -> Result<(), Box<dyn Error>> {
        let handle = self.world.add_instance(0, &place(at)?, 1, 0)?;
        self.crates.push(Crate { handle, at, falling: 0.0 });
        Ok(())
    }

    /// A sixtieth of a second. Each crate falls onto what is below it, and is carried by the belt.
    fn step(&mut self, sweep: &mut SweepAndPrune<'_>) -> Result<(), Box<dyn Error>> {
        // Nothing falls farther than this in a frame, so what it may fall on is near.
        let fastest = self.crates.iter().fold(0.0f64, |most, it| most.max(-it.falling)) - GRAVITY * STEP;
        let margin = (fastest * STEP) as f32 + NEAR;
        let count = match sweep.near_pairs_into(&self.world.snapshot(), margin, &mut self.pairs) {
            Err(MovingError::Pairs { needed, .. }) => {
                self.pairs.resize(needed, self.pairs[0]);
                sweep.near_pairs_into(&self.world.snapshot(), margin, &mut self.pairs)?
            }
            found => found?,
        };
        for index in 0..self.crates.len() {
            let own = Thing::Moving(self.crates[index].handle);
            let near = self.pairs[..count].iter().filter_map(|pair| match *pair {
                ThingPair { a, b } if a == own => Some(b),
                ThingPair { a, b } if b == own => Some(a),
                _ => None,
            });
            let below = near.filter_map(|thing| Some((self.top_below(index, thing)?, thing)));
            let support = below.reduce(|a, b| if b.0 > a.0 { b } else { a });
            let moved = &mut self.crates[index];
            moved.falling += GRAVITY * STEP;
            moved.at[2] += moved.falling * STEP;
            if let Some((top, thing)) = support
                && moved.at[2] <= top
            {
                (moved.at[2], moved.falling) = (top, 0.0);
                moved.at[0] += if thing == self.belt { BELT * STEP } else { 0.0 };
            }
            self.world.move_instance(moved.handle, &place(moved.at)?)?;
        }
        self.world.update();
        Ok(())
    }

    /// The height on which a crate may come to rest on another thing, if that is below it.
    fn top_below(&self, index: usize, thing: Thing) -> Option<f64> {
        let own = self.bounds(Thing::Moving(self.crates[index].handle))?;
        let other = self.bounds(thing)?;
        let is_over =
            |axis: usize| own.min[axis] + NEAR < other.max[axis] && other.min[axis] + NEAR < own.max[axis];
        let is_below = other.max[2] <= own.min[2] + NEAR;
        // Boxes are a little larger than the cubes in them; these have whole heights, or tenths.
        (is_over(0) && is_over(1) && is_below).then(|| (f64::from(other.max[2]) * 10.0).round() / 10.0)
    }

    fn bounds(&self, thing: Thing) -> Option<Aabb> {
        match thing {
            Thing::Still(number) => Some(self.world.file().world().instance(number)?.bounds()),
            Thing::Moving(handle) => self.world.world().bounds(handle),
        }
    }

    fn pick(&self, ray: &Ray) -> Option<Thing> {
        self.world.snapshot().closest_hit(ray).map(|found| found.thing)
    }
}

fn place(at: [f64; 3]) -> Result<Similarity, Box<dyn Error>> {
    Ok(Similarity::new(Pose::from_translation(at)?, 1.0, false).ok_or("1 is a scale")?)
}

#[test]
fn crates_stack_and_slide() {
    main().expect("the example runs");
}
