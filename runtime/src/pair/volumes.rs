//! What walks ask of bounding volumes. Volumes prune, and are conservative under rounding.

use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{SimdBase, SimdFloat};

use super::lanes::lanes;
use super::relative_pose::RelativePose;
use super::sets::PAIRS;
#[cfg(feature = "volumes")]
use super::tree::PairTree;
use crate::simd::Kernel;

/// The volumes of the nodes of two trees, A's and B's.
pub(crate) trait Volumes<S: Kernel> {
    /// Which of these child pairs of two nodes may overlap. `None` where there are no such nodes, as in a corrupt file.
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>>;

    /// Lower bounds of the distances of these child pairs, and which may be within the square root of `limit2`.
    fn lower_bounds(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
        limit2: f32,
    ) -> Option<Opened<LowerBounds>>;

    /// Two triangles below these child pairs that are proven to be less than `limit` apart, if the nodes name any.
    #[inline(always)]
    fn witness(
        &mut self,
        _simd: S,
        _nodes: [u32; 2],
        _pose: &RelativePose,
        _pairs: u32,
        _limit: f64,
    ) -> Option<WitnessBound> {
        None
    }
}

/// Two opened nodes: the references of their children, and the result for the child pairs.
pub(crate) struct Opened<T> {
    pub(crate) children: [[u32; PAIR_WIDTH]; 2],
    pub(crate) found: T,
}

/// Overlap tests of sixteen child pairs; pair `4 * i + j` is A's child i and B's child j.
pub(crate) struct Overlaps {
    /// A bit for each pair that is not proven disjoint.
    pub(crate) pairs: u32,
    /// Overlap depth of each pair: the smaller, the deeper.
    pub(crate) depths: [f32; PAIRS],
    /// Whose volumes are much larger than the other's, if the volumes tell.
    pub(crate) larger: Option<Side>,
}

impl Overlaps {
    pub(crate) const NONE: Self = Self { pairs: 0, depths: [0.0; PAIRS], larger: None };
}

/// One of two trees.
pub(crate) enum Side {
    A,
    B,
}

/// Lower bounds of the squared distances of sixteen pairs, numbered as in [`Overlaps`].
pub(crate) struct LowerBounds {
    /// A bit for each pair that may be within the limit.
    pub(crate) pairs: u32,
    /// Lower bound of the squared distance, or NaN.
    pub(crate) squares: [f32; PAIRS],
    /// Approximate squared distance of the centres.
    pub(crate) centres: [f32; PAIRS],
}

/// Weight of the centres' distance in a pair's key, next to the lower bound of its distance. Weights from 0.5 to 1.2 do
/// as well. (Tried: a sum of squares takes 2 to 5 % more steps. Points stored with the boxes in place of the centres: a
/// vertex below takes up to 10 % more, the surface's centroid up to 7 %. For samples as upper bounds, see
/// `samples.rs`.)
const CENTRES: f32 = 0.9;

impl LowerBounds {
    pub(crate) const NONE: Self = Self { pairs: 0, squares: [0.0; PAIRS], centres: [0.0; PAIRS] };

    /// Priority of each pair: the smallest is the most promising.
    #[inline(always)]
    pub(crate) fn keys<S: Kernel>(&self, simd: S) -> [f32; PAIRS] {
        let mut keys = [0.0; PAIRS];
        for first in (0..PAIRS).step_by(lanes::<S>()) {
            let of_step = first..first + lanes::<S>();
            let apart = S::Pairs::from_slice(simd, &self.squares[of_step.clone()]).sqrt();
            let between = S::Pairs::from_slice(simd, &self.centres[of_step.clone()]).sqrt();
            let key = between.mul_add(S::Pairs::splat(simd, CENTRES), apart);
            key.store_slice(&mut keys[of_step]);
        }
        keys
    }
}

/// Less than 1 by more than the rounding of a square.
pub(crate) const ROUNDED: f32 = 1.0 - 1.0 / (1 << 20) as f32;

/// Two triangles and an upper bound of their distance.
pub(crate) struct WitnessBound {
    /// Their addresses in A's and B's leaves.
    pub(crate) addresses: [u32; 2],
    pub(crate) upper: f64,
}

/// What a walk needs.
#[cfg(feature = "volumes")]
pub(crate) struct Walkable<'a, V> {
    pub(crate) trees: [PairTree<'a>; 2],
    pub(crate) volumes: V,
    pub(crate) pose: RelativePose,
}

/// Why there is nothing to walk through.
#[cfg(feature = "volumes")]
pub(crate) enum NoWalk {
    /// A file does not have the volumes, or not all that they need.
    Missing,
    /// The roots are farther apart than the limit.
    Apart,
}

/// Volumes whose tests are not inlined, so that one copy of the walk serves all of them.
pub(crate) struct Outlined<V>(pub(crate) V);

impl<S: Kernel, V: Volumes<S>> Volumes<S> for Outlined<V> {
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        simd.vectorize(
            #[inline(always)]
            || self.0.overlaps(simd, nodes, pose, pairs),
        )
    }

    fn lower_bounds(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
        limit2: f32,
    ) -> Option<Opened<LowerBounds>> {
        simd.vectorize(
            #[inline(always)]
            || self.0.lower_bounds(simd, nodes, pose, pairs, limit2),
        )
    }

    fn witness(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
        limit: f64,
    ) -> Option<WitnessBound> {
        simd.vectorize(
            #[inline(always)]
            || self.0.witness(simd, nodes, pose, pairs, limit),
        )
    }
}
