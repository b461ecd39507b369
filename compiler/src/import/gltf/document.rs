//! What bvhc reads of a glTF document, with the names and defaults of the glTF 2.0 specification. Numbers keep the
//! precision of JSON; materials and everything else without a shape are not looked at.

use serde::Deserialize;

use super::integer;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: Asset,
    #[serde(default)]
    pub(super) extensions_used: Vec<String>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) skins: Vec<Skin>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(super) materials: Vec<Material>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default, deserialize_with = "integer::list")]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default, deserialize_with = "integer::list")]
    pub(super) children: Vec<usize>,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) mesh: Option<usize>,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) skin: Option<usize>,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) camera: Option<usize>,
    /// By columns.
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    #[serde(default)]
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    #[serde(default)]
    pub(super) name: String,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) indices: Option<usize>,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) material: Option<usize>,
    #[serde(default = "triangles", deserialize_with = "integer::one")]
    pub(super) mode: u64,
    #[serde(default)]
    pub(super) targets: Vec<serde::de::IgnoredAny>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

fn triangles() -> u64 {
    super::mode::TRIANGLES
}

#[derive(Debug, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION", default, deserialize_with = "integer::optional")]
    pub(super) position: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    #[serde(deserialize_with = "integer::list")]
    pub(super) joints: Vec<usize>,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) inverse_bind_matrices: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Material {
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "integer::one")]
    pub(super) byte_offset: u64,
    #[serde(deserialize_with = "integer::one")]
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    #[serde(deserialize_with = "integer::one")]
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    #[serde(deserialize_with = "integer::one")]
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    #[serde(deserialize_with = "integer::one")]
    pub(super) buffer_view: usize,
    #[serde(default, deserialize_with = "integer::one")]
    pub(super) byte_offset: u64,
    #[serde(deserialize_with = "integer::one")]
    pub(super) component_type: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    #[serde(deserialize_with = "integer::one")]
    pub(super) buffer_view: usize,
    #[serde(default, deserialize_with = "integer::one")]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    #[serde(deserialize_with = "integer::one")]
    pub(super) buffer: usize,
    #[serde(default, deserialize_with = "integer::one")]
    pub(super) byte_offset: u64,
    #[serde(deserialize_with = "integer::one")]
    pub(super) byte_length: u64,
    #[serde(default, deserialize_with = "integer::optional")]
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: ViewExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub(super) meshopt: Option<Meshopt>,
}

/// A view whose bytes are compressed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meshopt {
    #[serde(deserialize_with = "integer::one")]
    pub(super) buffer: usize,
    #[serde(default, deserialize_with = "integer::one")]
    pub(super) byte_offset: u64,
    #[serde(deserialize_with = "integer::one")]
    pub(super) byte_length: u64,
    #[serde(deserialize_with = "integer::one")]
    pub(super) byte_stride: u64,
    #[serde(deserialize_with = "integer::one")]
    pub(super) count: u64,
    pub(super) mode: String,
    #[serde(default)]
    pub(super) filter: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    #[serde(deserialize_with = "integer::one")]
    pub(super) byte_length: u64,
}
