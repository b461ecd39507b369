//! The contacts of shapes with a model.

use std::fmt::Write;

use bvhc_runtime::{Contact, Model, TooManyContacts, Touches};

use super::Answer;
use super::fields::face_of;
use crate::cli::args::TouchesArgs;
use crate::cli::row::RowError;
use crate::cli::shape::{self, Question};

/// Answers queries for contacts.
pub(super) struct Handler<'a> {
    pub(super) model: Model<'a>,
    pub(super) wanted: Wanted,
}

/// Which contacts are wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    margin: f32,
    /// In radians.
    edge_angle: Option<f32>,
    manifold: bool,
}

impl TouchesArgs {
    pub(super) fn wanted(&self) -> Wanted {
        let edge_angle = self.edge_angle.map(|degrees| degrees.to_radians() as f32);
        Wanted { margin: self.margin as f32, edge_angle, manifold: self.manifold }
    }
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        "count,contacts"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(shape) = shape::alone(line, "touches")? else { return Ok(()) };
        let contacts = shape.answer(&self.wanted, &self.model);
        // Writing to a string cannot fail.
        let _ = self.write(&contacts, row);
        Ok(())
    }
}

impl Handler<'_> {
    fn write(&self, contacts: &[Contact], row: &mut String) -> std::fmt::Result {
        write!(row, "{},", contacts.len())?;
        for (index, contact) in contacts.iter().enumerate() {
            let ([x, y, z], [nx, ny, nz]) = (contact.point, contact.normal);
            let face = face_of(Some(&self.model), contact.triangle);
            let blank = if index == 0 { "" } else { " " };
            write!(row, "{blank}{face}/{}/{x}/{y}/{z}/{nx}/{ny}/{nz}", contact.gap)?;
        }
        Ok(())
    }
}

impl Question for Wanted {
    type Answer = Vec<Contact>;

    fn ask<T: bvhc_runtime::Shape>(&self, model: &Model<'_>, shape: &T) -> Vec<Contact> {
        let mut touches = Touches::new(shape, self.margin);
        if let Some(angle) = self.edge_angle {
            touches = touches.without_seams(angle);
        }
        let mut contacts = vec![Contact::NONE; 64];
        loop {
            let found = match self.manifold {
                true => model.manifold(&touches, &mut contacts),
                false => model.contacts(&touches, &mut contacts),
            };
            match found {
                Ok(count) => {
                    contacts.truncate(count);
                    return contacts;
                }
                Err(TooManyContacts { needed }) => contacts.resize(needed, Contact::NONE),
            }
        }
    }
}
