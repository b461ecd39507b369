//! All triangles of a world that touch a box or a sphere.

use core::ops::ControlFlow;

use super::filter::{WorldFilter, with_probe};
use super::things::{Seen, Things};
use super::walk::BOX_MARGIN;
use super::{World, solid_box};
use crate::bounds::Aabb;
use crate::math::vector::{Map3, dot};
use crate::query::Overlap;
use crate::triangle::touch_box;
use crate::walk::region::{BEYOND_MODELS, Region};

/// A triangle of an instance that an overlap query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldOverlap {
    /// The instance.
    pub instance: u32,
    /// The triangle, with its corners in the mesh's space; [`Similarity::apply`](crate::Similarity::apply) takes them into
    /// the world.
    pub overlap: Overlap,
}

impl World<'_> {
    /// Calls `visit` once with every triangle that shares a point with the closed box, in no particular order, until it
    /// returns `Break`, which is then returned.
    ///
    /// Corners are transformed into the world in f64, by [`Similarity::apply`](crate::Similarity::apply); from there on the
    /// answer is exact, and touching counts. (Coordinates below 2^-300 are taken as 0.) An empty box touches nothing; its
    /// bounds may be infinite. Does not allocate or panic.
    pub fn overlap_box(
        &self,
        query_box: &Aabb,
        visit: impl FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_box_with(query_box, &mut (), visit)
    }

    /// As [`overlap_box`](Self::overlap_box), among what `filter` accepts.
    pub fn overlap_box_with(
        &self,
        query_box: &Aabb,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.things.overlap_box(query_box, filter, &mut visit)
    }

    /// Calls `visit` once with every triangle within `radius` of `centre`, in no particular order, until it returns `Break`,
    /// which is then returned.
    ///
    /// The sphere is transformed into the space of each instance that it may touch: its centre in f64, its radius divided by
    /// the scale, both rounded once. There the answer is exact, and touching counts. Spheres are empty as of
    /// [`Model::overlap_sphere`](crate::Model::overlap_sphere). Does not allocate or panic.
    pub fn overlap_sphere(
        &self,
        centre: impl Into<[f32; 3]>,
        radius: f32,
        visit: impl FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_sphere_with(centre, radius, &mut (), visit)
    }

    /// As [`overlap_sphere`](Self::overlap_sphere), among what `filter` accepts.
    pub fn overlap_sphere_with(
        &self,
        centre: impl Into<[f32; 3]>,
        radius: f32,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.things.overlap_sphere(centre.into(), radius, filter, &mut visit)
    }
}

/// The walks.
impl Things<'_> {
    pub(super) fn overlap_box(
        &self,
        query_box: &Aabb,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if query_box.is_empty() {
            return ControlFlow::Continue(());
        }
        // No instance extends beyond this, so the answer is the same.
        let within = |x: f32| x.clamp(-BEYOND_MODELS, BEYOND_MODELS);
        let query = Aabb { min: query_box.min.map3(within), max: query_box.max.map3(within) };
        let (lower, upper) = (query.min.map3(f64::from), query.max.map3(f64::from));
        self.in_box(&query, &mut |leaf| {
            let part = match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => part,
                Some(Seen::Box(bounds)) if solid_box::touches_box(&bounds, &query) => {
                    return visit(WorldOverlap { instance: leaf.instance, overlap: solid_box::OVERLAP });
                }
                _ => return ControlFlow::Continue(()),
            };
            let similarity = &part.similarity();
            let in_mesh = |corners: &[[f32; 3]; 3]| touch_box::touches(corners, query.min, query.max);
            let in_world = |corners: &[[f32; 3]; 3]| {
                touch_box::touches_exactly(&similarity.corners(corners), &lower, &upper)
            };
            let touches: &dyn Fn(&[[f32; 3]; 3]) -> bool =
                if similarity.is_identity() { &in_mesh } else { &in_world };
            let local = similarity.inverse_box(&query);
            with_probe(filter, part.instance, |probe| {
                part.model.overlap_below(part.child, &Region::of_box(local), touches, probe, &mut |overlap| {
                    visit(WorldOverlap { instance: part.instance, overlap })
                })
            })
        })
    }

    pub(super) fn overlap_sphere(
        &self,
        centre: [f32; 3],
        radius: f32,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_empty = radius.is_nan() || radius < 0.0;
        if is_empty || !centre.iter().all(|x| x.is_finite()) {
            return ControlFlow::Continue(());
        }
        let query = around(centre, radius);
        self.in_box(&query, &mut |leaf| {
            let part = match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => part,
                Some(Seen::Box(bounds)) if solid_box::touches_ball(&bounds, centre, radius) => {
                    return visit(WorldOverlap { instance: leaf.instance, overlap: solid_box::OVERLAP });
                }
                _ => return ControlFlow::Continue(()),
            };
            let local = part.similarity().inverse_apply(centre.map3(f64::from));
            let reach = f64::from(radius) / part.similarity().scale();
            // A sphere that f32 does not hold has the whole mesh, which is a point beside it, or nothing of it.
            if reach > f64::from(f32::MAX) && dot(local, local) > reach * reach {
                return ControlFlow::Continue(());
            }
            // Beyond f32 is as far away as its largest number.
            let in_f32 = |x: f64| (x as f32).clamp(-f32::MAX, f32::MAX);
            let (local, radius) = (local.map3(in_f32), reach as f32);
            with_probe(filter, part.instance, |probe| {
                part.model.overlap_sphere_below(part.child, local, radius, probe, &mut |overlap| {
                    visit(WorldOverlap { instance: part.instance, overlap })
                })
            })
        })
    }
}

/// A box around everything that a transformed sphere may touch.
pub(super) fn around(centre: [f32; 3], radius: f32) -> Aabb {
    let farthest = centre.iter().fold(radius, |most, x| most.max(x.abs()));
    let reach = radius + farthest * BOX_MARGIN;
    Aabb { min: centre.map3(|x| (x - reach).next_down()), max: centre.map3(|x| (x + reach).next_up()) }
}
