//! What there is to say of a compiled model, as text and as JSON.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bvhc_format::swept::Cores;
use serde_json::{Map, Value, json};

use crate::cli::depfile::Rule;
use crate::cli::file;
use crate::cli::report::{self, Changes};
use crate::cli::text::{one_line, tell};
use crate::compile::{Options, Report};
use crate::count::{counted, grouped};
use crate::import::Folder;
use crate::layout::EdgeCounts;
use crate::pair::kdop;
use crate::pair::obb;

/// A model that was compiled.
pub(super) struct Summary {
    pub(super) model: PathBuf,
    /// The output's name in messages.
    pub(super) output: String,
    /// What the output depends on.
    pub(super) rule: Rule,
    pub(super) facts: Facts,
    pub(super) warnings: Vec<String>,
    pub(super) times: Times,
}

/// How long the parts of a task took that the compiler does not know.
pub(super) struct Times {
    pub(super) reading: Duration,
    pub(super) writing: Duration,
    pub(super) total: Duration,
}

/// What depends on nothing but model and options, and the times of the stages.
pub(super) struct Facts {
    pub(super) json: Value,
    /// The options in words, if time decided them.
    reproduction: Option<String>,
    /// Whether the file comes from the cache.
    pub(super) is_cached: bool,
}

impl Facts {
    /// The facts of a cached file.
    pub(super) fn cached(json: Value) -> Self {
        Self { json, reproduction: None, is_cached: true }
    }

    /// The facts of a file of so many bytes with this hash.
    pub(super) fn of(report: &Report, (bytes, hash): (u64, blake3::Hash), options: &Options) -> Self {
        let input =
            |bytes: u64, hash: &blake3::Hash| json!({ "bytes": bytes, "blake3": hash.to_hex().as_str() });
        let mut inputs = vec![input(report.source_length, &report.source_hash)];
        for other in &report.inputs {
            let mut value = input(other.length, &other.hash);
            value["name"] = json!(other.name);
            inputs.push(value);
        }
        let trees: Vec<Value> = (report.trees.iter().zip(&report.tree_bytes))
            .map(|(tree, bytes)| report::tree(tree, *bytes, report.triangles))
            .collect();
        let seconds: Map<String, Value> = report
            .seconds
            .iter()
            .map(|(stage, time)| (stage.name().to_owned(), json!(time.as_secs_f64())))
            .collect();
        let json = json!({
            "inputs": inputs,
            "output": null,
            "bytes": bytes,
            "blake3": hash.to_hex().as_str(),
            "bytes_per_triangle": bytes as f64 / report.triangles as f64,
            "options": options.text(report.steps),
            "quality": options.quality.name(),
            "steps": report.steps,
            "layout": options.layout.name(),
            "position_error": report.position_error,
            "obb": options.obb.as_ref().map(obb_object),
            "samples": options.samples,
            "kdop": options.kdop.as_ref().map(kdop_object),
            "swept": options.swept.map(Cores::name),
            "counts": {
                "faces": report.source_faces,
                "vertices": report.vertices,
                "triangles": report.triangles,
                "source_vertices": report.source_vertices,
            },
            "edges": report::edges(&report.edges),
            "intersecting_triangles": report.intersecting,
            "dropped": { "triangles": report.dropped.triangles, "faces": report.dropped.faces },
            "fans": report.fans,
            "ignored": report.ignored,
            "welded": options.placement.weld.map(|_| report.welded),
            "warnings": report.warnings,
            "trees": trees,
            "cached": false,
            "seconds": seconds,
        });
        let reproduction = options.obb_time.map(|_| options.text(report.steps));
        Self { json, reproduction, is_cached: false }
    }

    /// What to warn of: what the importer found, and the reason why other systems refuse the output's name.
    pub(super) fn warnings(&self, reserved: Option<&str>) -> Vec<String> {
        let imported = self.json["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let of_name = reserved.map(|reason| format!("the output's file name {reason}"));
        imported.map(str::to_owned).chain(of_name).collect()
    }

    /// The paths of the files that a model refers to.
    pub(super) fn others_of(&self, model: &Path) -> Vec<PathBuf> {
        let Folder(folder) = Folder::of(model);
        let inputs = self.json["inputs"].as_array().into_iter().flatten();
        inputs.filter_map(|input| input["name"].as_str()).map(|name| folder.join(name)).collect()
    }

    /// All files that were read, by paths that lead there from the current folder.
    pub(super) fn paths(&self, model: &Path) -> Vec<PathBuf> {
        let own = (!file::is_standard(model)).then(|| model.to_owned());
        own.into_iter().chain(self.others_of(model)).collect()
    }

    fn number(&self, path: &str) -> u64 {
        self.json.pointer(path).and_then(Value::as_u64).unwrap_or(0)
    }
}

impl Summary {
    /// The model and the files that it refers to.
    fn inputs(&self) -> Vec<Value> {
        let Folder(folder) = Folder::of(&self.model);
        let inputs = self.facts.json["inputs"].as_array().into_iter().flatten();
        let with_path = |input: &Value| {
            let path = match input["name"].as_str() {
                Some(name) => folder.join(name).display().to_string(),
                None => file::input_name(&self.model),
            };
            let mut value = json!({ "path": path });
            for field in ["name", "bytes", "blake3"] {
                if let Some(content) = input.get(field) {
                    value[field] = content.clone();
                }
            }
            value
        };
        inputs.map(with_path).collect()
    }

    pub(super) fn json(&self) -> Value {
        let mut json = self.facts.json.clone();
        json["inputs"] = json!(self.inputs());
        json["output"] = json!(self.output);
        json["warnings"] = json!(self.warnings);
        json["cached"] = json!(self.facts.is_cached);
        json["seconds"] = json!(self.stages().into_iter().collect::<Map<_, _>>());
        json
    }

    /// All stages with their seconds, in order. Files from the cache have no stages of the compiler.
    fn stages(&self) -> Vec<(String, Value)> {
        let time = |name: &str, time: Duration| (name.to_owned(), json!(time.as_secs_f64()));
        let mut stages = vec![time("read", self.times.reading)];
        if !self.facts.is_cached {
            let compiled = self.facts.json["seconds"].as_object().into_iter().flatten();
            stages.extend(compiled.map(|(stage, seconds)| (stage.clone(), seconds.clone())));
        }
        stages.push(time("write", self.times.writing));
        stages.push(time("total", self.times.total));
        stages
    }

    /// Prints the human-readable summary.
    pub(super) fn tell(&self, is_verbose: bool) {
        let (facts, name) = (&self.facts, file::input_name(&self.model));
        for warning in &self.warnings {
            tell(&format!("warning: {name}: {}", one_line(warning)));
        }
        tell(&format!(
            "{name}: {}, {} -> {}: {} ({:.1} a triangle) in {:.2} s{}",
            counted(facts.number("/counts/faces"), "face"),
            counted(facts.number("/counts/triangles"), "triangle"),
            self.output,
            counted(facts.number("/bytes"), "byte"),
            facts.json["bytes_per_triangle"].as_f64().unwrap_or(0.0),
            self.times.total.as_secs_f64(),
            if facts.is_cached { ", from the cache" } else { "" },
        ));
        self.tell_changes();
        if facts.json["steps"].is_u64() {
            tell(&format!("optimised in {}", counted(facts.number("/steps"), "step")));
        }
        if let Some(options) = &facts.reproduction {
            tell(&format!("the same file again: {options}"));
        }
        if facts.json["layout"] == "small" {
            let error = facts.json["position_error"].as_f64().unwrap_or(0.0);
            tell(&format!("vertices moved by up to {error:e} on each axis"));
        }
        if is_verbose {
            self.tell_details();
        }
    }

    /// What is other than in the source.
    fn tell_changes(&self) {
        let facts = &self.facts;
        if let Some(welded) = facts.json["welded"].as_u64() {
            tell(&format!("welded {} to others", counted(welded, "vertex")));
        }
        let ignored = facts.json["ignored"].as_object().into_iter().flatten();
        report::tell_changes(&Changes {
            ignored: ignored.map(|(what, count)| (what.as_str(), count.as_u64().unwrap_or(0))).collect(),
            triangles: facts.number("/dropped/triangles"),
            faces: facts.number("/dropped/faces"),
            fans: facts.number("/fans"),
        });
    }

    fn tell_details(&self) {
        for (stage, seconds) in self.stages() {
            tell(&format!("{stage:>13} {:9.3} s", seconds.as_f64().unwrap_or(0.0)));
        }
        let facts = &self.facts;
        for tree in facts.json["trees"].as_array().into_iter().flatten() {
            let whole = |field: &str| tree[field].as_u64().unwrap_or(0);
            let real = |field: &str| tree[field].as_f64().unwrap_or(0.0);
            let kind = whole("kind") as u32;
            tell(&format!(
                "{}: {}, {} deep, {}, cost {:.2}, nodes {:.0}% full, {} {:.0}% full, {:.1} bytes a triangle",
                report::kind_name(kind),
                counted(whole("nodes"), "node"),
                counted(whole("depth"), "level"),
                counted(whole("leaves"), report::leaf_noun(kind)),
                real("sah_cost"),
                real("node_fill") * 100.0,
                report::leaf_nouns(kind),
                real("block_fill") * 100.0,
                real("bytes_per_triangle"),
            ));
        }
        tell(&format!("{} distinct positions", grouped(facts.number("/counts/vertices"))));
        let edges = |kind: &str| facts.number(&format!("/edges/{kind}"));
        tell(&report::surface(&EdgeCounts {
            edges: edges("all"),
            open: edges("open"),
            flipped: edges("flipped"),
            branching: edges("branching"),
            boundary: edges("boundary"),
        }));
        if let Some(triangles) = facts.json["intersecting_triangles"].as_u64() {
            tell(&report::intersections(triangles));
        }
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
