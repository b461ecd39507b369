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
        if node.count > 1 {
            let children = tree.children(index);
            assert_eq!(children.iter().map(|child| tree.nodes[*child].count).sum::<u32>(), node.count);
            assert_eq!(tree.nodes[children[0]].first, node.first);
            pending.extend(children.map(|child| (child, depth + 1)));
        }
    }
}

fn in_pool<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(run)
}

#[test]
fn trees_are_valid_and_the_same_for_any_number_of_threads() {
    // 1 and 2 primitives, both sides of sweeps and of a thread's share, and many.
    for count in [1, 2, 3, 24, 25, 2048, 2049, 4095, 4097, 50_000] {
        let boxes = scattered(count);
        for builder in [Builder::Binned, Builder::Sweep] {
            let tree = in_pool(1, || build(&boxes, builder, &|_| ()));
            check(&tree, &boxes);
            for threads in [2, 7] {
                assert!(in_pool(threads, || build(&boxes, builder, &|_| ())) == tree);
            }
        }
    }
}

#[test]
fn boxes_in_one_place_are_halved() {
    let boxes = boxes(10_000, |_| [1.0; 3]);
    for builder in [Builder::Binned, Builder::Sweep] {
        check(&build(&boxes, builder, &|_| ()), &boxes);
    }
}

#[test]
fn distances_that_double_do_not_make_the_tree_too_deep() {
    let boxes = boxes(2000, |i| [f32::powi(1.05, i as i32), 0.0, 0.0]);
    for builder in [Builder::Binned, Builder::Sweep] {
        check(&build(&boxes, builder, &|_| ()), &boxes);
    }
}
