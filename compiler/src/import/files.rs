//! The files that a model refers to, besides its own.

use std::fmt::Debug;
use std::fs;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

/// Reads the files that a model refers to, by the names that it uses for them.
pub trait Files: Debug + Sync {
    /// The bytes of a file. `name` is a relative path with slashes, as the model writes it.
    ///
    /// # Errors
    /// The system's, if the file cannot be read.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// A file of which only parts are read, such as a compiled mesh that a thin world refers to. Without another implementation,
    /// it is read whole.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn open(&self, name: &str) -> io::Result<Box<dyn ReadSeek>> {
        Ok(Box::new(Cursor::new(self.read(name)?)))
    }

    /// What messages call a file, so that it can be found from where the caller is. Without another implementation, its name.
    fn shown(&self, name: &str) -> String {
        name.to_owned()
    }
}

/// A file that is open for reading.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// The files below a folder, or beside it: names may contain `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// The folder that a file is in.
    pub fn of(file: &Path) -> Self {
        Self(file.parent().map(Path::to_owned).unwrap_or_default())
    }
}

impl Folder {
    /// The path of a file. A device or a pipe, which may be endless, is an error.
    fn path(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        match fs::metadata(&path)?.is_file() {
            true => Ok(path),
            false => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
        }
    }
}

impl Files for Folder {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.path(name)?)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn ReadSeek>> {
        Ok(Box::new(File::open(self.path(name)?)?))
    }

    fn shown(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
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

/// The system's message without Rust's ` (os error 2)`.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}
