//! Compiled meshes in folders.

use alloc::vec;
use alloc::vec::Vec;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use bvhc_format::header::{HEADER_LENGTH, Header};
use bvhc_format::section::SectionKind;

use super::file::open_regular;
use crate::directory::FileHead;
use crate::error::FileError;
use crate::world::{LinkedMesh, WorldError};

/// The compiled files in some folders, by the hash in their headers: finds the meshes of thin worlds, whatever the files' names
/// are.
#[derive(Clone, Debug, Default)]
pub struct MeshFolder {
    by_hash: BTreeMap<[u8; 32], PathBuf>,
    /// The hash of the first file of each name without its ending.
    by_name: BTreeMap<OsString, [u8; 32]>,
}

impl MeshFolder {
    /// Reads the headers and directories of all files of a folder whose names end in `.bvh`, not those of folders in it.
    ///
    /// # Errors
    /// [`FileError::Io`], if the folder cannot be listed. Files that cannot be read, are no compiled files or hold a world, or whose length
    /// is not the one in their header, are left out.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        let mut files = Self::default();
        files.add(folder)?;
        Ok(files)
    }

    /// Adds the files of another folder. Of several files with the same hash, the first one is found.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn add(&mut self, folder: impl AsRef<Path>) -> Result<(), FileError> {
        let folder = folder.as_ref();
        let paths = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        let mut paths: Vec<PathBuf> = paths.map_err(|error| FileError::from(error).of(folder))?;
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension() == Some(OsStr::new("bvh"))) {
            if let Some(hash) = header_hash(&path) {
                let name = path.file_stem().unwrap_or_default().to_os_string();
                self.by_name.entry(name).or_insert(hash);
                self.by_hash.entry(hash).or_insert(path);
            }
        }
        Ok(())
    }

    /// The file of a mesh.
    ///
    /// # Errors
    /// [`WorldError::MeshMissing`]; [`WorldError::MeshDiffers`] if there is a file of the mesh's name, with another hash. They have
    /// the mesh's number; [`LinkedMesh::name`] is its name.
    pub fn find(&self, mesh: &LinkedMesh<'_>) -> Result<&Path, WorldError> {
        let (expected, number) = (*mesh.hash(), mesh.number());
        if let Some(path) = self.by_hash.get(&expected) {
            return Ok(path);
        }
        Err(match self.by_name.get(OsStr::new(mesh.name())) {
            Some(found) => WorldError::MeshDiffers { mesh: number, found: *found, expected },
            None => WorldError::MeshMissing { mesh: number, expected },
        })
    }
}

/// The hash in the header of a compiled file that is not of a world, which may have the name of a mesh.
fn header_hash(path: &Path) -> Option<[u8; 32]> {
    let mut start = vec![0; HEADER_LENGTH];
    let (mut file, length) = open_regular(path).ok()?;
    file.read_exact(&mut start).ok()?;
    let header = Header::read(start.first_chunk()?);
    // A copy that was cut off must not hide a whole one.
    if header.length != length {
        return None;
    }
    start.resize(FileHead::length(&start)?, 0);
    file.read_exact(&mut start[HEADER_LENGTH..]).ok()?;
    let head = FileHead::from_bytes(&start, length).ok()?;
    let is_world = head.entries().any(|entry| entry.kind == SectionKind::World as u32);
    (!is_world).then_some(header.hash)
}
