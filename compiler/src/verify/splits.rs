//! Section splits: it lists exactly the triangles that several blocks hold, with exactly the slots of those blocks.

use bvhc_format::MAX_SPLIT_SLOTS;
use bvhc_format::record::{Child, NODE_WIDTH};
use bvhc_format::section::SectionKind;
use bvhc_runtime::Model;

use super::block;
use super::blocks::BlockTable;
use super::checked::Checked;
use super::error::{Fault, or_none};

/// What is wrong with the split triangles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitFault {
    /// The section lists no triangle.
    #[error("it lists no triangle, so it must not be there (S1)")]
    Empty,
    /// A triangle is missing, is listed without being split, or is out of order.
    #[error(
        "triangle {} stands at entry {index} in the list, where {} should (S1)",
        or_none(found),
        or_none(expected)
    )]
    Triangle {
        /// The index in the list.
        index: usize,
        /// The triangle there, if any.
        found: Option<u32>,
        /// The triangle that should be there, if any.
        expected: Option<u32>,
    },
    /// The slots of a triangle do not end where they should.
    #[error("the slots of entry {entry} end at {} instead of {} (S2)", or_none(found), or_none(expected))]
    End {
        /// The entry.
        entry: usize,
        /// Where they end, if given.
        found: Option<u32>,
        /// Where they should end.
        expected: Option<u32>,
    },
    /// A slot is not that of a block that holds the triangle.
    #[error("the slot at entry {index} is {} instead of {} (S3)", or_none(found), or_none(expected))]
    Slot {
        /// The index in the list of slots.
        index: usize,
        /// What it is.
        found: Option<u32>,
        /// What it should be.
        expected: Option<u32>,
    },
    /// A triangle is in too many blocks.
    #[error("triangle {triangle} is in {found} blocks, more than {MAX_SPLIT_SLOTS} (S5)")]
    Slots {
        /// The triangle.
        triangle: u32,
        /// How many blocks hold it.
        found: u32,
    },
    /// A triangle has other corners in one block than in another.
    #[error(
        "triangle {triangle} has the corners {found:?} in block {block}, but {expected:?} in an earlier one (S6)"
    )]
    Corners {
        /// The triangle.
        triangle: u32,
        /// The block.
        block: usize,
        /// Its corners there.
        found: [[f32; 3]; 3],
        /// Its corners in the first block that holds it.
        expected: [[f32; 3]; 3],
    },
    /// The triangles that a block marks as split are not those that the section lists.
    #[error("block {block} marks the lanes {found:#06x} as split instead of {expected:#06x} (S4)")]
    Mark {
        /// The block.
        block: usize,
        /// What it marks.
        found: u16,
        /// What it should mark.
        expected: u16,
    },
}

impl Fault for SplitFault {
    const SECTION: SectionKind = SectionKind::Splits;
}

/// S1 to S6, on valid blocks, triangle numbers and nodes.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), SplitFault> {
    let (model, table, triangles) = (checked.model, checked.table, checked.triangles());
    let expected = Expected::of(model, table, triangles);
    expected.check_marks(table)?;
    let Some(splits) = model.sections().splits() else {
        return differs(&[], &expected.triangles)
            .map_or(Ok(()), |(index, found, expected)| Err(SplitFault::Triangle { index, found, expected }));
    };
    let [listed, ends, slots] = [&splits.triangles, &splits.ends, &splits.slots]
        .map(|list| list.get().iter().map(|number| number.to_native()).collect::<Vec<u32>>());
    if listed.is_empty() {
        return Err(SplitFault::Empty);
    }
    if let Some((index, found, expected)) = differs(&listed, &expected.triangles) {
        return Err(SplitFault::Triangle { index, found, expected });
    }
    if let Some((entry, found, expected)) = differs(&ends, &expected.ends) {
        return Err(SplitFault::End { entry, found, expected });
    }
    match differs(&slots, &expected.slots) {
        Some((index, found, expected)) => Err(SplitFault::Slot { index, found, expected }),
        None => {
            expected.check_counts()?;
            expected.check_corners(model, table)
        }
    }
}

/// The first index where two lists differ, with both elements.
fn differs(found: &[u32], expected: &[u32]) -> Option<(usize, Option<u32>, Option<u32>)> {
    let at = |index: usize| (found.get(index).copied(), expected.get(index).copied());
    let index = (0..found.len().max(expected.len())).find(|index| at(*index).0 != at(*index).1)?;
    Some((index, at(index).0, at(index).1))
}

/// The expected contents of the section.
struct Expected {
    triangles: Vec<u32>,
    ends: Vec<u32>,
    slots: Vec<u32>,
    /// For each block, a bit mask of the lanes whose triangles are split.
    marks: Vec<u16>,
}

impl Expected {
    fn of(model: &Model<'_>, table: &BlockTable<'_>, triangles: u64) -> Self {
        let numbers = model.sections().geometry().triangles.get();
        let mut references = vec![0u32; triangles as usize];
        for number in numbers {
            references[number.to_native() as usize] += 1;
        }
        let is_split = |triangle: &u32| references[*triangle as usize] > 1;
        let lanes = |block: usize| {
            let block = &table.blocks[block];
            let row = &numbers[block.first as usize..][..usize::from(block.triangles)];
            row.iter().map(|number| number.to_native()).enumerate()
        };
        let marks = |block: usize| {
            lanes(block)
                .filter(|(_, triangle)| is_split(triangle))
                .fold(0, |mark, (lane, _)| mark | 1 << lane)
        };
        let mut references_of: Vec<(u32, u32, u32)> = slots(model)
            .flat_map(|(slot_address, reference)| {
                let triangles = lanes(table.number_of(reference));
                triangles.map(move |(_, triangle)| (triangle, reference, slot_address))
            })
            .filter(|(triangle, ..)| is_split(triangle))
            .collect();
        references_of.sort_unstable();
        let split: Vec<u32> = (0..triangles as u32).filter(is_split).collect();
        let ends = split.iter().scan(0, |end, triangle| {
            *end += references[*triangle as usize];
            Some(*end)
        });
        Self {
            ends: ends.collect(),
            triangles: split,
            slots: references_of.into_iter().map(|(.., slot_address)| slot_address).collect(),
            marks: (0..table.blocks.len()).map(marks).collect(),
        }
    }

    /// S5
    fn check_counts(&self) -> Result<(), SplitFault> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let mut counts = starts.zip(&self.ends).map(|(start, end)| end - start).zip(&self.triangles);
        match counts.find(|(count, _)| *count as usize > MAX_SPLIT_SLOTS) {
            Some((found, triangle)) => Err(SplitFault::Slots { triangle: *triangle, found }),
            None => Ok(()),
        }
    }

    /// S6
    fn check_corners(&self, model: &Model<'_>, table: &BlockTable<'_>) -> Result<(), SplitFault> {
        let numbers = model.sections().geometry().triangles.get();
        let mut corners = vec![None; self.triangles.len()];
        for (block, holder) in table.blocks.iter().enumerate() {
            let split = (0..usize::from(holder.triangles)).filter(|lane| self.marks[block] >> lane & 1 == 1);
            for lane in split {
                let triangle = numbers[holder.first as usize + lane].to_native();
                let entry = self.triangles.partition_point(|listed| *listed < triangle);
                let found = block::corners(holder, lane);
                let expected = *corners[entry].get_or_insert(found);
                if found != expected {
                    return Err(SplitFault::Corners { triangle, block, found, expected });
                }
            }
        }
        Ok(())
    }

    /// S4
    fn check_marks(&self, table: &BlockTable<'_>) -> Result<(), SplitFault> {
        let pairs = table.blocks.iter().map(|block| block.split).zip(self.marks.iter().copied()).enumerate();
        match pairs.into_iter().find(|(_, (found, expected))| found != expected) {
            Some((block, (found, expected))) => Err(SplitFault::Mark { block, found, expected }),
            None => Ok(()),
        }
    }
}

/// The slots of all references to blocks, with the references.
pub(super) fn slots(model: &Model<'_>) -> impl Iterator<Item = (u32, u32)> {
    let nodes = model.sections().nodes();
    let slots = (0..nodes.len()).flat_map(|node| (0..NODE_WIDTH).map(move |slot| (node, slot)));
    slots.filter_map(|(node, slot)| match nodes[node].child(slot) {
        Child::Block(reference) => Some(((node * NODE_WIDTH + slot) as u32, reference)),
        Child::Node(_) | Child::Empty => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_have_so_many_places_and_no_more() {
        let of_counts = |first: u32, second: u32| Expected {
            triangles: vec![7, 9],
            ends: vec![first, first + second],
            slots: Vec::new(),
            marks: Vec::new(),
        };
        let most = MAX_SPLIT_SLOTS as u32;
        assert_eq!(of_counts(most, most).check_counts(), Ok(()));
        let fault = SplitFault::Slots { triangle: 9, found: most + 1 };
        assert_eq!(of_counts(2, most + 1).check_counts(), Err(fault));
    }
}
