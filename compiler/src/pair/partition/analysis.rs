//! What is found out about a set of triangles before it is split: a box, and where to split.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree: A hierarchical structure for rapid interference detection", 1996
//! (the longest axis, at the mean or the median; the next one where that does not split the set), and Ramirez, Navarro,
//! Carmona, Dos Ramos, "Optimizing collision detection based on OBB trees generated with a genetic algorithm", 2009
//! (the middle of the longest axis). Departures: unless the rule asks for the fitted box, the box is an approximate
//! one, fitted to a few extreme points; a set that no axis splits is halved by number, where the papers make it a leaf;
//! and small sets are split so that leaves are full.

use bvhc_format::kdop::Directions;

use crate::fit::{self, Frame, Method, Objective, enclose, sort_and_dedup};
use crate::math::vector::{Vector, add, dot, scale, subtract};
use crate::simd::dispatch;

use super::bounds::Bounds;
use super::extremes::Extremes;
use super::kinematic::{self, Kinematic};
use super::part::{PartPlan, Parts};
use super::samples::Samples;
use super::small::{SMALL, Small};
use super::split::{Split, Triangle};
use super::{Fitting, Position, Rule};

/// Of larger sets only this many triangles are sampled, evenly spaced by number. (Measured: with 16 times as many, queries of
/// eight models take as many steps, to a few per cent either way.)
const MAX_SAMPLES: usize = 1 << 10;

/// The triangles of a part that is to be split.
pub(super) struct Set<'a> {
    pub(super) triangles: &'a [Triangle],
    /// The number of the first one, in the order of the leaves.
    pub(super) first: usize,
    /// Whether the set must be halved, as the tree is deep.
    pub(super) is_deep: bool,
}

impl Set<'_> {
    /// At most [`MAX_SAMPLES`] of the triangles.
    fn samples(&self) -> impl Iterator<Item = &Triangle> + Clone {
        self.triangles.iter().step_by(self.triangles.len().div_ceil(MAX_SAMPLES))
    }
}

/// What is known of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analysis {
    /// The collision measure of the box.
    pub(super) measure: f64,
    /// How the set is split. No half is empty.
    pub(super) split: Split,
}

/// A box around a set.
struct SetBox {
    frame: Frame,
    /// In space.
    centre: Vector,
    extents: Vector,
}

impl SetBox {
    /// The axes, that of the greatest extent first, ties by index.
    fn longest_first(&self) -> [Vector; 3] {
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| self.extents[b].total_cmp(&self.extents[a]));
        order.map(|axis| self.frame.axes[axis])
    }
}

/// Reused memory.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    fit: fit::Scratch,
    extremes: Extremes,
    few: Vec<[f32; 3]>,
    samples: Samples,
    kinematic: Kinematic,
    small: Small,
}

impl Scratch {
    /// Looks at a set of more triangles than a leaf holds.
    pub(super) fn analyse(&mut self, set: &Set<'_>, rule: Rule, leaf_size: usize) -> Analysis {
        let bounds = match rule {
            Rule::FittedBox(fitting, _) => self.fitted_box(set, &fitting),
            _ => self.approximate_box(set),
        };
        let split = match rule {
            _ if set.is_deep => None,
            Rule::Kinematic => self.kinematic.split(&self.samples, &bounds.frame),
            Rule::ApproximateBox(position) | Rule::FittedBox(_, position) => {
                self.along_axes(&bounds, position, leaf_size)
            }
            Rule::Directions(directions) => self.along_directions(set, directions, leaf_size),
        };
        let split = split.unwrap_or_else(|| self.at_median(&bounds, set.triangles.len(), leaf_size));
        Analysis { measure: Objective::Collision.measure(bounds.extents), split }
    }

    /// Splits a set of at most [`SMALL`] triangles down to its leaves, by the kinematic rule.
    pub(super) fn partition_small(
        &mut self,
        triangles: &mut [Triangle],
        level: u32,
        leaf_size: usize,
        parts: &mut Parts,
    ) -> PartPlan {
        let bounds = self.approximate_box(&Set { triangles, first: 0, is_deep: false });
        let axes = kinematic::axes(&self.samples, &bounds.frame);
        self.small.partition(triangles, &self.samples, &axes, level, leaf_size, parts)
    }

    /// A box whose orientation is that of a few extreme points.
    fn approximate_box(&mut self, set: &Set<'_>) -> SetBox {
        let corners = set.samples().map(|triangle| &triangle.corners);
        // The same operations, and so the same bits, on every level.
        dispatch!(simd => self.extremes.find(simd, corners, &mut self.few));
        // Most sets are small, and measured in several frames anyway.
        let method = if set.triangles.len() <= MAX_SAMPLES { Method::Dito26 } else { Method::Descent };
        let frame = fit::fit(&method, Objective::Collision, &self.few, &mut self.fit).frame;
        self.take_samples(set, frame)
    }

    /// The box as it is fitted to all corners.
    fn fitted_box(&mut self, set: &Set<'_>, fitting: &Fitting) -> SetBox {
        let mut corners = set.triangles.iter().flat_map(|triangle| triangle.corners).collect();
        sort_and_dedup(&mut corners);
        let method = fitting.method(set.first, set.triangles.len());
        let (obb, _) = enclose(&method, fitting.objective, corners, &mut self.fit);
        self.take_samples(set, obb.frame);
        SetBox { frame: obb.frame, centre: obb.centre, extents: obb.extents() }
    }

    /// Measures samples of a set in a frame, and returns their box.
    fn take_samples(&mut self, set: &Set<'_>, frame: Frame) -> SetBox {
        let bounds = dispatch!(_ => self.measure_samples(set, &frame));
        let along = |centre, (axis, middle): (&Vector, f64)| add(centre, scale(*axis, middle));
        let origin = set.triangles[0].corners[0].map(f64::from);
        let centre = frame.axes.iter().zip(bounds.middles()).fold(origin, along);
        SetBox { frame, centre, extents: bounds.extents() }
    }

    /// Measures samples of a set in a frame whose origin is the first corner, and returns the bounds of all.
    #[inline(always)]
    fn measure_samples(&mut self, set: &Set<'_>, frame: &Frame) -> Bounds {
        let origin = set.triangles[0].corners[0].map(f64::from);
        let local = |corner: [f32; 3]| {
            let offset = subtract(corner.map(f64::from), origin);
            frame.axes.map(|axis| dot(axis, offset))
        };
        self.samples.clear();
        let mut whole = Bounds::EMPTY;
        for triangle in set.samples() {
            let bounds = Bounds::around(triangle.corners.map(local));
            whole = whole.union(&bounds);
            self.samples.push(bounds, triangle.centre());
        }
        whole
    }

    /// The split at the mean or the midpoint of the longest axis where that splits the set; none at the median.
    fn along_axes(&self, bounds: &SetBox, position: Position, leaf_size: usize) -> Option<Split> {
        bounds.longest_first().into_iter().find_map(|axis| {
            let offset = match position {
                Position::Median => return None,
                Position::Mean => {
                    let sum = self.samples.centres().map(|centre| dot(axis, centre)).sum::<f64>();
                    sum / self.samples.len() as f64
                }
                // Places are of centres times three.
                Position::Midpoint => 3.0 * dot(axis, bounds.centre),
            };
            self.at_offset(axis, offset, leaf_size)
        })
    }

    /// The split at the middle of the longest slab whose middle splits the set.
    fn along_directions(&self, set: &Set<'_>, directions: &Directions, leaf_size: usize) -> Option<Split> {
        let slab = |direction: &Vector| {
            let corners = set.samples().flat_map(|triangle| triangle.corners);
            let offsets = corners.map(|corner| dot(*direction, corner.map(f64::from)));
            let [low, high] = offsets.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], offset| {
                [low.min(offset), high.max(offset)]
            });
            (*direction, low, high)
        };
        let mut slabs: Vec<_> = directions.units()[..directions.slabs()].iter().map(slab).collect();
        slabs.sort_by(|a, b| (b.2 - b.1).total_cmp(&(a.2 - a.1)));
        // Places are of centres times three.
        slabs
            .into_iter()
            .find_map(|(direction, low, high)| self.at_offset(direction, 1.5 * (low + high), leaf_size))
    }

    /// The split at an offset, if it leaves no half empty.
    fn at_offset(&self, direction: Vector, offset: f64, leaf_size: usize) -> Option<Split> {
        let count = self.samples.len();
        let left = self.samples.centres().filter(|centre| dot(direction, *centre) < offset).count();
        if left == 0 || left == count {
            None
        } else if count > SMALL {
            Some(Split::Below { direction, offset })
        } else {
            Some(Split::First { direction, left: whole_leaves(left, count, leaf_size) })
        }
    }

    /// The split at the median along the longest axis that has more than one centre, or by number.
    fn at_median(&self, bounds: &SetBox, count: usize, leaf_size: usize) -> Split {
        let has_width = |direction: &Vector| {
            let mut places = self.samples.centres().map(|centre| dot(*direction, centre));
            let first = places.next();
            places.any(|place| Some(place) != first)
        };
        let direction = bounds.longest_first().into_iter().find(has_width).unwrap_or_default();
        Split::First { direction, left: count.div_ceil(leaf_size) / 2 * leaf_size }
    }
}

/// The nearest count of whole leaves that leaves something on both sides.
fn whole_leaves(left: usize, count: usize, leaf_size: usize) -> usize {
    let most = (count - 1) / leaf_size;
    (left + leaf_size / 2).div_euclid(leaf_size).clamp(1, most) * leaf_size
}
