//! Convex shapes against a mesh by parry3d's own queries.

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape};

use super::Parry;
use crate::shared::shapes::Any;

/// A shape of parry3d, where it is, and the mesh that it is asked against.
pub struct Placed<'a> {
    mesh: &'a Parry,
    shape: Box<dyn Shape>,
    pose: Pose,
}

impl Parry {
    /// The same shape; `None` if parry3d has none.
    pub fn place(&self, shape: &Any) -> Option<Placed<'_>> {
        let (shape, pose) = placed(shape)?;
        Some(Placed { mesh: self, shape, pose })
    }
}

fn placed(shape: &Any) -> Option<(Box<dyn Shape>, Pose)> {
    let at = |point: [f32; 3]| Pose::from_parts(point.into(), Rotation::IDENTITY);
    Some(match shape {
        Any::Ball { centre, radius } => (Box::new(Ball::new(*radius)), at(*centre)),
        Any::Capsule { a, b, radius } => {
            let to: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
            let capsule = Capsule::new(Vector::ZERO, to.into(), *radius);
            (Box::new(capsule), at(*a))
        }
        Any::Box { centre, half } => (Box::new(Cuboid::new((*half).into())), at(*centre)),
        Any::Hull { points } => {
            let from = points[0];
            let offset = |point: &[f32; 3]| -> Vector {
                let by: [f32; 3] = std::array::from_fn(|k| point[k] - from[k]);
                by.into()
            };
            let points: Vec<Vector> = points.iter().map(offset).collect();
            (Box::new(ConvexPolyhedron::from_convex_hull(&points)?), at(from))
        }
    })
}

impl Placed<'_> {
    /// The time of the first contact up to 1; infinity without one.
    pub fn cast(&self, displacement: [f32; 3]) -> f64 {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let still = Vector::ZERO;
        query::cast_shapes(
            &self.pose,
            displacement.into(),
            &*self.shape,
            &Pose::IDENTITY,
            still,
            &self.mesh.0,
            options,
        )
        .expect("parry3d casts these")
        .map_or(f64::INFINITY, |hit| hit.time_of_impact.into())
    }

    /// Whether the shape and the mesh touch.
    pub fn overlaps(&self) -> bool {
        query::intersection_test(&self.pose, &*self.shape, &Pose::IDENTITY, &self.mesh.0)
            .expect("parry3d tests these")
            .intersecting
    }
}
