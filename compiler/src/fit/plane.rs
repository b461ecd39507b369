//! Convex polygons, and the best rectangle around one.
//!
//! Based on: Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979 (with Shewchuk's exact
//! orientation, or a rounded one), and Toussaint, "Solving geometric problems with the rotating calipers", 1983. Departure:
//! the rectangle is the best by any [`Objective`] for a box of given height.

use robust::{Coord, orient2d};

use super::objective::Objective;

/// Measures that differ by less than this, relatively, count as equal: it covers rounding.
const TIE: f64 = 1e-9;

/// A rectangle that is flush with an edge of the polygon it is around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    /// A unit vector along the edge.
    pub(super) direction: [f64; 2],
    /// The extents along the edge and across.
    pub(super) extents: [f64; 2],
    pub(super) measure: f64,
}

/// A convex polygon, counter-clockwise. It can be used again for other points.
#[derive(Debug, Default)]
pub(super) struct Polygon {
    /// The corners, and then the corners once more, for what goes around.
    twice: Vec<[f64; 2]>,
}

impl Polygon {
    /// Makes this the extreme points among `points`, at least one, and sorts these.
    pub(super) fn enclose(&mut self, points: &mut [[f64; 2]]) {
        self.enclose_by(exact_orientation, points);
    }

    /// The same but for rounding: turns to the right by a few units of the last place of the angle may stay, and to the left
    /// may be missing, which makes no difference to a rectangle.
    pub(super) fn enclose_roughly(&mut self, points: &mut [[f64; 2]]) {
        self.enclose_by(orientation, points);
    }

    /// Makes this the extreme points by what is positive where three points turn left.
    #[inline]
    fn enclose_by(&mut self, turn: impl Fn([f64; 2], [f64; 2], [f64; 2]) -> f64, points: &mut [[f64; 2]]) {
        sort(points);
        let hull = &mut self.twice;
        hull.clear();
        for &point in points.iter() {
            push_convex(hull, 0, point, &turn);
        }
        let lower = hull.len() - 1;
        for &point in points.iter().rev().skip(1) {
            push_convex(hull, lower, point, &turn);
        }
        // The last is the first again, unless there is no other.
        if hull.len() > 1 {
            hull.pop();
        }
        hull.extend_from_within(..);
    }

    /// The corners.
    pub(super) fn corners(&self) -> &[[f64; 2]] {
        &self.twice[..self.twice.len() / 2]
    }

    /// The best rectangle around the polygon as the base of a box of this height; without one, as a flat box.
    /// None where the polygon is a point.
    pub(super) fn best_rectangle(&self, height: Option<f64>, objective: Objective) -> Option<Rectangle> {
        let measure = |extents: [f64; 2]| {
            height.map_or_else(
                || objective.flat_measure(extents),
                |height| objective.measure([extents[0], extents[1], height]),
            )
        };
        let mut calipers = Calipers { twice: &self.twice, touching: [0; 3] };
        let mut best: Option<Rectangle> = None;
        for edge in 0..self.twice.len() / 2 {
            let Some((direction, extents)) = calipers.next(edge) else {
                continue;
            };
            let found = Rectangle { direction, extents, measure: measure(extents) };
            if best.as_ref().is_none_or(|best| found.is_better(best)) {
                best = Some(found);
            }
        }
        best
    }
}

/// Sets of at most this many points are sorted by insertion, which nothing but the comparison slows down.
const FEW: usize = 24;

/// Sorts points along the first axis, then along the second.
fn sort(points: &mut [[f64; 2]]) {
    // Not the total order of floats: it puts -0 before 0, and so can break the order along the second axis.
    let is_before = |a: &[f64; 2], b: &[f64; 2]| a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
    if points.len() > FEW {
        points.sort_unstable_by(|a, b| is_before(b, a).cmp(&is_before(a, b)));
        return;
    }
    for end in 1..points.len() {
        let point = points[end];
        let mut at = end;
        while at > 0 && is_before(&point, &points[at - 1]) {
            points[at] = points[at - 1];
            at -= 1;
        }
        points[at] = point;
    }
}

/// Adds a point to the chain that starts at `start`, and removes the points that are inner ones then.
#[inline]
fn push_convex(
    chain: &mut Vec<[f64; 2]>,
    start: usize,
    point: [f64; 2],
    turn: impl Fn([f64; 2], [f64; 2], [f64; 2]) -> f64,
) {
    while let [.., a, b] = chain[start..] {
        if turn(a, b, point) > 0.0 {
            break;
        }
        chain.pop();
    }
    if chain.last() != Some(&point) {
        chain.push(point);
    }
}

/// Positive where a, b, c turn left, exactly.
#[inline]
fn exact_orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// Positive where a, b, c turn left. It is the edges' turn, so an angle that is not tiny is right however short they are.
#[inline]
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

impl Rectangle {
    /// Whether the measure is less, or equal and the sum of the extents less.
    pub(super) fn is_better(&self, other: &Self) -> bool {
        let sum = |rectangle: &Self| rectangle.extents[0] + rectangle.extents[1];
        self.measure < other.measure * (1.0 - TIE)
            || (self.measure <= other.measure * (1.0 + TIE) && sum(self) < sum(other) * (1.0 - TIE))
    }
}

/// The vertices that touch the sides of a rectangle that rolls around a polygon.
struct Calipers<'a> {
    twice: &'a [[f64; 2]],
    /// The farthest along the edge, across it, and back along it.
    touching: [usize; 3],
}

impl Calipers<'_> {
    /// The direction of an edge, and the extents along and across it. Edges are to be taken in turn.
    #[inline]
    fn next(&mut self, edge: usize) -> Option<([f64; 2], [f64; 2])> {
        let start = self.twice[edge];
        let [x, y] = self.offset(start, edge + 1);
        let length = (x * x + y * y).sqrt();
        if length == 0.0 {
            return None;
        }
        let direction @ [c, s] = [x / length, y / length];
        let mut widths = [0.0; 3];
        let mut from = edge + 1;
        for (side, toward) in [direction, [-s, c], [-c, -s]].into_iter().enumerate() {
            let at = self.roll(self.touching[side].max(from), edge + self.twice.len() / 2, toward);
            // Beyond the farthest along the edge, across it and back along it lie ahead, in whichever order.
            from = if side == 0 { at } else { from };
            self.touching[side] = at;
            let [x, y] = self.offset(start, at);
            widths[side] = x * toward[0] + y * toward[1];
        }
        Some((direction, [widths[0] + widths[2], widths[1]]))
    }

    /// From a vertex, or `last` at most, to where the polygon stops going `toward` a side.
    #[inline]
    fn roll(&self, from: usize, last: usize, toward: [f64; 2]) -> usize {
        let mut at = from;
        while at < last {
            let [x, y] = self.offset(self.twice[at], at + 1);
            // The edge's own length sets the rounding here, so a very short one does not stop it; and what stops it
            // one way is passed on the way back.
            if x * toward[0] + y * toward[1] < 0.0 {
                break;
            }
            at += 1;
        }
        at
    }

    /// From a point to a vertex; the first one comes again after two rounds.
    #[inline]
    fn offset(&self, start: [f64; 2], index: usize) -> [f64; 2] {
        let [x, y] = if index < self.twice.len() { self.twice[index] } else { self.twice[0] };
        [x - start[0], y - start[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::random::Random;

    /// Random points, in sets of which some are thin, on a line, on a grid, or few.
    fn sets() -> impl Iterator<Item = Vec<[f64; 2]>> {
        (0..2000).map(|index| {
            let mut random = Random::new(index);
            let thin = [1.0, 1e-3, 1e-9, 0.0][index as usize % 4];
            let [c, s] = [0.6, 0.8];
            let point = |random: &mut Random| {
                let [x, y] = if index % 3 == 0 {
                    // Some zeros are negative.
                    [-(random.below(4) as f64), random.below(4) as f64 * thin]
                } else {
                    [random.unit(), random.unit() * thin]
                };
                if index % 8 < 4 { [x, y] } else { [c * x - s * y, s * x + c * y] }
            };
            (0..1 + random.below(20)).map(|_| point(&mut random)).collect()
        })
    }

    #[test]
    fn polygons_turn_left_and_hold_all_points() {
        let mut made = Polygon::default();
        for mut set in sets() {
            made.enclose(&mut set);
            let polygon = made.corners();
            let corners = polygon.len();
            for index in 0..corners {
                let [a, b, c] = [0, 1, 2].map(|step| polygon[(index + step) % corners]);
                assert!(corners < 3 || exact_orientation(a, b, c) > 0.0);
                assert!(set.iter().all(|point| exact_orientation(a, b, *point) >= 0.0));
            }
        }
    }

    #[test]
    fn calipers_measure_what_all_points_measure() {
        let mut polygon = Polygon::default();
        for mut set in sets() {
            polygon.enclose_roughly(&mut set);
            let mut calipers = Calipers { twice: &polygon.twice, touching: [0; 3] };
            for edge in 0..polygon.corners().len() {
                let Some(([c, s], extents)) = calipers.next(edge) else {
                    continue;
                };
                for (axis, extent) in [[c, s], [-s, c]].into_iter().zip(extents) {
                    let along = set.iter().map(|point| point[0] * axis[0] + point[1] * axis[1]);
                    let [low, high] =
                        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
                    assert!((high - low - extent).abs() < 1e-14, "{polygon:?} {edge} {extents:?}");
                }
            }
        }
    }
}
