//! Primitives are boxes here, of which each cut leaves two boxes.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

struct Boxes(Vec<Aabb>);

impl Clip for Boxes {
    fn whole(&self, primitive: u32) -> Aabb {
        self.0[primitive as usize]
    }

    fn halves(&self, _: u32, part: &Aabb, axis: usize, plane: f32) -> [Aabb; 2] {
        let (mut left, mut right) = (*part, *part);
        left.upper[axis] = plane;
        right.lower[axis] = plane;
        [left, right]
    }

    fn stored(&self, _: u32, part: &Aabb) -> Aabb {
        *part
    }
}

/// Long beams across each other, for which there is no good split by centre.
fn beams(count: u32) -> Boxes {
    let beam = |i: u32| {
        let noise = |salt: u32| (i.wrapping_mul(2_654_435_761) ^ salt).wrapping_mul(40_503) % 1009;
        let mut lower = [3, 77, 991].map(|salt| noise(salt) as f32);
        let mut upper = lower.map(|x| x + 1.0);
        (lower[i as usize % 3], upper[i as usize % 3]) = (0.0, 1010.0);
        Aabb { lower, upper }
    };
    Boxes((0..count).map(beam).collect())
}

fn build_quietly(boxes: &Boxes, limits: &Limits) -> BinaryTree {
    build(boxes.0.len() as u32, boxes, limits, &|_| ())
}

fn check(tree: &BinaryTree, boxes: &Boxes) {
    let mut pending = vec![(0, 1)];
    let mut volumes = vec![0.0; boxes.0.len()];
    while let Some((index, depth)) = pending.pop() {
        assert!(depth <= 96);
        let node = tree.nodes[index];
        if node.count == 1 {
            let primitive = tree.primitives(index)[0] as usize;
            assert_eq!(node.bounds.union(boxes.0[primitive]), boxes.0[primitive]);
            volumes[primitive] += volume(&node.bounds);
            continue;
        }
        let children = tree.children(index);
        let [left, right] = children.map(|child| tree.nodes[child]);
        assert_eq!((left.first, right.first), (node.first, node.first + left.count));
        assert_eq!(left.count + right.count, node.count);
        assert_eq!(left.bounds.union(right.bounds), node.bounds);
        pending.extend(children.map(|child| (child, depth + 1)));
    }
    for (volume_of_parts, whole) in volumes.iter().zip(&boxes.0) {
        assert!((volume_of_parts / volume(whole) - 1.0).abs() < 1e-6, "the parts are the whole");
    }
}

fn volume(bounds: &Aabb) -> f64 {
    (0..3).map(|axis| f64::from(bounds.upper[axis]) - f64::from(bounds.lower[axis])).product()
}

fn in_pool<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(run)
}

#[test]
fn trees_are_valid_and_the_same_for_any_number_of_threads() {
    // 1 and 2 primitives, both sides of a thread's share, and many.
    for count in [1, 2, 3, 4095, 4097, 20_000] {
        let boxes = beams(count);
        let tree = in_pool(1, || build_quietly(&boxes, &Limits::default()));
        check(&tree, &boxes);
        for threads in [2, 7] {
            assert!(in_pool(threads, || build_quietly(&boxes, &Limits::default())) == tree);
        }
    }
}

#[test]
fn splits_keep_to_their_limit() {
    let boxes = beams(3000);
    let leaves = [0.0, 0.1, 1.0].map(|duplicates| {
        let tree = build_quietly(&boxes, &Limits { duplicates, ..Limits::default() });
        check(&tree, &boxes);
        tree.order.len()
    });
    assert_eq!(leaves[0], 3000);
    assert!(3000 < leaves[1] && leaves[1] <= 3300);
    assert!(leaves[1] < leaves[2] && leaves[2] <= 6000);
}

#[test]
fn primitives_are_cut_into_no_more_parts_than_they_may_be() {
    let boxes = beams(3000);
    let [one, three, ten] = [1, 3, 10].map(|parts| {
        let tree = build_quietly(&boxes, &Limits { parts, ..Limits::default() });
        check(&tree, &boxes);
        let mut counts = vec![0; 3000];
        tree.order.iter().for_each(|primitive| counts[*primitive as usize] += 1);
        counts.into_iter().max().unwrap_or(0)
    });
    assert_eq!((one, three), (1, 3));
    assert!(3 < ten && ten <= 10);
}

#[test]
fn boxes_in_one_place_are_halved() {
    let boxes = Boxes(vec![Aabb { lower: [1.0; 3], upper: [2.0; 3] }; 5000]);
    check(&build_quietly(&boxes, &Limits::default()), &boxes);
}

#[test]
fn distances_that_double_do_not_make_the_tree_too_deep() {
    let place = |i: i32| f32::powi(1.05, i);
    let boxed = |i| Aabb { lower: [place(i), 0.0, 0.0], upper: [place(i) + 1.0, 1.0, 1.0] };
    let boxes = Boxes((0..1700).map(boxed).collect());
    let tree = build_quietly(&boxes, &Limits { duplicates: 0.0, ..Limits::default() });
    assert_eq!(tree.order.len(), 1700);
    check_depth(&tree);
}

fn check_depth(tree: &BinaryTree) {
    let mut pending = vec![(0, 1)];
    while let Some((index, depth)) = pending.pop() {
        assert!(depth <= 96);
        if tree.nodes[index].count > 1 {
            pending.extend(tree.children(index).map(|child| (child, depth + 1)));
        }
    }
}

#[test]
fn progress_hears_of_every_leaf() {
    let boxes = beams(20_000);
    let heard = AtomicU64::new(0);
    let tree = build(20_000, &boxes, &Limits::default(), &|leaves| {
        heard.fetch_add(leaves, Ordering::Relaxed);
    });
    let heard = heard.into_inner();
    assert!(heard >= 20_000 && heard <= tree.order.len() as u64);
}
