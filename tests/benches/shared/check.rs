//! The checks before the clock: nobody is timed whose answers to these very queries are wrong.
//!
//! bvhc has no allowance. A sample of its answers is judged by the oracles, which look at every triangle; and so is
//! every answer of which a peer's differs. Peers may differ in a small share, for none of them is watertight.

use bvhc_runtime::{Model, Ray};
use bvhc_tests::oracle::{self, verdict};

use super::model::Scene;
use super::{points, rays};
use crate::peers::{Locator, Question, Tracer};

/// Relative difference of distances that are the same.
const TOLERANCE: f32 = 1e-4;

/// The share of a peer's answers that may differ.
const ALLOWANCE: f64 = 2e-3;

/// Queries that the oracle judges, and as many of those where a peer differs.
const SAMPLE: usize = 16;

/// Checks everybody's answers to a case, and that its rays are worth asking.
pub(crate) fn rays(scene: &Scene, case: &rays::Case, tracers: &[Box<dyn Tracer + '_>]) {
    let answers = |tracer: &dyn Tracer| {
        let mut answers = vec![0.0; case.rays.len()];
        tracer.trace(case.question, &case.rays, &mut answers);
        answers
    };
    let ours = answers(&*tracers[0]);
    let hits = ours.iter().filter(|t| t.is_finite()).count() as f64 / ours.len() as f64;
    // Within a closed hall, every ray that goes on for ever hits.
    let all = case.question == Question::ClosestHit && hits == 1.0;
    assert!(all || (0.01..1.0).contains(&hits), "{} {}: {hits} of the rays hit", scene.name, case.name);
    let mut judged = sample(ours.len());
    for tracer in &tracers[1..] {
        let place = format!("{} {} {}", scene.name, case.name, tracer.name());
        judged.extend(disputed(&place, &ours, &answers(&**tracer), 0.0));
    }
    for index in judged {
        judge_ray(scene, case.question, &case.rays[index], ours[index]);
    }
}

/// Checks everybody's answers to a case.
pub(crate) fn points(scene: &Scene, case: &points::Case, locators: &[Box<dyn Locator + '_>]) {
    let answers = |locator: &dyn Locator| {
        let mut answers = vec![0.0; case.points.len()];
        locator.locate(&case.points, &mut answers);
        answers
    };
    let ours = answers(&*locators[0]);
    let mut judged = sample(ours.len());
    for locator in &locators[1..] {
        let place = format!("{} {} {}", scene.name, case.name, locator.name());
        judged.extend(disputed(&place, &ours, &answers(&**locator), 1e-2 * TOLERANCE * scene.size()));
    }
    for index in judged {
        let expected = oracle::point::closest(&scene.mesh, case.points[index]).expect("triangles").distance;
        let error = (f64::from(ours[index]) - expected).abs();
        assert!(error <= 1e-6 * expected, "{} {index}: {} is not {expected}", scene.name, ours[index]);
    }
}

/// Indices evenly spread over `count`.
fn sample(count: usize) -> Vec<usize> {
    (0..count).step_by(count.div_ceil(SAMPLE).max(1)).collect()
}

/// Where answers differ by more than the tolerance and `slack`; a sample where there are many. Too many are an error.
fn disputed(place: &str, ours: &[f32], theirs: &[f32], slack: f32) -> Vec<usize> {
    let same = |a: f32, b: f32| a == b || (a - b).abs() <= TOLERANCE * a.abs() + slack;
    let differs = |index: &usize| !same(ours[*index], theirs[*index]);
    let disputed: Vec<_> = (0..ours.len()).filter(differs).collect();
    let share = disputed.len() as f64 / ours.len() as f64;
    eprintln!("{place}: {} of {} answers differ", disputed.len(), ours.len());
    assert!(share <= ALLOWANCE, "{place}: too many");
    sample(disputed.len()).into_iter().map(|index| disputed[index]).collect()
}

/// Whether the oracle accepts the answer.
fn judge_ray(scene: &Scene, question: Question, ray: &Ray, t: f32) {
    let Ray { origin, direction, t_min, t_max, .. } = *ray;
    let crossings = oracle::ray::all(&scene.mesh, &oracle::ray::Ray { origin, direction, t_min, t_max });
    let verdict = match question {
        Question::AnyHit => verdict::any(&crossings, t.is_finite()),
        Question::ClosestHit => verdict::closest(&crossings, answer(&scene.model(), ray, t)),
    };
    assert_eq!(verdict, Ok(()), "{} {ray:?}", scene.name);
}

/// The whole of the answer whose `t` was given.
fn answer(model: &Model<'_>, ray: &Ray, t: f32) -> Option<verdict::Answer> {
    let hit = model.closest_hit(ray);
    assert_eq!(hit.map_or(f32::INFINITY, |hit| hit.t), t, "the same ray has the same answer");
    let place = |hit: bvhc_runtime::Hit| [hit.t, hit.u, hit.v].map(f64::from);
    hit.map(|hit| {
        let [t, u, v] = place(hit);
        verdict::Answer { triangle: hit.triangle, t, u, v }
    })
}
