//! Spheres of nearly equal triangles: an icosahedron, each side divided into `frequency` squared triangles.
//!
//! Closed, with shared vertices, counterclockwise as seen from outside. 20 * frequency^2 triangles and
//! 10 * frequency^2 + 2 vertices: frequency 255 gives 1.3 million triangles.

use super::{mesh, noise};
use bvhc::mesh::Mesh;
use std::collections::HashMap;

/// A sphere of radius 1 around the origin.
pub fn icosphere(frequency: u32) -> Mesh {
    displaced(frequency, 0.0, 0)
}

/// A sphere whose radius differs from 1 by at most twice `amplitude`, smoothly.
pub fn displaced(frequency: u32, amplitude: f64, seed: u64) -> Mesh {
    let lattice = Lattice::new(frequency);
    let project = |point: [f64; 3]| {
        let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        let point = point.map(|x| x / length);
        let radius = if amplitude == 0.0 { 1.0 } else { 1.0 + amplitude * bump(point, seed) };
        point.map(|x| (x * radius) as f32)
    };
    mesh(lattice.points.into_iter().map(project).collect(), lattice.triangles)
}

fn bump(point: [f64; 3], seed: u64) -> f64 {
    noise::fractal(point.map(|x| 2.0 * x), 5, seed)
}

const SIDES: [[usize; 3]; 20] = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 5],
    [0, 5, 1],
    [1, 6, 2],
    [2, 6, 7],
    [2, 7, 3],
    [3, 7, 8],
    [3, 8, 4],
    [4, 8, 9],
    [4, 9, 5],
    [5, 9, 10],
    [5, 10, 1],
    [1, 10, 6],
    [11, 7, 6],
    [11, 8, 7],
    [11, 9, 8],
    [11, 10, 9],
    [11, 6, 10],
];

/// Corner 0, the ring of five around it, the ring around its antipode, and the antipode.
fn corners() -> [[f64; 3]; 12] {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let (a, b) = (1.0, golden);
    [
        [0.0, a, b],
        [0.0, -a, b],
        [b, 0.0, a],
        [a, b, 0.0],
        [-a, b, 0.0],
        [-b, 0.0, a],
        [a, -b, 0.0],
        [b, 0.0, -a],
        [0.0, a, -b],
        [-b, 0.0, -a],
        [-a, -b, 0.0],
        [0.0, -a, -b],
    ]
}

/// The points of the subdivided icosahedron, before projection, and their triangles.
struct Lattice {
    frequency: u32,
    corners: [[f64; 3]; 12],
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// The first of the points inside each edge, counted from its lower corner.
    edges: HashMap<(usize, usize), u32>,
}

impl Lattice {
    fn new(frequency: u32) -> Self {
        assert!(frequency > 0, "a side has at least one triangle");
        let (triangles, edges) = (Vec::new(), HashMap::new());
        let corners = corners();
        let mut lattice = Self { frequency, corners, points: corners.to_vec(), triangles, edges };
        for side in SIDES {
            let rows = lattice.rows(side);
            lattice.fill(&rows);
        }
        lattice
    }

    /// The combination of three corners with these weights, which add up to the frequency.
    fn blend(&self, side: [usize; 3], weights: [u32; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| (0..3).map(|i| self.corners[side[i]][axis] * f64::from(weights[i])).sum())
    }

    /// The vertices of a side, in rows from its first corner to the opposite edge.
    fn rows(&mut self, [a, b, c]: [usize; 3]) -> Vec<Vec<u32>> {
        let (left, right, base) = (self.edge(a, b), self.edge(a, c), self.edge(b, c));
        let mut rows = vec![vec![a as u32]];
        for row in 1..self.frequency {
            let mut vertices = vec![left[row as usize]];
            for step in 1..row {
                vertices.push(self.points.len() as u32);
                self.points.push(self.blend([a, b, c], [self.frequency - row, row - step, step]));
            }
            vertices.push(right[row as usize]);
            rows.push(vertices);
        }
        rows.push(base);
        rows
    }

    /// The vertices of an edge, both corners included.
    fn edge(&mut self, from: usize, to: usize) -> Vec<u32> {
        let (low, high) = (from.min(to), from.max(to));
        let next = self.points.len() as u32;
        let first = *self.edges.entry((low, high)).or_insert(next);
        if first == next {
            let inside = 1..self.frequency;
            let points: Vec<_> =
                inside.map(|i| self.blend([low, high, low], [self.frequency - i, i, 0])).collect();
            self.points.extend(points);
        }
        let mut vertices = vec![low as u32];
        vertices.extend(first..first + self.frequency - 1);
        vertices.push(high as u32);
        if from > to {
            vertices.reverse();
        }
        vertices
    }

    fn fill(&mut self, rows: &[Vec<u32>]) {
        for pair in rows.windows(2) {
            let (above, below) = (&pair[0], &pair[1]);
            for (step, &top) in above.iter().enumerate() {
                self.triangles.push([top, below[step], below[step + 1]]);
                if step > 0 {
                    self.triangles.push([above[step - 1], below[step], top]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, volume};
    use super::*;

    #[test]
    fn closed_outward_and_as_many_as_promised() {
        for frequency in [1, 2, 3, 10] {
            let mesh = icosphere(frequency);
            let count = (frequency * frequency) as usize;
            assert_eq!((mesh.triangles.len(), mesh.positions.len()), (20 * count, 10 * count + 2));
            assert!(is_closed(&mesh));
            assert!(volume(&mesh) > 15.0 && volume(&mesh) < 8.0 * std::f64::consts::PI);
        }
    }

    #[test]
    fn every_vertex_is_on_the_sphere() {
        let square = |point: &[f32; 3]| point.iter().map(|x| x * x).sum::<f32>();
        assert!(icosphere(7).positions.iter().all(|point| (square(point) - 1.0).abs() < 1e-6));
    }

    #[test]
    fn displacement_keeps_it_closed_and_depends_on_the_seed() {
        let mesh = displaced(8, 0.2, 1);
        assert!(is_closed(&mesh) && volume(&mesh) > 10.0);
        assert_ne!(mesh, displaced(8, 0.2, 2));
        assert_eq!(mesh, displaced(8, 0.2, 1));
    }
}
