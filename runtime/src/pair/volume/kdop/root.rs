//! The root's realignment: exact, by the convex hull.
//!
//! Based on: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume
//! hierarchies of k-DOPs", 1998, section 4.3. Departure: a climb along a direction ends as soon as a vertex shows that
//! B is not beyond A's bound. Usually one vertex shows that for all but a few directions, and the vertex that a climb
//! starts from for most of those.
//!
//! # Why models that touch are never separated
//!
//! u is 2^-24, M as in [`lists`](super::lists). For a direction D of A, a corner p of A and a corner q of B at R q + T
//! = p:
//!
//! - D p is at most the largest bound along D of node 0's slots, or dot product with a centre plus extent, rounded to
//!   f32, by u rA at most.
//! - D p = D T - d q with d = - R^T D, which is rounded to f32: the change has a length of at most u, and q one of at
//!   most 1.74 rB (the bounds or extents of a slot over the aperture, K5). The vertex farthest along the rounded d is
//!   found exactly.
//! - T is rounded to f32, by u |T|. Everything else is f64, which 2^-48 M covers.
//!
//! That is less than 2 u M, and [`SLACK`] times M is twice as much. By the same steps, models whose bounds along D, a
//! unit vector, are farther apart than some distance are farther apart than that themselves.

use bvhc_format::kdop::{KdopLayout, LaneRow, MAX_DIRECTIONS};
use bvhc_format::obb::PAIR_WIDTH;

use super::realign::dot;
use crate::hull::Hull;
use crate::math::larger;
use crate::math::vector::Map3;
use crate::pair::relative_pose::{RelativePose, TreeFrame};

/// Capacity for one number per direction, in whole rows.
const ROOM: usize = (MAX_DIRECTIONS + 1).next_multiple_of(PAIR_WIDTH);

/// Slack of every direction, relative to M: 4 u.
const SLACK: f64 = 1.0 / (1 << 22) as f64;

/// Whether some direction of A proves that B is farther from A than `limit`, given A's node 0 and B's hull.
pub(crate) fn are_apart(
    layout: &KdopLayout,
    node: &[LaneRow],
    hull: &Hull<'_>,
    [a, b]: [&TreeFrame; 2],
    pose: &RelativePose,
    limit: f64,
) -> bool {
    let t = pose.translation().map3(f64::from);
    let magnitude = t[0].abs() + t[1].abs() + t[2].abs() + f64::from(a.radius) + f64::from(b.radius);
    let beyond = magnitude * SLACK + f64::from(pose.noise()) + limit;
    let rotation = pose.pose().rotation();
    let offset =
        |vertex: &[f32; 3]| [0, 1, 2].map3(|axis| f64::from(vertex[axis]) - f64::from(b.origin[axis]));
    // Along most directions, one vertex of B that faces A is within A's bound.
    let Some(first) = hull.climb(&turned_back(&rotation, &t), |_| true).map(|vertex| offset(&vertex)) else {
        return false;
    };
    let first = [0, 1, 2].map3(|axis| dot(&rotation[axis], &first) + t[axis]);
    let bounds = bounds(layout, node);
    layout.directions.units().iter().zip(&bounds).any(|(unit, bound)| {
        let most = f64::from(*bound) + beyond;
        if dot(unit, &first) <= most {
            return false;
        }
        let back = turned_back(&rotation, unit);
        let least = dot(unit, &t) - most;
        let is_within = |vertex: &[f32; 3]| dot(&back.map3(f64::from), &offset(vertex)) >= least;
        hull.climb(&back, is_within).is_some_and(|vertex| !is_within(&vertex))
    })
}

/// The opposite of a vector of A's space, in B's space.
fn turned_back([x, y, z]: &[[f64; 3]; 3], vector: &[f64; 3]) -> [f32; 3] {
    [0, 1, 2].map3(|axis| -dot(&[x[axis], y[axis], z[axis]], vector) as f32)
}

/// Upper bounds of a node's corners along each direction, from the tree's origin.
fn bounds(layout: &KdopLayout, node: &[LaneRow]) -> [f32; ROOM] {
    let mut most = [f32::NEG_INFINITY; ROOM];
    if layout.has_tables() {
        let centres: [[f32; PAIR_WIDTH]; 3] = [0, 1, 2].map3(|axis| row(node, layout.centre(axis, 0).row));
        for (direction, (most, unit)) in most.iter_mut().zip(layout.directions.units()).enumerate() {
            let extents = row(node, layout.extent(direction, 0).row);
            for (slot, extent) in extents.into_iter().enumerate() {
                let centre = [0, 1, 2].map3(|axis| f64::from(centres[axis][slot]));
                *most = larger(*most, (dot(unit, &centre) + f64::from(extent)) as f32);
            }
        }
    } else {
        for list in node.chunks_exact(layout.child_rows()) {
            for (most, row) in most.as_chunks_mut().0.iter_mut().zip(list) {
                *most = [0, 1, 2, 3].map(|lane| larger(most[lane], row.lanes[lane]));
            }
        }
    }
    most
}

fn row(node: &[LaneRow], row: usize) -> [f32; PAIR_WIDTH] {
    node.get(row).map_or([f32::NEG_INFINITY; PAIR_WIDTH], |row| row.lanes)
}
