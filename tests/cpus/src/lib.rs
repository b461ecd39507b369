//! Every query on a compiled file, and a digest of the answers of each.
//!
//! Questions are drawn from integers and made of them by additions, multiplications and divisions alone, so they are the
//! same on every CPU, and so must the digests be. Needs neither std nor alloc.
#![no_std]

mod digest;
mod draw;
mod pairs;
mod points;
mod rays;
mod shapes;
mod workload;
mod worlds;

use bvhc_runtime::{Level, Model, OpenError, World, WorldError};

pub use digest::{Digest, Report};
pub use workload::Workload;

/// How many questions are asked about a file.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Of each kind about one model or world: rays, points, boxes, shapes.
    pub one: u32,
    /// Of each kind about two models, with each volume.
    pub two: u32,
}

/// The most meshes of a world.
const MESHES: usize = 8;

/// Reports a digest for each kind of query on the file's first mesh, and on its world if it has one.
///
/// # Errors
/// As [`World::from_bytes`].
pub fn ask(bytes: &[u8], level: Level, counts: Counts, report: &mut Report<'_>) -> Result<(), WorldError> {
    if World::is_in(bytes)? {
        let mut meshes = [None; MESHES];
        let world = World::from_bytes_with_level(bytes, level, &mut meshes)?;
        worlds::ask(&world, counts, report);
        return Ok(());
    }
    let model = open(bytes, level)?;
    rays::ask(&model, counts.one, report);
    points::ask(&model, counts.one, report);
    shapes::ask(&model, counts.one, report);
    pairs::ask(&model, counts.two, report);
    Ok(())
}

/// Opens the file's first mesh, for queries at a level.
///
/// # Errors
/// As [`Model::from_bytes`].
pub fn open(bytes: &[u8], level: Level) -> Result<Model<'_>, OpenError> {
    Model::from_bytes(bytes).map(|model| model.with_level(level))
}
