//! `bvhc MODEL -o OUT` and `bvhc MODEL... --out-dir DIR`

mod batch;
mod run;
mod summary;
mod task;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::args::{CompileArgs, RecipeArgs};
use super::cache::Cache;
use super::error::{CliError, UsageError};
use super::file;
use super::output::{self, Output};
use super::progress::Bars;
use super::world;
use crate::compile;
use run::Run;
use task::Task;

pub(super) fn run(args: &CompileArgs, recipe: &RecipeArgs) -> Result<(), CliError> {
    if args.world {
        return world::run_model(args, recipe);
    }
    if args.json && [&args.output, &args.depfile].into_iter().flatten().any(|path| file::is_standard(path)) {
        return Err(UsageError::JsonAndFile.into());
    }
    let mut options = recipe.options()?;
    options.memory_limit = args.memory_limit;
    if args.cache.is_some() && recipe.is_timed() {
        return Err(UsageError::TimedCache.into());
    }
    let tasks = tasks(args)?;
    if let Some(depfile) = &args.depfile {
        check_depfile(depfile, &tasks)?;
    }
    let cache = Cache::open(args.cache.as_deref(), args.cache_size, args.quiet)?;
    let pool = match &args.out_dir {
        Some(_) => Some(compile::pool(options.threads.take())?),
        None => None,
    };
    let run = Run { args, options, cache, pool };
    let done = match &args.out_dir {
        None => one(&run, &tasks[0]),
        Some(_) => batch::run(&run, &tasks),
    };
    if let Some(cache) = &run.cache {
        cache.prune();
    }
    done
}

/// Compiles the only model.
fn one(run: &Run<'_>, task: &Task) -> Result<(), CliError> {
    let summary = Bars::around(run.args.quiet, |progress| task.execute(run, progress))?;
    run.tell(&summary);
    if run.args.json { output::print(&format!("{:#}\n", summary.json())) } else { Ok(()) }
}

/// The models and where each goes. What is wrong with one of several is for its own report to say.
fn tasks(args: &CompileArgs) -> Result<Vec<Task>, CliError> {
    let Some(folder) = &args.out_dir else {
        if args.jobs.is_some() {
            return Err(UsageError::NoEffect { flag: "--jobs", with: "--out-dir" }.into());
        }
        if let Some(second) = args.models.get(1) {
            return Err(UsageError::SeveralModels { second: second.display().to_string() }.into());
        }
        let (model, output) = (args.models[0].clone(), args.output.clone().unwrap_or_default());
        if args.depfile.is_some() && file::is_standard(&output) {
            return Err(UsageError::DepfileWithoutTarget.into());
        }
        let task = Task { model, path: output };
        // Before the folder of a cache is made.
        task.output()?;
        return Ok(vec![task]);
    };
    let outputs: Vec<PathBuf> =
        args.models.iter().map(|model| output_in(folder, model)).collect::<Result<_, _>>()?;
    let mut first = HashMap::new();
    for (model, output) in args.models.iter().zip(&outputs) {
        if let Some(other) = first.insert(output, model) {
            return Err(UsageError::SameOutput {
                models: [other, model].map(|model| model.display().to_string()),
                output: output.display().to_string(),
            }
            .into());
        }
    }
    output::make_folder(folder)?;
    let models = args.models.iter().cloned();
    Ok(models.zip(outputs).map(|(model, path)| Task { model, path }).collect())
}

/// Refuses a depfile that would replace a model or a compiled file.
fn check_depfile(path: &Path, tasks: &[Task]) -> Result<(), CliError> {
    for task in tasks {
        let depfile = Output::new(path, &task.model)?;
        if task.output().is_ok_and(|output| depfile.is_same(&output)) {
            return Err(UsageError::DepfileIsOutput { file: path.display().to_string() }.into());
        }
    }
    Ok(())
}

/// The file in a folder that a model is compiled to.
fn output_in(folder: &Path, model: &Path) -> Result<PathBuf, CliError> {
    match model.file_stem().filter(|_| !file::is_standard(model)) {
        Some(stem) => {
            let mut name = stem.to_owned();
            name.push(".bvh");
            Ok(folder.join(name))
        }
        None => Err(UsageError::NoFileName { model: file::input_name(model) }.into()),
    }
}
