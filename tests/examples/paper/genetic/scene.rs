//! One object that moves around another, and sometimes touches it (the paper's section 4): on a circle, while it
//! rotates, with a radius such that a third of the steps collide.

use std::f64::consts::TAU;

use bvhc::compile::{Compiled, Options};
use bvhc::mesh::Mesh;
use bvhc_runtime::{Model, Pose, Volume};
use bvhc_tests::pose;
use bvhc_tests::support::volumes;

use crate::timing::{self, Mean};

/// Bisections of the range of radii.
const HALVINGS: u32 = 12;

/// A model's file.
pub(super) fn file(mesh: &Mesh, obb: bvhc::pair::obb::Options) -> Compiled {
    volumes::file(mesh, &Options { obb: Some(obb), ..Options::default() })
}

/// Two opened files.
pub(super) struct Scene<'a> {
    pub(super) a: Model<'a>,
    pub(super) b: Model<'a>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(a: &'a Compiled, b: &'a Compiled) -> Self {
        Self { a: timing::open(a), b: timing::open(b) }
    }

    /// The circle on which a third of the steps collide.
    pub(super) fn orbit(&self, steps: u32) -> Vec<Pose> {
        let collides = |pose: &&Pose| self.a.collides(&self.b, pose).expect("the default limit suffices");
        let colliding = |poses: &[Pose]| poses.iter().filter(collides).count();
        // Models have a diagonal of one: they intersect at the first of these distances and are disjoint at the second.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let too_near = 3 * colliding(&circle(middle, steps)) > steps as usize;
            *(if too_near { &mut low } else { &mut high }) = middle;
        }
        circle(high, steps)
    }

    /// The cost of the poses with oriented boxes.
    pub(super) fn time(&self, poses: &[Pose], rounds: u32) -> Mean {
        timing::time([&self.a, &self.b], poses, Volume::Obb, rounds)
    }
}

fn circle(radius: f64, steps: u32) -> Vec<Pose> {
    let step = |index: u32| {
        let angle = TAU * f64::from(index) / f64::from(steps);
        // Two rotations per orbit, around an oblique axis; offset by half a step, so that no rotation is by half a
        // turn.
        let half_tangent = (TAU * (f64::from(index) + 0.5) / f64::from(steps)).tan();
        let rotation = pose::around([0.6, 0.64, 0.48], half_tangent);
        Pose::from_rows(rotation, [radius * angle.cos(), 0.0, radius * angle.sin()]).expect("a rotation")
    };
    (0..steps).map(step).collect()
}
