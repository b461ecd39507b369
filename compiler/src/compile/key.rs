//! A digest of all that a compiled file depends on.

use std::fmt::Write;

use super::error::CompileError;
use super::{Options, Source};
use crate::optimise::Stop;

/// Changes whenever the same sources and options give other bytes than before; a test compares it with the golden files.
pub const OUTPUT_REVISION: u32 = 14;

/// The key of a source and options: two compilations with the same key give the same bytes. It depends on the bytes of the
/// source and of the files that it refers to, on the options, the compiler's version and [`OUTPUT_REVISION`]; not on paths,
/// the number of threads or the machine. Where time decides (`Stop::After`, `obb_time`) the key does not tell.
///
/// Reads the files that the source refers to, and builds nothing.
///
/// # Errors
/// If the source is in no format that bvhc knows, or refers to other files and cannot be read as a mesh. Worlds have no keys.
pub fn key(source: &Source<'_>, name: &str, options: &Options) -> Result<blake3::Hash, CompileError> {
    let steps = match options.stop {
        Stop::Steps(steps) => Some(steps),
        Stop::After(_) => None,
    };
    let mut text = format!(
        "bvhc {} revision {OUTPUT_REVISION}\n{}\n{} {}\n",
        env!("CARGO_PKG_VERSION"),
        options.text(steps),
        source.hash(),
        source.length(),
    );
    for input in source.others(name)? {
        // Names are quoted, so that no name can look like another line.
        let _ = writeln!(text, "{:?} {} {}", input.name, input.hash, input.length);
    }
    for (key, value) in &options.user_metadata {
        let _ = writeln!(text, "{key:?}={value:?}");
    }
    Ok(crate::file::hash(text.as_bytes()))
}
