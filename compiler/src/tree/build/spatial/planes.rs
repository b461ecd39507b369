//! Splits at planes, which split the parts that they intersect in two.

use super::{Clip, Reference, Sides};
use crate::tree::aabb::Aabb;

/// Planes an axis are one less.
const BINS: usize = 32;

/// A split at a plane, and what it is expected to give.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    axis: usize,
    position: f32,
    sides: [Side; 2],
}

/// How many references lie on a side of a plane, and the box around them.
#[derive(Clone, Copy)]
struct Side {
    bounds: Aabb,
    count: usize,
}

impl Side {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, count: 0 };

    /// The surface-area heuristic's cost.
    fn cost(&self) -> f64 {
        self.bounds.half_area() * self.count as f64
    }

    /// The side with other bounds and this many references more.
    fn with(&self, bounds: Aabb, more: isize) -> Self {
        Self { bounds: self.bounds.union(bounds), count: self.count.wrapping_add_signed(more) }
    }
}

/// The best plane that costs less than `least` and makes no more than `duplicates`.
pub(super) fn best(
    clip: &dyn Clip,
    references: &[Reference],
    duplicates: u32,
    mut least: f64,
) -> Option<Plane> {
    let bounds = references.iter().fold(Aabb::EMPTY, |all, reference| all.union(reference.part));
    let most = references.len() + duplicates as usize;
    let mut best = None;
    for axis in 0..3 {
        let Some(grid) = Grid::new(&bounds, axis) else { continue };
        let bins = Bins::of(clip, references, &grid);
        for (position, sides) in bins.planes(&grid) {
            let [left, right] = sides;
            let divides = [left.count, right.count].iter().all(|count| (1..references.len()).contains(count));
            let cost = left.cost() + right.cost();
            if divides && left.count + right.count <= most && cost < least {
                least = cost;
                best = Some(Plane { axis, position, sides });
            }
        }
    }
    best
}

/// Divides references at a plane. A part that the plane intersects is split, unless it may not be or it is cheaper to
/// leave it whole on one side. `None` where one side would be empty or have all.
pub(super) fn divide(clip: &dyn Clip, references: &[Reference], mut plane: Plane) -> Option<Sides> {
    let [left, right] = plane.sides.map(|side| Vec::with_capacity(side.count));
    let mut sides = Sides { left, right };
    for reference in references {
        let [left, right] = reference.divided(plane.split(clip, reference));
        sides.left.extend(left);
        sides.right.extend(right);
    }
    let divides = |side: &[Reference]| (1..references.len()).contains(&side.len());
    (divides(&sides.left) && divides(&sides.right)).then_some(sides)
}

impl Plane {
    /// The parts of a reference on either side.
    fn split(&mut self, clip: &dyn Clip, reference: &Reference) -> [Option<Aabb>; 2] {
        let part = reference.part;
        if part.upper[self.axis] <= self.position {
            return [Some(part), None];
        }
        if part.lower[self.axis] >= self.position {
            return [None, Some(part)];
        }
        let halves = clip.halves(reference.primitive, &part, self.axis, self.position);
        if halves.iter().any(Aabb::is_empty) {
            return halves.map(|half| (!half.is_empty()).then_some(half));
        }
        self.cheapest(part, halves, reference.most > 1)
    }

    /// Both halves of a part, or all of it on one side, where that is cheaper or it may not be split; then the sides are
    /// updated.
    fn cheapest(&mut self, part: Aabb, halves: [Aabb; 2], may_split: bool) -> [Option<Aabb>; 2] {
        let [left, right] = self.sides;
        let fewer = |side: &Side| side.with(Aabb::EMPTY, -1);
        let (on_left, on_right) = ([left.with(part, 0), fewer(&right)], [fewer(&left), right.with(part, 0)]);
        let cost = |sides: &[Side; 2]| sides[0].cost() + sides[1].cost();
        let split = cost(&self.sides);
        if may_split && split <= cost(&on_left) && split <= cost(&on_right) {
            return halves.map(Some);
        }
        if cost(&on_left) <= cost(&on_right) {
            self.sides = on_left;
            [Some(part), None]
        } else {
            self.sides = on_right;
            [None, Some(part)]
        }
    }
}

/// Where the bins of an axis begin and end.
struct Grid {
    axis: usize,
    planes: [f32; BINS + 1],
    /// Bins a unit.
    scale: f64,
}

impl Grid {
    /// `None` where the box is too thin for bins.
    fn new(bounds: &Aabb, axis: usize) -> Option<Self> {
        let (lower, upper) = (f64::from(bounds.lower[axis]), f64::from(bounds.upper[axis]));
        let planes =
            core::array::from_fn(|bin| (lower + (upper - lower) * (bin as f64 / BINS as f64)) as f32);
        let scale = BINS as f64 / (upper - lower);
        planes.is_sorted_by(|a, b| a < b).then_some(Self { axis, planes, scale })
    }

    /// The last bin that begins below `x`, or at it where `inclusive`.
    fn bin(&self, x: f32, inclusive: bool) -> usize {
        let estimate = (f64::from(x) - f64::from(self.planes[0])) * self.scale;
        let mut bin = (estimate as usize).min(BINS - 1);
        let begins = |bin: usize| self.planes[bin] < x || inclusive && self.planes[bin] == x;
        while bin > 0 && !begins(bin) {
            bin -= 1;
        }
        while bin + 1 < BINS && begins(bin + 1) {
            bin += 1;
        }
        bin
    }

    /// The first and the last bin that a part meets.
    fn bins(&self, part: &Aabb) -> (usize, usize) {
        let last = self.bin(part.upper[self.axis], false);
        // A flat part in a plane is on the plane's left.
        (self.bin(part.lower[self.axis], true).min(last), last)
    }
}

/// What of the references lies in each bin.
struct Bins {
    bounds: [Aabb; BINS],
    /// How many references have their first part in a bin, and how many their last.
    firsts: [usize; BINS],
    lasts: [usize; BINS],
}

impl Bins {
    fn of(clip: &dyn Clip, references: &[Reference], grid: &Grid) -> Self {
        let mut bins = Self { bounds: [Aabb::EMPTY; BINS], firsts: [0; BINS], lasts: [0; BINS] };
        for reference in references {
            bins.add(clip, reference, grid);
        }
        bins
    }

    /// Cuts a reference at all planes that it meets.
    fn add(&mut self, clip: &dyn Clip, reference: &Reference, grid: &Grid) {
        let (first, last) = grid.bins(&reference.part);
        let (mut rest, mut met) = (reference.part, None);
        for bin in first..=last {
            let [part, more] = if bin == last {
                [rest, Aabb::EMPTY]
            } else {
                clip.halves(reference.primitive, &rest, grid.axis, grid.planes[bin + 1])
            };
            if !part.is_empty() {
                self.bounds[bin] = self.bounds[bin].union(part);
                met = Some((met.map_or(bin, |(first, _)| first), bin));
            }
            rest = more;
        }
        let (first, last) = met.unwrap_or((first, last));
        self.firsts[first] += 1;
        self.lasts[last] += 1;
    }

    /// Each plane between bins with its two sides.
    fn planes(&self, grid: &Grid) -> [(f32, [Side; 2]); BINS - 1] {
        let mut planes = [(0.0, [Side::EMPTY; 2]); BINS - 1];
        let (mut left, mut right) = (Side::EMPTY, Side::EMPTY);
        for plane in 0..BINS - 1 {
            left = left.with(self.bounds[plane], self.firsts[plane] as isize);
            planes[plane].0 = grid.planes[plane + 1];
            planes[plane].1[0] = left;
            let mirrored = BINS - 1 - plane;
            right = right.with(self.bounds[mirrored], self.lasts[mirrored] as isize);
            planes[mirrored - 1].1[1] = right;
        }
        planes
    }
}
