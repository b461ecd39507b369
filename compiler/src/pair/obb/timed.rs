//! Trees within a time budget: boxes are fitted again to the same parts, by longer searches, while time is left. Where sets
//! are split by the fitted boxes, each pass has parts of its own.
//!
//! Each pass builds the tree that its options make, whatever the clock says. So the result is described by options, and
//! these make the same tree again, without the passes before.

use std::time::{Duration, Instant};

use super::build::Partition;
use super::{OnTriangles, Options, Tree};
use crate::pair::partition::Triangle;

/// The share of the remaining time that a pass is planned to take.
const SHARE: f64 = 0.9;

/// How long passes may take, and what is called meanwhile.
#[derive(Clone, Copy)]
pub struct TimeBudget<'a> {
    /// No pass begins after this, nor one that would probably end later. The first one always takes place.
    pub time: Duration,
    /// Called before every pass but the first.
    pub on_pass: &'a dyn Fn(),
    /// Called during each.
    pub on_triangles: OnTriangles<'a>,
}

/// Builds a tree over at least one triangle as `build` does, and again with longer searches while the
/// time lasts. Returns the tree whose boxes are least, by the sum of the objective, and the options that make it.
pub fn build_with_budget(
    triangles: Vec<[[f32; 3]; 3]>,
    options: &Options,
    budget: &TimeBudget<'_>,
) -> (Tree, Options) {
    let start = Instant::now();
    let mut numbered = Triangle::number(&triangles);
    drop(triangles);
    let shared =
        (!options.split.depends_on_fit()).then(|| Partition::new(std::mem::take(&mut numbered), options));
    let run = |options: Options| {
        let start = Instant::now();
        let own = shared.is_none().then(|| Partition::new(numbered.clone(), &options));
        let partition = shared.as_ref().or(own.as_ref()).expect("one of them is there");
        Pass::new(partition.fit(&options, budget.on_triangles), options, start.elapsed())
    };
    let mut best = run(*options);
    let (mut fit, mut seconds) = (best.options.fit, best.seconds);
    loop {
        let left = budget.time.saturating_sub(start.elapsed()).as_secs_f64();
        let Some(longer) = fit.longer(SHARE * left / seconds.max(f64::MIN_POSITIVE)) else {
            return (best.tree, best.options);
        };
        (budget.on_pass)();
        let pass = run(Options { fit: longer, ..*options });
        (fit, seconds) = (longer, pass.seconds);
        if pass.sum < best.sum {
            best = pass;
        }
    }
}

/// A tree and what it took.
struct Pass {
    tree: Tree,
    options: Options,
    sum: f64,
    seconds: f64,
}

impl Pass {
    fn new(tree: Tree, options: Options, time: Duration) -> Self {
        let sum = tree.all_children().map(|child| options.objective.measure(child.obb.extents())).sum();
        Self { tree, options, sum, seconds: time.as_secs_f64() }
    }
}
