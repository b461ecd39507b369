//! Files that have no name until they are complete: a process that is killed while it writes leaves nothing behind.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};

use super::{Write, write_file};

/// The argument that makes a process a [`helper`].
const HELPER: &str = "--replace-output";

/// Writes a file and gives it the name `target`, in place of an old one if there is one. Returns false, with nothing
/// done, if the file system has no files without names or there is no name for one.
pub(super) fn replace(target: &Path, directory: &Path, write: &Write<'_>) -> io::Result<bool> {
    let flags = OFlags::TMPFILE.bits() as i32;
    let Ok(file) = File::options().write(true).custom_flags(flags).open(directory) else {
        return Ok(false);
    };
    write_file(&file, write)?;
    file.sync_all()?;
    match link(&file, target) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Ok(replace_elsewhere(&file, target) || replace_here(&file, target)?)
        }
        // No /proc, or no links.
        Err(_) => Ok(false),
    }
}

fn link(file: &File, name: &Path) -> io::Result<()> {
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, source.as_str(), CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

/// Links the file beside `target` and renames it. A link cannot replace a file, a rename can: between these two calls the
/// new file has a name of its own. It is always the same one, so that the next process replaces what a process killed
/// there leaves behind.
fn replace_here(file: &File, target: &Path) -> io::Result<bool> {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".bvhc-tmp");
    let named = target.with_file_name(name);
    loop {
        match link(file, &named) {
            Ok(()) => break,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match fs::remove_file(&named) {
                Ok(()) => continue,
                // Another process that writes the same output was faster.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                // A folder, or somebody else's.
                Err(_) => return Ok(false),
            },
            // The name is too long.
            Err(_) => return Ok(false),
        }
    }
    match fs::rename(&named, target) {
        Ok(()) => Ok(true),
        // Another process was faster. It gave the target this very file, or removed it; then it cannot have a name again.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(is_at(file, target)),
        Err(error) => {
            let _ = fs::remove_file(&named);
            Err(error)
        }
    }
}

/// Whether a path leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let found = fs::symlink_metadata(path).map(identity);
    found.is_ok_and(|found| file.metadata().map(identity).is_ok_and(|own| own == found))
}

/// Has a process of its own link and rename the file. Ctrl-C and a killed compiler do not reach it, so it ends what it
/// began, and no name is left behind. Returns false if it could not be done, for whatever reason.
fn replace_elsewhere(file: &File, target: &Path) -> bool {
    let Ok(file) = file.try_clone() else { return false };
    let mut helper = Command::new("/proc/self/exe");
    helper.arg(HELPER).arg(target).process_group(0);
    helper.stdin(file).stdout(Stdio::null()).stderr(Stdio::null());
    helper.status().is_ok_and(|status| status.success())
}

/// In a process that [`replace_elsewhere`] started, with the file as its standard input: replaces the output.
pub(in crate::cli) fn helper() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(OsStr::new(HELPER)) {
        return None;
    }
    let target = args.next()?;
    let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let is_unnamed = |file: &File| file.metadata().is_ok_and(|metadata| metadata.nlink() == 0);
    let is_replaced = file.is_ok_and(|file| {
        is_unnamed(&file) && replace_here(&file, Path::new(&target)).is_ok_and(|is_done| is_done)
    });
    Some(if is_replaced { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever is faster, the output is whole and nothing is left beside it.
    #[test]
    fn an_output_has_many_writers() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.bvh");
        fs::write(&target, "old").unwrap();
        let replace = || {
            let flags = OFlags::TMPFILE.bits() as i32;
            match File::options().write(true).custom_flags(flags).open(folder.path()) {
                Ok(file) => write_file(&file, &|out| out.write_all(b"new"))
                    .and_then(|()| replace_here(&file, &target)),
                // No files without names here.
                Err(_) => Ok(false),
            }
        };
        if !replace().unwrap() {
            return;
        }
        for _ in 0..100 {
            std::thread::scope(|scope| {
                let writers: Vec<_> = (0..8).map(|_| scope.spawn(replace)).collect();
                // Some may have to do it in the other way.
                let written: io::Result<Vec<bool>> =
                    writers.into_iter().map(|writer| writer.join().unwrap()).collect();
                written.unwrap();
            });
            let left: Vec<_> =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert_eq!((left, fs::read(&target).unwrap()), (vec![target.clone()], b"new".to_vec()));
        }
    }
}
