//! Mesh against mesh: whether two models meet, and in how many pairs of triangles.

use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::{Model, Pose};

use super::Ask;
use crate::cli::row::{Row, RowError};

/// Answers poses of B in A's space.
pub(super) struct Asker<'a> {
    pub(super) a: Model<'a>,
    pub(super) b: Model<'a>,
    /// Whether to count the pairs.
    pub(super) count: bool,
}

impl Ask for Asker<'_> {
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
            writeln!(row, "{},", u8::from(self.a.collides(&self.b, &pose)))
        };
        Ok(())
    }
}

impl Asker<'_> {
    fn pairs(&self, pose: &Pose) -> u64 {
        let mut pairs = 0;
        let _ = self.a.all_pairs(&self.b, pose, |_| {
            pairs += 1;
            ControlFlow::Continue(())
        });
        pairs
    }
}
