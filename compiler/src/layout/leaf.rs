//! The leaves of trees for pairs of models: the addresses of triangles.

use bvhc_format::obb::PairLeaf;

/// The leaf record of one to four triangles, given the addresses of all triangles.
pub(super) fn leaf(triangles: &[u32], addresses: &[u32]) -> PairLeaf {
    let address = |lane: usize| addresses[triangles[if lane < triangles.len() { lane } else { 0 }] as usize];
    PairLeaf { addresses: [address(0), address(1), address(2), address(3)] }
}
