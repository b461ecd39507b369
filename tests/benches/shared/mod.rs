//! What the benchmarks share: models, queries about them, and the checks that come before any clock.
//!
//! Variables of the environment: `BVHC_MODELS` (a folder in place of `models/`), `BVHC_LARGE=1` (a model of 13 million
//! triangles for `load`), `BVHC_LEVELS=all` (bvhc at each SIMD level), `BVHC_QUALITY` (`fast`, `default` or `best`, the
//! default), `BVHC_ROUNDS` (rounds of `ratios`).

pub(crate) mod check;
pub(crate) mod load;
pub(crate) mod model;
pub(crate) mod points;
pub(crate) mod rays;
mod vector;

use crate::peers::bvh::Bvh;
use crate::peers::bvhc::Bvhc;
use crate::peers::obvhs::{Binary, THOROUGH, Wide};
use crate::peers::parry::Parry;
use crate::peers::{Locator, Tracer};
use model::Scene;

/// bvhc first, then every peer that traces rays.
pub(crate) fn tracers(scene: &Scene) -> Vec<Box<dyn Tracer + '_>> {
    let mut tracers: Vec<Box<dyn Tracer + '_>> = Vec::new();
    for level in Bvhc::levels(&scene.compiled.bytes) {
        tracers.push(Box::new(level));
    }
    tracers.push(Box::new(Parry::build(&scene.mesh)));
    tracers.push(Box::new(Binary::build(&scene.mesh, THOROUGH)));
    tracers.push(Box::new(Wide::build(&scene.mesh, THOROUGH)));
    tracers.push(Box::new(Bvh::build(&scene.mesh)));
    tracers
}

/// bvhc first, then every peer that finds closest points.
pub(crate) fn locators(scene: &Scene) -> Vec<Box<dyn Locator + '_>> {
    let mut locators: Vec<Box<dyn Locator + '_>> = Vec::new();
    for level in Bvhc::levels(&scene.compiled.bytes) {
        locators.push(Box::new(level));
    }
    locators.push(Box::new(Parry::build(&scene.mesh)));
    locators.push(Box::new(Bvh::build(&scene.mesh)));
    locators
}
