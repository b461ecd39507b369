//! obvhs 0.4: its binary tree and its compressed eight-wide one (CWBVH), triangles in the order of the leaves with
//! precomputed edges and normals (`RtTriangle`), as in its demo scene.
//!
//! Its presets differ by up to a tenth; the slowest makes the best trees. Neither is watertight.

use bvhc::mesh::Mesh;
use bvhc_runtime::Ray;
use obvhs::BvhBuildParams;
use obvhs::bvh2::{Bvh2, builder::build_bvh2_from_tris};
use obvhs::cwbvh::{CwBvh, builder::build_cwbvh_from_tris};
use obvhs::ray::{self, RayHit};
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;
use std::time::Duration;

use super::Tracer;

/// The preset for trees that are built once and queried often. The only slower preset did not finish a hall within
/// minutes.
pub const THOROUGH: BvhBuildParams = BvhBuildParams::slow_build();

/// The preset for trees that are built at every load.
pub const QUICK: BvhBuildParams = BvhBuildParams::fastest_build();

/// The binary tree.
pub struct Binary {
    tree: Bvh2,
    triangles: Vec<RtTriangle>,
}

/// The compressed eight-wide tree.
pub struct Wide {
    tree: CwBvh,
    triangles: Vec<RtTriangle>,
}

impl Binary {
    /// Builds the tree.
    pub fn build(mesh: &Mesh, parameters: BvhBuildParams) -> Self {
        let triangles = triangles(mesh);
        let tree = build_bvh2_from_tris(&triangles, parameters, &mut Duration::default());
        let triangles = in_order(&triangles, &tree.primitive_indices);
        Self { tree, triangles }
    }
}

impl Wide {
    /// Builds the tree.
    pub fn build(mesh: &Mesh, parameters: BvhBuildParams) -> Self {
        let triangles = triangles(mesh);
        let tree = build_cwbvh_from_tris(&triangles, parameters, &mut Duration::default());
        let triangles = in_order(&triangles, &tree.primitive_indices);
        Self { tree, triangles }
    }
}

fn triangles(mesh: &Mesh) -> Vec<Triangle> {
    let corners = (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle));
    corners.map(|[a, b, c]| Triangle { v0: a.into(), v1: b.into(), v2: c.into() }).collect()
}

fn in_order(triangles: &[Triangle], indices: &[u32]) -> Vec<RtTriangle> {
    indices.iter().map(|index| RtTriangle::from(&triangles[*index as usize])).collect()
}

fn convert(ray: &Ray) -> ray::Ray {
    ray::Ray::new(ray.origin.into(), ray.direction.into(), ray.t_min, ray.t_max)
}

impl Tracer for Binary {
    fn name(&self) -> &str {
        "obvhs BVH2"
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.tree.nodes) + size_of_val(&*self.triangles)
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        let mut hit = RayHit::none();
        self.tree.ray_traverse(convert(ray), &mut hit, |ray, index| self.triangles[index].intersect(ray));
        hit.t
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        !self.tree.ray_traverse_miss(convert(ray), |ray, index| self.triangles[index].intersect(ray))
    }
}

impl Tracer for Wide {
    fn name(&self) -> &str {
        "obvhs CWBVH"
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.tree.nodes) + size_of_val(&*self.triangles)
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        let mut hit = RayHit::none();
        self.tree.ray_traverse(convert(ray), &mut hit, |ray, index| self.triangles[index].intersect(ray));
        hit.t
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        !self.tree.ray_traverse_miss(convert(ray), |ray, index| self.triangles[index].intersect(ray))
    }
}
