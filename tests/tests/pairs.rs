//! Triangles of two models that meet, against an oracle that tests every pair in exact arithmetic.

use std::ops::ControlFlow;

use bvhc::compile::{Layout, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::{Exhausted, Model, Pair, PairError, Pose, WorkBudget};
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::pairs::KINDS;
use bvhc_tests::scene::{encounter, icosphere, mesh};
use bvhc_tests::support::split::split;
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::work::spent;
use bvhc_tests::support::{
    LAYOUTS, Scene, compiled_as, compiled_for_pairs, compiled_triangles, integer_scenes, is_long, levels,
    scenes,
};

/// Rounds of single pairs of each kind; with `BVHC_LONG=1` there are thirty times as many.
const ROUNDS: u32 = 300;

fn rounds() -> u32 {
    if is_long() { 30 * ROUNDS } else { ROUNDS }
}

fn pairs(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let end = a.all_pairs(b, pose, |pair| {
        pairs.push((pair.a, pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    pairs.sort_unstable();
    pairs
}

/// Queries two models on every level, and compares with the oracle.
fn check(what: &str, a: &Model<'_>, b: &Model<'_>, poses: &[Pose]) -> usize {
    let (mesh_a, mesh_b) = (stored(a), stored(b));
    let still = Surface::of(&mesh_a);
    let mut count = 0;
    for pose in poses {
        let expected = all(&still, &Surface::transformed(&mesh_b, &pose::Pose::of_query(pose)));
        count += expected.len();
        for level in levels() {
            let (a, b) = (a.with_level(level), b.with_level(level));
            let what = || format!("{what}, {}, {pose:?}", level.name());
            assert_eq!(pairs(&a, &b, pose), expected, "{}", what());
            let first = a.first_pair(&b, pose).expect("the default limit suffices");
            assert_eq!(first.is_some(), !expected.is_empty(), "{}", what());
            assert!(first.is_none_or(|pair| expected.contains(&(pair.a, pair.b))), "{}", what());
            assert_eq!(a.collides(&b, pose), Ok(first.is_some()), "{}", what());
        }
    }
    count
}

/// Poses around a model: random ones, and some that take axes to axes.
fn poses(random: &mut Random, mesh: &Mesh, count: usize) -> Vec<Pose> {
    let far = mesh.positions.as_flattened().iter().fold(0.0f64, |far, x| far.max(f64::from(x.abs())));
    let mut poses = vec![Pose::IDENTITY];
    for index in 0..count {
        let rotation = if index % 2 == 0 { pose::any(random) } else { pose::of_axes(random) };
        let from = mesh.positions[random.below(mesh.positions.len() as u32) as usize].map(f64::from);
        let to = mesh.positions[random.below(mesh.positions.len() as u32) as usize].map(f64::from);
        let pose = pose::Pose::taking(rotation, from, to);
        poses.push(pose.for_query());
        let aside = pose.translation.map(|x| x + 0.1 * far * (2.0 * random.unit() - 1.0));
        poses.push(pose::Pose { translation: aside, ..pose }.for_query());
    }
    poses
}

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let mut found = 0;
    for layout in LAYOUTS {
        for Scene { name, mesh } in scenes(1) {
            let file = compiled_for_pairs(&mesh, layout);
            let model = Model::from_bytes(&file).expect("it opens");
            found += check(name, &model, &model, &poses(&mut random, &mesh, 2));
        }
    }
    assert!(found > 10_000, "only {found} pairs");
}

/// Walks go down in the tree of the larger boxes first, with oriented boxes, axis-aligned ones and one of each.
#[test]
fn meshes_of_different_sizes() {
    let mut random = Random::new(31);
    let large = icosphere::displaced(16, 0.2, 3);
    let mut small = icosphere::displaced(5, 0.2, 4);
    small.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= 0.04);
    let (mut found, mut meeting) = (0, 0);
    for layout in LAYOUTS {
        let files = [&large, &small]
            .map(|mesh| [compiled_for_pairs(mesh, layout), compiled_as(mesh, Quality::Default, layout)]);
        let poses: Vec<Pose> = (0..12)
            .map(|_| {
                let at = large.positions[random.below(large.positions.len() as u32) as usize];
                let translation = at.map(|x| f64::from(x) + 0.2 * (random.unit() - 0.5));
                pose::Pose { rotation: pose::any(&mut random), translation }.for_query()
            })
            .collect();
        for (of_large, of_small) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
            let large = Model::from_bytes(&files[0][of_large]).expect("it opens");
            let small = Model::from_bytes(&files[1][of_small]).expect("it opens");
            for pose in &poses {
                let count = check("large and small", &large, &small, &[*pose]);
                assert_eq!(check("small and large", &small, &large, &[pose.inverse()]), count);
                (found, meeting) = (found + count, meeting + u32::from(count > 0));
            }
        }
    }
    assert!(found > 1000 && (20..90).contains(&meeting), "{found} pairs of {meeting} meetings");
}

#[test]
fn meshes_that_touch_on_a_grid() {
    let mut random = Random::new(2);
    for Scene { name, mesh } in integer_scenes() {
        let file = compiled_for_pairs(&mesh, Layout::Fast);
        let model = Model::from_bytes(&file).expect("it opens");
        let mut poses = Vec::new();
        for _ in 0..8 {
            let shift = [0, 1, 2].map(|_| f64::from(random.below(9)) - 4.0);
            poses.push(pose::Pose { rotation: pose::of_axes(&mut random), translation: shift }.for_query());
        }
        check(name, &model, &model, &poses);
        for pose in poses {
            let mut back: Vec<_> =
                pairs(&model, &model, &pose.inverse()).into_iter().map(|(a, b)| (b, a)).collect();
            back.sort_unstable();
            assert_eq!(pairs(&model, &model, &pose), back, "{name}, {pose:?}");
        }
    }
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
            assert!(plain.sections().obb_tree().is_none() && oriented.sections().obb_tree().is_some());
            let poses = poses(&mut random, &mesh, 1);
            check(name, &plain, &plain, &poses[1..2]);
            check(name, &plain, &oriented, &poses[2..3]);
        }
    }
}

/// Some pairs of split triangles meet only in parts whose blocks' boxes others widen: seeds and movements that have such pairs.
#[test]
fn parts_in_wide_blocks_are_found() {
    let cases = [
        (190, [60, 120], 10, [5.944422780095915, -2.7010185057545737, 0.2168086120481895]),
        (79, [100, 120], 4, [6.947488618746116, -3.1027146268469057, -0.3438414288739132]),
    ];
    for (seed, counts, large, shift) in cases {
        let mut random = Random::new(seed);
        // One in so many triangles is large, and if that is one in four, thin.
        let mut soup = |count: u32| {
            let triangle = |index: u32| {
                let centre = [0; 3].map(|_| random.f32(-4.0, 4.0));
                let size = if index.is_multiple_of(large) { 4.0 } else { 0.5 };
                let mut corners = [0; 3].map(|_| {
                    let offset = [0; 3].map(|_| random.f32(-size, size));
                    [0, 1, 2].map(|axis| (centre[axis] + offset[axis]).clamp(-4.0, 4.0))
                });
                if large == 4 && index.is_multiple_of(large) {
                    corners[2] = [0, 1, 2].map(|axis| corners[0][axis] + 0.01 * (axis as f32 + 1.0));
                }
                corners
            };
            let positions = (0..count).flat_map(triangle).collect();
            mesh(positions, (0..count).map(|index| [0, 1, 2].map(|k| 3 * index + k)).collect())
        };
        let soups = counts.map(&mut soup);
        let pose = Pose::from_translation(shift).expect("a pose");
        for layout in LAYOUTS {
            let files = soups.each_ref().map(|soup| compiled_as(soup, Quality::Best, layout));
            let [a, b] = files.each_ref().map(|file| Model::from_bytes(file).expect("it opens"));
            assert!(a.sections().splits().is_some() && b.sections().splits().is_some());
            assert!(check(&format!("seed {seed}"), &a, &b, &[pose]) > 0);
        }
    }
}

/// All leaves of two small trees are near each other.
#[test]
fn every_pair_of_fans_is_visited() {
    for count in 3..20 {
        let rim = (0..count).map(|at| {
            let angle = at as f32 / count as f32 * core::f32::consts::TAU;
            [angle.cos(), angle.sin(), -0.5]
        });
        let positions = [[0.0; 3]].into_iter().chain(rim).collect();
        let fan = mesh(positions, (0..count).map(|at| [0, 1 + at, 1 + (at + 1) % count]).collect());
        let file = compiled_for_pairs(&fan, Layout::Fast);
        let model = Model::from_bytes(&file).expect("it opens");
        assert_eq!(pairs(&model, &model, &Pose::IDENTITY).len(), (count * count) as usize);
        let aside = Pose::from_translation([3.0, 0.0, 0.0]).expect("a pose");
        let mut near = 0;
        let end = model.pairs_within(&model, &aside, 10.0, |_| {
            near += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((end, near), (Ok(ControlFlow::Continue(())), count * count));
    }
}

/// Coordinates of a few units in the last place of the smallest numbers.
#[test]
fn the_smallest_models_meet() {
    let mut random = Random::new(14);
    let mut found = 0;
    for _ in 0..10 * rounds() {
        let unit = f64::from(f32::from_bits(1)) * f64::from(1 << random.below(12));
        let mut number = || unit * (f64::from(random.below(5)) - 2.0);
        let triangles = [0; 2].map(|_| [0; 3].map(|_| [0; 3].map(|_| number() as f32)));
        let shift = [0; 3].map(|_| number());
        let files = triangles.map(|triangle| compiled_triangles([triangle].into_iter()));
        let [Some(a), Some(b)] = &files else { continue };
        let [a, b] = [a, b].map(|file| Model::from_bytes(file).expect("it opens"));
        let pose = pose::Pose { rotation: pose::of_axes(&mut random), translation: shift };
        found += check("tiny", &a, &b, &[pose.for_query()]);
    }
    assert!(found > 100, "only {found} pairs");
}

/// Every kind of contact, one pair of triangles at a time.
#[test]
fn single_pairs() {
    for kind in KINDS {
        let mut random = Random::new(4);
        for _ in 0..rounds() / 10 {
            let pair = (kind.draw)(&mut random);
            let (Some(a), Some(b)) =
                (compiled_triangles([pair.a].into_iter()), compiled_triangles([pair.b].into_iter()))
            else {
                continue;
            };
            let models = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
            check(kind.name, &models[0], &models[1], &[pair.pose.for_query()]);
        }
    }
}

/// A million pairs: forty triangles against forty, generated as pairs each of which may meet any other.
#[test]
fn crowds_of_pairs() {
    for kind in KINDS {
        let mut random = Random::new(5);
        for _ in 0..rounds() / 12 {
            let drawn: Vec<_> = (0..40).map(|_| (kind.draw)(&mut random)).collect();
            let files = (
                compiled_triangles(drawn.iter().map(|pair| pair.a)),
                compiled_triangles(drawn.iter().map(|pair| pair.b)),
            );
            let (Some(a), Some(b)) = files else { continue };
            let models = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
            check(kind.name, &models[0], &models[1], &[drawn[0].pose.for_query()]);
        }
    }
}

#[test]
fn encounters() {
    for encounter in [encounter::animals(2000, 4), encounter::nested(5, 4), encounter::spheres(6, 4)] {
        let files = [&encounter.a, &encounter.b].map(|mesh| compiled_for_pairs(mesh, Layout::Fast));
        let models = [&files[0], &files[1]].map(|file| Model::from_bytes(file).expect("it opens"));
        let poses = |poses: &[pose::Pose]| poses.iter().map(pose::Pose::for_query).collect::<Vec<_>>();
        let [apart, together] = [&encounter.separated, &encounter.colliding]
            .map(|list| check(encounter.name, &models[0], &models[1], &poses(list)));
        assert_eq!(apart, 0, "{}", encounter.name);
        assert!(together > 0, "{}", encounter.name);
    }
}

#[test]
fn slices_and_visitors() {
    let file = compiled_for_pairs(&icosphere::displaced(6, 0.2, 1), Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens");
    let pose = Pose::from_translation([0.1, 0.2, 0.3]).expect("a pose");
    let expected = pairs(&model, &model, &pose);
    assert!(expected.len() > 10);
    let mut slice = [Pair::default(); 4096];
    assert_eq!(model.pairs_into(&model, &pose, &mut slice), Ok(expected.len()));
    let mut found: Vec<_> = slice[..expected.len()].iter().map(|pair| (pair.a, pair.b)).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(model.pairs_into(&model, &pose, &mut slice[..3]), Ok(expected.len()));
    let mut visits = 0;
    let end = model.all_pairs(&model, &pose, |_| {
        visits += 1;
        if visits == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((end, visits), (Ok(ControlFlow::Break(())), 5));
}

#[test]
fn limits_on_work() {
    let file = compiled_for_pairs(&icosphere::displaced(8, 0.2, 1), Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens");
    let pose = Pose::from_translation([0.1, 0.2, 0.3]).expect("a pose");
    let mut whole = WorkBudget::unlimited();
    let ask = |budget: &mut WorkBudget| {
        model.against(&model, &pose).budget(budget).all_pairs(|_| ControlFlow::Continue(()))
    };
    assert_eq!(ask(&mut whole), Ok(ControlFlow::Continue(())));
    let steps = spent(&whole);
    assert_eq!(whole.left, u64::MAX - steps);
    assert_eq!(ask(&mut WorkBudget::of_steps(steps)), Ok(ControlFlow::Continue(())));
    for few in [0, 1, steps / 2, steps - 1] {
        let mut budget = WorkBudget::of_steps(few);
        assert_eq!(ask(&mut budget), Err(PairError::Exhausted(Exhausted)), "{few} of {steps}");
        assert_eq!(budget.left, 0);
    }
    assert_eq!(
        model.against(&model, &pose).budget(&mut WorkBudget::of_steps(0)).first_pair(),
        Err(PairError::Exhausted(Exhausted))
    );
    // Models whose bounds are disjoint take no step.
    let far = Pose::from_translation([100.0, 0.0, 0.0]).expect("a pose");
    assert_eq!(model.against(&model, &far).budget(&mut WorkBudget::of_steps(0)).first_pair(), Ok(None));
}

/// Comparing the parts of split triangles, which a file of a few kilobytes can ask for millions of times in a step, is
/// charged to the budget.
#[test]
fn parts_of_split_triangles_are_charged() {
    let source =
        b"v 0 0 0\nv 100 0 1\nv 0 1 0\nv 0 0.3 0.5\nv 100 0.2 -0.5\nv 50 0.9 0.1\nf 1 2 3\nf 4 5 6\n";
    let file = split(source, 1.0, Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens");
    let count = |budget: &mut WorkBudget| {
        let mut count = 0;
        let visit = |_| {
            count += 1;
            ControlFlow::Continue(())
        };
        model.against(&model, &Pose::IDENTITY).budget(budget).all_pairs(visit).map(|_| count)
    };
    let near = |budget: &mut WorkBudget| {
        let mut count = 0;
        let visit = |_: &_| {
            count += 1;
            ControlFlow::Continue(())
        };
        model.against(&model, &Pose::IDENTITY).budget(budget).pairs_within(0.1, visit).map(|_| count)
    };
    type Ask<'a> = &'a dyn Fn(&mut WorkBudget) -> Result<i32, PairError>;
    for ask in [&count as Ask<'_>, &near] {
        const MANY: u64 = 1 << 40;
        let mut budget = WorkBudget::of_steps(MANY);
        assert_eq!(ask(&mut budget), Ok(4));
        let steps = MANY - budget.left;
        assert_eq!(steps, spent(&budget));
        assert!(budget.part_tests > budget.leaf_pairs, "{budget:?}");
        for few in [steps - 1, steps / 2] {
            let mut budget = WorkBudget::of_steps(few);
            assert_eq!(ask(&mut budget), Err(PairError::Exhausted(Exhausted)), "{few} of {steps}");
            assert_eq!(budget.left, 0);
        }
        assert_eq!(ask(&mut WorkBudget::of_steps(steps)), Ok(4));
        assert_eq!(ask(&mut WorkBudget::unlimited()), Ok(4));
    }
}
