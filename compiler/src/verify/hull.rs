//! Section hull: the vertices and edges of the exact hull, and the start vertices of cells.

use bvhc_format::record::Block;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Hull, compare_along};

use super::block::corners;
use super::blocks::BlockTable;
use super::checked::Checked;
use super::error::{Fault, or_none};
use crate::fit::Polytope;

/// What is wrong with the hull.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HullFault {
    /// A vertex is missing, is not a vertex of the hull, or is out of order.
    #[error("vertex {vertex} is {} instead of {} (C2)", or_none(found), or_none(expected))]
    Vertex {
        /// The index in the list.
        vertex: usize,
        /// The vertex there, if any.
        found: Option<[f32; 3]>,
        /// The vertex that should be there, if any.
        expected: Option<[f32; 3]>,
    },
    /// The neighbours of a vertex do not end where they should.
    #[error("the neighbours of vertex {vertex} end at {found} instead of {expected} (C3)")]
    End {
        /// The vertex.
        vertex: usize,
        /// Where they end.
        found: u64,
        /// Where they should end.
        expected: u64,
    },
    /// The number of neighbours is not the sum over all vertices.
    #[error("there are {found} neighbours instead of {expected} (C3)")]
    Neighbours {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A neighbour is not joined by an edge, or is out of order.
    #[error("vertex {vertex} has the neighbour {found} where it should have {expected} (C3)")]
    Neighbour {
        /// The vertex.
        vertex: usize,
        /// The neighbour it has.
        found: u32,
        /// The one it should have.
        expected: u32,
    },
    /// A start is not the vertex farthest along the middle direction of its cell.
    #[error("the start of cell {cell} is vertex {found}, but not the farthest (C4)")]
    Start {
        /// The cell.
        cell: usize,
        /// The vertex.
        found: u32,
    },
}

impl Fault for HullFault {
    const SECTION: SectionKind = SectionKind::Hull;
}

/// C2 to C4, on valid blocks.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), HullFault> {
    let (model, table) = (checked.model, checked.table);
    let Some(hull) = model.sections().hull() else { return Ok(()) };
    let expected = Polytope::around(&positions(table));
    check_vertices(&hull, &expected)?;
    check_neighbours(&hull, &expected)?;
    check_starts(&hull)
}

/// The corners of the triangles in all blocks.
fn positions(table: &BlockTable<'_>) -> Vec<[f32; 3]> {
    let of_block = |block: &Block| {
        (0..usize::from(block.triangles)).flat_map(|lane| corners(block, lane)).collect::<Vec<_>>()
    };
    table.blocks.iter().flat_map(of_block).collect()
}

fn check_vertices(hull: &Hull<'_>, expected: &Polytope) -> Result<(), HullFault> {
    let found = |vertex: usize| hull.vertices().get(vertex).map(|vertex| vertex.position);
    let wanted = |vertex: usize| expected.vertices.get(vertex).copied();
    let bits = |point: Option<[f32; 3]>| point.map(|point| point.map(f32::to_bits));
    let (count, most) = (hull.vertices().len(), expected.vertices.len());
    match (0..count.max(most)).find(|vertex| bits(found(*vertex)) != bits(wanted(*vertex))) {
        Some(vertex) => Err(HullFault::Vertex { vertex, found: found(vertex), expected: wanted(vertex) }),
        None => Ok(()),
    }
}

fn check_neighbours(hull: &Hull<'_>, expected: &Polytope) -> Result<(), HullFault> {
    let mut end = 0;
    for (vertex, (found, neighbours)) in hull.vertices().iter().zip(&expected.neighbours).enumerate() {
        end += neighbours.len();
        if found.end as usize != end {
            return Err(HullFault::End { vertex, found: found.end.into(), expected: end as u64 });
        }
    }
    if hull.neighbours().len() != end {
        return Err(HullFault::Neighbours { found: hull.neighbours().len(), expected: end });
    }
    let expected = (0..)
        .zip(&expected.neighbours)
        .flat_map(|(vertex, list)| list.iter().map(move |other| (vertex, *other)));
    match hull.neighbours().iter().zip(expected).find(|(found, (_, expected))| found.to_native() != *expected)
    {
        Some((found, (vertex, expected))) => {
            Err(HullFault::Neighbour { vertex, found: found.to_native(), expected })
        }
        None => Ok(()),
    }
}

/// Relies on valid vertices and neighbours: a vertex is farthest if no neighbour is farther.
fn check_starts(hull: &Hull<'_>) -> Result<(), HullFault> {
    let is_farthest = |cell: usize, start: u32| {
        let position = |vertex: u32| hull.vertices().get(vertex as usize).map(|vertex| vertex.position);
        position(start).is_some_and(|highest| {
            let others = hull.neighbours_of(start).iter().filter_map(|other| position(other.to_native()));
            others
                .into_iter()
                .all(|other| compare_along(&hull.cells().middle(cell), &other, &highest).is_le())
        })
    };
    let mut starts = hull.starts().iter().map(|start| start.to_native()).enumerate();
    match starts.find(|(cell, start)| !is_farthest(*cell, *start)) {
        Some((cell, found)) => Err(HullFault::Start { cell, found }),
        None => Ok(()),
    }
}
