use super::*;
use crate::tree::aabb::Aabb;
use crate::tree::binary::Node;
use crate::tree::build::{Builder, Leaves, build};

fn scattered(count: u32) -> Vec<Aabb> {
    let noise = |i: u32, salt: u32| (i.wrapping_mul(2_654_435_761) ^ salt).wrapping_mul(40_503) % 1009;
    let boxed = |i| {
        let place = [0, 77, 991].map(|salt| noise(i, salt) as f32);
        Aabb::around([place, [0, 1, 2].map(|axis| place[axis] + noise(i, axis as u32 + 5) as f32 / 30.0)])
    };
    (0..count).map(boxed).collect()
}

fn cost(tree: &BinaryTree) -> f64 {
    Links::of(tree).cost()
}

fn check(tree: &BinaryTree, boxes: &[Aabb]) {
    let mut seen = tree.order.clone();
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..boxes.len() as u32), "each primitive has one leaf");
    for index in 0..tree.nodes.len() {
        let Node { bounds, first, count, .. } = tree.nodes[index];
        let around = tree.primitives(index).iter().map(|p| boxes[*p as usize]);
        assert_eq!(bounds, around.fold(Aabb::EMPTY, Aabb::union));
        if count > 1 {
            let [left, right] = tree.children(index).map(|child| tree.nodes[child]);
            assert_eq!((left.first, right.first), (first, first + left.count));
            assert_eq!(left.count + right.count, count);
        }
    }
}

const EFFORT: WorkBudget = WorkBudget { rounds: 3, share: 0.5 };

#[test]
fn trees_get_cheaper_and_stay_valid_for_any_number_of_threads() {
    for count in [1, 2, 3, 4, 5, 30, 3000] {
        let boxes = scattered(count);
        let tree = build(&boxes, Builder::Binned, Leaves::Single, &|_| ());
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            pool.install(|| reinsert(tree.clone(), EFFORT))
        };
        let better = run(1);
        check(&better, &boxes);
        assert!(cost(&better) <= cost(&tree));
        assert!(count < 3000 || cost(&better) < cost(&tree));
        assert!(run(2) == better && run(5) == better);
    }
}

#[test]
fn each_move_saves_what_it_promises() {
    let boxes = scattered(500);
    let links = Links::of(&build(&boxes, Builder::Binned, Leaves::Single, &|_| ()));
    for node in largest(&links, 1.0) {
        if let Some(found) = Search::new(&links, node).run() {
            let mut moved = links.clone();
            found.make(&mut moved);
            let saved = links.cost() - moved.cost();
            assert!((saved - found.gain).abs() < 1e-6 * links.cost(), "{saved} {}", found.gain);
        }
    }
}

#[test]
fn a_tree_that_is_too_deep_is_not_taken() {
    let chain = |levels: u32| {
        let mut nodes = Vec::new();
        for level in 0..levels {
            let count = levels - level;
            let right = if count > 1 { 2 } else { 0 };
            nodes.push(Node { bounds: Aabb::EMPTY, first: level, count, right });
            if count > 1 {
                nodes.push(Node::leaf(Aabb::EMPTY, level, 1));
            }
        }
        BinaryTree { nodes, order: (0..levels).collect() }
    };
    assert_eq!(Links::of(&chain(96)).finish(), Some(chain(96)));
    assert_eq!(Links::of(&chain(97)).finish(), None);
}

/// Small boxes, and many large ones that hold all of those: wherever a small one goes, it costs no more than its own area on the
/// way, so no bound cuts the search short.
fn soup(small: u32, large: u32) -> Vec<Aabb> {
    let noise =
        |i: u32, salt: u32| ((i.wrapping_mul(2_654_435_761) ^ salt).wrapping_mul(40_503) % 1009) as f32;
    let boxed = |i| {
        let centre = [0, 77, 991].map(|salt| noise(i, salt) / 10.0);
        let half = |axis: u32| if i < small { 1.0 } else { 500.0 + noise(i, axis + 5) };
        let corner = |sign: f32| [0, 1, 2].map(|axis| centre[axis] + sign * half(axis as u32));
        Aabb::around([corner(-1.0), corner(1.0)])
    };
    (0..small + large).map(boxed).collect()
}

#[test]
fn a_search_that_no_bound_cuts_short_ends_after_the_most_positions() {
    let links = Links::of(&build(&soup(20, 3000), Builder::Binned, Leaves::Single, &|_| ()));
    let mut small = largest(&links, 1.0);
    small.retain(|node| links.0[*node as usize].bounds.half_area() < 20.0);
    assert!(small.len() > 10);
    for node in small {
        let mut all = Search { left: u32::MAX, ..Search::new(&links, node) };
        all.look();
        let mut some = Search::new(&links, node);
        some.look();
        assert!(u32::MAX - all.left > 10 * MOST_POSITIONS);
        assert_eq!(some.left, 0);
        assert!(some.best.gain <= all.best.gain);
    }
}
