//! A model in a memory-mapped file: only the pages that queries touch are read.

use std::ops::ControlFlow;

use bvhc_runtime::{Aabb, FileError, MappedModel};

fn main() -> Result<(), FileError> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/quad.bvh");
    // SAFETY: nobody changes the file while it is mapped.
    #[allow(unsafe_code)]
    let file = unsafe { MappedModel::open(path) }?;
    let model = file.model();
    if let Some(nearest) = model.closest_point([0.0, 0.0, 2.0], f32::INFINITY) {
        println!("closest point {:?}, {} away", nearest.point, nearest.distance);
    }
    let mut touched = 0;
    let _ = model.overlap_box(&Aabb::new([-1.0; 3], [1.0; 3]), |_| {
        touched += 1;
        ControlFlow::Continue(())
    });
    println!("{touched} triangles touch the box");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_readme_shows_this_file_and_it_runs() {
        let (shown, _) = include_str!("mapped.rs").split_once("\n#[cfg(test)]").expect("tests come last");
        assert!(include_str!("../../README.md").contains(shown.trim_end()));
        super::main().expect("the example runs");
    }
}
