//! Every rule on models and adversarial sets: valid trees, exact boxes, full leaves, limited depth, determinism.

use std::cell::Cell;
use std::time::Duration;

use super::*;
use crate::fit::tests::holds;
use crate::fit::{Method, genetic};
use crate::pair::partition::{Part, PartPlan, Parts};

type Corners = [[f32; 3]; 3];

/// Small triangles around positions.
fn around(positions: impl Iterator<Item = [f32; 3]>, size: f32) -> Vec<Corners> {
    positions.map(|[x, y, z]| [[x, y, z], [x + size, y, z], [x, y + size, z - size]]).collect()
}

fn scattered(count: u32) -> Vec<Corners> {
    let noise = |i: u32, salt: u32| ((i ^ salt).wrapping_mul(2_654_435_761) >> 7) % 1009;
    around((0..count).map(|i| [0, 77, 991].map(|salt| noise(i, salt) as f32)), 1.5)
}

/// A bumpy sheet, like a small part of a scan.
fn sheet(side: u32) -> Vec<Corners> {
    let corner = |i: u32, j: u32| {
        let (x, y) = (i as f32 / side as f32, j as f32 / side as f32);
        [x, y, 0.4 * x * x - 0.3 * y * y + 0.02 * ((i * 7 + j * 13) % 5) as f32 / side as f32]
    };
    let cell = |i, j| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
        [[a, b, d], [a, d, c]]
    };
    (0..side).flat_map(|i| (0..side).flat_map(move |j| cell(i, j))).collect()
}

fn with(split: Split, leaf_size: u8) -> Options {
    Options { split, leaf_size, fit: Method::Covariance, ..Options::default() }
}

fn check(tree: &Tree, triangles: &[Corners], options: &Options) {
    let mut seen = tree.order.clone();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..triangles.len() as u32), "each triangle is in one place");
    let mut visited = 0;
    let mut pending = vec![(0, 0..triangles.len() as u32, 1)];
    while let Some((index, range, level)) = pending.pop() {
        assert_eq!(index, visited, "nodes are in the order of a walk");
        visited += 1;
        assert!(level <= tree.depth.min(MAX_LEVELS));
        let children = tree.children(&tree.nodes[index]);
        assert!(children.len() <= WIDTH && (children.len() > 1 || triangles.len() <= 4));
        assert_eq!(
            [children[0].range.start, children[children.len() - 1].range.end],
            [range.start, range.end]
        );
        assert!(children.windows(2).all(|pair| pair[0].range.end == pair[1].range.start));
        for child in children.iter().rev() {
            check_child(child, tree, triangles, options);
            if let Link::Node(node) = child.link {
                pending.push((node as usize, child.range.clone(), level + 1));
            }
        }
    }
    assert_eq!(visited, tree.nodes.len());
    assert!(triangles.iter().flatten().all(|corner| holds(&tree.root, *corner)));
}

fn check_child(child: &Child, tree: &Tree, triangles: &[Corners], options: &Options) {
    let numbers = &tree.order[child.range.start as usize..child.range.end as usize];
    assert_eq!(child.link == Link::Leaf, numbers.len() <= options.leaf_size.into());
    assert!(!numbers.is_empty() && (child.link != Link::Leaf || numbers.is_sorted()));
    for corner in numbers.iter().flat_map(|number| triangles[*number as usize]) {
        assert!(holds(&child.obb, corner));
    }
}

fn in_pool<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(run)
}

#[test]
fn trees_are_whole_and_their_boxes_hold_every_triangle() {
    // One leaf and two, one node and two, both sides of the search of all splits and of a thread's share.
    for count in [1, 2, 4, 5, 16, 17, 64, 65, 1025] {
        let triangles = scattered(count);
        for split in Split::ALL {
            for leaf_size in [1, 3, 4] {
                let options = with(split, leaf_size);
                check(&build(&triangles, &options, &|_| ()), &triangles, &options);
            }
        }
    }
}

/// As in `tree::build`.
#[test]
fn small_stacks_suffice() {
    let triangles = scattered(30_000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(32).stack_size(192 << 10);
    let options = Options { fit: Method::Covariance, ..Options::default() };
    pool.build().expect("threads start").install(|| build(&triangles, &options, &|_| ()));
}

#[test]
fn every_fit_makes_a_tree() {
    let triangles = scattered(60);
    let quick = genetic::Parameters { generations: 5, ..Default::default() };
    for fit in Method::all() {
        let fit = if let Method::Genetic(_) = fit { Method::Genetic(quick) } else { fit };
        let options = Options { fit, ..Options::default() };
        check(&build(&triangles, &options, &|_| ()), &triangles, &options);
    }
}

#[test]
fn threads_change_nothing() {
    let triangles = sheet(36);
    for split in Split::ALL {
        let options = Options { split, ..Options::default() };
        let tree = in_pool(1, || build(&triangles, &options, &|_| ()));
        for threads in [2, 5] {
            assert!(in_pool(threads, || build(&triangles, &options, &|_| ())) == tree);
        }
    }
}

#[test]
fn time_makes_boxes_smaller_and_options_describe_the_result() {
    // So few that the first pass leaves time on any machine.
    let triangles = sheet(4);
    let genetic = genetic::Parameters { population: 10, generations: 2, ..Default::default() };
    let splits = [Split::Kinematic, Split::FittedAxisMidpoint];
    let fits = [Method::Descent, Method::MEMETIC, Method::Genetic(genetic), Method::Dito26];
    for (fit, split) in fits.into_iter().flat_map(|fit| splits.map(|split| (fit, split))) {
        let options = Options { fit, split, ..Options::default() };
        let passes = Cell::new(0);
        let on_pass = || passes.set(passes.get() + 1);
        let within = |seconds| {
            let time = Duration::from_secs_f64(seconds);
            build_with_budget(
                triangles.clone(),
                &options,
                &TimeBudget { time, on_pass: &on_pass, on_triangles: &|_| () },
            )
        };
        let whole = build(&triangles, &options, &|_| ());
        assert!(within(0.0) == (whole.clone(), options) && passes.get() == 0);
        let (tree, found) = within(1.0);
        assert!(tree == build(&triangles, &found, &|_| ()));
        assert!(tree.statistics().volume <= whole.statistics().volume);
        assert_eq!(passes.get() > 0, fit.can_be_longer());
        // The memetic search may have found the least boxes at once.
        assert!(found != options || fit.name() != "genetic");
    }
}

#[test]
fn boxes_of_many_points_hold_them() {
    // A bowl: every vertex is on the hull.
    let mut triangles = sheet(50);
    for [x, y, z] in triangles.iter_mut().flatten() {
        *z = *x * *x + *y * *y;
    }
    const { assert!(51 * 51 > crate::fit::MANY) };
    let options = Options::default();
    check(&build(&triangles, &options, &|_| ()), &triangles, &options);
}

/// Ninety triangles at one end of an oblique line, and ten at the other: their box is long in no direction of space.
#[test]
fn sets_are_split_along_the_axis_of_the_fitted_box() {
    let along = |t: f32| {
        let at = |t: f32, across: f32| [2.0 * t - across, t + 2.0 * across, 2.0 * t];
        [at(t, 0.0), at(t + 0.1, 0.0), at(t, 0.1)]
    };
    let near = (0..90).map(|i| along(i as f32 * 0.02));
    let triangles: Vec<_> = near.chain((0..10).map(|i| along(30.0 + i as f32 * 0.02))).collect();
    // Where the children of the root begin; the axis may point either way.
    let starts = |split| {
        let options = Options { split, ..Options::default() };
        let tree = build(&triangles, &options, &|_| ());
        check(&tree, &triangles, &options);
        tree.children(&tree.nodes[0]).iter().map(|child| child.range.start).collect::<Vec<_>>()
    };
    let [midpoint, median] = [Split::FittedAxisMidpoint, Split::FittedAxisMedian].map(starts);
    assert!(midpoint.contains(&90) != midpoint.contains(&10), "{midpoint:?}");
    // Half of 25 leaves, rounded down.
    assert!(median.contains(&48), "{median:?}");
}

#[test]
fn leaves_of_a_scan_are_full() {
    let triangles = sheet(50);
    for split in Split::ALL {
        let leaves = build(&triangles, &with(split, 4), &|_| ()).statistics().leaves;
        let fill = triangles.len() as f64 / (4 * leaves) as f64;
        assert!(fill > 0.955, "{} {fill}", split.name());
    }
}

#[test]
fn no_input_makes_a_deep_tree() {
    // Each triangle is twice as far as the one before: the best split always takes one.
    let positions = (-120..60).map(|i| [2f32.powi(i), 0.0, 0.0]);
    let spaced: Vec<_> =
        (0..).zip(around(positions, 0.0)).map(|(_, [a, b, c])| [a, b, [c[0], c[0], 0.0]]).collect();
    // Ever smaller, around one place, and each more often than fits into two leaves.
    let nested: Vec<_> =
        (-60..60).flat_map(|i| [around([[0.0; 3]].into_iter(), 2f32.powi(i))[0]; 9]).collect();
    for triangles in [spaced, nested] {
        for split in Split::ALL {
            for leaf_size in [1, 4] {
                let options = with(split, leaf_size);
                let tree = build(&triangles, &options, &|_| ());
                check(&tree, &triangles, &options);
            }
        }
    }
}

#[test]
fn sets_that_no_axis_splits_are_halved() {
    let point = [[1.0f32; 3]; 3];
    let flat = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let line = [[0.0f32, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]];
    for triangle in [point, flat, line] {
        for count in [1, 5, 3000] {
            let triangles = vec![triangle; count];
            for split in Split::ALL {
                let options = with(split, 4);
                let tree = build(&triangles, &options, &|_| ());
                check(&tree, &triangles, &options);
                // 750 leaves are ten halvings away.
                assert!(tree.depth <= 10);
            }
        }
    }
}

#[test]
fn finished_triangles_are_reported_once() {
    let triangles = scattered(5000);
    let reported = std::sync::atomic::AtomicU64::new(0);
    let options = with(Split::Kinematic, 4);
    build(&triangles, &options, &|count| {
        reported.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(reported.into_inner(), 5000);
}

/// A binary tree with the measures of its inner nodes.
struct Inner {
    measure: f64,
    halves: [Halves; 2],
}

type Halves = Option<Box<Inner>>;

/// The least sum of measures of any collapse, by trying all.
fn least_cost(node: &Halves, slots: usize) -> f64 {
    let Some(Inner { measure, halves }) = node.as_deref() else {
        return 0.0;
    };
    let shares = |slots: usize| {
        let cost = |left| least_cost(&halves[0], left) + least_cost(&halves[1], slots - left);
        (1..slots).map(cost).fold(f64::INFINITY, f64::min)
    };
    shares(slots).min(measure + shares(WIDTH))
}

fn random_halves(leaves: u32, salt: u32) -> Halves {
    let noise = (leaves ^ salt).wrapping_mul(2_654_435_761) >> 8;
    (leaves > 1).then(|| {
        let left = 1 + noise % (leaves - 1);
        let halves = [random_halves(left, salt + 1), random_halves(leaves - left, salt + 2)];
        Box::new(Inner { measure: f64::from(noise % 97), halves })
    })
}

fn add(node: &Halves, parts: &mut Parts) -> PartPlan {
    let Some(Inner { measure, halves }) = node.as_deref() else {
        return parts.add_leaf(1);
    };
    let [left, right] = halves.each_ref().map(|half| add(half, parts));
    parts.add_inner(*measure, [&left, &right])
}

/// The levels of nodes, of which none has too many children or leaves some of the part out.
fn collapsed_levels(part: Part<'_>, level: u32) -> u32 {
    if part.is_leaf() {
        return 0;
    }
    let children = part.children(level);
    assert!((2..=WIDTH).contains(&children.len()));
    assert_eq!(children.iter().map(|child| child.count()).sum::<usize>(), part.count());
    1 + children.into_iter().map(|child| collapsed_levels(child, level + 1)).max().unwrap()
}

#[test]
fn the_collapse_costs_least() {
    for salt in 0..200 {
        let halves = random_halves(1 + salt % 24, salt);
        let mut parts = Parts::default();
        let plan = add(&halves, &mut parts);
        assert_eq!(plan.cost(1).measure, least_cost(&halves, 1));
        collapsed_levels(parts.whole(), 0);
    }
}

#[test]
fn the_collapse_of_the_deepest_tree_is_not_too_deep() {
    let mut parts = Parts::default();
    let mut plan = parts.add_leaf(1);
    for level in 0..75 {
        let measure = if level % 3 == 0 { 1.0 } else { 0.0 };
        if level % 2 == 0 {
            let leaf = parts.add_leaf(1);
            plan = parts.add_inner(measure, [&plan, &leaf]);
        } else {
            let mut whole = Parts::default();
            let leaf = whole.add_leaf(1);
            whole.append(parts);
            parts = whole;
            plan = parts.add_inner(measure, [&leaf, &plan]);
        }
    }
    assert!(collapsed_levels(parts.whole(), 0) <= MAX_LEVELS);
}
