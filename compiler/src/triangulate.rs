//! Triangulates polygons, convex and concave.
//!
//! Based on: Meisters, "Polygons Have Ears", 1975; the `earcut` crate does most of the work.
//! Departures: all decisions are checked with exact predicates on the polygon's projection along the largest
//! component of its Newell normal, which keeps coordinates unchanged. A fan is used where it is proved correct.
//! Where `earcut` skips corners in the middle of straight edges, which would leave T-junctions, and for polygons of many
//! corners, for which it may take cubic time, `ears` uses every corner in bounded time. A polygon that intersects itself,
//! or for which that bound does not suffice, becomes a fan, so that no part of it is lost.

mod ears;
#[cfg(test)]
mod tests;

use earcut::Earcut;
use robust::{Coord, orient2d};

use ears::Ears;

/// A corner of a polygon, projected.
type Point = [f64; 2];

/// Polygons of more corners are left to `ears`: `earcut` takes up to cubic time.
const MAX_EARCUT: usize = 128;
/// The result of `earcut` is rejected if its area differs by more than this, relative to the polygon's area.
/// Rounding in f64 stays far below; a lost triangle of significant area exceeds it.
const AREA_TOLERANCE: f64 = 1e-9;

/// Triangulates polygons. Reuses its buffers from one polygon to the next.
pub struct Triangulator {
    earcut: Earcut<f64>,
    ears: Ears,
    points: Vec<Point>,
    indices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

impl Default for Triangulator {
    fn default() -> Self {
        Self {
            earcut: Earcut::new(),
            ears: Ears::default(),
            points: Vec::new(),
            indices: Vec::new(),
            triangles: Vec::new(),
        }
    }
}

impl Triangulator {
    /// Calls `emit` with each triangle of a polygon, as three indices into `corners`, in the polygon's winding. There
    /// are `corners.len() - 2` triangles; fewer only if edges touch or cross each other. A polygon of fewer than three
    /// corners has none. `corners` are valid indices into `positions`.
    ///
    /// Returns false if the triangles are a fan that may overlap itself or leave the polygon, since no other
    /// triangulation was found: edges cross or touch, or the polygon is so intricate that the search was ended.
    /// Takes O(n log n) time for outlines of n corners; O(n^1.5) at most, but quadratic time for up to some thousand corners.
    pub fn polygon(
        &mut self,
        positions: &[[f32; 3]],
        corners: &[u32],
        mut emit: impl FnMut([u32; 3]),
    ) -> bool {
        match *corners {
            [] | [_] | [_, _] => return true,
            [_, _, _] => {
                emit([0, 1, 2]);
                return true;
            }
            _ => {}
        }
        let has_area = project(positions, corners, &mut self.points);
        if corners.len() == 4 {
            let (triangles, is_tiled) = split_quad(&self.points);
            triangles.into_iter().for_each(emit);
            return is_tiled && has_area;
        }
        let is_fan = is_fan(&self.points);
        let is_clipped = !is_fan && self.clip();
        if !is_clipped {
            self.triangles.clear();
            self.triangles.extend((2..corners.len() as u32).map(|k| [0, k - 1, k]));
        }
        self.triangles.iter().copied().for_each(emit);
        is_fan || is_clipped
    }

    /// Fills `triangles` with a triangulation of `points`; returns false if none is found.
    fn clip(&mut self) -> bool {
        let count = self.points.len();
        if count <= MAX_EARCUT {
            self.earcut.earcut_slice(&self.points, &[], &mut self.indices);
            self.take_earcut();
            // Counter-clockwise triangles that use every corner can only tile the polygon.
            if self.triangles.len() == count - 2 && self.orient() {
                return true;
            }
        }
        self.triangles.clear();
        if self.ears.clip(&self.points, &mut self.triangles) {
            return true;
        }
        if count > MAX_EARCUT {
            return false;
        }
        self.take_earcut();
        self.orient() && self.keeps_area()
    }

    fn take_earcut(&mut self) {
        self.triangles.clear();
        self.triangles.extend_from_slice(self.indices.as_chunks().0);
    }

    /// Gives all triangles the winding of the polygon, which is counter-clockwise in projection. Returns false if their
    /// windings differ or one is degenerate.
    fn orient(&mut self) -> bool {
        let points = &self.points;
        let turned = |&[a, b, c]: &[u32; 3]| turn(points, a, b, c);
        if self.triangles.iter().all(|triangle| turned(triangle) > 0.0) {
            return true;
        }
        self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        self.triangles.iter().all(|triangle| turned(triangle) > 0.0)
    }

    fn keeps_area(&self) -> bool {
        let points = &self.points;
        let polygon: f64 = (2..points.len() as u32).map(|k| turn(points, 0, k - 1, k)).sum();
        let triangles: f64 = self.triangles.iter().map(|&[a, b, c]| turn(points, a, b, c)).sum();
        polygon > 0.0 && (polygon - triangles).abs() <= polygon * AREA_TOLERANCE
    }
}

/// Projects a polygon along the largest component of its Newell normal, so that it runs counter-clockwise. Returns false if that is 0:
/// the halves of a bow tie may cancel each other.
fn project(positions: &[[f32; 3]], corners: &[u32], points: &mut Vec<Point>) -> bool {
    let corner = |k: usize| positions[corners[k] as usize].map(f64::from);
    let normal = newell(corners.len(), corner);
    let axis = (0..3).fold(0, |best, axis| if normal[axis].abs() > normal[best].abs() { axis } else { best });
    let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 {
        (u, v) = (v, u);
    }
    points.clear();
    points.extend((0..corners.len()).map(|k| [corner(k)[u], corner(k)[v]]));
    normal[axis] != 0.0
}

/// Twice the polygon's area vector, summed relative to corner 0 to avoid cancellation far from the origin.
fn newell(count: usize, corner: impl Fn(usize) -> [f64; 3]) -> [f64; 3] {
    let origin = corner(0);
    let from_origin = |k: usize| {
        let p = corner(k);
        [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]]
    };
    let mut sum = [0.0; 3];
    let mut a = from_origin(1);
    for k in 2..count {
        let b = from_origin(k);
        for (axis, sum) in sum.iter_mut().enumerate() {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            *sum += a[u] * b[v] - a[v] * b[u];
        }
        a = b;
    }
    sum
}

/// Twice the signed area of a triangle, positive if counter-clockwise. The sign is exact.
fn turn(points: &[Point], a: u32, b: u32, c: u32) -> f64 {
    let [a, b, c] = [a, b, c].map(|k| points[k as usize]).map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// Splits a quad along a diagonal inside it: the one from corner 0 if both are. False if neither is, as edges cross each other.
fn split_quad(points: &[Point]) -> ([[u32; 3]; 2], bool) {
    let first = [[0, 1, 2], [0, 2, 3]];
    let second = [[0, 1, 3], [1, 2, 3]];
    let worst = |[s, t]: [[u32; 3]; 2]| turn(points, s[0], s[1], s[2]).min(turn(points, t[0], t[1], t[2]));
    let (ac, bd) = (worst(first), worst(second));
    // For a quad with a repeated corner or all corners collinear, either diagonal will do.
    let prefer_second = if bd > 0.0 { ac <= 0.0 } else { bd == 0.0 && ac < 0.0 };
    (if prefer_second { second } else { first }, ac.max(bd) >= 0.0)
}

/// Whether the fan around corner 0 exactly tiles the polygon: all corners lie left of the first edge, and the angle
/// around corner 0 increases from each corner to the next. True for all strictly convex polygons.
fn is_fan(points: &[Point]) -> bool {
    (2..points.len() as u32).all(|k| turn(points, 0, k - 1, k) > 0.0 && turn(points, 0, 1, k) > 0.0)
}
