//! A height field over a regular grid, z up.

use super::{Parts, noise};
use bvhc::mesh::Mesh;

/// Wavelength of the largest hills, in cells.
const HILL: f64 = 64.0;
/// Half the height of the largest hills, in cells.
const HEIGHT: f64 = 16.0;

/// `columns` times `rows` unit cells of two triangles each from the origin, vertices shared, facing up.
pub fn terrain(columns: u32, rows: u32, seed: u64) -> Mesh {
    let mut parts = Parts::default();
    for y in 0..=rows {
        for x in 0..=columns {
            parts.vertex([x as f32, y as f32, height(x, y, seed)]);
        }
    }
    let stride = columns + 1;
    for y in 0..rows {
        for x in 0..columns {
            let first = y * stride + x;
            parts.quad([first, first + 1, first + stride + 1, first + stride]);
        }
    }
    parts.finish()
}

fn height(x: u32, y: u32, seed: u64) -> f32 {
    (HEIGHT * noise::fractal([f64::from(x) / HILL, f64::from(y) / HILL, 0.5], 6, seed)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_two_triangles() {
        let mesh = terrain(5, 3, 1);
        assert_eq!((mesh.triangles.len(), mesh.positions.len()), (30, 24));
        assert_eq!(mesh.corners(29).map(|[x, y, _]| [x, y]), [[4.0, 2.0], [5.0, 3.0], [4.0, 3.0]]);
    }
}
