//! Worlds from glTF scenes: nodes are instances, meshes are meshes.

use std::collections::{BTreeMap, HashSet};

use bvhc_runtime::Pose;

use super::error::WorldCompileError;
use super::scene::{Linear, Scene, SceneInstance, SceneMesh};
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
    let mut scene =
        Scene { meshes: Vec::new(), instances: Vec::new(), inputs: Vec::new(), warnings: notes.warnings };
    let mut numbers = BTreeMap::new();
    for (index, mesh) in meshes {
        let Some(polygons) = mesh.polygons else { continue };
        numbers.insert(index, scene.meshes.len());
        let imported = Imported { polygons, inputs: inputs.clone(), notes: Notes::default() };
        let name = if mesh.name.is_empty() { format!("mesh.{index}") } else { mesh.name };
        scene.meshes.push(SceneMesh { name, imported, source: origin });
    }
    scene.inputs = inputs;
    let mut names = HashSet::new();
    for (number, node) in nodes.iter().enumerate() {
        let Some(mesh) = numbers.get(&node.mesh) else { continue };
        let name = free_name(&node.name, number, &mut names);
        scene.instances.push(instance(node, name, *mesh, source)?);
    }
    Ok(scene)
}

/// The node's name if it has one that is free, or else one with a number.
fn free_name(name: &str, number: usize, names: &mut HashSet<String>) -> String {
    let numbered = |number: usize| format!("{}.{number}", if name.is_empty() { "node" } else { name });
    let mut free = if name.is_empty() { numbered(number) } else { name.to_owned() };
    let mut next = number;
    while !names.insert(free.clone()) {
        free = numbered(next);
        next += 1;
    }
    free
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

/// The pose, the scale and whether it mirrors, if a linear map is a rotation with a uniform scale, perhaps mirrored.
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
    are_near.then_some((pose, scale, mirrors))
}
