//! Queries on compiled bvhc files, in place: nothing is parsed, copied, allocated or rebuilt.
//!
//! [`Model::from_bytes`] opens bytes that are already in memory; with the feature `mmap` (on by default)
//! `MappedModel` maps a file and `LoadedModel` reads one. Queries are methods of [`Model`]:
//! [`closest_hit`](Model::closest_hit), [`any_hit`](Model::any_hit), [`all_hits`](Model::all_hits),
//! [`closest_point`](Model::closest_point), [`overlap_box`](Model::overlap_box) and
//! [`overlap_sphere`](Model::overlap_sphere). Each has a twin ending in `_with` that takes a [`Probe`],
//! which filters triangles and counts work. [`closest_hits`](Model::closest_hits), [`any_hits`](Model::any_hits) and
//! [`closest_points`](Model::closest_points) ask many of a kind at once. Of two models, the second at a [`Pose`], ask
//! [`collides`](Model::collides), [`all_pairs`](Model::all_pairs), [`distance`](Model::distance) and
//! [`within`](Model::within).
//!
//! Without `mmap` the crate is `no_std` and neither it nor anything it depends on allocates.
#![no_std]

#[cfg(any(feature = "mmap", test))]
extern crate std;

mod blocks;
mod bounds;
mod directory;
mod error;
mod hull;
mod level;
mod math;
mod model;
#[cfg(feature = "mmap")]
mod owner;
mod packet;
mod pair;
mod pose;
mod prefetch;
mod query;
mod ray;
mod simd;
mod stack;
mod triangle;
mod walk;

pub use blocks::{Blocks, PackedBlocks};
pub use bounds::Aabb;
#[cfg(feature = "mmap")]
pub use error::FileError;
pub use error::{OpenError, SectionFault};
pub use hull::Hull;
#[doc(hidden)]
pub use hull::compare_along;
pub use level::Level;
pub use model::{Model, Source};
#[cfg(feature = "mmap")]
pub use owner::{LoadedModel, MappedModel};
pub use pair::{
    Against, Distance, Exhausted, Pair, PairError, Realign, Tolerance, Volume, WarmStart, WorkBudget,
};
pub use pose::{Pose, PoseError};
pub use query::{ClosestPoint, Overlap, VisitControl};
pub use ray::{Hit, Ray, Sides};
pub use walk::probe::{Counters, Filter, Probe};

/// Embeds a compiled file in the program, at a multiple of 64 in memory, as [`Model::from_bytes`] wants it.
///
/// The path is relative to the source file, as with `include_bytes!`.
#[macro_export]
macro_rules! include_aligned {
    ($path:expr) => {{
        #[repr(C, align(64))]
        struct Aligned<T: ?Sized>(T);
        static ALIGNED: &Aligned<[u8]> = &Aligned(*include_bytes!($path));
        &ALIGNED.0
    }};
}
