//! glTF 2.0, as JSON or GLB: the triangles of a scene where its nodes place them.

mod accessor;
mod buffers;
mod container;
mod document;
mod fail;
mod integer;
mod meshopt;
mod mode;
mod scene;
#[cfg(test)]
mod tests;
mod transform;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::attributes::Attribute;
use super::builder::Builder;
use super::limits;
use super::{DataFault, ImportError, Imported, Input, Notes, OtherInput};
use crate::mesh::Polygons;
use accessor::Accessors;
use buffers::Buffers;
use container::Chunks;
use document::{Document, Mesh, Primitive};
use fail::Fail;
use scene::Placed;
use transform::Transform;

/// Extensions that change what bvhc reads, and that it knows.
const KNOWN: [&str; 3] = ["KHR_mesh_quantization", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// How the names of extensions begin that change nothing of what bvhc reads: materials, images, lights, data about the file.
const WITHOUT_SHAPE: [&str; 10] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_animation_",
    "EXT_texture_",
    "EXT_lights_",
    "MSFT_texture_",
    "ADOBE_materials_",
    "KHR_audio",
];

/// Whether bytes that begin so are a glTF file: other JSON has no use here.
pub(crate) fn is_it(bytes: &[u8]) -> bool {
    let text = super::without_mark(bytes).trim_ascii_start();
    let is_object = text.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
    bytes.starts_with(container::MAGIC) || is_object
}

/// Reads the default scene, or the first if none is the default, or all nodes if there is no scene.
///
/// Each triangle is a face, numbered in the order of nodes (parents before children), primitives and indices. Its object is
/// the name of its node, its group that of its mesh. Nodes place vertices in f64, rounded once.
pub(super) fn read(input: &Input<'_>) -> Result<Imported, ImportError> {
    with_reader(input, |mut reader, placed| {
        for placed in placed {
            reader.mesh(&placed)?;
        }
        let Reader { builder, notes, accessors, .. } = reader;
        Ok(Imported { polygons: builder.finish(input.name)?, notes, inputs: accessors.buffers.take_others() })
    })
}

/// Reads the same scene as [`read`], with each mesh in its own space.
pub(crate) fn read_scene(input: &Input<'_>) -> Result<SceneOfMeshes, ImportError> {
    with_reader(input, |mut reader, placed| {
        let mut meshes = BTreeMap::new();
        let mut nodes = Vec::with_capacity(placed.len());
        for Placed { node, index, mesh, transform } in placed {
            if let Entry::Vacant(vacant) = meshes.entry(index) {
                reader.mesh(&Placed { node: "", index, mesh, transform: Transform::IDENTITY })?;
                let builder = std::mem::take(&mut reader.builder);
                let polygons = if builder.faces() == 0 { None } else { Some(builder.finish(input.name)?) };
                vacant.insert(MeshOfScene { name: mesh.name.clone(), polygons });
            }
            nodes.push(NodeOfScene { name: node.to_owned(), mesh: index, rows: transform.rows() });
        }
        let Reader { notes, accessors, .. } = reader;
        Ok(SceneOfMeshes { meshes, nodes, notes, inputs: accessors.buffers.take_others() })
    })
}

/// A scene whose meshes are each in their own space.
pub(crate) struct SceneOfMeshes {
    /// The meshes that nodes show, by their indices in the file.
    pub(crate) meshes: BTreeMap<usize, MeshOfScene>,
    /// The nodes that show meshes.
    pub(crate) nodes: Vec<NodeOfScene>,
    pub(crate) notes: Notes,
    pub(crate) inputs: Vec<OtherInput>,
}

/// A mesh of such a scene.
pub(crate) struct MeshOfScene {
    pub(crate) name: String,
    /// `None` if it has no triangles.
    pub(crate) polygons: Option<Polygons>,
}

/// A node that shows a mesh.
pub(crate) struct NodeOfScene {
    pub(crate) name: String,
    /// The mesh's index in the file.
    pub(crate) mesh: usize,
    /// Takes a point p of the mesh to `rows * (p, 1)` in the scene.
    pub(crate) rows: [[f64; 4]; 3],
}

/// Opens a file, and gives the meshes of its scene to `read`.
fn with_reader<T>(
    input: &Input<'_>,
    read: impl FnOnce(Reader<'_>, Vec<Placed<'_>>) -> Result<T, ImportError>,
) -> Result<T, ImportError> {
    let fail = Fail { file: input.name };
    let chunks = match input.bytes.starts_with(container::MAGIC) {
        true => container::chunks(input.bytes, &fail)?,
        false => Chunks { json: super::without_mark(input.bytes), bin: None },
    };
    let document: Document = serde_json::from_slice(chunks.json).map_err(|error| fail.json(&error))?;
    check_version(&document, &fail)?;
    let mut notes = Notes::default();
    check_extensions(&document, &fail, &mut notes)?;
    let buffers = Buffers::new(&document, input, chunks.bin);
    let accessors = Accessors { document: &document, buffers: &buffers, fail };
    let mut reader = Reader { accessors: &accessors, builder: Builder::default(), notes, made: 0 };
    let placed = scene::placed_meshes(&accessors, &mut reader.notes)?;
    read(reader, placed)
}

fn check_version(document: &Document, fail: &Fail<'_>) -> Result<(), ImportError> {
    let asset = &document.asset;
    let needed = asset.min_version.as_ref().unwrap_or(&asset.version);
    let is_readable = if asset.min_version.is_some() { needed == "2.0" } else { needed.starts_with("2.") };
    if is_readable {
        Ok(())
    } else {
        Err(fail.rule("asset", format!("this is glTF {needed}; bvhc reads 2.0")))
    }
}

fn check_extensions(document: &Document, fail: &Fail<'_>, notes: &mut Notes) -> Result<(), ImportError> {
    let is_known = |name: &str| {
        KNOWN.contains(&name) || WITHOUT_SHAPE.iter().any(|beginning| name.starts_with(beginning))
    };
    if let Some(name) = document.extensions_required.iter().find(|name| !is_known(name)) {
        let fault = format!("the file requires the extension {name}, which bvhc does not know");
        return Err(fail.rule("extensionsRequired", fault));
    }
    let unknown = document.extensions_used.iter().filter(|name| !is_known(name));
    notes.warnings.extend(unknown.map(|name| format!("the extension {name} is ignored")));
    Ok(())
}

/// Collects the triangles of meshes.
struct Reader<'a> {
    accessors: &'a Accessors<'a>,
    builder: Builder,
    notes: Notes,
    /// Vertices and corners of faces so far.
    made: u64,
}

impl<'a> Reader<'a> {
    /// Adds a mesh where a node places it.
    fn mesh(&mut self, placed: &Placed<'_>) -> Result<(), ImportError> {
        let Mesh { name, primitives } = placed.mesh;
        self.builder.name(Attribute::Object, placed.node);
        self.builder.name(Attribute::Group, name);
        self.builder.set_reversed(placed.transform.is_mirror());
        // Primitives often share vertices: the first vertex of each accessor, and how many it has.
        let mut firsts = HashMap::new();
        for (index, primitive) in primitives.iter().enumerate() {
            let place = format!("meshes[{}].primitives[{index}]", placed.index);
            self.primitive(primitive, &placed.transform, &mut firsts, &place)?;
        }
        Ok(())
    }

    fn primitive(
        &mut self,
        primitive: &Primitive,
        transform: &Transform,
        firsts: &mut HashMap<usize, (u32, u32)>,
        place: &str,
    ) -> Result<(), ImportError> {
        let fail = &self.accessors.fail;
        let Some(position) = primitive.attributes.position else {
            self.ignore("primitives without positions", 1);
            return Ok(());
        };
        match primitive.mode {
            mode::POINTS => self.ignore("primitives of points", 1),
            mode::LINES..=mode::LINE_STRIP => self.ignore("primitives of lines", 1),
            mode::TRIANGLES..=mode::TRIANGLE_FAN => {}
            mode => return Err(fail.rule(place, format!("the mode {mode} is unknown"))),
        }
        if primitive.mode < mode::TRIANGLES {
            return Ok(());
        }
        if primitive.extensions.draco.is_some() && self.accessors.is_empty(position) {
            return Err(fail.rule(
                place,
                "it is compressed by KHR_draco_mesh_compression, which bvhc does not know".into(),
            ));
        }
        if !primitive.targets.is_empty() {
            self.warn("morph targets are ignored: meshes have their base shape");
        }
        if self.accessors.is_quantized(position) && !self.uses("KHR_mesh_quantization") {
            self.warn("positions are integers, but the file does not name KHR_mesh_quantization");
        }
        let (first, count) = match firsts.get(&position) {
            Some(known) => *known,
            None => {
                let added = self.vertices(position, transform)?;
                firsts.insert(position, added);
                added
            }
        };
        let material = self.material(primitive, place)?;
        self.builder.name(Attribute::Material, material);
        let left = match primitive.indices {
            Some(accessor) => {
                let indices = self.accessors.indices(accessor)?;
                if let Some(found) = indices.iter().find(|index| *index >= count) {
                    let fault = DataFault::Index { found: found.into(), vertices: count.into() };
                    return Err(fail.data(place, fault));
                }
                self.faces(primitive.mode, indices.len(), |at| first + indices.get(at), place)?
            }
            None => self.faces(primitive.mode, count as usize, |at| first + at as u32, place)?,
        };
        self.ignore("vertices of incomplete triangles", left as u64);
        Ok(())
    }

    /// Adds the triangles of a mode, given the vertex of each index; returns how many indices are left over.
    fn faces(
        &mut self,
        mode: u64,
        indices: usize,
        vertex: impl Fn(usize) -> u32,
        place: &str,
    ) -> Result<usize, ImportError> {
        self.charge(indices, place)?;
        let triangles = mode::triangles(mode, indices);
        self.builder.reserve(0, 3 * triangles);
        for triangle in 0..triangles {
            let corners = mode::corners(mode, triangle).map(&vertex);
            self.builder.face(&corners).map_err(|fault| self.accessors.fail.data(place, fault))?;
        }
        Ok(mode::left_over(mode, indices))
    }

    /// Adds the vertices of an accessor; returns the first of them and how many there are.
    fn vertices(&mut self, accessor: usize, transform: &Transform) -> Result<(u32, u32), ImportError> {
        let first = self.builder.vertices();
        let positions = self.accessors.positions(accessor)?;
        self.charge(positions.len(), &format!("accessors[{accessor}]"))?;
        self.builder.reserve(positions.len(), 0);
        for (vertex, position) in positions.iter().enumerate() {
            let added = self.builder.vertex(transform.apply(position));
            added.map_err(|fault| {
                self.accessors.fail.data(&format!("accessors[{accessor}], element {vertex}"), fault)
            })?;
        }
        Ok((first, self.builder.vertices() - first))
    }

    /// Counts what is made against what a file of this size may have.
    fn charge(&mut self, made: usize, place: &str) -> Result<(), ImportError> {
        self.made += made as u64;
        let bytes = self.accessors.buffers.read();
        let most = limits::most_made(bytes);
        if self.made <= most {
            return Ok(());
        }
        let fault = format!(
            "the scene has more than {most} vertices and corners of faces, for {bytes} bytes of files"
        );
        Err(self.accessors.fail.rule(place, fault))
    }

    /// The name of a primitive's material.
    fn material(&self, primitive: &Primitive, place: &str) -> Result<&'a str, ImportError> {
        let materials = &self.accessors.document.materials;
        match primitive.material {
            None => Ok(""),
            Some(index) => match materials.get(index) {
                Some(material) => Ok(&material.name),
                None => Err(self.accessors.fail.missing(place, format!("materials[{index}]"))),
            },
        }
    }

    fn uses(&self, extension: &str) -> bool {
        let document = self.accessors.document;
        document.extensions_used.iter().chain(&document.extensions_required).any(|name| name == extension)
    }

    fn ignore(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.notes.ignored.entry(what).or_default() += count;
        }
    }

    /// Warns once.
    fn warn(&mut self, warning: &str) {
        if !self.notes.warnings.iter().any(|known| known == warning) {
            self.notes.warnings.push(warning.to_owned());
        }
    }
}
