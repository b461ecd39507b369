//! One object that moves around another, and sometimes touches it (the paper's section 4): on a circle, facing all
//! ways by turns, of the radius at which every third step collides.

use std::f64::consts::TAU;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bvhc::compile::{Compiled, Options, compile};
use bvhc::mesh::Mesh;
use bvhc_runtime::{Effort, Model, Pose};
use bvhc_tests::pose;
use bvhc_tests::scene::write_obj;

/// Halvings of the range of radii.
const HALVINGS: u32 = 12;

/// Times shorter than this are taken of several runs.
const SHORTEST: Duration = Duration::from_micros(100);

/// A model's file.
pub(super) fn file(mesh: &Mesh, obb: bvhc::obb::Options) -> Compiled {
    compile(&write_obj(mesh), "model.obj", &Options { obb: Some(obb), ..Options::default() }, &())
        .expect("a model compiles")
}

/// Two opened files.
pub(super) struct Scene<'a> {
    pub(super) a: Model<'a>,
    pub(super) b: Model<'a>,
}

/// What a scene's steps take, in the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    /// Microseconds until the first pair of triangles that meet is found, or that there is none.
    pub(super) first: f64,
    /// Microseconds until all are found.
    pub(super) all: f64,
    /// Pairs of nodes and of leaves that are visited for all.
    pub(super) steps: f64,
    /// Pairs of triangles that meet.
    pub(super) pairs: f64,
}

impl<'a> Scene<'a> {
    pub(super) fn new(a: &'a Compiled, b: &'a Compiled) -> Self {
        let [a, b] = [a, b].map(|file| Model::from_bytes(&file.bytes).expect("a compiled file opens"));
        Self { a, b }
    }

    /// The circle on which a third of the steps collide.
    pub(super) fn orbit(&self, steps: u32) -> Vec<Pose> {
        let colliding = |poses: &[Pose]| poses.iter().filter(|pose| self.a.collides(&self.b, pose)).count();
        // Models have the size of one, so these are inside one another and apart.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let too_near = 3 * colliding(&circle(middle, steps)) > steps as usize;
            *(if too_near { &mut low } else { &mut high }) = middle;
        }
        circle(high, steps)
    }

    /// The mean over the poses of the least time of so many rounds.
    pub(super) fn time(&self, poses: &[Pose], rounds: u32) -> Mean {
        let mut sum = Mean { first: 0.0, all: 0.0, steps: 0.0, pairs: 0.0 };
        for pose in poses {
            let mut effort = Effort::unlimited();
            sum.pairs += self.count(pose, &mut effort) as f64;
            sum.steps += (effort.node_pairs + effort.leaf_pairs) as f64;
            sum.first += least(rounds, &mut || u64::from(self.a.collides(&self.b, pose)));
            sum.all += least(rounds, &mut || self.count(pose, &mut Effort::unlimited()));
        }
        let count = poses.len() as f64;
        Mean {
            first: sum.first / count,
            all: sum.all / count,
            steps: sum.steps / count,
            pairs: sum.pairs / count,
        }
    }

    fn count(&self, pose: &Pose, effort: &mut Effort) -> u64 {
        let mut count = 0;
        let _ = self.a.all_pairs_with(&self.b, pose, effort, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }
}

fn circle(radius: f64, steps: u32) -> Vec<Pose> {
    let step = |index: u32| {
        let angle = TAU * f64::from(index) / f64::from(steps);
        // It turns twice on its way, around an axis that lies askew; half a step on, so that no turn is half a circle.
        let half_tangent = (TAU * (f64::from(index) + 0.5) / f64::from(steps)).tan();
        let rotation = pose::around([0.6, 0.64, 0.48], half_tangent);
        Pose::new(rotation, [radius * angle.cos(), 0.0, radius * angle.sin()]).expect("a rotation")
    };
    (0..steps).map(step).collect()
}

fn least(rounds: u32, run: &mut dyn FnMut() -> u64) -> f64 {
    (0..rounds).map(|_| microseconds(run)).fold(f64::INFINITY, f64::min)
}

/// Microseconds of one run.
fn microseconds(run: &mut dyn FnMut() -> u64) -> f64 {
    let mut runs = 1;
    loop {
        let start = Instant::now();
        for _ in 0..runs {
            black_box(run());
        }
        let passed = start.elapsed();
        if passed >= SHORTEST {
            return passed.as_secs_f64() * 1e6 / f64::from(runs);
        }
        runs *= 4;
    }
}
