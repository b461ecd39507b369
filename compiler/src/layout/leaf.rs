//! The leaves of trees for two models: triangles in coordinates of their own.

use bvhc_format::obb::{PAIR_WIDTH, PackedPairLeaf, PairLeaf};

use crate::mesh::Mesh;
use crate::tree::aabb::Aabb;

/// The record of one to four triangles, given the places of all.
pub(super) fn leaf(mesh: &Mesh, triangles: &[u32], places: &[u32]) -> PairLeaf {
    let bounds = Aabb::around(triangles.iter().flat_map(|triangle| mesh.corners(*triangle)));
    let origin = bounds.centre();
    let mut record = PairLeaf { origin, ..PairLeaf::EMPTY };
    for lane in 0..PAIR_WIDTH {
        let triangle = triangles[if lane < triangles.len() { lane } else { 0 }];
        record.triangles[lane] = triangle;
        record.places[lane] = places[triangle as usize];
        for (k, corner) in mesh.corners(triangle).iter().enumerate() {
            for axis in 0..3 {
                let along = (f64::from(corner[axis]) - f64::from(origin[axis])) as f32;
                record.corners[k][axis][lane] = along;
                record.radius = record.radius.max(along.abs());
            }
        }
    }
    record
}

/// The same in packed form.
pub(super) fn packed_leaf(triangles: &[u32], places: &[u32]) -> PackedPairLeaf {
    let place = |lane: usize| places[triangles[if lane < triangles.len() { lane } else { 0 }] as usize];
    PackedPairLeaf { places: [place(0), place(1), place(2), place(3)] }
}
