//! Whether the union of several boxes covers a triangle: T10 for a triangle that several blocks hold.
//!
//! The boxes are cut away from the triangle one after the other; nothing may be left. Planes beyond the whole grown
//! triangle, compared exactly, cut nothing. Other cuts round in f64, so the boxes are shrunk by slightly more than T10
//! requires, and a polygon that exceeds a shrunk box by at most half of that excess counts as inside.

use super::exact::grown;
use crate::tree::aabb::Aabb;

/// The margin that boxes must have around the triangle, relative to its largest extent (T10).
const GROWTH: f64 = 1.0 / (1 << 17) as f64;

/// How much more than the growth boxes are shrunk by, relative to the growth. Half of it is tolerated.
const SLACK: f64 = 1.0 / 16.0;

/// A convex polygon.
type Polygon = Vec<[f64; 3]>;

/// A point of the triangle that is in none of the boxes after they are shrunk by T10's growth.
pub(super) fn uncovered(corners: [[f32; 3]; 3], boxes: &[Aabb]) -> Option<[f64; 3]> {
    let whole = Aabb::around(corners);
    let (growth, needed) = (whole.largest_extent() * GROWTH, grown(&whole));
    let mut left: Vec<Polygon> = vec![corners.map(|corner| corner.map(f64::from)).to_vec()];
    for bounds in boxes {
        left = left.into_iter().flat_map(|polygon| cut_away(polygon, bounds, &needed, growth)).collect();
    }
    left.first().map(|polygon| polygon[0])
}

/// The parts of a polygon outside a box; `needed` is the grown box of the whole triangle.
fn cut_away(mut polygon: Polygon, bounds: &Aabb, needed: &Aabb, growth: f64) -> Vec<Polygon> {
    let (shrink, forgiven) = (growth * (1.0 + SLACK), growth * SLACK / 2.0);
    let mut outside = Vec::new();
    for axis in 0..3 {
        let lower = (bounds.lower[axis], needed.lower[axis], 1.0);
        let upper = (bounds.upper[axis], needed.upper[axis], -1.0);
        for (plane, enough, sign) in [lower, upper] {
            if sign * f64::from(plane) <= sign * f64::from(enough) {
                continue;
            }
            let plane = f64::from(plane) + sign * shrink;
            let depth = |point: &[f64; 3]| sign * (point[axis] - plane);
            if polygon.iter().all(|point| depth(point) >= -forgiven) {
                continue;
            }
            let (inner, outer) = divide(&polygon, axis, plane, sign);
            outside.push(outer);
            if inner.len() < 3 {
                return outside;
            }
            polygon = inner;
        }
    }
    outside
}

/// The parts of a polygon on the side of a plane to which `sign` points, and on the other.
fn divide(polygon: &Polygon, axis: usize, plane: f64, sign: f64) -> (Polygon, Polygon) {
    let (mut inner, mut outer) = (Vec::new(), Vec::new());
    for (index, point) in polygon.iter().enumerate() {
        let next = &polygon[(index + 1) % polygon.len()];
        let (here, there) = (sign * (point[axis] - plane), sign * (next[axis] - plane));
        if here >= 0.0 {
            inner.push(*point);
        }
        if here <= 0.0 {
            outer.push(*point);
        }
        if here * there < 0.0 {
            let share = here / (here - there);
            let mut crossing: [f64; 3] =
                std::array::from_fn(|axis| point[axis] + share * (next[axis] - point[axis]));
            crossing[axis] = plane;
            inner.push(crossing);
            outer.push(crossing);
        }
    }
    (inner, outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.25]];

    fn halves(gap: f32) -> [Aabb; 2] {
        let growth = 1.2 / (1 << 17) as f32;
        let whole = Aabb { lower: [-growth; 3], upper: [1.0 + growth; 3] };
        let (mut left, mut right) = (whole, whole);
        left.upper[0] = 0.5 - gap + growth;
        right.lower[0] = 0.5 + gap - growth;
        [left, right]
    }

    #[test]
    fn two_halves_cover_the_whole() {
        assert_eq!(uncovered(TRIANGLE, &halves(0.0)), None);
    }

    #[test]
    fn a_box_as_small_as_allowed_covers_the_whole() {
        let needed = grown(&Aabb::around(TRIANGLE));
        assert_eq!(uncovered(TRIANGLE, &[needed]), None);
        let mut less = needed;
        less.upper[1] = less.upper[1].next_down();
        assert!(uncovered(TRIANGLE, &[less]).is_some());
    }

    #[test]
    fn a_gap_between_them_is_found() {
        let point = uncovered(TRIANGLE, &halves(1e-5)).expect("a gap");
        assert!((point[0] - 0.5).abs() < 1e-4);
    }

    #[test]
    fn a_missing_box_is_found() {
        assert!(uncovered(TRIANGLE, &halves(0.0)[..1]).is_some());
        assert!(uncovered(TRIANGLE, &[]).is_some());
    }
}
