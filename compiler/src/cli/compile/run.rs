//! What all models of a run have in common.

use std::path::Path;

use rayon::ThreadPool;

use super::summary::Summary;
use crate::cli::args::CompileArgs;
use crate::cli::cache::Cache;
use crate::cli::depfile::Rule;
use crate::cli::error::CliError;
use crate::cli::output::Output;
use crate::compile::Options;

/// The arguments and what was made of them.
pub(super) struct Run<'a> {
    pub(super) args: &'a CompileArgs,
    pub(super) options: Options,
    pub(super) cache: Option<Cache>,
    /// The threads that several models share; one model starts its own.
    pub(super) pool: Option<ThreadPool>,
}

impl Run<'_> {
    /// Computes something on the threads of the run.
    pub(super) fn compute<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Prints the human-readable summary.
    pub(super) fn tell(&self, summary: &Summary) {
        if !self.args.quiet {
            summary.tell(self.args.verbose);
        }
    }

    /// Writes the depfile, if one was asked for.
    pub(super) fn write_depfile(&self, rules: &[Rule]) -> Result<(), CliError> {
        let Some(path) = &self.args.depfile else { return Ok(()) };
        let text = rules.iter().map(Rule::text).collect::<Result<Vec<_>, _>>()?.concat();
        Output::new(path, Path::new("-"))?.write(&text)
    }
}
