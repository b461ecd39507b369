//! Manifests: TOML texts that name meshes and place instances of them.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::sync::Arc;

use bvhc_runtime::Pose;
use toml::Spanned;

use super::error::{ManifestFault, WorldCompileError};
use super::linked;
use super::scene::{Below, Content, Linear, Model, Scene, SceneInstance, SceneMesh};
use super::tables::{self, InstanceTable, MeshTable};
use crate::file;
use crate::import::{self, Input, OtherInput};

/// Reads a manifest and all meshes that it names; each file once.
pub(super) fn read(source: &Input<'_>) -> Result<Scene, WorldCompileError> {
    let place = Place { source };
    if import::is_gltf(source.bytes) {
        return Err(place.fault(0, ManifestFault::Gltf));
    }
    let text = std::str::from_utf8(source.bytes)
        .map_err(|error| place.malformed(error.valid_up_to(), ManifestFault::NotText))?;
    let manifest = tables::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        place.malformed(at, ManifestFault::Toml(error.message().trim().replace('\n', ", ")))
    })?;
    let (by_name, files) = place.mesh_numbers(&manifest.mesh)?;
    let instances = place.instances(&manifest.instance, &by_name)?;
    let mut scene = Scene { instances, ..Scene::default() };
    let mut seen = HashSet::new();
    for mesh in files {
        let content = place.content(mesh, &mut scene, &mut seen)?;
        scene.meshes.push(SceneMesh { name: mesh.name.get_ref().clone(), content });
    }
    place.check_baked(&manifest.instance, &scene)?;
    Ok(scene)
}

/// Where faults are.
struct Place<'a> {
    source: &'a Input<'a>,
}

impl Place<'_> {
    /// A fault at an offset in the text.
    fn fault(&self, at: usize, fault: ManifestFault) -> WorldCompileError {
        let before = &self.source.bytes[..at.min(self.source.bytes.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        WorldCompileError::Manifest { file: self.source.name.to_owned(), line, fault }
    }

    /// A fault of the text, which may be because it is something else.
    fn malformed(&self, at: usize, fault: ManifestFault) -> WorldCompileError {
        match import::instead_of_manifest(self.source.bytes) {
            Some(what) => WorldCompileError::NoManifest { file: self.source.name.to_owned(), what },
            None => self.fault(at, fault),
        }
    }

    fn fault_of<T>(&self, what: &Spanned<T>, fault: ManifestFault) -> WorldCompileError {
        self.fault(what.span().start, fault)
    }

    /// The number of each mesh's file, and the first mesh of each file.
    fn mesh_numbers<'t>(
        &self,
        meshes: &'t [MeshTable],
    ) -> Result<(HashMap<&'t str, usize>, Vec<&'t MeshTable>), WorldCompileError> {
        let (mut numbers, mut by_file, mut files) = (HashMap::new(), HashMap::new(), Vec::new());
        for mesh in meshes {
            let name = mesh.name.get_ref().as_str();
            let number = *by_file.entry(mesh.file.get_ref().as_str()).or_insert_with(|| {
                files.push(mesh);
                files.len() - 1
            });
            if name.is_empty() {
                return Err(self.fault_of(&mesh.name, ManifestFault::NoName));
            }
            if numbers.insert(name, number).is_some() {
                return Err(self.fault_of(&mesh.name, ManifestFault::NameTwice(name.to_owned())));
            }
        }
        Ok((numbers, files))
    }

    fn instances(
        &self,
        tables: &[InstanceTable],
        by_name: &HashMap<&str, usize>,
    ) -> Result<Vec<SceneInstance>, WorldCompileError> {
        let mut names = HashSet::new();
        let mut instances = Vec::with_capacity(tables.len());
        for table in tables {
            let name = table.name.get_ref();
            if name.is_empty() {
                return Err(self.fault_of(&table.name, ManifestFault::NoName));
            }
            if !names.insert(name) {
                return Err(self.fault_of(&table.name, ManifestFault::NameTwice(name.clone())));
            }
            let Some(mesh) = by_name.get(table.mesh.get_ref().as_str()) else {
                let missing = ManifestFault::NoSuchMesh(table.mesh.get_ref().clone());
                return Err(self.fault_of(&table.mesh, missing));
            };
            instances.push(self.instance(table, *mesh)?);
        }
        Ok(instances)
    }

    fn instance(&self, table: &InstanceTable, mesh: usize) -> Result<SceneInstance, WorldCompileError> {
        let (position, rotation, scale) =
            (*table.position.get_ref(), *table.rotation.get_ref(), *table.scale.get_ref());
        let pose =
            Pose::from_quaternion(rotation, position).map_err(|error| {
                match Pose::from_translation(position) {
                    Err(of_position) => self.fault_of(&table.position, of_position.into()),
                    Ok(_) => self.fault_of(&table.rotation, error.into()),
                }
            })?;
        if !(scale.is_finite() && scale > 0.0) {
            return Err(self.fault_of(&table.scale, ManifestFault::Scale(scale)));
        }
        let (instance_scale, mirrors) = if table.bake { (1.0, false) } else { (scale, table.mirror) };
        let is_changed = table.bake && (scale, table.mirror) != (1.0, false);
        Ok(SceneInstance {
            name: table.name.get_ref().clone(),
            mesh,
            baked: is_changed.then(|| Linear::of_scale(scale, table.mirror)),
            pose,
            scale: instance_scale,
            mirrors,
            layers: table.layers,
            user: table.user,
            is_movable: !table.is_static,
        })
    }

    /// Opens the file of a mesh, whatever it is.
    fn content(
        &self,
        mesh: &MeshTable,
        scene: &mut Scene,
        seen: &mut HashSet<OtherInput>,
    ) -> Result<Content, WorldCompileError> {
        let name = mesh.file.get_ref();
        let unreadable = |error: io::Error| {
            let fault = ManifestFault::File { file: name.clone(), reason: import::reason(&error) };
            self.fault_of(&mesh.file, fault)
        };
        let mut file = self.source.files.open(name).map_err(unreadable)?;
        if !linked::is_compiled(&mut *file).map_err(unreadable)? {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(unreadable)?;
            return self.import(mesh, &bytes, scene, seen).map(Content::Imported);
        }
        let compiled = linked::read(&mut *file, name).map_err(|fault| {
            let file = name.clone();
            self.fault_of(&mesh.file, ManifestFault::Link { file, fault: Arc::new(fault) })
        })?;
        let input = OtherInput { name: name.clone(), hash: compiled.hash, length: compiled.record.length };
        scene.linked.push(input);
        Ok(Content::Compiled(compiled))
    }

    /// Reads a model.
    fn import(
        &self,
        mesh: &MeshTable,
        bytes: &[u8],
        scene: &mut Scene,
        seen: &mut HashSet<OtherInput>,
    ) -> Result<Model, WorldCompileError> {
        let name = mesh.file.get_ref();
        let (hash, length) = (file::hash(bytes), bytes.len() as u64);
        let (below, shown) = (Below::of(self.source.files, name), self.source.files.shown(name));
        let imported = import::read_all(&Input { bytes, name: &shown, files: &below })?;
        let others = imported
            .inputs
            .iter()
            .map(|other| OtherInput { name: format!("{}{}", below.folder, other.name), ..other.clone() });
        let own = OtherInput { name: name.clone(), hash, length };
        for input in std::iter::once(own).chain(others) {
            if seen.insert(input.clone()) {
                scene.inputs.push(input);
            }
        }
        for (what, count) in &imported.notes.ignored {
            *scene.ignored.entry(what).or_default() += count;
        }
        let warnings = imported.notes.warnings.iter();
        scene.warnings.extend(warnings.map(|warning| format!("{shown}: {warning}")));
        Ok(Model { imported, source: (hash, length) })
    }

    /// Refuses to apply transforms to vertices of meshes that are compiled already.
    fn check_baked(&self, tables: &[InstanceTable], scene: &Scene) -> Result<(), WorldCompileError> {
        let is_fixed = |instance: &SceneInstance| {
            instance.baked.is_some() && matches!(scene.meshes[instance.mesh].content, Content::Compiled(_))
        };
        match tables.iter().zip(&scene.instances).find(|(_, instance)| is_fixed(instance)) {
            Some((table, _)) => {
                let fault = ManifestFault::BakedCompiled(table.name.get_ref().clone());
                Err(self.fault_of(&table.name, fault))
            }
            None => Ok(()),
        }
    }
}
