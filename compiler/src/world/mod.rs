//! Worlds: meshes and their instances, from a manifest or a glTF scene, into one file.
//!
//! `manifest` and `gltf` read a source into a `Scene`; `meshes` compiles its meshes, each different one once; `assemble` writes
//! the section; `tree` makes the
//! leaves and the tree over them, and `place` says where an instance's boxes are.

mod assemble;
mod error;
mod gltf;
mod manifest;
mod meshes;
pub(crate) mod place;
mod scene;
mod tree;

pub use assemble::{CompiledWorld, MeshReport, WorldReport};
pub use error::{ManifestFault, WorldCompileError};

use crate::compile::{Options, Progress};
use crate::import::Input;

/// Compiles a manifest into the bytes of a file with its meshes and a world of their instances. `source.files` has the files
/// that the manifest names.
///
/// # Errors
/// [`WorldCompileError`], which says where in the manifest or in a mesh the fault is.
///
/// ```
/// use bvhc::world;
/// use bvhc::{Folder, Options};
/// use bvhc_runtime::{LoadedModel, WorldFile};
///
/// let text = br#"
///     [[mesh]]
///     name = "board"
///     file = "quad.obj"
///
///     [[instance]]
///     name = "board.0"
///     mesh = "board"
///     position = [0.0, 0.0, 3.5]
/// "#;
/// let files = Folder(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden").into());
/// let compiled = world::compile(text, "level.toml", &files, &Options::default(), &())?;
/// let level = WorldFile::loaded(LoadedModel::from_bytes(&compiled.bytes)?)?;
/// assert_eq!(level.world().find_name("board.0"), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile(
    manifest: &[u8],
    name: &str,
    files: &dyn crate::Files,
    options: &Options,
    progress: &dyn Progress,
) -> Result<CompiledWorld, WorldCompileError> {
    let source = Input { bytes: manifest, name, files };
    assemble::assemble(manifest::read(&source)?, &source, options, progress)
}

/// Compiles the scene of a glTF file: each mesh once, each node that shows one as an instance.
///
/// # Errors
/// As [`compile`].
pub fn compile_gltf(
    bytes: &[u8],
    name: &str,
    files: &dyn crate::Files,
    options: &Options,
    progress: &dyn Progress,
) -> Result<CompiledWorld, WorldCompileError> {
    let source = Input { bytes, name, files };
    assemble::assemble(gltf::read(&source)?, &source, options, progress)
}
