//! One model, from reading it to writing the file.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use super::run::Run;
use super::summary::{Facts, Summary, Times};
use crate::cli::depfile::Rule;
use crate::cli::error::CliError;
use crate::cli::file;
use crate::cli::key;
use crate::cli::output::Output;
use crate::compile::{Options, Progress, Source, compile_and_drop};
use crate::file::{Hashed, Plan};
use crate::import::Folder;

/// A model to compile, and the path where the file goes.
pub(super) struct Task {
    pub(super) model: PathBuf,
    pub(super) path: PathBuf,
}

impl Task {
    /// The output, if there can be one at that path.
    pub(super) fn output(&self) -> Result<Output, CliError> {
        Output::new(&self.path, &self.model)
    }

    /// Compiles the model, or takes it from the cache, and writes the file. The depfile of a single model is written before.
    pub(super) fn execute(&self, run: &Run<'_>, progress: &dyn Progress) -> Result<Summary, CliError> {
        let output = self.output()?;
        let name = file::input_name(&self.model);
        let start = Instant::now();
        let bytes = file::read_source(&self.model)?;
        let reading = start.elapsed();
        let made = run.compute(|| self.make(run, bytes, &name, progress))?;
        let Made { facts, bytes, key } = &made;
        let warnings = facts.warnings(output.reserved_name());
        if run.args.warnings_as_errors && !warnings.is_empty() {
            return Err(CliError::Warnings { file: name, warnings });
        }
        self.check_inputs(run, &output, facts)?;
        let rule = Rule { target: self.path.clone(), inputs: facts.paths(&self.model) };
        // First, as a new output without its rule would look up to date.
        if run.args.out_dir.is_none() {
            run.write_depfile(std::slice::from_ref(&rule))?;
        } else if run.args.depfile.is_some() {
            rule.text()?;
        }
        let writing = Instant::now();
        output.write_parts(&|out| bytes.write(out))?;
        let writing = writing.elapsed();
        if let (Some(cache), Some(key), false) = (&run.cache, key, facts.is_cached) {
            cache.put(key, &facts.json, &|out| bytes.write(out));
        }
        let times = Times { reading, writing, total: start.elapsed() };
        let facts = made.facts;
        Ok(Summary { model: self.model.clone(), output: output.name(), rule, facts, warnings, times })
    }

    /// Refuses to replace a file that the model refers to.
    fn check_inputs(&self, run: &Run<'_>, output: &Output, facts: &Facts) -> Result<(), CliError> {
        let depfile = run.args.depfile.as_deref().map(|path| Output::new(path, &self.model)).transpose()?;
        for input in facts.others_of(&self.model) {
            let mut outputs = [Some(output), depfile.as_ref()].into_iter().flatten();
            outputs.try_for_each(|output| output.check_is_not(&input))?;
        }
        Ok(())
    }

    /// Finds the file in the cache, or compiles the model.
    fn make(
        &self,
        run: &Run<'_>,
        model: Vec<u8>,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<Made, CliError> {
        let files = Folder::of(&self.model);
        let key = match &run.cache {
            Some(_) => Some(key::of(&Source::Files { bytes: &model, files: &files }, name, &run.options)?),
            None => None,
        };
        let cached = run.cache.as_ref().zip(key).and_then(|(cache, key)| cache.get(&key));
        if let Some((json, bytes)) = cached {
            return Ok(Made { facts: Facts::cached(json), bytes: Bytes::Cached(bytes), key });
        }
        let (Hashed { plan, hash }, report) = compile_and_drop(model, &files, name, &run.options, progress)?;
        // Files that the model refers to were read again, and may have changed.
        let key = key.map(|_| report.key(&run.options));
        let options = Options { obb: report.obb, ..run.options.clone() };
        let facts = Facts::of(&report, (plan.length, hash), &options);
        Ok(Made { facts, bytes: Bytes::Compiled(plan), key })
    }
}

/// A compiled file, what there is to say of it, and if there is a cache the key of what it was made from.
struct Made {
    facts: Facts,
    bytes: Bytes,
    key: Option<blake3::Hash>,
}

/// A compiled file, from either place.
enum Bytes {
    Compiled(Plan),
    Cached(Vec<u8>),
}

impl Bytes {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Compiled(plan) => plan.write_memory(out),
            Self::Cached(bytes) => out.write_all(bytes),
        }
    }
}
