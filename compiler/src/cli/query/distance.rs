//! The distance between two models.

use bvhc_runtime::{Model, Tolerance, Volume, WarmStart, WorkBudget};

use super::Answer;
use super::fields::{face_of, push_distance};
use crate::cli::row::{Row, RowError};

/// Answers queries, each a pose of B in A's space.
pub(super) struct Handler<'a> {
    pub(super) a: Model<'a>,
    pub(super) b: Model<'a>,
    /// The volumes that prune; both files have them.
    pub(super) volume: Volume,
    /// The limit beyond which nothing is found.
    pub(super) within: f64,
    pub(super) allowance: Tolerance,
    /// The work that each query may take.
    pub(super) budget: WorkBudget,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        "distance,ax,ay,az,bx,by,bz,face_a,face_b"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::<f64>::parse(line)? else { return Ok(()) };
        let pose = query.pose("distance")?;
        let (mut warm_start, mut budget) = (WarmStart::default(), self.budget);
        let (a, b) = (&self.a, &self.b);
        let found = a
            .against(b, &pose)
            .volume(self.volume)
            .limit(self.within)
            .tolerance(self.allowance)
            .warm_start(&mut warm_start)
            .budget(&mut budget)
            .distance();
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => {
                row.push_str(",,,,,,,,");
                return Ok(());
            }
            Err(_) => {
                row.push_str("exhausted,,,,,,,,");
                return Ok(());
            }
        };
        let faces = [face_of(Some(&self.a), found.a), face_of(Some(&self.b), found.b)];
        // Writing to a string cannot fail.
        let _ = push_distance(row, &found, None, faces.each_ref().map(String::as_str));
        Ok(())
    }
}
