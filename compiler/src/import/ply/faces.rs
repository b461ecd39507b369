//! Faces, and the triangles of strips.

use crate::import::DataFault;
use crate::import::builder::Builder;

/// Adds a face.
pub(super) fn add_face(indices: &[i64], builder: &mut Builder) -> Result<(), DataFault> {
    // Most have few corners.
    let mut few = [0; 4];
    if let Some(corners) = few.get_mut(..indices.len()) {
        for (corner, index) in corners.iter_mut().zip(indices) {
            *corner = vertex(*index, builder)?;
        }
        return builder.face(corners);
    }
    let corners: Result<Vec<u32>, DataFault> = indices.iter().map(|index| vertex(*index, builder)).collect();
    builder.face(&corners?)
}

fn vertex(index: i64, builder: &Builder) -> Result<u32, DataFault> {
    let vertices = u64::from(builder.vertices());
    match u32::try_from(index) {
        Ok(vertex) if u64::from(vertex) < vertices => Ok(vertex),
        _ => Err(DataFault::Index { found: index, vertices }),
    }
}

/// The index that ends a strip and begins another.
const RESTART: i64 = -1;

/// A strip of triangles: each index makes one with the two before it.
#[derive(Default)]
pub(super) struct Strip {
    /// How many indices there are since the last restart.
    length: u64,
    /// The last two.
    last: [u32; 2],
}

impl Strip {
    /// Goes on to an index, and adds the triangle that it makes.
    pub(super) fn next(&mut self, index: i64, builder: &mut Builder) -> Result<(), DataFault> {
        if index == RESTART {
            self.length = 0;
            return Ok(());
        }
        let new = vertex(index, builder)?;
        let [first, second] = self.last;
        if self.length >= 2 {
            // The two before it are in the other order for every second triangle.
            let is_odd = self.length % 2 == 1;
            builder.face(&if is_odd { [second, first, new] } else { [first, second, new] })?;
        }
        self.last = [second, new];
        self.length += 1;
        Ok(())
    }
}
