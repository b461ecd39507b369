//! Whether points are inside: by the distance field, where that proves it, and by winding numbers.

use crate::field::Field;
use crate::model::Model;
use crate::query::winding::Winding;

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Inside.
    In,
    /// Outside.
    Out,
    /// Exactly on the surface.
    On,
    /// The winding number is so near the limit of an [`InsideRule`] that its error decides, or it is not known.
    Unsure,
}

/// Which winding numbers are inside. Those of surfaces with holes are rounded to the nearest integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InsideRule {
    /// All but 0: whichever way triangles face.
    #[default]
    NonZero,
    /// 1 and more: parts that are inside out cut holes.
    Positive,
    /// Odd ones: what two parts share is outside.
    Odd,
}

impl InsideRule {
    pub(super) fn holds(self, winding: f64) -> bool {
        match self {
            Self::NonZero => winding != 0.0,
            Self::Positive => winding > 0.0,
            Self::Odd => winding % 2.0 != 0.0,
        }
    }
}

/// Where a point is, and whether it is in, or most likely so.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) is_in: bool,
}

impl Found {
    /// Of a place that is not unsure.
    pub(crate) const fn certain(place: Place) -> Self {
        Self { place, is_in: matches!(place, Place::In) }
    }

    /// Of a point with this winding number, or none on the surface.
    fn of_winding(winding: Option<Winding>, rule: InsideRule) -> Self {
        let Some(winding) = winding else { return Self::certain(Place::On) };
        let place = winding.place(rule);
        Self { place, is_in: place == Place::In || place == Place::Unsure && winding.is_likely_in(rule) }
    }

    /// Of a point of which the field says whether its winding number is 0, if that decides.
    #[inline(always)]
    fn of_field(is_inside: Option<bool>, rule: InsideRule) -> Option<Self> {
        match is_inside? {
            false => Some(Self::certain(Place::Out)),
            true if rule == InsideRule::NonZero => Some(Self::certain(Place::In)),
            true => None,
        }
    }
}

/// How many points the field is asked about at once, and how many that it leaves are searched at once: they are on the stack.
const RUN: usize = 64;

/// Points that the field has left undecided.
struct Undecided {
    points: [[f32; 3]; RUN],
    numbers: [usize; RUN],
    count: usize,
}

impl Model<'_> {
    /// Whether a point is inside, outside or on the surface, by its [`winding`](Self::winding) number.
    ///
    /// Exact if the surface is closed: in, out or on. Otherwise a point is inside if its winding number is nearest to one
    /// that is, by its error bound certainly, and unsure if that does not decide. A point that is not finite is outside.
    ///
    /// Cost: that of the winding number. If the surface is closed and the file has a distance field (`--field`), some 20 to 40 ns for
    /// points that are more than half a voxel from the surface, as the signed distance at a point of the lattice beside them is larger
    /// than how far that is; of points inside, with [`InsideRule::NonZero`] only. Answers are the same with and without a field, if it
    /// is correct.
    ///
    /// ```
    /// use bvhc_runtime::{InsideRule, Model, Place, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
    /// assert_eq!(model.contains([1.0, 0.5, 0.0], InsideRule::NonZero), Place::On);
    /// assert_eq!(model.contains([1.0, 0.5, 3.0], InsideRule::NonZero), Place::Out);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn contains(&self, point: impl Into<[f32; 3]>, rule: InsideRule) -> Place {
        self.found(point.into(), rule).place
    }

    /// Where each of `points` is, as [`contains`](Self::contains) says: `answers[i]` is of `points[i]`. If the slices differ
    /// in length, the rest of the longer one is ignored.
    pub fn contains_each(&self, points: &[[f32; 3]], rule: InsideRule, answers: &mut [Place]) {
        let points = &points[..points.len().min(answers.len())];
        self.found_each(
            points,
            rule,
            #[inline(always)]
            |number, found| answers[number] = found.place,
        );
    }

    /// Where a point is.
    pub(crate) fn found(&self, point: [f32; 3], rule: InsideRule) -> Found {
        let by_field = self.proven_sides().and_then(|field| Found::of_field(field.is_inside(point), rule));
        by_field.unwrap_or_else(|| Found::of_winding(self.winding(point), rule))
    }

    /// Calls `answer` with the number of each point, in any order, and where it is.
    #[inline(always)]
    pub(super) fn found_each(
        &self,
        points: &[[f32; 3]],
        rule: InsideRule,
        mut answer: impl FnMut(usize, Found),
    ) {
        let Some(field) = self.proven_sides() else {
            return self
                .windings_each(points, |number, winding| answer(number, Found::of_winding(winding, rule)));
        };
        let mut left = Undecided { points: [[0.0; 3]; RUN], numbers: [0; RUN], count: 0 };
        let mut first = 0;
        for run in points.chunks(RUN) {
            let mut sides = [None; RUN];
            field.are_inside(run, &mut sides);
            for ((number, point), side) in (first..).zip(run).zip(sides) {
                if let Some(found) = Found::of_field(side, rule) {
                    answer(number, found);
                    continue;
                }
                (left.points[left.count], left.numbers[left.count]) = (*point, number);
                left.count += 1;
                if left.count == RUN {
                    self.by_winding(&mut left, rule, &mut answer);
                }
            }
            first += run.len();
        }
        self.by_winding(&mut left, rule, &mut answer);
    }

    /// Answers for the points that the field has left.
    fn by_winding(&self, left: &mut Undecided, rule: InsideRule, answer: &mut impl FnMut(usize, Found)) {
        let points = &left.points[..left.count];
        self.windings_each(points, |place, winding| {
            answer(left.numbers[place], Found::of_winding(winding, rule))
        });
        left.count = 0;
    }

    /// The field, if its samples prove on which side of the surface a point is.
    fn proven_sides(&self) -> Option<Field<'_>> {
        self.field().filter(Field::signs_are_exact)
    }
}
