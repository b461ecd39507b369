//! Mesh against mesh: whether two models meet, and in how many pairs of triangles.

use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::{Model, Volume, WorkBudget};

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
    /// The work that each query may take.
    pub(super) budget: WorkBudget,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        "collides,pairs"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::<f64>::parse(line)? else { return Ok(()) };
        let pose = query.pose("collide")?;
        let mut budget = self.budget;
        let asked = self.a.against(&self.b, &pose).volume(self.volume).budget(&mut budget);
        let (collides, pairs) = if self.count {
            let mut pairs = 0u64;
            let visit = |_| {
                pairs += 1;
                ControlFlow::Continue(())
            };
            (asked.all_pairs(visit).map(|_| pairs != 0), Some(pairs))
        } else {
            (asked.first_pair().map(|pair| pair.is_some()), None)
        };
        // Writing to a string cannot fail.
        let _ = match (collides, pairs) {
            (Ok(collides), Some(pairs)) => write!(row, "{},{pairs}", u8::from(collides)),
            (Ok(collides), None) => write!(row, "{},", u8::from(collides)),
            (Err(_), _) => write!(row, "exhausted,"),
        };
        Ok(())
    }
}
