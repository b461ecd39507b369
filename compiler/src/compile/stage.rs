//! The stages of a compilation, and who watches them.

use std::time::{Duration, Instant};

/// The stages of a compilation, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Hash and parse the source.
    Import,
    /// Triangulate and clean.
    Clean,
    /// Build the binary tree.
    Build,
    /// Change the tree where rays get cheaper.
    Optimise,
    /// Collapse it to wide nodes and pack the triangles into blocks.
    Layout,
    /// Build the tree of oriented boxes.
    Obb,
    /// Choose the vertices beside that tree.
    Samples,
    /// Build the tree of k-DOPs.
    Kdop,
    /// Find the convex hull.
    Hull,
    /// Put swept spheres around the parts of the tree of oriented boxes.
    Swept,
    /// Serialise and hash the sections.
    Serialise,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 11] = [
        Self::Import,
        Self::Clean,
        Self::Build,
        Self::Optimise,
        Self::Layout,
        Self::Obb,
        Self::Samples,
        Self::Kdop,
        Self::Hull,
        Self::Swept,
        Self::Serialise,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Clean => "clean",
            Self::Build => "build",
            Self::Optimise => "optimise",
            Self::Layout => "layout",
            Self::Obb => "obb",
            Self::Samples => "samples",
            Self::Kdop => "kdop",
            Self::Hull => "hull",
            Self::Swept => "swept",
            Self::Serialise => "serialise",
        }
    }
}

/// Who wants to know how far a compilation is. Called from any thread.
pub trait Progress: Sync {
    /// A stage begins, or begins again where it has several passes; it will advance by `steps` in all (0 where that is not known).
    fn begin(&self, _stage: Stage, _steps: u64) {}

    /// The stage has advanced by this many steps.
    fn advance(&self, _steps: u64) {}
}

/// Nobody wants to know.
impl Progress for () {}

/// Times the stages and tells of them.
pub(super) struct Clock<'a> {
    pub(super) progress: &'a dyn Progress,
    pub(super) seconds: Vec<(Stage, Duration)>,
}

impl Clock<'_> {
    pub(super) fn time<T>(&mut self, stage: Stage, steps: u64, run: impl FnOnce() -> T) -> T {
        self.progress.begin(stage, steps);
        let start = Instant::now();
        let result = run();
        self.seconds.push((stage, start.elapsed()));
        result
    }
}
