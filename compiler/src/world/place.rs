//! Where boxes of a mesh are in the world: what the compiler makes and the verifier checks.

use bvhc_format::MAX_COORDINATE;
use bvhc_format::record::{Child, NODE_WIDTH, WideNode};
use bvhc_format::world::Instance;

/// A box in f64: lower and upper corner.
pub(crate) type Box64 = [[f64; 3]; 2];

/// What a leaf's box is grown by, relative to the coordinates involved (FORMAT.md, W9): 2^-17.
const GROWTH: f64 = 1.0 / (1u32 << 17) as f64;

/// A part of a mesh's tree: what is in a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) bounds: Box64,
    /// The node that divides it, which may be any number in a corrupt file; `None` if it is a block.
    node: Option<usize>,
}

impl Part {
    /// All that is below node 0, of which these are the bounds.
    pub(crate) fn whole(bounds: Box64) -> Self {
        Self { bounds, node: Some(0) }
    }

    /// What is below a used slot.
    pub(crate) fn of_slot(node: &WideNode, slot: usize) -> Self {
        let child = match node.child(slot) {
            Child::Node(child) => Some(child as usize),
            _ => None,
        };
        Self { bounds: slot_box(node, slot), node: child }
    }

    /// Its parts, if it is divided by a node of these.
    fn parts<'n>(&self, nodes: &'n [WideNode]) -> Option<impl Iterator<Item = Self> + use<'n>> {
        let node = nodes.get(self.node?)?;
        let mut used = used_slots(node).peekable();
        used.peek()?;
        Some(used.map(|slot| Self::of_slot(node, slot)))
    }

    /// The box around the images of its blocks' boxes, or a little more: of what `nodes` does not divide, or what is too deep, that
    /// of the part.
    pub(crate) fn image(&self, instance: &Instance, nodes: &[WideNode]) -> Box64 {
        let plane = |end: usize, axis: usize| self.farthest(instance, nodes, (end, axis));
        [0, 1].map(|end| [0, 1, 2].map(|axis| plane(end, axis)))
    }

    /// A plane of that box. Divides what is farthest out until that is a block.
    fn farthest(&self, instance: &Instance, nodes: &[WideNode], (end, axis): (usize, usize)) -> f64 {
        let outward = |x: f64| if end == 0 { -x } else { x };
        let far = |part: &Self| outward(image_plane(instance, &part.bounds, (end, axis)));
        let mut waiting = vec![(far(self), *self)];
        for _ in 0..MOST_DIVISIONS {
            let Some(first) = (0..waiting.len()).max_by(|a, b| waiting[*a].0.total_cmp(&waiting[*b].0))
            else {
                break;
            };
            let (bound, part) = waiting[first];
            let Some(parts) = part.parts(nodes) else { break };
            waiting.swap_remove(first);
            // No farther than the part, which a corrupt file may say.
            waiting.extend(parts.map(|part| (far(&part).min(bound), part)));
        }
        outward(waiting.iter().map(|(bound, _)| *bound).fold(f64::NEG_INFINITY, f64::max))
    }

    /// The outermost position beyond `limit`, of a plane of its blocks' images, if there is any. The nodes must be those of a valid
    /// file.
    pub(crate) fn beyond(
        &self,
        instance: &Instance,
        nodes: &[WideNode],
        (end, axis): (usize, usize),
        limit: f64,
    ) -> Option<f64> {
        let found = image_plane(instance, &self.bounds, (end, axis));
        let is_within = if end == 0 { limit <= found } else { found <= limit };
        if is_within {
            return None;
        }
        match self.parts(nodes) {
            Some(mut parts) => parts.find_map(|part| part.beyond(instance, nodes, (end, axis), limit)),
            None => Some(found),
        }
    }
}

/// How many nodes a part is divided by to find one plane around it. Most of them lead to a block at the very end of the mesh.
const MOST_DIVISIONS: usize = 16;

/// A plane of the smallest box around the images of a box's corners, in the arithmetic of the runtime's `Similarity::apply`: as
/// rounded sums are monotone, the least coordinate of a corner's image is the sum of the least products.
fn image_plane(instance: &Instance, corners: &Box64, (end, axis): (usize, usize)) -> f64 {
    let row = instance.rotation[axis];
    let product = |of: usize| {
        let mirrors = of == 0 && instance.flags & Instance::MIRROR != 0;
        let [x, y] = [corners[0][of], corners[1][of]].map(|x| {
            let x = instance.scale * x;
            row[of] * if mirrors { -x } else { x }
        });
        if end == 0 { x.min(y) } else { x.max(y) }
    };
    ((product(0) + product(1)) + product(2)) + instance.position[axis]
}

/// What the boxes of an instance's leaves are grown by, where `mesh` is the box around its mesh.
pub(crate) fn growth(instance: &Instance, mesh: &Box64) -> f64 {
    let largest = mesh.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let far: f64 = instance.position.iter().map(|x| x.abs()).sum();
    GROWTH * (instance.scale * largest + far)
}

/// The box of a slot.
pub(crate) fn slot_box(node: &WideNode, slot: usize) -> Box64 {
    let plane = |plane: usize| f64::from(node.planes[plane][slot]);
    [[plane(0), plane(2), plane(4)], [plane(1), plane(3), plane(5)]]
}

/// The box around the used slots of a node.
pub(crate) fn node_box(node: &WideNode) -> Box64 {
    let boxes = used_slots(node).map(|slot| slot_box(node, slot));
    boxes.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |all, own| {
        let end = |axis: usize| (all[0][axis].min(own[0][axis]), all[1][axis].max(own[1][axis]));
        let ends = [end(0), end(1), end(2)];
        [ends.map(|(lower, _)| lower), ends.map(|(_, upper)| upper)]
    })
}

pub(crate) fn used_slots(node: &WideNode) -> impl Iterator<Item = usize> + use<'_> {
    (0..NODE_WIDTH).filter(|slot| node.child(*slot) != Child::Empty)
}

/// Whether a box holds another one.
pub(crate) fn holds(outer: &Box64, inner: &Box64) -> bool {
    (0..3).all(|axis| outer[0][axis] <= inner[0][axis] && outer[1][axis] >= inner[1][axis])
}

/// Whether a box may be the one around a mesh's root (FORMAT.md, X4): a little more than the mesh, which is within 2^60.
pub(crate) fn is_root(root: &Box64) -> bool {
    let limit = 2.0 * f64::from(MAX_COORDINATE);
    (0..3).all(|axis| -limit <= root[0][axis] && root[0][axis] <= root[1][axis] && root[1][axis] <= limit)
}
