//! The distance from a shape's core to a triangle, and what f64 can prove of contact.
//!
//! Based on: Gilbert, Johnson, Keerthi, "A Fast Procedure for Computing the Distance Between Complex Objects in
//! Three-Dimensional Space", 1988. Departures: of a simplex the nearest of all feasible faces at the newest point is
//! taken, instead of solving Johnson's recursion; and the result only proposes: whether the two touch follows from
//! proofs that hold however good it is. These are a plane with the shape on one side and the triangle on the other, a
//! point of each closer than the radius, or a tetrahedron of their differences that surely holds the origin.

use super::directions::offer_each;
use super::{Bounds, Corners, Shape, magnitude};
use crate::math::vector::{add, cross, dot, scale, sub};

/// The largest error of a dot product of a unit vector with differences of coordinates, relative to the largest
/// coordinate: some ten roundings of sums of three products, and what a support point may be off.
const RELATIVE_ERROR: f64 = 1.0 / (1u64 << 46) as f64;

/// The determinants of four differences have at most this error, relative to the cube of the largest coordinate.
const VOLUME_ERROR: f64 = 1.0 / (1u64 << 44) as f64;

/// The iteration ends when the square of the distance is known up to this share.
const CONVERGED: f64 = 1e-12;

/// Far more rounds than polytopes of some hundred vertices take. A round that does not come closer ends the iteration
/// anyway.
const ROUNDS: usize = 64;

/// What f64 proves of a shape and a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contact {
    Touching,
    Apart,
    Unsure,
}

/// A plane that separates a shape from a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// The unit normal, from the triangle to the shape.
    pub(crate) normal: [f64; 3],
    /// At least this much is between the two; positive.
    pub(crate) gap: f64,
}

impl Separation {
    /// A plane that surely separates the displaced shape from the triangle, if one is found.
    pub(crate) fn of<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Option<Self> {
        let error = error(shape, triangle, moved);
        let nearest = Nearest::of(shape, triangle, moved);
        Self::along(shape, triangle, moved, nearest.offset, error)
            .or_else(|| nearest.best_plane(shape, triangle, moved, error))
    }

    /// The plane across a direction, which need not be of unit length, if it surely separates.
    #[inline]
    pub(crate) fn along<T: Shape + ?Sized>(
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
        error: f64,
    ) -> Option<Self> {
        let square = dot(direction, direction);
        // Neither too short for a reciprocal nor NaN.
        if !(square > f64::MIN_POSITIVE) {
            return None;
        }
        let normal = scale(direction, 1.0 / libm::sqrt(square));
        let gap = gap(shape, triangle, moved, normal) - error;
        (gap > 0.0).then_some(Self { normal, gap })
    }
}

/// How far the displaced shape is beyond the triangle along a unit vector; negative where it is not.
#[inline]
pub(crate) fn gap<T: Shape + ?Sized>(
    shape: &T,
    triangle: &Corners,
    moved: [f64; 3],
    normal: [f64; 3],
) -> f64 {
    let first = add(shape.support(scale(normal, -1.0)), moved);
    let last = support(triangle, normal);
    dot(sub(first, last), normal) - shape.radius()
}

/// The absolute error of gaps.
pub(crate) fn error<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> f64 {
    let [lower, upper] = shape.core_bounds();
    let bounds = Bounds { lower, upper, radius: shape.radius() };
    let largest = moved.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    (bounds.magnitude() + magnitude(triangle) + largest) * RELATIVE_ERROR
}

/// What f64 proves of the displaced shape and the triangle.
pub(crate) fn classify<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Contact {
    let error = error(shape, triangle, moved);
    let nearest = Nearest::of(shape, triangle, moved);
    if nearest.contains_origin() {
        let largest = error / RELATIVE_ERROR;
        let sure = nearest.depth_of_origin() > VOLUME_ERROR * largest * largest * largest;
        return if sure { Contact::Touching } else { Contact::Unsure };
    }
    if libm::sqrt(dot(nearest.witness, nearest.witness)) + error <= shape.radius() {
        return Contact::Touching;
    }
    match Separation::along(shape, triangle, moved, nearest.offset, error) {
        Some(_) => Contact::Apart,
        None => Contact::Unsure,
    }
}

/// The corner of a triangle that is farthest along a direction.
#[inline]
fn support(triangle: &Corners, direction: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map(|corner| dot(corner, direction));
    if a >= b && a >= c {
        triangle[0]
    } else if b >= c {
        triangle[1]
    } else {
        triangle[2]
    }
}

/// The point of the difference of core and triangle that is nearest to the origin, approximately.
pub(crate) struct Nearest {
    /// From the triangle to the core. Its direction is exact to the last bits even where it is short.
    pub(crate) offset: [f64; 3],
    /// The same, as the weighted sum of differences: surely the difference of a point of each, but for rounding.
    witness: [f64; 3],
    /// The nearest point of the triangle.
    pub(crate) on_triangle: [f64; 3],
    simplex: Simplex,
}

/// Up to four differences of a point of the core and a corner of the triangle.
#[derive(Clone, Copy)]
struct Simplex {
    differences: [[f64; 3]; 4],
    corners: [[f64; 3]; 4],
    count: usize,
}

/// A face of a simplex and its point nearest to the origin.
#[derive(Clone, Copy)]
struct Face {
    slots: [usize; 3],
    weights: [f64; 3],
    count: usize,
    offset: [f64; 3],
    square: f64,
}

impl Nearest {
    pub(crate) fn of<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Self {
        let [lower, upper] = shape.core_bounds();
        let towards = sub(add(scale(add(lower, upper), 0.5), moved), triangle[0]);
        let mut simplex = Simplex { differences: [[0.0; 3]; 4], corners: [[0.0; 3]; 4], count: 0 };
        simplex.add(shape, triangle, moved, towards);
        let mut face = simplex.nearest_face();
        for round in 0.. {
            simplex.keep(&face);
            if round == ROUNDS {
                break;
            }
            simplex.add(shape, triangle, moved, face.offset);
            let newest = simplex.differences[simplex.count - 1];
            if dot(newest, face.offset) >= face.square * (1.0 - CONVERGED) || simplex.repeats_newest() {
                break;
            }
            if simplex.contains_origin() {
                let on_triangle = simplex.corners[0];
                return Self { offset: [0.0; 3], witness: [0.0; 3], on_triangle, simplex };
            }
            let closer = simplex.nearest_face();
            // Not reached but by rounding.
            if closer.square >= face.square {
                break;
            }
            face = closer;
        }
        let witness = face.weighted(&simplex.differences);
        Self { offset: face.offset, witness, on_triangle: face.weighted(&simplex.corners), simplex }
    }

    /// The distance, approximately.
    pub(crate) fn distance(&self) -> f64 {
        libm::sqrt(dot(self.offset, self.offset))
    }

    /// Whether a tetrahedron of differences holds the origin.
    pub(crate) fn contains_origin(&self) -> bool {
        self.simplex.contains_origin()
    }

    /// The least of the determinants that say so.
    fn depth_of_origin(&self) -> f64 {
        self.simplex.determinants().iter().fold(f64::INFINITY, |least, it| least.min(it.abs()))
    }

    /// The widest of the planes that surely separate: across the offset, the directions that the two name, and the faces
    /// of the last simplex. Those are exact to the last bits where the offset is mostly rounding.
    pub(crate) fn best_plane<T: Shape + ?Sized>(
        &self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        error: f64,
    ) -> Option<Separation> {
        let mut best = Separation::along(shape, triangle, moved, self.offset, error);
        let mut offer = |direction: [f64; 3]| {
            for direction in [direction, scale(direction, -1.0)] {
                let plane = Separation::along(shape, triangle, moved, direction, error);
                if let Some(plane) = plane
                    && best.is_none_or(|best| plane.gap > best.gap)
                {
                    best = Some(plane);
                }
            }
        };
        offer_each(shape, triangle, &mut offer);
        let y = &self.simplex.differences[..self.simplex.count];
        for face in [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]] {
            if face.iter().all(|slot| *slot < y.len()) {
                let [p, q, r] = face.map(|slot| y[slot]);
                offer(cross(sub(q, p), sub(r, p)));
            }
        }
        best
    }
}

impl Face {
    /// The weighted sum of the first of these vectors, which are its corners.
    fn weighted(&self, corners: &[[f64; 3]; 4]) -> [f64; 3] {
        (0..self.count).map(|slot| scale(corners[slot], self.weights[slot])).fold([0.0; 3], add)
    }
}

impl Simplex {
    /// Adds the difference that is farthest against a direction.
    #[inline]
    fn add<T: Shape + ?Sized>(
        &mut self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
    ) {
        let corner = support(triangle, direction);
        let point = add(shape.support(scale(direction, -1.0)), moved);
        let slot = self.count.min(3);
        (self.differences[slot], self.corners[slot]) = (sub(point, corner), corner);
        self.count = slot + 1;
    }

    fn repeats_newest(&self) -> bool {
        let newest = self.differences[self.count - 1];
        self.differences[..self.count - 1].contains(&newest)
    }

    /// Drops what is not of a face.
    fn keep(&mut self, face: &Face) {
        let from = *self;
        for (slot, of) in face.slots[..face.count].iter().enumerate() {
            (self.differences[slot], self.corners[slot]) = (from.differences[*of], from.corners[*of]);
        }
        self.count = face.count;
    }

    /// The nearest point of all faces that have the newest difference as a corner and their own nearest point inside.
    fn nearest_face(&self) -> Face {
        let newest = self.count - 1;
        let mut best = self.at_corner(newest);
        let mut offer = |face: Option<Face>| {
            if let Some(face) = face
                && face.square < best.square
            {
                best = face;
            }
        };
        for i in 0..newest {
            offer(self.on_edge(newest, i));
            for j in 0..i {
                offer(self.on_face(newest, i, j));
            }
        }
        best
    }

    fn at_corner(&self, slot: usize) -> Face {
        let offset = self.differences[slot];
        Face {
            slots: [slot, 0, 0],
            weights: [1.0, 0.0, 0.0],
            count: 1,
            offset,
            square: dot(offset, offset),
        }
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
        let weights = [1.0 - share, share, 0.0];
        Some(Face { slots: [i, j, 0], weights, count: 2, offset, square: dot(offset, offset) })
    }

    fn on_face(&self, i: usize, j: usize, k: usize) -> Option<Face> {
        let [a, b, c] = [i, j, k].map(|slot| self.differences[slot]);
        let normal = cross(sub(b, a), sub(c, a));
        let square = dot(normal, normal);
        let weights = [dot(normal, cross(b, c)), dot(normal, cross(c, a)), dot(normal, cross(a, b))];
        if !(square > 0.0 && weights.iter().all(|weight| *weight > 0.0)) {
            return None;
        }
        let offset = scale(normal, dot(normal, a) / square);
        let sum = weights[0] + weights[1] + weights[2];
        Some(Face {
            slots: [i, j, k],
            weights: weights.map(|weight| weight / sum),
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

    fn contains_origin(&self) -> bool {
        let determinants = self.determinants();
        self.count == 4
            && (determinants.iter().all(|it| *it > 0.0) || determinants.iter().all(|it| *it < 0.0))
    }
}
