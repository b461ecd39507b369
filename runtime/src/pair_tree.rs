//! A model's tree, as walks through two of them see it: nodes of four oriented boxes, leaves of four triangles.
//!
//! The OBB tree is that already. The trees of k-DOPs and of swept spheres have the same leaves, and nodes of other volumes.
//! A model without an OBB tree has its AABB tree read as such: a node of sixteen becomes five of at most four, a block
//! becomes a node of up to four leaves, made anew at each visit. That is slow, but one walk serves all.

use bvhc_format::kdop::{KdopLayout, LaneRow};
use bvhc_format::obb::{
    EMPTY_EXTENT, ObbNode, PAIR_WIDTH, PackedObbNode, PackedPairLeaf, PairChild, PairLeaf, PairRef,
    SampleNode,
};
use bvhc_format::record::{BLOCK_WIDTH, Block, Child, ChildRef, NODE_WIDTH, WideNode};
use bvhc_format::swept::{Cores, SweptLayout};
use rkyv::rend::{f32_le, u32_le};

use crate::bounds::Aabb;
use crate::math::{larger, smaller};
use crate::model::Model;
use crate::triangle::corners;
use crate::volume::convex::Convex;
use crate::volume::obb::Place;

/// Where a child reference leads.
pub(crate) enum Link {
    Empty,
    Node(u32),
    Leaf(Leaf),
}

/// A leaf of up to four triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    id: u64,
    pub(crate) triangles: u32,
}

impl Leaf {
    /// A leaf of no triangles.
    pub(crate) const NONE: Self = Self { id: 0, triangles: 0 };

    /// The leaf of a stored tree at the place of a sample, and the lane: it has as many triangles at least.
    pub(crate) fn at(place: u32) -> (Self, usize) {
        let lane = place % PAIR_WIDTH as u32;
        (Self { id: u64::from(place / PAIR_WIDTH as u32), triangles: lane + 1 }, lane as usize)
    }

    /// What tells it from all others of its tree.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

/// Room for the record of a leaf that is made as it is visited.
pub(crate) struct LeafScratch {
    /// The leaf, of a tree that the room is always used for, and its record.
    holds: Option<(Leaf, PairLeaf)>,
}

impl LeafScratch {
    pub(crate) const EMPTY: Self = Self { holds: None };
}

/// A model's tree.
#[derive(Clone, Copy)]
pub(crate) struct PairTree<'a> {
    model: &'a Model<'a>,
    records: Records<'a>,
    place: Place,
}

/// What a tree is read from.
#[derive(Clone, Copy)]
enum Records<'a> {
    Plain(&'a [ObbNode], &'a [PairLeaf]),
    Packed(&'a [PackedObbNode], &'a [PackedPairLeaf]),
    /// Nodes of k-DOPs.
    Kdops(&'a [LaneRow], &'a [PairLeaf], KdopLayout),
    /// Nodes of swept spheres.
    Swept(&'a [LaneRow], &'a [PairLeaf], SweptLayout),
    /// The AABB tree.
    None,
}

/// Of the nodes that an AABB tree is read as, those that stand for a block. (Bit 31 is that of leaves. So trees of more
/// than 2^30 / 5 nodes, which take more than 100 GiB, are not read to their end.)
const BLOCK_BIT: u32 = 1 << 30;

/// Node c of an AABB tree is read as node 5 c, whose children are its quarters 5 c + 1 to 5 c + 4.
const PARTS: u32 = 1 + (NODE_WIDTH / PAIR_WIDTH) as u32;

impl<'a> PairTree<'a> {
    #[inline(always)]
    pub(crate) fn of(model: &'a Model<'a>) -> Self {
        match model.obb_tree() {
            Some(tree) => {
                let place = stored_place(&tree.origin, tree.radius);
                let records = if tree.packed_nodes.is_empty() {
                    Records::Plain(tree.nodes.get(), tree.leaves.get())
                } else {
                    Records::Packed(tree.packed_nodes.get(), tree.packed_leaves.get())
                };
                Self { model, records, place }
            }
            None => Self::of_aabbs(model),
        }
    }

    /// The tree of axis-aligned boxes, whatever others there are.
    #[inline(always)]
    pub(crate) fn of_aabbs(model: &'a Model<'a>) -> Self {
        Self { model, records: Records::None, place: place_of_bounds(model) }
    }

    /// The tree of oriented boxes, if there are samples beside its nodes.
    #[inline(always)]
    pub(crate) fn of_samples(model: &'a Model<'a>) -> Option<Self> {
        model.samples().map(|_| Self::of(model))
    }

    /// The tree of k-DOPs, if there is one.
    #[inline(always)]
    pub(crate) fn of_kdops(model: &'a Model<'a>) -> Option<Self> {
        let (tree, layout) = (model.kdop_tree()?, model.kdop_layout()?);
        let place = stored_place(&tree.origin, tree.radius);
        let records = Records::Kdops(tree.rows.get(), tree.leaves.get(), layout);
        Some(Self { model, records, place })
    }

    /// The tree of swept spheres with such cores, if there is one.
    #[inline(always)]
    pub(crate) fn of_swept(model: &'a Model<'a>, cores: Cores) -> Option<Self> {
        let (tree, layout) = model.swept_tree().filter(|(_, layout)| layout.cores == cores)?;
        let place = stored_place(&tree.origin, tree.radius);
        Some(Self { model, records: Records::Swept(tree.rows.get(), tree.leaves.get(), layout), place })
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The node that walks begin with.
    #[inline(always)]
    pub(crate) fn root(&self) -> u32 {
        match self.records {
            Records::Swept(_, _, layout) => layout.root(),
            _ => 0,
        }
    }

    /// Whether triangles may be in several leaves.
    pub(crate) fn repeats(&self) -> bool {
        self.is_made() && self.model.splits().is_some()
    }

    /// Visits of a walk through this tree alone, at most.
    pub(crate) fn size(&self) -> u64 {
        match self.records {
            Records::Plain(nodes, _) => nodes.len() as u64,
            Records::Packed(nodes, _) => nodes.len() as u64,
            Records::Kdops(rows, _, layout) => (rows.len() / layout.rows()) as u64,
            Records::Swept(rows, _, layout) => layout.most_nodes(rows.len()) as u64,
            Records::None => {
                u64::from(PARTS) * self.model.nodes().len() as u64 + self.model.blocks().count() as u64
            }
        }
    }

    /// A node, in the file or made in `room`.
    #[inline(always)]
    pub(crate) fn node<'b>(&self, id: u32, room: &'b mut Option<ObbNode>) -> Option<&'b ObbNode>
    where
        'a: 'b,
    {
        match self.records {
            Records::Plain(nodes, _) => nodes.get(id as usize),
            Records::Packed(nodes, _) => Some(room.insert(nodes.get(id as usize)?.unpack())),
            Records::Kdops(..) | Records::Swept(..) => None,
            Records::None => self.make_node(id, room),
        }
    }

    /// The samples beside a node.
    #[inline(always)]
    pub(crate) fn samples(&self, id: u32) -> Option<&'a SampleNode> {
        self.model.samples()?.get(id as usize)
    }

    /// The rows of a node of k-DOPs.
    #[inline(always)]
    pub(crate) fn kdop_node(&self, id: u32) -> Option<&'a [LaneRow]> {
        let Records::Kdops(rows, _, layout) = self.records else { return None };
        let first = (id as usize).checked_mul(layout.rows())?;
        rows.get(first..)?.get(..layout.rows())
    }

    /// The rows of a node of swept spheres.
    #[inline(always)]
    pub(crate) fn swept_node(&self, id: u32) -> Option<&'a [LaneRow]> {
        let Records::Swept(rows, _, layout) = self.records else { return None };
        layout.node(rows, id)
    }

    /// What the rows of nodes of k-DOPs are.
    #[inline(always)]
    pub(crate) fn kdop_layout(&self) -> Option<KdopLayout> {
        match self.records {
            Records::Kdops(_, _, layout) => Some(layout),
            _ => None,
        }
    }

    /// Where the reference of a child of the node `parent` leads.
    #[inline(always)]
    pub(crate) fn link(&self, parent: u32, reference: u32) -> Link {
        match PairRef(reference).get() {
            PairChild::Empty => Link::Empty,
            PairChild::Node(id) if self.is_made() => Link::Node(id),
            // Parents come before their children, or a walk would never end.
            PairChild::Node(id) if id > parent => Link::Node(id),
            PairChild::Node(_) => Link::Empty,
            PairChild::Leaf(index, triangles) => Link::Leaf(self.leaf_at(parent, index, triangles)),
        }
    }

    #[inline(always)]
    fn leaf_at(&self, parent: u32, index: u32, triangles: u32) -> Leaf {
        let id = if self.is_made() {
            u64::from(parent & !BLOCK_BIT) * PAIR_WIDTH as u64 + u64::from(index)
        } else {
            u64::from(index)
        };
        Leaf { id, triangles }
    }

    /// The record of a leaf, in the file or made in `room`.
    #[inline(always)]
    pub(crate) fn leaf<'b>(&self, leaf: Leaf, room: &'b mut LeafScratch) -> Option<&'b PairLeaf>
    where
        'a: 'b,
    {
        match self.records {
            Records::Plain(_, leaves) | Records::Kdops(_, leaves, _) | Records::Swept(_, leaves, _) => {
                leaves.get(leaf.id as usize)
            }
            Records::Packed(_, leaves) => {
                let record = leaves.get(leaf.id as usize)?;
                self.make_leaf(leaf, &record.places.map(u64::from), room)
            }
            Records::None => self.make_leaf(leaf, &places_of(leaf), room),
        }
    }

    /// The record of a leaf that may be another model's, if this one's has a triangle in that lane, too.
    #[inline(always)]
    pub(crate) fn known<'b>(&self, leaf: Leaf, lane: usize, room: &'b mut LeafScratch) -> Option<&'b PairLeaf>
    where
        'a: 'b,
    {
        let first = leaf.id as usize % PAIR_WIDTH * PAIR_WIDTH;
        let there = !self.is_made()
            || self.model.blocks().get(self.block_of(leaf)).is_some_and(|block| {
                first + leaf.triangles as usize <= usize::from(block.triangles).min(BLOCK_WIDTH)
            });
        if there && lane < (leaf.triangles as usize).min(PAIR_WIDTH) { self.leaf(leaf, room) } else { None }
    }

    /// The exact corners of the triangle in a lane of a leaf.
    #[inline(always)]
    pub(crate) fn corners(&self, leaf: Leaf, record: &PairLeaf, lane: usize) -> Option<[[f32; 3]; 3]> {
        let place = if self.is_made() {
            places_of(leaf)[lane % PAIR_WIDTH]
        } else {
            u64::from(record.places[lane % PAIR_WIDTH])
        };
        self.at_place(place).map(|(corners, _)| corners)
    }

    /// The corners of the triangle at a place in the blocks, and its number.
    #[inline(always)]
    fn at_place(&self, place: u64) -> Option<([[f32; 3]; 3], u32)> {
        let (reference, lane) = ((place / BLOCK_WIDTH as u64) as u32, place as usize % BLOCK_WIDTH);
        let (corners, first) = self.model.blocks().triangle(reference, lane)?;
        Some((corners, self.model.triangle_at(first, lane)?))
    }

    /// The blocks of the AABB tree that hold the triangle in a lane of a leaf, each with a box around its part of it; of
    /// a triangle that is in one leaf only, all of it.
    pub(crate) fn parts_of(
        &self,
        leaf: Leaf,
        record: &PairLeaf,
        lane: usize,
    ) -> impl Iterator<Item = (u32, Convex)> + use<'a> {
        let model = self.model;
        let places = if self.repeats() { model.places_of(record.triangles[lane]) } else { &[] };
        let only = if places.is_empty() { self.corners(leaf, record, lane) } else { None };
        let only = only.map(|corners| (self.block_of(leaf), Convex::of_triangle(corners)));
        let of_place = move |place: &u32_le| {
            let (node, slot) =
                (place.to_native() as usize / NODE_WIDTH, place.to_native() as usize % NODE_WIDTH);
            let node = model.nodes().get(node)?;
            let [lower, upper] = planes(node, slot);
            Some((node.children[slot] & !ChildRef::BLOCK_BIT, Convex::of_box(&Aabb { lower, upper })))
        };
        only.into_iter().chain(places.iter().filter_map(of_place))
    }

    /// The reference of the block that a leaf of an AABB tree is a part of.
    pub(crate) fn block_of(&self, leaf: Leaf) -> u32 {
        (leaf.id / PAIR_WIDTH as u64) as u32
    }

    #[cold]
    fn make_node<'b>(&self, id: u32, room: &'b mut Option<ObbNode>) -> Option<&'b ObbNode> {
        let room = room.insert(ObbNode::EMPTY);
        if id & BLOCK_BIT != 0 {
            let block = self.model.blocks().get(id & !BLOCK_BIT)?;
            let lanes = usize::from(block.triangles).min(BLOCK_WIDTH);
            for quad in 0..lanes.div_ceil(PAIR_WIDTH) {
                let count = (lanes - PAIR_WIDTH * quad).min(PAIR_WIDTH);
                let bounds = quad_bounds(&block, quad, count);
                self.put(room, quad, bounds, PairRef::leaf(quad as u32, count as u32).0);
            }
            return Some(room);
        }
        let (wide, part) = (self.model.nodes().get((id / PARTS) as usize)?, id % PARTS);
        for slot in 0..PAIR_WIDTH {
            match part {
                0 => {
                    let slots = slot * PAIR_WIDTH..(slot + 1) * PAIR_WIDTH;
                    let boxes =
                        slots.filter(|slot| wide.child(*slot) != Child::Empty).map(|slot| planes(wide, slot));
                    if let Some(bounds) = boxes.reduce(union) {
                        self.put(room, slot, bounds, id + 1 + slot as u32);
                    }
                }
                _ => {
                    let of = (part as usize - 1) * PAIR_WIDTH + slot;
                    let reference = match wide.child(of % NODE_WIDTH) {
                        Child::Empty => continue,
                        Child::Node(index) if index <= id / PARTS => continue,
                        Child::Node(index) if index >= BLOCK_BIT / PARTS => continue,
                        Child::Node(index) => index * PARTS,
                        Child::Block(reference) if reference >= BLOCK_BIT => continue,
                        Child::Block(reference) => reference | BLOCK_BIT,
                    };
                    self.put(room, slot, planes(wide, of), reference);
                }
            }
        }
        Some(room)
    }

    /// Fills a slot of a node with an axis-aligned box.
    fn put(&self, room: &mut ObbNode, slot: usize, [lower, upper]: [[f32; 3]; 2], reference: u32) {
        for axis in 0..3 {
            let origin = f64::from(self.place.origin[axis]);
            let (lower, upper) = (f64::from(lower[axis]) - origin, f64::from(upper[axis]) - origin);
            let centre = (0.5 * (lower + upper)) as f32;
            let half = (upper - f64::from(centre)).max(f64::from(centre) - lower) as f32;
            room.centre[axis][slot] = centre;
            room.half_extents[axis][slot] = half.next_up().max(EMPTY_EXTENT);
        }
        room.children[slot] = reference;
    }

    /// Makes the record of a leaf from its triangles' places, as the compiler does, unless the room holds it already.
    #[inline(always)]
    fn make_leaf<'b>(
        &self,
        leaf: Leaf,
        places: &[u64; PAIR_WIDTH],
        room: &'b mut LeafScratch,
    ) -> Option<&'b PairLeaf> {
        let known = matches!(&room.holds, Some((held, _)) if *held == leaf);
        if known {
            return room.holds.as_ref().map(|(_, record)| record);
        }
        let record = &mut room.holds.insert((Leaf::NONE, PairLeaf::EMPTY)).1;
        for (lane, place) in places.iter().enumerate() {
            record.places[lane] = *place as u32;
            let corners;
            (corners, record.triangles[lane]) = self.at_place(*place)?;
            for (k, corner) in corners.iter().enumerate() {
                for (axis, along) in corner.iter().enumerate() {
                    record.corners[k][axis][lane] = *along;
                }
            }
        }
        record.radius = 0.0;
        for axis in 0..3 {
            let [a, b, c] = [record.corners[0][axis], record.corners[1][axis], record.corners[2][axis]];
            let each =
                |pick: fn(f32, f32) -> f32| [0, 1, 2, 3].map(|lane| pick(pick(a[lane], b[lane]), c[lane]));
            let [lower, upper] = [each(smaller), each(larger)];
            let lower = smaller(smaller(lower[0], lower[1]), smaller(lower[2], lower[3]));
            let upper = larger(larger(upper[0], upper[1]), larger(upper[2], upper[3]));
            let origin = 0.5 * lower + 0.5 * upper;
            record.origin[axis] = origin;
            for corner in &mut record.corners {
                corner[axis] = corner[axis].map(|along| (f64::from(along) - f64::from(origin)) as f32);
            }
            let along = |x: f32| (f64::from(x) - f64::from(origin)) as f32;
            record.radius = larger(record.radius, larger(along(upper), -along(lower)));
        }
        room.holds.as_mut().map(|(held, record)| {
            *held = leaf;
            &*record
        })
    }

    /// Whether the tree is an AABB tree, whose nodes and leaves are made as they are visited.
    #[inline(always)]
    fn is_made(&self) -> bool {
        matches!(self.records, Records::None)
    }
}

/// The places of the triangles in a leaf of an AABB tree.
fn places_of(leaf: Leaf) -> [u64; PAIR_WIDTH] {
    let first = leaf.id * PAIR_WIDTH as u64;
    [0, 1, 2, 3].map(|lane| first + if lane < leaf.triangles { u64::from(lane) } else { 0 })
}

/// A tree's place, as its section tells it.
#[inline(always)]
fn stored_place(origin: &[f32_le; 3], radius: f32_le) -> Place {
    Place { origin: origin.map(|along| along.to_native()), radius: radius.to_native() }
}

fn place_of_bounds(model: &Model<'_>) -> Place {
    let bounds = model.bounds();
    let origin = [0, 1, 2].map(|axis| 0.5 * bounds.lower[axis] + 0.5 * bounds.upper[axis]);
    let far = |axis: usize| (bounds.upper[axis] - origin[axis]).max(origin[axis] - bounds.lower[axis]);
    // Boxes are grown beyond the bounds, by a little; a sum is no less than a root of squares.
    Place { origin, radius: (far(0) + far(1) + far(2)) * 1.001 }
}

fn planes(node: &WideNode, slot: usize) -> [[f32; 3]; 2] {
    let plane = |index: usize| node.planes[index][slot % NODE_WIDTH];
    [[plane(0), plane(2), plane(4)], [plane(1), plane(3), plane(5)]]
}

fn union([a, b]: [[f32; 3]; 2], [c, d]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
    [[0, 1, 2].map(|axis| a[axis].min(c[axis])), [0, 1, 2].map(|axis| b[axis].max(d[axis]))]
}

fn quad_bounds(block: &Block, quad: usize, count: usize) -> [[f32; 3]; 2] {
    let lanes = PAIR_WIDTH * quad..PAIR_WIDTH * quad + count;
    lanes
        .flat_map(|lane| corners(block, lane))
        .map(|corner| [corner; 2])
        .fold([[f32::MAX; 3], [f32::MIN; 3]], union)
}
