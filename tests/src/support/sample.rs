//! The sample models.

use bvhc::mesh::Mesh;
use bvhc::{clean, import};
use std::path::PathBuf;

/// The Stanford bunny, as the compiler sees it; in the folder that `BVHC_MODELS` names, or in that of the sources.
pub fn bunny() -> Mesh {
    let folder = std::env::var_os("BVHC_MODELS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models"), PathBuf::from);
    let path = folder.join("stanford-bunny.obj");
    let obj = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let polygons = import::read(&obj, "bunny").expect("the bunny can be read");
    clean::mesh(polygons, "bunny").expect("the bunny has triangles")
}
