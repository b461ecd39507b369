//! What a compilation is asked for.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use bvhc_format::swept::Cores;

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
#[derive(Clone, Debug)]
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
    /// Keys and values that the file shall hold for whoever reads it; nothing else depends on them.
    pub user_metadata: BTreeMap<String, String>,
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
            user_metadata: BTreeMap::new(),
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
}
