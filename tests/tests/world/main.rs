//! Queries of worlds: what they answer is what the mesh of all their triangles answers.

mod between;
mod changes;
mod exact;
mod golden;
mod hostile;
mod identity;
mod inside;
mod kept;
mod moving;
mod moving_pairs;
mod moving_shapes;
mod near;
mod owned;
mod schedule;
mod shapes;
mod similar;
mod soak;
mod sweep;
mod thin;
mod thin_hostile;
mod turned;

use bvhc::file::Bytes;
use bvhc_runtime::{Level, Model, World};

/// Opens a world on a level, and asks.
fn with_world<R>(file: &Bytes, level: Level, ask: impl FnOnce(&World<'_>) -> R) -> R {
    let count = Model::mesh_count(file).expect("it has a directory");
    let mut meshes = vec![None; count as usize];
    ask(&World::from_bytes_with_level(file, level, &mut meshes).expect("it opens"))
}
