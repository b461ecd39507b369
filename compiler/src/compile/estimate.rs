//! How much memory a compilation takes.

use super::error::CompileError;
use super::options::{Options, Quality};
use crate::mesh::Mesh;

/// Refuses what would take more memory than it may. `source` is the length of the source, which the caller holds.
pub(super) fn check(name: &str, source: u64, mesh: &Mesh, options: &Options) -> Result<(), CompileError> {
    let triangles = mesh.triangles.len() as u64;
    let needed = source + triangles * bytes_per_triangle(options);
    match options.memory_limit {
        Some(limit) if needed > limit => {
            Err(CompileError::Memory { file: name.to_owned(), triangles, needed, limit })
        }
        _ => Ok(()),
    }
}

/// The peak of memory for each triangle, beside the source.
fn bytes_per_triangle(options: &Options) -> u64 {
    match options.quality {
        Quality::Fast | Quality::Default => 250,
        Quality::Best => 600,
    }
}
