//! Reads models and compiled files, from paths or standard input (`-`).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bvhc_runtime::{
    CompiledFile, FileError, LinkedMesh, LoadedModel, MeshFolder, ThinWorldFile, World, WorldError, WorldFile,
};

use super::args::MeshesArgs;
use super::error::{Action, CliError, UsageError};
use crate::import;

/// Whether a path means standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an input in messages.
pub(super) fn input_name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a whole source; `-` is standard input.
pub(super) fn read_source(path: &Path) -> Result<Vec<u8>, CliError> {
    let read = || {
        if is_standard(path) {
            return read_model(&mut io::stdin().lock(), true);
        }
        let mut file = File::open(path)?;
        let is_stream = !file.metadata()?.is_file();
        read_model(&mut file, is_stream)
    };
    read().map_err(|error| CliError::io(&input_name(path), Action::Read, error))
}

/// Reads to the end; of a stream that certainly is no model only the start, as it may be endless.
fn read_model(reader: &mut impl Read, is_stream: bool) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        // At least as much as is there, so that the time stays linear.
        bytes.try_reserve(bytes.len().max(START)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let spare = (bytes.capacity() - bytes.len()) as u64;
        let is_start = bytes.is_empty();
        let read =
            reader.by_ref().take(if is_start { START as u64 } else { spare }).read_to_end(&mut bytes)?;
        if read == 0 || is_start && is_stream && import::is_foreign(&bytes) {
            return Ok(bytes);
        }
    }
}

/// How many bytes decide whether a file may be a model.
const START: usize = 1 << 16;

/// A compiled file in memory.
pub(super) struct Compiled {
    /// Its name in messages.
    pub(super) name: String,
    /// The model in it.
    pub(super) model: LoadedModel,
}

/// A compiled file in memory, with what it holds.
pub(super) enum Opened {
    /// A model, or several without a world.
    Model(Compiled),
    /// A world, with its meshes.
    World(WorldFile),
}

impl Opened {
    /// Reads and opens a whole file, and the meshes of a thin world.
    pub(super) fn read(path: &Path, meshes: &MeshesArgs) -> Result<Self, CliError> {
        check_is_path(path)?;
        match read_any(path)? {
            CompiledFile::Thin(thin) => {
                let name = path.display().to_string();
                Ok(Self::World(meshes.folders(path)?.link(&name, thin)?))
            }
            CompiledFile::Model(_) if meshes.is_given() => Err(MeshesArgs::NO_EFFECT.into()),
            CompiledFile::Model(model) if World::is_in(model.bytes()) == Ok(true) => {
                let opened = WorldFile::loaded(model);
                let name = path.display().to_string();
                opened.map(Self::World).map_err(|error| CliError::OpenWorld { file: name, error })
            }
            CompiledFile::Model(model) => {
                Ok(Self::Model(Compiled { name: path.display().to_string(), model }))
            }
        }
    }
}

/// Reads a compiled file once, whatever it holds: it may be a pipe; `-` is standard input.
pub(super) fn read_any(path: &Path) -> Result<CompiledFile, CliError> {
    let read = match is_standard(path) {
        true => CompiledFile::read_from(&mut io::stdin().lock()),
        false => CompiledFile::read(path),
    };
    read.map_err(|error| failed(path, error))
}

/// Refuses standard input, which queries come from.
fn check_is_path(path: &Path) -> Result<(), CliError> {
    if is_standard(path) { Err(UsageError::FileOfQueries.into()) } else { Ok(()) }
}

pub(super) fn failed(path: &Path, error: FileError) -> CliError {
    let file = input_name(path);
    match error {
        FileError::World { error, .. } => CliError::OpenWorld { file, error },
        FileError::Open { error, .. } => CliError::Open { file, error },
        FileError::Io { error, .. } => CliError::io(&file, Action::Read, error),
        other => CliError::io(&file, Action::Read, io::Error::other(other)),
    }
}

/// The folders in which the meshes of a thin world are looked for.
pub(super) struct MeshFolders {
    /// Their names.
    pub(super) names: Vec<String>,
    /// The compiled files in them.
    pub(super) files: MeshFolder,
}

impl MeshFolders {
    /// The world with its meshes.
    fn link(&self, world: &str, thin: ThinWorldFile) -> Result<WorldFile, CliError> {
        let mut fault = None;
        let linked = thin.link(|mesh| match self.open(world, mesh) {
            Ok(file) => Ok(file.model.into()),
            Err(error) => {
                fault = Some(error);
                Err(WorldError::NoWorld)
            }
        });
        linked.map_err(|error| fault.unwrap_or(CliError::OpenWorld { file: world.to_owned(), error }))
    }

    /// Reads the file of a mesh.
    pub(super) fn open(&self, world: &str, mesh: &LinkedMesh<'_>) -> Result<Compiled, CliError> {
        let fault = |error| CliError::Mesh {
            file: world.to_owned(),
            name: mesh.name().to_owned(),
            error: Box::new(error),
            folders: self.names.clone(),
        };
        Compiled::read(self.files.find(mesh).map_err(fault)?)
    }
}

impl Compiled {
    /// Reads and opens a whole file.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        check_is_path(path)?;
        let model = LoadedModel::read(path).map_err(|error| failed(path, error))?;
        Ok(Self { name: path.display().to_string(), model })
    }
}
