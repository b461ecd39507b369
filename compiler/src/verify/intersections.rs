//! Section intersections: the triangles that intersect others.

use bvhc_format::section::SectionKind;

use super::checked::Checked;
use super::error::Fault;
use crate::layout::intersecting_triangles;

/// What is wrong with section intersections.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntersectionFault {
    /// A triangle is missing, is listed without intersecting another, or is out of order.
    #[error("triangle {found:?} stands at entry {index} in the list, where {expected:?} should (I1)")]
    Triangle {
        /// The index in the list.
        index: usize,
        /// The triangle there, if any.
        found: Option<u32>,
        /// The triangle that should be there, if any.
        expected: Option<u32>,
    },
}

impl Fault for IntersectionFault {
    const SECTION: SectionKind = SectionKind::Intersections;
}

/// I1, on valid blocks, triangle numbers and nodes.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), IntersectionFault> {
    let Some(found) = checked.model.intersecting_triangles() else { return Ok(()) };
    let found: Vec<u32> = found.collect();
    let expected = intersecting_triangles(&checked.all_corners(), checked.model);
    let of = |list: &[u32], index: usize| list.get(index).copied();
    match (0..found.len().max(expected.len())).find(|index| of(&found, *index) != of(&expected, *index)) {
        None => Ok(()),
        Some(index) => {
            let (found, expected) = (of(&found, index), of(&expected, index));
            Err(IntersectionFault::Triangle { index, found, expected })
        }
    }
}
