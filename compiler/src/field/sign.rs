//! Which points of a field are inside.
//!
//! Two points are on the same side if the surface is not between them: where the sum of their distances is more than what is
//! between them, it is not. So a winding number is computed for few points, and others have the signs of their neighbours.
//!
//! That takes signs to change at the surface alone. If the surface has a boundary, its winding number is n + t, where n changes
//! by integers at the surface, and t, in a convex region without boundary, changes smoothly. By the law of Biot and Savart,
//! which solid angles of closed curves follow, its slope is at most the sum over the boundary's edges of their lengths over
//! 4 pi times the squares of their distances. A brick is *regular* if in it and around it t stays on one side of where n + t is
//! rounded to another integer; signs of other bricks are computed point by point.

use std::sync::atomic::{AtomicU64, Ordering};

use bvhc_format::field::BRICK_POINTS;
use bvhc_format::solid::EDGE_LANES;
use bvhc_runtime::{Model, Winding};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::lattice::{Halo, Lattice};
use super::nearby::Nearby;
use super::{Brick, POINTS, point_of};

/// What two distances may be off together, in voxels: more than twice [`Lattice::slack`].
const LINK_SLACK: f32 = 0.01;

/// The boundary of the surface, and the model that knows winding numbers.
pub(super) struct Boundary<'a> {
    model: &'a Model<'a>,
    is_closed: bool,
    edges: Vec<Edge>,
    /// Edges that have been gone through. Whether it exceeds the limit does not depend on the order.
    visited: AtomicU64,
}

/// Edges that are gone through at most, a few minutes' work: where there are many, in many bricks.
const MAX_VISITED: u64 = 1 << 36;

struct Edge {
    min: [f64; 3],
    max: [f64; 3],
    length: f64,
}

impl<'a> Boundary<'a> {
    pub(super) fn of(model: &'a Model<'a>, lattice: &Lattice) -> Self {
        let records = model.sections().solid().map_or(&[][..], |solid| solid.boundary.get());
        let mut edges = Vec::new();
        for record in records {
            for lane in 0..EDGE_LANES {
                let end = |of: &[[f32; EDGE_LANES]; 3]| {
                    [0, 1, 2].map(|axis| (f64::from(of[axis][lane]) - lattice.origin[axis]) / lattice.voxel)
                };
                let (from, to) = (end(&record.from), end(&record.to));
                let square: f64 = (0..3).map(|axis| (from[axis] - to[axis]).powi(2)).sum();
                if square > 0.0 {
                    edges.push(Edge {
                        min: [0, 1, 2].map(|axis| from[axis].min(to[axis])),
                        max: [0, 1, 2].map(|axis| from[axis].max(to[axis])),
                        length: square.sqrt(),
                    });
                }
            }
        }
        Self { model, is_closed: records.is_empty(), edges, visited: AtomicU64::new(0) }
    }

    /// Whether there is none: signs are then exact.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Whether too many edges were gone through: signs are then not valid.
    pub(super) fn is_exhausted(&self) -> bool {
        self.visited.load(Ordering::Relaxed) > MAX_VISITED
    }

    /// Counts one pass over the edges; whether it may be made.
    fn may_visit(&self) -> bool {
        let before = self.visited.fetch_add(self.edges.len() as u64, Ordering::Relaxed);
        before <= MAX_VISITED
    }

    /// A bound of how much the smooth part of winding numbers differs in a brick and around it.
    fn drift(&self, brick: [usize; 3]) -> f64 {
        if !self.may_visit() {
            return f64::INFINITY;
        }
        let around = Halo::REACH as f64 + 1.0;
        let min = brick.map(|i| (i * BRICK_POINTS) as f64 - around);
        let width = BRICK_POINTS as f64 - 1.0 + 2.0 * around;
        let slope: f64 = self
            .edges
            .iter()
            .map(|edge| {
                let square: f64 = (0..3)
                    .map(|axis| {
                        (edge.min[axis] - min[axis] - width).max(min[axis] - edge.max[axis]).max(0.0).powi(2)
                    })
                    .sum();
                edge.length / (4.0 * std::f64::consts::PI * square)
            })
            .sum();
        // Where an edge is in the region, this is infinite.
        slope * width * 3f64.sqrt() * 1.001
    }

    /// The winding number around a point that is not on the surface.
    fn winding(&self, point: [usize; 3], lattice: &Lattice) -> Winding {
        let outside = Winding { value: 0.0, error: 0.0 };
        if !self.may_visit() {
            return outside;
        }
        self.model.winding(lattice.position(point)).unwrap_or(outside)
    }
}

/// Whether a point with this winding number is inside: the number is rounded.
fn is_inside(winding: &Winding) -> bool {
    libm::round(winding.value) != 0.0
}

/// How far a winding number is from where it is rounded to another integer.
fn margin(winding: &Winding) -> f64 {
    (winding.value - libm::floor(winding.value) - 0.5).abs() - winding.error
}

/// The steps to half of a point's neighbours: those that come before it.
const BEFORE: [[isize; 3]; 13] = [
    [-1, 0, 0],
    [0, -1, 0],
    [0, 0, -1],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 0, -1],
    [1, 0, -1],
    [0, -1, -1],
    [0, 1, -1],
    [-1, -1, -1],
    [1, -1, -1],
    [-1, 1, -1],
    [1, 1, -1],
];

/// Gives distances their signs.
pub(super) fn sign(
    mut distances: Box<[f32; POINTS]>,
    brick: [usize; 3],
    lattice: &Lattice,
    boundary: &Boundary<'_>,
) -> Brick {
    // Nearer to the surface than that, a point rounded to f32 may be on the other side.
    let least = (lattice.rounding + lattice.slack) as f32;
    let drift = if boundary.is_closed() { 0.0 } else { boundary.drift(brick) };
    let mut is_regular = drift < 0.5;
    let (mut is_first, mut slack) = (!boundary.is_closed(), 0.0);
    for index in 0..POINTS {
        if distances[index] <= least {
            distances[index] = 0.0;
            slack = f64::from(least);
            continue;
        }
        let at = point_of(index);
        let linked = if is_regular && !is_first { linked(&distances, index, at) } else { None };
        let is_inside = linked.unwrap_or_else(|| {
            let point = [0, 1, 2].map(|axis| brick[axis] * BRICK_POINTS + at[axis]);
            let winding = boundary.winding(point, lattice);
            if is_first {
                is_regular &= margin(&winding) > drift;
                is_first = false;
            }
            is_inside(&winding)
        });
        if is_inside {
            distances[index] = -distances[index];
        }
    }
    Brick { distances, is_regular, slack }
}

/// Whether an earlier neighbour, from which the surface does not separate the point, is inside.
fn linked(distances: &[f32; POINTS], index: usize, at: [usize; 3]) -> Option<bool> {
    for step in BEFORE {
        let to = [0, 1, 2].map(|axis| at[axis].wrapping_add_signed(step[axis]));
        if to.iter().any(|i| *i >= BRICK_POINTS) {
            continue;
        }
        let other = distances[to[0] + BRICK_POINTS * (to[1] + BRICK_POINTS * to[2])];
        let length =
            [1.0, std::f32::consts::SQRT_2, 1.732_050_8][step.iter().filter(|part| **part != 0).count() - 1];
        if other != 0.0 && distances[index] + other.abs() > length + LINK_SLACK {
            return Some(other < 0.0);
        }
    }
    None
}

/// Of each brick of the lattice, whether it is inside; `false` where triangles are near.
pub(super) fn beyond(nearby: &Nearby, lattice: &Lattice, boundary: &Boundary<'_>) -> Vec<bool> {
    let [columns, rows, layers] = lattice.bricks();
    (0..rows * layers)
        .into_par_iter()
        .flat_map_iter(|row| {
            let mut before = None;
            (0..columns).map(move |x| {
                let brick = [x, row % rows, row / rows];
                if nearby.find(lattice.index(brick)).is_some() {
                    before = None;
                    return false;
                }
                // Between two such bricks there is no surface.
                let known = before.filter(|_| boundary.is_closed());
                let is_inside = known.unwrap_or_else(|| {
                    is_inside(&boundary.winding(brick.map(|i| i * BRICK_POINTS), lattice))
                });
                before = Some(is_inside);
                is_inside
            })
        })
        .collect()
}
