//! Queries of a model's distance field.

use std::fmt::Write;

use bvhc_runtime::Field;

use super::Answer;
use crate::cli::row::{Row, RowError};

/// Samples the field.
pub(super) struct Handler<'a> {
    pub(super) field: Field<'a>,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        "distance,gx,gy,gz,error"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::parse(line)? else { return Ok(()) };
        let point = query.position_only("field")?;
        let Some(found) = self.field.sample(point) else {
            row.push_str(",,,,");
            return Ok(());
        };
        let [x, y, z] = found.gradient;
        // Writing to a string cannot fail.
        let _ = write!(row, "{},{x},{y},{z},{}", found.value, found.error);
        Ok(())
    }
}
