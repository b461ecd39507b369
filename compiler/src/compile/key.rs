//! A digest of all that a compiled file depends on.

use std::fmt::Write;

use bvhc_format::record::AttributeRun;

use super::error::CompileError;
use super::{Options, Report, Source};
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

impl Report {
    /// The [`key`] of what was compiled with these options, for a cache: not the one that [`key`] returned before if a file that
    /// the source refers to was changed in between.
    pub fn key(&self, options: &Options) -> blake3::Hash {
        let text = text((self.source_hash, self.source_length), &self.inputs, options);
        crate::file::hash(text.as_bytes())
    }
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;
    use crate::compile::compile_source;
    use crate::import::Files;

    /// A buffer of three vertices that somebody moves whenever it is read.
    #[derive(Debug, Default)]
    struct Changing(AtomicU8);

    impl Files for Changing {
        fn read(&self, _: &str) -> io::Result<Vec<u8>> {
            let x = f32::from(self.0.fetch_add(1, Ordering::Relaxed));
            let positions = [x, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            Ok(positions.iter().flat_map(|x| x.to_le_bytes()).collect())
        }
    }

    /// A cache keeps a file by the key of what it was made from.
    #[test]
    fn files_that_change_give_the_key_of_what_was_compiled() {
        let bytes = br#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"uri":"a.bin","byteLength":36}],
            "bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,
            "count":3,"type":"VEC3","min":[0,0,0],"max":[9,1,1]}]}"#;
        let options = Options::default();
        let with = |reads: u8| Changing(AtomicU8::new(reads));
        let key = |files: &Changing| key(&Source::Files { bytes, files }, "a.gltf", &options).unwrap();
        let files = with(1);
        let asked = key(&files);
        let source = Source::Files { bytes, files: &files };
        let report = compile_source(&source, "a.gltf", &options, &()).unwrap().report;
        let compiled = report.key(&options);
        assert_ne!(compiled, asked);
        assert_eq!(compiled, key(&with(2)));
    }
}
