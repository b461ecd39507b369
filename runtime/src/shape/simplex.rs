//! Points of a core seen from points of a triangle, and simplices of them: which part of one is nearest to the origin, and
//! whether it holds it.

use super::{Corners, Shape};
use crate::math::vector::{Map3, add, cross, dot, scale, sub};

/// The determinants of exact differences have at most this error, relative to the cube of the largest of these.
const VOLUME_ERROR: f64 = 1.0 / (1u64 << 48) as f64;

pub(super) fn length(vector: [f64; 3]) -> f64 {
    libm::sqrt(dot(vector, vector))
}

/// The corner of a triangle that is farthest along a direction.
#[inline]
pub(super) fn support(triangle: &Corners, direction: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map3(|corner| dot(corner, direction));
    if a >= b && a >= c {
        triangle[0]
    } else if b >= c {
        triangle[1]
    } else {
        triangle[2]
    }
}

/// A point of the displaced core, seen from a corner of the triangle.
#[derive(Clone, Copy)]
pub(super) struct Difference {
    pub(super) offset: [f64; 3],
    /// The corner.
    pub(super) of: [f64; 3],
}

/// The difference that is farthest against a direction.
#[inline]
pub(super) fn farthest_against<T: Shape + ?Sized>(
    shape: &T,
    triangle: &Corners,
    moved: [f64; 3],
    direction: [f64; 3],
) -> Difference {
    let of = support(triangle, direction);
    let point = add(shape.support(scale(direction, -1.0)), moved);
    Difference { offset: sub(point, of), of }
}

/// Up to four differences of a point of the core and a corner of the triangle.
#[derive(Clone, Copy)]
pub(crate) struct Simplex {
    pub(super) differences: [[f64; 3]; 4],
    pub(super) corners: [[f64; 3]; 4],
    pub(super) count: usize,
}

/// A face of a simplex and its point nearest to the origin.
#[derive(Clone, Copy)]
pub(super) struct Face {
    slots: [usize; 3],
    weights: [f64; 3],
    count: usize,
    pub(super) offset: [f64; 3],
    pub(super) square: f64,
}

/// The nearer of two faces, the first if they are as near.
fn nearer(best: Option<Face>, face: Face) -> Option<Face> {
    best.filter(|best| best.square <= face.square).or(Some(face))
}

impl Face {
    /// The weighted sum of the first of these vectors, which are its corners.
    pub(super) fn weighted(&self, corners: &[[f64; 3]; 4]) -> [f64; 3] {
        (0..self.count).map(|slot| scale(corners[slot], self.weights[slot])).fold([0.0; 3], add)
    }
}

impl Simplex {
    /// Adds the difference that is farthest against a direction.
    #[inline]
    pub(super) fn add<T: Shape + ?Sized>(
        &mut self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
    ) {
        let slot = self.count.min(3);
        let Difference { offset, of } = farthest_against(shape, triangle, moved, direction);
        (self.differences[slot], self.corners[slot]) = (offset, of);
        self.count = slot + 1;
    }

    /// The points of the shape, approximately, and the corners of the triangle that these are differences of.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ([f64; 3], [f64; 3])> {
        let pairs = self.differences.iter().zip(&self.corners).take(self.count);
        pairs.map(|(difference, corner)| (add(*difference, *corner), *corner))
    }

    pub(super) fn repeats_newest(&self) -> bool {
        let newest = self.differences[self.count - 1];
        self.differences[..self.count - 1].contains(&newest)
    }

    /// With one difference, near the origin if the shape is.
    pub(super) fn towards<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Self {
        let [lower, upper] = shape.core_bounds();
        let towards = sub(add(scale(add(lower, upper), 0.5), moved), triangle[0]);
        Self::along(shape, triangle, moved, towards)
    }

    /// With the difference that is farthest against a direction.
    pub(super) fn along<T: Shape + ?Sized>(
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
    ) -> Self {
        let mut simplex = Self { differences: [[0.0; 3]; 4], corners: [[0.0; 3]; 4], count: 0 };
        simplex.add(shape, triangle, moved, direction);
        simplex
    }

    /// Drops what is not of a face.
    #[inline]
    pub(super) fn keep(&mut self, face: &Face) {
        let [i, j, k] = face.slots;
        for list in [&mut self.differences, &mut self.corners] {
            let [p, q, r] = [list[i], list[j], list[k]];
            [list[0], list[1], list[2]] = [p, q, r];
        }
        self.count = face.count;
    }

    /// The nearest point of all faces that have their own nearest point inside and have the newest difference as a corner,
    /// or one of as many `others` before it.
    pub(super) fn nearest_face(&self, others: usize) -> Face {
        let newest = self.count - 1;
        let mut best = self.nearest_face_at(newest);
        for of in newest - others..newest {
            let other = self.nearest_face_at(of);
            if other.square < best.square {
                best = other;
            }
        }
        best
    }

    /// The same of faces with this corner and others before it. Edges and corners of a face with its nearest point inside are
    /// farther away.
    fn nearest_face_at(&self, of: usize) -> Face {
        let mut best = None;
        let mut done = [false; 3];
        for i in 1..of.min(3) {
            for j in 0..i {
                if let Some(face) = self.on_face(of, i, j) {
                    (done[i], done[j]) = (true, true);
                    best = nearer(best, face);
                }
            }
        }
        for (i, done) in done.into_iter().enumerate().take(of) {
            if !done && let Some(edge) = self.on_edge(of, i) {
                best = nearer(best, edge);
            }
        }
        best.unwrap_or_else(|| self.at_corner(of))
    }

    fn at_corner(&self, slot: usize) -> Face {
        let offset = self.differences[slot];
        Face { slots: [slot, 0, 0], weights: [1.0, 0.0, 0.0], count: 1, offset, square: dot(offset, offset) }
    }

    fn on_edge(&self, i: usize, j: usize) -> Option<Face> {
        let (a, edge) = (self.differences[i], sub(self.differences[j], self.differences[i]));
        let (along, square) = (-dot(a, edge), dot(edge, edge));
        let share = along / square;
        // False where the edge has no length, too.
        if !(share > 0.0 && share < 1.0) {
            return None;
        }
        let offset = add(a, scale(edge, share));
        // Once more: along a long edge, the first time leaves a rounding error of its length.
        let offset = sub(offset, scale(edge, dot(offset, edge) / square));
        let weights = [1.0 - share, share, 0.0];
        Some(Face { slots: [i, j, 0], weights, count: 2, offset, square: dot(offset, offset) })
    }

    fn on_face(&self, i: usize, j: usize, k: usize) -> Option<Face> {
        let [a, b, c] = [i, j, k].map3(|slot| self.differences[slot]);
        let normal = cross(sub(b, a), sub(c, a));
        let square = dot(normal, normal);
        // With that of the first corner these are the square in all.
        let (second, third) = (dot(normal, cross(c, a)), dot(normal, cross(a, b)));
        if !(second > 0.0 && third > 0.0 && second + third < square) {
            return None;
        }
        let offset = scale(normal, dot(normal, a) / square);
        let (second, third) = (second / square, third / square);
        Some(Face {
            slots: [i, j, k],
            weights: [1.0 - second - third, second, third],
            count: 3,
            offset,
            square: dot(offset, offset),
        })
    }

    /// Six times the volumes that the origin makes with the faces; all have the same sign if it is inside.
    fn determinants(&self) -> [f64; 4] {
        let [a, b, c, d] = self.differences;
        let volume = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| dot(p, cross(q, r));
        [volume(b, c, d), -volume(a, c, d), volume(a, b, d), -volume(a, b, c)]
    }

    /// The point of the triangle that is at the origin, inside this tetrahedron; or the nearest point of a face, if that is nearer to it,
    /// as the origin may be inside by rounding only.
    pub(super) fn at_origin(&self, face: &Face) -> [f64; 3] {
        let volumes = self.determinants();
        let sum = volumes.iter().sum::<f64>();
        let weighted = |points: &[[f64; 3]; 4]| {
            volumes
                .iter()
                .zip(points)
                .fold([0.0; 3], |point, (volume, it)| add(point, scale(*it, volume / sum)))
        };
        let (off, off_of_face) = (weighted(&self.differences), face.weighted(&self.differences));
        // False of NaN.
        let is_nearer = dot(off, off) <= dot(off_of_face, off_of_face);
        if is_nearer { weighted(&self.corners) } else { face.weighted(&self.corners) }
    }

    /// A tetrahedron of differences; of which corners of the triangle is not said.
    pub(super) fn tetrahedron(differences: [[f64; 3]; 4]) -> Self {
        Self { differences, corners: [[0.0; 3]; 4], count: 4 }
    }

    /// Whether four differences hold the origin, even if each is off by `error`.
    pub(super) fn surely_contains_origin(&self, error: f64) -> bool {
        if !self.contains_origin() {
            return false;
        }
        let least = self.determinants().iter().fold(f64::INFINITY, |least, it| least.min(it.abs()));
        let largest = self.differences.iter().fold(0.0f64, |most, it| most.max(length(*it)));
        least > (VOLUME_ERROR * largest + 8.0 * error) * largest * largest
    }

    pub(super) fn contains_origin(&self) -> bool {
        if self.count < 4 {
            return false;
        }
        let determinants = self.determinants();
        determinants.iter().all(|it| *it > 0.0) || determinants.iter().all(|it| *it < 0.0)
    }
}
