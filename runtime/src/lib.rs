//! Queries on compiled bvhc files, in place: without parsing, copying, allocating or rebuilding.
//!
//! A file holds the triangles of a mesh and bounding volume trees over them. A [`Model`] is an opened file and answers
//! these queries:
//!
//! ```text
//! a ray          what does it hit first?        closest_hit, closest_hits      t, barycentrics, normal, triangle
//!                is anything in the way?        any_hit, any_hits
//!                all that it hits               all_hits
//! a point        which point is closest?        closest_point, closest_points  point, distance, triangle
//!                is it inside, how deep?        contains, winding, signed_distance
//!                how far is it, about?          field, sample                 value, gradient, error
//! a box, a ball  which triangles touch it?      overlap_box, overlap_sphere
//! a shape        which triangles touch it?      overlaps, overlap              triangle
//!                where, and how deep?           touches, contacts, manifold   point, normals, gap, triangle
//!                what does it touch, moving?    cast, cast_any, all_casts      t, point, normals, depth, triangle
//! another model  do the surfaces meet?          collides, first_pair, all_pairs
//!                how far are they apart?        distance, within
//! many things    any of these, and which?       World, MovingWorld          the same, with the thing
//! a triangle     where does it come from?       source_of                      face, material, group, object
//! ```
//!
//! ```
//! use bvhc_runtime::{Model, Ray, include_aligned};
//!
//! let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
//! let hit = model.closest_hit(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0])).expect("it meets the quad");
//! assert_eq!((hit.t, hit.normal), (1.0, [0.0, 0.0, 1.0]));
//! # Ok::<(), bvhc_runtime::OpenError>(())
//! ```
//!
//! [`Model::from_bytes`] opens bytes that are already in memory, for example embedded by [`include_aligned!`].
//! [`LoadedModel`] reads or copies a file, [`MappedModel`] maps one. Most queries have a variant ending in `_with` that
//! takes a [`Probe`], which filters triangles and counts work. Queries on two models take the [`Pose`] of the second.
//!
//! **Empty queries** find nothing and are not errors: a box with `min > max`, a negative radius or distance, a range
//! with `t_min > t_max`, a zero direction, and anything that contains a NaN. Box bounds, radii, distances and ranges
//! may be infinite, which means unlimited. Positions and directions must be finite; otherwise the query is empty. No
//! hit has an infinite `t`. Coordinates of models are at most 2^60, and what is farther away meets nothing. The least normal number of
//! f32, 1.2e-38, limits what is told apart: times below it, and ranges that end there, may come out as 0.
//!
//! **Features**: `mmap` (default; files, needs the standard library), `alloc` (copies of bytes, [`TriangleTable`]),
//! `hashes` (`Model::verify_hashes`), `packed` (default; files with `--layout small`), `pairs` (default; two models), `shapes` (default;
//! overlaps and casts of convex shapes), `volumes` (default; two models by
//! k-DOPs, swept spheres, convex hulls and sample vertices), `scalar` (for tests). Without features the crate is `no_std`, and neither
//! it nor its dependencies allocate.
#![no_std]
// What several queries share has parts that only some of them use.
#![cfg_attr(not(all(feature = "pairs", feature = "shapes")), allow(dead_code))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "mmap", test))]
extern crate std;

mod blocks;
mod bounds;
mod directory;
mod error;
mod field;
#[cfg(feature = "hashes")]
mod hashes;
mod hull;
mod level;
mod math;
mod model;
#[cfg(feature = "alloc")]
mod owner;
mod packet;
#[cfg(feature = "pairs")]
mod pair;
mod pose;
mod prefetch;
mod query;
mod ray;
#[cfg(feature = "shapes")]
mod shape;
mod simd;
mod similarity;
mod stack;
mod triangle;
mod triangles;
mod walk;
mod world;

/// The file's records: the types that [`Volume`] refers to, and what drawing a tree needs.
pub use bvhc_format as format;
#[doc(no_inline)]
pub use bvhc_format::swept::{Core, Cores};

pub use blocks::{Blocks, PackedBlocks};
pub use bounds::Aabb;
pub use directory::FileHead;
#[cfg(feature = "mmap")]
pub use error::FileError;
pub use error::{OpenError, SectionFault};
pub use field::{Field, FieldSample};
#[cfg(feature = "hashes")]
pub use hashes::HashError;
pub use hull::Hull;
#[doc(hidden)]
pub use hull::compare_along;
pub use level::Level;
pub use model::{Model, Sections, Source};
#[cfg(feature = "mmap")]
pub use owner::{CompiledFile, MappedModel, MeshFolder};
#[cfg(feature = "alloc")]
pub use owner::{LoadedModel, ModelFile, MovingWorldFile, ThinWorldFile, WorldFile};
#[cfg(feature = "volumes")]
pub use pair::Realign;
#[cfg(feature = "pairs")]
pub use pair::{
    Against, Distance, Exhausted, Pair, PairError, Tolerance, Volume, WarmStart, WorkBudget,
    segment_meets_triangle, triangles_meet,
};
pub use pose::{Pose, PoseError};
#[cfg(feature = "shapes")]
pub use query::{CastHit, Contact, ShapeCast, StartContact, TooManyContacts, Touches};
pub use query::{
    ClosestPoint, InsideRule, Overlap, Place, SignedDistance, SurfacePoint, VisitControl, Winding,
};
pub use ray::{Hit, Ray, Sides};
#[cfg(feature = "shapes")]
pub use shape::{Ball, Capsule, ConvexHull, Cuboid, Cylinder, Displacement, Feature, Shape, TriangleShape};
pub use similarity::Similarity;
#[cfg(feature = "alloc")]
pub use triangles::TriangleTable;
pub use walk::probe::{Counters, Filter, Probe};
#[cfg(feature = "pairs")]
pub use world::{
    Between, BetweenError, ContactSchedule, KeptStart, MotionBound, NearInstances, ScheduledPair, Separation,
    ThingPairError, WarmStarts, WorldDistance, WorldPair, WorldPairError,
};
pub use world::{
    Change, Found, Handle, Instance, InstanceFilter, KeptPairs, LinkedMesh, MovingError, MovingWorld,
    NearPoint, Snapshot, SweepAndPrune, Swept, ThinWorld, Thing, ThingFilter, ThingPair, ThingPlace,
    ThingSignedDistance, TriangleFilter, Updated, World, WorldError, WorldFilter, WorldHit, WorldOverlap,
    WorldPlace, WorldPoint, WorldSignedDistance,
};
#[cfg(feature = "shapes")]
pub use world::{WorldCast, WorldContact};

/// Embeds a compiled file in the program, aligned to 64 bytes as [`Model::from_bytes`] requires.
///
/// The path is relative to the source file, as with `include_bytes!`.
///
/// ```
/// use bvhc_runtime::{Model, include_aligned};
///
/// static QUAD: &[u8] = include_aligned!("../../tests/golden/quad.bvh");
/// assert_eq!(Model::from_bytes(QUAD)?.triangle_count(), 3);
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
#[macro_export]
macro_rules! include_aligned {
    ($path:expr) => {{
        #[repr(C, align(64))]
        struct Aligned<T: ?Sized>(T);
        static ALIGNED: &Aligned<[u8]> = &Aligned(*include_bytes!($path));
        &ALIGNED.0
    }};
}
