//! Both builders: valid trees, the same for any number of threads, never too deep.

use super::*;

fn boxes(count: u32, place: impl Fn(u32) -> [f32; 3]) -> Vec<Aabb> {
    let boxed = |i| Aabb::around([place(i), place(i).map(|x| x + 1.0)]);
    (0..count).map(boxed).collect()
}

fn scattered(count: u32) -> Vec<Aabb> {
    let noise = |i: u32, salt: u32| (i.wrapping_mul(2_654_435_761) ^ salt).wrapping_mul(40_503) % 1009;
    boxes(count, |i| [0, 77, 991].map(|salt| noise(i, salt) as f32))
}

fn check(tree: &BinaryTree, boxes: &[Aabb]) {
    let mut seen = tree.order.clone();
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..boxes.len() as u32), "each primitive has one leaf");
    let mut pending = vec![(0, 1)];
    while let Some((index, depth)) = pending.pop() {
        assert!(depth <= 96);
        let node = tree.nodes[index];
        let around = tree.primitives(index).iter().map(|p| boxes[*p as usize]);
        assert_eq!(node.bounds, around.fold(Aabb::EMPTY, Aabb::union));
        if !node.is_leaf() {
            let children = tree.children(index);
            assert_eq!(children.iter().map(|child| tree.nodes[*child].count).sum::<u32>(), node.count);
            assert_eq!(tree.nodes[children[0]].first, node.first);
            pending.extend(children.map(|child| (child, depth + 1)));
        }
    }
}

const ALL: [(Builder, Leaves); 4] = [
    (Builder::Binned, Leaves::Single),
    (Builder::Binned, Leaves::Small(5)),
    (Builder::Sweep, Leaves::Single),
    (Builder::Sweep, Leaves::Small(5)),
];

fn in_pool<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(run)
}

#[test]
fn trees_are_valid_and_the_same_for_any_number_of_threads() {
    // 1 and 2 primitives, both sides of sweeps and of a thread's share, and many.
    for count in [1, 2, 3, 24, 25, 2048, 2049, 4095, 4097, 50_000] {
        let boxes = scattered(count);
        for (builder, leaves) in ALL {
            let tree = in_pool(1, || build(&boxes, builder, leaves, &|_| ()));
            check(&tree, &boxes);
            for threads in [2, 7] {
                assert!(in_pool(threads, || build(&boxes, builder, leaves, &|_| ())) == tree);
            }
        }
    }
}

/// A thread that waits for a part of a tree takes up others: with bins on the stack, 16 threads and ten million boxes needed more than
/// 2 MiB of it each.
#[test]
fn small_stacks_suffice() {
    let boxes = scattered(200_000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(32).stack_size(128 << 10);
    let pool = pool.build().expect("threads start");
    for (builder, leaves) in ALL {
        pool.install(|| build(&boxes, builder, leaves, &|_| ()));
    }
}

#[test]
fn boxes_in_one_place_are_halved() {
    let boxes = boxes(10_000, |_| [1.0; 3]);
    for (builder, leaves) in ALL {
        check(&build(&boxes, builder, leaves, &|_| ()), &boxes);
    }
}

#[test]
fn distances_that_double_do_not_make_the_tree_too_deep() {
    let boxes = boxes(2000, |i| [f32::powi(1.05, i as i32), 0.0, 0.0]);
    for (builder, leaves) in ALL {
        check(&build(&boxes, builder, leaves, &|_| ()), &boxes);
    }
}

#[test]
fn leaves_hold_several_primitives_only_where_they_are_small() {
    // A fine grid, and boxes that each are a tenth of the whole.
    let fine = boxes(10_000, |i| [(i % 100) as f32, (i / 100) as f32, 0.0]);
    let coarse = (0..10)
        .map(|i| Aabb { lower: [0.0, 10.0 * i as f32, 5.0], upper: [100.0, 10.0 * i as f32 + 9.0, 6.0] });
    let boxes: Vec<_> = fine.into_iter().chain(coarse).collect();
    for builder in [Builder::Binned, Builder::Sweep] {
        let tree = build(&boxes, builder, Leaves::Small(5), &|_| ());
        check(&tree, &boxes);
        let leaves: Vec<_> = (0..tree.nodes.len()).filter(|node| tree.nodes[*node].is_leaf()).collect();
        let of = |primitive: &u32| leaves.iter().find(|leaf| tree.primitives(**leaf).contains(primitive));
        let alone = |primitive: u32| of(&primitive).is_some_and(|leaf| tree.nodes[*leaf].count == 1);
        assert!((10_000..10_010).all(alone));
        assert!(leaves.iter().all(|leaf| tree.nodes[*leaf].count <= 5));
        assert!(leaves.len() < 5000, "{}", leaves.len());
    }
}
