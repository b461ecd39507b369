//! `bvhc world MANIFEST -o OUT` and `bvhc MODEL -o OUT --world`

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::args::{CompileArgs, RecipeArgs, WorldArgs};
use super::cache::Cache;
use super::depfile::Rule;
use super::error::{CliError, UsageError};
use super::file;
use super::output::{self, Output};
use super::progress::Bars;
use super::report::{self, Changes};
use super::text::{one_line, tell};
use crate::compile::Options;
use crate::count::counted;
use crate::import::{self, Folder};
use crate::world::{self, LinkedWorld, MeshCache, WorldReport};

/// So many instances with a mesh of their own are named in the text report.
const BAKED_TOLD: usize = 8;

/// Compiles a manifest.
pub(super) fn run(args: &WorldArgs, recipe: &RecipeArgs) -> Result<(), CliError> {
    if args.thin && recipe.is_given() {
        return Err(UsageError::ThinOptions.into());
    }
    compile(args, recipe, false)
}

/// Compiles the scene of a model.
pub(super) fn run_model(args: &CompileArgs, recipe: &RecipeArgs) -> Result<(), CliError> {
    if let Some(second) = args.models.get(1) {
        return Err(UsageError::SeveralModels { second: second.display().to_string() }.into());
    }
    if args.jobs.is_some() {
        return Err(UsageError::NoEffect { flag: "--jobs", with: "--out-dir" }.into());
    }
    let world = WorldArgs {
        manifest: args.models[0].clone(),
        output: args.output.clone().unwrap_or_default(),
        thin: false,
        depfile: args.depfile.clone(),
        cache: args.cache.clone(),
        cache_size: args.cache_size,
        hermetic: args.hermetic,
        memory_limit: args.memory_limit,
        warnings_as_errors: args.warnings_as_errors,
        json: args.json,
        quiet: args.quiet,
    };
    compile(&world, recipe, true)
}

fn compile(args: &WorldArgs, recipe: &RecipeArgs, is_model: bool) -> Result<(), CliError> {
    let start = Instant::now();
    let mut options = recipe.options()?;
    options.memory_limit = args.memory_limit;
    let is_printed = |path: &PathBuf| file::is_standard(path);
    if args.json && (is_printed(&args.output) || args.depfile.as_ref().is_some_and(is_printed)) {
        return Err(UsageError::JsonAndFile.into());
    }
    if args.cache.is_some() && recipe.is_timed() {
        return Err(UsageError::TimedCache.into());
    }
    let output = Output::new(&args.output, &args.manifest)?;
    let depfile = args.depfile.as_deref().map(|path| check_depfile(path, args, &output)).transpose()?;
    let (bytes, name) = (file::read_source(&args.manifest)?, file::input_name(&args.manifest));
    let files = Folder::of(&args.manifest);
    if is_model && !import::is_gltf(&bytes) {
        return Err(CliError::NoScene { model: name });
    }
    let cache = Cache::open(args.cache.as_deref(), args.cache_size, args.quiet)?;
    let linked = Bars::around(args.quiet, |progress| {
        let cache = cache.as_ref().map(|cache| cache as &dyn MeshCache);
        match is_model {
            false if args.thin => world::link_thin(&bytes, &name, &files, &options, progress),
            false => world::link(&bytes, &name, &files, &options, progress, cache),
            true => world::link_gltf(&bytes, &name, &files, &options, progress, cache),
        }
    });
    if let Some(cache) = &cache {
        cache.prune();
    }
    let linked = linked?;
    let report = linked.report();
    check_inputs(args, report, [Some(&output), depfile.as_ref()])?;
    let are_without_effect = !is_model && report.inputs.is_empty() && recipe.is_given();
    let warnings = warnings(report, &output, are_without_effect);
    if args.warnings_as_errors && !warnings.is_empty() {
        return Err(CliError::Warnings { file: name, warnings });
    }
    // First, as a new output without it would look up to date.
    if let Some(depfile) = depfile {
        let rule = Rule { target: args.output.clone(), inputs: paths(args, report) };
        depfile.write(&rule.text()?)?;
    }
    let hash = write(&output, &linked, args.json)?;
    let seconds = start.elapsed().as_secs_f64();
    if !args.quiet {
        describe(&name, &output.name(), args.thin, &linked, &warnings, seconds);
    }
    if args.json {
        let json = object(args, (&output.name(), hash), &linked, &warnings, &options, seconds);
        output::print(&format!("{json:#}\n"))?;
    }
    Ok(())
}

/// Writes the file, and hashes it if so asked.
fn write(output: &Output, linked: &LinkedWorld<'_>, hashes: bool) -> Result<Option<blake3::Hash>, CliError> {
    if !hashes {
        output.write_parts(&|out| linked.write_to(out))?;
        return Ok(None);
    }
    let hash = Cell::new(None);
    output.write_parts(&|out| {
        let mut hashing = Hashing { out, hasher: blake3::Hasher::new() };
        linked.write_to(&mut hashing)?;
        hash.set(Some(hashing.hasher.finalize()));
        Ok(())
    })?;
    Ok(hash.get())
}

/// Hashes what is written.
struct Hashing<'a> {
    out: &'a mut dyn io::Write,
    hasher: blake3::Hasher,
}

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Refuses a depfile that has no target, or would replace the source or the output.
fn check_depfile(path: &Path, args: &WorldArgs, output: &Output) -> Result<Output, CliError> {
    if file::is_standard(&args.output) {
        return Err(UsageError::DepfileWithoutTarget.into());
    }
    let depfile = Output::new(path, &args.manifest)?;
    if depfile.is_same(output) {
        return Err(UsageError::DepfileIsOutput { file: path.display().to_string() }.into());
    }
    Ok(depfile)
}

/// Refuses to write over a file that was read.
fn check_inputs(
    args: &WorldArgs,
    report: &WorldReport,
    outputs: [Option<&Output>; 2],
) -> Result<(), CliError> {
    for input in inputs(args, report) {
        outputs.into_iter().flatten().try_for_each(|output| output.check_is_not(&input))?;
    }
    Ok(())
}

/// The paths of the files that the source refers to.
fn inputs(args: &WorldArgs, report: &WorldReport) -> Vec<PathBuf> {
    let Folder(folder) = Folder::of(&args.manifest);
    report.inputs.iter().chain(&report.linked).map(|input| folder.join(&input.name)).collect()
}

/// The paths of all files that were read.
fn paths(args: &WorldArgs, report: &WorldReport) -> Vec<PathBuf> {
    let own = (!file::is_standard(&args.manifest)).then(|| args.manifest.clone());
    own.into_iter().chain(inputs(args, report)).collect()
}

fn warnings(report: &WorldReport, output: &Output, are_without_effect: bool) -> Vec<String> {
    let of_options = "all meshes are compiled already: options of compilation have no effect";
    let of_options = are_without_effect.then(|| of_options.to_owned());
    let of_name = output.reserved_name().map(|reason| format!("the output's file name {reason}"));
    report.warnings.iter().cloned().chain(of_options).chain(of_name).collect()
}

fn describe(
    name: &str,
    output: &str,
    is_thin: bool,
    linked: &LinkedWorld<'_>,
    warnings: &[String],
    seconds: f64,
) {
    let report = linked.report();
    for warning in warnings {
        tell(&format!("warning: {name}: {}", one_line(warning)));
    }
    let triangles = report.meshes.iter().map(|mesh| mesh.triangles).sum();
    let cached = report.meshes.iter().filter(|mesh| mesh.is_cached).count();
    let place = match cached {
        _ if is_thin => " in files of their own".to_owned(),
        0 => String::new(),
        _ => format!(" ({cached} from the cache)"),
    };
    tell(&format!(
        "{name}: {} of {}{place}, {} -> {output}: {} in {seconds:.2} s",
        counted(report.instances.into(), "instance"),
        counted(report.meshes.len() as u64, "mesh"),
        counted(triangles, "triangle"),
        counted(linked.length(), "byte"),
    ));
    let sum = |of: fn(&world::MeshReport) -> u64| report.meshes.iter().map(of).sum();
    report::tell_changes(&Changes {
        ignored: report.ignored.iter().map(|(what, count)| (*what, *count)).collect(),
        triangles: sum(|mesh| mesh.dropped.triangles),
        faces: sum(|mesh| mesh.dropped.faces),
        fans: sum(|mesh| mesh.fans),
    });
    for name in report.baked.iter().take(BAKED_TOLD) {
        tell(&format!("instance {} has a mesh of its own, with its transform applied", one_line(name)));
    }
    let more = report.baked.len().saturating_sub(BAKED_TOLD);
    if more > 0 {
        tell(&format!("{} more, which --json lists", counted(more as u64, "instance")));
    }
}

fn object(
    args: &WorldArgs,
    (output, blake3): (&str, Option<blake3::Hash>),
    linked: &LinkedWorld<'_>,
    warnings: &[String],
    options: &Options,
    seconds: f64,
) -> Value {
    let report = linked.report();
    let input = |path: String, bytes: u64| json!({ "path": path, "bytes": bytes });
    let mut own = input(file::input_name(&args.manifest), report.source_length);
    own["blake3"] = json!(report.source_hash.to_hex().as_str());
    let all = report.inputs.iter().map(|other| ("blake3", other));
    let all = all.chain(report.linked.iter().map(|other| ("hash", other)));
    let others = inputs(args, report).into_iter().zip(all).map(|(path, (hash, other))| {
        let mut value = input(path.display().to_string(), other.length);
        value[hash] = json!(other.hash.to_hex().as_str());
        value["name"] = json!(other.name);
        value
    });
    let mesh = |mesh: &world::MeshReport| {
        json!({
            "name": mesh.name,
            "triangles": mesh.triangles,
            "dropped": { "triangles": mesh.dropped.triangles, "faces": mesh.dropped.faces },
            "fans": mesh.fans,
            "bytes": mesh.bytes,
            "cached": mesh.is_cached,
        })
    };
    let stages =
        report.seconds.iter().map(|(stage, time)| (stage.name().to_owned(), json!(time.as_secs_f64())));
    let total = ("total".to_owned(), json!(seconds));
    json!({
        "inputs": std::iter::once(own).chain(others).collect::<Vec<_>>(),
        "output": output,
        "bytes": linked.length(),
        "hash": linked.hash().to_hex().as_str(),
        "blake3": blake3.map(|hash| hash.to_hex().to_string()),
        "thin": args.thin,
        "options": if args.thin { "--thin".to_owned() } else { options.text(None) },
        "meshes": report.meshes.iter().map(mesh).collect::<Vec<_>>(),
        "instances": report.instances,
        "leaves": report.leaves,
        "nodes": report.nodes,
        "baked": report.baked,
        "ignored": report.ignored,
        "warnings": warnings,
        "seconds": stages.chain([total]).collect::<Map<_, _>>(),
    })
}
