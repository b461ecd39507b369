//! Questions to count instructions with.

use core::ops::ControlFlow;

use bvhc_runtime::{Model, Pose, Ray};

use crate::draw::Draw;

/// Questions that are drawn at once.
const BATCH: usize = 64;

/// What is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Closest hits of single rays, all from near the bounds to a point of them, without an end.
    ClosestHit,
    /// The same rays; any hit.
    AnyHit,
    /// Closest points of points in the bounds, enlarged by half their extent on each side.
    ClosestPoint,
    /// Whether the model meets itself at another pose; half of the poses are such that bounds overlap deeply.
    FirstPair,
    /// The pairs that meet at those poses.
    AllPairs,
    /// The distance at those poses.
    Distance,
}

impl Workload {
    /// All, by their names.
    pub const ALL: [(&str, Self); 6] = [
        ("closest_hit", Self::ClosestHit),
        ("any_hit", Self::AnyHit),
        ("closest_point", Self::ClosestPoint),
        ("first_pair", Self::FirstPair),
        ("all_pairs", Self::AllPairs),
        ("distance", Self::Distance),
    ];

    /// Asks `batches` times 64 questions, each of them `rounds` times: the difference between two and one rounds is what
    /// asking takes, without drawing and without opening the file. Returns how many answers were found: hits, meeting
    /// models, pairs.
    pub fn run(self, model: &Model<'_>, batches: u32, rounds: u32) -> u64 {
        let (mut draw, mut found) = (Draw::new(51, model.bounds()), 0);
        for _ in 0..batches {
            match self {
                Self::ClosestHit | Self::AnyHit => rays(self, model, &mut draw, rounds, &mut found),
                Self::ClosestPoint => points(model, &mut draw, rounds, &mut found),
                Self::FirstPair | Self::AllPairs | Self::Distance => {
                    poses(self, model, &mut draw, rounds, &mut found);
                }
            }
        }
        found
    }
}

fn rays(workload: Workload, model: &Model<'_>, draw: &mut Draw, rounds: u32, found: &mut u64) {
    let rays: [Ray; BATCH] = core::array::from_fn(|_| draw.long_ray());
    for _ in 0..rounds {
        for ray in &rays {
            if workload == Workload::ClosestHit {
                *found += u64::from(model.closest_hit(ray).is_some());
            } else {
                *found += u64::from(model.any_hit(ray));
            }
        }
    }
}

fn points(model: &Model<'_>, draw: &mut Draw, rounds: u32, found: &mut u64) {
    let points: [[f32; 3]; BATCH] = core::array::from_fn(|_| draw.point(0.5));
    for _ in 0..rounds {
        for point in points {
            *found += u64::from(model.closest_point(point, f32::INFINITY).is_some());
        }
    }
}

fn poses(workload: Workload, model: &Model<'_>, draw: &mut Draw, rounds: u32, found: &mut u64) {
    let bounds = model.bounds();
    let poses: [Pose; BATCH] = core::array::from_fn(|number| draw.pose(&bounds, [0.0, 1.0][number % 2]));
    for _ in 0..rounds {
        for pose in &poses {
            let answer = match workload {
                Workload::FirstPair => model.collides(model, pose).map(u64::from),
                Workload::AllPairs => {
                    let mut pairs = 0;
                    let end = model.all_pairs(model, pose, |_| {
                        pairs += 1;
                        ControlFlow::Continue(())
                    });
                    end.map(|_| pairs)
                }
                _ => model.distance(model, pose).map(|found| u64::from(found.is_some())),
            };
            *found += answer.expect("models of this size are within the work limit");
        }
    }
}
