//! The distance from a shape's core to a triangle, and what f64 can prove of contact.
//!
//! Based on: Gilbert, Johnson, Keerthi, "A Fast Procedure for Computing the Distance Between Complex Objects in
//! Three-Dimensional Space", 1988. Departures: of a simplex the nearest of all feasible faces at the newest point is
//! taken, instead of solving Johnson's recursion; and the result only proposes: whether the two touch follows from
//! proofs that hold however good it is. These are a plane with the shape on one side and the triangle on the other, a
//! point of each closer than the radius, or a tetrahedron of their differences that surely holds the origin.

use super::directions::offer_each;
use super::simplex::{Face, Simplex, length, support};
use super::{Bounds, Corners, Shape, magnitude};
use crate::math::larger;
use crate::math::vector::{Map3, add, cross, dot, scale, sub};

/// The largest error of a dot product of a unit vector with differences of coordinates, relative to the largest
/// coordinate: some ten roundings of sums of three products, and what a support point may be off.
const RELATIVE_ERROR: f64 = 1.0 / (1u64 << 46) as f64;

/// Offsets of this many errors have directions that are known to nine digits.
const LONG: f64 = (1u64 << 30) as f64;

/// Far more rounds than polytopes of some hundred vertices take. Some rounds that do not come closer end the iteration anyway.
const ROUNDS: usize = 64;

/// So many rounds in succession may come no closer than by rounding, which changes squares by this share.
const LEVEL_ROUNDS: u32 = 3;
const SAME_SQUARE: f64 = 4.0 * f64::EPSILON;

/// What f64 proves of a shape and a triangle.
#[derive(Clone, Copy)]
pub(crate) enum Contact {
    Touching,
    Apart,
    /// Nothing; the differences that were nearest to the origin.
    Unsure(Simplex),
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
        // Too short for a reciprocal.
        if square.is_nan() || square <= f64::MIN_POSITIVE {
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
    error_of(&Bounds { lower, upper, radius: shape.radius() }, triangle, moved)
}

/// The same of a shape with these bounds.
#[inline]
pub(crate) fn error_of(bounds: &Bounds, triangle: &Corners, moved: [f64; 3]) -> f64 {
    let largest = moved.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    (bounds.magnitude() + magnitude(triangle) + largest) * RELATIVE_ERROR
}

/// What f64 proves of the displaced shape and the triangle.
pub(crate) fn classify<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Contact {
    let goal = Goal::proof(shape, triangle, moved);
    Nearest::with(shape, triangle, moved, &goal).classify(shape, triangle, moved)
}

/// When an iteration ends.
struct Goal {
    /// The square of the distance is known up to this share.
    converged: f64,
    /// Or a plane is this far from the triangle, with the core behind it.
    beyond: f64,
    /// Or a point of the core is this near to the triangle.
    within: f64,
}

impl Goal {
    /// The distance is known to twelve digits.
    const DISTANCE: Self = Self { converged: 1e-12, beyond: f64::INFINITY, within: 0.0 };

    /// To six digits, where any separating plane will do.
    const GOOD_ENOUGH: Self = Self { converged: 1e-6, ..Self::DISTANCE };

    /// For steps towards a triangle. Six digits of the core's distance are none of what is between a rounded shape and the
    /// triangle.
    fn of_steps<T: Shape + ?Sized>(shape: &T) -> &'static Self {
        if shape.radius() > 0.0 { &Self::DISTANCE } else { &Self::GOOD_ENOUGH }
    }

    /// What proves that the two touch, or that they do not.
    fn proof<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Self {
        let (radius, slack) = (shape.radius(), 2.0 * error(shape, triangle, moved));
        Self { beyond: radius + slack, within: radius - slack, ..Self::DISTANCE }
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

impl Nearest {
    /// With the distance known.
    pub(crate) fn of<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Self {
        Self::with(shape, triangle, moved, &Goal::DISTANCE)
    }

    /// As [`of`](Self::of), where the direction of the offset is about known.
    pub(crate) fn about<T: Shape + ?Sized>(
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
    ) -> Self {
        let simplex = Simplex::along(shape, triangle, moved, direction);
        Self::from(shape, triangle, moved, &Goal::DISTANCE, simplex)
    }

    /// With the distance known well enough for the next step.
    pub(crate) fn for_steps<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3]) -> Self {
        Self::with(shape, triangle, moved, Goal::of_steps(shape))
    }

    fn with<T: Shape + ?Sized>(shape: &T, triangle: &Corners, moved: [f64; 3], goal: &Goal) -> Self {
        Self::from(shape, triangle, moved, goal, Simplex::towards(shape, triangle, moved))
    }

    /// From a simplex of one difference.
    fn from<T: Shape + ?Sized>(
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        goal: &Goal,
        simplex: Simplex,
    ) -> Self {
        let face = simplex.nearest_face(0);
        Self::iterate(shape, triangle, moved, goal, simplex, face)
    }

    /// For a shape that has moved on, by as much as this difference, from where `self` was found. The distance is known well
    /// enough for the next step.
    pub(crate) fn moved_on<T: Shape + ?Sized>(
        &self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        by: [f64; 3],
    ) -> Self {
        self.moved_with(shape, triangle, moved, by, Goal::of_steps(shape))
    }

    /// What f64 proves of a shape that has moved on.
    pub(crate) fn classify_moved_on<T: Shape + ?Sized>(
        &self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        by: [f64; 3],
    ) -> Contact {
        let goal = Goal::proof(shape, triangle, moved);
        self.moved_with(shape, triangle, moved, by, &goal).classify(shape, triangle, moved)
    }

    fn moved_with<T: Shape + ?Sized>(
        &self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        by: [f64; 3],
        goal: &Goal,
    ) -> Self {
        let mut simplex = self.simplex;
        simplex.count = simplex.count.min(3);
        for difference in &mut simplex.differences {
            *difference = add(*difference, by);
        }
        let face = simplex.nearest_face(simplex.count - 1);
        simplex.keep(&face);
        Self::iterate(shape, triangle, moved, goal, simplex, face)
    }

    /// From a simplex that is a face and its nearest point.
    fn iterate<T: Shape + ?Sized>(
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        goal: &Goal,
        mut simplex: Simplex,
        mut face: Face,
    ) -> Self {
        let mut level = 0;
        for _ in 0..ROUNDS {
            simplex.add(shape, triangle, moved, face.offset);
            let along = dot(simplex.differences[simplex.count - 1], face.offset);
            if along >= face.square * (1.0 - goal.converged)
                || along > 0.0 && along * along > goal.beyond * goal.beyond * face.square
                || goal.within > 0.0 && face.square < goal.within * goal.within
                || simplex.repeats_newest()
            {
                break;
            }
            if simplex.contains_origin() {
                let on_triangle = simplex.at_origin(&face);
                return Self { offset: [0.0; 3], witness: [0.0; 3], on_triangle, simplex };
            }
            let closer = simplex.nearest_face(0);
            // Squares may be the same, but for rounding, of offsets that differ by the root of it.
            level = if closer.square < face.square { 0 } else { level + 1 };
            if level > LEVEL_ROUNDS || closer.square > face.square * (1.0 + SAME_SQUARE) {
                break;
            }
            face = closer;
            simplex.keep(&face);
        }
        let witness = face.weighted(&simplex.differences);
        Self { offset: face.offset, witness, on_triangle: face.weighted(&simplex.corners), simplex }
    }

    /// As far as it takes to find a plane with more than this gap, positive, between the two, or none. First one across a
    /// direction is looked at, which is not zero.
    pub(crate) fn beyond<T: Shape + ?Sized>(
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
        gap: f64,
        direction: [f64; 3],
    ) -> Self {
        let needed = gap + shape.radius();
        let goal = Goal { beyond: needed, within: needed, ..Goal::DISTANCE };
        Self::from(shape, triangle, moved, &goal, Simplex::along(shape, triangle, moved, direction))
    }

    /// What is proven of the two.
    pub(crate) fn classify<T: Shape + ?Sized>(
        &self,
        shape: &T,
        triangle: &Corners,
        moved: [f64; 3],
    ) -> Contact {
        let error = error(shape, triangle, moved);
        if self.contains_origin() {
            let is_sure = self.simplex.surely_contains_origin(error);
            return if is_sure { Contact::Touching } else { Contact::Unsure(self.simplex) };
        }
        if length(self.witness) + error <= shape.radius() {
            return Contact::Touching;
        }
        match Separation::along(shape, triangle, moved, self.offset, error) {
            Some(_) => Contact::Apart,
            None => Contact::Unsure(self.simplex),
        }
    }

    /// The distance, approximately.
    pub(crate) fn distance(&self) -> f64 {
        length(self.offset)
    }

    /// The two are surely no farther apart, but for rounding.
    pub(crate) fn most(&self) -> f64 {
        larger(self.distance(), length(self.witness))
    }

    /// Whether a tetrahedron of differences holds the origin.
    pub(crate) fn contains_origin(&self) -> bool {
        self.simplex.contains_origin()
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
        // Far beyond rounding, no direction is better than that of the distance.
        if best.is_some() && self.distance() > LONG * error {
            return best;
        }
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
                let [p, q, r] = face.map3(|slot| y[slot]);
                offer(cross(sub(q, p), sub(r, p)));
            }
        }
        best
    }
}
