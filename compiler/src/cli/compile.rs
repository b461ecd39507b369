//! `bvhc MODEL -o OUT`

use std::time::{Duration, Instant};

use bvhc_format::swept::Cores;
use serde_json::{Map, Value, json};

use super::args::{CompileArgs, KdopArgs, ObbArgs};
use super::error::{CliError, UsageError};
use super::file;
use super::output::{self, Output};
use super::progress::Bars;
use super::report;
use super::text::{counted, grouped, one_line, tell};
use crate::compile::{Compiled, Layout, Options, Report, Source, compile_source};
use crate::import::Folder;
use crate::pair::kdop;
use crate::pair::obb;

pub(super) fn run(args: &CompileArgs, obb: &ObbArgs, kdop: &KdopArgs) -> Result<(), CliError> {
    if args.json && file::is_standard(&args.output) {
        return Err(UsageError::JsonAndFile.into());
    }
    let options = args.options(obb, kdop)?;
    let output = Output::new(&args.output, &args.model)?;
    if let Some(reason) = output.reserved_name().filter(|_| !args.quiet) {
        tell(&format!("warning: the file name of {} {reason}", output.name()));
    }
    let name = file::input_name(&args.model);
    let start = Instant::now();
    let source = file::read_source(&args.model)?;
    let reading = start.elapsed();
    let files = Folder::of(&args.model);
    let compiled =
        compile_watched(&Source::Files { bytes: &source, files: &files }, &name, &options, args.quiet)?;
    let options = Options { obb: compiled.report.obb, ..options };
    drop(source);
    let writing = Instant::now();
    output.write(&compiled.bytes)?;
    let job = Job {
        input: name,
        output: output.name(),
        options,
        compiled,
        reading,
        writing: writing.elapsed(),
        total: start.elapsed(),
    };
    job.tell(args);
    if args.json { output::print(&format!("{:#}\n", job.json())) } else { Ok(()) }
}

fn compile_watched(
    source: &Source<'_>,
    name: &str,
    options: &Options,
    quiet: bool,
) -> Result<Compiled, CliError> {
    let Some(bars) = Bars::if_watched(quiet) else {
        return Ok(compile_source(source, name, options, &())?);
    };
    let compiled = compile_source(source, name, options, &bars);
    bars.finish();
    Ok(compiled?)
}

/// The result of a compilation, to be reported.
struct Job {
    input: String,
    output: String,
    options: Options,
    compiled: Compiled,
    reading: Duration,
    writing: Duration,
    total: Duration,
}

impl Job {
    fn report(&self) -> &Report {
        &self.compiled.report
    }

    fn bytes(&self) -> u64 {
        self.compiled.bytes.len() as u64
    }

    fn bytes_per_triangle(&self) -> f64 {
        self.bytes() as f64 / self.report().triangles as f64
    }

    /// All stages with their seconds, in order.
    fn stages(&self) -> Vec<(&'static str, f64)> {
        let mut stages = vec![("read", self.reading.as_secs_f64())];
        stages.extend(self.report().seconds.iter().map(|(stage, time)| (stage.name(), time.as_secs_f64())));
        stages.push(("write", self.writing.as_secs_f64()));
        stages.push(("total", self.total.as_secs_f64()));
        stages
    }

    /// Prints the human-readable summary.
    fn tell(&self, args: &CompileArgs) {
        if args.quiet {
            return;
        }
        let report = self.report();
        tell(&format!(
            "{}: {}, {} -> {}: {} ({:.1} a triangle) in {:.2} s",
            self.input,
            counted(report.source_faces, "face"),
            counted(report.triangles, "triangle"),
            self.output,
            counted(self.bytes(), "byte"),
            self.bytes_per_triangle(),
            self.total.as_secs_f64(),
        ));
        for warning in &report.warnings {
            tell(&format!("warning: {}: {}", self.input, one_line(warning)));
        }
        self.tell_dropped();
        if let Some(steps) = report.steps {
            tell(&format!("optimised in {}", counted(steps.into(), "step")));
        }
        if self.options.obb_time.is_some() {
            tell(&format!("the same file again: {}", self.options.text(report.steps)));
        }
        if self.options.layout == Layout::Small {
            tell(&format!("vertices moved by up to {:e} on each axis", report.position_error));
        }
        if args.verbose {
            self.tell_details();
        }
    }

    fn tell_dropped(&self) {
        for (what, count) in &self.report().ignored {
            tell(&format!("ignored {} {what}", grouped(*count)));
        }
        if self.options.placement.weld.is_some() {
            tell(&format!("welded {} to others", counted(self.report().welded, "vertex")));
        }
        let dropped = self.report().dropped;
        if dropped.triangles != 0 {
            tell(&format!("dropped {} of zero area", counted(dropped.triangles, "triangle")));
        }
        if dropped.faces != 0 {
            tell(&format!("dropped {} of fewer than three corners", counted(dropped.faces, "face")));
        }
        if self.report().fans != 0 {
            let faces = counted(self.report().fans, "face");
            tell(&format!(
                "{faces} with edges that cross or touch: their triangles are a fan, and may overlap"
            ));
        }
    }

    fn tell_details(&self) {
        let report = self.report();
        for (stage, seconds) in self.stages() {
            tell(&format!("{stage:>10} {seconds:9.3} s"));
        }
        for (tree, bytes) in report.trees.iter().zip(&report.tree_bytes) {
            tell(&format!(
                "{}: {}, {} deep, {}, cost {:.2}, nodes {:.0}% full, {} {:.0}% full, {:.1} bytes a triangle",
                report::kind_name(tree.kind),
                counted(tree.nodes, "node"),
                counted(tree.depth.into(), "level"),
                counted(tree.leaves, report::leaf_noun(tree.kind)),
                tree.sah_cost,
                tree.node_fill * 100.0,
                report::leaf_nouns(tree.kind),
                tree.block_fill * 100.0,
                *bytes as f64 / report.triangles as f64,
            ));
        }
        tell(&format!("{} distinct positions", grouped(report.vertices)));
    }

    /// The model and the files that it refers to.
    fn inputs(&self) -> Vec<Value> {
        let report = self.report();
        let input = |path: &str, bytes: u64, hash: &blake3::Hash| json!({ "path": path, "bytes": bytes, "blake3": hash.to_hex().as_str() });
        let model = input(&self.input, report.source_length, &report.source_hash);
        let others = report.inputs.iter().map(|other| input(&other.name, other.length, &other.hash));
        [model].into_iter().chain(others).collect()
    }

    fn json(&self) -> Value {
        let report = self.report();
        let seconds: Map<String, Value> =
            self.stages().into_iter().map(|(stage, seconds)| (stage.to_owned(), json!(seconds))).collect();
        let trees: Vec<Value> = (report.trees.iter().zip(&report.tree_bytes))
            .map(|(tree, bytes)| report::tree(tree, *bytes, report.triangles))
            .collect();
        json!({
            "inputs": self.inputs(),
            "output": self.output,
            "bytes": self.bytes(),
            "blake3": crate::file::hash(&self.compiled.bytes).to_hex().as_str(),
            "bytes_per_triangle": self.bytes_per_triangle(),
            "options": self.options.text(report.steps),
            "quality": self.options.quality.name(),
            "steps": report.steps,
            "layout": self.options.layout.name(),
            "position_error": report.position_error,
            "obb": self.options.obb.as_ref().map(obb_object),
            "samples": self.options.samples,
            "kdop": self.options.kdop.as_ref().map(kdop_object),
            "swept": self.options.swept.map(Cores::name),
            "counts": {
                "faces": report.source_faces,
                "vertices": report.vertices,
                "triangles": report.triangles,
                "source_vertices": report.source_vertices,
            },
            "dropped": { "triangles": report.dropped.triangles, "faces": report.dropped.faces },
            "fans": report.fans,
            "ignored": report.ignored,
            "welded": report.welded,
            "warnings": report.warnings,
            "trees": trees,
            "seconds": seconds,
        })
    }
}

/// How the tree of oriented boxes was built.
fn obb_object(options: &obb::Options) -> Value {
    json!({
        "fit": options.fit.name(),
        "objective": options.objective.name(),
        "split": options.split.name(),
        "leaf_size": options.leaf_size,
        "seed": options.seed,
    })
}

/// How the tree of k-DOPs was built.
fn kdop_object(options: &kdop::Options) -> Value {
    json!({ "k": options.k, "tables": options.tables.name(), "split": options.split.name() })
}
