//! Rays like those of typical programs, and where each ends.
//!
//! A quarter each starts around the model, within its bounds, and at the hits of these two in a random direction, and a
//! quarter are shadow rays from these hits to points around the model. All end at their closest hit, as no query looks
//! behind it.

use bvhc_runtime::{Hit, Model, Ray};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Deadline;
use super::random::Random;
use super::visits::Segment;

/// How far above a surface rays start, relative to the model's size.
const LIFT: f32 = 1e-4;

/// How far from the middle rays begin that come from outside, relative to the model's size.
const DISTANCE: f32 = 0.75;

/// A set of `4 * quarter` segments at most, the same for the same seed; `None` if that takes longer than it may. (Where thousands of
/// triangles coincide, each ray tests them all.)
pub(super) fn segments(
    model: &Model<'_>,
    quarter: u32,
    seed: u64,
    deadline: &Deadline,
) -> Option<Vec<Segment>> {
    let extent = Extent::of(model);
    let family = |index: u32| match deadline.is_over() {
        true => Vec::new(),
        false => extent.family(model, seed << 32 | u64::from(index)),
    };
    let segments = (0..quarter).into_par_iter().flat_map_iter(family).collect();
    (!deadline.is_over()).then_some(segments)
}

/// The extent of the model.
struct Extent {
    lower: [f32; 3],
    upper: [f32; 3],
    centre: [f32; 3],
    /// The diagonal.
    size: f32,
}

impl Extent {
    fn of(model: &Model<'_>) -> Self {
        let bounds = model.bounds();
        let extent = [0, 1, 2].map(|axis| bounds.max[axis] - bounds.min[axis]);
        let centre = [0, 1, 2].map(|axis| bounds.min[axis] + 0.5 * extent[axis]);
        let size = extent.iter().map(|x| x * x).sum::<f32>().sqrt();
        Self { lower: bounds.min, upper: bounds.max, centre, size }
    }

    /// One ray of each kind; fewer where the first two hit nothing.
    fn family(&self, model: &Model<'_>, seed: u64) -> Vec<Segment> {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let outside = along(self.centre, DISTANCE * self.size, random.direction());
        let target = random.point(self.lower, self.upper);
        let inside = random.point(self.lower, self.upper);
        let first = [Ray::new(outside, toward(outside, target)), Ray::new(inside, random.direction())];
        let hits = first.map(|ray| model.closest_hit(&ray));
        let mut segments: Vec<Segment> =
            first.iter().zip(hits).map(|(ray, hit)| self.until(ray, hit)).collect();
        if let Some((ray, hit)) = first.iter().zip(hits).find_map(|(ray, hit)| Some((ray, hit?))) {
            let (start, normal) = self.above(ray, &hit);
            let bounce = Ray::new(start, facing(random.direction(), normal));
            segments.push(self.until(&bounce, model.closest_hit(&bounce)));
            let light = along(self.centre, self.size, random.direction());
            let shadow = Ray::new(start, toward(start, light)).with_range(0.0, 1.0);
            segments.push(self.until(&shadow, model.closest_hit(&shadow)));
        }
        segments
    }

    /// The ray up to its hit, or out of the bounds.
    fn until(&self, ray: &Ray, hit: Option<Hit>) -> Segment {
        Segment::new(ray.origin, ray.direction, hit.map_or(ray.t_max, |hit| hit.t))
    }

    /// A point just above a hit, on the side from which the ray comes, and the normal there.
    fn above(&self, ray: &Ray, hit: &Hit) -> ([f32; 3], [f32; 3]) {
        let normal = if hit.back { hit.normal.map(|x| -x) } else { hit.normal };
        (along(along(ray.origin, hit.t, ray.direction), LIFT * self.size, normal), normal)
    }
}

fn along(from: [f32; 3], by: f32, direction: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| from[axis] + by * direction[axis])
}

fn toward(from: [f32; 3], to: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| to[axis] - from[axis])
}

/// A direction, reversed where it points away from a normal.
fn facing(direction: [f32; 3], normal: [f32; 3]) -> [f32; 3] {
    let cosine: f32 = (0..3).map(|axis| direction[axis] * normal[axis]).sum();
    if cosine < 0.0 { direction.map(|x| -x) } else { direction }
}
