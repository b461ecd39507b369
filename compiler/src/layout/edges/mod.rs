//! Section edges: what is across the edges of each triangle, and how far the surface bends at its edges and corners.
//!
//! Edges that two triangles share are paired by their ends. Edges of a single triangle are paired with those that lie on
//! them, end to end, where the vertices of one side are not those of the other (T-junctions): see [`line`].
//!
//! Why a corner with known angles is surrounded by triangles: each edge that meets there has, next to the corner, another
//! triangle on its other side. The triangles' sectors around the corner therefore have no side that is left open.
//!
//! Error: coordinates are f32, so their differences and products have errors of a few 2^-53 of the edges' lengths squared. The
//! sine between a triangle's edges is at least 2^-30 where its angles are known, so normals are off by at most 2^-20, and
//! angles by a tenth of a unit, before they are rounded to whole units.

mod line;
#[cfg(test)]
mod oracle;

use bvhc_format::edges::{FOLD, TriangleEdges, UNKNOWN_ANGLE};

use crate::math::vector::{Vector, cross, dot, subtract};

/// A triangle's corners.
type Corners = [[f32; 3]; 3];

/// A position, by the bits of its coordinates.
type Position = [u32; 3];

/// An edge that a triangle goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Half {
    low: Position,
    high: Position,
    /// Whether the triangle goes from the high end to the low one.
    is_backward: bool,
    triangle: u32,
    edge: u8,
}

/// The squared sine between two edges of a triangle from which on its normal is known.
const LEAST_SINE_SQUARED: f64 = 1.0 / (1u64 << 60) as f64;

/// Finds what is across the edges of triangles with these corners. Cost: two sorts of the edges.
pub fn lay_out_edges(triangles: &[Corners]) -> Vec<TriangleEdges> {
    let mut halves = halves(triangles);
    halves.sort_unstable();
    let normals: Vec<_> = triangles.iter().map(normal).collect();
    let mut records = Records { triangles, normals, records: vec![TriangleEdges::UNKNOWN; triangles.len()] };
    let mut open = Vec::new();
    for run in halves.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
        match run {
            [half] => open.push(*half),
            // A triangle that a small layout has flattened to an edge may go along it twice.
            [a, b] if a.triangle != b.triangle => {
                records.meet(a, b);
                records.meet(b, a);
            }
            _ => {}
        }
    }
    line::beside(triangles, &open, |half, beside| records.lie_on(half, beside));
    let flipped = halves.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high));
    let flipped = flipped.filter(|run| run.len() == 2 && run[0].is_backward == run[1].is_backward);
    let flipped: Vec<Half> = flipped.flatten().copied().collect();
    records.bend_at_corners(&halves, &flipped);
    records.records
}

/// All edges of all triangles that have a length.
fn halves(triangles: &[Corners]) -> Vec<Half> {
    let mut halves = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0u32..).zip(triangles) {
        let corners = corners.map(|corner| corner.map(f32::to_bits));
        for edge in 0..3u8 {
            let (a, b) = (corners[usize::from(edge)], corners[usize::from(edge + 1) % 3]);
            if a != b {
                halves.push(Half { low: a.min(b), high: a.max(b), is_backward: a > b, triangle, edge });
            }
        }
    }
    halves
}

struct Records<'a> {
    triangles: &'a [Corners],
    normals: Vec<Option<Vector>>,
    records: Vec<TriangleEdges>,
}

/// Convex and concave angles.
type Angles = [u16; 2];

const UNKNOWN: Angles = [UNKNOWN_ANGLE; 2];

impl Records<'_> {
    /// Two triangles share an edge.
    fn meet(&mut self, half: &Half, other: &Half) {
        self.records[half.triangle as usize].neighbours[usize::from(half.edge)] = other.triangle;
        let angles = self.angles(half, other.triangle, half.is_backward == other.is_backward);
        self.set(half, angles);
    }

    /// All of an edge lies on edges of these triangles, which go the other way.
    fn lie_on(&mut self, half: &Half, others: impl Iterator<Item = u32>) {
        let angles = others.map(|other| self.angles(half, other, false));
        let largest = |a: Angles, b: Angles| [a[0].max(b[0]), a[1].max(b[1])];
        let angles = angles.reduce(largest).unwrap_or(UNKNOWN);
        self.set(half, angles);
    }

    fn set(&mut self, half: &Half, [convex, concave]: Angles) {
        let record = &mut self.records[half.triangle as usize];
        record.convex[usize::from(half.edge)] = convex;
        record.concave[usize::from(half.edge)] = concave;
    }

    /// By how much the surface bends from a triangle to another one, which may face the other way.
    fn angles(&self, half: &Half, other: u32, is_flipped: bool) -> Angles {
        let normals = [self.normals[half.triangle as usize], self.normals[other as usize]];
        let [Some(own), Some(across)] = normals else { return UNKNOWN };
        let across = if is_flipped { across.map(|x| -x) } else { across };
        let corners = self.triangles[half.triangle as usize].map(|corner| corner.map(f64::from));
        let along = subtract(corners[usize::from(half.edge + 1) % 3], corners[usize::from(half.edge)]);
        let turn = cross(own, across);
        let angle = libm::atan2(libm::sqrt(dot(turn, turn)), dot(own, across));
        let units = (angle * (f64::from(FOLD) / std::f64::consts::PI)).round() as u16;
        match units {
            // Folded back: bent both ways.
            _ if units >= FOLD - 1 => [units, units],
            _ if dot(turn, along) < 0.0 => [0, units],
            _ => [units, 0],
        }
    }

    /// The largest angles of all edges that meet at each corner.
    fn bend_at_corners(&mut self, halves: &[Half], flipped: &[Half]) {
        let mut ends: Vec<(Position, Angles)> = Vec::with_capacity(2 * halves.len());
        for half in halves {
            let record = &self.records[half.triangle as usize];
            let edge = usize::from(half.edge);
            let angles = [record.convex[edge], record.concave[edge]];
            ends.extend([(half.low, angles), (half.high, angles)]);
        }
        // Where fronts change sides, no corner has one.
        ends.extend(flipped.iter().flat_map(|half| [(half.low, UNKNOWN), (half.high, UNKNOWN)]));
        ends.sort_unstable();
        let mut at: Vec<(Position, Angles)> = Vec::new();
        for (position, [convex, concave]) in ends {
            match at.last_mut().filter(|(last, _)| *last == position) {
                Some((_, angles)) => *angles = [angles[0].max(convex), angles[1].max(concave)],
                None => at.push((position, [convex, concave])),
            }
        }
        for (record, corners) in self.records.iter_mut().zip(self.triangles) {
            for (slot, corner) in (3..).zip(corners) {
                let found = at.binary_search_by_key(&corner.map(f32::to_bits), |(position, _)| *position);
                [record.convex[slot], record.concave[slot]] = found.map_or(UNKNOWN, |index| at[index].1);
            }
        }
    }
}

/// The unit normal, if it is known well enough.
fn normal(corners: &Corners) -> Option<Vector> {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let (e, f) = (subtract(b, a), subtract(c, a));
    let normal = cross(e, f);
    let square = dot(normal, normal);
    let is_known = square > LEAST_SINE_SQUARED * dot(e, e) * dot(f, f);
    is_known.then(|| normal.map(|x| x / libm::sqrt(square)))
}

#[cfg(test)]
mod tests {
    use bvhc_format::NONE;

    use super::*;

    const UNIT: f64 = std::f64::consts::PI / FOLD as f64;

    /// As small layouts may leave them.
    #[test]
    fn a_triangle_flattened_to_an_edge_is_no_neighbour_of_its_own() {
        let (a, b) = ([0.0; 3], [1.0, 0.0, 0.0]);
        let [flat] = lay_out_edges(&[[a, b, b]])[..] else { panic!("one") };
        assert_eq!(flat.neighbours, [NONE; 3]);
        // It counts as two beside another one.
        let edges = lay_out_edges(&[[a, b, b], [a, b, [0.0, 1.0, 0.0]]]);
        assert!(edges.iter().all(|edges| edges.neighbours == [NONE; 3]));
    }

    #[test]
    fn a_box_is_convex_by_right_angles() {
        let roof: Vec<Corners> = vec![
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]],
            // Down at x = 1, from the front's view.
            [[1.0, 0.0, 0.0], [1.0, 0.0, -1.0], [1.0, 1.0, 0.0]],
        ];
        let [a, b] = lay_out_edges(&roof)[..] else { panic!("two") };
        assert_eq!((a.neighbours, b.neighbours), ([NONE, 1, NONE], [NONE, NONE, 0]));
        assert_eq!((a.convex[1], a.concave[1], b.convex[2]), (FOLD / 2, 0, FOLD / 2));
        assert_eq!(a.convex[0], UNKNOWN_ANGLE);
        assert_eq!(a.convex[4], UNKNOWN_ANGLE, "open edges meet there");
        // The same from the back.
        let back: Vec<Corners> = roof.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let [a, _] = lay_out_edges(&back)[..] else { panic!("two") };
        assert_eq!((a.convex[1], a.concave[1]), (0, FOLD / 2));
    }

    #[test]
    fn corners_have_the_largest_angles_around_them() {
        // A pyramid without its base.
        let height = 0.25f32;
        let base = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0f32]];
        let top = [0.5, 0.5, height];
        let sides: Vec<Corners> = (0..4).map(|k| [base[k], base[(k + 1) % 4], top]).collect();
        let normal = |corners: &Corners| normal(corners).expect("a normal");
        let angle = libm::acos(dot(normal(&sides[0]), normal(&sides[1])));
        for record in lay_out_edges(&sides) {
            assert!((f64::from(record.convex[5]) * UNIT - angle).abs() < UNIT);
            assert_eq!((record.convex[1], record.concave[5]), (record.convex[5], 0));
            assert_eq!(record.convex[3], UNKNOWN_ANGLE);
        }
    }

    #[test]
    fn an_edge_that_lies_on_others_is_known() {
        // A long edge along y = 0 with three triangles below it, one of them bent down.
        let long = [[0.0, 0.0, 0.0], [6.0, 0.0, 0.0], [3.0, 3.0, 0.0f32]];
        let below =
            |from: f32, to: f32, z: f32| [[to, 0.0, 0.0], [from, 0.0, 0.0], [0.5 * (from + to), -1.0, z]];
        let all = vec![long, below(0.0, 1.0, 0.0), below(1.0, 4.0, -0.1), below(4.0, 6.0, 0.0)];
        let records = lay_out_edges(&all);
        assert_eq!(records[0].neighbours, [NONE; 3]);
        let tilt = libm::atan(0.1) / UNIT;
        assert!((f64::from(records[0].convex[0]) - tilt).abs() < 1.0 && records[0].concave[0] == 0);
        assert_eq!((records[1].convex[0], records[1].concave[0]), (0, 0));
        assert!((f64::from(records[2].convex[0]) - tilt).abs() < 1.0);
        // With a gap, or with one that is not on the line, it is not.
        for broken in [below(4.25, 6.0, 0.0), below(4.0, 6.0, 0.0).map(|[x, y, z]| [x, y, z + x * 1e-6])] {
            let mut all = all.clone();
            all[3] = broken;
            assert_eq!(lay_out_edges(&all)[0].convex[0], UNKNOWN_ANGLE);
        }
    }

    #[test]
    fn what_is_not_one_surface_is_unknown() {
        let [a, b, c, d, e] =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0f32]];
        let branching = lay_out_edges(&[[a, b, c], [b, a, d], [b, a, e]]);
        assert!(
            branching
                .iter()
                .all(|record| record.neighbours == [NONE; 3] && record.convex[0] == UNKNOWN_ANGLE)
        );
        // Two triangles that face opposite ways: the edge is flat, its corners have no front.
        let flipped = lay_out_edges(&[[a, b, c], [a, b, d]]);
        assert_eq!((flipped[0].neighbours[0], flipped[0].convex[0], flipped[0].concave[0]), (1, 0, 0));
        assert_eq!(flipped[0].convex[3], UNKNOWN_ANGLE);
    }
}
