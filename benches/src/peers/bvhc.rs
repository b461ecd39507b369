//! bvhc itself, at one SIMD level: single queries and batches.

use bvhc_runtime::{ClosestPoint, Hit, Level, Model, Ray, World};
use std::hint::black_box;

use super::{Locator, Question, Tracer};

/// An opened file.
pub struct Bvhc<'a> {
    name: String,
    model: Model<'a>,
}

impl<'a> Bvhc<'a> {
    /// The file at the [level](super::level) asked for, called `bvhc`; with `BVHC_LEVELS=all` at every lower one too.
    pub fn levels(model: Model<'a>) -> Vec<Self> {
        let best = super::level();
        let mut levels = vec![best];
        if std::env::var("BVHC_LEVELS").is_ok_and(|levels| levels == "all") {
            let lower: Vec<_> = Level::available().take_while(|level| level.name() != best.name()).collect();
            levels.extend(lower.into_iter().rev());
        }
        let named = |(rank, level): (usize, Level)| {
            let name = if rank == 0 { "bvhc".to_owned() } else { format!("bvhc {}", level.name()) };
            Self { name, model: model.with_level(level) }
        };
        levels.into_iter().enumerate().map(named).collect()
    }
}

impl<'a> Bvhc<'a> {
    /// A file at the level asked for, under another name.
    pub fn named(name: &str, model: Model<'a>) -> Self {
        Self { name: name.to_owned(), model: model.with_level(super::level()) }
    }
}

/// An opened file that answers rays or points in batches, or as many rays one by one: either way, hits are kept until
/// all are there.
pub struct Batch<'a> {
    name: &'static str,
    model: Model<'a>,
    one_by_one: bool,
}

/// An opened world.
pub struct Instances<'a>(pub World<'a>);

/// Rays or points per batch.
const AT_ONCE: usize = 256;

impl<'a> Batch<'a> {
    /// The file at the [level](super::level) asked for.
    pub fn of(model: Model<'a>) -> Self {
        Self { name: "bvhc batch", model: model.with_level(super::level()), one_by_one: false }
    }

    /// The same, ray by ray.
    pub fn one_by_one(model: Model<'a>) -> Self {
        Self { name: "bvhc single", one_by_one: true, ..Self::of(model) }
    }
}

impl Tracer for Batch<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn bytes(&self) -> usize {
        size_of_val(self.model.sections().nodes()) + self.model.sections().blocks().bytes()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        self.model.closest_hit(ray).map_or(f32::INFINITY, |hit| hit.t)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.model.any_hit(ray)
    }

    fn trace(&self, question: Question, rays: &[Ray], answers: &mut [f32]) {
        let (mut closest, mut any): ([Option<Hit>; AT_ONCE], _) = ([None; AT_ONCE], [false; AT_ONCE]);
        for (rays, answers) in rays.chunks(AT_ONCE).zip(answers.chunks_mut(AT_ONCE)) {
            match question {
                Question::ClosestHit => {
                    if self.one_by_one {
                        for (ray, hit) in rays.iter().zip(&mut closest) {
                            *hit = self.model.closest_hit(ray);
                        }
                    } else {
                        self.model.closest_hits(rays, &mut closest);
                    }
                    for (answer, hit) in answers.iter_mut().zip(black_box(&closest)) {
                        *answer = hit.map_or(f32::INFINITY, |hit| hit.t);
                    }
                }
                Question::AnyHit => {
                    if self.one_by_one {
                        for (ray, hit) in rays.iter().zip(&mut any) {
                            *hit = self.model.any_hit(ray);
                        }
                    } else {
                        self.model.any_hits(rays, &mut any);
                    }
                    for (answer, hit) in answers.iter_mut().zip(black_box(&any)) {
                        *answer = if *hit { 0.0 } else { f32::INFINITY };
                    }
                }
            }
        }
    }
}

impl Tracer for Instances<'_> {
    fn name(&self) -> &str {
        "bvhc"
    }

    fn bytes(&self) -> usize {
        let section = self.0.section();
        let of_mesh =
            |model: &Model<'_>| size_of_val(model.sections().nodes()) + model.sections().blocks().bytes();
        size_of_val(section.nodes.get())
            + size_of_val(section.leaves.get())
            + size_of_val(section.instances.get())
            + self.0.meshes().iter().flatten().map(of_mesh).sum::<usize>()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        black_box(self.0.closest_hit(ray)).map_or(f32::INFINITY, |found| found.hit.t)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.0.any_hit(ray)
    }
}

impl Tracer for Bvhc<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> usize {
        size_of_val(self.model.sections().nodes()) + self.model.sections().blocks().bytes()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        black_box(self.model.closest_hit(ray)).map_or(f32::INFINITY, |hit| hit.t)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.model.any_hit(ray)
    }
}

impl Locator for Bvhc<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn distance(&self, point: [f32; 3]) -> f32 {
        let nearest = black_box(self.model.closest_point(point, f32::INFINITY));
        nearest.map_or(f32::INFINITY, |nearest| nearest.distance)
    }
}

impl Locator for Batch<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn distance(&self, point: [f32; 3]) -> f32 {
        self.model.closest_point(point, f32::INFINITY).map_or(f32::INFINITY, |nearest| nearest.distance)
    }

    fn locate(&self, points: &[[f32; 3]], answers: &mut [f32]) {
        let mut nearest: [Option<ClosestPoint>; AT_ONCE] = [None; AT_ONCE];
        for (points, answers) in points.chunks(AT_ONCE).zip(answers.chunks_mut(AT_ONCE)) {
            self.model.closest_points(points, f32::INFINITY, &mut nearest);
            for (answer, nearest) in answers.iter_mut().zip(black_box(&nearest)) {
                *answer = nearest.map_or(f32::INFINITY, |nearest| nearest.distance);
            }
        }
    }
}
