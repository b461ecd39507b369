//! Several models in one run.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde_json::json;

use super::run::Run;
use super::summary::Summary;
use super::task::Task;
use crate::cli::depfile::Rule;
use crate::cli::error::{CliError, UsageError};
use crate::cli::file;
use crate::cli::output;
use crate::cli::progress::Count;

/// Compiles all models, as many at a time as was asked for, all on the same threads. Reports come in the order of the
/// models. A model that fails does not stop the others.
pub(super) fn run(run: &Run<'_>, tasks: &[Task]) -> Result<(), CliError> {
    // Some of them wait for the disk.
    let usual = 2 * run.compute(rayon::current_num_threads);
    let jobs = run.args.jobs.map_or(usual, NonZeroUsize::get).min(tasks.len());
    let count = Count::if_watched(run.args.quiet, tasks.len());
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let mut reports = Reports { run, tasks, rules: Vec::new(), is_depfile_read: false, failed: 0, code: 0 };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    let result = task.execute(run, &());
                    // If nobody listens any more, the run is over.
                    if sender.send((index, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<Result<Summary, CliError>>> = tasks.iter().map(|_| None).collect();
        let mut told = 0;
        for (index, result) in results {
            count.advance(&file::input_name(&tasks[index].model));
            waiting[index] = Some(result);
            while let Some(result) = waiting.get_mut(told).and_then(Option::take) {
                count.pause(|| reports.add(told, result))?;
                told += 1;
            }
        }
        Ok::<(), CliError>(())
    })?;
    count.finish();
    if !reports.is_depfile_read {
        run.write_depfile(&reports.rules)?;
    }
    if reports.failed == 0 {
        return Ok(());
    }
    Err(CliError::Batch { failed: reports.failed, models: tasks.len(), code: reports.code })
}

/// What was said so far.
struct Reports<'a> {
    run: &'a Run<'a>,
    tasks: &'a [Task],
    /// The rules of the depfile.
    rules: Vec<Rule>,
    /// Whether the depfile is part of a model, which failed for that.
    is_depfile_read: bool,
    failed: usize,
    /// The exit code of the first model that failed.
    code: u8,
}

impl Reports<'_> {
    /// Tells of the next model.
    fn add(&mut self, index: usize, result: Result<Summary, CliError>) -> Result<(), CliError> {
        let line = match result {
            Ok(summary) => {
                self.run.tell(&summary);
                let json = summary.json();
                self.rules.push(summary.rule);
                json
            }
            Err(error) => {
                error.tell();
                let depfile = self.run.args.depfile.as_ref().map(|path| path.display().to_string());
                self.is_depfile_read |= match &error {
                    CliError::Usage(UsageError::SameFile { file }) => Some(file) == depfile.as_ref(),
                    _ => false,
                };
                if self.failed == 0 {
                    self.code = error.exit_code();
                }
                self.failed += 1;
                json!({
                    "inputs": [{ "path": file::input_name(&self.tasks[index].model) }],
                    "output": self.tasks[index].path.display().to_string(),
                    "error": error.to_string(),
                    "exit_code": error.exit_code(),
                })
            }
        };
        if self.run.args.json { output::print(&format!("{line}\n")) } else { Ok(()) }
    }
}
