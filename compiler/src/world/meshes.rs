//! The meshes of a scene's instances, each different one compiled, or linked, once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use bvhc_format::MAX_COORDINATE;
use bvhc_runtime::Model as OpenModel;

use super::assemble::{Making, MeshReport};
use super::cache::CachedMesh;
use super::error::WorldCompileError;
use super::linked::CompiledMesh;
use super::scene::{Content, Leftovers, Linear, Model, Scene, SceneInstance, SceneMesh};
use crate::clean::CleanError;
use crate::compile::{CompileError, Options, Report, Stage, compile_imported, key_of_imported};
use crate::file::Bytes;
use crate::import::{Input, Notes, most_made};
use crate::mesh::{Dropped, Polygons};

/// A mesh of the world.
pub(super) struct MadeMesh {
    pub(super) file: MeshFile,
    pub(super) report: MeshReport,
    pub(super) seconds: Vec<(Stage, Duration)>,
}

/// Where the compiled file of a mesh is.
pub(super) enum MeshFile {
    Memory(Bytes),
    Linked(CompiledMesh),
}

/// The index of a mesh in its scene, and what becomes of its vertices.
type Variant = (usize, Option<[[u64; 3]; 3]>);

/// An instance for which a mesh's vertices are changed, and how.
type Baked<'a> = Option<(&'a SceneInstance, Linear)>;

/// Compiles meshes when they are first needed: those of instances come first, in their order.
pub(super) struct Meshes<'a> {
    scene: &'a [SceneMesh],
    /// The name of the source in messages.
    file: &'a str,
    making: &'a Making<'a>,
    /// For each mesh of the scene the first one that is equal, whatever their names and files.
    first_equal: Vec<usize>,
    /// `None` where there are no triangles.
    by_variant: HashMap<Variant, Option<u32>>,
    /// By the hash in a compiled file's header, which covers all of it.
    by_file: HashMap<blake3::Hash, u32>,
    pub(super) made: Vec<MadeMesh>,
    /// What may be other than the source's author expects.
    pub(super) warnings: Vec<String>,
    /// The bytes of those that are in memory.
    held: u64,
}

impl<'a> Meshes<'a> {
    /// The meshes of a scene; checks how much its instances make of the files.
    pub(super) fn of(
        scene: &'a Scene,
        source: &Input<'a>,
        making: &'a Making<'a>,
    ) -> Result<Self, WorldCompileError> {
        let meshes = Self {
            scene: &scene.meshes,
            file: source.name,
            making,
            first_equal: first_equal(&scene.meshes),
            by_variant: HashMap::new(),
            by_file: HashMap::new(),
            made: Vec::new(),
            warnings: Vec::new(),
            held: 0,
        };
        meshes.check_baked(scene, source)?;
        Ok(meshes)
    }

    /// Checks the sum of the meshes that are made because instances change vertices, before any is made.
    fn check_baked(&self, scene: &Scene, source: &Input<'_>) -> Result<(), WorldCompileError> {
        let bytes = source.bytes.len() as u64 + scene.inputs.iter().map(|input| input.length).sum::<u64>();
        let (most, mut made, mut variants) = (most_made(bytes), 0, HashSet::new());
        for instance in scene.instances.iter().filter(|instance| instance.baked.is_some()) {
            let variant = self.variant(instance);
            if variants.insert(variant) {
                let Content::Imported(model) = &self.scene[variant.0].content else { continue };
                let polygons = &model.imported.polygons;
                made += (polygons.positions.len() + polygons.corners.len()) as u64;
            }
            if made > most {
                let (file, name) = (source.name.to_owned(), instance.name.clone());
                return Err(WorldCompileError::TooMuchBaked { file, name, most, bytes });
            }
        }
        Ok(())
    }

    fn variant(&self, instance: &SceneInstance) -> Variant {
        (self.first_equal[instance.mesh], instance.baked.map(|linear| linear.key()))
    }

    /// The number of an instance's mesh in the file; `None` if it has no triangles and may be left out.
    pub(super) fn number_of(
        &mut self,
        instance: &SceneInstance,
        leftovers: Leftovers,
    ) -> Result<Option<u32>, WorldCompileError> {
        let variant = self.variant(instance);
        if let Some(known) = self.by_variant.get(&variant) {
            return Ok(*known);
        }
        let number = match self.make(instance.mesh, instance.baked.map(|linear| (instance, linear))) {
            Ok(number) => Some(number),
            Err(WorldCompileError::Compile(CompileError::Clean(CleanError::NoTriangle { .. })))
                if leftovers == Leftovers::Drop =>
            {
                None
            }
            Err(error) => return Err(error),
        };
        self.by_variant.insert(variant, number);
        Ok(number)
    }

    /// Adds the meshes that no instance has.
    pub(super) fn add_others(&mut self) -> Result<(), WorldCompileError> {
        let mut known: HashSet<usize> = self.by_variant.keys().map(|(mesh, _)| *mesh).collect();
        for mesh in 0..self.scene.len() {
            let first = self.first_equal[mesh];
            if known.insert(first) {
                self.make(first, None)?;
            }
        }
        Ok(())
    }

    /// Makes a mesh, with its vertices changed for an instance if they are to be.
    fn make(&mut self, mesh: usize, baked: Baked<'_>) -> Result<u32, WorldCompileError> {
        let mesh = &self.scene[mesh];
        match &mesh.content {
            Content::Imported(model) => self.compile(mesh, model, baked),
            Content::Compiled(compiled) => Ok(self.link(mesh, compiled)),
        }
    }

    /// Compiles a mesh or takes it from the cache, unless its file is one that there is already.
    fn compile(
        &mut self,
        mesh: &SceneMesh,
        model: &Model,
        baked: Baked<'_>,
    ) -> Result<u32, WorldCompileError> {
        let key = self.making.cache.map(|cache| {
            let change = baked.map_or_else(Vec::new, |(_, linear)| linear.key().as_flattened().to_vec());
            (cache, key_of_imported(&model.imported, model.source, &change, self.making.options))
        });
        let opens = |mesh: &CachedMesh| OpenModel::from_bytes(&mesh.bytes).is_ok();
        if let Some(cached) = key.and_then(|(cache, key)| cache.get(&key)).filter(opens) {
            return Ok(self.add_compiled(mesh, cached, Vec::new(), true));
        }
        let (made, seconds) = self.build(mesh, model, baked)?;
        if let Some((cache, key)) = key {
            cache.put(&key, &made);
        }
        Ok(self.add_compiled(mesh, made, seconds, false))
    }

    /// Compiles a mesh.
    fn build(
        &self,
        mesh: &SceneMesh,
        model: &Model,
        baked: Baked<'_>,
    ) -> Result<(CachedMesh, Vec<(Stage, Duration)>), WorldCompileError> {
        let Making { options, progress, .. } = *self.making;
        let mut imported = model.imported.clone();
        imported.notes = Notes::default();
        let name = format!("{}: mesh {:?}", self.file, mesh.name);
        let memory_limit = options.memory_limit.map(|limit| limit.saturating_sub(self.held));
        let options = Options { memory_limit, ..options.clone() };
        // After vertices are welded, so that distances mean the same as where an instance has the scale.
        let change = |polygons: &mut Polygons| match baked {
            Some((instance, linear)) if !bake(polygons, &linear) => {
                let (file, name) = (self.file.to_owned(), instance.name.clone());
                Err(WorldCompileError::TooFar { file, name })
            }
            _ => Ok(()),
        };
        progress.mesh(&mesh.name);
        let compiled = compile_imported(imported, model.source, &name, &options, progress, change)?;
        let Report { dropped, fans, warnings, seconds, .. } = compiled.report;
        Ok((CachedMesh { bytes: compiled.bytes, dropped, fans, warnings }, seconds))
    }

    /// Adds a mesh that is in memory.
    fn add_compiled(
        &mut self,
        mesh: &SceneMesh,
        CachedMesh { bytes, dropped, fans, warnings }: CachedMesh,
        seconds: Vec<(Stage, Duration)>,
        is_cached: bool,
    ) -> u32 {
        let model = OpenModel::from_bytes(&bytes).expect(OPENS);
        let (hash, triangles) = (model.sections().header().hash, model.triangle_count());
        let length = bytes.len() as u64;
        self.warnings.extend(warnings.iter().map(|warning| format!("mesh {:?}: {warning}", mesh.name)));
        let report =
            MeshReport { name: mesh.name.clone(), triangles, dropped, fans, bytes: length, is_cached };
        self.add(hash.into(), MadeMesh { file: MeshFile::Memory(bytes), report, seconds })
    }

    /// Takes a compiled mesh, unless its file is one that there is already.
    fn link(&mut self, mesh: &SceneMesh, compiled: &CompiledMesh) -> u32 {
        let report = MeshReport {
            name: mesh.name.clone(),
            triangles: compiled.record.triangles,
            dropped: Dropped::default(),
            fans: 0,
            bytes: compiled.record.length,
            is_cached: false,
        };
        let file = MeshFile::Linked(compiled.clone());
        self.add(compiled.hash, MadeMesh { file, report, seconds: Vec::new() })
    }

    fn add(&mut self, hash: blake3::Hash, mesh: MadeMesh) -> u32 {
        let new = self.made.len() as u32;
        let number = *self.by_file.entry(hash).or_insert(new);
        if number == new {
            if let MeshFile::Memory(bytes) = &mesh.file {
                self.held += bytes.len() as u64;
            }
            self.made.push(mesh);
        }
        number
    }
}

/// What may be relied on.
pub(super) const OPENS: &str = "what the compiler makes can be opened, and what a cache gives was tried";

impl MadeMesh {
    /// The file, if it was compiled just now.
    pub(super) fn model(&self) -> Option<OpenModel<'_>> {
        match &self.file {
            MeshFile::Memory(bytes) => Some(OpenModel::from_bytes(bytes).expect(OPENS)),
            MeshFile::Linked(_) => None,
        }
    }
}

/// For each mesh the first one that is equal: of equal polygons of an equal source, or the same compiled file. Cost: each mesh is
/// hashed and compared once. (A mesh whose hash is that of a different one is taken as new; it is found equal when it is
/// compiled, if it is.)
fn first_equal(meshes: &[SceneMesh]) -> Vec<usize> {
    let mut by_hash = HashMap::new();
    let first = |(index, mesh): (usize, &SceneMesh)| {
        let first: usize = *by_hash.entry(hash_of(mesh)).or_insert(index);
        let is_equal = match (&meshes[first].content, &mesh.content) {
            (Content::Imported(one), Content::Imported(other)) => one == other,
            (Content::Compiled(one), Content::Compiled(other)) => one.hash == other.hash,
            _ => false,
        };
        if is_equal { first } else { index }
    };
    meshes.iter().enumerate().map(first).collect()
}

fn hash_of(mesh: &SceneMesh) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &mesh.content {
        Content::Compiled(compiled) => compiled.hash.as_bytes().hash(&mut hasher),
        Content::Imported(model) => {
            let Polygons { positions, corners, ends, .. } = &model.imported.polygons;
            for position in positions {
                position.map(f32::to_bits).hash(&mut hasher);
            }
            (model.source.0.as_bytes(), corners, ends).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Applies a linear map to vertices, in f64 and rounded once. Fronts stay fronts. Returns whether all vertices are within the limit.
fn bake(polygons: &mut Polygons, linear: &Linear) -> bool {
    for position in &mut polygons.positions {
        *position = linear.apply(position.map(f64::from)).map(|x| x as f32);
    }
    if linear.determinant() < 0.0 {
        match polygons.reversals.first() {
            Some(0) => drop(polygons.reversals.remove(0)),
            _ => polygons.reversals.insert(0, 0),
        }
    }
    polygons.positions.as_flattened().iter().all(|x| x.abs() <= MAX_COORDINATE)
}
