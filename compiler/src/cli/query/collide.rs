//! Mesh against mesh: whether two models meet, and in how many pairs of triangles.

use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::{Model, Pose, Volume};

use super::Answer;
use crate::cli::row::{Row, RowError};

/// Answers queries, each a pose of B in A's space.
pub(super) struct Handler<'a> {
    pub(super) a: Model<'a>,
    pub(super) b: Model<'a>,
    /// Whether to count the pairs.
    pub(super) count: bool,
    /// The volumes that prune; both files have them.
    pub(super) volume: Volume,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        "collides,pairs"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::<f64>::parse(line)? else { return Ok(()) };
        let pose = query.pose("collide")?;
        // Writing to a string cannot fail.
        let _ = if self.count {
            let pairs = self.pairs(&pose);
            writeln!(row, "{},{pairs}", u8::from(pairs != 0))
        } else {
            writeln!(row, "{},", u8::from(self.collides(&pose)))
        };
        Ok(())
    }
}

impl Handler<'_> {
    fn pairs(&self, pose: &Pose) -> u64 {
        let mut pairs = 0;
        let visit = |_| {
            pairs += 1;
            ControlFlow::Continue(())
        };
        let _ = self.a.against(&self.b, pose).volume(self.volume).all_pairs(visit);
        pairs
    }

    fn collides(&self, pose: &Pose) -> bool {
        let first = self.a.against(&self.b, pose).volume(self.volume).first_pair();
        first.is_ok_and(|pair| pair.is_some())
    }
}
