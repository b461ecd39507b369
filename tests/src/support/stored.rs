//! The triangles of a file as stored.

use bvhc::mesh::Mesh;
use bvhc_runtime::Model;

use crate::scene::mesh;

/// The mesh that queries on a model see: in a small layout vertices differ from the source's, and triangles may have
/// become flat.
pub fn stored(model: &Model<'_>) -> Mesh {
    let numbers = model.sections().geometry().triangles.get();
    let mut corners = vec![[[0.0; 3]; 3]; model.triangle_count() as usize];
    for (_, block) in model.sections().blocks().iter() {
        for lane in 0..usize::from(block.triangles) {
            let number = numbers[block.first as usize + lane].to_native() as usize;
            let place = |slot: u8| block.positions.map(|axis| axis[usize::from(slot)]);
            corners[number] = block.corners.map(|slots| place(slots[lane]));
        }
    }
    let triangles = (0..corners.len() as u32).map(|triangle| [0, 1, 2].map(|k| 3 * triangle + k));
    mesh(corners.as_flattened().to_vec(), triangles.collect())
}
