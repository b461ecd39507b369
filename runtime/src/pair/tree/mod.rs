//! A model's tree as pair walks see it, independent of its volumes: nodes of four children, leaves of four triangles.

pub(crate) mod aabb;
pub(crate) mod obb;

use bvhc_format::MAX_COORDINATE;
use bvhc_format::obb::{PAIR_WIDTH, PairChild, PairLeaf, PairRef};
use bvhc_format::record::{ChildRef, NODE_WIDTH};
use rkyv::rend::{f32_le, u32_le};

use super::convex::Convex;
use super::leaf::{Leaf, LeafCache, Triangles};
use super::relative_pose::TreeFrame;
use crate::bounds::Aabb;
use crate::model::Model;
use crate::simd::Kernel;

/// Target of a child reference.
pub(crate) enum Link {
    Empty,
    Node(u32),
    Leaf(Leaf),
}

/// A model's tree, without its volumes.
#[derive(Clone, Copy)]
pub(crate) struct PairTree<'a> {
    model: &'a Model<'a>,
    frame: TreeFrame,
    leaves: Leaves<'a>,
    /// The node that walks start at.
    root: u32,
    /// Upper bound of the node visits of a walk through this tree alone.
    size: u64,
}

/// Where leaves come from.
#[derive(Clone, Copy)]
enum Leaves<'a> {
    /// Triangle addresses stored in the file.
    Stored(&'a [PairLeaf]),
    /// Parts of the AABB tree's blocks.
    Blocks,
}

impl<'a> PairTree<'a> {
    /// A tree stored in the file.
    #[inline(always)]
    pub(crate) fn stored(
        model: &'a Model<'a>,
        (origin, radius): (&[f32_le; 3], f32_le),
        root: u32,
        nodes: usize,
    ) -> Self {
        let leaves = Leaves::Stored(model.sections().pair_leaves());
        let frame = TreeFrame { origin: origin.map(|along| along.to_native()), radius: radius.to_native() };
        Self { model, frame, leaves, root, size: nodes as u64 }
    }

    /// The OBB tree or, in a file without one, the AABB tree.
    #[inline(always)]
    pub(crate) fn of_obbs(model: &'a Model<'a>) -> Self {
        let Some(tree) = model.sections().obb_tree() else { return Self::of_aabbs(model) };
        Self::stored(model, (&tree.origin, tree.radius), 0, tree.node_count())
    }

    /// The AABB tree, whatever others there are.
    #[inline(always)]
    pub(crate) fn of_aabbs(model: &'a Model<'a>) -> Self {
        Self { model, frame: aabb::frame(model), leaves: Leaves::Blocks, root: 0, size: aabb::size(model) }
    }

    pub(crate) fn frame(&self) -> &TreeFrame {
        &self.frame
    }

    pub(crate) fn root(&self) -> u32 {
        self.root
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// How many triangles there are at most to report.
    pub(crate) fn triangle_count(&self) -> u64 {
        self.model.most_reports()
    }

    /// Whether a triangle may be in several leaves.
    pub(crate) fn repeats(&self) -> bool {
        self.is_made() && self.model.sections().splits().is_some()
    }

    /// The target of a child reference of the node `parent`.
    #[inline(always)]
    pub(crate) fn link(&self, parent: u32, reference: u32) -> Link {
        match PairRef(reference).get() {
            PairChild::Empty => Link::Empty,
            PairChild::Node(id) if self.is_made() => Link::Node(id),
            // Parents come before their children, or a walk would never end.
            PairChild::Node(id) if id > parent => Link::Node(id),
            PairChild::Node(_) => Link::Empty,
            PairChild::Leaf(part, triangles) if self.is_made() => {
                Link::Leaf(aabb::leaf(parent, part, triangles))
            }
            PairChild::Leaf(index, triangles) => Link::Leaf(Leaf { id: u64::from(index), triangles }),
        }
    }

    /// The triangles of a leaf.
    #[inline(always)]
    pub(crate) fn triangles<'c, S: Kernel>(
        &self,
        simd: S,
        leaf: Leaf,
        cache: &'c mut LeafCache<'_>,
    ) -> Option<&'c Triangles> {
        cache.get(
            simd,
            leaf,
            &self.model.sections().blocks(),
            #[inline(always)]
            || self.addresses(leaf),
        )
    }

    #[inline(always)]
    fn addresses(&self, leaf: Leaf) -> Option<[u64; PAIR_WIDTH]> {
        match self.leaves {
            Leaves::Stored(leaves) => leaves.get(leaf.id as usize).map(|leaf| leaf.addresses.map(u64::from)),
            Leaves::Blocks => Some(aabb::addresses(leaf)),
        }
    }

    /// The triangles of a leaf that may come from another model: `None` unless this tree has that leaf, with a triangle
    /// in that lane.
    #[inline(always)]
    pub(crate) fn known<'c, S: Kernel>(
        &self,
        simd: S,
        leaf: Leaf,
        lane: usize,
        cache: &'c mut LeafCache<'_>,
    ) -> Option<&'c Triangles> {
        let exists = !self.is_made() || aabb::has_leaf(self.model, leaf);
        if exists && lane < (leaf.triangles as usize).min(PAIR_WIDTH) {
            self.triangles(simd, leaf, cache)
        } else {
            None
        }
    }

    /// The exact corners of the triangle in a lane of a leaf. `None` in a corrupt file, also where coordinates are out of
    /// range: exact tests of these would take long.
    #[inline(always)]
    pub(crate) fn corners(&self, triangles: &Triangles, lane: usize) -> Option<[[f32; 3]; 3]> {
        let (reference, lane) = triangles.address(lane);
        let corners = self.model.sections().blocks().corners(reference, lane)?;
        let in_range = |x: &f32| x.abs() <= MAX_COORDINATE;
        corners.as_flattened().iter().all(in_range).then_some(corners)
    }

    /// The number of the triangle in a lane of a leaf.
    #[inline(always)]
    pub(crate) fn number(&self, triangles: &Triangles, lane: usize) -> Option<u32> {
        let (reference, lane) = triangles.address(lane);
        self.model.triangle_at(self.model.sections().blocks().first(reference)?, lane)
    }

    /// The AABB tree's blocks that hold the triangle in a lane of a leaf, each with a box around its part of the
    /// triangle; for a triangle that is in one leaf only, that block and the whole triangle. All volumes around a part hold its
    /// box: nodes that of the block's slot, and leaves, which are around whole triangles, that of the triangle.
    pub(crate) fn parts_of(
        &self,
        leaf: Leaf,
        triangles: &Triangles,
        lane: usize,
    ) -> impl Iterator<Item = (u32, Convex)> + use<'a> {
        let model = self.model;
        let number = self.number(triangles, lane).filter(|_| self.repeats());
        let slots = number.map_or(&[][..], |number| model.slots_of(number));
        let whole = self.corners(triangles, lane);
        let only = if slots.is_empty() { whole } else { None };
        let only = only.map(|corners| (self.block_of(leaf), Convex::of_triangle(corners)));
        let of_slot = move |address: &u32_le| {
            let (node, slot) =
                (address.to_native() as usize / NODE_WIDTH, address.to_native() as usize % NODE_WIDTH);
            let node = model.sections().nodes().get(node)?;
            let [min, max] = aabb::common(aabb::planes(node, slot), aabb::around(whole?));
            Some((node.children[slot] & !ChildRef::BLOCK_BIT, Convex::of_box(&Aabb { min, max })))
        };
        only.into_iter().chain(slots.iter().filter_map(of_slot))
    }

    /// The reference of the block that a leaf of an AABB tree is part of.
    pub(crate) fn block_of(&self, leaf: Leaf) -> u32 {
        aabb::block_of(leaf)
    }

    /// Whether this is an AABB tree, whose nodes are built as they are visited.
    #[inline(always)]
    fn is_made(&self) -> bool {
        matches!(self.leaves, Leaves::Blocks)
    }
}
