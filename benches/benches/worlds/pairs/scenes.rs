//! How boxes are distributed, and how they move.

use bvhc::mesh::Mesh;
use bvhc_benches::peers::broad::Box6;
use bvhc_tests::random::Random;
use bvhc_tests::scene::mesh;

pub(crate) const STILL: usize = 100_000;
pub(crate) const MOVING: usize = 10_000;
pub(crate) const FRAMES: usize = 36;

/// How boxes are distributed: the size of what does not move, and where it and what moves are.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) size: [f32; 3],
    pub(crate) place: fn(usize, &mut Random) -> [f32; 3],
    pub(crate) moving: [f32; 3],
}

/// A place of a lattice of boxes that do not touch, in `counts` per axis, each in a cell of this size.
fn lattice(number: usize, counts: [usize; 2], cell: [f32; 3], random: &mut Random) -> [f32; 3] {
    let at = [number % counts[0], number / counts[0] % counts[1], number / counts[0] / counts[1]];
    [0, 1, 2].map(|axis| (at[axis] as f32 + random.f32(0.05, 0.45)) * cell[axis])
}

pub(crate) const SCENES: [Scene; 3] = [
    Scene {
        name: "uniform",
        size: [1.0; 3],
        place: |number, random| lattice(number, [47, 47], [2.0; 3], random),
        moving: [1.0; 3],
    },
    Scene {
        name: "clustered",
        size: [0.5; 3],
        // Fifty cubes of two thousand boxes, far apart.
        place: |number, random| {
            let (cluster, within) = (number / 2000, number % 2000);
            let at = lattice(within, [13, 13], [1.0; 3], random);
            [at[0] + 100.0 * (cluster % 7) as f32, at[1] + 100.0 * (cluster / 7) as f32, at[2]]
        },
        moving: [0.5; 3],
    },
    Scene {
        name: "elongated",
        size: [10.0, 0.5, 0.5],
        place: |number, random| lattice(number, [10, 100], [20.0, 1.0, 1.0], random),
        moving: [0.5, 10.0, 0.5],
    },
];

/// What moves in a frame.
pub(crate) const MOTIONS: [&str; 3] = ["coherent", "1 in 100", "teleporting"];

pub(crate) fn block(size: [f32; 3]) -> Mesh {
    let corner = |number: usize| [0, 1, 2].map(|axis| if number >> axis & 1 == 1 { size[axis] } else { 0.0 });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    mesh((0..8).map(corner).collect(), triangles)
}

/// One frame: which of the moving boxes have moved, and where all are.
pub(crate) struct Frame {
    pub(crate) moved: Vec<u32>,
    pub(crate) boxes: Vec<Box6>,
}

fn around(at: [f32; 3], size: [f32; 3]) -> Box6 {
    [at[0], at[1], at[2], at[0] + size[0], at[1] + size[1], at[2] + size[2]]
}

/// All boxes that may be still, one in each place, moving by up to 0.05 on each axis in each frame.
pub(crate) fn drifting(scene: &Scene, frames: usize, random: &mut Random) -> Vec<Frame> {
    let mut places: Vec<[f32; 3]> = (0..STILL).map(|number| (scene.place)(number, random)).collect();
    let velocities: Vec<[f32; 3]> = places.iter().map(|_| random.point([-0.05; 3], [0.05; 3])).collect();
    let moved: Vec<u32> = (0..STILL as u32).collect();
    let mut frame = || {
        for (at, by) in places.iter_mut().zip(&velocities) {
            *at = [0, 1, 2].map(|axis| at[axis] + by[axis]);
        }
        Frame { moved: moved.clone(), boxes: places.iter().map(|at| around(*at, scene.size)).collect() }
    };
    (0..frames).map(|_| frame()).collect()
}

/// Moving boxes begin at places like those of the others, so that they are as clustered.
pub(crate) fn frames(scene: &Scene, motion: &str, random: &mut Random) -> Vec<Frame> {
    let anywhere = |random: &mut Random| (scene.place)(random.below(STILL as u32) as usize, random);
    let mut places: Vec<[f32; 3]> = (0..MOVING).map(|_| anywhere(random)).collect();
    let velocities: Vec<[f32; 3]> = (0..MOVING).map(|_| random.point([-0.05; 3], [0.05; 3])).collect();
    let mut all = Vec::new();
    for _ in 0..FRAMES {
        let moved: Vec<u32> = match motion {
            "1 in 100" => (0..MOVING as u32).filter(|_| random.below(100) == 0).collect(),
            _ => (0..MOVING as u32).collect(),
        };
        for index in &moved {
            let (at, by) = (&mut places[*index as usize], velocities[*index as usize]);
            *at = match motion {
                "teleporting" => anywhere(random),
                _ => [0, 1, 2].map(|axis| at[axis] + by[axis]),
            };
        }
        all.push(Frame { moved, boxes: places.iter().map(|at| around(*at, scene.moving)).collect() });
    }
    all
}
