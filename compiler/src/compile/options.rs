//! The options of a compilation.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use bvhc_format::swept::Cores;

use crate::field;
use crate::fit::Method;
use crate::optimise::Stop;
use crate::pair::kdop;
use crate::pair::obb;
use crate::placement::Placement;

/// How much compile time to spend for faster queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Binned splits: the fastest build.
    Fast,
    /// Sweeps, below a binned top: recommended for most uses.
    #[default]
    Default,
    /// The best tree: triangles may be split, and the tree is optimised with sample rays.
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

    /// How a tree of oriented boxes is built if nothing else is said: the better the quality, the longer boxes are searched
    /// for.
    pub(crate) fn obb(self) -> obb::Options {
        let fit = match self {
            Self::Fast | Self::Default => Method::Descent,
            Self::Best => Method::MEMETIC,
        };
        obb::Options { fit, ..obb::Options::default() }
    }

    /// Whether a file has a tree of oriented boxes if the trees are not chosen explicitly.
    pub(crate) const fn has_obbs(self) -> bool {
        !matches!(self, Self::Fast)
    }
}

/// How blocks of triangles are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As records that kernels load directly, with the exact coordinates of the source.
    #[default]
    Fast,
    /// Packed to little more than half of the bytes, oriented boxes too; vertices move by up to 2^-15 of their block's
    /// extent.
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

/// The options of a compilation. All but `threads` and `memory_limit` affect the file's bytes.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much time to spend on the tree of axis-aligned boxes; [`Options::of`] also derives the other trees from it.
    pub quality: Quality,
    /// Where the source's vertices are placed.
    pub placement: Placement,
    /// How blocks of triangles are stored.
    pub layout: Layout,
    /// When the optimiser of [`Quality::Best`] stops.
    pub stop: Stop,
    /// How the tree of oriented boxes is built; `None`: the file has none.
    pub obb: Option<obb::Options>,
    /// Whether to store sample vertices beside the tree of oriented boxes. Ignored if there is no such tree.
    pub samples: bool,
    /// How the tree of k-DOPs is built; `None`: the file has none.
    pub kdop: Option<kdop::Options>,
    /// The cores of the tree of swept spheres; `None`: the file has none. Swept spheres are fitted to the parts of the
    /// tree of oriented boxes, or, if the file has no such tree, of one that is built with the default options.
    pub swept: Option<Cores>,
    /// Whether the file has a tree of convex hulls, around the same parts as swept spheres.
    pub hulls: bool,
    /// Whether the file says what is across the edges of each triangle, for contacts without seams.
    pub edges: bool,
    /// Whether the file says which triangles intersect others.
    pub intersections: bool,
    /// How the distance field is made; `None`: the file has none.
    pub field: Option<field::Options>,
    /// Time budget for all fits of oriented boxes: if time is left, searches run longer than `obb` says. The file
    /// records the resulting options, which reproduce it.
    pub obb_time: Option<Duration>,
    /// Keys and values to store in the file for its users; nothing else depends on them.
    pub user_metadata: BTreeMap<String, String>,
    /// How many threads to use; `None`: one per processor.
    pub threads: Option<NonZeroUsize>,
    /// The most bytes of memory that the compilation may take, by an estimate made before anything is built; `None`: no limit.
    pub memory_limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quality: Quality::default(),
            placement: Placement::default(),
            layout: Layout::default(),
            stop: Stop::default(),
            obb: Some(obb::Options::default()),
            samples: false,
            kdop: None,
            swept: None,
            hulls: false,
            edges: false,
            intersections: false,
            field: None,
            obb_time: None,
            user_metadata: BTreeMap::new(),
            threads: None,
            memory_limit: None,
        }
    }
}

impl Options {
    /// The command line's defaults for this quality: [`Quality::Fast`] has no oriented boxes, [`Quality::Best`] those of the
    /// memetic search.
    pub fn of(quality: Quality) -> Self {
        let obb = quality.has_obbs().then(|| quality.obb());
        Self { quality, obb, ..Self::default() }
    }
}
