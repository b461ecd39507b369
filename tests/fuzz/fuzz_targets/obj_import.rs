//! Any bytes, imported and cleaned as a compilation does: an error or a mesh, never a panic.
//!
//! Start from real files, for example `cp ../golden/quad.obj corpus/obj_import/`.
#![no_main]

use bvhc::import::{self, Input};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Files of common lines are read in another way than the rest, with the same result.
    let input = Input::new(bytes, "fuzz.obj");
    if let Some(common) = import::common_obj(bytes) {
        assert_eq!(Ok(common), import::obj_by_tobj(&input));
    }
    let Ok(polygons) = import::read(bytes, "fuzz.obj") else { return };
    let Ok(mesh) = bvhc::clean::mesh(polygons, "fuzz.obj") else { return };
    let vertices = mesh.positions.len() as u32;
    assert!(mesh.triangles.iter().flatten().all(|vertex| *vertex < vertices));
    assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
    assert_eq!(mesh.faces.len(), mesh.triangles.len());
    assert!(mesh.faces.is_sorted());
});
