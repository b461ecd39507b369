//! How far interpolated distances may be from the distance, in the cells of a brick.
//!
//! The signed distance g, limited to the band or not, changes by no more than one goes: for any points x and q,
//!
//! ```text
//! g(q) - |x - q|  <=  g(x)  <=  g(q) + |x - q|
//! ```
//!
//! Let I be the interpolated value in a cell, or in a part of it, whose corners are x_i. |x - q| is convex in x, so it is at most
//! what interpolation between the corners gives. I is that of its values at the corners of the part, as it is in a cell. So for
//! any q of the lattice
//!
//! ```text
//! I(x) - g(x)  <=  max_i  I(x_i) - g(q) + |x_i - q|
//! g(x) - I(x)  <=  max_i  g(q) + |x_i - q| - I(x_i)
//! ```
//!
//! Both bounds are good if q is a few voxels away from the part in the direction in which g grows, or in the opposite one: where the
//! surface is flat, they tend to 0 as q is exactly in that direction, and parts are small. The smaller of two bounds holds. So
//! no bound depends on the shape of the surface: where that is smooth, the distances themselves prove it.
//!
//! Eight cells of a row, or eight parts of a cell, are bounded at once, with the same operations on every level.
//!
//! In cells at the edge of the band, corners and g are limited to it: there g is also at most the band's half width, and at least
//! its negative.

use bvhc_format::field::BRICK_POINTS;
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask, f32x8};

use super::Brick;
use super::lattice::{Halo, Lattice};
use crate::simd::dispatch;

/// How far away q is tried, in voxels.
const AWAY: [f32; 6] = [1.5, 2.1, 2.7, 3.3, 3.9, 4.5];

/// Makes coordinates positive.
const OFFSET: f32 = 64.0;

/// Half a cell's diagonal: no point of a cell is farther from all of its corners.
const HALF_DIAGONAL: f32 = 0.866_026;

/// The cells of a row, and the parts of a cell.
const LANES: usize = BRICK_POINTS;

/// The errors of samples in the cells of a brick, in voxels.
#[derive(Clone, Copy)]
pub(super) struct Errors {
    /// In cells with all corners within the band.
    pub(super) within: f64,
    /// In cells with corners that are not.
    pub(super) edge: f64,
    /// Of the values at the brick's own points, rounded to f32 or not.
    pub(super) point: f64,
}

/// The errors of samples in the cells of a brick.
pub(super) fn of_brick(halo: &Halo, brick: &Brick, lattice: &Lattice) -> Errors {
    dispatch!(simd => errors(simd, halo, brick, lattice))
}

#[inline(always)]
fn errors<S: Simd>(simd: S, halo: &Halo, brick: &Brick, lattice: &Lattice) -> Errors {
    let band = lattice.band as f32;
    let half_step = lattice.band / f64::from(lattice.bits.most()) / 2.0;
    let least_limit = (lattice.band - half_step) as f32;
    let (mut within, mut edge) = (Search::new(simd, halo, f32::INFINITY), Search::new(simd, halo, band));
    for row in 0..BRICK_POINTS * BRICK_POINTS {
        let row = Row::new(simd, halo, [row % BRICK_POINTS, row / BRICK_POINTS]);
        let (nearest, farthest) = row.magnitudes();
        let is_needed = !(row.has_one_sign() & nearest.simd_ge(band + HALF_DIAGONAL));
        // In doubt both: rounding decides whether a corner is within the band.
        let slack = 1e-5;
        within.add(brick, &row, is_needed & farthest.simd_lt(least_limit + slack));
        edge.add(brick, &row, is_needed & farthest.simd_ge(least_limit - slack));
    }
    within.refine();
    edge.refine();
    let more = half_step + lattice.slack + halo.slack;
    Errors {
        within: f64::from(within.most) + more,
        edge: f64::from(edge.most) + more,
        point: more + lattice.rounding,
    }
}

/// Cells along x.
struct Row<S: Simd> {
    /// The y and z of the cells.
    at: [f32; 2],
    /// The distances at the corners of each cell, x changing first.
    corners: [f32x8<S>; 8],
}

impl<S: Simd> Row<S> {
    #[inline(always)]
    fn new(simd: S, halo: &Halo, [y, z]: [usize; 2]) -> Self {
        let mut corners = [f32x8::splat(simd, 0.0); 8];
        for (corner, distances) in corners.iter_mut().enumerate() {
            let at = [corner & 1, y + (corner >> 1 & 1), z + (corner >> 2)];
            *distances = f32x8::load_array(simd, *halo.row(at));
        }
        Self { at: [y as f32, z as f32], corners }
    }

    /// The least and the greatest magnitude at the corners of each cell.
    #[inline(always)]
    fn magnitudes(&self) -> (f32x8<S>, f32x8<S>) {
        let (mut nearest, mut farthest) = (self.corners[0].abs(), self.corners[0].abs());
        for corner in &self.corners {
            (nearest, farthest) = (nearest.min(corner.abs()), farthest.max(corner.abs()));
        }
        (nearest, farthest)
    }

    #[inline(always)]
    fn has_one_sign(&self) -> <f32x8<S> as SimdBase<S>>::Mask {
        let (mut least, mut most) = (self.corners[0], self.corners[0]);
        for corner in &self.corners {
            (least, most) = (least.min(*corner), most.max(*corner));
        }
        least.simd_ge(0.0) | most.simd_le(0.0)
    }

    /// The error of a value's magnitude in cells where signs may change without a surface. Distances without signs change as
    /// slowly: in the middle of the cell they differ from those of the corners by half a diagonal, on average less elsewhere.
    #[inline(always)]
    fn irregular(&self, limit: f32) -> f32x8<S> {
        let half_diagonal = f32x8::splat(self.corners[0].simd, HALF_DIAGONAL);
        let (_, farthest) = self.magnitudes();
        self.has_one_sign().select(half_diagonal, farthest.min(limit) + half_diagonal)
    }

    /// The directions in which the values of cells grow.
    #[inline(always)]
    fn directions(&self) -> [f32x8<S>; 3] {
        let simd = self.corners[0].simd;
        let [zero, one] = [f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0)];
        let slope = |pairs: [[usize; 2]; 4]| {
            let [a, b, c, d] = pairs;
            let along = |[from, to]: [usize; 2]| self.corners[to] - self.corners[from];
            along(a) + along(b) + along(c) + along(d)
        };
        let x = slope([[0, 1], [2, 3], [4, 5], [6, 7]]);
        let y = slope([[0, 2], [1, 3], [4, 6], [5, 7]]);
        let z = slope([[0, 4], [1, 5], [2, 6], [3, 7]]);
        let length = (x * x + y * y + z * z).sqrt();
        // Any direction is right; this one where distances do not tell which is good.
        let is_known = length.simd_gt(0.1);
        [
            is_known.select(x / length, zero),
            is_known.select(y / length, zero),
            is_known.select(z / length, one),
        ]
    }
}

/// The greatest error found so far.
struct Search<'a, S> {
    simd: S,
    halo: &'a Halo,
    /// What distances are limited to.
    limit: f32,
    rows: Vec<Kept>,
    /// The bounds of cells before they are divided, their rows and lanes.
    cells: Vec<(f32, usize, usize)>,
    most: f32,
}

/// What is kept of a row.
struct Kept {
    at: [f32; 2],
    /// The values at the corners of each cell.
    values: [[f32; LANES]; 8],
    directions: [[f32; LANES]; 3],
}

/// Cells, or parts of one: their first corners and their width, and the values at their corners.
struct Parts<S: Simd> {
    start: [f32x8<S>; 3],
    width: f32,
    values: [f32x8<S>; 8],
}

/// One of them.
struct Part {
    start: [f32; 3],
    width: f32,
    values: [f32; 8],
}

impl<S: Simd> Parts<S> {
    /// The eight parts of a part.
    #[inline(always)]
    fn of(simd: S, part: &Part) -> Self {
        let half = part.width / 2.0;
        let [zero, one] = [f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0)];
        let at = [
            f32x8::load_array(simd, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
            f32x8::load_array(simd, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]),
            f32x8::load_array(simd, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
        ];
        let (mut start, mut outer, mut values) = ([zero; 3], [zero; 8], [zero; 8]);
        for axis in 0..3 {
            start[axis] = at[axis] * half + part.start[axis];
        }
        for (outer, value) in outer.iter_mut().zip(part.values) {
            *outer = f32x8::splat(simd, value);
        }
        for (corner, value) in values.iter_mut().enumerate() {
            let step = |axis: usize| if corner >> axis & 1 == 0 { zero } else { one };
            let share = [(at[0] + step(0)) * 0.5, (at[1] + step(1)) * 0.5, (at[2] + step(2)) * 0.5];
            *value = between(&outer, share);
        }
        Self { start, width: half, values }
    }

    fn part(&self, lane: usize) -> Part {
        let start = [self.start[0], self.start[1], self.start[2]].map(|x| x.as_array()[lane]);
        Part { start, width: self.width, values: self.values.map(|value| value.as_array()[lane]) }
    }
}

impl<S: Simd> Search<'_, S> {
    fn new(simd: S, halo: &Halo, limit: f32) -> Search<'_, S> {
        Search { simd, halo, limit, most: 0.0, rows: Vec::new(), cells: Vec::new() }
    }

    /// Adds some cells of a row.
    #[inline(always)]
    fn add(&mut self, brick: &Brick, row: &Row<S>, which: <f32x8<S> as SimdBase<S>>::Mask) {
        let (simd, zero) = (self.simd, f32x8::splat(self.simd, 0.0));
        if which.to_bitmask() == 0 {
            return;
        }
        if !brick.is_regular {
            let errors = which.select(row.irregular(self.limit), zero);
            self.most = errors.as_array().iter().fold(self.most, |most, error| most.max(*error));
            return;
        }
        let mut parts = Parts { start: [zero; 3], width: 1.0, values: row.corners };
        parts.start[0] = f32x8::load_array(simd, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        parts.start[1] += row.at[0];
        parts.start[2] += row.at[1];
        for value in &mut parts.values {
            *value = value.max(-self.limit).min(self.limit);
        }
        let directions = row.directions();
        let bounds = self.bounds(&parts, &directions).to_array();
        let mut left = which.to_bitmask();
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            self.cells.push((bounds[lane], self.rows.len(), lane));
        }
        let mut kept = Kept { at: row.at, values: [[0.0; LANES]; 8], directions: [[0.0; LANES]; 3] };
        for (kept, value) in kept.values.iter_mut().zip(&parts.values) {
            *kept = value.to_array();
        }
        for (kept, direction) in kept.directions.iter_mut().zip(&directions) {
            *kept = direction.to_array();
        }
        self.rows.push(kept);
    }

    /// Divides cells, the worst first: so that most are not worse than what was found, and are not divided.
    #[inline(always)]
    fn refine(&mut self) {
        let mut cells = std::mem::take(&mut self.cells);
        cells.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (bound, row, lane) in cells {
            if bound <= self.most {
                return;
            }
            let Kept { at: [y, z], values, directions } = &self.rows[row];
            let cell =
                Part { start: [lane as f32, *y, *z], width: 1.0, values: values.map(|value| value[lane]) };
            let [x, y, z] = directions.map(|x| x[lane]);
            let direction =
                [f32x8::splat(self.simd, x), f32x8::splat(self.simd, y), f32x8::splat(self.simd, z)];
            self.divide(&cell, &direction);
        }
    }

    /// Raises the greatest error to that of the parts of a cell, or of a part of it.
    #[inline(always)]
    fn divide(&mut self, cell: &Part, direction: &[f32x8<S>; 3]) {
        let parts = Parts::of(self.simd, cell);
        let bounds = self.bounds(&parts, direction).to_array();
        for (lane, bound) in bounds.into_iter().enumerate() {
            if bound > self.most {
                self.divide_again(&parts.part(lane), direction);
            }
        }
    }

    /// Raises it to that of the parts of a part.
    #[inline(always)]
    fn divide_again(&mut self, part: &Part, direction: &[f32x8<S>; 3]) {
        let bounds = self.bounds(&Parts::of(self.simd, part), direction).to_array();
        self.most = bounds.into_iter().fold(self.most, f32::max);
    }

    /// How far the values of parts may be from the distance. Not inlined: there are many callers, each of which would be compiled
    /// for minutes.
    #[inline(never)]
    fn bounds(&self, parts: &Parts<S>, direction: &[f32x8<S>; 3]) -> f32x8<S> {
        self.simd.vectorize(
            #[inline(always)]
            || {
                let mut most = f32x8::splat(self.simd, 0.0);
                for sign in [1.0, -1.0] {
                    most = most.max(self.bound(parts, direction, sign));
                }
                most
            },
        )
    }

    /// How far the values of parts may be above the distance, by points in the direction in which it grows (`sign` 1), or below
    /// it, by points in the opposite one (-1).
    #[inline(always)]
    fn bound(&self, parts: &Parts<S>, direction: &[f32x8<S>; 3], sign: f32) -> f32x8<S> {
        let (simd, half) = (self.simd, parts.width / 2.0);
        let [zero, one] = [f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0)];
        let middle = [parts.start[0] + half, parts.start[1] + half, parts.start[2] + half];
        let value = between(&parts.values, [one * 0.5; 3]) * sign;
        let (mut least, mut height, mut nearest) = (one * f32::INFINITY, zero, [zero; 3]);
        for away in AWAY {
            let mut point = [zero; 3];
            for axis in 0..3 {
                // Rounded down, as it is positive.
                let at = (middle[axis] + direction[axis] * (sign * away) + OFFSET + 0.5).trunc() - OFFSET;
                point[axis] = at.max(-(Halo::REACH as f32)).min((BRICK_POINTS + Halo::REACH) as f32 - 1.0);
            }
            let distances = self.halo.at(point) * sign;
            let excess = value - distances + distance(&middle, &point);
            let is_less = excess.simd_lt(least);
            least = is_less.select(excess, least);
            height = is_less.select(distances, height);
            for axis in 0..3 {
                nearest[axis] = is_less.select(point[axis], nearest[axis]);
            }
        }
        let (mut farthest, mut bound) = (one * f32::NEG_INFINITY, zero);
        for (corner, value) in parts.values.iter().enumerate() {
            let value = *value * sign;
            farthest = farthest.max(value);
            let mut at = parts.start;
            for (axis, at) in at.iter_mut().enumerate() {
                *at += (corner >> axis & 1) as f32 * parts.width;
            }
            bound = bound.max(value - height + distance(&at, &nearest));
        }
        bound.min((farthest + self.limit).max(zero))
    }
}

#[inline(always)]
fn distance<S: Simd>(from: &[f32x8<S>; 3], to: &[f32x8<S>; 3]) -> f32x8<S> {
    let [x, y, z] = [from[0] - to[0], from[1] - to[1], from[2] - to[2]];
    (x * x + y * y + z * z).sqrt()
}

/// The values between those of the corners.
#[inline(always)]
fn between<S: Simd>(values: &[f32x8<S>; 8], [x, y, z]: [f32x8<S>; 3]) -> f32x8<S> {
    let mix = |a: f32x8<S>, b: f32x8<S>, share: f32x8<S>| a + (b - a) * share;
    let lower = mix(mix(values[0], values[1], x), mix(values[2], values[3], x), y);
    let upper = mix(mix(values[4], values[5], x), mix(values[6], values[7], x), y);
    mix(lower, upper, z)
}
