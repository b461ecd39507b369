//! Section solid: the edges of the triangles, and the boundary that they leave.

use bvhc_format::section::{ArchivedSolid, SectionKind};
use bvhc_format::solid::{BoundaryEdges, EDGE_LANES};
use rayon::slice::ParallelSliceMut;

use super::block::corners;
use super::checked::Checked;
use super::error::Fault;

/// What is wrong with the edges.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolidFault {
    /// A number of edges is wrong.
    #[error("{field} is {found} instead of {expected} (L1)")]
    Count {
        /// The field.
        field: &'static str,
        /// What it says.
        found: u64,
        /// What it should say.
        expected: u64,
    },
    /// The boundary has too few or too many records.
    #[error("the boundary has {found} records instead of {expected} (L2)")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// An edge is not of the boundary, or is out of order.
    #[error("boundary edge {edge} goes from {:?} to {:?} instead of from {:?} to {:?} (L2)", found[0], found[1], expected[0], expected[1])]
    Edge {
        /// The index in the list.
        edge: usize,
        /// The edge there.
        found: [[f32; 3]; 2],
        /// The edge that should be there.
        expected: [[f32; 3]; 2],
    },
    /// A lane after the last edge is not an edge from and to the first vertex of its record.
    #[error("lane {lane} of the last record is no repetition of its first vertex (L3)")]
    Unused {
        /// The lane.
        lane: usize,
    },
}

impl Fault for SolidFault {
    const SECTION: SectionKind = SectionKind::Solid;
}

/// L1 to L3, on valid blocks and triangle numbers.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), SolidFault> {
    let Some(solid) = checked.model.sections().solid() else { return Ok(()) };
    let expected = Expected::of(checked);
    expected.check_counts(solid)?;
    expected.check_boundary(solid.boundary.get())
}

/// Whether the surface has no boundary, on valid blocks and triangle numbers.
pub(super) fn is_closed(checked: &Checked<'_>) -> bool {
    Expected::of(checked).boundary.is_empty()
}

/// A vertex, as the bits of its coordinates.
type Vertex = [u32; 3];

/// What the section must say.
struct Expected {
    /// Fields and their values.
    counts: [(&'static str, u64); 5],
    boundary: Vec<[Vertex; 2]>,
}

impl Expected {
    fn of(checked: &Checked<'_>) -> Self {
        let mut halves = half_edges(checked);
        halves.par_sort_unstable();
        let [mut edges, mut open, mut flipped, mut branching] = [0; 4];
        let mut boundary = Vec::new();
        for run in halves.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (low, high, _) = run[0];
            let backward = run.iter().filter(|(.., is_backward)| *is_backward).count();
            let forward = run.len() - backward;
            edges += 1;
            open += u64::from(run.len() == 1);
            flipped += u64::from(run.len() == 2 && forward != 1);
            branching += u64::from(run.len() > 2);
            let edge = if forward > backward { [low, high] } else { [high, low] };
            boundary.extend(std::iter::repeat_n(edge, forward.abs_diff(backward)));
        }
        let counts = [
            ("edges", edges),
            ("open_edges", open),
            ("flipped_edges", flipped),
            ("branching_edges", branching),
            ("boundary_edges", boundary.len() as u64),
        ];
        Self { counts, boundary }
    }

    /// L1
    fn check_counts(&self, solid: &ArchivedSolid<'_>) -> Result<(), SolidFault> {
        let found =
            [solid.edges, solid.open_edges, solid.flipped_edges, solid.branching_edges, solid.boundary_edges];
        for (found, (field, expected)) in found.into_iter().zip(self.counts) {
            let found = found.to_native();
            if found != expected {
                return Err(SolidFault::Count { field, found, expected });
            }
        }
        Ok(())
    }

    /// L2 and L3
    fn check_boundary(&self, records: &[BoundaryEdges]) -> Result<(), SolidFault> {
        let expected = self.boundary.len().div_ceil(EDGE_LANES);
        if records.len() != expected {
            return Err(SolidFault::Length { found: records.len(), expected });
        }
        let lanes = records.iter().flat_map(|record| (0..EDGE_LANES).map(move |lane| (record, lane)));
        for (edge, (record, lane)) in lanes.enumerate() {
            let found = [vertex(&record.from, lane), vertex(&record.to, lane)];
            match self.boundary.get(edge) {
                Some(expected) if *expected != found => {
                    let floats = |edge: [Vertex; 2]| edge.map(|vertex| vertex.map(f32::from_bits));
                    return Err(SolidFault::Edge { edge, found: floats(found), expected: floats(*expected) });
                }
                None if found != [vertex(&record.from, 0); 2] => return Err(SolidFault::Unused { lane }),
                _ => {}
            }
        }
        Ok(())
    }
}

fn vertex(of: &[[f32; EDGE_LANES]; 3], lane: usize) -> Vertex {
    of.map(|axis| axis[lane].to_bits())
}

/// The edges of every triangle that have a length: the lower end, the higher one, and whether the edge goes from that.
fn half_edges(checked: &Checked<'_>) -> Vec<(Vertex, Vertex, bool)> {
    let numbers = checked.model.sections().geometry().triangles.get();
    let mut is_known = vec![false; checked.triangles() as usize];
    let mut halves = Vec::with_capacity(3 * is_known.len());
    for block in checked.table.blocks.iter() {
        for lane in 0..usize::from(block.triangles) {
            // A split triangle is in several blocks.
            let number = numbers[block.first as usize + lane].to_native() as usize;
            if std::mem::replace(&mut is_known[number], true) {
                continue;
            }
            let corners = corners(block, lane).map(|corner| corner.map(f32::to_bits));
            let edges = [0, 1, 2].map(|k| (corners[k], corners[(k + 1) % 3]));
            let halves_of = |(a, b): (Vertex, Vertex)| (a.min(b), a.max(b), a > b);
            halves.extend(edges.into_iter().filter(|(a, b)| a != b).map(halves_of));
        }
    }
    halves
}
