//! The files that a model refers to, besides its own.

use std::fmt::Debug;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Reads the files that a model refers to, by the names that it uses for them.
pub trait Files: Debug + Sync {
    /// The bytes of a file. `name` is a relative path with slashes, as the model writes it.
    ///
    /// # Errors
    /// The system's, if the file cannot be read.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
}

/// The files below a folder, or beside it: names may contain `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// The folder that a file is in.
    pub fn of(file: &Path) -> Self {
        Self(file.parent().map(Path::to_owned).unwrap_or_default())
    }
}

impl Files for Folder {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = self.0.join(name);
        // A device or a pipe may be endless.
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
        }
        fs::read(path)
    }
}

/// No files: the model is all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(ErrorKind::NotFound, "only the model itself was given"))
    }
}
