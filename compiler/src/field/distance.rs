//! The distances of a brick's points from the triangles near it.
//!
//! Rows of points are computed together. A point is no farther from the surface than its neighbour is, plus one voxel, so most
//! triangles are skipped by their boxes.
//!
//! # The error
//!
//! d is the distance, and L a triangle's longest edge, at most three times the resolution. Coordinates in voxels are f64, and
//! so are differences. If the triangle is no sliver, its height is at least 2^-24 L, and the computed normal is off by at most
//! 2^-51 L / (2^-24 L) = 2^-27 of its length: the distance from the plane is off by at most 2^-27 (d + L). Which side of an edge
//! a point is on may be decided wrongly within 2^-26 (d + L) of the edge; there the distances from the plane and from the edge
//! differ by no more than that. Of slivers, edges are at most their height farther away than they are. All of this is less than
//! 2^-21 (d + L), the first term of [`Lattice::slack`](super::lattice::Lattice).

use bvhc_format::field::BRICK_POINTS;

use super::lattice::Lattice;
use super::nearby::Local;
use super::{POINTS, point_of};
use crate::simd::dispatch;

/// The points of a row.
type Row = [f64; BRICK_POINTS];

/// Distances of a brick's points from the surface, limited to the reach; without signs.
pub(super) fn of_brick(
    triangles: &[Local],
    near: &[u32],
    brick: [usize; 3],
    lattice: &Lattice,
) -> Box<[f32; POINTS]> {
    // The same operations, and so the same bits, on every level.
    dispatch!(_ => distances(triangles, near, brick, lattice))
}

#[inline(always)]
fn distances(triangles: &[Local], near: &[u32], brick: [usize; 3], lattice: &Lattice) -> Box<[f32; POINTS]> {
    let mut order = near.to_vec();
    let reach = lattice.reach();
    let first = brick.map(|i| (i * BRICK_POINTS) as f64);
    let mut distances = Box::new([reach as f32; POINTS]);
    for row in 0..POINTS / BRICK_POINTS {
        let start = row * BRICK_POINTS;
        let [_, y, z] = point_of(start);
        let before = match (y, z) {
            (0, 0) => None,
            (0, _) => Some(start - BRICK_POINTS * BRICK_POINTS),
            _ => Some(start - BRICK_POINTS),
        };
        // No point is farther than the one beside it in the row before, and one voxel.
        let mut squares = [reach * reach; BRICK_POINTS];
        if let Some(before) = before {
            for (square, near) in squares.iter_mut().zip(&distances[before..before + BRICK_POINTS]) {
                let most = (f64::from(*near) + 1.001).min(reach);
                *square = most * most;
            }
        }
        let at = [first[0], first[1] + y as f64, first[2] + z as f64];
        add_all(triangles, &mut order, at, &mut squares);
        for (distance, square) in distances[start..].iter_mut().zip(squares) {
            *distance = square.sqrt() as f32;
        }
    }
    distances
}

/// Takes the least of the squares and those of the triangles' distances from the row that begins at `at`. Moves triangles that
/// are nearest to the front, as they may be to the next row: the sooner distances are small, the more triangles are skipped.
#[inline(always)]
fn add_all(triangles: &[Local], order: &mut [u32], at: [f64; 3], squares: &mut Row) {
    let mut limit = greatest(squares);
    let mut front = 0;
    for index in 0..order.len() {
        let triangle = &triangles[order[index] as usize];
        if box_square(triangle, at) < limit
            && !is_plane_beyond(triangle, at, limit)
            && add(triangle, at, squares)
        {
            limit = greatest(squares);
            order.swap(front, index);
            front += 1;
        }
    }
}

#[inline(always)]
fn greatest(squares: &Row) -> f64 {
    let mut most = squares[0];
    for square in squares {
        most = most.max(*square);
    }
    most
}

/// The squared distance of a row from a triangle's box.
#[inline(always)]
fn box_square(triangle: &Local, at: [f64; 3]) -> f64 {
    let gap = |axis: usize, length: f64| {
        (triangle.min[axis] - (at[axis] + length)).max(at[axis] - triangle.max[axis]).max(0.0)
    };
    let [x, y, z] = [gap(0, (BRICK_POINTS - 1) as f64), gap(1, 0.0), gap(2, 0.0)];
    x * x + y * y + z * z
}

/// Whether the squared distances of a row from a triangle's plane are more than a limit.
#[inline(always)]
fn is_plane_beyond(triangle: &Local, at: [f64; 3], limit: f64) -> bool {
    let [x, y, z] = triangle.normal;
    let [a, b, c] = triangle.edges[0].start;
    let first = x * (at[0] - a) + y * (at[1] - b) + z * (at[2] - c);
    let last = first + x * (BRICK_POINTS - 1) as f64;
    let nearest = if first * last <= 0.0 { 0.0 } else { first.abs().min(last.abs()) };
    nearest * nearest * triangle.per_square > limit * 1.001
}

/// Takes the least of the squares and those of a triangle's distances from a row; returns whether any is of the triangle.
// A minimum and a maximum are an instruction each, for all lanes.
#[allow(clippy::manual_clamp)]
#[inline(always)]
fn add(triangle: &Local, at: [f64; 3], squares: &mut Row) -> bool {
    let mut least = [f64::INFINITY; BRICK_POINTS];
    let mut side = [f64::INFINITY; BRICK_POINTS];
    for edge in &triangle.edges {
        let [dx, dy, dz] = [0, 1, 2].map(|axis| at[axis] - edge.start[axis]);
        let [ex, ey, ez] = edge.along;
        let [ix, iy, iz] = edge.inwards;
        let (along, inwards) = (dy * ey + dz * ez, dy * iy + dz * iz);
        for lane in 0..BRICK_POINTS {
            let x = dx + lane as f64;
            let share = ((x * ex + along) * edge.per_square).max(0.0).min(1.0);
            let [rx, ry, rz] = [x - ex * share, dy - ey * share, dz - ez * share];
            least[lane] = least[lane].min(rx * rx + ry * ry + rz * rz);
            // Not `min`: with AVX-512, Rust 1.95 compiles that and the comparison below to one that always holds.
            let inner = x * ix + inwards;
            side[lane] = if inner < side[lane] { inner } else { side[lane] };
        }
    }
    if triangle.per_square > 0.0 {
        let [dx, dy, dz] = [0, 1, 2].map(|axis| at[axis] - triangle.edges[0].start[axis]);
        let [nx, ny, nz] = triangle.normal;
        let height = dy * ny + dz * nz;
        for lane in 0..BRICK_POINTS {
            let height = (dx + lane as f64) * nx + height;
            let square = height * height * triangle.per_square;
            least[lane] = if side[lane] >= 0.0 { least[lane].min(square) } else { least[lane] };
        }
    }
    let mut is_less = false;
    for lane in 0..BRICK_POINTS {
        is_less |= least[lane] < squares[lane];
        squares[lane] = squares[lane].min(least[lane]);
    }
    is_less
}
