//! Section samples: one vertex for each child of each node of a tree of oriented boxes.

use bvhc_format::obb::{PAIR_WIDTH, SampleNode};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::obb::put;
use super::used_bounds;
use crate::mesh::Mesh;
use crate::pair::obb::{Child, Link, Tree};

/// A corner of a triangle, and the triangle's slot address: its leaf and its lane there.
struct Sample {
    corner: [f32; 3],
    address: u32,
}

/// For each child of each node of a tree over a mesh, finds the corner below it nearest to the centre of its box. The
/// tree must be the first that was laid out: its leaves are numbered in the order of its nodes.
pub fn lay_out_samples(tree: &Tree, mesh: &Mesh) -> Vec<SampleNode> {
    let (origin, addresses) = (used_bounds(mesh).centre(), addresses(tree));
    let node = |node: &crate::pair::obb::Node| {
        let mut record = SampleNode { position: [[0.0; PAIR_WIDTH]; 3], triangles: [0; PAIR_WIDTH] };
        let children = tree.children(node);
        for slot in 0..PAIR_WIDTH {
            let child = children.get(slot).unwrap_or(&children[0]);
            let sample = nearest_to_centre(child, tree, mesh, &addresses);
            let along = |axis: usize| (f64::from(sample.corner[axis]) - f64::from(origin[axis])) as f32;
            put(&mut record.position, slot, [along(0), along(1), along(2)]);
            record.triangles[slot] = sample.address;
        }
        record
    };
    tree.nodes.par_iter().map(node).collect()
}

/// For each triangle, in the order of the tree, 4 times its leaf plus its lane there.
fn addresses(tree: &Tree) -> Vec<u32> {
    let mut addresses = vec![0; tree.order.len()];
    for (leaf, child) in (0..).zip(tree.all_children().filter(|child| child.link == Link::Leaf)) {
        for (lane, index) in (0..).zip(child.range.clone()) {
            addresses[index as usize] = leaf * PAIR_WIDTH as u32 + lane;
        }
    }
    addresses
}

/// The corner nearest to the centre of the child's box; the first one on ties.
fn nearest_to_centre(child: &Child, tree: &Tree, mesh: &Mesh, addresses: &[u32]) -> Sample {
    let range = child.range.start as usize..child.range.end as usize;
    let triangles = tree.order[range.clone()].iter().zip(&addresses[range]);
    let corners = triangles.flat_map(|(triangle, address)| {
        mesh.corners(*triangle).map(|corner| Sample { corner, address: *address })
    });
    let square = |sample: &Sample| {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(sample.corner[axis]) - child.obb.centre[axis]);
        x * x + y * y + z * z
    };
    corners.min_by(|a, b| square(a).total_cmp(&square(b))).expect("a child has triangles")
}
