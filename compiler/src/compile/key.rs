//! A digest of all that a compiled file depends on.

use std::fmt::Write;

use bvhc_format::record::AttributeRun;

use super::error::CompileError;
use super::{Options, Source};
use crate::import::{Imported, OtherInput};
use crate::mesh::Polygons;
use crate::optimise::Stop;

/// Changes whenever the same sources and options give other bytes than before; a test compares it with the golden files.
pub const OUTPUT_REVISION: u32 = 15;

/// The key of a source and options: two compilations with the same key give the same bytes. It depends on the bytes of the
/// source and of the files that it refers to, on the options, the compiler's version and [`OUTPUT_REVISION`]; not on paths,
/// the number of threads or the machine. Where time decides (`Stop::After`, `obb_time`) the key does not tell.
///
/// Reads the files that the source refers to, and builds nothing.
///
/// # Errors
/// If the source is in no format that bvhc knows, or refers to other files and cannot be read as a mesh. Worlds have no keys.
pub fn key(source: &Source<'_>, name: &str, options: &Options) -> Result<blake3::Hash, CompileError> {
    let text = text((source.hash(), source.length()), &source.others(name)?, options);
    Ok(crate::file::hash(text.as_bytes()))
}

/// The key of what was imported from a source of this hash and length: of files with several meshes, each has one. `change` is
/// whatever says how the vertices are changed once they have their places.
pub(crate) fn key_of_imported(
    imported: &Imported,
    source: (blake3::Hash, u64),
    change: &[u64],
    options: &Options,
) -> blake3::Hash {
    let Imported { polygons, inputs, notes: _ } = imported;
    let mut hasher = blake3::Hasher::new();
    let mut text = text(source, inputs, options);
    let _ = writeln!(text, "{change:x?}");
    let Polygons { positions, source_vertices, corners, ends, names, face_runs, reversals } = polygons;
    let lengths = [positions.len(), corners.len(), ends.len(), face_runs.len(), reversals.len()];
    let _ = writeln!(text, "{source_vertices} {names:?} {lengths:?}");
    hasher.update(text.as_bytes());
    let runs = face_runs.iter().flat_map(|run| {
        let AttributeRun { first_triangle, material, group, object } = *run;
        [first_triangle, material, group, object]
    });
    let bits = positions.as_flattened().iter().map(|x| x.to_bits());
    for number in bits.chain(corners.iter().chain(ends).chain(reversals).copied()).chain(runs) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize()
}

/// What a file depends on beside the bytes of its mesh.
fn text((hash, length): (blake3::Hash, u64), others: &[OtherInput], options: &Options) -> String {
    let steps = match options.stop {
        Stop::Steps(steps) => Some(steps),
        Stop::After(_) => None,
    };
    let mut text = format!(
        "bvhc {} revision {OUTPUT_REVISION}\n{}\n{hash} {length}\n",
        env!("CARGO_PKG_VERSION"),
        options.text(steps),
    );
    for input in others {
        // Names are quoted, so that no name can look like another line.
        let _ = writeln!(text, "{:?} {} {}", input.name, input.hash, input.length);
    }
    for (key, value) in &options.user_metadata {
        let _ = writeln!(text, "{key:?}={value:?}");
    }
    text
}
