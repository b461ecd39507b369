//! The triangles of a world that a shape touches.

use core::ops::ControlFlow;

use super::solid;
use crate::query::Placed;
use crate::shape::Shape;
use crate::world::filter::{WorldFilter, with_probe};
use crate::world::overlap::WorldOverlap;
use crate::world::things::{Seen, Things};
use crate::world::{World, solid_box};

/// Overlaps of shapes. A shape is asked in the world's space, as it is given. Corners of triangles are transformed into the world in
/// f64, by [`Similarity::apply`](crate::Similarity::apply), which moves them by less than 2^-48 of the largest coordinate or part
/// of the position; from there on answers are as exact as a model's. (Coordinates below 2^-240 are taken as 0.) The same is
/// true of contacts and casts.
impl World<'_> {
    /// Whether the shape touches an instance, as [`Model::overlaps`](crate::Model::overlaps).
    ///
    /// ```
    /// use bvhc_runtime::{Ball, World, include_aligned};
    ///
    /// let mut meshes = [None; 2];
    /// let world = World::from_bytes(include_aligned!("../../../../tests/golden/world.bvh"), &mut meshes)?;
    /// assert!(world.overlaps(&Ball::new([10.5, 0.25, 1.0], 1.0)));
    /// assert!(!world.overlaps(&Ball::new([10.5, 0.25, 1.0], 0.99)));
    /// # Ok::<(), bvhc_runtime::WorldError>(())
    /// ```
    pub fn overlaps(&self, shape: &impl Shape) -> bool {
        self.overlaps_with(shape, &mut ())
    }

    /// As [`overlaps`](Self::overlaps), among what `filter` accepts.
    pub fn overlaps_with(&self, shape: &impl Shape, filter: &mut dyn WorldFilter) -> bool {
        self.overlap_with(shape, filter, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `visit` once with every triangle that shares a point with the shape, in no particular order, until it returns `Break`,
    /// which is then returned, as [`Model::overlap`](crate::Model::overlap). Does not allocate or panic.
    pub fn overlap(
        &self,
        shape: &impl Shape,
        visit: impl FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_with(shape, &mut (), visit)
    }

    /// As [`overlap`](Self::overlap), among what `filter` accepts.
    pub fn overlap_with(
        &self,
        shape: &impl Shape,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.things.overlap(shape, filter, &mut visit)
    }
}

/// The walk.
impl Things<'_> {
    pub(in crate::world) fn overlap(
        &self,
        shape: &dyn Shape,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(WorldOverlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(placed) = Placed::of(shape) else { return ControlFlow::Continue(()) };
        self.in_box(&placed.query_box(), &mut |leaf| {
            let instance = leaf.instance;
            match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => with_probe(filter, instance, |probe| {
                    let mut report = |overlap| visit(WorldOverlap { instance, overlap });
                    let at = &part.similarity();
                    part.model.overlap_shape_below(part.child, at, &placed, probe, &mut report)
                }),
                Some(Seen::Box(bounds)) if solid::touches(&bounds, shape) => {
                    visit(WorldOverlap { instance, overlap: solid_box::OVERLAP })
                }
                _ => ControlFlow::Continue(()),
            }
        })
    }
}
