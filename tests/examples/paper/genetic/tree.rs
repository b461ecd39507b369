//! The tree of the paper's sections 2.2 and 3.3: two children per node, built from the top down, each box fitted to its
//! triangles' corners and split at the midpoint of its longest axis.
//!
//! Departures: a triangle belongs to the side of its centre, where the paper has some on both; if the longest axis
//! leaves one side empty, the next one is tried. The paper does not say how many triangles make a leaf.

use bvhc::fit::{Method, Obb, Objective, Scratch, fit};
use bvhc::mesh::Mesh;

/// Triangles that a leaf may hold, unless no axis splits them.
pub(super) const LEAF: usize = 4;

/// Nothing is split below this level.
const DEEPEST: u32 = 40;

/// Statistics of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) boxes: usize,
    pub(super) leaves: usize,
    pub(super) triangles: usize,
    /// The sum of the volumes of the leaves' boxes.
    pub(super) leaf_volume: f64,
}

impl Figures {
    pub(super) fn triangles_a_leaf(&self) -> f64 {
        self.triangles as f64 / self.leaves as f64
    }
}

/// Builds the tree, on this thread.
pub(super) fn build(mesh: &Mesh, method: &Method) -> Figures {
    let mut triangles: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let mut builder = Builder { mesh, method, scratch: Scratch::default(), figures: Figures::default() };
    builder.build(&mut triangles, 0);
    builder.figures
}

/// The box of the whole model.
pub(super) fn root(mesh: &Mesh, method: &Method, scratch: &mut Scratch) -> Obb {
    fit(method, Objective::Volume, &mesh.positions, scratch)
}

struct Builder<'a> {
    mesh: &'a Mesh,
    method: &'a Method,
    scratch: Scratch,
    figures: Figures,
}

impl Builder<'_> {
    fn build(&mut self, triangles: &mut [u32], level: u32) {
        let obb = fit(self.method, Objective::Volume, &self.vertices(triangles), &mut self.scratch);
        self.figures.boxes += 1;
        let is_small = triangles.len() <= LEAF || level == DEEPEST;
        match (0..3).find_map(|axis| self.split(triangles, &obb, axis)).filter(|_| !is_small) {
            Some(half) => {
                let (left, right) = triangles.split_at_mut(half);
                self.build(left, level + 1);
                self.build(right, level + 1);
            }
            None => {
                self.figures.leaves += 1;
                self.figures.triangles += triangles.len();
                self.figures.leaf_volume += obb.volume();
            }
        }
    }

    /// The corners of the triangles, without repetitions.
    fn vertices(&self, triangles: &[u32]) -> Vec<[f32; 3]> {
        let of = |triangle: &u32| self.mesh.triangles[*triangle as usize];
        let mut vertices: Vec<u32> = triangles.iter().flat_map(of).collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices.iter().map(|vertex| self.mesh.positions[*vertex as usize]).collect()
    }

    /// Moves the triangles on one side of the midpoint of an axis to the front and returns their number; `None` if one
    /// side is empty. The axes of a fit are sorted by extent, the longest first.
    fn split(&self, triangles: &mut [u32], obb: &Obb, axis: usize) -> Option<usize> {
        let along = |triangle: u32| {
            let corners = self.mesh.corners(triangle);
            let offset =
                |i: usize| corners.iter().map(|corner| f64::from(corner[i]) - obb.centre[i]).sum::<f64>();
            (0..3).map(|i| obb.frame.axes[axis][i] * offset(i)).sum::<f64>()
        };
        let mut half = 0;
        for place in 0..triangles.len() {
            if along(triangles[place]) < 0.0 {
                triangles.swap(half, place);
                half += 1;
            }
        }
        (half > 0 && half < triangles.len()).then_some(half)
    }
}
