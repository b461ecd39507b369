//! The participants of each benchmark.

use super::model::Scene;
use crate::peers::bvh::Bvh;
use crate::peers::bvhc::{Batch, Bvhc};
use crate::peers::embree::{Embree, Packets};
use crate::peers::fcpw::Fcpw;
use crate::peers::obvhs::{Binary, THOROUGH, Wide};
use crate::peers::parry::Parry;
use crate::peers::tinybvh::Tinybvh;
use crate::peers::{Locator, Tracer};

type Boxed<'a> = Box<dyn Tracer + 'a>;
/// A name, and a function that builds the participant, if it is present.
type Entry = (&'static str, fn(&Scene) -> Option<Boxed<'_>>);

/// Peers that answer ray by ray.
const PEERS: [Entry; 8] = [
    ("bvhc small", |scene| Some(Box::new(Bvhc::named("bvhc small", scene.small())))),
    ("parry3d", |scene| Some(Box::new(Parry::build(&scene.mesh)))),
    ("obvhs BVH2", |scene| Some(Box::new(Binary::build(&scene.mesh, THOROUGH)))),
    ("obvhs CWBVH", |scene| Some(Box::new(Wide::build(&scene.mesh, THOROUGH)))),
    ("bvh", |scene| Some(Box::new(Bvh::build(&scene.mesh)))),
    ("tinybvh", |scene| boxed(Tinybvh::build(&scene.mesh))),
    ("Embree HIGH", |scene| boxed(Embree::high(&scene.mesh))),
    ("Embree ROBUST", |scene| boxed(Embree::robust(&scene.mesh))),
];

/// Libraries that answer many rays at a time.
const BATCHES: [Entry; 3] = [
    ("bvhc batch", |scene| Some(Box::new(Batch::of(scene.model())))),
    ("bvhc single", |scene| Some(Box::new(Batch::one_by_one(scene.model())))),
    ("Embree HIGH 16", |scene| boxed(Packets::high(&scene.mesh))),
];

fn boxed<'a>(tracer: Option<impl Tracer + 'a>) -> Option<Boxed<'a>> {
    tracer.map(|tracer| Box::new(tracer) as Boxed<'a>)
}

/// bvhc first, then every peer that answers ray by ray.
pub fn tracers(scene: &Scene) -> Vec<Boxed<'_>> {
    let peers = PEERS.iter().filter_map(|(_, build)| build(scene));
    levels(scene).chain(peers).collect()
}

/// bvhc first, many rays at a time and one by one, then the others that answer many at a time.
pub fn batches(scene: &Scene) -> Vec<Boxed<'_>> {
    BATCHES.iter().filter_map(|(_, build)| build(scene)).collect()
}

/// The participant with this name, if it is present.
pub fn tracer<'a>(scene: &'a Scene, name: &str) -> Option<Boxed<'a>> {
    let named = PEERS.iter().chain(&BATCHES).find(|(known, _)| *known == name);
    match named {
        Some((_, build)) => build(scene),
        None => levels(scene).find(|level| level.name() == name),
    }
}

fn levels(scene: &Scene) -> impl Iterator<Item = Boxed<'_>> {
    let levels = Bvhc::levels(scene.model());
    levels.into_iter().map(|level| Box::new(level) as Boxed<'_>)
}

/// bvhc first, point by point and many at a time, then every peer that finds closest points.
pub fn locators(scene: &Scene) -> Vec<Box<dyn Locator + '_>> {
    let mut locators: Vec<Box<dyn Locator + '_>> = Vec::new();
    for level in Bvhc::levels(scene.model()) {
        locators.push(Box::new(level));
    }
    locators.push(Box::new(Batch::of(scene.model())));
    locators.push(Box::new(Parry::build(&scene.mesh)));
    locators.push(Box::new(Bvh::build(&scene.mesh)));
    if let Some(embree) = Embree::high(&scene.mesh) {
        locators.push(Box::new(embree));
    }
    if let Some(fcpw) = Fcpw::build(&scene.mesh) {
        locators.push(Box::new(fcpw));
    }
    locators
}
