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
//! In cells at the edge of the band, corners and g are limited to it: there g is also at most the band's half width, and at least
//! its negative.

use bvhc_format::field::BRICK_POINTS;

use super::lattice::{Halo, Lattice};
use super::{Brick, POINTS, point_of};

/// How often a cell is divided into eight parts.
const DIVISIONS: u32 = 2;

/// How far away q is tried, in voxels.
const AWAY: [f32; 6] = [1.5, 2.1, 2.7, 3.3, 3.9, 4.5];

/// Makes coordinates positive.
const OFFSET: f32 = 64.0;

/// Half a cell's diagonal: no point of a cell is farther from all of its corners.
const HALF_DIAGONAL: f32 = 0.866_026;

/// The errors of samples in the cells of a brick, in voxels.
#[derive(Clone, Copy)]
pub(super) struct Errors {
    /// In cells with all corners within the band.
    pub(super) within: f64,
    /// In cells with corners that are not.
    pub(super) edge: f64,
}

/// The errors of samples in the cells of a brick.
pub(super) fn of_brick(halo: &Halo, brick: &Brick, lattice: &Lattice) -> Errors {
    let band = lattice.band as f32;
    let half_step = lattice.band / f64::from(lattice.bits.most()) / 2.0;
    let least_limit = (lattice.band - half_step) as f32;
    let search = |limit| Search { halo, limit, most: 0.0, cells: Vec::new() };
    let (mut within, mut edge) = (search(f32::INFINITY), search(band));
    for index in 0..POINTS {
        let cell = point_of(index).map(|i| i as i32);
        let corners = corners_of(halo, cell);
        let nearest = corners.iter().fold(f32::INFINITY, |least, corner| least.min(corner.abs()));
        let farthest = corners.iter().fold(0.0, |most: f32, corner| most.max(corner.abs()));
        if has_one_sign(&corners) && nearest >= band + HALF_DIAGONAL {
            continue;
        }
        // In doubt both: rounding decides whether a corner is within the band.
        let slack = 1e-5;
        if farthest < least_limit + slack {
            within.add(brick, cell, &corners);
        }
        if farthest >= least_limit - slack {
            edge.add(brick, cell, &corners);
        }
    }
    within.refine();
    edge.refine();
    let more = half_step + lattice.slack + brick.slack;
    Errors { within: f64::from(within.most) + more, edge: f64::from(edge.most) + more }
}

fn has_one_sign(corners: &[f32; 8]) -> bool {
    corners.iter().all(|corner| *corner >= 0.0) || corners.iter().all(|corner| *corner <= 0.0)
}

/// The distances at the corners of a cell, x changing first.
fn corners_of(halo: &Halo, cell: [i32; 3]) -> [f32; 8] {
    std::array::from_fn(|corner| {
        let step = [corner & 1, corner >> 1 & 1, corner >> 2];
        halo.at([0, 1, 2].map(|axis| cell[axis] + step[axis] as i32))
    })
}

/// The error of a value's magnitude in a cell where signs may change without a surface. Distances without signs change as
/// slowly: in the middle of the cell they differ from those of the corners by half a diagonal, on average less elsewhere.
fn irregular(corners: &[f32; 8], limit: f32) -> f32 {
    let farthest = corners.iter().map(|corner| corner.abs().min(limit)).fold(0.0, f32::max);
    if has_one_sign(corners) { HALF_DIAGONAL } else { farthest + HALF_DIAGONAL }
}

/// The greatest error found so far.
struct Search<'a> {
    halo: &'a Halo,
    /// What distances are limited to.
    limit: f32,
    /// The cells, and their bounds before they are divided.
    cells: Vec<(f32, [i32; 3])>,
    most: f32,
}

/// A cell or a part of one: its first corner and its width.
#[derive(Clone, Copy)]
struct Part {
    start: [f32; 3],
    width: f32,
}

impl Search<'_> {
    fn add(&mut self, brick: &Brick, cell: [i32; 3], corners: &[f32; 8]) {
        if !brick.is_regular {
            self.most = self.most.max(irregular(corners, self.limit));
            return;
        }
        let (part, values, direction) = self.cell(cell, corners);
        self.cells.push((self.bounds(part, &values, direction), cell));
    }

    /// Divides cells, the worst first: so that most are not worse than what was found, and are not divided.
    fn refine(&mut self) {
        let mut cells = std::mem::take(&mut self.cells);
        cells.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (bound, cell) in cells {
            if bound <= self.most {
                return;
            }
            let (part, values, direction) = self.cell(cell, &corners_of(self.halo, cell));
            self.part(part, &values, direction, DIVISIONS);
        }
    }

    /// A cell as a part, the values at its corners, and the direction in which they grow.
    fn cell(&self, cell: [i32; 3], corners: &[f32; 8]) -> (Part, [f32; 8], [f32; 3]) {
        let slope = |pairs: [[usize; 2]; 4]| pairs.map(|[from, to]| corners[to] - corners[from]).iter().sum();
        let gradient: [f32; 3] = [
            slope([[0, 1], [2, 3], [4, 5], [6, 7]]),
            slope([[0, 2], [1, 3], [4, 6], [5, 7]]),
            slope([[0, 4], [1, 5], [2, 6], [3, 7]]),
        ];
        let length = gradient.iter().map(|x| x * x).sum::<f32>().sqrt();
        // Any direction is right; this one where distances do not tell which is good.
        let direction = if length > 0.1 { gradient.map(|x| x / length) } else { [0.0, 0.0, 1.0] };
        let values = corners.map(|corner| corner.clamp(-self.limit, self.limit));
        (Part { start: cell.map(|i| i as f32), width: 1.0 }, values, direction)
    }

    /// Raises the greatest error to that of a part with these values at its corners.
    fn part(&mut self, part: Part, values: &[f32; 8], direction: [f32; 3], divisions: u32) {
        let bound = self.bounds(part, values, direction);
        if bound <= self.most {
            return;
        }
        if divisions == 0 {
            self.most = bound;
            return;
        }
        let half = part.width / 2.0;
        for corner in 0..8 {
            let at = [corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| bit as f32);
            let start = [0, 1, 2].map(|axis| part.start[axis] + at[axis] * half);
            let inner = std::array::from_fn(|other| {
                let step = [other & 1, other >> 1 & 1, other >> 2].map(|bit| bit as f32);
                between(values, [0, 1, 2].map(|axis| (at[axis] + step[axis]) / 2.0))
            });
            self.part(Part { start, width: half }, &inner, direction, divisions - 1);
        }
    }

    /// How far the values of a part may be from the distance.
    fn bounds(&self, part: Part, values: &[f32; 8], direction: [f32; 3]) -> f32 {
        self.bound(part, values, direction, 1.0).max(self.bound(part, values, direction, -1.0))
    }

    /// How far the values of a part may be above the distance, by points in the direction in which it grows (`sign` 1), or below
    /// it, by points in the opposite one (-1).
    fn bound(&self, part: Part, values: &[f32; 8], direction: [f32; 3], sign: f32) -> f32 {
        let middle = part.start.map(|x| x + part.width / 2.0);
        let value = sign * between(values, [0.5; 3]);
        let mut best = (f32::INFINITY, [0; 3]);
        for away in AWAY {
            let point = [0, 1, 2].map(|axis| {
                // Rounded down, as it is positive.
                let at = (middle[axis] + sign * away * direction[axis] + OFFSET + 0.5) as i32 - OFFSET as i32;
                at.clamp(-(Halo::REACH as i32), (BRICK_POINTS + Halo::REACH) as i32 - 1)
            });
            let excess = value - sign * self.halo.at(point) + distance(middle, point);
            if excess < best.0 {
                best = (excess, point);
            }
        }
        let height = sign * self.halo.at(best.1);
        let farthest = values.iter().fold(f32::NEG_INFINITY, |most, value| most.max(sign * value));
        let bound = (0..8)
            .map(|corner| {
                let step = [corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| bit as f32);
                let at = [0, 1, 2].map(|axis| part.start[axis] + step[axis] * part.width);
                sign * values[corner] - height + distance(at, best.1)
            })
            .fold(0.0, f32::max);
        bound.min((farthest + self.limit).max(0.0))
    }
}

fn distance(from: [f32; 3], to: [i32; 3]) -> f32 {
    let square: f32 = (0..3).map(|axis| (from[axis] - to[axis] as f32).powi(2)).sum();
    square.sqrt()
}

/// The value between those of the corners.
fn between(values: &[f32; 8], [x, y, z]: [f32; 3]) -> f32 {
    let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
    let along_x = [0, 2, 4, 6].map(|k| mix(values[k], values[k + 1], x));
    mix(mix(along_x[0], along_x[1], y), mix(along_x[2], along_x[3], y), z)
}
