//! Section intersections: the triangles that intersect others.

use bvhc_format::section::SectionKind;

use super::checked::Checked;
use super::error::Fault;
use crate::layout::intersecting_triangles;

/// What is wrong with section intersections.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntersectionFault {
    /// A triangle that should be listed is missing at the end.
    #[error("the list ends before triangle {expected}, which intersects others (I1)")]
    Missing {
        /// The triangle.
        expected: u32,
    },
    /// A triangle is listed that should not be, or is out of order.
    #[error("triangle {found} at entry {index} is not the next that intersects others (I1)")]
    Triangle {
        /// The index in the list.
        index: usize,
        /// The triangle there.
        found: u32,
    },
    /// The triangles are so that finding those that intersect takes too long.
    #[error("the triangles that intersect others take too long to find (I1)")]
    TooCostly,
}

impl Fault for IntersectionFault {
    const SECTION: SectionKind = SectionKind::Intersections;
}

/// I1, on valid blocks, triangle numbers and nodes.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), IntersectionFault> {
    let Some(found) = checked.model.intersecting_triangles() else { return Ok(()) };
    let expected =
        intersecting_triangles(&checked.all_corners(), checked.model).ok_or(IntersectionFault::TooCostly)?;
    let mut rest = expected.iter();
    for (index, found) in found.enumerate() {
        if rest.next() != Some(&found) {
            return Err(IntersectionFault::Triangle { index, found });
        }
    }
    match rest.next() {
        None => Ok(()),
        Some(&expected) => Err(IntersectionFault::Missing { expected }),
    }
}
