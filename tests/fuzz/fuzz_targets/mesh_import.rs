//! Any bytes, imported as a file of any format: an error or what is promised of polygons, never a panic.
//!
//! `tests/fuzz/check` starts from a triangle in each format.
#![no_main]

use bvhc::import::{Input, read_all};
use bvhc::mesh::Polygons;
use bvhc_runtime::format::{MAX_COORDINATE, NONE};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(imported) = read_all(&Input::new(bytes, "fuzz")) else { return };
    assert!(imported.inputs.is_empty());
    check(&imported.polygons);
    let Ok(mesh) = bvhc::clean::mesh(imported.polygons, "fuzz") else { return };
    let vertices = mesh.positions.len() as u32;
    assert!(mesh.triangles.as_flattened().iter().all(|vertex| *vertex < vertices));
});

fn check(polygons: &Polygons) {
    let Polygons { positions, corners, ends, names, face_runs, reversals, .. } = polygons;
    assert!(corners.iter().all(|corner| (*corner as usize) < positions.len()));
    assert!(positions.as_flattened().iter().all(|x| x.abs() <= MAX_COORDINATE));
    assert!(ends.is_sorted() && ends.last() == Some(&(corners.len() as u32)));
    assert!(corners.len() >= 3);
    assert!(face_runs.first().is_some_and(|run| run.first_triangle == 0));
    assert!(face_runs.is_sorted_by(|a, b| a.first_triangle < b.first_triangle));
    assert!(face_runs.last().is_some_and(|run| (run.first_triangle as usize) < ends.len()));
    for run in face_runs {
        let lists = [&names.materials, &names.groups, &names.objects];
        for (number, list) in [run.material, run.group, run.object].into_iter().zip(lists) {
            assert!(number == NONE || (number as usize) < list.len());
        }
    }
    assert!(reversals.is_sorted_by(|a, b| a < b));
    assert!(reversals.last().is_none_or(|face| (*face as usize) <= ends.len()));
}
