//! Queries whose work is counted: whatever the bytes of a file are, it stays within the bounds that `docs/untrusted-files.md`
//! states.

use std::ops::ControlFlow;

use bvhc_runtime::{Aabb, Against, Counters, Model, Pose, Ray, VisitControl, Volume, WorkBudget};

use super::answers::{hit_bits, poses};

/// Asks all kinds of queries of a model whose file may be corrupt; those of two models may take these steps. Panics if one
/// takes more work than its bound.
pub fn ask_bounded(model: &Model<'_>, steps: u64) {
    ask_each(model);
    ask_batches(model);
    ask_for_all(model, &Aabb { min: [-0.5; 3], max: [0.5; 3] });
    ask_for_all(model, &Aabb { min: [-10.0, -10.0, 0.1], max: [10.0; 3] });
    for pose in poses() {
        Volume::ALL.iter().for_each(|volume| ask_of_two(model, *volume, &pose, steps));
    }
}

/// How many nodes and blocks a model has.
fn records(model: &Model<'_>) -> u64 {
    (model.sections().nodes().len() + model.sections().blocks().count()) as u64
}

fn ask_each(model: &Model<'_>) {
    let ray = Ray::new([0.1, 0.2, 3.0], [0.0, 0.1, -1.0]);
    let questions: [&dyn Fn(&mut Counters) -> bool; 3] = [
        &|counters| model.closest_hit_with(&ray, counters).is_some(),
        &|counters| model.any_hit_with(&ray, counters),
        &|counters| model.closest_point_with([0.3, 0.2, 0.1], f32::INFINITY, counters).is_some(),
    ];
    for ask in questions {
        let mut counters = Counters::default();
        std::hint::black_box(ask(&mut counters));
        assert!(counters.nodes + counters.blocks <= records(model), "{counters:?}");
    }
}

/// Asks many rays at once of a model whose file may be corrupt: in packets where they are similar, and interleaved, where
/// each ray's answer must be that of a query of its own. Panics if it takes more visits than the file has nodes and blocks,
/// for each ray and each packet.
fn ask_batches(model: &Model<'_>) {
    const RAYS: u64 = 48;
    let ray = |index: u64| {
        let along = index as f32 / RAYS as f32 - 0.5;
        let sign = if index < RAYS / 2 || index.is_multiple_of(2) { 1.0 } else { -1.0 };
        Ray::new([along, 0.3 * along, -4.0 * sign], [0.1, 0.05 + 0.1 * along, sign])
    };
    let rays = Vec::from_iter((0..RAYS).map(ray));
    let most = 2 * RAYS * records(model);
    let (mut hits, mut any) = (vec![None; rays.len()], vec![false; rays.len()]);
    let mut counters = Counters::default();
    model.closest_hits_with(&rays, &mut hits, &mut counters);
    assert!(counters.nodes + counters.blocks <= most, "{counters:?} {most}");
    let mut counters = Counters::default();
    model.any_hits_with(&rays, &mut any, &mut counters);
    assert!(counters.nodes + counters.blocks <= most, "{counters:?} {most}");
    model.closest_hits_interleaved(&rays, &mut hits);
    model.any_hits_interleaved(&rays, &mut any);
    for ((ray, hit), any) in rays.iter().zip(&hits).zip(&any) {
        let single = model.closest_hit(ray);
        assert_eq!(hit.as_ref().map(hit_bits), single.as_ref().map(hit_bits));
        assert_eq!(*any, model.any_hit(ray));
    }
}

/// Asks for all triangles of a box and all hits of a ray; returns how many were reported of each.
///
/// # Panics
/// If that takes more tests of nodes than a valid file of the same size, or reports more triangles than there are.
pub fn ask_for_all(model: &Model<'_>, extent: &Aabb) -> [u64; 2] {
    let slots = model.sections().splits().map_or(0, |splits| splits.slots.len());
    let most = records(model) + 2 * slots as u64;
    let (mut counters, mut found) = ([Counters::default(); 2], [0; 2]);
    let _ = model.overlap_box_with(extent, &mut counters[0], |_| {
        found[0] += 1;
        ControlFlow::Continue(())
    });
    let ray = Ray::new(extent.min, [0, 1, 2].map(|axis| extent.max[axis] - extent.min[axis]));
    model.all_hits_with(&ray, &mut counters[1], |_| {
        found[1] += 1;
        VisitControl::Continue
    });
    for (counters, found) in counters.iter().zip(found) {
        assert!(counters.nodes + counters.blocks <= most, "{counters:?} {most}");
        assert!(found <= model.triangle_count(), "{found}");
    }
    found
}

/// The steps that queries took, by their counts.
pub fn spent(budget: &WorkBudget) -> u64 {
    let tests = budget.triangle_pairs + budget.part_tests + EXACT_STEPS * budget.exact_tests;
    budget.node_pairs + budget.leaf_pairs + tests
}

/// What an exact test costs beside the step for a pair of triangles.
const EXACT_STEPS: u64 = 8;

fn ask_of_two(model: &Model<'_>, volume: Volume, pose: &Pose, steps: u64) {
    let most = model.triangle_count().saturating_mul(model.triangle_count());
    let check = |ask: &dyn Fn(Against<'_>) -> (bool, u64)| {
        let mut budget = WorkBudget::of_steps(steps);
        let (answered, reports) = ask(model.against(model, pose).volume(volume).budget(&mut budget));
        // The test that finds the budget empty was counted before.
        assert!(spent(&budget) <= steps + 1 + EXACT_STEPS, "{budget:?}");
        assert!(!answered || spent(&budget) == steps - budget.left, "{budget:?}");
        assert!(reports <= most, "{reports} {most}");
    };
    check(&|asked| (asked.first_pair().is_ok(), 0));
    check(&|asked| (asked.within(0.05).is_ok(), 0));
    check(&|asked| (asked.distance().is_ok(), 0));
    check(&|asked| {
        let mut reports = 0;
        let end = asked.all_pairs(|_| {
            reports += 1;
            ControlFlow::Continue(())
        });
        (end.is_ok(), reports)
    });
    check(&|asked| {
        let mut reports = 0;
        let end = asked.pairs_within(0.05, |_| {
            reports += 1;
            ControlFlow::Continue(())
        });
        (end.is_ok(), reports)
    });
}
