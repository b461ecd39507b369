//! The cheapest collapse of a binary tree into wide nodes, for nodes of any width and costs of any kind.
//!
//! A subtree can be represented by one root (a wide node or a leaf), or by several roots that become children of the
//! same wide node. [`Plan`] holds, for one subtree, the least cost for each number of roots; plans are made from the
//! leaves up. What a root costs is up to the caller: `tree/wide.rs` (the AABB tree) and `pair/partition/part.rs` (the
//! trees for pairs of models).
//!
//! Based on: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017,
//! section 3.1 (dynamic programming over the binary tree). Departure: which subtrees may be leaves, and what leaves
//! cost, is decided outside.

use std::ops::Add;

/// The cheapest ways to represent a subtree by at most 1, 2, … roots, where a wide node has up to `WIDTH` children.
///
/// Ties go to fewer roots, then to fewer roots on the left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<C, const WIDTH: usize> {
    /// `costs[k - 1]`: the least cost of at most k roots, k < `WIDTH`. The last entry repeats the one before it.
    costs: [C; WIDTH],
    divisions: Divisions<WIDTH>,
    /// More roots than these cost no less: the number of leaves below, but at most `WIDTH`.
    most: u8,
}

/// The part of a [`Plan`] that is needed once the plans of all larger subtrees have been made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisions<const WIDTH: usize> {
    /// `left[k - 1]`: of k roots, how many represent the left child. 0: k - 1 roots cost no more.
    left: [u8; WIDTH],
}

impl<const WIDTH: usize> Divisions<WIDTH> {
    /// Those of a subtree that is always one leaf.
    pub(crate) const LEAF: Self = Self { left: [0; WIDTH] };

    /// How at most `most` roots are divided between the left and the right child; `None` where one root is cheapest.
    fn shares(&self, most: usize) -> Option<[usize; 2]> {
        let roots = (2..=most).rev().find(|roots| self.left[roots - 1] != 0)?;
        let left = usize::from(self.left[roots - 1]);
        Some([left, roots - left])
    }
}

impl<C: Copy + PartialOrd + Add<Output = C>, const WIDTH: usize> Plan<C, WIDTH> {
    /// The plan of a subtree that is always one leaf.
    pub(crate) fn leaf(cost: C) -> Self {
        Self { costs: [cost; WIDTH], divisions: Divisions::LEAF, most: 1 }
    }

    /// The plan of an inner node. `root` returns the cost of the subtree as one root, given the least cost of the
    /// children that it has as a wide node.
    pub(crate) fn inner(children: [&Self; 2], root: impl FnOnce(C) -> C) -> Self {
        let (of_children, left) = cheapest_division(children, WIDTH);
        let mut plan = Self::leaf(root(of_children));
        plan.divisions.left[WIDTH - 1] = left;
        plan.most = children.iter().map(|child| child.most).sum::<u8>().min(WIDTH as u8);
        let most = usize::from(plan.most).min(WIDTH - 1);
        for roots in 2..=most {
            let (cost, left) = cheapest_division(children, roots);
            let fewer = plan.costs[roots - 2];
            let is_better = cost < fewer;
            plan.costs[roots - 1] = if is_better { cost } else { fewer };
            plan.divisions.left[roots - 1] = if is_better { left } else { 0 };
        }
        let least = plan.costs[most - 1];
        plan.costs[most..].fill(least);
        plan
    }

    /// The least cost of at most `roots` roots, fewer than `WIDTH`.
    #[cfg(test)]
    pub(crate) fn cost(&self, roots: usize) -> C {
        self.costs[roots - 1]
    }

    /// How its roots are divided.
    pub(crate) fn divisions(&self) -> &Divisions<WIDTH> {
        &self.divisions
    }
}

/// The least cost of two subtrees as `roots` roots in all, and how many of these are on the left.
fn cheapest_division<C, const WIDTH: usize>(children: [&Plan<C, WIDTH>; 2], roots: usize) -> (C, u8)
where
    C: Copy + PartialOrd + Add<Output = C>,
{
    let [left, right] = children;
    let cost = |on_left: usize| left.costs[on_left - 1] + right.costs[roots - on_left - 1];
    (2..roots.min(usize::from(left.most) + 1)).fold((cost(1), 1), |best, on_left| {
        let cost = cost(on_left);
        if cost < best.0 { (cost, on_left as u8) } else { best }
    })
}

/// A subtree that has a plan.
pub(crate) trait Subtree<const WIDTH: usize>: Copy {
    /// How the roots of the subtree's plan are divided.
    fn divisions(&self) -> &Divisions<WIDTH>;

    /// Both halves of a subtree that is no leaf of the binary tree.
    fn halves(&self) -> [Self; 2];
}

/// The children of the wide node that represents an inner node, from left to right.
pub(crate) fn children<S: Subtree<WIDTH>, const WIDTH: usize>(node: S) -> Vec<S> {
    let mut roots = Vec::with_capacity(WIDTH);
    collect(node, WIDTH, &mut roots);
    roots
}

fn collect<S: Subtree<WIDTH>, const WIDTH: usize>(node: S, most: usize, roots: &mut Vec<S>) {
    match node.divisions().shares(most) {
        None => roots.push(node),
        Some(shares) => {
            for (half, share) in node.halves().into_iter().zip(shares) {
                collect(half, share, roots);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A binary tree: the cost of each inner node as a root, and its halves.
    enum Tree {
        Leaf(u32),
        Inner(u32, Box<[Tree; 2]>),
    }

    fn random(leaves: u32, salt: u32) -> Tree {
        let noise = (leaves ^ salt).wrapping_mul(2_654_435_761) >> 8;
        if leaves == 1 {
            return Tree::Leaf(noise % 11);
        }
        let left = 1 + noise % (leaves - 1);
        Tree::Inner(noise % 97, Box::new([random(left, salt + 1), random(leaves - left, salt + 2)]))
    }

    /// The least cost by trying every division.
    fn least<const WIDTH: usize>(tree: &Tree, roots: usize) -> u32 {
        let Tree::Inner(own, halves) = tree else {
            let Tree::Leaf(cost) = tree else { unreachable!() };
            return *cost;
        };
        let divided = |roots: usize| {
            let cost = |left| least::<WIDTH>(&halves[0], left) + least::<WIDTH>(&halves[1], roots - left);
            (1..roots).map(cost).min().unwrap_or(u32::MAX)
        };
        divided(roots).min(own + divided(WIDTH))
    }

    fn plan<const WIDTH: usize>(tree: &Tree) -> Plan<u32, WIDTH> {
        match tree {
            Tree::Leaf(cost) => Plan::leaf(*cost),
            Tree::Inner(own, halves) => {
                let [left, right] = halves.each_ref().map(plan);
                Plan::inner([&left, &right], |children| own + children)
            }
        }
    }

    fn check<const WIDTH: usize>() {
        for salt in 0..120 {
            let tree = random(1 + salt % 14, salt);
            for roots in 1..WIDTH {
                assert_eq!(plan::<WIDTH>(&tree).cost(roots), least::<WIDTH>(&tree, roots));
            }
        }
    }

    #[test]
    fn plans_cost_least_for_any_width() {
        check::<2>();
        check::<3>();
        check::<4>();
        check::<6>();
    }
}
