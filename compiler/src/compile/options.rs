//! What a compilation is asked for, and how a file tells of it.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::time::Duration;

use bvhc_format::swept::Cores;

use crate::fit::{Method, genetic, memetic};
use crate::optimise::Stop;
use crate::pair::kdop;
use crate::pair::obb;

/// How much time a compilation may take for a faster file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Binned splits: builds in the least time.
    Fast,
    /// Full sweeps: what most should use.
    #[default]
    Default,
    /// The best tree there is: triangles may be split, and rays have the last word.
    Best,
}

impl Quality {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Default => "default",
            Self::Best => "best",
        }
    }

    /// Whether a file has a tree of oriented boxes where nobody says which trees it is to have.
    pub(crate) const fn has_obbs(self) -> bool {
        !matches!(self, Self::Fast)
    }
}

/// How blocks of triangles lie in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As records that kernels load whole, with the exact coordinates of the source.
    #[default]
    Fast,
    /// Packed to about a third of the bytes, oriented boxes too; vertices move by up to 2^-15 of the extent of a block.
    Small,
}

impl Layout {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Small => "small",
        }
    }
}

/// What decides the file's bytes, and how many threads work on them, which does not.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How much time the tree of axis-aligned boxes may take; [`Options::of`] chooses the other trees by it.
    pub quality: Quality,
    /// How blocks lie in the file.
    pub layout: Layout,
    /// When [`Quality::Best`] has done enough.
    pub stop: Stop,
    /// How the tree of oriented boxes is built; without one where `None`.
    pub obb: Option<obb::Options>,
    /// Whether vertices are stored beside the tree of oriented boxes; they are not where there is none.
    pub samples: bool,
    /// How the tree of k-DOPs is built; without one where `None`.
    pub kdop: Option<kdop::Options>,
    /// What spheres are swept along around the parts of the tree of oriented boxes, of that by the default options where
    /// the file has none; without a tree of swept spheres where `None`.
    pub swept: Option<Cores>,
    /// How long its fits may take in all: where there is time left, they search longer than asked for. The file tells
    /// how long in terms of `obb`, which makes it again.
    pub obb_time: Option<Duration>,
    /// How many threads to use; all processors where `None`.
    pub threads: Option<NonZeroUsize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quality: Quality::default(),
            layout: Layout::default(),
            stop: Stop::default(),
            obb: Some(obb::Options::default()),
            samples: false,
            kdop: None,
            swept: None,
            obb_time: None,
            threads: None,
        }
    }
}

impl Options {
    /// What the command line does for this quality where nothing else is asked for: with [`Quality::Fast`], without
    /// oriented boxes.
    pub fn of(quality: Quality) -> Self {
        let obb = quality.has_obbs().then(obb::Options::default);
        Self { quality, obb, ..Self::default() }
    }

    /// The options that decide the file's bytes, as the file tells them, where so many steps were made: arguments of
    /// the command line, without what goes without saying.
    pub fn text(&self, steps: Option<u32>) -> String {
        let mut text = format!("--quality {}", self.quality.name());
        if let Some(steps) = steps {
            text += &format!(" --steps {steps}");
        }
        if self.layout != Layout::default() {
            text += &format!(" --layout {}", self.layout.name());
        }
        let (obb, kdop) = (self.obb.map(|_| "obb"), self.kdop.map(|_| "kdop"));
        let samples = obb.filter(|_| self.samples).map(|_| "samples");
        let trees =
            ["aabb"].into_iter().chain(obb).chain(samples).chain(kdop).chain(self.swept.map(Cores::name));
        let trees = trees.collect::<Vec<_>>().join(",");
        Flags(&mut text).flag("trees", &*trees, if self.quality.has_obbs() { "aabb,obb" } else { "aabb" });
        if let Some(options) = &self.obb {
            Flags(&mut text).of_obbs(options);
        }
        if let Some(options) = &self.kdop {
            Flags(&mut text).of_kdops(options);
        }
        text
    }
}

/// Text that gets the options of a tree.
struct Flags<'a>(&'a mut String);

impl Flags<'_> {
    /// Appends a flag unless it says what is the case without it.
    fn flag<T: Display + PartialEq>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            *self.0 += &format!(" --{name} {value}");
        }
    }

    fn of_kdops(&mut self, options: &kdop::Options) {
        let default = kdop::Options::default();
        self.flag("kdop-k", options.k, default.k);
        self.flag("kdop-tables", options.tables.name(), default.tables.name());
        self.flag("kdop-split", options.split.name(), default.split.name());
    }

    fn of_obbs(&mut self, options: &obb::Options) {
        let default = obb::Options::default();
        self.flag("obb-fit", options.fit.name(), default.fit.name());
        match &options.fit {
            Method::Genetic(parameters) => self.genetic(parameters),
            Method::Memetic(parameters) => self.memetic(parameters),
            _ => {}
        }
        self.flag("obb-objective", options.objective.name(), default.objective.name());
        self.flag("obb-split", options.split.name(), default.split.name());
        self.flag("leaf-size", options.leaf_size, default.leaf_size);
        if options.fit.is_random() {
            self.flag("seed", options.seed, default.seed);
        }
    }

    /// The parameters' own seed is left out: the builder gives each fit another one.
    fn genetic(&mut self, parameters: &genetic::Parameters) {
        let default = genetic::Parameters::default();
        self.flag("ga-population", parameters.population, default.population);
        self.flag("ga-generations", parameters.generations, default.generations);
        self.flag("ga-crossover", parameters.crossover, default.crossover);
        self.flag("ga-mutation", parameters.mutation, default.mutation);
        self.flag("ga-gap", parameters.gap, default.gap);
    }

    fn memetic(&mut self, parameters: &memetic::Parameters) {
        let default = memetic::Parameters::default();
        self.flag("memetic-population", parameters.population, default.population);
        self.flag("memetic-patience", parameters.patience, default.patience);
        self.flag("memetic-widest", parameters.widest, default.widest);
        self.flag("memetic-narrowest", parameters.narrowest, default.narrowest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_without_saying_is_left_out() {
        assert_eq!(Options::default().text(None), "--quality default");
        // Else a file that says nothing of the parameters would not be reproduced by the flags' defaults.
        assert_eq!(obb::Options::default().fit, Method::default());
    }

    #[test]
    fn a_seed_is_told_where_it_matters() {
        let of = |fit| Options {
            obb: Some(obb::Options { fit, seed: 7, ..Default::default() }),
            ..Default::default()
        };
        assert_eq!(of(Method::default()).text(None), "--quality default --seed 7");
        assert_eq!(of(Method::Dito14).text(None), "--quality default --obb-fit dito14");
    }
}
