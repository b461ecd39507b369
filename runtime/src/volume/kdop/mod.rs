//! k-DOPs, four against four at a time: B's are realigned once a node, and sixteen pairs compared.
//!
//! Based on: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume hierarchies
//! of k-DOPs", 1998, and Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003. Departures: sixteen pairs
//! at once; the bounds of [`realign`], where the printed ones are wrong; A and B may have different sets of directions,
//! of which A's are tested; without tables, nodes have no centres.
//!
//! Nodes with tables are compared slab by slab, a lane a pair ([`slabs`]), and so is a node with them and one without. Two
//! without, all directions at once ([`lists`]). Both have the proof that their slack covers the rounding; the pose itself
//! moves corners in f64, which is [`Motion::noise`] away from exact arithmetic at most.

mod lists;
mod realign;
mod root;
mod slabs;
#[cfg(test)]
mod tests;

use bvhc_format::kdop::{KdopLayout, LaneRow};
use bvhc_format::obb::{PAIR_WIDTH, PairRef};

use super::gap::LowerBounds;
use super::obb::{Motion, Overlaps, PAIRS};
use super::{DistanceBound, Volume};
use crate::level::Level;
use crate::pair_tree::PairTree;
use crate::simd::{Kernel, dispatch};
use lists::Lists;
pub use realign::Realign;
use realign::Vectors;
pub(crate) use root::are_apart;
use slabs::Slabs;

/// Slack of every direction, relative to M: 32 u.
const SLACK: f32 = 1.0 / (1 << 19) as f32;

/// What turns bounds along B's directions to bounds along A's, and compares them.
#[allow(clippy::large_enum_variant, reason = "there is one a query, and no allocator")]
pub(crate) enum Kdops {
    Lists(Lists),
    Slabs(Slabs),
}

impl Kdops {
    /// For trees whose nodes are laid out and which reach so far, B at the pose of the motion between them, and a way to
    /// realign that can use B's nodes. `ranks` asks for the depths of overlaps.
    #[inline(always)]
    pub(crate) fn new<S: Kernel>(
        simd: S,
        layouts: [&KdopLayout; 2],
        [radius_a, radius_b]: [f32; 2],
        motion: &Motion,
        realign: Realign,
        ranks: bool,
    ) -> Self {
        let t = motion.translation();
        let reach = t[0].abs() + t[1].abs() + t[2].abs() + radius_a + radius_b;
        let slack = reach * SLACK + motion.noise();
        let (turned, along) =
            Vectors::turned(simd, layouts[0].directions, &motion.pose().rotation(), t.map(f64::from));
        if layouts.iter().any(|layout| layout.has_tables()) {
            Self::Slabs(Slabs::new(simd, layouts, &turned, &along, slack, realign))
        } else {
            Self::Lists(Lists::new(simd, layouts, &turned, &along, slack, realign, ranks))
        }
    }
}

impl Realign {
    /// How far the corners in a node's slots reach along `turned`, a unit vector, and along the opposite one, at most: from
    /// their centres, or from the tree's origin without tables. What walks take them to, to be compared with what they do.
    /// `None` where the node does not have what it takes.
    #[doc(hidden)]
    pub fn reaches(
        self,
        level: Level,
        layout: &KdopLayout,
        node: &[LaneRow],
        turned: [f64; 3],
    ) -> Option<[[f32; PAIR_WIDTH]; 2]> {
        self.can_use(layout)
            .then(|| dispatch!(level.inner(), simd => Slabs::reaches(simd, self, layout, node, turned)))?
    }
}

impl Volume for Kdops {
    type Node<'a> = &'a [LaneRow];
    type Room = ();

    #[inline(always)]
    fn room() {}

    #[inline(always)]
    fn node<'b>(tree: &PairTree<'b>, id: u32, _: &'b mut ()) -> Option<&'b [LaneRow]> {
        tree.kdop_node(id)
    }

    #[inline(always)]
    fn child(tree: &PairTree<'_>, node: &[LaneRow], slot: usize) -> u32 {
        let reference = tree.kdop_layout().and_then(|layout| layout.child(slot % PAIR_WIDTH).of(node));
        reference.map_or(PairRef::EMPTY.0, f32::to_bits)
    }

    #[inline(always)]
    fn overlaps<S: Kernel>(&self, simd: S, a: &[LaneRow], b: &[LaneRow], _: &Motion, pairs: u32) -> Overlaps {
        let found = match self {
            Self::Lists(lists) => lists.overlaps(simd, a, b, pairs),
            Self::Slabs(slabs) => slabs.overlaps(simd, a, b, pairs),
        };
        found.unwrap_or(Overlaps { pairs: 0, depths: [0.0; PAIRS] })
    }
}

impl DistanceBound for Kdops {
    #[inline(always)]
    fn gaps<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        b: &[LaneRow],
        _: &Motion,
        pairs: u32,
        reach2: f32,
    ) -> LowerBounds {
        let found = match self {
            Self::Lists(lists) => lists.gaps(simd, a, b, pairs, reach2),
            Self::Slabs(slabs) => slabs.gaps(simd, a, b, pairs, reach2),
        };
        found.unwrap_or(LowerBounds { pairs: 0, squares: [0.0; PAIRS], centres: [0.0; PAIRS] })
    }
}
