//! The bvhc compiler: turns a mesh into a file that `bvhc-runtime` queries in place.
//!
//! The program `bvhc` does this on the command line; [`compile()`] and [`compile_mesh`] do it in a build script, an
//! editor or a test:
//!
//! ```
//! use bvhc::{Options, Quality};
//! use bvhc_runtime::{Model, Ray};
//!
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
//! let triangles = [[0, 1, 2], [0, 2, 3]];
//! let compiled = bvhc::compile_mesh(&positions, &triangles, &Options::of(Quality::Fast))?;
//!
//! // These are the bytes of a file; they can also be queried directly.
//! let model = Model::from_bytes(&compiled.bytes)?;
//! assert!(model.any_hit(&Ray::new([0.25, 0.75, 1.0], [0.0, 0.0, -1.0])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A `build.rs` that compiles a model to be embedded with `include_aligned!`:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = std::fs::read("assets/castle.obj")?;
//! let compiled = bvhc::compile(&source, "assets/castle.obj", &bvhc::Options::default())?;
//! std::fs::write(format!("{}/castle.bvh", std::env::var("OUT_DIR")?), &compiled.bytes)?;
//! println!("cargo::rerun-if-changed=assets/castle.obj");
//! # Ok(())
//! # }
//! ```
//!
//! # Stability
//!
//! The documented items follow semantic versioning. Other modules are public only for the project's own tests and
//! benchmarks: they are hidden from these pages and may change at any time.
//!
//! # Features
//!
//! `cli`, on by default, adds the command line and its dependencies. A build script does not need it:
//! `bvhc = { version = "0.1", default-features = false }`.

mod archive;
#[doc(hidden)]
pub mod clean;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compile;
mod count;
mod field;
#[doc(hidden)]
pub mod file;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod layout;
mod math;
#[doc(hidden)]
pub mod mesh;
#[doc(hidden)]
pub mod optimise;
#[doc(hidden)]
pub mod pair;
mod placement;
mod section;
mod simd;
#[doc(hidden)]
pub mod tree;
#[doc(hidden)]
pub mod triangulate;
#[doc(hidden)]
pub mod verify;
pub mod world;

pub use compile::{CompileError, Compiled, Layout, OUTPUT_REVISION, Options, Quality, Report, Source, key};
pub use field::{Bits as FieldBits, Options as FieldOptions};
pub use file::Bytes;
pub use import::{Files, Folder, NoFiles, OtherInput, ReadSeek};
pub use layout::EdgeCounts;
pub use mesh::Dropped;
pub use optimise::Stop;
pub use pair::kdop::Options as KdopOptions;
pub use pair::obb::Options as ObbOptions;
pub use placement::{Axes, AxesError, Placement};

use compile::compile_source;

/// Compiles the bytes of a model file into the bytes of a bvhc file. Messages call the model `name`.
///
/// Uses all processors, or as many threads as the options say. The bytes depend only on the source and the options, not
/// on the machine. [`compile::compile_source`] also reports progress.
///
/// # Errors
/// [`CompileError`], which says where in the source the fault is.
pub fn compile(source: &[u8], name: &str, options: &Options) -> Result<Compiled, CompileError> {
    compile_source(&Source::File(source), name, options, &())
}

/// Like [`compile()`], for a mesh in memory: vertex positions and, for each triangle, the indices of its corners,
/// counter-clockwise as seen from the front.
///
/// Triangles are numbered in their order. The file has no material names; its source hash is the hash of all
/// coordinates followed by all indices, as little-endian bytes.
///
/// # Errors
/// [`CompileError`] if an index is out of range, a coordinate is not finite or exceeds 2^60 in magnitude, or every
/// triangle is degenerate.
pub fn compile_mesh(
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    options: &Options,
) -> Result<Compiled, CompileError> {
    compile_source(&Source::Mesh { positions, triangles }, "mesh", options, &())
}
