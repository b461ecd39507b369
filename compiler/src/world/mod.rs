//! Worlds: meshes and their instances, from a manifest or a glTF scene, into one file.
//!
//! `manifest` (with `tables`, its text) and `gltf` read a source into a `Scene`; `meshes` compiles its meshes, each different one once, or takes them from
//! files that `linked` has read the heads of, or from a `cache`; `assemble` makes the sections and the plan of the file; `tree` makes the
//! leaves and the tree over them, and `place` says where an instance's boxes are.

mod assemble;
mod cache;
mod error;
mod gltf;
mod linked;
mod manifest;
mod meshes;
pub(crate) mod place;
mod scene;
mod tables;
mod tree;

pub use assemble::{CompiledWorld, LinkedWorld, MeshReport, WorldReport};
pub use cache::{CachedMesh, MeshCache};
pub use error::{ManifestFault, WorldCompileError};
pub use linked::LinkFault;

use assemble::{Making, Meshing};

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
    link(manifest, name, files, options, progress, None)?.into_compiled()
}

/// As [`compile`], up to the copying of meshes that are compiled already: of these the manifest names the compiled files, which are
/// recognised by their content, and their sections are taken as they are. So meshes can be compiled apart, and a world linked from
/// them, with the same meshes, tree and instances as if all were compiled at once. Options are for the meshes that are compiled
/// here, unless `cache` has them.
///
/// # Errors
/// As [`compile`]; a compiled file must hold one mesh, and no instance of it may have `bake`.
pub fn link<'a>(
    manifest: &'a [u8],
    name: &'a str,
    files: &'a dyn crate::Files,
    options: &Options,
    progress: &dyn Progress,
    cache: Option<&dyn MeshCache>,
) -> Result<LinkedWorld<'a>, WorldCompileError> {
    let source = Input { bytes: manifest, name, files };
    assemble::assemble(
        manifest::read(&source)?,
        &source,
        Meshing::Whole,
        &Making { options, progress, cache },
    )
}

/// The warning of an instance that is left out.
fn left_out(name: &str) -> String {
    format!("instance {name:?} is left out: it has no triangles")
}

/// As [`link`], for a thin world: the meshes stay in their files, of which only headers and bounds are read, and the runtime is
/// handed them (`bvhc_runtime::ThinWorld`). Leaves of its tree are whole instances, so rays through instances that overlap much
/// are slower than in a world that has its meshes.
///
/// # Errors
/// As [`link`], and [`WorldCompileError::NotCompiled`].
///
/// ```
/// use bvhc::{Folder, Options, world};
/// use bvhc_runtime::{LoadedModel, Model, ThinWorld};
///
/// let text = br#"
///     [[mesh]]
///     name = "board"
///     file = "quad.bvh"
///
///     [[instance]]
///     name = "board.0"
///     mesh = "board"
/// "#;
/// let files = Folder(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden").into());
/// let mut file = bvhc::Bytes::new();
/// world::link_thin(text, "level.toml", &files, &Options::default(), &())?.write_to(&mut file)?;
/// let thin = ThinWorld::from_bytes(&file)?;
/// let board = LoadedModel::read(files.0.join("quad.bvh"))?;
/// let mut meshes = [Some(board.model())];
/// assert_eq!(thin.link(&mut meshes)?.find_name("board.0"), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn link_thin<'a>(
    manifest: &'a [u8],
    name: &'a str,
    files: &'a dyn crate::Files,
    options: &Options,
    progress: &dyn Progress,
) -> Result<LinkedWorld<'a>, WorldCompileError> {
    let source = Input { bytes: manifest, name, files };
    let making = Making { options, progress, cache: None };
    assemble::assemble(manifest::read(&source)?, &source, Meshing::Thin, &making)
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
    link_gltf(bytes, name, files, options, progress, None)?.into_compiled()
}

/// As [`compile_gltf`], up to the writing of the file.
///
/// # Errors
/// As [`compile`].
pub fn link_gltf<'a>(
    bytes: &'a [u8],
    name: &'a str,
    files: &'a dyn crate::Files,
    options: &Options,
    progress: &dyn Progress,
    cache: Option<&dyn MeshCache>,
) -> Result<LinkedWorld<'a>, WorldCompileError> {
    let source = Input { bytes, name, files };
    assemble::assemble(gltf::read(&source)?, &source, Meshing::Whole, &Making { options, progress, cache })
}
