//! Reads models and compiled files, from paths or standard input (`-`).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bvhc_runtime::Model;

use super::error::{Action, CliError};
use crate::file::Bytes;

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
        if !is_standard(path) {
            return std::fs::read(path);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| CliError::io(&input_name(path), Action::Read, error))
}

/// A compiled file in memory.
pub(super) struct Compiled {
    /// Its name in messages.
    pub(super) name: String,
    /// Its bytes, aligned as a model requires.
    pub(super) bytes: Bytes,
}

impl Compiled {
    /// Reads a whole file without checking it.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let read = || {
            let mut file = File::open(path)?;
            let size = usize::try_from(file.metadata()?.len()).unwrap_or(0);
            let mut bytes = Bytes::with_capacity(size);
            bytes.extend_from_reader(&mut file)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Self { name, bytes }),
            Err(error) => Err(CliError::io(&name, Action::Read, error)),
        }
    }

    /// Opens the model in it.
    pub(super) fn model(&self) -> Result<Model<'_>, CliError> {
        let fail = |error| CliError::Open { file: self.name.clone(), error };
        Model::from_bytes(&self.bytes).map_err(fail)
    }
}
