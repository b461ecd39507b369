//! The world of a file.

use std::fmt::Write;

use bvhc_runtime::{Instance, World};
use serde_json::{Value, json};

use super::hex;
use crate::cli::text::{counted, one_line};

/// The world as JSON.
pub(super) fn object(world: &World<'_>) -> Value {
    let section = world.section();
    let bounds = world.bounds();
    let input = |(name, bytes, hash)| json!({ "name": name, "bytes": bytes, "blake3": hash });
    let meshes = (0..world.mesh_count()).filter_map(|mesh| world.mesh(mesh)).map(|mesh| {
        let bounds = mesh.bounds();
        json!({ "triangles": mesh.triangle_count(), "bounds": { "min": bounds.min, "max": bounds.max } })
    });
    json!({
        "compiler": String::from_utf8_lossy(section.compiler.get()),
        "options": String::from_utf8_lossy(section.options.get()),
        "source": {
            "blake3": hex(section.source_hash),
            "bytes": section.source_length.to_native(),
            "others": inputs(world).map(input).collect::<Vec<_>>(),
        },
        "bounds": { "min": bounds.min, "max": bounds.max },
        "depth": section.depth.to_native(),
        "nodes": section.nodes.len(),
        "leaves": section.leaves.len(),
        "meshes": meshes.collect::<Vec<_>>(),
        "instances": world.instances().map(|instance| instance_object(&instance)).collect::<Vec<_>>(),
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
fn inputs(world: &World<'_>) -> impl Iterator<Item = (String, u64, String)> {
    let section = world.section();
    section.inputs.get().iter().enumerate().map(|(at, input)| {
        let name = section.input_names.get(at).unwrap_or_default();
        (name.to_owned(), input.length, hex(input.hash))
    })
}

/// The world as text.
pub(super) fn text(world: &World<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = describe(&mut text, world);
    text
}

fn describe(text: &mut String, world: &World<'_>) -> std::fmt::Result {
    let section = world.section();
    writeln!(
        text,
        "\nworld: {}, {}, {}, {}",
        counted(world.instance_count().into(), "instance"),
        counted(section.leaves.len() as u64, "leaf"),
        counted(section.nodes.len() as u64, "node"),
        counted(section.depth.to_native().into(), "level"),
    )?;
    writeln!(text, "source     {}", hex(section.source_hash))?;
    for (name, bytes, hash) in inputs(world) {
        writeln!(text, "           {} {}, {hash}", one_line(&name), counted(bytes, "byte"))?;
    }
    let bounds = world.bounds();
    for (what, [x, y, z]) in [("bounds", bounds.min), ("", bounds.max)] {
        writeln!(text, "{what:10} {x} {y} {z}")?;
    }
    writeln!(text, "\n{:>8} {:>12}", "mesh", "triangles")?;
    for mesh in 0..world.mesh_count() {
        let triangles = world.mesh(mesh).map_or(0, |mesh| mesh.triangle_count());
        writeln!(text, "{mesh:>8} {triangles:>12}")?;
    }
    writeln!(text, "\n{:>8} {:16} {:>8}  position, scale, name", "mesh", "id", "layers")?;
    for instance in world.instances() {
        let (similarity, id) = (instance.similarity(), instance.id());
        let [x, y, z] = similarity.pose().translation();
        let mirror = if similarity.mirrors() { ", mirrored" } else { "" };
        let (mesh, layers, scale) = (instance.mesh(), instance.layers(), similarity.scale());
        let name = one_line(instance.name());
        writeln!(text, "{mesh:>8} {id:016x} {layers:>8x}  {x} {y} {z}, {scale}{mirror}, {name}")?;
    }
    Ok(())
}
