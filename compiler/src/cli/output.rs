//! Writes output files atomically: to a temporary file beside the target, which is then renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use super::error::{Action, CliError, UsageError};
use super::file::is_standard;

/// The name of standard output in messages.
pub(super) const STANDARD_OUTPUT: &str = "standard output";

/// The destination of a compiled file.
pub(super) enum Output {
    /// Standard output.
    Standard,
    /// A regular file, existing or new.
    File {
        /// The path as given.
        path: PathBuf,
        /// The path with symbolic links resolved.
        target: PathBuf,
    },
    /// A pipe or a device, which can be written to but not replaced.
    Stream(PathBuf),
}

impl Output {
    /// Checks the destination, so that mistakes are reported before the work, not after it.
    pub(super) fn new(path: &Path, model: &Path) -> Result<Self, CliError> {
        if is_standard(path) {
            return Ok(Self::Standard);
        }
        let file = path.display().to_string();
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(CliError::IsDirectory { file }),
            Ok(found) if !found.is_file() => return Ok(Self::Stream(path.to_owned())),
            Ok(_) => {}
            Err(_) => check_directory(path, &file)?,
        }
        // A link stays a link: its target is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !is_standard(model) && fs::canonicalize(model).is_ok_and(|model| model == target) {
            return Err(UsageError::SameFile { file }.into());
        }
        Ok(Self::File { path: path.to_owned(), target })
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard => STANDARD_OUTPUT.to_owned(),
            Self::File { path, .. } | Self::Stream(path) => path.display().to_string(),
        }
    }

    /// Writes the whole file.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), CliError> {
        let written = match self {
            Self::Standard => write_standard(bytes),
            Self::File { target, .. } => replace(target, bytes),
            Self::Stream(path) => File::options().write(true).open(path).and_then(|mut f| f.write_all(bytes)),
        };
        written.map_err(|error| CliError::io(&self.name(), Action::Write, error))
    }
}

/// Prints to standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    write_standard(text.as_bytes()).map_err(|error| CliError::io(STANDARD_OUTPUT, Action::Write, error))
}

fn write_standard(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// The directory of a path's last component.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn check_directory(path: &Path, file: &str) -> Result<(), CliError> {
    let directory = directory_of(path);
    if directory.is_dir() {
        return Ok(());
    }
    Err(CliError::NoDirectory { file: file.to_owned(), directory: directory.to_owned() })
}

/// Writes a new file beside `target` and renames it. On error it is removed.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    // Opened explicitly to get the permissions of any new file; a temporary file is private to its owner.
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    let mut file = Builder::new().prefix(".bvhc-").suffix(".tmp").make_in(directory_of(target), create)?;
    file.write_all(bytes)?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}
