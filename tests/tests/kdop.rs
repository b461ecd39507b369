//! Trees of k-DOPs: they find the pairs that the oracle finds, with every realignment; and the paper's formulas, as
//! printed, would not.

use bvhc::compile::Layout;
use bvhc::pair::kdop::Options;
use bvhc_format::kdop::{Directions, REGIONS, Tables, ring_cosine};
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Exhausted, Model, PairError, Pose, Realign, Volume, WorkBudget};
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{encounter, icosphere};
use bvhc_tests::support::by_volume::pairs;
use bvhc_tests::support::forge::{section, with_bytes};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::{
    LAYOUTS, Scene, compiled_for_pairs, compiled_with_kdops, integer_scenes, levels, scenes,
};

/// Trees that together have every set of directions, every kind of tables, and every way to realign.
const TREES: [(u32, Tables, Realign); 13] = [
    (6, Tables::None, Realign::Axes),
    (6, Tables::Profile, Realign::Profile),
    (12, Tables::None, Realign::Triples),
    (12, Tables::Occupancy, Realign::Occupancy),
    (14, Tables::None, Realign::Triples),
    (14, Tables::Occupancy, Realign::Occupancy),
    (14, Tables::Profile, Realign::Profile),
    (14, Tables::None, Realign::Hull),
    (14, Tables::Occupancy, Realign::Hull),
    (18, Tables::None, Realign::Triples),
    (26, Tables::Occupancy, Realign::Occupancy),
    (26, Tables::None, Realign::Axes),
    (42, Tables::Profile, Realign::Triples),
];

fn options(k: u32, tables: Tables) -> Options {
    Options { k, tables, ..Options::default() }
}

/// Queries two models on every level, and compares with the oracle.
fn check(what: &str, a: &Model<'_>, b: &Model<'_>, poses: &[Pose], realign: Realign) -> usize {
    let (mesh_a, mesh_b) = (stored(a), stored(b));
    let (still, volume) = (Surface::of(&mesh_a), Volume::Kdop(realign));
    let mut count = 0;
    for pose in poses {
        let seen = pose::Pose { rotation: pose.rotation(), translation: pose.translation() };
        let expected = all(&still, &Surface::transformed(&mesh_b, &seen));
        count += expected.len();
        for level in levels() {
            let (a, b) = (a.with_level(level), b.with_level(level));
            let what = || format!("{what}, {}, {realign:?}, {pose:?}", level.name());
            assert_eq!(pairs(&a, &b, pose, volume), expected, "{}", what());
            let first = a.against(&b, pose).volume(volume).first_pair().expect("no limit");
            assert_eq!(first.is_some(), !expected.is_empty(), "{}", what());
            assert!(first.is_none_or(|pair| expected.contains(&(pair.a, pair.b))), "{}", what());
        }
    }
    count
}

/// Poses that take vertices to vertices, and nearby ones.
fn poses(random: &mut Random, positions: &[[f32; 3]], count: usize) -> Vec<Pose> {
    let mut poses = Vec::new();
    for index in 0..count {
        let rotation = if index % 2 == 0 { pose::any(random) } else { pose::of_axes(random) };
        let [from, to] =
            [(); 2].map(|()| positions[random.below(positions.len() as u32) as usize].map(f64::from));
        poses.push(pose::Pose::taking(rotation, from, to).for_query());
    }
    poses
}

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let mut found = 0;
    for layout in LAYOUTS {
        for (index, Scene { name, mesh }) in scenes(1).into_iter().enumerate() {
            // Each scene with some of the trees, and each tree with some of the scenes.
            for (k, tables, realign) in TREES.into_iter().skip(index % 3).step_by(3) {
                let file = compiled_with_kdops(&mesh, layout, options(k, tables));
                let model = Model::from_bytes(&file).expect("it opens");
                assert!(model.sections().obb_tree().is_none() && model.sections().kdop_tree().is_some());
                found += check(name, &model, &model, &poses(&mut random, &mesh.positions, 2), realign);
            }
        }
    }
    assert!(found > 10_000, "only {found} pairs");
}

#[test]
fn meshes_that_touch_on_a_grid() {
    let mut random = Random::new(2);
    for Scene { name, mesh } in integer_scenes() {
        for (k, tables, realign) in TREES {
            let file = compiled_with_kdops(&mesh, Layout::Fast, options(k, tables));
            let model = Model::from_bytes(&file).expect("it opens");
            let shift = [0, 1, 2].map(|_| f64::from(random.below(9)) - 4.0);
            let pose = pose::Pose { rotation: pose::of_axes(&mut random), translation: shift }.for_query();
            check(name, &model, &model, &[pose], realign);
        }
    }
}

/// The directions of A and B need not be the same.
#[test]
fn sets_of_directions_may_differ() {
    let mesh = icosphere::displaced(8, 0.2, 1);
    let poses = poses(&mut Random::new(3), &mesh.positions, 3);
    let file = |k| compiled_with_kdops(&mesh, Layout::Fast, options(k, Tables::Profile));
    let files = Directions::COUNTS.map(file);
    let models = [0, 1, 2, 3, 4, 5].map(|index: usize| Model::from_bytes(&files[index]).expect("it opens"));
    for (index, a) in models.iter().enumerate() {
        let b = &models[(index + 1) % 6];
        for realign in [Realign::Triples, Realign::Profile] {
            check("displaced", a, b, &poses, realign);
        }
    }
}

/// Three kinds of encounters: all volumes find the same.
#[test]
fn encounters() {
    for encounter in [encounter::animals(2000, 4), encounter::nested(5, 4), encounter::spheres(6, 4)] {
        let boxes = [&encounter.a, &encounter.b].map(|mesh| compiled_for_pairs(mesh, Layout::Fast));
        let boxes = [&boxes[0], &boxes[1]].map(|file| Model::from_bytes(file).expect("it opens"));
        for (k, tables, realign) in TREES {
            let files = [&encounter.a, &encounter.b]
                .map(|mesh| compiled_with_kdops(mesh, Layout::Fast, options(k, tables)));
            let models = [&files[0], &files[1]].map(|file| Model::from_bytes(file).expect("it opens"));
            let poses = |poses: &[pose::Pose]| poses.iter().map(pose::Pose::for_query).collect::<Vec<_>>();
            for list in [&encounter.separated, &encounter.colliding] {
                let [a, b] = &models;
                for pose in poses(list) {
                    let expected = pairs(&boxes[0], &boxes[1], &pose, Volume::Obb);
                    assert_eq!(pairs(&boxes[0], &boxes[1], &pose, Volume::Aabb), expected);
                    assert_eq!(pairs(a, b, &pose, Volume::Kdop(realign)), expected, "{}", encounter.name);
                }
            }
        }
    }
}

#[test]
fn files_without_what_it_takes() {
    let mesh = icosphere::icosphere(3);
    let plain = compiled_for_pairs(&mesh, Layout::Fast);
    let file = compiled_with_kdops(&mesh, Layout::Fast, options(12, Tables::None));
    let [plain, twelve] = [&plain, &file].map(|file| Model::from_bytes(file).expect("it opens"));
    let ask = |a: &Model<'_>, b: &Model<'_>, realign| {
        let volume = Volume::Kdop(realign);
        a.against(b, &Pose::IDENTITY).volume(volume).first_pair().map(|pair| pair.is_some())
    };
    assert_eq!(ask(&twelve, &twelve, Realign::Triples), Ok(true));
    for realign in [Realign::Axes, Realign::Occupancy, Realign::Profile] {
        assert_eq!(ask(&twelve, &twelve, realign), Err(PairError::NoVolumes(Volume::Kdop(realign))));
    }
    for (a, b) in [(&plain, &twelve), (&twelve, &plain)] {
        assert_eq!(ask(a, b, Realign::Triples), Err(PairError::NoVolumes(Volume::Kdop(Realign::Triples))));
    }
    assert_eq!(ask(&twelve, &twelve, Realign::Hull), Ok(true));
    // Changes the version of the hull's section to an unknown one, which readers skip.
    let (entry, ..) = section(&file, SectionKind::Hull);
    let without = with_bytes(&file, entry + 4, &2u16.to_le_bytes());
    let without = Model::from_bytes(&without).expect("it opens");
    assert!(without.sections().hull().is_none());
    assert_eq!(ask(&without, &twelve, Realign::Hull), Ok(true));
    assert_eq!(ask(&twelve, &without, Realign::Triples), Ok(true));
    assert_eq!(ask(&twelve, &without, Realign::Hull), Err(PairError::NoVolumes(Volume::Kdop(Realign::Hull))));
    let volume = Volume::Kdop(Realign::Triples);
    let none = twelve
        .against(&twelve, &Pose::IDENTITY)
        .volume(volume)
        .budget(&mut WorkBudget::of_steps(0))
        .first_pair();
    assert_eq!(none, Err(PairError::Exhausted(Exhausted)));
}

/// Fünzig and Fellner's equations (4) to (8), as printed: the bound along `turned` of points around the origin.
fn printed_bound(set: &Directions, points: &[[f64; 3]], turned: [f64; 3]) -> f64 {
    let dot = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let n = REGIONS;
    // a_j for any integer j; beyond the cone, the last one.
    let a = |j: i64| ring_cosine(set.aperture, j.clamp(0, n as i64 - 1) as usize);
    let unit = set.units().iter().max_by(|x, y| dot(x, &turned).total_cmp(&dot(y, &turned))).expect("a set");
    let ring = |cosine: f64| (1..n).find(|j| cosine >= a(*j as i64));
    let d = points.iter().map(|p| dot(unit, p)).fold(0.0, f64::max);
    let (mut occupied, mut ratio) = ([false; REGIONS], f64::INFINITY);
    for p in points {
        let length = dot(p, p).sqrt();
        match ring(dot(unit, p) / length) {
            Some(j) => occupied[j] |= length > d,
            None => {
                let psi = (dot(unit, p) / length).acos() - set.aperture.acos();
                ratio = ratio.min(d / (length * psi.cos()).max(f64::MIN_POSITIVE));
            }
        }
    }
    let m = ring(dot(unit, &turned)).unwrap_or(n - 1) as i64;
    let mut factor = if ratio.is_finite() { a(n as i64 - 2 - m) / ratio } else { set.aperture };
    for h in 0..m {
        if occupied[(m - h) as usize] {
            factor = factor.max(a(h - 1) / a(m - h));
            break;
        }
    }
    for h in (1..=n as i64 - 1 - m).rev() {
        if occupied[(m + h) as usize] {
            factor = factor.max(a(h - 1) / a(m + h));
            break;
        }
    }
    factor * d
}

/// Why we do not use them: for random sets and directions, they cut off points in one case of ten. (Tests beside the
/// runtime's realignments check these against a million sets.)
#[test]
fn the_printed_formulas_cut_points_off() {
    let set = Directions::of(14).expect("a set");
    let mut random = Random::new(7);
    let (mut violations, mut worst) = (0, 0.0f64);
    const ROUNDS: usize = 20_000;
    for _ in 0..ROUNDS {
        let count = 4 + random.below(12);
        let mut points: Vec<[f64; 3]> =
            (0..count).map(|_| [0, 1, 2].map(|_| 2.0 * random.unit() - 1.0)).collect();
        let mean = [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).sum::<f64>() / points.len() as f64);
        points.iter_mut().for_each(|p| *p = [0, 1, 2].map(|axis| p[axis] - mean[axis]));
        let turned = random.direction().map(f64::from);
        let length = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        let turned = turned.map(|x| x / length);
        let extent =
            points.iter().map(|p| (0..3).map(|axis| p[axis] * turned[axis]).sum()).fold(0.0, f64::max);
        let excess = extent / printed_bound(set, &points, turned) - 1.0;
        if excess > 1e-6 {
            violations += 1;
            worst = worst.max(excess);
        }
    }
    assert!(violations > ROUNDS / 50 && worst > 0.02, "{violations} of {ROUNDS}, by up to {worst}");
}
