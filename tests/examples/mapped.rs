//! A model in a memory-mapped file: only the pages that queries touch are read.

use bvhc_runtime::{Aabb, FileError, MappedModel};
use std::ops::ControlFlow;

fn main() -> Result<(), FileError> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "tests/golden/quad.bvh".into());
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
