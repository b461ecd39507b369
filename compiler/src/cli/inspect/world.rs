//! The world of a file, thin or not.

use std::fmt::Write;

use bvhc_format::section::ArchivedWorld;
use bvhc_runtime::{Aabb, Instance, LinkedMesh, Model, Pose, ThinWorld, World};
use serde_json::{Value, json};

use super::hex;
use crate::cli::file::MeshFolders;
use crate::cli::text::one_line;
use crate::count::counted;

/// What there is to say of a world.
pub(super) struct Facts<'a> {
    section: &'a ArchivedWorld<'static>,
    bounds: Aabb,
    meshes: Vec<Mesh>,
    instances: Vec<Instance<'a>>,
}

/// A mesh.
struct Mesh {
    triangles: u64,
    bounds: Aabb,
    file: Option<MeshFile>,
}

/// The file of a mesh of a thin world.
struct MeshFile {
    name: String,
    hash: [u8; 32],
    bytes: u64,
    /// Where it was found.
    path: Option<String>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(world: &World<'a>) -> Self {
        let mesh =
            |mesh: &Model<'_>| Mesh { triangles: mesh.triangle_count(), bounds: mesh.bounds(), file: None };
        Self {
            section: world.section(),
            bounds: world.bounds(),
            meshes: world.meshes().iter().flatten().map(mesh).collect(),
            instances: world.instances().collect(),
        }
    }

    /// Of a thin world, and where its meshes are.
    pub(super) fn of_thin(world: &ThinWorld<'a>, folders: &MeshFolders) -> Self {
        let file = |mesh: &LinkedMesh<'_>| MeshFile {
            name: mesh.name().to_owned(),
            hash: *mesh.hash(),
            bytes: mesh.file_length(),
            path: folders.files.find(mesh).ok().map(|path| path.display().to_string()),
        };
        let mesh = |mesh: LinkedMesh<'_>| Mesh {
            triangles: mesh.triangle_count(),
            bounds: mesh.bounds(),
            file: Some(file(&mesh)),
        };
        Self {
            section: world.section(),
            bounds: world.bounds(),
            meshes: world.meshes().map(mesh).collect(),
            instances: world.instances().collect(),
        }
    }
}

/// The world as JSON.
pub(super) fn object(world: &Facts<'_>) -> Value {
    let Facts { section, bounds, .. } = world;
    let input = |(name, bytes, hash)| json!({ "name": name, "bytes": bytes, "blake3": hash });
    let meshes = world.meshes.iter().map(|mesh| {
        let (triangles, Aabb { min, max }) = (mesh.triangles, mesh.bounds);
        let mut value = json!({ "triangles": triangles, "bounds": { "min": min, "max": max } });
        if let Some(MeshFile { name, hash, bytes, path }) = &mesh.file {
            value["file"] = json!({ "name": name, "hash": hex(*hash), "bytes": bytes, "path": path });
        }
        value
    });
    json!({
        "compiler": String::from_utf8_lossy(section.compiler.get()),
        "options": String::from_utf8_lossy(section.options.get()),
        "source": {
            "blake3": hex(section.source_hash),
            "bytes": section.source_length.to_native(),
            "others": inputs(section).map(input).collect::<Vec<_>>(),
        },
        "bounds": { "min": bounds.min, "max": bounds.max },
        "depth": section.depth.to_native(),
        "nodes": section.nodes.len(),
        "leaves": section.leaves.len(),
        "meshes": meshes.collect::<Vec<_>>(),
        "instances": world.instances.iter().map(instance_object).collect::<Vec<_>>(),
    })
}

fn instance_object(instance: &Instance<'_>) -> Value {
    let (similarity, bounds) = (instance.similarity(), instance.bounds());
    json!({
        "name": instance.name(),
        "id": format!("{:016x}", instance.id()),
        "mesh": instance.mesh(),
        "position": similarity.pose().translation(),
        "rotation": similarity.pose().rotation(),
        "scale": similarity.scale(),
        "mirror": similarity.mirrors(),
        "layers": instance.layers(),
        "user": instance.user(),
        "static": !instance.is_movable(),
        "bounds": { "min": bounds.min, "max": bounds.max },
    })
}

/// The name, length and hash of each file that the world was read from, beside its source.
fn inputs(section: &ArchivedWorld<'static>) -> impl Iterator<Item = (String, u64, String)> {
    section.inputs.get().iter().enumerate().map(|(at, input)| {
        let name = section.input_names.get(at).unwrap_or_default();
        (name.to_owned(), input.length, hex(input.hash))
    })
}

/// The world as text.
pub(super) fn text(world: &Facts<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = describe(&mut text, world);
    text
}

fn describe(text: &mut String, world: &Facts<'_>) -> std::fmt::Result {
    let Facts { section, bounds, meshes, instances } = world;
    writeln!(
        text,
        "\nworld: {}, {}, {}, {}",
        counted(instances.len() as u64, "instance"),
        counted(section.leaves.len() as u64, "leaf"),
        counted(section.nodes.len() as u64, "node"),
        counted(section.depth.to_native().into(), "level"),
    )?;
    writeln!(text, "source     {}", hex(section.source_hash))?;
    for (name, bytes, hash) in inputs(section) {
        writeln!(text, "           {} {}, {hash}", one_line(&name), counted(bytes, "byte"))?;
    }
    for (what, [x, y, z]) in [("bounds", bounds.min), ("", bounds.max)] {
        writeln!(text, "{what:10} {x} {y} {z}")?;
    }
    writeln!(text, "\n{:>8} {:>12}", "mesh", "triangles")?;
    for (number, mesh) in meshes.iter().enumerate() {
        write!(text, "{number:>8} {:>12}", mesh.triangles)?;
        if let Some(MeshFile { name, hash, bytes, path }) = &mesh.file {
            let path = path.as_deref().map_or_else(|| "not found (--meshes DIR)".to_owned(), one_line);
            write!(text, "  {}, {} {}, {path}", one_line(name), counted(*bytes, "byte"), hex(*hash))?;
        }
        writeln!(text)?;
    }
    writeln!(
        text,
        "\n{:>8} {:16} {:>8}  position, scale, name (--json: rotations, bounds)",
        "mesh", "id", "layers"
    )?;
    for instance in instances {
        let (similarity, id) = (instance.similarity(), instance.id());
        let [x, y, z] = similarity.pose().translation();
        let is_rotated = similarity.pose().rotation() != Pose::IDENTITY.rotation();
        let mut what = String::new();
        for (is_so, word) in [
            (is_rotated, ", rotated"),
            (similarity.mirrors(), ", mirrored"),
            (instance.is_movable(), ", not static"),
        ] {
            what.push_str(if is_so { word } else { "" });
        }
        if instance.user() != 0 {
            write!(what, ", user {}", instance.user())?;
        }
        let (mesh, layers, scale) = (instance.mesh(), instance.layers(), similarity.scale());
        let name = one_line(instance.name());
        writeln!(text, "{mesh:>8} {id:016x} {layers:>8x}  {x} {y} {z}, {scale}{what}, {name}")?;
    }
    Ok(())
}
