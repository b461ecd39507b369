//! What importers get and return.

use std::collections::BTreeMap;

use super::files::{Files, NoFiles};
use crate::mesh::Polygons;

/// A model file.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its name in messages.
    pub name: &'a str,
    /// The files that it may refer to.
    pub files: &'a dyn Files,
}

impl<'a> Input<'a> {
    /// A file that refers to no other.
    pub fn new(bytes: &'a [u8], name: &'a str) -> Self {
        Self { bytes, name, files: &NoFiles }
    }
}

/// What a file has.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Its faces.
    pub polygons: Polygons,
    /// The other files that it refers to and that were read, in order of first use.
    pub inputs: Vec<OtherInput>,
    /// What else there is to say.
    pub notes: Notes,
}

/// A file that a model refers to and that was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtherInput {
    /// Its name, as the model writes it.
    pub name: String,
    /// BLAKE3 of its bytes.
    pub hash: blake3::Hash,
    /// Its length in bytes.
    pub length: u64,
}

/// What there is to say of a source, besides its faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// How many things of each kind, named in the plural, were ignored as they are no faces.
    pub ignored: BTreeMap<&'static str, u64>,
    /// What may be other than its author expects.
    pub warnings: Vec<String>,
}
