//! All pairs of instances of a world that are near each other.

use core::ops::ControlFlow;

use super::World;
use super::against::square_between;
use super::error::WorldPairError;
use super::things::{Part, Seen, Things};
use super::two_meshes::TwoMeshes;
use super::walk::{FirstLeaves, grown};
use crate::bounds::Aabb;
use crate::pair::WarmStart;

/// Two instances that are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearInstances {
    /// The lower number.
    pub a: u32,
    /// The higher number.
    pub b: u32,
    /// Their distance in the world, as [`Model::distance`](crate::Model::distance) computes it in the space of the one of the larger
    /// scale, of equal scales that of a.
    pub distance: f64,
}

impl World<'_> {
    /// Calls `visit` with each pair of instances that are at most `margin` apart, once, in no particular order, until it
    /// returns `Break`, which is then returned. Only instances in the layers that the world sees count.
    ///
    /// Instances have distances as meshes do: surfaces, not solids. Does not allocate or panic. Cost: a walk through the tree
    /// for each instance, and the distances of those pairs whose boxes are near.
    ///
    /// # Errors
    /// [`WorldPairError`].
    pub fn near_instances(
        &self,
        margin: f64,
        mut visit: impl FnMut(NearInstances) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        if margin.is_nan() || margin < 0.0 {
            return Ok(ControlFlow::Continue(()));
        }
        for a in 0..self.instance_count() {
            let Some(part) = self.things.whole_mesh(a) else { continue };
            if self.things.near_one(&part, margin, &mut visit)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The walk.
impl Things<'_> {
    /// An instance of a mesh as a whole, if it is seen.
    fn whole_mesh(&self, instance: u32) -> Option<Part<'_>> {
        match self.whole(instance, &mut ())? {
            Seen::Mesh(part) => Some(part),
            Seen::Box(_) => None,
        }
    }

    /// Visits the pairs of an instance and those of higher numbers.
    fn near_one(
        &self,
        a: &Part<'_>,
        margin: f64,
        visit: &mut dyn FnMut(NearInstances) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        let Some(own) = self.bounds(a.instance) else { return Ok(ControlFlow::Continue(())) };
        let mut failure = None;
        let query = grown(&own, margin);
        let mut first = FirstLeaves::of(self);
        let ended = self.in_box(&query, &mut |leaf| {
            let is_new = leaf.instance > a.instance && first.has(leaf, &query);
            let Some(b) = self.whole_mesh(leaf.instance).filter(|_| is_new) else {
                return ControlFlow::Continue(());
            };
            match self.distance_of(a, &own, &b, margin) {
                Ok(Some(distance)) => visit(NearInstances { a: a.instance, b: b.instance, distance }),
                Ok(None) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        failure.map_or(Ok(ended), Err)
    }

    /// The distance of two instances, if it is at most the margin.
    fn distance_of(
        &self,
        a: &Part<'_>,
        own: &Aabb,
        b: &Part<'_>,
        margin: f64,
    ) -> Result<Option<f64>, WorldPairError> {
        let Some(other) = self.bounds(b.instance) else { return Ok(None) };
        if square_between(own, &other) > margin * margin * (1.0 + 4.0 * f64::EPSILON) {
            return Ok(None);
        }
        let meshes = TwoMeshes::new((a.model, a.similarity()), (b.model, b.similarity()));
        let meshes = meshes.map_err(|error| WorldPairError::Pose { instance: a.instance, error })?;
        let found = meshes.distance_from(margin, &mut WarmStart::default());
        let failed = |error| WorldPairError::Pair { instance: b.instance, error };
        let distance = found.map_err(failed)?.map(|found| meshes.in_world(&found).distance);
        Ok(distance.filter(|distance| *distance <= margin))
    }
}
