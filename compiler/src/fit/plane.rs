//! Convex polygons, and the best rectangle around one.
//!
//! Based on: Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979 (with Shewchuk's exact
//! orientation), and Toussaint, "Solving geometric problems with the rotating calipers", 1983. Departure: the
//! rectangle is the best by any [`Objective`] for a box of given height.

use robust::{Coord, orient2d};

use super::objective::Objective;

/// What rounding may do to a measure, and so what counts as equal.
const TIE: f64 = 1e-9;

/// A rectangle that is flush with an edge of the polygon it is around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    /// A unit vector along the edge.
    pub(super) direction: [f64; 2],
    /// The extents along the edge and across.
    pub(super) extents: [f64; 2],
    measure: f64,
}

/// Makes `hull` the extreme points among `points`, counter-clockwise, and sorts these.
pub(super) fn convex_polygon(points: &mut [[f64; 2]], hull: &mut Vec<[f64; 2]>) {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    hull.clear();
    for &point in points.iter() {
        push_convex(hull, 0, point);
    }
    let lower = hull.len() - 1;
    for &point in points.iter().rev().skip(1) {
        push_convex(hull, lower, point);
    }
    // The last is the first again, unless there is no other.
    if hull.len() > 1 {
        hull.pop();
    }
}

/// Adds a point to the chain that starts at `start`, without those that it makes inner ones.
fn push_convex(chain: &mut Vec<[f64; 2]>, start: usize, point: [f64; 2]) {
    while let [.., a, b] = chain[start..] {
        if orientation(a, b, point) > 0.0 {
            break;
        }
        chain.pop();
    }
    if chain.last() != Some(&point) {
        chain.push(point);
    }
}

/// Positive where a, b, c turn left, exactly.
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// The best rectangle around a convex polygon as the base of a box of this height; without one, as a flat box.
/// None where the polygon is a point.
pub(super) fn best_rectangle(
    polygon: &[[f64; 2]],
    height: Option<f64>,
    objective: Objective,
) -> Option<Rectangle> {
    let mut calipers = Calipers { polygon, touching: [0; 3] };
    let mut best: Option<Rectangle> = None;
    for edge in 0..polygon.len() {
        let Some((direction, extents)) = calipers.next(edge) else {
            continue;
        };
        let measure = height.map_or_else(
            || objective.flat_measure(extents),
            |height| objective.measure([extents[0], extents[1], height]),
        );
        let found = Rectangle { direction, extents, measure };
        if best.is_none_or(|best| found.is_better(&best)) {
            best = Some(found);
        }
    }
    best
}

impl Rectangle {
    fn is_better(&self, other: &Self) -> bool {
        let sum = |rectangle: &Self| rectangle.extents[0] + rectangle.extents[1];
        self.measure < other.measure * (1.0 - TIE)
            || (self.measure <= other.measure * (1.0 + TIE) && sum(self) < sum(other) * (1.0 - TIE))
    }
}

/// The vertices that touch the sides of a rectangle that rolls around a polygon.
struct Calipers<'a> {
    polygon: &'a [[f64; 2]],
    /// The farthest along the edge, across it, and back along it.
    touching: [usize; 3],
}

impl Calipers<'_> {
    /// The direction of an edge, and the extents along and across it. Edges are to be taken in turn.
    fn next(&mut self, edge: usize) -> Option<([f64; 2], [f64; 2])> {
        let start = self.polygon[edge];
        let [x, y] = self.offset(start, edge + 1);
        let length = (x * x + y * y).sqrt();
        if length == 0.0 {
            return None;
        }
        let direction @ [c, s] = [x / length, y / length];
        let mut reach = [0.0; 3];
        let mut from = edge + 1;
        for (side, toward) in [direction, [-s, c], [-c, -s]].into_iter().enumerate() {
            from = self.roll(side, from, start, toward);
            let [x, y] = self.offset(start, from);
            reach[side] = x * toward[0] + y * toward[1];
        }
        Some((direction, [reach[0] + reach[2], reach[1]]))
    }

    /// Moves a touching vertex, at `from` or farther, on to the one that is farthest `toward` a side.
    fn roll(&mut self, side: usize, from: usize, start: [f64; 2], toward: [f64; 2]) -> usize {
        let mut at = self.touching[side].max(from);
        let along = |at: usize| {
            let [x, y] = self.offset(start, at);
            x * toward[0] + y * toward[1]
        };
        // Equal values are passed: rounding can make them so on a very short edge before a long one.
        let mut here = along(at);
        for _ in 0..self.polygon.len() {
            let next = along(at + 1);
            if next < here {
                break;
            }
            (at, here) = (at + 1, next);
        }
        self.touching[side] = at;
        at
    }

    fn offset(&self, start: [f64; 2], index: usize) -> [f64; 2] {
        let [x, y] = self.polygon[index % self.polygon.len()];
        [x - start[0], y - start[1]]
    }
}
