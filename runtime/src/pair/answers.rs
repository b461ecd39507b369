//! Answers and options of queries of two models.

use super::walk::distance::{BestPair, Spot};
use crate::model::Model;

/// What an exact test of two triangles costs in steps; it takes about 4 microseconds.
pub(super) const EXACT_STEPS: u64 = 8;

/// The steps that a query may take by default, for each byte of the two files.
const STEPS_PER_BYTE: u64 = 16;

/// Two triangles that have a point in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Number of the triangle in A.
    pub a: u32,
    /// Number of the triangle in B.
    pub b: u32,
}

/// A limit on the work of pair queries, and counts of it. Counts add up over queries; the limit is shared by all of
/// them. The steps that were spent are `node_pairs + leaf_pairs + triangle_pairs + part_tests + 8 * exact_tests`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkBudget {
    /// Steps left. A step tests the sixteen pairs of children of two nodes or of triangles of two leaves, or decides one
    /// pair of triangles, which takes eight more where only exact arithmetic can, or compares two parts of triangles that the
    /// file has split.
    pub left: u64,
    /// Node pairs visited; each is sixteen box pairs.
    pub node_pairs: u64,
    /// Leaf pairs visited; each is up to sixteen triangle pairs, tested together.
    pub leaf_pairs: u64,
    /// Triangle pairs decided one by one, in f64 or exactly.
    pub triangle_pairs: u64,
    /// Those of them that only exact arithmetic could decide.
    pub exact_tests: u64,
    /// Parts of split triangles that were compared, to report each pair once.
    pub part_tests: u64,
}

/// The limit on a query's work was reached before its answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limit on work was reached before the answer was known")]
pub struct Exhausted;

impl WorkBudget {
    /// No limit.
    pub const fn unlimited() -> Self {
        Self::of_steps(u64::MAX)
    }

    /// The limit of queries that have no other: 16 steps for each byte of the two files. Queries of models that touch take
    /// less than a thousandth of that, all pairs of a model and itself in the same place a sixteenth. It is reached where
    /// many hundreds of triangles of one model are near each triangle of the other, and in files forged to that end.
    pub fn of_models(models: [&Model<'_>; 2]) -> Self {
        let [a, b] = models.map(|model| model.sections().bytes().len() as u64);
        Self::of_steps(STEPS_PER_BYTE.saturating_mul(a.saturating_add(b)))
    }

    /// At most this many steps; a step takes about 0.1 microseconds.
    pub const fn of_steps(steps: u64) -> Self {
        Self { left: steps, node_pairs: 0, leaf_pairs: 0, triangle_pairs: 0, exact_tests: 0, part_tests: 0 }
    }

    /// Spends steps that are no visits, of those `beyond` what the walk may spend on visits while there are any.
    #[inline(always)]
    pub(crate) fn spend_beyond(&mut self, steps: u64, beyond: &mut u64) -> Result<(), Exhausted> {
        let free = steps.min(*beyond);
        *beyond -= free;
        let left = self.left.checked_sub(steps - free);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Exhausted)
    }

    #[inline(always)]
    pub(crate) fn spend(&mut self) -> Result<(), Exhausted> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Exhausted),
        }
    }
}

impl Default for WorkBudget {
    fn default() -> Self {
        Self::unlimited()
    }
}

/// Two triangles and their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The distance in the models' units, within 1e-12 of its value; 0 if and only if the triangles meet.
    pub distance: f64,
    /// The witness point on A's triangle (the point nearest to B's triangle), in A's space. Where the triangles meet, a
    /// point of both; it is less accurate where they cross at a small angle.
    pub on_a: [f64; 3],
    /// The witness point on B's triangle, in A's space.
    pub on_b: [f64; 3],
    /// Unit vector from `on_a` to `on_b`, in A's space; zero where the triangles meet.
    pub direction: [f64; 3],
    /// Number of the triangle in A.
    pub a: u32,
    /// Number of the triangle in B.
    pub b: u32,
}

impl Distance {
    /// Whether this distance is smaller, or equal with lower triangle numbers.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        (self.distance, self.a, self.b) < (other.distance, other.a, other.b)
    }
}

/// How far an approximate distance may exceed the least distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// By at most this much, in the models' units. Zero, negative numbers and NaN allow nothing.
    Absolute(f64),
    /// By at most this fraction of the least distance. Zero, negative numbers and NaN allow nothing.
    Relative(f64),
}

impl Tolerance {
    /// Exact: only the least distance itself.
    pub const NONE: Self = Self::Absolute(0.0);

    /// The greatest distance allowed if the least one is `distance`.
    pub(crate) fn beyond(&self, distance: f64) -> f64 {
        match *self {
            Self::Absolute(by) => distance + by.max(0.0),
            Self::Relative(share) => distance + distance * share.max(0.0),
        }
    }

    /// The smallest least distance for which `distance` is still allowed.
    pub(crate) fn before(&self, distance: f64) -> f64 {
        match *self {
            Self::Absolute(by) => (distance - by.max(0.0)).max(0.0),
            Self::Relative(share) => distance / (1.0 + share.max(0.0)),
        }
    }
}

/// The nearest triangles of the last query, as a start for the next one on the same models at a similar pose. It does
/// not change exact answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart(pub(crate) Option<[Spot; 2]>);

impl WarmStart {
    /// As a start for the same two models, the other way round.
    pub(crate) fn swapped(self) -> Self {
        Self(self.0.map(|[a, b]| [b, a]))
    }

    /// Stores the nearest triangles, if any were found.
    pub(super) fn keep(&mut self, best: Option<BestPair>) {
        self.0 = best.map(|best| best.spots).or(self.0);
    }
}
