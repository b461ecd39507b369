//! The checks before timing: no world is timed whose answers are wrong.
//!
//! bvhc: any hits are those rays that have a closest hit, and in a sample of the rays, and of those in which a peer differs, the closest
//! hit is, bit for bit, the least of those that each instance's mesh gives when it is asked alone. Peers: how many answers differ from
//! bvhc's by more than rounding; a small share may.

use bvhc_benches::peers::{Question, Tracer};
use bvhc_benches::shared::check::{differing, sample, sample_of};
use bvhc_benches::shared::rays::Case;
use bvhc_benches::shared::vector::{length, sub};
use bvhc_runtime::{Ray, World};

/// Closest hits with at most this difference, relative to the world's size, count as equal: peers transform rays in f32.
const SLACK: f32 = 1e-6;

/// The share of a peer's answers that may differ.
const ALLOWANCE: f64 = 5e-3;

/// Checks all answers to a case; returns the share of rays that hit.
pub(super) fn rays(
    world: &World<'_>,
    scene: &str,
    case: &Case,
    ours: &dyn Tracer,
    peers: &[Option<&dyn Tracer>],
) -> f64 {
    let answers = |tracer: &dyn Tracer| {
        let mut answers = vec![0.0; case.rays.len()];
        tracer.trace(case.question, &case.rays, &mut answers);
        answers
    };
    let ours = answers(ours);
    for (ray, t) in case.rays.iter().zip(&ours) {
        assert!(case.question == Question::ClosestHit || world.closest_hit(ray).is_some() == t.is_finite());
    }
    judge(world, case, &sample(case.rays.len()));
    let bounds = world.bounds();
    let slack = SLACK * length(sub(bounds.max, bounds.min));
    for peer in peers.iter().flatten() {
        let differing = differing(&ours, &answers(*peer), slack);
        judge(world, case, &sample_of(&differing));
        let (count, of) = (differing.len(), ours.len());
        eprintln!("{scene}, {}: {count} of {of} answers of {} differ", case.name, peer.name());
        assert!(count as f64 <= ALLOWANCE * of as f64, "too many");
    }
    ours.iter().filter(|t| t.is_finite()).count() as f64 / ours.len() as f64
}

/// Asserts that these closest hits are those of asking each instance alone.
fn judge(world: &World<'_>, case: &Case, indices: &[usize]) {
    for &index in indices {
        let ray = &case.rays[index];
        let found = world.closest_hit(ray).map(|found| (found.hit.t, found.instance, found.hit.triangle));
        assert_eq!(found, one_by_one(world, ray), "{} {ray:?}", case.name);
    }
}

/// `t`, instance and triangle of the closest hit.
fn one_by_one(world: &World<'_>, ray: &Ray) -> Option<(f32, u32, u32)> {
    let hits = world.instances().filter_map(|instance| {
        let mesh = world.mesh(instance.mesh()).expect("the world has its meshes");
        let hit = mesh.closest_hit(&instance.similarity().inverse_transform_ray(ray))?;
        Some((hit.t, instance.number(), hit.triangle))
    });
    hits.min_by(|a, b| a.partial_cmp(b).expect("t is a number"))
}
