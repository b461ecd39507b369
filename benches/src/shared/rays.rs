//! Rays as in a renderer, a light baker and a sensor.

use bvhc_runtime::{Hit, Ray};
use bvhc_tests::random::Random;

use super::model::Scene;
use super::stage::{Camera, Stage};
use super::vector::{along, dot, sub, unit};
use crate::peers::Question;

/// Rays of one kind.
pub struct Case {
    /// What reports call it.
    pub name: &'static str,
    /// The question about each ray.
    pub question: Question,
    /// The rays, in order.
    pub rays: Vec<Ray>,
}

/// Pixels per side of an image; two images make 73,728 rays.
const SIDE: u32 = 192;

/// Pixels per side of a tile, within which rays are consecutive.
const TILE: u32 = 8;

/// Rays without order.
const COUNT: usize = 1 << 16;

/// How far secondary rays start above the surface, relative to the model's size.
const LIFT: f32 = 1e-5;

/// All cases.
///
/// - `primary`: closest hits of two pinhole images, in tiles of 8 x 8 pixels.
/// - `incoherent`: closest hits from random points of a sphere around an object to random points of its bounds, or from
///   random points within a scene's bounds in random directions.
/// - `bounce`: closest hits from the hits of the primary rays in random directions off the surface.
/// - `shadow`: any hits from the hits of the primary rays to a light.
/// - `ambient`: any hits of the bounce rays within a tenth of the model's size.
pub fn cases(scene: &Scene) -> Vec<Case> {
    let primary = primary(scene);
    let seen = seen(scene, &primary);
    let bounce = bounce(&seen);
    let reach = 0.1 * scene.size();
    let ambient = bounce.iter().map(|ray| ray.with_range(0.0, reach)).collect();
    let shadow = shadow(scene, &seen);
    let case = |name, question, rays| Case { name, question, rays };
    vec![
        case("primary", Question::ClosestHit, primary),
        case("incoherent", Question::ClosestHit, incoherent(scene)),
        case("bounce", Question::ClosestHit, bounce),
        case("shadow", Question::AnyHit, shadow),
        case("ambient", Question::AnyHit, ambient),
    ]
}

fn primary(scene: &Scene) -> Vec<Ray> {
    scene.stage.cameras(scene).iter().flat_map(image).collect()
}

/// The rays of an image, tile by tile.
pub fn image(camera: &Camera) -> impl Iterator<Item = Ray> {
    let place = |pixel: u32| (pixel as f32 + 0.5) / SIDE as f32;
    tiled().map(move |[x, y]| camera.ray(place(x), place(y)))
}

/// The pixels of an image, tile by tile.
fn tiled() -> impl Iterator<Item = [u32; 2]> {
    let (across, area) = (SIDE / TILE, TILE * TILE);
    (0..SIDE * SIDE).map(move |index| {
        let (tile, pixel) = (index / area, index % area);
        [tile % across * TILE + pixel % TILE, tile / across * TILE + pixel / TILE]
    })
}

fn incoherent(scene: &Scene) -> Vec<Ray> {
    let mut random = Random::new(1);
    let bounds = scene.model().bounds();
    let ray = |_| match scene.stage {
        Stage::Around => {
            let origin = along(scene.centre(), 0.75 * scene.size(), random.direction());
            let target = random.point(bounds.min, bounds.max);
            Ray::new(origin, unit(sub(target, origin)))
        }
        Stage::Within { .. } => Ray::new(random.point(bounds.min, bounds.max), random.direction()),
    };
    (0..COUNT).map(ray).collect()
}

/// A point just above the surface, and the normal on that side.
struct Seen {
    point: [f32; 3],
    normal: [f32; 3],
}

fn seen(scene: &Scene, primary: &[Ray]) -> Vec<Seen> {
    let (model, lift) = (scene.model(), LIFT * scene.size());
    let at = |ray: &Ray, hit: Hit| {
        let normal = if hit.back { hit.normal.map(|x| -x) } else { hit.normal };
        Seen { point: along(along(ray.origin, hit.t, ray.direction), lift, normal), normal }
    };
    primary.iter().filter_map(|ray| Some(at(ray, model.closest_hit(ray)?))).collect()
}

fn bounce(seen: &[Seen]) -> Vec<Ray> {
    let mut random = Random::new(2);
    let ray = |seen: &Seen| {
        let direction = random.direction();
        let sign = if dot(direction, seen.normal) < 0.0 { -1.0 } else { 1.0 };
        Ray::new(seen.point, direction.map(|x| x * sign))
    };
    seen.iter().map(ray).collect()
}

fn shadow(scene: &Scene, seen: &[Seen]) -> Vec<Ray> {
    let light = scene.stage.light(scene);
    seen.iter().map(|seen| Ray::new(seen.point, sub(light, seen.point)).with_range(0.0, 1.0)).collect()
}
