//! Writes output files atomically: to a temporary file beside the target, which is then renamed.

#[cfg(target_os = "linux")]
pub(super) mod unnamed;

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use super::error::{Action, CliError, UsageError};
use super::file::is_standard;
use crate::world::WorldCompileError;

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
            Err(_) if names_folder(path) => return Err(CliError::IsDirectory { file }),
            Err(_) => {
                if let Ok(leads_to) = fs::read_link(path) {
                    return Err(CliError::DanglingLink { file, leads_to });
                }
                check_directory(path, &file)?;
            }
        }
        // A link stays a link: its target is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let output = Self::File { path: path.to_owned(), target };
        if !is_standard(model) {
            output.check_is_not(model)?;
        }
        Ok(output)
    }

    /// Refuses to replace a file that is read.
    pub(super) fn check_is_not(&self, input: &Path) -> Result<(), CliError> {
        match self {
            Self::File { path, target } if fs::canonicalize(input).is_ok_and(|input| input == *target) => {
                Err(UsageError::SameFile { file: path.display().to_string() }.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether both are the same file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let target = |output: &Self| match output {
            Self::File { target, .. } => {
                Some(directory_of(target).canonicalize().ok()?.join(target.file_name()?))
            }
            _ => None,
        };
        target(self).is_some_and(|target_of_self| Some(target_of_self) == target(other))
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard => STANDARD_OUTPUT.to_owned(),
            Self::File { path, .. } | Self::Stream(path) => path.display().to_string(),
        }
    }

    /// Why the file could not have this name on other systems, if so.
    pub(super) fn reserved_name(&self) -> Option<&'static str> {
        let Self::File { path, .. } = self else { return None };
        reserved_name(path.file_name()?.to_str()?)
    }

    /// Writes the whole file.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), CliError> {
        self.write_parts(&|out| out.write_all(bytes))
    }

    /// Writes the whole file by a function that may be called again, where the first way to write fails. Its error may be one of
    /// a world.
    pub(super) fn write_parts(&self, write: &Write<'_>) -> Result<(), CliError> {
        let written = match self {
            Self::Standard => write_standard(write),
            Self::File { target, .. } => replace(target, write),
            Self::Stream(path) => {
                File::options().write(true).open(path).and_then(|file| write_file(&file, write))
            }
        };
        written.map_err(|error| match error.downcast::<WorldCompileError>() {
            Ok(error) => error.into(),
            Err(error) => CliError::io(&self.name(), Action::Write, error),
        })
    }
}

/// Makes a folder, and those that it is in, unless it is there.
pub(super) fn make_folder(path: &Path) -> Result<(), CliError> {
    let name = path.display().to_string();
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CliError::NoFolder { file: name },
        _ => CliError::io(&name, Action::Write, error),
    })
}

/// Writes the contents of a file.
pub(super) type Write<'a> = dyn Fn(&mut dyn io::Write) -> io::Result<()> + 'a;

/// Writes to a file, in large parts.
fn write_file(file: &File, write: &Write<'_>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out)?;
    out.flush()
}

/// Prints to standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let written = write_standard(&|out| out.write_all(text.as_bytes()));
    written.map_err(|error| CliError::io(STANDARD_OUTPUT, Action::Write, error))
}

fn write_standard(write: &Write<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write(&mut out)?;
    out.flush()
}

/// Why Windows refuses a file name, or takes it for another one.
fn reserved_name(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let is_port = |ports: &str| {
        stem.strip_prefix(ports).is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
    };
    if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || is_port("com") || is_port("lpt") {
        Some("is the name of a device on Windows")
    } else if name.ends_with(['.', ' ']) {
        Some("ends in a dot or a blank, which Windows drops")
    } else if name.contains(|c: char| c.is_ascii_control() || "<>:\"\\|?*".contains(c)) {
        Some("has a character that file names on Windows cannot have")
    } else {
        None
    }
}

/// The directory of a path's last component.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a path ends as only those of directories do.
fn names_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| std::path::is_separator(last.into()))
}

fn check_directory(path: &Path, file: &str) -> Result<(), CliError> {
    let directory = directory_of(path);
    if directory.is_dir() {
        return Ok(());
    }
    Err(CliError::NoDirectory { file: file.to_owned(), directory: directory.to_owned() })
}

/// Writes a new file in the directory of `target` and gives it that name, all of it on the disk first. Whoever opens
/// `target` finds the old file or the new one, whatever happens. On error the new file is removed.
fn replace(target: &Path, write: &Write<'_>) -> io::Result<()> {
    let directory = directory_of(target);
    #[cfg(target_os = "linux")]
    let is_written = unnamed::replace(target, directory, write)?;
    #[cfg(not(target_os = "linux"))]
    let is_written = false;
    if !is_written {
        // Opened explicitly to get the permissions of any new file; a temporary file is private to its owner.
        let create = |path: &Path| File::options().write(true).create_new(true).open(path);
        let file = Builder::new().prefix(".bvhc-").suffix(".tmp").make_in(directory, create)?;
        write_file(file.as_file(), write)?;
        file.as_file().sync_all()?;
        file.persist(target).map_err(|error| error.error)?;
    }
    // The name is on the disk when its directory is. Some file systems cannot say: then they decide when.
    #[cfg(unix)]
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_refuses_are_found() {
        for name in
            ["nul.bvh", "CON", "com1.bvh", "Lpt9.tar.bvh", "aux .bvh", "a.bvh.", "a ", "a:b.bvh", "what?.bvh"]
        {
            assert!(reserved_name(name).is_some(), "{name}");
        }
        for name in
            ["null.bvh", "com.bvh", "com10.bvh", "com0.bvh", "console.bvh", "a.b.bvh", "é.bvh", ".bvh"]
        {
            assert_eq!(reserved_name(name), None, "{name}");
        }
    }
}
