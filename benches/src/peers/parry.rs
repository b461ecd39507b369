//! parry3d 0.31: `TriMesh`, which builds a binned SAH tree with one triangle per leaf.
//!
//! Rays use `Bvh::cast_ray`, which `TriMesh::cast_local_ray` calls and which tests boxes with SIMD. parry has no
//! any-hit query; a hit at minus infinity ends its loop, which is a little faster than the closest hit. Its other
//! builder, PLOC, makes trees that are slower here.

pub mod pairs;
pub mod shapes;

use bvhc::mesh::Mesh;
use bvhc_runtime::Ray;
use parry3d::math::{Matrix, Pose, Rotation, Vector};
use parry3d::query::{self, PointQuery, RayCast};
use parry3d::shape::TriMesh;
use rkyv::rancor::Panic;
use rkyv::util::AlignedVec;

use super::{Locator, Tracer};

/// A mesh of parry3d.
pub struct Parry(TriMesh);

impl Parry {
    /// Builds the tree.
    pub fn build(mesh: &Mesh) -> Self {
        let positions = mesh.positions.iter().map(|position| Vector::from(*position)).collect();
        Self(TriMesh::new(positions, mesh.triangles.clone()).expect("a mesh has triangles"))
    }

    /// The mesh as an rkyv archive.
    pub fn archive(&self) -> AlignedVec {
        let Ok(bytes) = rkyv::to_bytes::<Panic>(&self.0);
        bytes
    }

    /// The mesh from its archive: checked and copied, as by the safe interface.
    pub fn from_archive(bytes: &[u8]) -> Self {
        let Ok(mesh) = rkyv::from_bytes::<TriMesh, Panic>(bytes);
        Self(mesh)
    }

    /// How far apart two meshes are, the second at a pose.
    pub fn distance(&self, other: &Self, pose: &bvhc_runtime::Pose) -> f64 {
        let [x, y, z] = pose.rotation().map(|row| row.map(|entry| entry as f32));
        let columns = [0, 1, 2].map(|column| Vector::new(x[column], y[column], z[column]));
        let rotation = Rotation::from_mat3(&Matrix::from_cols(columns[0], columns[1], columns[2]));
        let translation = Vector::from(pose.translation().map(|x| x as f32));
        let placed = Pose::from_parts(translation, rotation);
        query::distance(&Pose::IDENTITY, &self.0, &placed, &other.0)
            .map_or(f64::NAN, |found| found.distance.into())
    }

    fn hit(&self, triangle: u32, ray: &query::Ray, t_max: f32) -> Option<f32> {
        self.0.triangle(triangle).cast_local_ray(ray, t_max, true)
    }
}

fn convert(ray: &Ray) -> query::Ray {
    query::Ray::new(ray.origin.into(), ray.direction.into())
}

impl Tracer for Parry {
    fn name(&self) -> &str {
        "parry3d"
    }

    fn bytes(&self) -> usize {
        self.0.total_memory_size()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        self.0.cast_local_ray(&convert(ray), ray.t_max, true).unwrap_or(f32::INFINITY)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        let converted = convert(ray);
        let end = |triangle, t_max| self.hit(triangle, &converted, t_max).map(|_| f32::NEG_INFINITY);
        self.0.bvh().cast_ray(&converted, ray.t_max, end).is_some()
    }
}

impl Locator for Parry {
    fn name(&self) -> &str {
        "parry3d"
    }

    fn distance(&self, point: [f32; 3]) -> f32 {
        let point = Vector::from(point);
        self.0.project_local_point(point, true).point.distance(point)
    }
}
