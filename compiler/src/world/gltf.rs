//! Worlds from glTF scenes: nodes are instances, meshes are meshes.

use std::collections::{BTreeMap, HashMap, HashSet};

use bvhc_runtime::{Pose, Similarity};

use super::error::WorldCompileError;
use super::scene::{Content, Leftovers, Linear, Model, Scene, SceneInstance, SceneMesh};
use crate::file;
use crate::import::{self, Imported, Input, NodeOfScene, Notes, SceneOfMeshes};

/// How far, relative to the scale, a node's matrix may be from a rotation with a uniform scale to count as one: what f32
/// leaves of a product of rotations. Others are applied to the vertices of a mesh of their own.
const TOLERANCE: f64 = 1e-6;

/// Reads a scene. Instances have the names of their nodes; the name of a node without one, or with one that is taken, gets a
/// number.
pub(super) fn read(source: &Input<'_>) -> Result<Scene, WorldCompileError> {
    let SceneOfMeshes { meshes, nodes, notes, inputs } = import::gltf_scene(source)?;
    let origin = (file::hash(source.bytes), source.bytes.len() as u64);
    let (warnings, ignored) = (notes.warnings, notes.ignored);
    let mut scene = Scene { warnings, ignored, leftovers: Leftovers::Drop, ..Scene::default() };
    let mut numbers = BTreeMap::new();
    for (index, mesh) in meshes {
        let Some(polygons) = mesh.polygons else { continue };
        numbers.insert(index, scene.meshes.len());
        let imported = Imported { polygons, inputs: inputs.clone(), notes: Notes::default() };
        let name = if mesh.name.is_empty() { format!("mesh.{index}") } else { mesh.name };
        scene.meshes.push(SceneMesh { name, content: Content::Imported(Model { imported, source: origin }) });
    }
    scene.inputs = inputs;
    let mut names = Names::default();
    for (number, node) in nodes.iter().enumerate() {
        let Some(mesh) = numbers.get(&node.mesh) else {
            let name = if node.name.is_empty() { format!("node.{number}") } else { node.name.clone() };
            scene.warnings.push(super::left_out(&name));
            continue;
        };
        let name = names.free(&node.name, number);
        scene.instances.push(instance(node, name, *mesh, source)?);
    }
    Ok(scene)
}

/// The names of instances.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// For a name that several nodes want, the number that is tried next: those from the first try up to it are taken, so no
    /// number is tried twice.
    next: HashMap<String, usize>,
}

impl Names {
    /// The node's name if it has one that is free, or else one with the lowest free number from the node's on. Numbers of
    /// nodes must ascend.
    fn free(&mut self, name: &str, number: usize) -> String {
        if !name.is_empty() && self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let base = if name.is_empty() { "node" } else { name };
        let next = self.next.entry(base.to_owned()).or_default();
        *next = number.max(*next);
        loop {
            let numbered = format!("{base}.{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

fn instance(
    node: &NodeOfScene,
    name: String,
    mesh: usize,
    source: &Input<'_>,
) -> Result<SceneInstance, WorldCompileError> {
    let linear = Linear(node.rows.map(|[a, b, c, _]| [a, b, c]));
    let translation = node.rows.map(|row| row[3]);
    let found = similarity(&linear, translation);
    let (pose, scale, mirrors, baked) = match found {
        Some((pose, scale, mirrors)) => (pose, scale, mirrors, None),
        None => match Pose::from_translation(translation) {
            Ok(pose) => (pose, 1.0, false, Some(linear)),
            Err(_) => return Err(WorldCompileError::TooFar { file: source.name.to_owned(), name }),
        },
    };
    Ok(SceneInstance { name, mesh, baked, pose, scale, mirrors, layers: 1, user: 0, is_movable: false })
}

/// The pose, the scale and whether it mirrors, if a linear map is a rotation with a uniform scale that instances may have, perhaps
/// mirrored.
fn similarity(linear: &Linear, translation: [f64; 3]) -> Option<(Pose, f64, bool)> {
    let determinant = linear.determinant();
    let cube_root = libm::cbrt(determinant.abs());
    // Scales of 1 should be 1, lest rounding turns poses into scales.
    let scale = if (cube_root - 1.0).abs() <= TOLERANCE { 1.0 } else { cube_root };
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    let mirrors = determinant < 0.0;
    let rows = linear.0.map(|[x, y, z]| [if mirrors { -x } else { x } / scale, y / scale, z / scale]);
    let pose = Pose::from_rows(rows, translation).ok()?;
    let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= TOLERANCE;
    let rotation = pose.rotation();
    let are_near = rotation.as_flattened().iter().zip(rows.as_flattened()).all(is_near);
    let is_possible = Similarity::new(pose, scale, mirrors).is_some();
    (are_near && is_possible).then_some((pose, scale, mirrors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_get_the_next_free_number() {
        let mut names = Names::default();
        let wanted = ["a", "a", "a.3", "a", "", "node", "node", "a.1", "node.6"];
        let found: Vec<String> =
            wanted.iter().enumerate().map(|(number, name)| names.free(name, number)).collect();
        let free = ["a", "a.1", "a.3", "a.4", "node.4", "node", "node.6", "a.1.7", "node.6.8"];
        assert_eq!(found, free);
    }

    #[test]
    fn what_no_instance_can_be_is_baked() {
        let of_scale = |scale: f64| {
            let linear = Linear([[scale, 0.0, 0.0], [0.0, scale, 0.0], [0.0, 0.0, scale]]);
            similarity(&linear, [0.0; 3]).map(|(_, scale, _)| scale)
        };
        assert_eq!(
            [1e-13, 1e-6, 1.0, 1e6, 1e13].map(of_scale),
            [None, of_scale(1e-6), Some(1.0), of_scale(1e6), None]
        );
        assert!(of_scale(1e-6).is_some() && of_scale(1e6).is_some());
    }

    #[test]
    fn sheared_nodes_make_no_large_world_of_a_small_file() {
        let node = |number: usize| format!(r#"{{"mesh":0,"scale":[1,2,{number}]}}"#);
        let nodes: Vec<String> = (1..60).map(node).collect();
        let numbers: Vec<String> = (0..nodes.len()).map(|number| number.to_string()).collect();
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{}],
            "meshes":[{{"primitives":[{}]}}],
            "accessors":[{{"componentType":5126,"count":4096,"type":"VEC3"}}]}}"#,
            numbers.join(","),
            nodes.join(","),
            [r#"{"attributes":{"POSITION":0}}"#; 100].join(",")
        );
        let compiled = crate::world::compile_gltf(
            text.as_bytes(),
            "a.gltf",
            &crate::NoFiles,
            &crate::Options::default(),
            &(),
        );
        let error = compiled.err().expect("it is too large").to_string();
        let most = format!("more than {} vertices", text.len() << 12);
        assert!(error.starts_with("a.gltf: up to instance \"node.") && error.contains(&most), "{error}");
    }
}
