//! Checks the geometry section as a whole: blocks, triangle numbers, faces, corners of faces, runs.

use bvhc_format::record::{AttributeRun, Block, FaceCorners};
use bvhc_format::section::SectionKind;
use bvhc_format::{MAX_TRIANGLES, NONE};
use bvhc_runtime::Model;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::block::{self, BlockFault};
use super::blocks::BlockTable;
use super::checked::Checked;
use super::error::Fault;
use super::leaves::LeafFault;
use super::names::NameList;

/// What is wrong with the geometry section.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryFault {
    /// A block breaks a rule.
    #[error("block {block}: {fault}")]
    Block {
        /// The block.
        block: usize,
        /// What is wrong with it.
        fault: BlockFault,
    },
    /// The number of triangle numbers is not the number of lanes with triangles.
    #[error("there are {found} triangle numbers for {expected} triangles in the blocks (G5)")]
    Numbers {
        /// How many there are.
        found: u64,
        /// How many there must be.
        expected: u64,
    },
    /// There is no triangle, or there are too many triangles.
    #[error("there are {found} triangles; 1 to {MAX_TRIANGLES} are allowed (G7)")]
    Count {
        /// How many there are.
        found: u64,
    },
    /// A lane holds a triangle number so high that other numbers must be missing.
    #[error("entry {entry} holds triangle {found}, but the file has {entries} entries (G7)")]
    NumberOutOfRange {
        /// The index in the list of numbers.
        entry: usize,
        /// The number.
        found: u32,
        /// The length of the list.
        entries: usize,
    },
    /// No lane holds a triangle, although there are triangles with higher numbers.
    #[error("no block holds triangle {triangle} (G7)")]
    NumberMissing {
        /// The triangle.
        triangle: usize,
    },
    /// The list of faces is neither empty nor complete.
    #[error("there are {found} faces for {triangles} triangles (G9)")]
    Faces {
        /// How many there are.
        found: u64,
        /// How many triangles there are.
        triangles: u64,
    },
    /// A triangle belongs to a face that the source does not have.
    #[error("triangle {triangle} is of face {found}, but the source has {faces} faces (G9)")]
    FaceOutOfRange {
        /// The triangle.
        triangle: u64,
        /// Its face.
        found: u64,
        /// How many faces the source has.
        faces: u64,
    },
    /// A triangle's face is less than that of the previous triangle.
    #[error("triangle {triangle} is of face {found}, the one before of face {before} (G9)")]
    FaceDescends {
        /// The triangle.
        triangle: usize,
        /// Its face.
        found: u32,
        /// The face of the previous triangle.
        before: u32,
    },
    /// The list of corners is neither empty nor complete.
    #[error("there are corners for {found} of {triangles} triangles (G13)")]
    Corners {
        /// How many triangles it covers.
        found: u64,
        /// How many triangles there are.
        triangles: u64,
    },
    /// The list only repeats the default, corners 0, 1 and 2 for all triangles, and must be left out.
    #[error("all triangles have corners 0, 1 and 2 of their faces, and yet they are listed (G13)")]
    CornersPlain,
    /// A triangle has the same corner of its face twice.
    #[error("triangle {triangle} has the corners {found:?} of its face (G13)")]
    CornersTwice {
        /// The triangle.
        triangle: u32,
        /// Its corners.
        found: [u32; 3],
    },
    /// A triangle's corners are in the wrong list, or bit 15 is set.
    #[error("the corners of triangle {triangle} are not in the form that their numbers ask for (G14)")]
    CornersForm {
        /// The triangle.
        triangle: u32,
    },
    /// A triangle that is marked as being in the list of wide corners is not the next one there.
    #[error("the wide corners do not have triangle {triangle} next (G14)")]
    CornersUnlisted {
        /// The triangle.
        triangle: u32,
    },
    /// The list of wide corners has a triangle that does not belong there.
    #[error("the wide corners have triangle {triangle}, which does not belong there (G14)")]
    CornersExtra {
        /// The triangle.
        triangle: u32,
    },
    /// There is no attribute run.
    #[error("there is no run of attributes (G10)")]
    NoRun,
    /// A run breaks a rule.
    #[error("run {run}: {fault}")]
    Run {
        /// The run.
        run: usize,
        /// What is wrong with it.
        fault: RunFault,
    },
    /// A leaf of the trees for pairs of models breaks a rule.
    #[error("pair leaf {leaf}: {fault}")]
    Leaf {
        /// The leaf.
        leaf: usize,
        /// What is wrong with it.
        fault: LeafFault,
    },
}

impl Fault for GeometryFault {
    const SECTION: SectionKind = SectionKind::Geometry;
}

/// What is wrong with an attribute run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunFault {
    /// The first run does not start at the first triangle.
    #[error("it is the first and begins with triangle {found} instead of 0 (G10)")]
    First {
        /// Where it starts.
        found: u32,
    },
    /// The run does not start after the start of the previous one.
    #[error("it begins with triangle {found}, the one before with {before} (G10)")]
    NotAscending {
        /// Where it starts.
        found: u32,
        /// Where the previous one starts.
        before: u32,
    },
    /// The run starts after the last triangle.
    #[error("it begins with triangle {found}, but there are {triangles} triangles (G10)")]
    OutOfRange {
        /// Where it starts.
        found: u32,
        /// How many triangles there are.
        triangles: u64,
    },
    /// A name is missing.
    #[error("it names {list} {found}, but there are {names} (G11)")]
    Name {
        /// The list that the name is missing from.
        list: NameList,
        /// Its index.
        found: u32,
        /// How many names the list has.
        names: usize,
    },
}

/// G1 to G15.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), GeometryFault> {
    let model = checked.model;
    check_blocks(checked.table)?;
    check_rows(model, &checked.table.blocks)?;
    check_numbers(model)?;
    let count = checked.triangles();
    if !(1..=MAX_TRIANGLES).contains(&count) {
        return Err(GeometryFault::Count { found: count });
    }
    check_faces(model, count)?;
    check_corners(model, count)?;
    check_runs(model, count)?;
    checked.read_leaves()
}

fn check_blocks(table: &BlockTable<'_>) -> Result<(), GeometryFault> {
    let check = |block: &Block| block::check(block, table.is_exact());
    let faults =
        table.blocks.par_iter().enumerate().filter_map(|(index, block)| Some((index, check(block).err()?)));
    // The first fault in the order of blocks, regardless of threads.
    match faults.min_by_key(|(index, _)| *index) {
        Some((block, fault)) => Err(GeometryFault::Block { block, fault }),
        None => Ok(()),
    }
}

/// G5 and G6
fn check_rows(model: &Model<'_>, blocks: &[Block]) -> Result<(), GeometryFault> {
    let numbers = model.sections().geometry().triangles.get();
    let mut end = 0;
    for (index, block) in blocks.iter().enumerate() {
        let fail = |fault| GeometryFault::Block { block: index, fault };
        if u64::from(block.first) != end {
            return Err(fail(BlockFault::First { found: block.first, expected: end }));
        }
        let first = end as usize;
        end += u64::from(block.triangles);
        let Some(row) = numbers.get(first..end as usize) else { continue };
        for (lane, pair) in row.windows(2).enumerate() {
            let (before, found) = (pair[0].to_native(), pair[1].to_native());
            if found <= before {
                return Err(fail(BlockFault::NotAscending { lane: lane + 1, found, before }));
            }
        }
    }
    let found = numbers.len() as u64;
    if found == end { Ok(()) } else { Err(GeometryFault::Numbers { found, expected: end }) }
}

/// G7
fn check_numbers(model: &Model<'_>) -> Result<(), GeometryFault> {
    let numbers = model.sections().geometry().triangles.get();
    let entries = numbers.len();
    let mut seen = vec![false; entries];
    let mut count = 0;
    for (entry, number) in numbers.iter().enumerate() {
        let found = number.to_native();
        let fault = GeometryFault::NumberOutOfRange { entry, found, entries };
        *seen.get_mut(found as usize).ok_or(fault)? = true;
        count = count.max(u64::from(found) + 1);
    }
    match seen[..count as usize].iter().position(|seen| !seen) {
        Some(triangle) => Err(GeometryFault::NumberMissing { triangle }),
        None => Ok(()),
    }
}

/// G9
fn check_faces(model: &Model<'_>, triangles: u64) -> Result<(), GeometryFault> {
    let faces = model.sections().geometry().faces.get();
    let found = faces.len() as u64;
    if found != 0 && found != triangles {
        return Err(GeometryFault::Faces { found, triangles });
    }
    for (triangle, pair) in (1..).zip(faces.windows(2)) {
        let (before, found) = (pair[0].to_native(), pair[1].to_native());
        if found < before {
            return Err(GeometryFault::FaceDescends { triangle, found, before });
        }
    }
    // They ascend, so the last is the largest.
    let last = faces.last().map_or(triangles - 1, |face| u64::from(face.to_native()));
    let source_faces = model.sections().metadata().source_faces.to_native();
    if last >= source_faces {
        let triangle = triangles - 1;
        return Err(GeometryFault::FaceOutOfRange { triangle, found: last, faces: source_faces });
    }
    Ok(())
}

/// G13 and G14
fn check_corners(model: &Model<'_>, triangles: u64) -> Result<(), GeometryFault> {
    let geometry = model.sections().geometry();
    let (packed, listed) = (geometry.corners.get(), geometry.wide_corners.get());
    let found = packed.len() as u64;
    if found != 0 && found != triangles {
        return Err(GeometryFault::Corners { found, triangles });
    }
    let mut listed = listed.iter();
    let mut is_plain = found != 0;
    for (triangle, packed) in (0..).zip(packed) {
        let packed = packed.to_native();
        let corners = if packed == FaceCorners::LISTED {
            let next = listed.next().filter(|next| next.triangle == triangle);
            let corners = next.ok_or(GeometryFault::CornersUnlisted { triangle })?.corners;
            Some(corners).filter(|corners| FaceCorners::pack(*corners).is_none())
        } else {
            Some(FaceCorners::unpack(packed)).filter(|corners| FaceCorners::pack(*corners) == Some(packed))
        };
        let corners = corners.ok_or(GeometryFault::CornersForm { triangle })?;
        let [a, b, c] = corners;
        if a == b || b == c || c == a {
            return Err(GeometryFault::CornersTwice { triangle, found: corners });
        }
        is_plain &= corners == [0, 1, 2];
    }
    match listed.next() {
        Some(extra) => Err(GeometryFault::CornersExtra { triangle: extra.triangle }),
        None if is_plain => Err(GeometryFault::CornersPlain),
        None => Ok(()),
    }
}

/// G10 and G11
fn check_runs(model: &Model<'_>, triangles: u64) -> Result<(), GeometryFault> {
    let runs = model.sections().geometry().runs.get();
    if runs.is_empty() {
        return Err(GeometryFault::NoRun);
    }
    let mut before = None;
    for (index, run) in runs.iter().enumerate() {
        check_run(model, run, before, triangles).map_err(|fault| GeometryFault::Run { run: index, fault })?;
        before = Some(run.first_triangle);
    }
    Ok(())
}

fn check_run(
    model: &Model<'_>,
    run: &AttributeRun,
    before: Option<u32>,
    triangles: u64,
) -> Result<(), RunFault> {
    let found = run.first_triangle;
    match before {
        None if found != 0 => return Err(RunFault::First { found }),
        Some(before) if found <= before => return Err(RunFault::NotAscending { found, before }),
        _ => {}
    }
    if u64::from(found) >= triangles {
        return Err(RunFault::OutOfRange { found, triangles });
    }
    for (list, found) in NameList::ALL.into_iter().zip([run.material, run.group, run.object]) {
        let names = list.of(model.sections().metadata()).len();
        if found != NONE && found as usize >= names {
            return Err(RunFault::Name { list, found, names });
        }
    }
    Ok(())
}
