//! The checks before timing: no library is timed if its answers to these very queries are wrong.
//!
//! - bvhc: for each case the oracles, which test every triangle, classify [`SAMPLE`] answers, and as many of those in
//!   which a peer differs. No error is permitted.
//! - bvhc in batches and at lower SIMD levels: the same bits.
//! - bvhc in the small layout: [`SAMPLE`] answers, by the oracles, against the triangles in that file.
//! - Peers: how many answers differ from bvhc's by more than rounding, and how many of a sample of these are wrong by
//!   the oracles. A small share may differ, which [`EXCUSES`] raises for some.

use bvhc::mesh::Mesh;
use bvhc_runtime::{Model, Ray};
use bvhc_tests::oracle::ray::{Class, Crossing};
use bvhc_tests::oracle::{self, classification};
use bvhc_tests::support::stored::stored;

use super::model::Scene;
use super::{points, rays};
use crate::peers::{Locator, Question, Tracer};

/// Distances with at most this relative difference count as equal.
const TOLERANCE: f32 = 1e-4;

/// Closest hits with at most this difference, relative to the model's size, count as equal: a rounding of `f32`
/// coordinates. Directions of such rays have length 1.
const RAY_SLACK: f32 = 1e-7;

/// The same for distances from points, for which peers add squares.
const POINT_SLACK: f32 = 1e-6;

/// The share of a peer's answers that may differ.
const ALLOWANCE: f64 = 2e-3;

/// Model, peer and share, for those in which more may differ.
const EXCUSES: [(&str, &str, f64); 8] = [
    // Möller's and Trumbore's test misses or displaces hits on beams a thousand times longer than thick.
    ("hall", "bvh", 6e-3),
    ("hall", "tinybvh", 4e-3),
    ("hall", "Embree HIGH", 4e-3),
    ("hall", "Embree HIGH 16", 4e-3),
    // Every seventieth shadow ray: hits that the binary tree of the same crate finds.
    ("town", "obvhs CWBVH", 2e-2),
    // Ericson's classification suffers cancellation on the rails of fences.
    ("town", "bvh", 2e-2),
    ("town", "Embree HIGH", 2e-2),
    ("town", "FCPW", 2e-2),
];

/// The share of this peer's answers that may differ.
fn allowance(scene: &Scene, peer: &str) -> f64 {
    let excuse = EXCUSES.iter().find(|(model, name, _)| *model == scene.name && *name == peer);
    excuse.map_or(ALLOWANCE, |(_, _, share)| *share)
}

/// The number of answers per case that the oracle classifies, and of those in which a peer differs.
const SAMPLE: usize = 64;

/// bvhc with a file whose vertices are rounded: its answers differ.
const SMALL: &str = "bvhc small";

/// Checks all answers to a case, and that its rays are a useful benchmark.
pub fn rays(scene: &Scene, case: &rays::Case, tracers: &[Box<dyn Tracer + '_>]) {
    let answers = |tracer: &dyn Tracer| {
        let mut answers = vec![0.0; case.rays.len()];
        tracer.trace(case.question, &case.rays, &mut answers);
        answers
    };
    let ours = answers(&*tracers[0]);
    check_case(scene, case, &ours);
    judge_rays(&scene.mesh, &scene.model(), case, &ours, &sample(ours.len()));
    for tracer in &tracers[1..] {
        let (theirs, peer) = (answers(&**tracer), tracer.name());
        if peer == SMALL {
            let small = scene.small();
            judge_rays(&stored(&small), &small, case, &theirs, &sample(theirs.len()));
        } else if peer.starts_with("bvhc") {
            assert!(same_bits(&ours, &theirs), "{} {}: {peer} answers otherwise", scene.name, case.name);
        } else {
            let differing = differing(&ours, &theirs, RAY_SLACK * scene.size());
            let judged = sample_of(&differing);
            judge_rays(&scene.mesh, &scene.model(), case, &ours, &judged);
            let is_wrong = |index: &&usize| {
                let crossings = crossings(&scene.mesh, &case.rays[**index]);
                !accepts(&crossings, case.question, theirs[**index], RAY_SLACK * scene.size())
            };
            let wrong = judged.iter().filter(is_wrong).count();
            report(scene, case.name, peer, [differing.len(), ours.len(), wrong, judged.len()]);
        }
    }
}

/// Checks all answers to a case.
pub fn points(scene: &Scene, case: &points::Case, locators: &[Box<dyn Locator + '_>]) {
    let answers = |locator: &dyn Locator| {
        let mut answers = vec![0.0; case.points.len()];
        locator.locate(&case.points, &mut answers);
        answers
    };
    let exact =
        |index: usize| oracle::point::closest(&scene.mesh, case.points[index]).expect("triangles").distance;
    let ours = answers(&*locators[0]);
    let judge = |index: usize| {
        let (found, exact) = (f64::from(ours[index]), exact(index));
        assert!((found - exact).abs() <= 1e-6 * exact, "{} {index}: {found} is not {exact}", scene.name);
        exact
    };
    for index in sample(ours.len()) {
        judge(index);
    }
    for locator in &locators[1..] {
        let (theirs, peer) = (answers(&**locator), locator.name());
        if peer.starts_with("bvhc") {
            assert!(same_bits(&ours, &theirs), "{} {}: {peer} answers otherwise", scene.name, case.name);
            continue;
        }
        let slack = POINT_SLACK * scene.size();
        let differing = differing(&ours, &theirs, slack);
        let judged = sample_of(&differing);
        let is_wrong = |index: &&usize| !same(judge(**index) as f32, theirs[**index], slack);
        let wrong = judged.iter().filter(is_wrong).count();
        report(scene, case.name, peer, [differing.len(), ours.len(), wrong, judged.len()]);
    }
}

/// Asserts that some of the rays hit, and some do not.
fn check_case(scene: &Scene, case: &rays::Case, answers: &[f32]) {
    let hits = answers.iter().filter(|t| t.is_finite()).count() as f64 / answers.len() as f64;
    // Within a closed hall, every infinite ray hits.
    let all = case.question == Question::ClosestHit && hits == 1.0;
    assert!(all || (0.01..1.0).contains(&hits), "{} {}: {hits} of the rays hit", scene.name, case.name);
}

/// Indices evenly spread over `count`.
pub fn sample(count: usize) -> Vec<usize> {
    (0..count).step_by(count.div_ceil(SAMPLE).max(1)).collect()
}

/// Some of these indices, evenly spread.
pub fn sample_of(indices: &[usize]) -> Vec<usize> {
    sample(indices.len()).into_iter().map(|index| indices[index]).collect()
}

fn same_bits(ours: &[f32], theirs: &[f32]) -> bool {
    ours.iter().zip(theirs).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Whether two answers differ by no more than the tolerance and `slack`.
fn same(a: f32, b: f32, slack: f32) -> bool {
    // The smaller of both, since a miss is infinite.
    a == b || (a - b).abs() <= TOLERANCE * a.min(b) + slack
}

/// Where answers are not the same.
pub fn differing(ours: &[f32], theirs: &[f32], slack: f32) -> Vec<usize> {
    (0..ours.len()).filter(|index| !same(ours[*index], theirs[*index], slack)).collect()
}

/// Prints how many of a peer's answers differ, out of how many, and how many of those that the oracle classified are
/// wrong; asserts that not too many differ.
fn report(scene: &Scene, case: &str, peer: &str, [differing, count, wrong, judged]: [usize; 4]) {
    let place = format!("{} {case} {peer}", scene.name);
    eprintln!(
        "{place}: {differing} of {count} answers differ; by the oracle, {wrong} of {judged} of these are wrong"
    );
    let share = differing as f64 / count as f64;
    assert!(share <= allowance(scene, peer), "{place}: too many");
}

fn crossings(mesh: &Mesh, ray: &Ray) -> Vec<Crossing> {
    let Ray { origin, direction, t_min, t_max, .. } = *ray;
    oracle::ray::all(mesh, &oracle::ray::Ray { origin, direction, t_min, t_max })
}

/// Whether `t` alone may be the answer: that of a triangle that may be hit, with no triangle before it that is
/// certainly hit.
fn accepts(crossings: &[Crossing], question: Question, t: f32, slack: f32) -> bool {
    if question == Question::AnyHit || t.is_infinite() {
        return classification::any(crossings, t.is_finite()).is_ok();
    }
    let is_at = |crossing: &Crossing| same(crossing.t as f32, t, slack);
    let is_before =
        |crossing: &Crossing| crossing.class == Class::Hit && (crossing.t as f32) < t && !is_at(crossing);
    crossings.iter().any(is_at) && !crossings.iter().any(is_before)
}

/// Asserts that the oracle accepts these answers of bvhc's.
fn judge_rays(mesh: &Mesh, model: &Model<'_>, case: &rays::Case, answers: &[f32], indices: &[usize]) {
    for &index in indices {
        let (ray, t) = (&case.rays[index], answers[index]);
        let crossings = crossings(mesh, ray);
        let classification = match case.question {
            Question::AnyHit => classification::any(&crossings, t.is_finite()),
            Question::ClosestHit => classification::closest(&crossings, answer(model, ray, t)),
        };
        assert_eq!(classification, Ok(()), "{} {ray:?}", case.name);
    }
}

/// The whole answer whose `t` was given.
fn answer(model: &Model<'_>, ray: &Ray, t: f32) -> Option<classification::Answer> {
    let hit = model.closest_hit(ray);
    assert_eq!(hit.map_or(f32::INFINITY, |hit| hit.t), t, "the same ray has the same answer");
    let place = |hit: bvhc_runtime::Hit| [hit.t, hit.u, hit.v].map(f64::from);
    hit.map(|hit| {
        let [t, u, v] = place(hit);
        classification::Answer { triangle: hit.triangle, t, u, v }
    })
}
