//! The convex hull that a file may have, and exact search for its farthest vertex along a direction.
//!
//! Based on: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume
//! hierarchies of k-DOPs", 1998, section 4.3, hill climbing. Departures: it starts at the vertex that is farthest along
//! a nearby direction, from a table, not at that of the last query; and heights are compared exactly, so that it never
//! ends early.
//!
//! # Why it ends at the farthest vertex
//!
//! A convex polytope lies in the cone spanned by the edges at any of its vertices: if none of them goes up, nothing
//! does. So from every vertex that is not farthest, an edge leads strictly up, whatever dimension the hull has. The
//! vertices and edges are those of the exact hull (FORMAT.md, C2 and C3), and [`compare_along`] is exact: each step
//! goes up, so no vertex is visited twice.

use core::cmp::Ordering;

use bvhc_format::hull::{Cells, HullVertex};
use bvhc_format::section::ArchivedHull;
use rkyv::rend::u32_le;

use crate::math::double::sign_of_sum;
use crate::math::vector::Map3;

/// The convex hull of a model, present in files with a tree of k-DOPs.
///
/// ```
/// use bvhc_runtime::{Model, include_aligned};
///
/// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad-kdop.bvh"))?;
/// let hull = model.sections().hull().expect("it goes with k-DOPs");
/// assert_eq!(hull.farthest(&[1.0, 0.0, 0.0]).map(|[x, ..]| x), Some(model.bounds().max[0]));
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Hull<'a> {
    vertices: &'a [HullVertex],
    neighbours: &'a [u32_le],
    starts: &'a [u32_le],
    cells: Cells,
}

impl<'a> Hull<'a> {
    /// The hull of a section; `None` unless it has a vertex, and a start for each cell of a cube.
    pub(crate) fn of(section: &'a ArchivedHull<'static>) -> Option<Self> {
        let (vertices, starts) = (section.vertices.get(), section.starts.get());
        let cells = Cells::of_count(starts.len())?;
        let hull = Self { vertices, neighbours: section.neighbours.get(), starts, cells };
        (!vertices.is_empty()).then_some(hull)
    }

    #[cfg(test)]
    pub(crate) fn of_parts(
        vertices: &'a [HullVertex],
        neighbours: &'a [u32_le],
        starts: &'a [u32_le],
        cells: Cells,
    ) -> Self {
        Self { vertices, neighbours, starts, cells }
    }

    /// The vertices.
    pub fn vertices(&self) -> &'a [HullVertex] {
        self.vertices
    }

    /// The neighbours of all vertices, concatenated.
    pub fn neighbours(&self) -> &'a [u32_le] {
        self.neighbours
    }

    /// For each cell of directions, the index of the vertex farthest along its middle.
    pub fn starts(&self) -> &'a [u32_le] {
        self.starts
    }

    /// The cells of directions that [`starts`](Self::starts) is indexed by.
    pub fn cells(&self) -> Cells {
        self.cells
    }

    /// The indices of the vertices that share an edge with a vertex; none in a corrupt file.
    #[inline]
    pub fn neighbours_of(&self, vertex: u32) -> &'a [u32_le] {
        let end = |vertex: usize| self.vertices.get(vertex).map(|vertex| vertex.end as usize);
        let vertex = vertex as usize;
        let start = vertex.checked_sub(1).map_or(Some(0), end);
        start.zip(end(vertex)).and_then(|(start, end)| self.neighbours.get(start..end)).unwrap_or_default()
    }

    /// The vertex farthest along a direction of finite coordinates, exactly; any of them if several are equally far.
    /// `None` only in a corrupt file. Takes a few steps along edges, each of about ten nanoseconds.
    pub fn farthest(&self, direction: &[f32; 3]) -> Option<[f32; 3]> {
        self.climb(direction, |_| false)
    }

    /// As [`farthest`](Self::farthest), but stops at the first vertex on the way for which `is_enough` holds.
    #[inline]
    pub(crate) fn climb(
        &self,
        direction: &[f32; 3],
        is_enough: impl Fn(&[f32; 3]) -> bool,
    ) -> Option<[f32; 3]> {
        let position = |vertex: u32| self.vertices.get(vertex as usize).map(|vertex| &vertex.position);
        let mut at = self.starts.get(self.cells.of(direction))?.to_native();
        let mut highest = position(at)?;
        // Bounds the climb in a corrupt file, where vertices may have any neighbours.
        let mut left = self.neighbours.len();
        while !is_enough(highest) {
            let (neighbours, from) = (self.neighbours_of(at), at);
            left = left.checked_sub(neighbours.len())?;
            for neighbour in neighbours {
                let position = position(neighbour.to_native())?;
                if compare_along(direction, position, highest).is_gt() {
                    (at, highest) = (neighbour.to_native(), position);
                }
            }
            if at == from {
                break;
            }
        }
        Some(*highest)
    }
}

/// Compares how far two points are along a direction, exactly: products of f32 are exact in f64, and where their
/// rounded sum may have the wrong sign, it is expanded. For numbers beyond the limits of the format, the result is
/// unspecified.
#[doc(hidden)]
#[inline]
pub fn compare_along(direction: &[f32; 3], a: &[f32; 3], b: &[f32; 3]) -> Ordering {
    /// Differences and two sums, each rounded by half a unit relative to at most the size: 3 * 2^-53 of it, plus the
    /// rounding of this bound itself.
    const ROUNDING: f64 = 1.0 / (1u64 << 51) as f64;
    let product = |point: &[f32; 3], axis: usize| f64::from(direction[axis]) * f64::from(point[axis]);
    let (p, q) = ([0, 1, 2].map3(|axis| product(a, axis)), [0, 1, 2].map3(|axis| product(b, axis)));
    let difference = (p[0] - q[0]) + (p[1] - q[1]) + (p[2] - q[2]);
    let size = |[x, y, z]: [f64; 3]| x.abs() + y.abs() + z.abs();
    if difference.abs() > (size(p) + size(q)) * ROUNDING {
        difference.total_cmp(&0.0)
    } else {
        sign_of_sum([p[0], -q[0], p[1], -q[1], p[2], -q[2]])
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::math::exact;

    /// Against big integers, for points that differ little or not at all along the direction.
    #[test]
    fn comparisons_are_exact() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut equal = 0;
        for round in 0..40_000 {
            let mut number = || match round % 4 {
                0 => (next() % 7) as f32 - 3.0,
                1 => 1.0 + (next() % 5) as f32 * f32::EPSILON,
                2 => f32::from_bits((next() as u32 & 0x87ff_ffff) | 0x1800_0000),
                _ => f32::from_bits(next() as u32 % 16),
            };
            let mut vector = || [number(), number(), number()];
            let (direction, a, mut b) = (vector(), vector(), vector());
            if round % 3 == 0 {
                // Displaced perpendicular to the direction: nearly or, with small integers, exactly.
                b = [a[0] + direction[1], a[1] - direction[0], a[2]];
            }
            let all: Vec<f32> = [direction, a, b].concat();
            let unit = exact::unit(&all);
            let whole = |point: [f32; 3]| -> exact::Vector { point.map(|x| exact::Whole::new(x, unit)) };
            let along = |point| exact::dot(&whole(direction), &whole(point));
            let expected = along(a).cmp(&along(b));
            assert_eq!(compare_along(&direction, &a, &b), expected, "{direction:?} {a:?} {b:?}");
            assert_eq!(compare_along(&direction, &b, &a), expected.reverse());
            equal += usize::from(expected.is_eq());
        }
        assert!(equal > 1000, "{equal}");
    }
}
