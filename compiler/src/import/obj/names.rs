//! `usemtl`, `g` and `o`: which names apply to which faces.

use crate::mesh::Names;
use bvhc_format::NONE;
use bvhc_format::record::AttributeRun;
use std::collections::HashMap;

/// Tracks the current names through the file. Names are numbered in order of first use by a face.
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
    /// Processes a line with keyword `usemtl`, `g` or `o`; `text` is the rest of it. Without text, the name is unset.
    pub(super) fn set(&mut self, keyword: &[u8], text: &[u8]) {
        self.settled = false;
        match keyword {
            b"usemtl" => self.material.set(text.trim_ascii()),
            b"g" => self.group.set_words(text),
            _ => self.object.set(text.trim_ascii()),
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
    fn set(&mut self, text: &[u8]) {
        self.name.clear();
        self.name.push_str(&String::from_utf8_lossy(text));
    }

    fn set_words(&mut self, text: &[u8]) {
        self.name.clear();
        for word in super::lines::words(text) {
            if !self.name.is_empty() {
                self.name.push(' ');
            }
            self.name.push_str(&String::from_utf8_lossy(word));
        }
    }

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
