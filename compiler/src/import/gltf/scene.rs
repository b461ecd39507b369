//! Which meshes a scene shows, and where.

use super::accessor::Accessors;
use super::document::{Document, Mesh, Node};
use super::fail::Fail;
use super::transform::Transform;
use crate::import::{ImportError, Notes};

/// A mesh where a node places it.
pub(super) struct Placed<'a> {
    /// The node's name.
    pub(super) node: &'a str,
    /// The mesh's index.
    pub(super) index: usize,
    pub(super) mesh: &'a Mesh,
    /// From the mesh's space into the scene's.
    pub(super) transform: Transform,
}

/// The meshes of the scene to be read, in the order of nodes: parents before children.
pub(super) fn placed_meshes<'a>(
    accessors: &Accessors<'a>,
    notes: &mut Notes,
) -> Result<Vec<Placed<'a>>, ImportError> {
    let (document, fail) = (accessors.document, &accessors.fail);
    let nodes = Nodes::new(document, fail)?;
    let roots = match scene(document, fail)? {
        Some(roots) => roots.to_vec(),
        None => nodes.roots(),
    };
    let order = nodes.below(&roots, fail)?;
    if document.scenes.is_empty() {
        nodes.check_ancestors(&order, fail)?;
    }
    let transforms = nodes.transforms(fail)?;
    let mut placed = Vec::new();
    let mut ignore = |what, count: usize| {
        if count > 0 {
            *notes.ignored.entry(what).or_default() += count as u64;
        }
    };
    ignore("other scenes", document.scenes.len().saturating_sub(1));
    ignore("nodes outside the scene", document.nodes.len() - order.len());
    for index in order {
        let node = &document.nodes[index];
        ignore("cameras", usize::from(node.camera.is_some()));
        let Some(at) = node.mesh else { continue };
        let Some(mesh) = document.meshes.get(at) else {
            return Err(fail.missing(format!("nodes[{index}]"), format!("meshes[{at}]")));
        };
        let mut transform = transforms[index];
        if let Some(skin) = node.skin {
            transform = bind_pose(accessors, index, skin, &transforms)?;
            let warning = "skins are ignored: meshes are in their bind pose";
            if !notes.warnings.iter().any(|known| known == warning) {
                notes.warnings.push(warning.to_owned());
            }
        }
        if node.extensions.instancing.is_some() {
            let fault = "instances by EXT_mesh_gpu_instancing are not known to bvhc: make nodes of them";
            return Err(fail.rule(format!("nodes[{index}]"), fault.to_owned()));
        }
        placed.push(Placed { node: &node.name, index: at, mesh, transform });
    }
    Ok(placed)
}

/// The roots of the scene to be read; `None` if there is no scene.
fn scene<'a>(document: &'a Document, fail: &Fail<'_>) -> Result<Option<&'a [usize]>, ImportError> {
    match (document.scene, document.scenes.first()) {
        (None, first) => Ok(first.map(|scene| &*scene.nodes)),
        (Some(index), _) => match document.scenes.get(index) {
            Some(scene) => Ok(Some(&scene.nodes)),
            None => Err(fail.missing("scene", format!("scenes[{index}]"))),
        },
    }
}

/// Where a skinned mesh is in its bind pose: where its first joint takes it, as all joints do in that pose. (The transform of
/// the mesh's own node has no effect on a skinned mesh.)
fn bind_pose(
    accessors: &Accessors<'_>,
    node: usize,
    skin: usize,
    transforms: &[Transform],
) -> Result<Transform, ImportError> {
    let (document, fail) = (accessors.document, &accessors.fail);
    let place = || format!("skins[{skin}]");
    let found = document.skins.get(skin).ok_or_else(|| fail.missing(format!("nodes[{node}]"), place()))?;
    let first = found.joints.first().ok_or_else(|| fail.rule(place(), "it has no joints".to_owned()))?;
    let joint = transforms.get(*first).ok_or_else(|| fail.missing(place(), format!("nodes[{first}]")))?;
    let matrix = match found.inverse_bind_matrices {
        Some(accessor) => accessors.first_matrix(accessor)?,
        None => None,
    };
    let inverse = match matrix {
        Some(matrix) => Transform::of_columns(&matrix)
            .ok_or_else(|| fail.rule(place(), "its first inverse bind matrix is not affine".to_owned()))?,
        None => Transform::IDENTITY,
    };
    Ok(joint.after(&inverse))
}

/// The nodes and their parents.
struct Nodes<'a> {
    nodes: &'a [Node],
    parents: Vec<Option<usize>>,
}

impl<'a> Nodes<'a> {
    fn new(document: &'a Document, fail: &Fail<'_>) -> Result<Self, ImportError> {
        let nodes = &*document.nodes;
        let mut parents = vec![None; nodes.len()];
        for (parent, node) in nodes.iter().enumerate() {
            for child in &node.children {
                match parents.get_mut(*child) {
                    None => return Err(fail.missing(format!("nodes[{parent}]"), format!("nodes[{child}]"))),
                    Some(Some(_)) => {
                        let fault = "it is a child of more than one node, or twice of one".to_owned();
                        return Err(fail.rule(format!("nodes[{child}]"), fault));
                    }
                    Some(of_child) => *of_child = Some(parent),
                }
            }
        }
        Ok(Self { nodes, parents })
    }

    /// The nodes without a parent.
    fn roots(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|node| self.parents[*node].is_none()).collect()
    }

    /// Checks that all nodes are below these roots: others are in a circle, or below one.
    fn check_ancestors(&self, below_roots: &[usize], fail: &Fail<'_>) -> Result<(), ImportError> {
        let mut is_below = vec![false; self.nodes.len()];
        below_roots.iter().for_each(|node| is_below[*node] = true);
        let Some(mut node) = is_below.iter().position(|is_below| !is_below) else { return Ok(()) };
        // After as many steps towards the root as there are nodes, it is in the circle.
        for _ in 0..self.nodes.len() {
            node = self.parents[node].unwrap_or(node);
        }
        Err(fail.rule(format!("nodes[{node}]"), "it is its own ancestor".to_owned()))
    }

    /// All nodes below these, with them, parents first.
    fn below(&self, roots: &[usize], fail: &Fail<'_>) -> Result<Vec<usize>, ImportError> {
        let mut order = Vec::new();
        let mut is_met = vec![false; self.nodes.len()];
        let mut stack: Vec<usize> = roots.iter().rev().copied().collect();
        while let Some(index) = stack.pop() {
            let Some(node) = self.nodes.get(index) else {
                return Err(fail.missing("the scene", format!("nodes[{index}]")));
            };
            if std::mem::replace(&mut is_met[index], true) {
                let fault = "it is in the scene twice, or its own ancestor".to_owned();
                return Err(fail.rule(format!("nodes[{index}]"), fault));
            }
            order.push(index);
            stack.extend(node.children.iter().rev());
        }
        Ok(order)
    }

    /// The transform of each node into the scene's space; those below a circle have none, and keep the identity.
    fn transforms(&self, fail: &Fail<'_>) -> Result<Vec<Transform>, ImportError> {
        let mut transforms = vec![Transform::IDENTITY; self.nodes.len()];
        for index in self.below(&self.roots(), fail)? {
            let Some(own) = Transform::of(&self.nodes[index]) else {
                let fault =
                    "its rotation is zero, or its matrix has another last row than 0, 0, 0, 1".to_owned();
                return Err(fail.rule(format!("nodes[{index}]"), fault));
            };
            transforms[index] = self.parents[index].map_or(own, |parent| transforms[parent].after(&own));
        }
        Ok(transforms)
    }
}
