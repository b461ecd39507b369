//! Any bytes, imported and cleaned as a compilation does: an error or a mesh, never a panic.
//!
//! Start from real files, for example `cp ../golden/quad.obj corpus/obj_import/`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(polygons) = bvhc::import::read(bytes, "fuzz.obj") else { return };
    let Ok(mesh) = bvhc::clean::mesh(polygons, "fuzz.obj") else { return };
    let vertices = mesh.positions.len() as u32;
    assert!(mesh.triangles.iter().flatten().all(|vertex| *vertex < vertices));
    assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
    assert_eq!(mesh.faces.len(), mesh.triangles.len());
    assert!(mesh.faces.is_sorted());
});
