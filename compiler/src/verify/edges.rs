//! Section edges: what is across the edges of triangles.

use bvhc_format::NONE;
use bvhc_format::edges::{TriangleEdges, UNKNOWN_ANGLE};
use bvhc_format::section::SectionKind;

use super::checked::Checked;
use super::error::{Fault, or_none};
use crate::layout::lay_out_edges;

/// What is wrong with section edges.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgeFault {
    /// There is not one record a triangle.
    #[error("there are {found} records for {expected} triangles (J1)")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A triangle across an edge is another one.
    #[error("triangle {triangle}, edge {edge}: the triangle across is {} instead of {} (J2)", of_number(*found), of_number(*expected))]
    Neighbour {
        /// The triangle.
        triangle: usize,
        /// Its edge.
        edge: usize,
        /// What the record says.
        found: u32,
        /// What it should say.
        expected: u32,
    },
    /// An angle is wrong.
    #[error("triangle {triangle}, angle {slot}: {field} is {found} instead of {expected} (J3)")]
    Angle {
        /// The triangle.
        triangle: usize,
        /// 0 to 2 at edges, 3 to 5 at corners.
        slot: usize,
        /// `convex` or `concave`.
        field: &'static str,
        /// What the record says.
        found: u16,
        /// What it should say.
        expected: u16,
    },
}

/// A triangle's number, if it is one.
fn of_number(number: u32) -> String {
    or_none(&Some(number).filter(|number| *number != NONE))
}

impl Fault for EdgeFault {
    const SECTION: SectionKind = SectionKind::Edges;
}

/// J1 to J3, on valid blocks and triangle numbers.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), EdgeFault> {
    let Some(records) = checked.model.sections().edges() else { return Ok(()) };
    let expected = lay_out_edges(&checked.all_corners());
    if records.len() != expected.len() {
        return Err(EdgeFault::Length { found: records.len(), expected: expected.len() });
    }
    let mut pairs = records.iter().zip(&expected).enumerate();
    pairs.try_for_each(|(triangle, (found, expected))| check_record(triangle, found, expected))
}

fn check_record(triangle: usize, found: &TriangleEdges, expected: &TriangleEdges) -> Result<(), EdgeFault> {
    for (edge, (found, expected)) in found.neighbours.into_iter().zip(expected.neighbours).enumerate() {
        if found != expected {
            return Err(EdgeFault::Neighbour { triangle, edge, found, expected });
        }
    }
    for (field, found, expected) in
        [("convex", found.convex, expected.convex), ("concave", found.concave, expected.concave)]
    {
        for (slot, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let is_close = expected != UNKNOWN_ANGLE && found.abs_diff(expected) <= 1;
            if found != expected && found != UNKNOWN_ANGLE && !is_close {
                return Err(EdgeFault::Angle { triangle, slot, field, found, expected });
            }
        }
    }
    Ok(())
}
