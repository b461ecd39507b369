//! Where boxes of a mesh are in the world: what the compiler makes and the verifier checks.

use bvhc_format::MAX_COORDINATE;
use bvhc_format::record::{Child, NODE_WIDTH, WideNode};
use bvhc_format::world::Instance;

/// A box in f64: lower and upper corner.
pub(crate) type Box64 = [[f64; 3]; 2];

/// What a leaf's box is grown by, relative to the coordinates involved (FORMAT.md, W9): 2^-17.
const GROWTH: f64 = 1.0 / (1u32 << 17) as f64;

/// The image of a point, in the arithmetic of the runtime's `Similarity::apply`.
pub(crate) fn image(instance: &Instance, point: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = point.map(|x| instance.scale * x);
    let x = if instance.flags & Instance::MIRROR != 0 { -x } else { x };
    [0, 1, 2].map(|axis| {
        let [a, b, c] = instance.rotation[axis];
        ((a * x + b * y) + c * z) + instance.position[axis]
    })
}

/// The smallest box around the images of a box's corners.
pub(crate) fn image_of_box(instance: &Instance, corners: &Box64) -> Box64 {
    let mut found = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for bits in 0..8 {
        let corner = [0, 1, 2].map(|axis| corners[bits >> axis & 1][axis]);
        for (axis, x) in image(instance, corner).into_iter().enumerate() {
            found[0][axis] = found[0][axis].min(x);
            found[1][axis] = found[1][axis].max(x);
        }
    }
    found
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
    let used = (0..NODE_WIDTH).filter(|slot| node.child(*slot) != Child::Empty);
    used.map(|slot| slot_box(node, slot)).fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |all, own| {
        let end = |axis: usize| (all[0][axis].min(own[0][axis]), all[1][axis].max(own[1][axis]));
        let ends = [end(0), end(1), end(2)];
        [ends.map(|(lower, _)| lower), ends.map(|(_, upper)| upper)]
    })
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
