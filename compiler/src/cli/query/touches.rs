//! The contacts of shapes with a model.

use std::fmt::Write;

use bvhc_runtime::{Contact, Model, Shape, TooManyContacts, Touches, World, WorldContact};

use super::Answer;
use super::fields::push_contacts;
use crate::cli::args::{ModelArgs, TouchesArgs};
use crate::cli::error::CliError;
use crate::cli::row::RowError;
use crate::cli::shape;

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
        let contacts = shape.with(|shape| self.wanted.of_model(&self.model, &shape));
        // Writing to a string cannot fail.
        let _ = write!(row, "{},", contacts.len());
        let _ = push_contacts(row, Some(&self.model), contacts.into_iter());
        Ok(())
    }
}

impl Wanted {
    /// Refuses an angle of edges where no model has them.
    pub(super) fn check<'a>(
        &self,
        mut models: impl Iterator<Item = &'a Model<'a>>,
        args: &ModelArgs,
    ) -> Result<(), CliError> {
        let has_edges = models.any(|model| model.sections().edges().is_some());
        if self.edge_angle.is_some() && !has_edges {
            return Err(CliError::NoEdges { file: args.file.display().to_string() });
        }
        Ok(())
    }

    fn of_model(&self, model: &Model<'_>, shape: &impl Shape) -> Vec<Contact> {
        let touches = self.touches(shape);
        all_of(Contact::NONE, |contacts| match self.manifold {
            true => model.manifold(&touches, contacts),
            false => model.contacts(&touches, contacts),
        })
    }

    pub(super) fn of_world(&self, world: &World<'_>, shape: &impl Shape) -> Vec<WorldContact> {
        let touches = self.touches(shape);
        all_of(WorldContact::NONE, |contacts| match self.manifold {
            true => world.manifold(&touches, contacts),
            false => world.contacts(&touches, contacts),
        })
    }

    fn touches<'a, T: Shape>(&self, shape: &'a T) -> Touches<'a, T> {
        let touches = Touches::new(shape, self.margin);
        self.edge_angle.map_or(touches, |angle| touches.without_seams(angle))
    }
}

/// All contacts that `write` writes to a slice that is long enough.
fn all_of<C: Clone>(none: C, write: impl Fn(&mut [C]) -> Result<usize, TooManyContacts>) -> Vec<C> {
    let mut contacts = vec![none.clone(); 64];
    loop {
        match write(&mut contacts) {
            Ok(count) => {
                contacts.truncate(count);
                return contacts;
            }
            Err(TooManyContacts { needed }) => contacts.resize(needed, none.clone()),
        }
    }
}
