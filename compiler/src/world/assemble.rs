//! From a scene to a file: compiles each different mesh once, and writes the section of the world.

use std::time::Duration;

use bvhc_format::record::InputFile;
use bvhc_format::section::World;
use bvhc_format::world::{Instance, instance_id};
use bvhc_format::{MAX_COORDINATE, NONE};
use bvhc_runtime::Model;

use super::error::WorldCompileError;
use super::meshes::{MadeMesh, Meshes};
use super::scene::{Scene, SceneInstance};
use super::tree::{self, WorldTree};
use crate::compile::{Options, Progress, Stage};
use crate::file::{self, Bytes, Section};
use crate::import::{Input, OtherInput};
use crate::placement::Axes;
use crate::section::NameTable;

/// A compiled world and its report.
pub struct CompiledWorld {
    /// The file.
    pub bytes: Bytes,
    /// How it was made.
    pub report: WorldReport,
}

/// What the compilation of a world did.
#[derive(Clone, Debug)]
pub struct WorldReport {
    /// BLAKE3 of the source.
    pub source_hash: blake3::Hash,
    /// Length of the source in bytes.
    pub source_length: u64,
    /// The files that the source refers to and that were read.
    pub inputs: Vec<OtherInput>,
    /// What may be other than the source's author expects.
    pub warnings: Vec<String>,
    /// The meshes in the file.
    pub meshes: Vec<MeshReport>,
    /// The number of instances.
    pub instances: u32,
    /// The names of the instances that have meshes of their own, as a transform was applied to the vertices.
    pub baked: Vec<String>,
    /// The leaves of the tree over the instances: more than instances where some are opened.
    pub leaves: u32,
    /// The nodes of that tree.
    pub nodes: u32,
    /// How long each stage took, over all meshes.
    pub seconds: Vec<(Stage, Duration)>,
}

/// A mesh of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshReport {
    /// Its name in the source.
    pub name: String,
    /// Its triangles.
    pub triangles: u64,
    /// The bytes that it takes.
    pub bytes: u64,
}

/// Scales beyond this and its inverse are refused (FORMAT.md, W6): 2^40.
const LARGEST_SCALE: f64 = (1u64 << 40) as f64;

/// Compiles a scene.
pub(super) fn assemble(
    scene: Scene,
    source: &Input<'_>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<CompiledWorld, WorldCompileError> {
    if (options.placement.axes, options.placement.scale) != (Axes::default(), 1.0) {
        return Err(WorldCompileError::Placement);
    }
    if scene.instances.is_empty() {
        return Err(WorldCompileError::NoInstance { file: source.name.to_owned() });
    }
    let mut meshes = Meshes::of(&scene, source, options, progress)?;
    let mut records = Vec::with_capacity(scene.instances.len());
    for instance in &scene.instances {
        let mesh = meshes.number_of(instance)?;
        records.push(record(instance, mesh, source.name)?);
    }
    let made = meshes.made;
    let tree = {
        let opened: Vec<Model<'_>> = made
            .iter()
            .map(|made| Model::from_bytes(&made.bytes).expect("what the compiler makes can be opened"))
            .collect();
        tree::build(&mut records, &opened)
    };
    let by_id = by_id(&records, &scene.instances, source.name)?;
    check_bounds(&records, &scene.instances, source.name)?;
    let section = section(&scene, &records, &by_id, &tree, source, options);
    Ok(finish(scene, made, section, &tree, source))
}

/// The record of an instance, without its bounds.
fn record(instance: &SceneInstance, mesh: u32, file: &str) -> Result<Instance, WorldCompileError> {
    if !(1.0 / LARGEST_SCALE..=LARGEST_SCALE).contains(&instance.scale) {
        return Err(too_far(instance, file));
    }
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    Ok(Instance {
        // A sum with +0 has no -0, so that equal places have equal bytes.
        position: instance.pose.translation().map(|x| x + 0.0),
        rotation: instance.pose.rotation().map(|row| row.map(|x| x + 0.0)),
        scale: instance.scale,
        id: instance_id(&instance.name),
        user: instance.user,
        mesh,
        layers: instance.layers,
        flags: flag(instance.mirrors, Instance::MIRROR) | flag(instance.is_movable, Instance::MOVABLE),
        reserved: 0,
        bounds: [0.0; 6],
    })
}

fn too_far(instance: &SceneInstance, file: &str) -> WorldCompileError {
    WorldCompileError::TooFar { file: file.to_owned(), name: instance.name.clone() }
}

fn check_bounds(
    records: &[Instance],
    instances: &[SceneInstance],
    file: &str,
) -> Result<(), WorldCompileError> {
    let is_within = |record: &Instance| record.bounds.iter().all(|x| x.abs() <= MAX_COORDINATE);
    match records.iter().position(|record| !is_within(record)) {
        Some(at) => Err(too_far(&instances[at], file)),
        None => Ok(()),
    }
}

/// The numbers of all instances, ascending by id.
fn by_id(
    records: &[Instance],
    instances: &[SceneInstance],
    file: &str,
) -> Result<Vec<u32>, WorldCompileError> {
    let id_of = |number: u32| records[number as usize].id;
    let mut by_id: Vec<u32> = (0..records.len() as u32).collect();
    by_id.sort_by_key(|number| id_of(*number));
    match by_id.array_windows().find(|[one, other]| id_of(*one) == id_of(*other)) {
        Some(twice) => Err(WorldCompileError::SameId {
            file: file.to_owned(),
            names: Box::new(twice.map(|number| instances[number as usize].name.clone())),
            id: id_of(twice[0]),
        }),
        None => Ok(by_id),
    }
}

/// The section of the world.
fn section(
    scene: &Scene,
    records: &[Instance],
    by_id: &[u32],
    tree: &WorldTree,
    source: &Input<'_>,
    options: &Options,
) -> Section {
    let names = NameTable::of(scene.instances.iter().map(|instance| instance.name.as_str()));
    let input_names = NameTable::of(scene.inputs.iter().map(|input| input.name.as_str()));
    let input = |input: &OtherInput| InputFile { hash: *input.hash.as_bytes(), length: input.length };
    let inputs: Vec<InputFile> = scene.inputs.iter().map(input).collect();
    let section = Section::new(&World {
        source_hash: *file::hash(source.bytes).as_bytes(),
        source_length: source.bytes.len() as u64,
        bounds: tree.bounds,
        depth: tree.depth,
        reserved: 0,
        nodes: &tree.nodes,
        instances: records,
        leaves: &tree.leaves,
        inputs: &inputs,
        by_id,
        node_layers: &tree.node_layers,
        names: names.names(),
        input_names: input_names.names(),
        compiler: concat!("bvhc ", env!("CARGO_PKG_VERSION")).as_bytes(),
        options: options.text(None).as_bytes(),
    });
    Section { mesh: NONE, ..section }
}

/// Joins the meshes and the world.
fn finish(
    scene: Scene,
    made: Vec<MadeMesh>,
    section: Section,
    tree: &WorldTree,
    source: &Input<'_>,
) -> CompiledWorld {
    let mut seconds: Vec<(Stage, Duration)> = Vec::new();
    for (stage, time) in made.iter().flat_map(|made| &made.seconds) {
        match seconds.iter_mut().find(|(known, _)| known == stage) {
            Some((_, sum)) => *sum += *time,
            None => seconds.push((*stage, *time)),
        }
    }
    let files: Vec<&[u8]> = made.iter().map(|made| &made.bytes[..]).collect();
    let mut sections = file::sections_of(&files).expect("what the compiler makes can be opened");
    sections.push(section);
    let is_baked = |instance: &&SceneInstance| instance.baked.is_some();
    let report = WorldReport {
        source_hash: file::hash(source.bytes),
        source_length: source.bytes.len() as u64,
        inputs: scene.inputs,
        warnings: scene.warnings,
        instances: scene.instances.len() as u32,
        baked: scene.instances.iter().filter(is_baked).map(|instance| instance.name.clone()).collect(),
        leaves: tree.leaves.len() as u32,
        nodes: tree.nodes.len() as u32,
        meshes: made.iter().map(|made| made.report.clone()).collect(),
        seconds,
    };
    CompiledWorld { bytes: file::assemble(sections), report }
}
