//! k-DOPs, four against four at a time: B's are realigned once per node, and sixteen pairs compared.
//!
//! Based on: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume
//! hierarchies of k-DOPs", 1998, and Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003. Departures:
//! sixteen pairs at once; the bounds of [`realign`], since the published ones are wrong; A and B may have different
//! sets of directions, of which A's are tested; without tables, nodes have no centres.
//!
//! If either node has tables, they are compared slab by slab, one pair per lane ([`slabs`]); two nodes without tables,
//! all directions at once ([`lists`]). Both modules prove that their slack covers the rounding; the pose itself
//! transforms corners in f64, which differs from exact arithmetic by [`RelativePose::noise`] at most.

mod lists;
mod realign;
mod root;
mod slabs;
#[cfg(test)]
mod tests;

use bvhc_format::kdop::{KdopLayout, LaneRow};
use bvhc_format::obb::{PAIR_WIDTH, PairRef};

use crate::level::Level;
use crate::math::vector::Map3;
use crate::model::Model;
use crate::pair::relative_pose::RelativePose;
use crate::pair::tree::PairTree;
use crate::pair::volumes::{LowerBounds, NoWalk, Opened, Overlaps, Volumes, Walkable};
use crate::pose::Pose;
use crate::simd::{Kernel, dispatch};
use lists::Lists;
pub use realign::Realign;
use realign::Vectors;
pub(crate) use root::are_apart;
use slabs::Slabs;

/// Slack of every direction, relative to M: 32 u.
const SLACK: f32 = 1.0 / (1 << 19) as f32;

/// A model's tree, its rows and their layout.
type Stored<'a> = (PairTree<'a>, (&'a [LaneRow], KdopLayout));

fn tree<'a>(model: &'a Model<'a>) -> Option<Stored<'a>> {
    let (tree, layout) = (model.sections().kdop_tree()?, model.sections().kdop_layout()?);
    let rows = tree.rows.get();
    let nodes = rows.len() / layout.rows();
    Some((PairTree::stored(model, (&tree.origin, tree.radius), 0, nodes), (rows, layout)))
}

/// `limit`: models whose roots are farther apart have no answer. `ranks` asks for overlap depths. Compiled once for all
/// questions.
#[inline(never)]
pub(super) fn open<'a, S: Kernel>(
    simd: S,
    [a, b]: [&'a Model<'a>; 2],
    pose: &Pose,
    realign: Realign,
    limit: f64,
    ranks: bool,
) -> Result<Walkable<'a, KdopVolumes<'a>>, NoWalk> {
    let hull = if realign == Realign::Hull { b.sections().hull() } else { None };
    let (Some((a, (rows_a, layout_a))), Some((b, (rows_b, layout_b)))) = (tree(a), tree(b)) else {
        return Err(NoWalk::Missing);
    };
    if !realign.can_use(&layout_b) || realign == Realign::Hull && hull.is_none() {
        return Err(NoWalk::Missing);
    }
    let frames = [*a.frame(), *b.frame()];
    let pose = RelativePose::new(simd, pose, &frames[0], &frames[1]);
    let root = hull.as_ref().zip(node(rows_a, &layout_a, 0));
    if root
        .is_some_and(|(hull, node)| are_apart(&layout_a, node, hull, [&frames[0], &frames[1]], &pose, limit))
    {
        return Err(NoWalk::Apart);
    }
    let radii = [frames[0].radius, frames[1].radius];
    let test = simd.vectorize(
        #[inline(always)]
        || Kdops::new(simd, [&layout_a, &layout_b], radii, &pose, realign, ranks),
    );
    let volumes = KdopVolumes { rows: [rows_a, rows_b], layouts: [layout_a, layout_b], test };
    Ok(Walkable { trees: [a, b], volumes, pose })
}

/// Converts bounds along B's directions to bounds along A's, and compares them.
#[allow(clippy::large_enum_variant, reason = "there is one a query, and no allocator")]
pub(crate) enum Kdops {
    Lists(Lists),
    Slabs(Slabs),
}

impl Kdops {
    /// For trees with these layouts and radii, at `pose`. `realign` must be able to use B's nodes; `ranks` asks for
    /// overlap depths.
    #[inline(always)]
    pub(crate) fn new<S: Kernel>(
        simd: S,
        layouts: [&KdopLayout; 2],
        [radius_a, radius_b]: [f32; 2],
        pose: &RelativePose,
        realign: Realign,
        ranks: bool,
    ) -> Self {
        let t = pose.translation();
        let magnitude = t[0].abs() + t[1].abs() + t[2].abs() + radius_a + radius_b;
        let slack = magnitude * SLACK + pose.noise();
        let (turned, along) =
            Vectors::turned(simd, layouts[0].directions, &pose.pose().rotation(), t.map3(f64::from));
        if layouts.iter().any(|layout| layout.has_tables()) {
            Self::Slabs(Slabs::new(simd, layouts, &turned, &along, slack, realign))
        } else {
            Self::Lists(Lists::new(simd, layouts, &turned, &along, slack, realign, ranks))
        }
    }
}

impl Kdops {
    #[inline(always)]
    fn overlaps<S: Kernel>(&self, simd: S, a: &[LaneRow], b: &[LaneRow], pairs: u32) -> Overlaps {
        let found = match self {
            Self::Lists(lists) => lists.overlaps(simd, a, b, pairs),
            Self::Slabs(slabs) => slabs.overlaps(simd, a, b, pairs),
        };
        found.unwrap_or(Overlaps::NONE)
    }

    #[inline(always)]
    fn lower_bounds<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        b: &[LaneRow],
        pairs: u32,
        limit2: f32,
    ) -> LowerBounds {
        let found = match self {
            Self::Lists(lists) => lists.lower_bounds(simd, a, b, pairs, limit2),
            Self::Slabs(slabs) => slabs.lower_bounds(simd, a, b, pairs, limit2),
        };
        found.unwrap_or(LowerBounds::NONE)
    }
}

impl Realign {
    /// Upper bounds of how far the corners in a node's slots extend along `turned`, a unit vector, and along its
    /// opposite: from their centres or, without tables, from the tree's origin. These are the bounds that walks use, to
    /// be compared with the true extents. `None` if the node lacks the data.
    #[doc(hidden)]
    pub fn extents(
        self,
        level: Level,
        layout: &KdopLayout,
        node: &[LaneRow],
        turned: [f64; 3],
    ) -> Option<[[f32; PAIR_WIDTH]; 2]> {
        self.can_use(layout)
            .then(|| dispatch!(level.inner(), simd => Slabs::extents(simd, self, layout, node, turned)))?
    }
}

/// The k-DOPs of two trees.
pub(crate) struct KdopVolumes<'a> {
    pub(crate) rows: [&'a [LaneRow]; 2],
    pub(crate) layouts: [KdopLayout; 2],
    pub(crate) test: Kdops,
}

impl<'a> KdopVolumes<'a> {
    #[inline(always)]
    fn open(&self, nodes: [u32; 2]) -> Option<[&'a [LaneRow]; 2]> {
        Some([
            node(self.rows[0], &self.layouts[0], nodes[0])?,
            node(self.rows[1], &self.layouts[1], nodes[1])?,
        ])
    }

    #[inline(always)]
    fn children(&self, [a, b]: [&[LaneRow]; 2]) -> [[u32; PAIR_WIDTH]; 2] {
        let of = |layout: &KdopLayout, node: &[LaneRow]| {
            let child = |slot| layout.child(slot).of(node).map_or(PairRef::EMPTY.0, f32::to_bits);
            [child(0), child(1), child(2), child(3)]
        };
        [of(&self.layouts[0], a), of(&self.layouts[1], b)]
    }
}

/// The rows of a node.
#[inline(always)]
pub(crate) fn node<'a>(rows: &'a [LaneRow], layout: &KdopLayout, id: u32) -> Option<&'a [LaneRow]> {
    let first = (id as usize).checked_mul(layout.rows())?;
    rows.get(first..)?.get(..layout.rows())
}

impl<S: Kernel> Volumes<S> for KdopVolumes<'_> {
    #[inline(always)]
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        _: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        let [a, b] = self.open(nodes)?;
        Some(Opened { children: self.children([a, b]), found: self.test.overlaps(simd, a, b, pairs) })
    }

    #[inline(always)]
    fn lower_bounds(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        _: &RelativePose,
        pairs: u32,
        limit2: f32,
    ) -> Option<Opened<LowerBounds>> {
        let [a, b] = self.open(nodes)?;
        let found = self.test.lower_bounds(simd, a, b, pairs, limit2);
        Some(Opened { children: self.children([a, b]), found })
    }
}
