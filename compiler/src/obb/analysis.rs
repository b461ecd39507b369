//! What is found out about a set of triangles before its box is fitted: a cheap box, and where to cut.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree: A hierarchical structure for rapid interference detection", 1996
//! (the longest axis, at the mean or the median; the next one where that does not part the set). Departures: the
//! box is fitted to a few extreme points, and a set that no axis parts is halved by number, where the paper makes
//! it a leaf.

use bvhc_format::kdop::Directions;

use crate::fit::vector::{Vector, dot, subtract};
use crate::fit::{self, Frame, Method, Objective, memetic};

use super::Split;
use super::bounds::Bounds;
use super::cut::{Cut, Triangle};
use super::kinematic::Kinematic;

/// Of larger sets only so many triangles are looked at, evenly spaced by number.
const MAX_SAMPLES: usize = 1 << 14;

/// Sets of at most this many triangles are cut into whole leaves and a remainder, so that leaves are full. (Measured:
/// 32 fills 94 % of them instead of 97, and saves as many pairs of leaves; 128 fills 98 and costs 3 % more.)
pub(super) const SMALL: usize = 64;

/// The cheap box's search: descents from what DiTO-26 and the covariance find.
const CHEAP: Method =
    Method::Memetic(memetic::Parameters { population: 2, patience: 0, widest: 1.0, narrowest: 1.0, seed: 0 });

/// How sets of triangles are parted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// By their cheap boxes.
    Box(Split),
    /// At the midpoint along the direction of a set in which they are longest. Based on: Fünzig, Fellner, "Easy realignment
    /// of k-DOP bounding volumes", 2003.
    Direction(&'static Directions),
}

/// What is known of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analysis {
    /// The collision measure of the cheap box.
    pub(super) measure: f64,
    /// How the set is cut. None of the parts is empty.
    pub(super) cut: Cut,
}

/// A triangle in the frame of its set's cheap box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) bounds: Bounds,
    /// Three times the centre, in space.
    pub(super) centre: Vector,
    pub(super) number: u32,
}

/// The memory of analyses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    fit: fit::Scratch,
    extremes: Vec<[f32; 3]>,
    samples: Vec<Sample>,
    kinematic: Kinematic,
}

impl Memory {
    /// Looks at a set of more triangles than a leaf holds; `is_deep` asks for equal halves.
    pub(super) fn analyse(
        &mut self,
        triangles: &[Triangle],
        rule: Rule,
        leaf_size: usize,
        is_deep: bool,
    ) -> Analysis {
        let stride = triangles.len().div_ceil(MAX_SAMPLES);
        let few = triangles.iter().step_by(stride);
        extremes(few.clone(), &mut self.extremes);
        let frame = fit::fit(&CHEAP, Objective::Collision, &self.extremes, &mut self.fit).frame;
        let origin = triangles[0].corners[0].map(f64::from);
        let local = |corner: [f32; 3]| {
            let offset = subtract(corner.map(f64::from), origin);
            frame.axes.map(|axis| dot(axis, offset))
        };
        self.samples.clear();
        self.samples.extend(few.map(|triangle| Sample {
            bounds: Bounds::around(triangle.corners.map(local)),
            centre: triangle.centre(),
            number: triangle.number,
        }));
        let bounds = self.samples.iter().fold(Bounds::EMPTY, |union, sample| union.union(sample.bounds));
        let cut = match rule {
            _ if is_deep => None,
            Rule::Box(Split::LongestAxisMedian) => None,
            Rule::Box(Split::LongestAxisMean) => self.at_mean(&frame, bounds.extents(), leaf_size),
            Rule::Box(Split::Kinematic) => {
                self.kinematic.cut(&self.samples, &frame, triangles.len(), leaf_size)
            }
            Rule::Direction(directions) => {
                self.at_midpoint(triangles.iter().step_by(stride), directions, leaf_size)
            }
        };
        let cut = cut.unwrap_or_else(|| self.at_median(&frame, bounds.extents(), triangles.len(), leaf_size));
        Analysis { measure: Objective::Collision.measure(bounds.extents()), cut }
    }

    /// The cut at the mean along the longest axis that parts the set.
    fn at_mean(&mut self, frame: &Frame, extents: Vector, leaf_size: usize) -> Option<Cut> {
        longest_first(frame, extents).into_iter().find_map(|direction| {
            let sum = self.samples.iter().map(|sample| dot(direction, sample.centre)).sum::<f64>();
            self.at_place(direction, sum / self.samples.len() as f64, leaf_size)
        })
    }

    /// The cut at the middle of the longest slab whose middle parts the set.
    fn at_midpoint<'a>(
        &mut self,
        few: impl Iterator<Item = &'a Triangle> + Clone,
        directions: &Directions,
        leaf_size: usize,
    ) -> Option<Cut> {
        let slab = |direction: &Vector| {
            let corners = few.clone().flat_map(|triangle| triangle.corners);
            let places = corners.map(|corner| dot(*direction, corner.map(f64::from)));
            let [low, high] = places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], place| {
                [low.min(place), high.max(place)]
            });
            (*direction, low, high)
        };
        let mut slabs: Vec<_> = directions.units()[..directions.slabs()].iter().map(slab).collect();
        slabs.sort_by(|a, b| (b.2 - b.1).total_cmp(&(a.2 - a.1)));
        // Places are of centres times three.
        slabs
            .into_iter()
            .find_map(|(direction, low, high)| self.at_place(direction, 1.5 * (low + high), leaf_size))
    }

    /// The cut at a place, if it parts the set.
    fn at_place(&mut self, direction: Vector, place: f64, leaf_size: usize) -> Option<Cut> {
        let count = self.samples.len();
        let left = self.samples.iter().filter(|sample| dot(direction, sample.centre) < place).count();
        if left == 0 || left == count {
            None
        } else if count > SMALL {
            Some(Cut::Below { direction, place })
        } else {
            Some(Cut::First { direction, left: whole_leaves(left, count, leaf_size) })
        }
    }

    /// The cut at the median along the longest axis that has more than one centre, or by number.
    fn at_median(&self, frame: &Frame, extents: Vector, count: usize, leaf_size: usize) -> Cut {
        let has_width = |direction: &Vector| {
            let first = dot(*direction, self.samples[0].centre);
            self.samples.iter().any(|sample| dot(*direction, sample.centre) != first)
        };
        let direction = longest_first(frame, extents).into_iter().find(has_width).unwrap_or_default();
        Cut::First { direction, left: count.div_ceil(leaf_size) / 2 * leaf_size }
    }
}

/// The nearest count of whole leaves that leaves something on both sides.
fn whole_leaves(left: usize, count: usize, leaf_size: usize) -> usize {
    let most = (count - 1) / leaf_size;
    (left + leaf_size / 2).div_euclid(leaf_size).clamp(1, most) * leaf_size
}

/// The axes of a frame, that of the greatest extent first, ties by index.
fn longest_first(frame: &Frame, extents: Vector) -> [Vector; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| extents[b].total_cmp(&extents[a]));
    order.map(|axis| frame.axes[axis])
}

/// The first corner that is farthest along each of 13 directions and their opposites, without repetitions: the axes
/// of space, and the diagonals of its cube and of the cube's faces.
fn extremes<'a>(triangles: impl Iterator<Item = &'a Triangle>, extremes: &mut Vec<[f32; 3]>) {
    let mut farthest = [(f64::NEG_INFINITY, [0.0f32; 3]); 26];
    for corner in triangles.flat_map(|triangle| triangle.corners) {
        let [x, y, z] = corner.map(f64::from);
        let places =
            [x, y, z, x + y, x - y, y + z, y - z, z + x, z - x, x + y + z, x + y - z, x - y + z, x - y - z];
        for (i, place) in places.into_iter().enumerate() {
            for (far, place) in [(2 * i, place), (2 * i + 1, -place)] {
                if place > farthest[far].0 {
                    farthest[far] = (place, corner);
                }
            }
        }
    }
    extremes.clear();
    extremes.extend(farthest.map(|(_, corner)| corner));
    sort_and_dedup(extremes);
}

/// Sorts points, and keeps one of equals.
pub(crate) fn sort_and_dedup(points: &mut Vec<[f32; 3]>) {
    let bits = |point: &[f32; 3]| point.map(f32::to_bits);
    points.sort_unstable_by_key(bits);
    points.dedup_by_key(|point| bits(point));
}
