//! Trees within a time: the same parts fitted again, by longer searches, while the time lasts.
//!
//! Each pass is the tree that its options make, whatever the clock says. So what the time was enough for is told by
//! options, and these make the same tree again, at once.

use std::time::{Duration, Instant};

use super::grow::Parted;
use super::{OnTriangles, Options, Tree};

/// The part of the time left that a pass is planned to take.
const SHARE: f64 = 0.9;

/// Who watches, and for how long.
#[derive(Clone, Copy)]
pub struct TimeBudget<'a> {
    /// When no further pass may begin, nor one that would seem to end later. The first one always takes place.
    pub time: Duration,
    /// Called before every pass but the first.
    pub on_pass: &'a dyn Fn(),
    /// Called during each.
    pub on_triangles: OnTriangles<'a>,
}

/// Builds a tree over at least one triangle as [`build`](super::build) does, and again with longer searches while the
/// time lasts. Returns the tree whose boxes are least, by the sum of the objective, and the options that make it.
pub fn build_within(
    triangles: &[[[f32; 3]; 3]],
    options: &Options,
    watch: &TimeBudget<'_>,
) -> (Tree, Options) {
    let start = Instant::now();
    let parted = Parted::new(triangles, options);
    let mut best = Pass::run(&parted, *options, watch);
    let (mut fit, mut seconds) = (best.options.fit, best.seconds);
    loop {
        let left = watch.time.saturating_sub(start.elapsed()).as_secs_f64();
        let Some(longer) = fit.longer(SHARE * left / seconds.max(f64::MIN_POSITIVE)) else {
            return (best.tree, best.options);
        };
        (watch.on_pass)();
        let pass = Pass::run(&parted, Options { fit: longer, ..*options }, watch);
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
    fn run(parted: &Parted, options: Options, watch: &TimeBudget<'_>) -> Self {
        let start = Instant::now();
        let tree = parted.fit(&options, watch.on_triangles);
        let boxes = tree.nodes.iter().flat_map(|node| &node.children);
        let sum = boxes.map(|child| options.objective.measure(child.obb.extents())).sum();
        Self { tree, options, sum, seconds: start.elapsed().as_secs_f64() }
    }
}
