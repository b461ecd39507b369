//! The stages of a compilation, and reporting their progress.

use std::time::{Duration, Instant};

/// A stage of a compilation. Optional sections, such as trees of k-DOPs, have stages of their own, named in their files
/// in `section/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage(&'static str);

impl Stage {
    /// Hash and parse the source.
    pub const IMPORT: Self = Self("import");
    /// Triangulate and clean.
    pub const CLEAN: Self = Self("clean");
    /// Build the binary tree, and number the positions.
    pub const BUILD: Self = Self("build");
    /// Optimise the tree with sample rays.
    pub const OPTIMISE: Self = Self("optimise");
    /// Collapse it to wide nodes and pack the triangles into blocks.
    pub const LAYOUT: Self = Self("layout");
    /// Build the tree of oriented boxes.
    pub const OBB: Self = Self("obb");
    /// Serialise and hash the sections.
    pub const SERIALISE: Self = Self("serialise");

    /// The stage in which a section is made.
    pub(crate) const fn of_section(name: &'static str) -> Self {
        Self(name)
    }

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// Receives the progress of a compilation. Called from any thread.
pub trait Progress: Sync {
    /// A mesh of a world begins: the stages that follow are of it. Not called for a model alone.
    fn mesh(&self, _name: &str) {}

    /// A stage begins, or begins another pass. It will advance by `steps` in total (0 if that is unknown).
    fn begin(&self, _stage: Stage, _steps: u64) {}

    /// The stage has advanced by this many steps.
    fn advance(&self, _steps: u64) {}
}

/// Ignores progress.
impl Progress for () {}

/// Times the stages and reports them.
pub(crate) struct Clock<'a> {
    pub(crate) progress: &'a dyn Progress,
    pub(crate) seconds: Vec<(Stage, Duration)>,
}

impl Clock<'_> {
    /// Runs a stage, or a part of it: times of the same stage are added up.
    pub(crate) fn time<T>(&mut self, stage: Stage, steps: u64, run: impl FnOnce() -> T) -> T {
        self.progress.begin(stage, steps);
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        match self.seconds.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, total)) => *total += time,
            None => self.seconds.push((stage, time)),
        }
        result
    }
}
