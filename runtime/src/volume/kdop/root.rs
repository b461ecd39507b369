//! The root's realignment: exact, by the hull.
//!
//! Based on: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume hierarchies
//! of k-DOPs", 1998, section 4.3. Departure: a direction is climbed along only as long as B may be beyond A's bound;
//! mostly the vertex that the climb starts from tells that it is not.
//!
//! # Why no models that touch are told apart
//!
//! u is 2^-24, M as in [`lists`](super::lists). For a direction D of A, a corner p of A and a corner q of B at R q + T = p:
//!
//! - D p is at most the largest bound along D of node 0's slots, or product with a centre plus extent.
//! - D p = D T - d q with d = - R^T D, which is rounded to f32: the length of what that changes is at most u, and that of q at
//!   most 1.74 rB (the bounds or extents of a slot over the aperture, K5). The vertex that is farthest along the rounded d
//!   is found exactly.
//! - T is rounded to f32, by u |T|. Everything else is f64, which 2^-48 M covers.
//!
//! That is 2 u M at most, and [`SLACK`] times M is twice as much. By the same steps, models whose bounds along D, a unit
//! vector, are farther apart than some distance are so themselves.

use bvhc_format::kdop::{KdopLayout, KdopRow};
use bvhc_format::obb::OBB_WIDTH;

use super::realign::dot;
use crate::hull::Hull;
use crate::volume::obb::{Motion, Place};

/// Slack of every direction, relative to M: 4 u.
const SLACK: f64 = 1.0 / (1 << 22) as f64;

/// Whether some direction of A's tells that B is farther from A than this limit, given A's node 0 and B's hull.
pub(crate) fn are_apart(
    layout: &KdopLayout,
    node: &[KdopRow],
    hull: &Hull<'_>,
    [a, b]: [&Place; 2],
    motion: &Motion,
    limit: f64,
) -> bool {
    let t = motion.translation().map(f64::from);
    let reach = t[0].abs() + t[1].abs() + t[2].abs() + f64::from(a.radius) + f64::from(b.radius);
    let slack = reach * SLACK + f64::from(motion.noise());
    let [x, y, z] = motion.pose().rotation();
    let origin = b.origin.map(f64::from);
    (0..).zip(layout.directions.units()).any(|(direction, unit)| {
        let Some(bound) = bound(layout, node, direction, unit) else { return false };
        let most = dot(unit, &t) - bound - slack - limit;
        let along = |axis: usize| -(x[axis] * unit[0] + y[axis] * unit[1] + z[axis] * unit[2]) as f32;
        let back = [along(0), along(1), along(2)];
        let is_within = |vertex: &[f32; 3]| {
            let along = |axis: usize| f64::from(back[axis]) * (f64::from(vertex[axis]) - origin[axis]);
            along(0) + along(1) + along(2) >= most
        };
        hull.climb(&back, is_within).is_some_and(|vertex| !is_within(&vertex))
    })
}

/// How far the corners below a node reach along a direction, from the tree's origin.
#[inline]
fn bound(layout: &KdopLayout, node: &[KdopRow], direction: usize, unit: &[f64; 3]) -> Option<f64> {
    let mut most = f64::NEG_INFINITY;
    for slot in 0..OBB_WIDTH {
        let mut reach = f64::from(layout.reach(direction, slot).of(node)?);
        if layout.has_tables() {
            let centre = |axis| layout.centre(axis, slot).of(node).map(f64::from);
            reach += dot(unit, &[centre(0)?, centre(1)?, centre(2)?]);
        }
        most = most.max(reach);
    }
    Some(most)
}
