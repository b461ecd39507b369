//! Compiled files, kept by the digests of all that they depend on.
//!
//! An entry is one file: a line of JSON with its key and what the compiler said, then the compiled file. It appears whole or not
//! at all, and is believed only if it has that key and the compiled file has the hash that the line says. So several processes
//! may share a cache, and a damaged or misplaced entry is compiled again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::error::{Action, CliError};
use super::output::{self, Output};

/// A folder with compiled files.
pub(super) struct Cache {
    folder: PathBuf,
    /// The most bytes that it may hold.
    limit: u64,
}

impl Cache {
    /// Opens a cache, and makes its folder if it is missing. `limit` is in MiB.
    pub(super) fn open(folder: &Path, limit: u64) -> Result<Self, CliError> {
        fs::create_dir_all(folder)
            .map_err(|error| CliError::io(&folder.display().to_string(), Action::Write, error))?;
        Ok(Self { folder: folder.to_owned(), limit: limit.saturating_mul(1 << 20) })
    }

    /// What the compiler said and the compiled file of a key, if there is an entry and it is whole.
    pub(super) fn get(&self, key: &blake3::Hash) -> Option<(Value, Vec<u8>)> {
        let path = self.path(key);
        let mut entry = fs::read(&path).ok()?;
        let end = entry.iter().position(|byte| *byte == b'\n')?;
        let mut head: Value = serde_json::from_slice(&entry[..end]).ok()?;
        let (said, bytes) = (head.get_mut("said")?.take(), entry.split_off(end + 1));
        let is_of = |value: &Value, hash: &blake3::Hash| value == hash.to_hex().as_str();
        if !(is_of(&head["key"], key) && is_of(&said["blake3"], &crate::file::hash(&bytes))) {
            return None;
        }
        // The time of the last change is that of the last use; where it cannot be set, old entries go first.
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some((said, bytes))
    }

    /// Keeps a file, and what the compiler said of it. A cache that cannot be written to is no reason to fail.
    pub(super) fn put(&self, key: &blake3::Hash, said: &Value, write: &output::Write<'_>) {
        let path = self.path(key);
        let head = json!({ "key": key.to_hex().as_str(), "said": said });
        let _ = path.parent().map(fs::create_dir_all);
        if let Ok(output) = Output::new(&path, Path::new("-")) {
            let _ = output.write_parts(&|out| {
                writeln!(out, "{head}")?;
                write(out)
            });
        }
    }

    /// Removes what was not used for the longest time until the cache is within its limit.
    pub(super) fn prune(&self) {
        let mut entries: Vec<(SystemTime, PathBuf, u64)> = files(&self.folder)
            .flat_map(|folder| files(&folder).collect::<Vec<_>>())
            .filter_map(|path| {
                let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
                Some((metadata.modified().ok()?, path, metadata.len()))
            })
            .collect();
        let mut held: u64 = entries.iter().map(|(_, _, bytes)| bytes).sum();
        entries.sort();
        for (_, path, bytes) in entries {
            if held <= self.limit {
                break;
            }
            // Another process may have removed it.
            if fs::remove_file(path).is_ok() {
                held -= bytes;
            }
        }
    }

    /// Where the entry of a key is: in one of 256 folders.
    fn path(&self, key: &blake3::Hash) -> PathBuf {
        let hex = key.to_hex();
        self.folder.join(&hex[..2]).join(&hex[2..])
    }
}

/// What is in a folder; nothing if it cannot be read.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path())
}
