//! Distances of two models, against an oracle that tests every pair in exact arithmetic.

use std::ops::ControlFlow;

use bvhc::compile::{Layout, Quality};
use bvhc::mesh::Mesh;
use bvhc::pair::kdop;
use bvhc_format::kdop::Tables;
use bvhc_runtime::{
    Distance, Exhausted, Model, PairError, Pose, Realign, Tolerance, Volume, WarmStart, WorkBudget,
};
use bvhc_tests::oracle::gap::{of_point, of_surfaces, of_triangles, within};
use bvhc_tests::oracle::meet::meet;
use bvhc_tests::oracle::pairs::Surface;
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::gaps::KINDS;
use bvhc_tests::scene::{encounter, icosphere, pairs};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::work::spent;
use bvhc_tests::support::{
    LAYOUTS, Scene, compiled_as, compiled_for_pairs, compiled_triangles, compiled_with_kdops, draws_level,
    is_long, levels, scenes,
};

/// Rounds of each kind; with `BVHC_LONG=1` there are ten times as many.
fn rounds(few: u32) -> u32 {
    if is_long() { 10 * few } else { few }
}

/// How far a distance may be off.
const ERROR: f64 = 1e-12;

fn same(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= ERROR * expected
}

fn nearest(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> Distance {
    a.distance(b, pose).expect("the default limit suffices").expect("triangles")
}

/// Every pair within a distance, ascending.
fn all_within(a: &Model<'_>, b: &Model<'_>, pose: &Pose, limit: f64) -> Vec<Distance> {
    let mut pairs = Vec::new();
    let end = a.pairs_within(b, pose, limit, |found| {
        pairs.push(*found);
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    pairs.sort_by_key(|found| (found.a, found.b));
    pairs
}

/// The points have the reported distance and direction, and are on their triangles up to the precision of f64.
fn check_points(found: &Distance, corners: [[[f64; 3]; 3]; 2], what: &dyn Fn() -> String) {
    let offset: [f64; 3] = std::array::from_fn(|axis| found.on_b[axis] - found.on_a[axis]);
    let far = corners.as_flattened().as_flattened().iter().fold(0.0f64, |far, x| far.max(x.abs()));
    let off = (0..3).map(|axis| (offset[axis] - found.distance * found.direction[axis]).abs());
    assert!(off.fold(0.0, f64::max) <= 4e-16 * far, "{}: {found:?}", what());
    let length = found.direction.iter().map(|x| x * x).sum::<f64>();
    let expected = if found.distance > 0.0 { 1.0 } else { 0.0 };
    assert!((length - expected).abs() < 1e-14, "{}: {found:?}", what());
    // Where slivers cross at a small angle, the point is known less precisely than the fact that they do.
    let slack = if found.distance > 0.0 { 1e-13 } else { 1e-9 };
    for (corners, point) in corners.into_iter().zip([found.on_a, found.on_b]) {
        let off = of_point(corners, point);
        assert!(off <= slack * far, "{}: {found:?} is {off:e} off {corners:?}", what());
    }
}

fn bits(found: &Distance) -> Vec<u64> {
    let numbers = [found.on_a, found.on_b, found.direction];
    let numbers = [found.distance].into_iter().chain(numbers.into_iter().flatten()).map(f64::to_bits);
    numbers.chain([u64::from(found.a), u64::from(found.b)]).collect()
}

/// Queries two models on every level, and compares with the oracle; returns the distances. What else can be asked is asked of single
/// triangles on every level, else on the one that the pose draws.
fn check(what: &str, a: &Model<'_>, b: &Model<'_>, poses: &[Pose]) -> Vec<f64> {
    let (mesh_a, mesh_b) = (stored(a), stored(b));
    let still = Surface::of(&mesh_a);
    let mut warm_start = WarmStart::default();
    let is_single = mesh_a.triangles.len() == 1 && mesh_b.triangles.len() == 1;
    let mut distances = Vec::new();
    for pose in poses {
        let transformed = Surface::transformed(&mesh_b, &pose::Pose::of_query(pose));
        let expected = of_surfaces(&still, &transformed).expect("triangles");
        distances.push(expected.distance);
        let (mut answers, before) = (Vec::new(), warm_start);
        for (number, level) in levels().into_iter().enumerate() {
            let (a, b) = (a.with_level(level), b.with_level(level));
            let what = || format!("{what}, {}, {pose:?}", level.name());
            let found = nearest(&a, &b, pose);
            assert!(same(found.distance, expected.distance), "{}: {found:?} {expected:?}", what());
            let corners = [still.triangles()[found.a as usize], transformed.triangles()[found.b as usize]];
            check_points(&found, corners, &what);
            let exact = of_triangles(corners[0], corners[1]);
            assert!(same(found.distance, exact), "{}: {found:?} {exact}", what());
            if is_single || draws_level(pose, number) {
                warm_start = before;
                check_variants(&a, &b, pose, &found, &mut warm_start, &what);
            }
            answers.push(found);
        }
        if expected.distance > 0.0 {
            assert!(
                answers.iter().all(|found| bits(found) == bits(&answers[0])),
                "{what}, {pose:?}: {answers:?}"
            );
        }
    }
    distances
}

/// Limits, tolerances and warm starts.
fn check_variants(
    a: &Model<'_>,
    b: &Model<'_>,
    pose: &Pose,
    found: &Distance,
    warm_start: &mut WarmStart,
    what: &dyn Fn() -> String,
) {
    let distance = found.distance;
    let is_same = |other: Option<Distance>| {
        other.is_some_and(|other| bits(&other) == bits(found) || distance == 0.0 && other.distance == 0.0)
    };
    check_by(a, b, pose, Volume::Aabb, found, what);
    for limit in [distance, distance * 1.01 + 1e-9, f64::INFINITY] {
        assert!(
            is_same(a.against(b, pose).limit(limit).distance().unwrap_or(None))
                && a.within(b, pose, limit) == Ok(true),
            "{}",
            what()
        );
    }
    for limit in [distance.next_down(), distance * 0.99, -1.0, f64::NAN] {
        let nothing = distance == 0.0 && limit == 0.0;
        let answer = (a.against(b, pose).limit(limit).distance().unwrap_or(None), a.within(b, pose, limit));
        assert!(nothing || answer == (None, Ok(false)), "{}: {answer:?} within {limit}", what());
    }
    let mut budget = WorkBudget::unlimited();
    let mut ask =
        |warm_start: &mut WarmStart| a.against(b, pose).warm_start(warm_start).budget(&mut budget).distance();
    assert!(
        is_same(ask(warm_start).expect("no limit")) && is_same(ask(warm_start).expect("no limit")),
        "{}",
        what()
    );
    for (allowance, most) in [
        (Tolerance::Absolute(0.1 * distance + 1e-6), 1.1 * distance + 1e-6),
        (Tolerance::Relative(0.05), 1.05 * distance),
        (Tolerance::Relative(3.0), 4.0 * distance),
        (Tolerance::Absolute(f64::NAN), distance),
    ] {
        let near = a.against(b, pose).tolerance(allowance).distance().unwrap_or(None).expect("triangles");
        let right = near.distance >= distance && near.distance <= most * (1.0 + 1e-15);
        assert!(right, "{}: {near:?} for {found:?}, {allowance:?}", what());
        check_falling(a, b, pose, found, (allowance, most), what);
    }
}

/// The same distance with the given volumes, and the same pairs within it.
fn check_by(
    a: &Model<'_>,
    b: &Model<'_>,
    pose: &Pose,
    volume: Volume,
    found: &Distance,
    what: &dyn Fn() -> String,
) {
    let (mut warm_start, mut budget) = (WarmStart::default(), WorkBudget::unlimited());
    let by = a.against(b, pose).volume(volume).warm_start(&mut warm_start).budget(&mut budget).distance();
    let by = by.expect("the files have them").expect("triangles");
    let distance = found.distance;
    assert!(bits(&by) == bits(found) || by.distance == 0.0 && distance == 0.0, "{}: {by:?}", what());
    for (limit, expected) in [(distance, true), (distance.next_down(), false)] {
        let within = a.against(b, pose).volume(volume).within(limit);
        assert_eq!(within, Ok(expected), "{}, {volume:?}", what());
    }
    let mut pairs = 0;
    let end = a.against(b, pose).volume(volume).budget(&mut budget).pairs_within(distance, |pair| {
        pairs += u32::from(pair.distance == distance);
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())), "{}", what());
    assert_eq!(pairs as usize, all_within(a, b, pose, distance).len(), "{}, {volume:?}", what());
}

fn check_falling(
    a: &Model<'_>,
    b: &Model<'_>,
    pose: &Pose,
    least: &Distance,
    (allowance, most): (Tolerance, f64),
    what: &dyn Fn() -> String,
) {
    // Above that there are too many pairs.
    if most > 2.0 * least.distance || least.distance == 0.0 {
        return;
    }
    let (mut best, mut pairs) = (f64::INFINITY, Vec::new());
    let end = a.against(b, pose).tolerance(allowance).decreasing_distances(|found| {
        let beyond = match allowance {
            Tolerance::Absolute(by) => best + by.max(0.0),
            Tolerance::Relative(share) => best + best * share,
        };
        assert!(found.distance <= beyond, "{}: {found:?} after {best}", what());
        best = best.min(found.distance);
        pairs.push(*found);
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    assert_eq!(best, least.distance, "{}", what());
    pairs.sort_by_key(|found| (found.a, found.b));
    pairs.retain(|found| found.distance <= most);
    let expected = all_within(a, b, pose, most);
    assert_eq!(pairs.len(), expected.len(), "{}", what());
    assert!(pairs.iter().zip(&expected).all(|(one, other)| bits(one) == bits(other)), "{}", what());
}

/// Poses around a model: random ones, from intersecting to far away.
fn poses(random: &mut Random, mesh: &Mesh, count: usize) -> Vec<Pose> {
    let far = mesh.positions.as_flattened().iter().fold(0.0f64, |far, x| far.max(f64::from(x.abs())));
    let mut poses = Vec::new();
    for index in 0..count {
        let rotation = if index % 3 == 0 { pose::of_axes(random) } else { pose::any(random) };
        let from = mesh.positions[random.below(mesh.positions.len() as u32) as usize].map(f64::from);
        let to = mesh.positions[random.below(mesh.positions.len() as u32) as usize].map(f64::from);
        let pose = pose::Pose::taking(rotation, from, to);
        let spread = far * [0.3, 3.0, 1.0, 30.0][index % 4];
        let aside = random.direction().map(|x| spread * f64::from(x));
        let translation = std::array::from_fn(|axis| pose.translation[axis] + aside[axis]);
        poses.push(pose::Pose { translation, ..pose }.for_query());
    }
    poses
}

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let mut apart = 0;
    for layout in LAYOUTS {
        for Scene { name, mesh } in scenes(1) {
            let file = compiled_for_pairs(&mesh, layout);
            let model = Model::from_bytes(&file).expect("it opens");
            let distances = check(name, &model, &model, &poses(&mut random, &mesh, rounds(3) as usize));
            apart += distances.iter().filter(|distance| **distance > 0.0).count();
        }
    }
    assert!(apart > 20, "only {apart} poses apart");
}

/// Files without oriented boxes, with triangles that may be split.
#[test]
fn axis_aligned_boxes_do_as_well() {
    let mut random = Random::new(3);
    for (quality, layout) in
        [(Quality::Default, Layout::Fast), (Quality::Best, Layout::Fast), (Quality::Best, Layout::Small)]
    {
        for Scene { name, mesh } in scenes(1) {
            let (plain, oriented) = (compiled_as(&mesh, quality, layout), compiled_for_pairs(&mesh, layout));
            let plain = Model::from_bytes(&plain).expect("it opens");
            let oriented = Model::from_bytes(&oriented).expect("it opens");
            let poses = poses(&mut random, &mesh, 2);
            check(name, &plain, &plain, &poses[..1]);
            let distances = check(name, &plain, &oriented, &poses[1..]);
            for (pose, distance) in poses[1..].iter().zip(distances) {
                for a in [&plain, &oriented] {
                    let limit = 1.05 * distance + 1e-3;
                    let found = all_within(a, &plain, pose, limit);
                    let found: Vec<_> = found.iter().map(|found| (found.a, found.b)).collect();
                    let still = Surface::of(&stored(a));
                    let expected = within(
                        &still,
                        &Surface::transformed(&stored(&plain), &pose::Pose::of_query(pose)),
                        limit,
                    );
                    let expected: Vec<_> = expected.iter().map(|&(one, other, _)| (one, other)).collect();
                    assert_eq!(found, expected, "{name} {pose:?}");
                }
            }
        }
    }
}

/// Lists of bounds, tables, and one against the other.
#[test]
fn kdops_do_as_well() {
    let mut random = Random::new(5);
    for (k, tables, realign) in [
        (6, Tables::None, Realign::Axes),
        (12, Tables::None, Realign::Triples),
        (14, Tables::Occupancy, Realign::Occupancy),
        (14, Tables::None, Realign::Hull),
        (26, Tables::None, Realign::Triples),
        (42, Tables::Profile, Realign::Profile),
    ] {
        for Scene { name, mesh } in scenes(1) {
            let file = |k, tables| {
                compiled_with_kdops(&mesh, Layout::Fast, kdop::Options { k, tables, ..Default::default() })
            };
            let files = [file(14, Tables::None), file(k, tables)];
            let [other, model] = [0, 1].map(|i: usize| Model::from_bytes(&files[i]).expect("it opens"));
            for pose in poses(&mut random, &mesh, 2) {
                for (a, level) in [&model, &other]
                    .into_iter()
                    .flat_map(|a| levels().into_iter().map(move |level| (a, level)))
                {
                    let what = || format!("{name}, {k}, {realign:?}, {}, {pose:?}", level.name());
                    let (a, b) = (a.with_level(level), model.with_level(level));
                    let found = nearest(&a, &b, &pose);
                    check_by(&a, &b, &pose, Volume::Kdop(realign), &found, &what);
                }
            }
        }
    }
}

/// More than a million pairs: forty triangles against forty, generated as pairs that are near each other or meet.
#[test]
fn crowds_of_pairs() {
    let mut count = 0;
    for kind in KINDS.iter().chain(pairs::KINDS) {
        let mut random = Random::new(5);
        for round in 0..rounds(20) {
            let drawn: Vec<_> = (0..40).map(|_| (kind.draw)(&mut random)).collect();
            let files = (
                compiled_triangles(drawn.iter().map(|pair| pair.a)),
                compiled_triangles(drawn.iter().map(|pair| pair.b)),
            );
            let (Some(a), Some(b)) = files else { continue };
            let [a, b] = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
            let (level, pose) = (levels()[round as usize % levels().len()], drawn[0].pose.for_query());
            let (a, b) = (a.with_level(level), b.with_level(level));
            let still = Surface::of(&stored(&a));
            let transformed = Surface::transformed(&stored(&b), &pose::Pose::of_query(&pose));
            let expected = within(&still, &transformed, f64::INFINITY);
            let found = all_within(&a, &b, &pose, f64::INFINITY);
            assert_eq!(found.len(), expected.len(), "{}", kind.name);
            for (found, &(one, other, exact)) in found.iter().zip(&expected) {
                assert_eq!((found.a, found.b), (one, other), "{}", kind.name);
                let corners = [still.triangles()[one as usize], transformed.triangles()[other as usize]];
                let right = same(found.distance, exact);
                assert!(right, "{}, {}: {found:?} is {exact:e}, {corners:?}", kind.name, level.name());
                check_points(found, corners, &|| kind.name.to_owned());
            }
            let least = expected.iter().fold(f64::INFINITY, |least, pair| least.min(pair.2));
            assert!(same(nearest(&a, &b, &pose).distance, least), "{}", kind.name);
            count += found.len();
        }
    }
    assert!(count > 1_000_000, "only {count} pairs");
}

/// Every kind, one pair of triangles at a time: the tolerance exactly at the limit, and the models exchanged.
#[test]
fn single_pairs() {
    for kind in KINDS.iter().chain(pairs::KINDS) {
        let mut random = Random::new(4);
        for _ in 0..rounds(10) {
            let pair = (kind.draw)(&mut random);
            let files = [pair.a, pair.b].map(|corners| compiled_triangles([corners].into_iter()));
            let [Some(a), Some(b)] = &files else { continue };
            let [a, b] = [a, b].map(|file| Model::from_bytes(file).expect("it opens"));
            let pose = pair.pose.for_query();
            let [distance] = check(kind.name, &a, &b, &[pose])[..] else { panic!("one pose, one distance") };
            let transformed = pose::Pose::of_query(&pose).corners(pair.b);
            assert_eq!(distance == 0.0, meet(pair.still(), transformed), "{}", kind.name);
            let back = nearest(&b, &a, &pose.inverse()).distance;
            let far = pair.still().as_flattened().iter().fold(0.0f64, |far, x| far.max(x.abs()));
            let far = pose.translation().iter().fold(far, |far, x| far.max(x.abs()));
            assert!(
                (back - distance).abs() <= ERROR * distance + 1e-14 * far,
                "{}: {back} {distance}",
                kind.name
            );
        }
    }
}

#[test]
fn encounters() {
    for encounter in [encounter::animals(1000, 4), encounter::nested(4, 4), encounter::spheres(5, 4)] {
        let files = [&encounter.a, &encounter.b].map(|mesh| compiled_for_pairs(mesh, Layout::Fast));
        let models = [&files[0], &files[1]].map(|file| Model::from_bytes(file).expect("it opens"));
        let poses = |poses: &[pose::Pose]| poses.iter().map(pose::Pose::for_query).collect::<Vec<_>>();
        let [apart, together] = [&encounter.separated, &encounter.colliding]
            .map(|list| check(encounter.name, &models[0], &models[1], &poses(list)));
        assert!(apart.iter().all(|distance| *distance > 0.0), "{}", encounter.name);
        assert!(together.iter().all(|distance| *distance == 0.0), "{}", encounter.name);
    }
}

/// A warm start may come from any models and any pose.
#[test]
fn hints_from_elsewhere() {
    let mut random = Random::new(6);
    let scenes = scenes(1);
    let files: Vec<_> = [0, 3, 5]
        .iter()
        .flat_map(|&scene| {
            let mesh: &Mesh = &scenes[scene as usize].mesh;
            [compiled_for_pairs(mesh, Layout::Fast), compiled_as(mesh, Quality::Best, Layout::Small)]
        })
        .collect();
    let models: Vec<_> = files.iter().map(|file| Model::from_bytes(file).expect("it opens")).collect();
    let mut warm_start = WarmStart::default();
    for pose in poses(&mut random, &scenes[0].mesh, 30) {
        let [a, b] = [0; 2].map(|_| &models[random.below(models.len() as u32) as usize]);
        let expected = nearest(a, b, &pose);
        let mut budget = WorkBudget::unlimited();
        let found = a.against(b, &pose).warm_start(&mut warm_start).budget(&mut budget).distance();
        let found = found.expect("no limit").expect("triangles");
        assert!(bits(&found) == bits(&expected) || found.distance == 0.0 && expected.distance == 0.0);
    }
}

#[test]
fn limits_on_work() {
    let file = compiled_for_pairs(&icosphere::displaced(8, 0.2, 1), Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens");
    let pose = Pose::from_translation([2.5, 0.2, 0.3]).expect("a pose");
    let ask = |budget: &mut WorkBudget| model.against(&model, &pose).budget(budget).distance();
    let mut whole = WorkBudget::unlimited();
    let expected = ask(&mut whole);
    assert!(matches!(expected, Ok(Some(_))));
    let steps = spent(&whole);
    assert_eq!(whole.left, u64::MAX - steps);
    assert_eq!(ask(&mut WorkBudget::of_steps(steps)), expected);
    for few in [0, 1, steps / 2, steps - 1] {
        let mut budget = WorkBudget::of_steps(few);
        assert_eq!(ask(&mut budget), Err(PairError::Exhausted(Exhausted)), "{few} of {steps}");
        assert_eq!(budget.left, 0);
        assert_eq!(
            model.against(&model, &pose).budget(&mut WorkBudget::of_steps(0)).within(1e-3),
            Err(PairError::Exhausted(Exhausted))
        );
    }
    let mut visits = 0;
    let end = model.pairs_within(&model, &pose, 1.0, |_| {
        visits += 1;
        if visits == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((end, visits), (Ok(ControlFlow::Break(())), 5));
}
