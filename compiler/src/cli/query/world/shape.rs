//! Queries with shapes on a world.

use std::collections::BTreeMap;
use std::fmt::Write;

use bvhc_runtime::{Contact, World};

use super::{mesh_of, named, push_names, push_overlap};
use crate::cli::query::Answer;
use crate::cli::query::fields::{face_of, push_cast, push_contacts};
use crate::cli::query::shape::Kind;
use crate::cli::query::touches::Wanted;
use crate::cli::row::RowError;
use crate::cli::shape;

/// Answers queries of one kind.
pub(in crate::cli::query) struct Shapes<'a> {
    pub(in crate::cli::query) kind: Kind,
    pub(in crate::cli::query) world: World<'a>,
}

impl Answer for Shapes<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            Kind::Overlap => "count,instance,faces",
            Kind::Cast => "hit,t,x,y,z,nx,ny,nz,instance,face,depth",
        }
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        // Writing to a string cannot fail.
        let _ = match self.kind {
            Kind::Overlap => {
                let Some(shape) = shape::alone(line, "overlap")? else { return Ok(()) };
                shape.with(|shape| push_overlap(&self.world, row, |visit| self.world.overlap(&shape, visit)))
            }
            Kind::Cast => {
                let Some((shape, motion)) = shape::cast(line)? else { return Ok(()) };
                let Some(found) = shape.with(|shape| self.world.cast(&motion.of(&shape))) else {
                    row.push_str("0,,,,,,,,,,");
                    return Ok(());
                };
                let (instance, mesh) = named(&self.world, found.instance);
                push_cast(row, &found.hit, Some(&instance), &face_of(mesh, found.hit.triangle))
            }
        };
        Ok(())
    }
}

/// Answers queries for contacts.
pub(in crate::cli::query) struct TouchesShapes<'a> {
    pub(in crate::cli::query) world: World<'a>,
    pub(in crate::cli::query) wanted: Wanted,
}

impl Answer for TouchesShapes<'_> {
    fn header(&self) -> &'static str {
        "count,instance,contacts"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(shape) = shape::alone(line, "touches")? else { return Ok(()) };
        let contacts = shape.with(|shape| self.wanted.of_world(&self.world, &shape));
        // Writing to a string cannot fail.
        let _ = write!(row, "{},", contacts.len());
        let mut by_instance: BTreeMap<u32, Vec<Contact>> = BTreeMap::new();
        for found in contacts {
            by_instance.entry(found.instance).or_default().push(found.contact);
        }
        push_names(&self.world, row, by_instance.keys().copied());
        row.push(',');
        for (index, (instance, contacts)) in by_instance.into_iter().enumerate() {
            row.push_str(if index == 0 { "" } else { ";" });
            let _ = push_contacts(row, mesh_of(&self.world, instance), contacts.into_iter());
        }
        Ok(())
    }
}
