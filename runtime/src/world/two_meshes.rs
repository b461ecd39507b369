//! Two meshes, each at a place of its own in the world, that are asked about each other.

use crate::model::Model;
use crate::pair::{Against, Distance, Pair, PairError, ScaledPose, WarmStart};
use crate::pose::{Pose, PoseError};
use crate::similarity::Similarity;

/// A mesh and where it is in the world.
pub(super) type PlacedMesh<'w> = (&'w Model<'w>, Similarity);

/// Two meshes, A and B. The one of the larger scale, of equal scales A, stays as it is; the other one is asked about in its space,
/// where it is no larger than itself: so the bounds of errors for rigid poses hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwoMeshes<'w> {
    /// The mesh that stays as it is, and the other one.
    models: [&'w Model<'w>; 2],
    /// Where the first one is in the world.
    outer: Similarity,
    /// Whether the first one is B.
    is_swapped: bool,
    placed: Placed,
}

/// Where the second mesh is in the space of the first one.
#[derive(Clone, Copy, Debug)]
enum Placed {
    Rigid(Pose),
    Scaled(ScaledPose),
}

impl Placed {
    /// Where what has the similarity `inner` is in the space of what has `outer`, whose scale is no smaller.
    fn of(outer: &Similarity, inner: &Similarity) -> Result<Self, PoseError> {
        // A record that is no rotation, which only a corrupt file has, is an error here and in the composition.
        if outer.is_identity() && inner.is_rigid() {
            Pose::from_rows(inner.pose().rotation(), inner.pose().translation())?;
            return Ok(Self::Rigid(*inner.pose()));
        }
        let own = Pose::from_rows(outer.pose().rotation(), outer.pose().translation())?;
        let relative = inner.pose().relative_to(&own)?;
        let (mut rotation, mut translation) = (relative.rotation(), relative.translation());
        translation = translation.map(|x| x / outer.scale());
        // x_outer = M R (M' x), with the mirrors M and M'. Of both, what remains is a rotation; of one, a rotation R' and a
        // mirror before it: M R = (M R M) M.
        if outer.mirrors() {
            translation[0] = -translation[0];
            let [[_, xy, xz], [yx, ..], [zx, ..]] = &mut rotation;
            for number in [xy, xz, yx, zx] {
                *number = -*number;
            }
        }
        // Only the translation may be too large; the rotation is one up to signs.
        let pose = Pose::of_parts(rotation, Pose::from_translation(translation)?.translation());
        let (scale, mirrors) = (inner.scale() / outer.scale(), outer.mirrors() != inner.mirrors());
        if scale == 1.0 && !mirrors {
            return Ok(Self::Rigid(pose));
        }
        Ok(Self::Scaled(ScaledPose::new(&pose, scale, mirrors)))
    }
}

impl<'w> TwoMeshes<'w> {
    /// # Errors
    /// If one mesh, seen from the other one's space, is beyond where poses may be.
    pub(super) fn new(a: PlacedMesh<'w>, b: PlacedMesh<'w>) -> Result<Self, PoseError> {
        let is_swapped = a.1.scale() < b.1.scale();
        let [(outer_model, outer), (inner_model, inner)] = if is_swapped { [b, a] } else { [a, b] };
        let placed = Placed::of(&outer, &inner)?;
        Ok(Self { models: [outer_model, inner_model], outer, is_swapped, placed })
    }

    /// The query, in the space of the mesh that stays as it is.
    pub(super) fn ask(&self) -> Against<'_> {
        let [outer, inner] = self.models;
        match &self.placed {
            Placed::Rigid(pose) => outer.against(inner, pose),
            Placed::Scaled(pose) => outer.against_scaled(inner, pose),
        }
    }

    /// How far A and B are apart in that space, up to a limit in the world's units, starting from the nearest triangles of A and B
    /// that were found last; stores those found now. [`in_world`](Self::in_world) makes the answer one of A and B in the world.
    pub(super) fn distance_from(
        &self,
        limit: f64,
        start: &mut WarmStart,
    ) -> Result<Option<Distance>, PairError> {
        let placed = |start: WarmStart| if self.is_swapped { start.swapped() } else { start };
        let mut own = placed(*start);
        let found = self.ask().limit(self.own_limit(limit)).warm_start(&mut own).distance();
        *start = placed(own);
        found
    }

    /// A pair that the query found, of A and B.
    pub(super) fn pair(&self, Pair { a, b }: Pair) -> Pair {
        if self.is_swapped { Pair { a: b, b: a } } else { Pair { a, b } }
    }

    /// A limit of the world in that space: at least what [`in_world`](Self::in_world) has at the limit.
    fn own_limit(&self, limit: f64) -> f64 {
        let scale = self.outer.scale();
        // Rounded up by more than the division here and the product there may round.
        if scale == 1.0 { limit } else { limit / scale * (1.0 + 4.0 * f64::EPSILON) }
    }

    /// A distance that the query found, of A and B in the world.
    pub(super) fn in_world(&self, found: &Distance) -> Distance {
        let distance = self.outer.scale() * found.distance;
        let (on_a, on_b) = (self.outer.apply(found.on_a), self.outer.apply(found.on_b));
        let direction = self.outer.direction(found.direction);
        if self.is_swapped {
            let direction = direction.map(|x| 0.0 - x);
            return Distance { distance, on_a: on_b, on_b: on_a, direction, a: found.b, b: found.a };
        }
        Distance { distance, on_a, on_b, direction, a: found.a, b: found.b }
    }
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;
    use crate::World;

    /// Where the larger scale is B's, B stays as it is, and what is kept is still of A, then of B.
    #[test]
    fn starts_are_of_a_and_b() {
        let mut meshes = [None; 2];
        let world =
            World::from_bytes(crate::include_aligned!("../../../tests/golden/world.bvh"), &mut meshes);
        let world = world.expect("it opens");
        let [a, b] = [0, 1].map(|mesh| world.mesh(mesh).expect("it has two"));
        let at = |position: [f64; 3], scale| {
            Similarity::new(Pose::from_translation(position).expect("near"), scale, false).expect("a scale")
        };
        let mut differing = 0;
        for (scales, swaps) in [([1.0, 1.0], false), ([2.0, 1.0], false), ([1.0, 2.0], true)] {
            for direction in 0..6 {
                let far = if direction % 2 == 0 { 5e3 } else { -5e3 };
                let position = [0, 1, 2].map(|axis| if axis == direction / 2 { far } else { 0.0 });
                let meshes = TwoMeshes::new((a, at([0.0; 3], scales[0])), (b, at(position, scales[1])));
                let meshes = meshes.expect("near");
                assert_eq!(meshes.is_swapped, swaps);
                let (mut kept, mut own) = (WarmStart::default(), WarmStart::default());
                meshes.distance_from(f64::INFINITY, &mut kept).expect("no limit").expect("it has triangles");
                meshes.ask().warm_start(&mut own).distance().expect("no limit").expect("it has triangles");
                let expected = if swaps { own.swapped() } else { own };
                assert_eq!(format!("{kept:?}"), format!("{expected:?}"));
                differing += usize::from(swaps && format!("{kept:?}") != format!("{own:?}"));
            }
        }
        assert!(differing > 0);
    }
}
