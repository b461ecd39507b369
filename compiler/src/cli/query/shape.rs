//! Queries with shapes on one model.

use bvhc_runtime::Model;

use super::Answer;
use super::fields::{face_of, list_faces, push_cast};
use crate::cli::row::RowError;
use crate::cli::shape;

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Overlap,
    Cast,
}

/// Answers queries of one kind.
pub(super) struct Handler<'a> {
    pub(super) kind: Kind,
    pub(super) model: Model<'a>,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            Kind::Overlap => "count,faces",
            Kind::Cast => "hit,t,x,y,z,nx,ny,nz,face,depth",
        }
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        // Writing to a string cannot fail.
        let _ = match self.kind {
            Kind::Overlap => {
                let Some(shape) = shape::alone(line, "overlap")? else { return Ok(()) };
                shape.with(|shape| list_faces(&self.model, row, |visit| self.model.overlap(&shape, visit)))
            }
            Kind::Cast => {
                let Some((shape, motion)) = shape::cast(line)? else { return Ok(()) };
                let Some(hit) = shape.with(|shape| self.model.cast(&motion.of(&shape))) else {
                    row.push_str("0,,,,,,,,,");
                    return Ok(());
                };
                push_cast(row, &hit, None, &face_of(Some(&self.model), hit.triangle))
            }
        };
        Ok(())
    }
}
