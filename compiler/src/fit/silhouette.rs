//! Turns of a box around few points: the best one that is flush with an edge of their silhouette.
//!
//! Along an axis, the silhouette's edges are those of the hull between a face toward and a face away from it: their
//! signs are those of the faces' normals. Of a dozen points about seven are left. All points are measured along each, four
//! edges at once, which takes less time than their polygon and its calipers. Where rounding gives a face that is seen from
//! its side the wrong sign, other edges of the same face are tried.

use super::hull::Hull;
use super::objective::Objective;
use super::plane::Rectangle;
use crate::math::vector::{Vector, cross, dot, subtract};

/// How many edges a loop takes at once; compilers make vectors of it.
const LANES: usize = 4;

/// Hulls of at most so many vertices: their faces' signs are the bits of a number.
pub(super) const MAX_VERTICES: usize = 32;

const _: () = assert!(2 * MAX_VERTICES - 4 <= u64::BITS as usize);

/// The edges and faces of a solid hull, reused for the next one.
#[derive(Debug, Default)]
pub(super) struct Silhouette {
    normals: Vec<Vector>,
    edges: Vec<Edge>,
    /// Numbers of the hull's faces among those that are left.
    numbers: Vec<u32>,
    /// The edges of the silhouette along an axis.
    sides: Vec<[f64; 2]>,
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug)]
struct Edge {
    along: Vector,
    faces: [u32; 2],
}

impl Silhouette {
    /// Makes this that of a solid hull of at most [`MAX_VERTICES`] vertices.
    pub(super) fn fill(&mut self, hull: &Hull) {
        let points = hull.points();
        let offset = |from: u32, to: u32| subtract(points[to as usize], points[from as usize]);
        self.normals.clear();
        self.edges.clear();
        self.numbers.clear();
        self.numbers.resize(hull.face_limit(), 0);
        for (face, [a, b, c], across) in hull.faces() {
            let number = self.normals.len() as u32;
            self.numbers[face as usize] = number;
            self.normals.push(cross(offset(a, b), offset(a, c)));
            for ([from, to], other) in [[a, b], [b, c], [c, a]].into_iter().zip(across) {
                // Of two faces the second one knows both numbers.
                if other < face {
                    let faces = [number, self.numbers[other as usize]];
                    self.edges.push(Edge { along: offset(from, to), faces });
                }
            }
        }
    }

    /// The best rectangle around the points as they are seen along the first axis, given their extent along it.
    #[inline(always)]
    pub(super) fn best_rectangle(
        &mut self,
        projected: &[[f64; 2]],
        objective: Objective,
        [axis, i, j]: [Vector; 3],
        height: f64,
    ) -> Option<Rectangle> {
        self.collect_sides(axis, [i, j]);
        let mut best: Option<Rectangle> = None;
        for sides in self.sides.chunks(LANES) {
            let group = Group::around(sides, projected);
            let [along, across] = group.extents;
            let mut measures = [0.0; LANES];
            for lane in 0..LANES {
                measures[lane] = objective.measure([along[lane], across[lane], height]);
            }
            for lane in 0..sides.len() {
                let direction = [group.directions[0][lane], group.directions[1][lane]];
                let found =
                    Rectangle { direction, extents: [along[lane], across[lane]], measure: measures[lane] };
                if best.as_ref().is_none_or(|best| found.is_better(best)) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// Projects the edges of the silhouette along an axis.
    #[inline(always)]
    fn collect_sides(&mut self, axis: Vector, [i, j]: [Vector; 2]) {
        let signs = (0..)
            .zip(&self.normals)
            .fold(0u64, |signs, (face, normal)| signs | u64::from(dot(*normal, axis) > 0.0) << face);
        self.sides.clear();
        for Edge { along, faces: [a, b] } in &self.edges {
            if (signs >> a ^ signs >> b) & 1 == 1 {
                let side = [dot(*along, i), dot(*along, j)];
                if side != [0.0; 2] {
                    self.sides.push(side);
                }
            }
        }
    }
}

/// Rectangles that are flush with some edges, a lane each.
struct Group {
    /// Unit vectors along the edges.
    directions: [[f64; LANES]; 2],
    /// The extents along the edges and across.
    extents: [[f64; LANES]; 2],
}

impl Group {
    /// The rectangles around points, flush with at most [`LANES`] edges.
    #[inline(always)]
    fn around(edges: &[[f64; 2]], points: &[[f64; 2]]) -> Self {
        let (mut c, mut s) = ([1.0; LANES], [0.0; LANES]);
        for (lane, [x, y]) in edges.iter().enumerate() {
            (c[lane], s[lane]) = (*x, *y);
        }
        for lane in 0..LANES {
            let length = (c[lane] * c[lane] + s[lane] * s[lane]).sqrt();
            (c[lane], s[lane]) = (c[lane] / length, s[lane] / length);
        }
        let (mut low, mut high) = ([[f64::INFINITY; LANES]; 2], [[f64::NEG_INFINITY; LANES]; 2]);
        for [x, y] in points {
            for lane in 0..LANES {
                let along = x * c[lane] + y * s[lane];
                low[0][lane] = if along < low[0][lane] { along } else { low[0][lane] };
                high[0][lane] = if along > high[0][lane] { along } else { high[0][lane] };
                let across = y * c[lane] - x * s[lane];
                low[1][lane] = if across < low[1][lane] { across } else { low[1][lane] };
                high[1][lane] = if across > high[1][lane] { across } else { high[1][lane] };
            }
        }
        let mut extents = high;
        for (extents, low) in extents.as_flattened_mut().iter_mut().zip(low.as_flattened()) {
            *extents -= low;
        }
        Self { directions: [c, s], extents }
    }
}
