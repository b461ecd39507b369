//! The answers of all queries in a form where equality means equal bits.

use std::ops::ControlFlow;

use bvhc_runtime::{
    Aabb, CastHit, ClosestPoint, Contact, Cuboid, Hit, InsideRule, Model, Pose, Ray, ShapeCast, Tolerance,
    Touches, VisitControl, WarmStart, WorkBudget,
};

/// A hit, bit by bit.
pub fn hit_bits(hit: &Hit) -> [u32; 8] {
    let [x, y, z] = hit.normal.map(f32::to_bits);
    [hit.triangle, hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), x, y, z, u32::from(hit.back)]
}

/// A closest point, bit by bit.
pub fn nearest_bits(nearest: &ClosestPoint) -> [u32; 5] {
    let [x, y, z] = nearest.point.map(f32::to_bits);
    [nearest.triangle, nearest.distance.to_bits(), x, y, z]
}

/// All hits of a ray, by triangle number; no triangle may be reported twice.
pub fn all_hits(model: &Model<'_>, ray: &Ray) -> Vec<Hit> {
    let mut hits = Vec::new();
    model.all_hits(ray, |hit| {
        hits.push(*hit);
        VisitControl::Continue
    });
    hits.sort_by_key(|hit| hit.triangle);
    assert!(hits.is_sorted_by(|a, b| a.triangle < b.triangle), "a triangle was reported twice");
    hits
}

/// The hit that the closest-hit query must return: the lowest `t`, and of equals the lowest number.
pub fn first_of(hits: &[Hit]) -> Option<&Hit> {
    hits.iter().reduce(|a, b| if (b.t, b.triangle) < (a.t, a.triangle) { b } else { a })
}

/// The triangles that touch a box, ascending, each once.
pub fn in_box(model: &Model<'_>, extent: &Aabb) -> Vec<u32> {
    let mut found = Vec::new();
    let flow = model.overlap_box(extent, |overlap| {
        found.push(overlap.triangle);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    ascending(found)
}

/// The triangles that touch a ball, ascending, each once.
pub fn in_ball(model: &Model<'_>, centre: [f32; 3], radius: f32) -> Vec<u32> {
    let mut found = Vec::new();
    let flow = model.overlap_sphere(centre, radius, |overlap| {
        found.push(overlap.triangle);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    ascending(found)
}

fn ascending(mut found: Vec<u32>) -> Vec<u32> {
    found.sort_unstable();
    assert!(found.is_sorted_by(|a, b| a < b), "a triangle was reported twice");
    found
}

/// Runs all queries on a model whose file may be corrupt, and reads all its names; nothing may panic or hang.
///
/// Returns the number of answers, so that nothing can be optimised away.
pub fn ask_everything(model: &Model<'_>, rays: &[Ray], points: &[[f32; 3]]) -> u64 {
    let mut answers = ask_names(model);
    answers += model.intersecting_triangles().map_or(0, |triangles| triangles.map(u64::from).sum());
    for ray in rays {
        answers += u64::from(model.closest_hit(ray).is_some()) + u64::from(model.any_hit(ray));
        model.all_hits(ray, |hit| {
            answers += u64::from(model.source_of(hit.triangle).is_some());
            VisitControl::Continue
        });
        model.all_hits(ray, |hit| VisitControl::UpTo(hit.t));
        answers +=
            u64::from(model.sections().hull().is_some_and(|hull| hull.farthest(&ray.direction).is_some()));
    }
    for &point in points {
        answers += u64::from(model.winding(point).is_some_and(|winding| winding.value != 0.0));
        answers += u64::from(model.signed_distance(point, InsideRule::NonZero).is_some());
        answers += u64::from(model.closest_point(point, f32::INFINITY).is_some());
        answers += u64::from(model.field().is_some_and(|field| field.sample(point).is_some()));
        answers += u64::from(model.closest_point(point, 0.1).is_some());
        let mut count = |_| {
            answers += 1;
            ControlFlow::Continue(())
        };
        let around = Aabb::new(point.map(|x| x - 0.5), point.map(|x| x + 0.5));
        let _ = model.overlap_box(&around, &mut count);
        let _ = model.overlap_sphere(point, 0.5, &mut count);
        let cuboid = Cuboid::new(point, [0.5, 0.25, 0.125]);
        let _ = model.overlap(&cuboid, &mut count);
        let touches = Touches::new(&cuboid, 0.25).without_seams(0.1);
        let mut contacts = [Contact::NONE; 64];
        answers += model.manifold(&touches, &mut contacts).unwrap_or_else(|error| error.needed) as u64;
        let to_origin = ShapeCast::new(&cuboid, point.map(|x| -x));
        let _ = model.all_casts(&to_origin, |hit| count_hit(model, hit));
        answers += u64::from(model.cast(&to_origin).is_some()) + u64::from(model.cast_any(&to_origin));
    }
    let mut interleaved = vec![None; points.len()];
    model.closest_points_interleaved(points, f32::INFINITY, &mut interleaved, &mut ());
    answers + interleaved.iter().flatten().count() as u64 + ask_pairs(model)
}

fn count_hit(model: &Model<'_>, hit: &CastHit) -> ControlFlow<()> {
    std::hint::black_box(model.source_of(hit.triangle));
    ControlFlow::Continue(())
}

/// Queries distances between a model and itself, each with a budget of this many steps; returns how many were found.
pub fn ask_distances(model: &Model<'_>, pose: &Pose, steps: u64) -> u64 {
    let (mut count, mut warm_start) = (0, WarmStart::default());
    for allowance in [Tolerance::NONE, Tolerance::Relative(0.5)] {
        let mut budget = WorkBudget::of_steps(steps);
        let found = model
            .against(model, pose)
            .tolerance(allowance)
            .warm_start(&mut warm_start)
            .budget(&mut budget)
            .distance();
        count += u64::from(matches!(found, Ok(Some(_))));
        let mut budget = WorkBudget::of_steps(steps);
        let _ =
            model.against(model, pose).tolerance(allowance).budget(&mut budget).decreasing_distances(|_| {
                count += 1;
                ControlFlow::Continue(())
            });
    }
    let mut budget = WorkBudget::of_steps(steps);
    let _ = model.against(model, pose).budget(&mut budget).pairs_within(0.1, |found| {
        count += u64::from(model.source_of(found.a).is_some());
        ControlFlow::Continue(())
    });
    count
        + u64::from(
            model.against(model, pose).budget(&mut WorkBudget::of_steps(steps)).within(0.1) == Ok(true),
        )
}

/// Steps to find one pair, and to find all: a walk through a corrupt tree ends by itself, but only after as many steps
/// as its nodes squared. Where all triangles are in one plane, each step costs exact arithmetic on sixteen pairs.
const STEPS: [u64; 2] = [400, 48];

/// Steps to find a distance, each of which may need exact arithmetic for sixteen pairs.
const FEW_STEPS: u64 = 12;

/// Models with at most this many triangles have no limit on steps.
const FEW_TRIANGLES: usize = 16;

/// Pairs of the model with itself.
fn ask_pairs(model: &Model<'_>) -> u64 {
    let is_small = model.sections().geometry().triangles.len() <= FEW_TRIANGLES;
    let [first, all] = STEPS.map(|steps| WorkBudget::of_steps(if is_small { u64::MAX } else { steps }));
    let of_pose = |pose: &Pose| {
        let (mut first, mut all) = (first, all);
        let found = model.against(model, pose).budget(&mut first).first_pair();
        u64::from(matches!(found, Ok(Some(_))))
            + count_pairs(model, pose, &mut all)
            + ask_distances(model, pose, FEW_STEPS)
    };
    poses().iter().map(of_pose).sum()
}

/// Poses of a model relative to itself: the identity, and a rotation and translation by a part of the size of the
/// tested models.
pub fn poses() -> [Pose; 2] {
    let turn = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
    [Pose::IDENTITY, Pose::from_rows(turn, [0.5, 0.25, -0.125]).expect("a rotation")]
}

/// How many pairs of triangles of a model and itself are found within the budget.
pub fn count_pairs(model: &Model<'_>, pose: &Pose, budget: &mut WorkBudget) -> u64 {
    let mut count = 0;
    let _ = model.against(model, pose).budget(budget).all_pairs(|pair| {
        count += 1 + u64::from(model.source_of(pair.a).is_some() && model.source_of(pair.b).is_some());
        ControlFlow::Continue(())
    });
    count
}

fn ask_names(model: &Model<'_>) -> u64 {
    let numbers = [0, 1, 2, 1000, u32::MAX];
    let mut answers = model.triangle_count() & 1;
    for number in numbers {
        answers += u64::from(model.source_of(number).is_some());
        let names = [model.material_name(number), model.group_name(number), model.object_name(number)];
        answers += names.iter().flatten().map(|name| name.len() as u64).sum::<u64>();
    }
    answers + model.sections().entries().map(|(_, payload)| payload.len() as u64).sum::<u64>()
}
