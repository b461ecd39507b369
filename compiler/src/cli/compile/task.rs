//! One model, from reading it to writing the file.

use std::path::PathBuf;
use std::time::Instant;

use super::run::Run;
use super::summary::{Facts, Summary, Times};
use crate::cli::error::CliError;
use crate::cli::file;
use crate::cli::key;
use crate::cli::output::Output;
use crate::compile::{Options, Progress, Source, compile_and_drop};
use crate::import::Folder;

/// A model to compile, and where to.
pub(super) struct Task {
    pub(super) model: PathBuf,
    pub(super) output: Output,
}

impl Task {
    /// Compiles the model, or takes it from the cache, and writes the file.
    pub(super) fn execute(&self, run: &Run<'_>, progress: &dyn Progress) -> Result<Summary, CliError> {
        let name = file::input_name(&self.model);
        let start = Instant::now();
        let bytes = file::read_source(&self.model)?;
        let files = Folder::of(&self.model);
        let key = match &run.cache {
            Some(_) => Some(key::of(&Source::Files { bytes: &bytes, files: &files }, &name, &run.options)?),
            None => None,
        };
        let reading = start.elapsed();
        let cached = run.cache.as_ref().zip(key).and_then(|(cache, key)| cache.get(&key));
        let is_cached = cached.is_some();
        let (facts, compiled) = match cached {
            Some((json, bytes)) => (Facts::cached(json), Bytes::Cached(bytes)),
            None => {
                let compiled = compile_and_drop(bytes, &files, &name, &run.options, progress)?;
                let options = Options { obb: compiled.report.obb, ..run.options.clone() };
                (Facts::of(&compiled, &options), Bytes::Compiled(compiled.bytes))
            }
        };
        let warnings = facts.warnings(self.output.reserved_name());
        if run.args.warnings_as_errors && !warnings.is_empty() {
            return Err(CliError::Warnings { file: name, warnings });
        }
        let writing = Instant::now();
        self.output.write(compiled.bytes())?;
        let writing = writing.elapsed();
        if let (Some(cache), Some(key), false) = (&run.cache, key, is_cached) {
            cache.put(&key, &facts.json, compiled.bytes());
        }
        let times = Times { reading, writing, total: start.elapsed() };
        Ok(Summary { model: self.model.clone(), output: self.output.name(), facts, warnings, times })
    }
}

/// A compiled file, from either place.
enum Bytes {
    Compiled(crate::file::Bytes),
    Cached(Vec<u8>),
}

impl Bytes {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Compiled(bytes) => bytes,
            Self::Cached(bytes) => bytes,
        }
    }
}
