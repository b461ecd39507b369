//! Queries whether points are inside of a world's instances, and how far.

use std::fmt::Write;

use bvhc_runtime::{InsideRule, World};

use super::{name_of, named};
use crate::cli::query::Answer;
use crate::cli::query::fields::{face_of, push_quoted, push_signed_distance, word_of_place};
use crate::cli::query::inside::Kind;
use crate::cli::row::{Row, RowError};

/// Answers queries of one kind.
pub(in crate::cli::query) struct Inside<'a> {
    pub(in crate::cli::query) kind: Kind,
    pub(in crate::cli::query) world: World<'a>,
}

impl Answer for Inside<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            Kind::Inside => "place,winding,instance",
            Kind::SignedDistance => "distance,x,y,z,instance,face",
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

impl Inside<'_> {
    fn inside(&self, point: [f32; 3], row: &mut String) -> std::fmt::Result {
        let found = self.world.contains(point, InsideRule::NonZero);
        write!(row, "{},", word_of_place(found.place))?;
        if let Some(winding) = self.world.winding(point) {
            write!(row, "{}", winding.value)?;
        }
        row.push(',');
        push_quoted(row, &found.instance.map_or_else(String::new, |instance| name_of(&self.world, instance)));
        Ok(())
    }

    fn signed_distance(&self, point: [f32; 3], row: &mut String) -> std::fmt::Result {
        let Some(found) = self.world.signed_distance(point, InsideRule::NonZero) else {
            row.push_str(",,,,,");
            return Ok(());
        };
        let (instance, mesh) = named(&self.world, found.nearest.instance);
        let face = face_of(mesh, found.nearest.local.triangle);
        push_signed_distance(row, found.distance, found.nearest.point, Some(&instance), &face)
    }
}
