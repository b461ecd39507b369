//! The fields that several queries write.

use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::{CastHit, Contact, Distance, Hit, Model, Overlap, Place};

/// Appends what a ray hits: on a triangle of a mesh, with the instance's name where it is in a world.
pub(super) fn push_hit(
    row: &mut String,
    hit: &Hit,
    instance: Option<&str>,
    mesh: Option<&Model<'_>>,
) -> std::fmt::Result {
    write!(row, "1,{},{},{},", hit.t, hit.u, hit.v)?;
    push_instance(row, instance);
    if let Some(mesh) = mesh {
        push_source(row, mesh, hit.triangle)?;
    }
    let [x, y, z] = hit.normal;
    write!(row, ",{x},{y},{z}")
}

/// Appends the closest point, with the instance's name where it is in a world.
pub(super) fn push_point(
    row: &mut String,
    distance: f32,
    [x, y, z]: [f32; 3],
    instance: Option<&str>,
    face: &str,
) -> std::fmt::Result {
    write!(row, "1,{distance},{x},{y},{z},")?;
    push_instance(row, instance);
    row.push_str(face);
    Ok(())
}

/// Appends a distance of two meshes, with the instance's name where A is in a world.
pub(super) fn push_distance(
    row: &mut String,
    found: &Distance,
    instance: Option<&str>,
    [face_a, face_b]: [&str; 2],
) -> std::fmt::Result {
    let ([ax, ay, az], [bx, by, bz]) = (found.on_a, found.on_b);
    write!(row, "{},{ax},{ay},{az},{bx},{by},{bz},", found.distance)?;
    push_instance(row, instance);
    write!(row, "{face_a},{face_b}")
}

/// Appends what a moving shape touches, with the instance's name where it is in a world.
pub(super) fn push_cast(
    row: &mut String,
    hit: &CastHit,
    instance: Option<&str>,
    face: &str,
) -> std::fmt::Result {
    let ([x, y, z], [nx, ny, nz]) = (hit.point, hit.normal);
    write!(row, "1,{},{x},{y},{z},{nx},{ny},{nz},", hit.t)?;
    push_instance(row, instance);
    write!(row, "{face},{}", hit.depth.unwrap_or(0.0))
}

/// Appends contacts, each with its face.
pub(super) fn push_contacts(
    row: &mut String,
    mesh: Option<&Model<'_>>,
    contacts: impl Iterator<Item = Contact>,
) -> std::fmt::Result {
    for (index, contact) in contacts.enumerate() {
        let ([x, y, z], [nx, ny, nz]) = (contact.point, contact.normal);
        let face = face_of(mesh, contact.triangle);
        let blank = if index == 0 { "" } else { " " };
        write!(row, "{blank}{face}/{}/{x}/{y}/{z}/{nx}/{ny}/{nz}", contact.gap)?;
    }
    Ok(())
}

/// The distance from a surface, with the instance's name where it is in a world.
pub(super) fn push_signed_distance(
    row: &mut String,
    distance: f32,
    [x, y, z]: [f32; 3],
    instance: Option<&str>,
    face: &str,
) -> std::fmt::Result {
    write!(row, "{distance},{x},{y},{z},")?;
    push_instance(row, instance);
    row.push_str(face);
    Ok(())
}

/// The word for where a point is.
pub(super) fn word_of_place(place: Place) -> &'static str {
    match place {
        Place::In => "in",
        Place::Out => "out",
        Place::On => "on",
        Place::Unsure => "unsure",
    }
}

fn push_instance(row: &mut String, instance: Option<&str>) {
    if let Some(instance) = instance {
        push_quoted(row, instance);
        row.push(',');
    }
}

/// The face of a mesh's triangle; nothing where a corrupt file says none.
pub(super) fn face_of(mesh: Option<&Model<'_>>, triangle: u32) -> String {
    let source = mesh.and_then(|mesh| mesh.source_of(triangle));
    source.map_or_else(String::new, |source| source.face.to_string())
}

/// Lists the faces of triangles that a query finds; a face of several triangles counts once.
pub(super) fn list_faces(
    model: &Model<'_>,
    row: &mut String,
    query: impl FnOnce(&mut dyn FnMut(Overlap) -> ControlFlow<()>) -> ControlFlow<()>,
) -> std::fmt::Result {
    let mut faces = Vec::new();
    let _ = query(&mut |overlap| {
        faces.extend(model.source_of(overlap.triangle).map(|source| source.face));
        ControlFlow::Continue(())
    });
    faces.sort_unstable();
    faces.dedup();
    write!(row, "{},", faces.len())?;
    for (index, face) in faces.iter().enumerate() {
        let blank = if index == 0 { "" } else { " " };
        write!(row, "{blank}{face}")?;
    }
    Ok(())
}

/// Appends face, material and group of a triangle.
fn push_source(row: &mut String, model: &Model<'_>, triangle: u32) -> std::fmt::Result {
    let source = model.source_of(triangle);
    if let Some(source) = source {
        write!(row, "{}", source.face)?;
    }
    row.push(',');
    let material = source.and_then(|s| s.material).and_then(|index| model.material_name(index));
    push_quoted(row, material.unwrap_or_default());
    row.push(',');
    let group = source.and_then(|s| s.group).and_then(|index| model.group_name(index));
    let object = source.and_then(|s| s.object).and_then(|index| model.object_name(index));
    push_quoted(row, group.or(object).unwrap_or_default());
    Ok(())
}

/// Appends a CSV field, quoted if RFC 4180 requires it.
pub(super) fn push_quoted(row: &mut String, field: &str) {
    if !field.contains([',', '"', '\r', '\n']) {
        row.push_str(field);
        return;
    }
    row.push('"');
    row.push_str(&field.replace('"', "\"\""));
    row.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let fields = ["", "a b", "a,b", "say \"hi\"", "two\nlines"].map(|field| {
            let mut row = String::new();
            push_quoted(&mut row, field);
            row
        });
        assert_eq!(fields, ["", "a b", "\"a,b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\""]);
    }
}
