//! Queries with shapes on one model.

use std::fmt::Write;

use bvhc_runtime::{CastHit, Model};

use super::Answer;
use super::fields::{face_of, list_faces};
use crate::cli::row::RowError;
use crate::cli::shape::{self, Motion, Question, Shape};

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Overlap,
    Cast,
}

impl Kind {
    /// The word of the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Cast => "cast",
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
            Kind::Overlap => "count,faces",
            Kind::Cast => "hit,t,x,y,z,nx,ny,nz,face,depth",
        }
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        // Writing to a string cannot fail.
        let _ = match self.kind {
            Kind::Overlap => {
                let Some(shape) = shape::alone(line, "overlap")? else { return Ok(()) };
                let faces: String = shape.answer(&Faces, &self.model);
                row.write_str(&faces)
            }
            Kind::Cast => {
                let Some((shape, motion)) = shape::cast(line)? else { return Ok(()) };
                self.cast(&shape, motion, row)
            }
        };
        Ok(())
    }
}

impl Handler<'_> {
    fn cast(&self, shape: &Shape, motion: Motion, row: &mut String) -> std::fmt::Result {
        let Some(hit) = shape.answer(&First(motion), &self.model) else {
            row.push_str("0,,,,,,,,,");
            return Ok(());
        };
        let ([x, y, z], [nx, ny, nz]) = (hit.point, hit.normal);
        write!(row, "1,{},{x},{y},{z},{nx},{ny},{nz},", hit.t)?;
        write!(row, "{},{}", face_of(Some(&self.model), hit.triangle), hit.depth.unwrap_or(0.0))
    }
}

/// Which faces does it touch?
struct Faces;

impl Question for Faces {
    type Answer = String;

    fn ask<T: bvhc_runtime::Shape>(&self, model: &Model<'_>, shape: &T) -> String {
        let mut row = String::new();
        let _ = list_faces(model, &mut row, |visit| model.overlap(shape, visit));
        row
    }
}

/// What does it touch first?
struct First(Motion);

impl Question for First {
    type Answer = Option<CastHit>;

    fn ask<T: bvhc_runtime::Shape>(&self, model: &Model<'_>, shape: &T) -> Option<CastHit> {
        model.cast(&self.0.of(shape))
    }
}
