//! bvhc and its peers behind the same traits, one query at a time on one thread.
//!
//! Every adapter takes the same `f32` ray or point and makes its library's own from it within the timed loop, as a
//! caller would. Peers return only a distance; bvhc computes triangle, weights, normal and side as well.

pub mod broad;
pub mod bvh;
pub mod bvhc;
pub mod casts;
pub mod colliders;
pub mod embree;
pub mod fcpw;
mod library;
pub mod obvhs;
pub mod parry;
pub mod tinybvh;
mod triangle;

use bvhc_runtime::{Level, Ray, World};

/// The level that `BVHC_LEVEL` names, or the CPU's best: libraries that choose at run time use no higher level.
pub fn level() -> Level {
    let Ok(wanted) = std::env::var("BVHC_LEVEL") else {
        return Level::detect().expect("a level");
    };
    let mut levels = Level::available();
    levels.find(|level| level.name() == wanted).unwrap_or_else(|| panic!("BVHC_LEVEL: no {wanted} here"))
}

/// A question about a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The smallest `t` of a hit.
    ClosestHit,
    /// Whether anything is hit.
    AnyHit,
}

/// A library that answers rays.
pub trait Tracer {
    /// What reports call it.
    fn name(&self) -> &str;

    /// Bytes of nodes and triangle data that rays need, in memory.
    fn bytes(&self) -> usize;

    /// The smallest `t` of a hit; infinite for a miss.
    fn closest_hit(&self, ray: &Ray) -> f32;

    /// Whether anything is hit.
    fn any_hit(&self, ray: &Ray) -> bool;

    /// Answers all rays: `t` of the closest hit, or 0 for any hit; infinite for a miss.
    fn trace(&self, question: Question, rays: &[Ray], answers: &mut [f32]) {
        match question {
            Question::ClosestHit => {
                for (ray, answer) in rays.iter().zip(answers) {
                    *answer = self.closest_hit(ray);
                }
            }
            Question::AnyHit => {
                for (ray, answer) in rays.iter().zip(answers) {
                    *answer = if self.any_hit(ray) { 0.0 } else { f32::INFINITY };
                }
            }
        }
    }
}

/// An instance of a mesh, as libraries with matrices in f32 take it.
#[derive(Clone, Copy)]
pub struct Placement {
    /// The index of the mesh.
    pub mesh: usize,
    /// The images of the axes' unit vectors, less that of the origin, and the image of the origin.
    pub columns: [[f32; 3]; 4],
}

impl Placement {
    /// All instances of a world.
    pub fn all(world: &World<'_>) -> Vec<Self> {
        let of = |instance: bvhc_runtime::Instance<'_>| {
            let place = instance.similarity();
            let origin = place.apply([0.0; 3]);
            let column = |axis: usize| {
                let image = place.apply([0, 1, 2].map(|it| f64::from(u8::from(it == axis))));
                [0, 1, 2].map(|it| (image[it] - origin[it]) as f32)
            };
            let columns = [column(0), column(1), column(2), origin.map(|x| x as f32)];
            Self { mesh: instance.mesh() as usize, columns }
        };
        world.instances().map(of).collect()
    }
}

/// A library that finds closest points.
pub trait Locator {
    /// What reports call it.
    fn name(&self) -> &str;

    /// Distance of the mesh from `point`.
    fn distance(&self, point: [f32; 3]) -> f32;

    /// Answers all points.
    fn locate(&self, points: &[[f32; 3]], answers: &mut [f32]) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.distance(*point);
        }
    }
}
