//! The sample models.

use bvhc::mesh::Mesh;
use bvhc::{clean, import};
use std::path::PathBuf;

/// The Stanford bunny.
pub fn bunny() -> Mesh {
    model("stanford-bunny")
}

/// A model, as the compiler sees it; in the folder that `BVHC_MODELS` names, or in that of the sources.
pub fn model(name: &str) -> Mesh {
    let folder = std::env::var_os("BVHC_MODELS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models"), PathBuf::from);
    let path = folder.join(format!("{name}.obj"));
    let obj = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let polygons = import::read(&obj, name).expect("the model can be read");
    clean::mesh(polygons, name).expect("the model has triangles")
}
