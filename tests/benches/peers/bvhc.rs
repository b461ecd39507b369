//! bvhc itself, at one SIMD level.

use bvhc_runtime::{Level, Model, Ray};
use std::hint::black_box;

use super::{Locator, Tracer};

/// An opened file.
pub(crate) struct Bvhc<'a> {
    name: String,
    model: Model<'a>,
}

impl<'a> Bvhc<'a> {
    /// The file at the [level](super::level) asked for, called `bvhc`; with `BVHC_LEVELS=all` at every lower one too.
    pub(crate) fn levels(bytes: &'a [u8]) -> Vec<Self> {
        let model = Model::from_bytes(bytes).expect("a compiled file opens");
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

impl Tracer for Bvhc<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> usize {
        size_of_val(self.model.nodes()) + self.model.blocks().bytes()
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
