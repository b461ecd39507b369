//! The contacts of a shape with the triangles near it.

use core::cell::Cell;
use core::fmt;
use core::ops::ControlFlow;

use bvhc_format::NONE;

use super::image::{edges_of, feature_of, image, is_beside};
use super::internal::face_across;
use super::manifold::{Listed, earlier, reduce};
use super::overlap::rounded_out;
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::model::Model;
use crate::shape::first_touch::{Feature, unit_normal};
use crate::shape::near::{MOST_POINTS, Near};
use crate::shape::{Bounds, Corners, Shape};
use crate::similarity::Similarity;
use crate::walk::ROOT;
use crate::walk::probe::{Erased, Probe};
use crate::walk::region::Region;

/// Which contacts of a shape are wanted.
#[derive(Debug)]
pub struct Touches<'a, T: ?Sized> {
    pub(crate) shape: &'a T,
    pub(crate) margin: f64,
    edge_angle: Option<f64>,
}

impl<T: ?Sized> Copy for Touches<'_, T> {}

impl<T: ?Sized> Clone for Touches<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, T: Shape> Touches<'a, T> {
    /// Contacts with all triangles that are at most `margin` from the shape, in the model's units. None if the margin is
    /// negative or NaN.
    pub fn new(shape: &'a T, margin: f32) -> Self {
        Self { shape, margin: f64::from(margin), edge_angle: None }
    }

    /// The same without seams: contacts at edges and corners where the surface is hollow, flat, or bent away by at most this
    /// angle, in radians, get the normals of faces.
    ///
    /// At other edges a normal that points over the face across gets that face's normal. It takes a file with section edges
    /// (`--edges`), whose angles are known within 5e-5; of other files, normals stay as they are. Normals at corners around
    /// which the surface is bent by more, or is open, stay, too. Both sides of a surface are touched: where the surface is flat, a
    /// normal is that of the side where the shape is, by the middle of its bounds unless the normal is within 25 degrees of the
    /// face's. To touch fronts alone, leave out what has a negative product of `normal` and `face_normal`.
    pub fn without_seams(self, edge_angle: f32) -> Self {
        Self { edge_angle: Some(f64::from(edge_angle)), ..self }
    }

    pub(crate) fn erased(&self) -> Touches<'a, dyn Shape + 'a> {
        let Self { shape, margin, edge_angle } = *self;
        Touches { shape, margin, edge_angle }
    }
}

/// A point where a shape touches a triangle, or nearly does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// A point of the triangle.
    pub point: [f32; 3],
    /// The unit normal of the contact, from the triangle to the shape; zero if what is touched is too small for f64.
    pub normal: [f32; 3],
    /// The distance between shape and triangle at the point along the normal, or, if they touch, the depth with a minus: how far
    /// the shape would have to move along the normal. Not changed where [`Touches::without_seams`] changes the normal.
    pub gap: f32,
    /// Which part of the triangle is touched.
    pub feature: Feature,
    /// The unit normal of the triangle, by the right-hand rule over its corners; zero if it has no area.
    pub face_normal: [f32; 3],
    /// The triangle's number; [`Model::source_of`] tells its face and material.
    pub triangle: u32,
}

impl Contact {
    /// What a slice for contacts is filled with at first.
    pub const NONE: Self = Self {
        point: [0.0; 3],
        normal: [0.0; 3],
        gap: 0.0,
        feature: Feature::Face,
        face_normal: [0.0; 3],
        triangle: NONE,
    };

    /// With a triangle that has no number.
    pub(crate) fn of(near: &Near, corners: &Corners) -> Self {
        Self {
            point: near.point.map3(|x| x as f32),
            normal: near.normal.map3(|x| x as f32 + 0.0),
            gap: rounded(near.gap),
            feature: near.feature,
            face_normal: unit_normal(corners).map3(|x| x as f32 + 0.0),
            triangle: NONE,
        }
    }
}

/// There are more contacts than the slice has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyContacts {
    /// How many there are.
    pub needed: usize,
}

impl fmt::Display for TooManyContacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are {} contacts, more than the slice has room for", self.needed)
    }
}

impl core::error::Error for TooManyContacts {}

impl Model<'_> {
    /// Calls `visit` with each contact of a shape, in no particular order, until it returns `Break`, which is then returned.
    ///
    /// One of a triangle's contacts has a negative or no gap if and only if the shape touches it, as
    /// [`overlap`](Self::overlap) says. Where the shape faces the inside of a triangle there may be several, up to twelve,
    /// around the part that does; otherwise there is one with the nearest point. Distances are off by less than 2^-40 of the largest coordinate before
    /// they are rounded; depths are the shortest for boxes, triangles and capsules, and upper bounds for others whose cores reach
    /// through a triangle. Bit-identical on every CPU. Does not allocate or panic. Cost: about a microsecond a triangle.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use bvhc_runtime::{Ball, Model, Touches, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../../tests/golden/quad.bvh"))?;
    /// let ball = Ball::new([0.75, 0.25, 1.0], 0.875);
    /// let mut gaps = Vec::new();
    /// let _ = model.touches(&Touches::new(&ball, 0.125), |contact| {
    ///     assert_eq!(contact.normal, [0.0, 0.0, 1.0]);
    ///     gaps.push(contact.gap);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(gaps, [0.125]);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn touches<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        visit: impl FnMut(&Contact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.touches_with(touches, &mut (), visit)
    }

    /// As [`touches`](Self::touches), among the triangles that `probe` accepts.
    pub fn touches_with<T: Shape, P: Probe>(
        &self,
        touches: &Touches<'_, T>,
        probe: &mut P,
        mut visit: impl FnMut(&Contact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let touches = touches.erased();
        let Some(near) = Neighbourhood::of(&touches) else { return ControlFlow::Continue(()) };
        self.touches_below(ROOT, &Similarity::IDENTITY, &touches, &near, &mut Erased::new(probe), &mut visit)
    }

    /// Writes all contacts of a shape to a slice, ascending by gap, then point, then triangle, and returns how many there are.
    ///
    /// # Errors
    /// [`TooManyContacts`] if the slice is too short; what it holds then has no meaning.
    pub fn contacts<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        contacts: &mut [Contact],
    ) -> Result<usize, TooManyContacts> {
        list(contacts, |visit| self.touches(touches, visit))
    }

    /// The same, reduced to at most four contacts of each normal: those with which a body is held as it is with all.
    ///
    /// Contacts form a cluster if their normals are within 2.5 degrees of that of its first contact, the one with the least
    /// gap. That one stays; then the one farthest from it, the one farthest from the line through these two, and the one that is
    /// farthest outside the triangle of these three, all seen along the first one's normal. The answer does not depend on how
    /// the file was compiled. Cost: besides finding them,
    /// a few passes over them for each of the normals, some 8,000 at most.
    ///
    /// # Errors
    /// [`TooManyContacts`] if the slice is too short for all contacts, before they are reduced.
    pub fn manifold<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        contacts: &mut [Contact],
    ) -> Result<usize, TooManyContacts> {
        let count = self.contacts(touches, contacts)?;
        Ok(reduce(&mut contacts[..count]))
    }

    /// Contacts with the triangles below a child reference, of a mesh that is somewhere in the shape's space.
    pub(crate) fn touches_below(
        &self,
        child: u32,
        at: &Similarity,
        touches: &Touches<'_, dyn Shape + '_>,
        near: &Neighbourhood,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(&Contact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let own_box = at.inverse_box(&near.query_box);
        // What was found of the triangle that is reported next.
        let found: Cell<Option<(Near, Corners)>> = Cell::new(None);
        let is_near = |corners: &[[f32; 3]; 3]| {
            let contact = |exact: Corners| {
                Some((Near::of(touches.shape, &exact, touches.margin, near.tolerance)?, exact))
            };
            found
                .set((!is_beside(corners, &own_box)).then(|| image(at, corners)).flatten().and_then(contact));
            found.get().is_some()
        };
        self.overlap_below(child, &Region::of_box(own_box), &is_near, probe, &mut |overlap| {
            let Some((nearest, corners)) = found.get() else { return ControlFlow::Continue(()) };
            let record = self.sections().edges().and_then(|edges| edges.get(overlap.triangle as usize));
            let normal = match (touches.edge_angle, record) {
                (Some(limit), Some(record)) => {
                    face_across(&nearest, &corners, &edges_of(at, record), limit, near.centre)
                }
                _ => nearest.normal,
            };
            let feature = feature_of(at, nearest.feature);
            touches.spread(&nearest, &corners, |point| {
                visit(&Contact {
                    feature,
                    normal: normal.map3(|x| x as f32 + 0.0),
                    triangle: overlap.triangle,
                    ..Contact::of(point, &corners)
                })
            })
        })
    }
}

impl Touches<'_, dyn Shape + '_> {
    /// Calls `visit` with all contacts with a triangle or a rectangle, of which `near` is one.
    pub(crate) fn spread(
        &self,
        near: &Near,
        corners: &[[f64; 3]],
        mut visit: impl FnMut(&Near) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut points = [*near; MOST_POINTS];
        let count = near.spread(self.shape, corners, self.margin, &mut points);
        points[..count].iter().try_for_each(&mut visit)
    }
}

/// What may be near enough to a shape.
pub(crate) struct Neighbourhood {
    pub(crate) query_box: Aabb,
    pub(crate) tolerance: f64,
    /// Of the shape's box.
    centre: [f64; 3],
}

impl Neighbourhood {
    /// `None` if contacts are wanted of nothing.
    pub(crate) fn of(touches: &Touches<'_, dyn Shape + '_>) -> Option<Self> {
        let mut bounds = Bounds::of(touches.shape).filter(|_| touches.margin >= 0.0)?;
        let tolerance = bounds.magnitude() * OF_COORDINATES;
        bounds.radius += touches.margin + tolerance;
        Some(Self { query_box: rounded_out(&bounds), tolerance, centre: bounds.centre() })
    }
}

/// Writes what is visited to a slice, in order, and returns how much it is.
pub(crate) fn list<C: Listed>(
    contacts: &mut [C],
    visit_each: impl FnOnce(&mut dyn FnMut(&C) -> ControlFlow<()>) -> ControlFlow<()>,
) -> Result<usize, TooManyContacts> {
    let mut needed = 0;
    let _ = visit_each(&mut |contact| {
        if let Some(slot) = contacts.get_mut(needed) {
            *slot = *contact;
        }
        needed += 1;
        ControlFlow::Continue(())
    });
    let found = contacts.get_mut(..needed).ok_or(TooManyContacts { needed })?;
    found.sort_unstable_by(earlier);
    Ok(needed)
}

/// A gap as f32, which is not rounded to zero.
fn rounded(gap: f64) -> f32 {
    if gap > 0.0 { (gap as f32).max(f32::MIN_POSITIVE) } else { gap as f32 + 0.0 }
}

/// Ways out of triangles are compared up to this share of the largest coordinate.
const OF_COORDINATES: f64 = 1.0 / (1u64 << 42) as f64;
