//! Builds the records of section hull from the convex hull of a mesh.

use bvhc_format::hull::{Cells, HullVertex, MAX_CELLS};
use bvhc_runtime::compare_along;

use crate::fit::Polytope;
use crate::mesh::Mesh;

/// The contents of section hull.
pub struct HullRecords {
    /// The vertices.
    pub vertices: Vec<HullVertex>,
    /// The neighbours of all vertices, concatenated.
    pub neighbours: Vec<u32>,
    /// For each cell of directions, the vertex farthest along its middle direction.
    pub starts: Vec<u32>,
}

/// Builds the records of the hull of a mesh's triangles, with about as many start cells as vertices. `None` if the
/// number of edges overflows 32 bits.
pub fn lay_out_hull(mesh: &Mesh) -> Option<HullRecords> {
    let mut is_used = vec![false; mesh.positions.len()];
    mesh.triangles.iter().flatten().for_each(|vertex| is_used[*vertex as usize] = true);
    let used = mesh.positions.iter().zip(is_used).filter(|(_, is_used)| *is_used);
    let hull = Polytope::around(&used.map(|(position, _)| *position).collect::<Vec<_>>());
    u32::try_from(hull.neighbours.iter().map(Vec::len).sum::<usize>()).ok()?;
    let side = (hull.vertices.len() as f64 / 6.0).sqrt().ceil() as usize;
    let cells = Cells::of_side(side.min(MAX_CELLS)).expect("there is a vertex");
    Some(HullRecords {
        vertices: vertices(&hull),
        starts: starts(&hull, cells),
        neighbours: hull.neighbours.into_iter().flatten().collect(),
    })
}

fn vertices(hull: &Polytope) -> Vec<HullVertex> {
    let mut end = 0;
    let of = |(position, neighbours): (&[f32; 3], &Vec<u32>)| {
        end += neighbours.len() as u32;
        HullVertex { position: *position, end }
    };
    hull.vertices.iter().zip(&hull.neighbours).map(of).collect()
}

/// The start of each cell, found by climbing from the start of the previous cell.
fn starts(hull: &Polytope, cells: Cells) -> Vec<u32> {
    let mut at = 0;
    (0..cells.count())
        .map(|cell| {
            at = climb(hull, &cells.middle(cell), at);
            at
        })
        .collect()
}

/// The vertex farthest along a direction, found by hill climbing along edges from `start`.
fn climb(hull: &Polytope, direction: &[f32; 3], start: u32) -> u32 {
    let is_farther = |a: u32, b: u32| {
        compare_along(direction, &hull.vertices[a as usize], &hull.vertices[b as usize]).is_gt()
    };
    let mut at = start;
    while let Some(higher) = hull.neighbours[at as usize].iter().find(|vertex| is_farther(**vertex, at)) {
        at = *higher;
    }
    at
}
