//! From a scene to a file: compiles each different mesh once, makes the section of the world, and plans the file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::slice;
use std::time::Duration;

use bvhc_format::header::{MAX_SECTIONS, SectionEntry};
use bvhc_format::record::InputFile;
use bvhc_format::section::{LinkedMeshes, World};
use bvhc_format::world::{Instance, LinkedMesh, instance_id};
use bvhc_format::{MAX_COORDINATE, NONE};

use super::cache::MeshCache;
use super::error::WorldCompileError;
use super::linked::{self, LinkFault};
use super::meshes::{MadeMesh, MeshFile, Meshes};
use super::place;
use super::scene::{Content, Leftovers, Scene, SceneInstance};
use super::tree::{self, MeshBoxes, WorldTree};
use crate::compile::{Options, Progress, Stage, on_threads};
use crate::count::counted_plural;
use crate::file::{self, Bytes, Elsewhere, Payload, Plan, Planned, Section};
use crate::import::{Files, Input, OtherInput, ReadSeek};
use crate::mesh::Dropped;
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
    /// The compiled files that were linked, each with the hash in its header instead of that of its bytes.
    pub linked: Vec<OtherInput>,
    /// What may be other than the source's author expects.
    pub warnings: Vec<String>,
    /// How many things of each kind, named in the plural, were ignored as they are no faces.
    pub ignored: BTreeMap<&'static str, u64>,
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
    /// What was dropped from it now: nothing from one that was compiled already.
    pub dropped: Dropped,
    /// Its faces whose edges cross or touch, as far as it was compiled now: their triangles are a fan, and may overlap.
    pub fans: u64,
    /// The bytes that it takes.
    pub bytes: u64,
    /// Whether it comes from a [`MeshCache`].
    pub is_cached: bool,
}

/// Scales beyond this and its inverse are refused (FORMAT.md, W6): 2^40.
const LARGEST_SCALE: f64 = (1u64 << 40) as f64;

/// Where the meshes of a world are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meshing {
    /// In its file.
    Whole,
    /// In files of their own.
    Thin,
}

/// How meshes are made.
pub(super) struct Making<'a> {
    pub(super) options: &'a Options,
    pub(super) progress: &'a dyn Progress,
    pub(super) cache: Option<&'a dyn MeshCache>,
}

/// Compiles a scene, up to the copying of meshes.
pub(super) fn assemble<'a>(
    mut scene: Scene,
    source: &Input<'a>,
    meshing: Meshing,
    making: &Making<'_>,
) -> Result<LinkedWorld<'a>, WorldCompileError> {
    let options = making.options;
    if (options.placement.axes, options.placement.scale) != (Axes::default(), 1.0) {
        return Err(WorldCompileError::Placement);
    }
    if scene.instances.is_empty() {
        return Err(no_instance(scene, source));
    }
    if meshing == Meshing::Thin {
        check_compiled(&scene, source)?;
    }
    let (made, mut records) = make(&mut scene, source, making)?;
    if scene.instances.is_empty() {
        return Err(no_instance(scene, source));
    }
    let by_id = by_id(&records, &scene.instances, source.name)?;
    let check = |records: &[Instance]| check_bounds(records, &scene.instances, source.name);
    let tree = on_threads(options, || {
        let mut boxes: Vec<MeshBoxes<'_>> = made.iter().map(|made| boxes(made, meshing)).collect();
        tree::build(&mut records, &mut boxes, &check, &|number, mesh| load(&made[number], mesh, source.files))
    })?;
    let text = match meshing {
        Meshing::Whole => options.text(None),
        Meshing::Thin => "--thin".to_owned(),
    };
    let section = section(&scene, &records, &by_id, &tree, source, &text);
    finish(scene, made, section, &tree, source, meshing)
}

fn no_instance(scene: Scene, source: &Input<'_>) -> WorldCompileError {
    let ignored =
        scene.ignored.iter().map(|(what, count)| format!("ignored {}", counted_plural(*count, what)));
    let warnings = scene.warnings.into_iter().chain(ignored).collect();
    WorldCompileError::NoInstance { file: source.name.to_owned(), warnings }
}

/// The meshes of a scene, and the records of its instances, without their bounds. Drops instances that show nothing, if they may
/// be.
fn make(
    scene: &mut Scene,
    source: &Input<'_>,
    making: &Making<'_>,
) -> Result<(Vec<MadeMesh>, Vec<Instance>), WorldCompileError> {
    let mut meshes = Meshes::of(scene, source, making)?;
    let mut records = Vec::with_capacity(scene.instances.len());
    let mut shown = Vec::with_capacity(scene.instances.len());
    for instance in &scene.instances {
        let mesh = meshes.number_of(instance, scene.leftovers)?;
        shown.push(mesh.is_some());
        if let Some(mesh) = mesh {
            records.push(record(instance, mesh, source.name)?);
        }
    }
    if scene.leftovers == Leftovers::Keep {
        meshes.add_others()?;
    }
    let (made, of_meshes) = (meshes.made, meshes.warnings);
    let mut shown = shown.into_iter();
    let warnings = &mut scene.warnings;
    warnings.extend(of_meshes);
    scene.instances.retain(|instance| {
        let is_shown = shown.next() == Some(true);
        if !is_shown {
            warnings.push(super::left_out(&instance.name));
        }
        is_shown
    });
    Ok((made, records))
}

/// Refuses meshes that are not compiled.
fn check_compiled(scene: &Scene, source: &Input<'_>) -> Result<(), WorldCompileError> {
    match scene.meshes.iter().find(|mesh| !matches!(mesh.content, Content::Compiled(_))) {
        Some(mesh) => {
            Err(WorldCompileError::NotCompiled { file: source.name.to_owned(), mesh: mesh.name.clone() })
        }
        None => Ok(()),
    }
}

/// What the tree needs of a mesh.
fn boxes(made: &MadeMesh, meshing: Meshing) -> MeshBoxes<'_> {
    match (&made.file, made.model()) {
        (MeshFile::Linked(compiled), _) => {
            let has_nodes = meshing == Meshing::Whole;
            MeshBoxes {
                root: place::node_box(&compiled.root),
                has_nodes,
                may_open: has_nodes && !compiled.has_splits,
                nodes: Cow::Borrowed(if has_nodes { slice::from_ref(&*compiled.root) } else { &[] }),
            }
        }
        (MeshFile::Memory(_), model) => {
            let sections = *model.expect("it is in memory").sections();
            let nodes = sections.nodes();
            MeshBoxes {
                root: place::node_box(&nodes[0]),
                has_nodes: true,
                may_open: sections.splits().is_none(),
                nodes: Cow::Borrowed(nodes),
            }
        }
    }
}

/// Reads the nodes of a mesh that is in a file.
fn load(made: &MadeMesh, mesh: &mut MeshBoxes<'_>, files: &dyn Files) -> Result<(), WorldCompileError> {
    if let MeshFile::Linked(compiled) = &made.file {
        let fault = |fault| WorldCompileError::Link { file: compiled.file.clone(), fault };
        mesh.nodes = Cow::Owned(compiled.nodes(files).map_err(fault)?);
    }
    Ok(())
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
    options: &str,
) -> Section {
    let names = NameTable::of(scene.instances.iter().map(|instance| instance.name.as_str()));
    let all_inputs = || scene.inputs.iter().chain(&scene.linked);
    let input_names = NameTable::of(all_inputs().map(|input| input.name.as_str()));
    let input = |input: &OtherInput| InputFile { hash: *input.hash.as_bytes(), length: input.length };
    let inputs: Vec<InputFile> = all_inputs().map(input).collect();
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
        options: options.as_bytes(),
    });
    Section { mesh: NONE, ..section }
}

/// Plans the file of the meshes, or of what is to be said of them, and the world.
fn finish<'a>(
    scene: Scene,
    made: Vec<MadeMesh>,
    section: Section,
    tree: &WorldTree,
    source: &Input<'a>,
    meshing: Meshing,
) -> Result<LinkedWorld<'a>, WorldCompileError> {
    let mut seconds: Vec<(Stage, Duration)> = Vec::new();
    for (stage, time) in made.iter().flat_map(|made| &made.seconds) {
        match seconds.iter_mut().find(|(known, _)| known == stage) {
            Some((_, sum)) => *sum += *time,
            None => seconds.push((*stage, *time)),
        }
    }
    let mut sections = match meshing {
        Meshing::Whole => made.iter().enumerate().flat_map(|(mesh, made)| planned(mesh, made)).collect(),
        Meshing::Thin => vec![Planned::from(linked_meshes(&made))],
    };
    sections.push(Planned::from(section));
    if sections.len() > MAX_SECTIONS as usize {
        return Err(WorldCompileError::Sections { file: source.name.to_owned(), found: sections.len() });
    }
    let plan = Plan::of(sections);
    let is_baked = |instance: &&SceneInstance| instance.baked.is_some();
    let report = WorldReport {
        source_hash: file::hash(source.bytes),
        source_length: source.bytes.len() as u64,
        inputs: scene.inputs,
        linked: scene.linked,
        warnings: scene.warnings,
        ignored: scene.ignored,
        instances: scene.instances.len() as u32,
        baked: scene.instances.iter().filter(is_baked).map(|instance| instance.name.clone()).collect(),
        leaves: tree.leaves.len() as u32,
        nodes: tree.nodes.len() as u32,
        meshes: made.iter().map(|made| made.report.clone()).collect(),
        seconds,
    };
    Ok(LinkedWorld { report, plan, made, files: source.files })
}

/// The sections of a mesh, which are in its own file.
fn planned(mesh: usize, made: &MadeMesh) -> Vec<Planned> {
    let planned = |entry: &SectionEntry| {
        let SectionEntry { kind, version, flags, offset, length, hash, .. } = *entry;
        let payload = Payload::Elsewhere(Elsewhere { file: mesh, kind, offset, length, hash });
        Planned { kind, version, flags, mesh: mesh as u32, hash, payload }
    };
    match (&made.file, made.model()) {
        (MeshFile::Linked(compiled), _) => compiled.entries.iter().map(planned).collect(),
        (MeshFile::Memory(_), model) => {
            let sections = *model.expect("it is in memory").sections();
            sections.entries().map(|(entry, _)| planned(&entry)).collect()
        }
    }
}

/// The section of the meshes of a thin world.
fn linked_meshes(made: &[MadeMesh]) -> Section {
    let record = |made: &MadeMesh| match &made.file {
        MeshFile::Linked(compiled) => compiled.record,
        MeshFile::Memory(_) => unreachable!("all meshes are compiled files, as was checked"),
    };
    let meshes: Vec<LinkedMesh> = made.iter().map(record).collect();
    let names = NameTable::of(made.iter().map(|made| made.report.name.as_str()));
    let section = Section::new(&LinkedMeshes { meshes: &meshes, names: names.names() });
    Section { mesh: NONE, ..section }
}

/// A world that is compiled but for the copying of its meshes: these stay where they are until it is written, so that linking
/// takes the memory of the instances, and of the nodes of those meshes whose instances overlap.
pub struct LinkedWorld<'a> {
    report: WorldReport,
    plan: Plan,
    made: Vec<MadeMesh>,
    files: &'a dyn Files,
}

impl LinkedWorld<'_> {
    /// How it is made.
    pub fn report(&self) -> &WorldReport {
        &self.report
    }

    /// The bytes of the file.
    pub fn length(&self) -> u64 {
        self.plan.length
    }

    /// The hash in the header of the file, which covers all of it.
    pub fn hash(&self) -> blake3::Hash {
        self.plan.hash()
    }

    /// Writes the file. The hashes of compiled meshes are checked as they are copied.
    ///
    /// # Errors
    /// Those of `out`, and those of reading compiled meshes, which are a [`WorldCompileError`] within the error: what was written
    /// is then of no use.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut copier = Copier { made: &self.made, files: self.files, open: None, buffer: Vec::new() };
        self.plan.write(out, &mut |section, out| copier.copy(section, out))
    }

    /// The whole file in memory.
    pub(super) fn into_compiled(self) -> Result<CompiledWorld, WorldCompileError> {
        let mut bytes = Bytes::new();
        let written = linked::check_memory(self.plan.length).and_then(|length| {
            bytes.reserve(length);
            self.write_to(&mut bytes)
        });
        // Memory can be written to, so an error is one of a mesh, or there is too little.
        written.map_err(|error| match error.downcast::<WorldCompileError>() {
            Ok(error) => error,
            Err(error) => WorldCompileError::Link { file: String::new(), fault: LinkFault::Read(error) },
        })?;
        Ok(CompiledWorld { bytes, report: self.report })
    }
}

/// Copies sections of meshes, which come mesh by mesh.
struct Copier<'a> {
    made: &'a [MadeMesh],
    files: &'a dyn Files,
    /// The file that is open, and the number of its mesh.
    open: Option<(usize, Box<dyn ReadSeek>)>,
    buffer: Vec<u8>,
}

impl Copier<'_> {
    fn copy(&mut self, section: &Elsewhere, out: &mut dyn Write) -> io::Result<()> {
        let compiled = match &self.made[section.file].file {
            MeshFile::Memory(bytes) => {
                return out.write_all(&bytes[section.offset as usize..][..section.length as usize]);
            }
            MeshFile::Linked(compiled) => compiled,
        };
        let fault = |fault| io::Error::other(WorldCompileError::Link { file: compiled.file.clone(), fault });
        let file = match self.open.take_if(|(number, _)| *number == section.file) {
            Some((_, file)) => file,
            None => {
                let mut file = self.files.open(&compiled.file).map_err(|error| fault(error.into()))?;
                let is_same = compiled.is_in(&mut *file).map_err(|error| fault(error.into()))?;
                if is_same { file } else { return Err(fault(LinkFault::Changed)) }
            }
        };
        let (_, file) = self.open.insert((section.file, file));
        linked::copy(&mut **file, section, &mut self.buffer, out, &fault)
    }
}
