//! Queries whether points are inside a model, and how far.

use std::fmt::Write;

use bvhc_runtime::{InsideRule, Model};

use super::Answer;
use super::fields::{face_of, push_signed_distance, word_of_place};
use crate::cli::row::{Row, RowError};

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Inside,
    SignedDistance,
}

impl Kind {
    /// The word of the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::SignedDistance => "signed-distance",
        }
    }
}

/// Answers queries of one kind.
pub(super) struct Handler<'a> {
    pub(super) kind: Kind,
    pub(super) model: Model<'a>,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            Kind::Inside => "place,winding",
            Kind::SignedDistance => "distance,x,y,z,face",
        }
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::parse(line)? else { return Ok(()) };
        let point = query.position_only(self.kind.name())?;
        // Writing to a string cannot fail.
        let _ = match self.kind {
            Kind::Inside => self.inside(point, row),
            Kind::SignedDistance => self.signed_distance(point, row),
        };
        Ok(())
    }
}

impl Handler<'_> {
    fn inside(&self, point: [f32; 3], row: &mut String) -> std::fmt::Result {
        let Some(winding) = self.model.winding(point) else {
            row.push_str("on,");
            return Ok(());
        };
        write!(row, "{},{}", word_of_place(winding.place(InsideRule::NonZero)), winding.value)
    }

    fn signed_distance(&self, point: [f32; 3], row: &mut String) -> std::fmt::Result {
        let Some(found) = self.model.signed_distance(point, InsideRule::NonZero) else {
            row.push_str(",,,,");
            return Ok(());
        };
        let face = face_of(Some(&self.model), found.nearest.triangle);
        push_signed_distance(row, found.distance, found.nearest.point, None, &face)
    }
}
