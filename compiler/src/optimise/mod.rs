//! Changes a tree, step by step, and keeps what makes a set of rays cheaper.
//!
//! Based on: Aila, Karras, Laine, "On quality metrics of bounding volume hierarchies", 2013: the surface-area
//! heuristic is a proxy, so a step is accepted by the measured cost of rays. They are traced once, as their hits do not
//! depend on the tree; their cost is counted in boxes. There are three sets of rays: each step generates one of its own to
//! find changes, one gives the collapse the probabilities of visits, and one only decides whether a step is accepted.

mod random;
mod rays;
mod treelet;
mod visits;

use std::time::{Duration, Instant};

use bvhc_runtime::Model;

use crate::tree::binary::{BinaryTree, MAX_LEVELS};
use crate::tree::links::Links;
use crate::tree::reinsert::{self, WorkBudget};
use crate::tree::wide::{Collapse, Weighed};
use visits::{Segment, visits};

/// A quarter of the rays that weigh nodes, and as many that decide on steps. Small models get fewer: each node still sees as many.
const QUARTER: Rays = Rays { each: 8, least: 1 << 10, most: 1 << 15 };

/// A quarter of the rays by which a step finds changes.
const GUIDES: Rays = Rays { each: 2, least: 1 << 8, most: 1 << 13 };

/// So many rays a triangle, within limits.
struct Rays {
    each: u32,
    least: u32,
    most: u32,
}

impl Rays {
    fn of(&self, model: &Model<'_>) -> u32 {
        let count = u32::try_from(model.triangle_count()).unwrap_or(u32::MAX);
        count.saturating_mul(self.each).clamp(self.least, self.most)
    }

    /// Fewer where each visits so many nodes that all would visit more than [`MOST_VISITS`].
    fn within(&self, model: &Model<'_>, visits_each: f64) -> u32 {
        let most = (MOST_VISITS / (4.0 * visits_each.max(1.0))) as u32;
        self.of(model).min(most.max(PILOT))
    }
}

/// How many visits of nodes the rays of a set may make. Usual models are far below it; where thousands of boxes overlap, the time would
/// otherwise be quadratic in their number.
const MOST_VISITS: f64 = (1u64 << 24) as f64;

/// A quarter of the rays by which visits are estimated.
const PILOT: u32 = 1 << 8;

/// The weight of the areas of boxes, in rays.
const PRIOR: f64 = 64.0;

/// Seeds of the two lasting sets and of the pilot; steps count up from zero.
const SEED: u64 = 1 << 31;

/// The share of nodes that a step of reinsertion may move.
const MOVED: f64 = 0.1;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After this many steps.
    Steps(u32),
    /// After the first step that ends later than this, or before it, if that is when its rays are still traced.
    After(Duration),
}

impl Default for Stop {
    /// More steps than these change less than a hundredth.
    fn default() -> Self {
        Self::Steps(16)
    }
}

/// The input of an optimisation.
pub struct Job<'a> {
    /// The model whose tree it is, to trace rays in.
    pub model: &'a Model<'a>,
    /// Says which subtrees may be leaves of the wide tree.
    pub fits: &'a (dyn Fn(&BinaryTree) -> Vec<bool> + Sync),
    /// When to stop.
    pub stop: Stop,
    /// Called after every step.
    pub on_step: &'a dyn Fn(),
}

/// A tree that costs the deciding rays no more than `tree`, and the number of steps made. It is the same for the same
/// number of steps. Runs in the current rayon pool.
pub fn optimise(tree: BinaryTree, job: &Job<'_>) -> (Weighed, u32) {
    let deadline = Deadline::of(job.stop);
    let weighed = Weighed::by_area(tree);
    let Some(evaluation) = Evaluation::new(job, &weighed.tree, &deadline) else { return (weighed, 0) };
    let mut best = evaluation.try_tree(weighed);
    let mut steps = 0;
    let most = match job.stop {
        Stop::Steps(most) => most,
        Stop::After(_) => u32::MAX,
    };
    while steps < most && !deadline.is_over() {
        let Some(guides) = guides(steps + 1, job.model, evaluation.visits_each, &deadline) else { break };
        steps += 1;
        if let Some(tree) = propose(&best.weighed.tree, steps, &guides) {
            let tried = evaluation.try_tree(evaluation.weigh(tree));
            if tried.cost < best.cost {
                best = tried;
            }
        }
        (job.on_step)();
    }
    (best.weighed, steps)
}

/// When to give up.
struct Deadline(Option<Instant>);

impl Deadline {
    fn of(stop: Stop) -> Self {
        match stop {
            Stop::Steps(_) => Self(None),
            Stop::After(time) => Self(Instant::now().checked_add(time)),
        }
    }

    fn is_over(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// Whether a step rearranges treelets.
fn rearranges(step: u32) -> bool {
    step > 2 && !step.is_multiple_of(4)
}

/// The rays by which a step rearranges treelets, if it does; `None` if there is no time for them.
fn guides(step: u32, model: &Model<'_>, visits_each: f64, deadline: &Deadline) -> Option<Vec<Segment>> {
    if rearranges(step) {
        rays::segments(model, GUIDES.within(model, visits_each), step.into(), deadline)
    } else {
        Some(Vec::new())
    }
}

/// The tree that a step tries; `None` where it would be too deep for a file. The first step changes the weights only.
fn propose(tree: &BinaryTree, step: u32, guides: &[Segment]) -> Option<BinaryTree> {
    let proposed = match step {
        1 => tree.clone(),
        2 => reinsert::reinsert(tree.clone(), WorkBudget::MUCH),
        _ if rearranges(step) => treelet::rearrange(tree, guides, 2 + step as usize % 6),
        _ => {
            let mut links = Links::of(tree);
            reinsert::round(&mut links, MOVED);
            links.finish()?
        }
    };
    (proposed.levels() <= MAX_LEVELS).then_some(proposed)
}

/// A tree and what it costs the deciding rays.
struct Tried {
    weighed: Weighed,
    cost: f64,
}

/// The rays that weigh nodes and those that decide on steps.
struct Evaluation<'a> {
    fits: &'a (dyn Fn(&BinaryTree) -> Vec<bool> + Sync),
    weighing: Vec<Segment>,
    deciding: Vec<Segment>,
    /// How many nodes a ray visits in the first tree, in the mean.
    visits_each: f64,
}

impl<'a> Evaluation<'a> {
    /// `None` if there is no time for the rays.
    fn new(job: &Job<'a>, tree: &BinaryTree, deadline: &Deadline) -> Option<Self> {
        let pilot = rays::segments(job.model, PILOT, SEED + 2, deadline)?;
        let visits: u64 = visits(tree, &pilot).into_iter().map(u64::from).sum();
        let visits_each = visits as f64 / pilot.len() as f64;
        let quarter = QUARTER.within(job.model, visits_each);
        let [weighing, deciding] =
            [SEED, SEED + 1].map(|seed| rays::segments(job.model, quarter, seed, deadline));
        Some(Self { fits: job.fits, weighing: weighing?, deciding: deciding?, visits_each })
    }

    /// Weighs each node by the share of its parent's rays that visit it. Where these are few, the areas of the boxes count
    /// for more than their number.
    fn weigh(&self, tree: BinaryTree) -> Weighed {
        let seen = visits(&tree, &self.weighing);
        let mut weights = vec![1.0; tree.nodes.len()];
        for parent in 0..tree.nodes.len() {
            if tree.nodes[parent].is_leaf() {
                continue;
            }
            let area = |node: usize| tree.nodes[node].bounds.half_area();
            let whole = area(parent).max(f64::MIN_POSITIVE);
            for child in tree.children(parent) {
                let likely = f64::from(seen[child]) + PRIOR * area(child) / whole;
                weights[child] = weights[parent] * (likely / (f64::from(seen[parent]) + PRIOR)) as f32;
            }
        }
        Weighed { tree, weights }
    }

    fn try_tree(&self, weighed: Weighed) -> Tried {
        let fits = (self.fits)(&weighed.tree);
        let cost = Collapse::new(&weighed, &fits).cost(&visits(&weighed.tree, &self.deciding));
        Tried { weighed, cost }
    }
}

#[cfg(test)]
mod tests;
