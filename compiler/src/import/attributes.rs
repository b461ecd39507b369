//! Materials, groups and objects: which names apply to which faces.

use crate::mesh::Names;
use bvhc_format::NONE;
use bvhc_format::record::AttributeRun;
use std::collections::HashMap;

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    Material,
    Group,
    Object,
}

/// Tracks the current names through a source. Names are numbered in order of first use by a face.
#[derive(Default)]
pub(super) struct Attributes {
    material: Current,
    group: Current,
    object: Current,
    runs: Vec<AttributeRun>,
    /// Whether the last run still describes the next face.
    settled: bool,
}

impl Attributes {
    /// The faces from here on have this name, or none if it is empty.
    pub(super) fn set(&mut self, attribute: Attribute, name: String) {
        self.settled = false;
        match attribute {
            Attribute::Material => self.material.name = name,
            Attribute::Group => self.group.name = name,
            Attribute::Object => self.object.name = name,
        }
    }

    /// Assigns the current names to `face`.
    pub(super) fn face(&mut self, face: u32) {
        if self.settled {
            return;
        }
        self.settled = true;
        let run = AttributeRun {
            first_triangle: face,
            material: self.material.number(),
            group: self.group.number(),
            object: self.object.number(),
        };
        let same = |last: &AttributeRun| {
            (last.material, last.group, last.object) == (run.material, run.group, run.object)
        };
        if !self.runs.last().is_some_and(same) {
            self.runs.push(run);
        }
    }

    pub(super) fn finish(self) -> (Names, Vec<AttributeRun>) {
        let names =
            Names { materials: self.material.names, groups: self.group.names, objects: self.object.names };
        (names, self.runs)
    }
}

/// The current name of one kind, and all names that faces have used.
#[derive(Default)]
struct Current {
    name: String,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Current {
    fn number(&mut self) -> u32 {
        if self.name.is_empty() {
            return NONE;
        }
        if let Some(&number) = self.numbers.get(&self.name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(self.name.clone());
        self.numbers.insert(self.name.clone(), number);
        number
    }
}
