//! Convex shapes against a mesh by parry3d's own queries.

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape};

use super::Parry;
use crate::shared::shapes::Any;

/// A shape of parry3d and where it is.
pub struct Placed {
    shape: Box<dyn Shape>,
    pose: Pose,
}

impl Placed {
    /// The same shape; `None` if parry3d has none.
    pub fn new(shape: &Any) -> Option<Self> {
        let at = |point: [f32; 3]| Pose::from_parts(point.into(), Rotation::IDENTITY);
        Some(match shape {
            Any::Ball { centre, radius } => Self { shape: Box::new(Ball::new(*radius)), pose: at(*centre) },
            Any::Capsule { a, b, radius } => {
                let to: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
                let capsule = Capsule::new(Vector::ZERO, to.into(), *radius);
                Self { shape: Box::new(capsule), pose: at(*a) }
            }
            Any::Box { centre, half } => {
                Self { shape: Box::new(Cuboid::new((*half).into())), pose: at(*centre) }
            }
            Any::Hull { points } => {
                let from = points[0];
                let offset = |point: &[f32; 3]| -> Vector {
                    let by: [f32; 3] = std::array::from_fn(|k| point[k] - from[k]);
                    by.into()
                };
                let points: Vec<Vector> = points.iter().map(offset).collect();
                Self { shape: Box::new(ConvexPolyhedron::from_convex_hull(&points)?), pose: at(from) }
            }
        })
    }
}

impl Parry {
    /// The time of the first contact up to 1; infinity without one.
    pub fn cast(&self, placed: &Placed, displacement: [f32; 3]) -> f64 {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let still = Vector::ZERO;
        query::cast_shapes(
            &placed.pose,
            displacement.into(),
            &*placed.shape,
            &Pose::IDENTITY,
            still,
            &self.0,
            options,
        )
        .expect("parry3d casts these")
        .map_or(f64::INFINITY, |hit| hit.time_of_impact.into())
    }

    /// Whether the shape and the mesh touch.
    pub fn overlaps(&self, placed: &Placed) -> bool {
        query::intersection_test(&placed.pose, &*placed.shape, &Pose::IDENTITY, &self.0)
            .expect("parry3d tests these")
            .intersecting
    }
}
