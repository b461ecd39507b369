//! What queries of two models answer, and what they may do for it.

use super::walk::distance::{BestPair, Spot};

/// Two triangles with a common point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The triangle's number in A.
    pub a: u32,
    /// The triangle's number in B.
    pub b: u32,
}

/// What pair queries may do and have done. The counts add up over queries, and the limit is for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkBudget {
    /// Steps left: visits of two nodes, or of two leaves.
    pub left: u64,
    /// Pairs of nodes visited; each is sixteen pairs of boxes.
    pub node_pairs: u64,
    /// Pairs of leaves visited; each is up to sixteen pairs of triangles.
    pub leaf_pairs: u64,
    /// Pairs of triangles that only exact arithmetic could decide.
    pub exact_tests: u64,
}

/// The limit on a query's work was reached before its answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limit on work was reached before the answer was known")]
pub struct Exhausted;

impl WorkBudget {
    /// As much as it takes.
    pub const fn unlimited() -> Self {
        Self::of_steps(u64::MAX)
    }

    /// At most this many steps, each of which takes about 0.1 microseconds.
    pub const fn of_steps(steps: u64) -> Self {
        Self { left: steps, node_pairs: 0, leaf_pairs: 0, exact_tests: 0 }
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

/// Two triangles and how far they are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Their distance in the models' units, within 1e-12 of its value; 0 if and only if the triangles meet.
    pub distance: f64,
    /// The point of A's triangle that is nearest to B's, in A's space; where the triangles meet, a point of both, which
    /// is known less well where they cross at a small angle.
    pub on_a: [f64; 3],
    /// The point of B's triangle that is nearest to A's, in A's space.
    pub on_b: [f64; 3],
    /// From the one to the other, a unit vector in A's space; zero where the triangles meet.
    pub direction: [f64; 3],
    /// The triangle's number in A.
    pub a: u32,
    /// The triangle's number in B.
    pub b: u32,
}

impl Distance {
    /// Whether it is less, or the triangles' numbers are the lower ones.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        (self.distance, self.a, self.b) < (other.distance, other.a, other.b)
    }
}

/// How much greater than the least distance an approximate one may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// By no more than this, in the models' units. Anything but a positive number allows nothing.
    Absolute(f64),
    /// By no more than this share of the least distance. Anything but a positive number allows nothing.
    Relative(f64),
}

impl Tolerance {
    /// The least distance itself.
    pub const NONE: Self = Self::Absolute(0.0);

    /// What is allowed where this is the least distance.
    pub(crate) fn beyond(&self, distance: f64) -> f64 {
        match *self {
            Self::Absolute(by) => distance + by.max(0.0),
            Self::Relative(share) => distance + distance * share.max(0.0),
        }
    }

    /// The least distance for which this is allowed.
    pub(crate) fn before(&self, distance: f64) -> f64 {
        match *self {
            Self::Absolute(by) => (distance - by.max(0.0)).max(0.0),
            Self::Relative(share) => distance / (1.0 + share.max(0.0)),
        }
    }
}

/// Where the nearest triangles were, for the next query on the same models at a similar pose. Whatever it says, exact
/// answers are the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart(pub(super) Option<[Spot; 2]>);

impl WarmStart {
    /// Keeps where the nearest triangles are, if any were found.
    pub(super) fn keep(&mut self, best: Option<BestPair>) {
        self.0 = best.map(|best| best.spots).or(self.0);
    }
}
