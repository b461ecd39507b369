//! Compiled files, kept by the digests of all that they depend on.
//!
//! An entry is one file: a line with a hash and JSON, which has the key and what the compiler said, then the compiled file. It
//! appears whole or not at all, and is believed only if the JSON has that hash and the key, and the compiled file the hash that
//! the JSON says. So several processes may share a cache, and a damaged or misplaced entry is compiled again.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::error::{Action, CliError};
use super::output::{self, Output};
use super::text::{one_line, tell};
use crate::file::Bytes;
use crate::mesh::Dropped;
use crate::world::{CachedMesh, MeshCache};

/// Hexadecimal digits of a key.
const DIGITS: usize = 2 * blake3::OUT_LEN;

/// How many of them name the folder of an entry.
const FOLDER_DIGITS: usize = 2;

/// A folder with compiled files.
pub(super) struct Cache {
    folder: PathBuf,
    /// The most bytes that it may hold.
    limit: u64,
    /// Whether nothing is said of entries that cannot be written.
    is_quiet: AtomicBool,
}

impl Cache {
    /// Opens the cache in a folder, if there is to be one, and makes the folder if it is missing; `limit` is in bytes.
    pub(super) fn open(folder: Option<&Path>, limit: u64, is_quiet: bool) -> Result<Option<Self>, CliError> {
        let Some(folder) = folder else { return Ok(None) };
        output::make_folder(folder)?;
        Ok(Some(Self { folder: folder.to_owned(), limit, is_quiet: AtomicBool::new(is_quiet) }))
    }

    /// What the compiler said and the compiled file of a key, if there is an entry and it is whole.
    pub(super) fn get(&self, key: &blake3::Hash) -> Option<(Value, Vec<u8>)> {
        let path = self.path(key);
        // A pipe would be waited for.
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut entry = fs::read(&path).ok()?;
        let end = entry.iter().position(|byte| *byte == b'\n')?;
        let (hash, head) = std::str::from_utf8(&entry[..end]).ok()?.split_once(' ')?;
        if hash != crate::file::hash(head.as_bytes()).to_hex().as_str() {
            return None;
        }
        let mut head: Value = serde_json::from_str(head).ok()?;
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

    /// Keeps a file, and what the compiler said of it. A cache that cannot be written to is no reason to fail: it is told, once.
    pub(super) fn put(&self, key: &blake3::Hash, said: &Value, write: &output::Write<'_>) {
        if let Err(error) = self.try_put(key, said, write)
            && !self.is_quiet.swap(true, Ordering::Relaxed)
        {
            tell(&format!("the cache does not keep what is compiled: {}", one_line(&error.to_string())));
        }
    }

    fn try_put(&self, key: &blake3::Hash, said: &Value, write: &output::Write<'_>) -> Result<(), CliError> {
        let path = self.path(key);
        let head = json!({ "key": key.to_hex().as_str(), "said": said }).to_string();
        let hash = crate::file::hash(head.as_bytes());
        path.parent().map_or(Ok(()), output::make_folder)?;
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            // A pipe would be written to, and waited for; of a link, the file that it leads to would be replaced.
            let name = path.display().to_string();
            return Err(CliError::io(&name, Action::Write, ErrorKind::AlreadyExists.into()));
        }
        Output::new(&path, Path::new("-"))?.write_parts(&|out| {
            writeln!(out, "{hash} {head}")?;
            write(out)
        })
    }

    /// Removes entries that were not used for the longest time until the cache is within its limit. Other files stay.
    pub(super) fn prune(&self) {
        let mut entries: Vec<(SystemTime, PathBuf, u64)> = named_by_digits(&self.folder, FOLDER_DIGITS)
            .flat_map(|folder| named_by_digits(&folder, DIGITS - FOLDER_DIGITS).collect::<Vec<_>>())
            .filter_map(|path| {
                let metadata = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
                Some((metadata.modified().ok()?, path, metadata.len()))
            })
            .collect();
        let mut held: u64 = entries.iter().map(|(_, _, bytes)| bytes).sum();
        entries.sort();
        for (_, path, bytes) in entries {
            if held <= self.limit {
                break;
            }
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {}
                // Another process may have removed it.
                _ => held -= bytes,
            }
        }
    }

    /// Where the entry of a key is: in one of 256 folders.
    fn path(&self, key: &blake3::Hash) -> PathBuf {
        let hex = key.to_hex();
        self.folder.join(&hex[..FOLDER_DIGITS]).join(&hex[FOLDER_DIGITS..])
    }
}

/// The meshes of worlds.
impl MeshCache for Cache {
    fn get(&self, key: &blake3::Hash) -> Option<CachedMesh> {
        let (said, file) = Cache::get(self, key)?;
        let number = |name: &str| said[name].as_u64();
        let dropped = Dropped { triangles: number("dropped_triangles")?, faces: number("dropped_faces")? };
        let text = |warning: &Value| warning.as_str().map(str::to_owned);
        let warnings = said["warnings"].as_array()?.iter().map(text).collect::<Option<_>>()?;
        let mut bytes = Bytes::with_capacity(file.len());
        bytes.extend_from_slice(&file);
        Some(CachedMesh { bytes, dropped, fans: number("fans")?, warnings })
    }

    fn put(&self, key: &blake3::Hash, mesh: &CachedMesh) {
        let said = json!({
            "blake3": crate::file::hash(&mesh.bytes).to_hex().as_str(),
            "dropped_triangles": mesh.dropped.triangles,
            "dropped_faces": mesh.dropped.faces,
            "fans": mesh.fans,
            "warnings": mesh.warnings,
        });
        Cache::put(self, key, &said, &|out| out.write_all(&mesh.bytes));
    }
}

/// What is in a folder by a name of so many hexadecimal digits, as those of entries are; nothing if the folder cannot be read.
fn named_by_digits(folder: &Path, digits: usize) -> impl Iterator<Item = PathBuf> + use<> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_named = move |path: &PathBuf| {
        path.file_name()
            .map(|name| name.as_encoded_bytes())
            .is_some_and(|name| name.len() == digits && name.iter().all(is_digit))
    };
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(is_named)
}
