//! The geometry section as a whole: blocks in a row, triangle numbers, faces, runs.

use bvhc_format::NONE;
use bvhc_format::record::{AttributeRun, Block};
use bvhc_runtime::Model;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::block::{self, BlockFault};
use super::blocks::BlockTable;
use super::metadata::NameList;
use crate::clean::MAX_TRIANGLES;

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
    /// There are not as many triangle numbers as lanes with triangles.
    #[error("there are {found} triangle numbers for {expected} triangles in the blocks (G5)")]
    Numbers {
        /// How many there are.
        found: u64,
        /// How many there must be.
        expected: u64,
    },
    /// There is no triangle, or there are too many.
    #[error("there are {found} triangles; 1 to {MAX_TRIANGLES} are allowed (G7)")]
    Count {
        /// How many there are.
        found: u64,
    },
    /// A lane holds a triangle of so high a number that others must be missing.
    #[error("place {place} holds triangle {found}, but there are {places} places in all (G7)")]
    NumberOutOfRange {
        /// The place in the list of numbers.
        place: usize,
        /// The number.
        found: u32,
        /// How many places there are.
        places: usize,
    },
    /// No lane holds a triangle, though there are some of higher numbers.
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
    /// A triangle is of a face that the source does not have.
    #[error("triangle {triangle} is of face {found}, but the source has {faces} faces (G9)")]
    FaceOutOfRange {
        /// The triangle.
        triangle: u64,
        /// Its face.
        found: u64,
        /// How many faces the source has.
        faces: u64,
    },
    /// A triangle's face stands before that of the triangle before.
    #[error("triangle {triangle} is of face {found}, the one before of face {before} (G9)")]
    FaceDescends {
        /// The triangle.
        triangle: usize,
        /// Its face.
        found: u32,
        /// The face of the triangle before.
        before: u32,
    },
    /// There is no run of attributes.
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
}

/// What is wrong with a run of attributes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunFault {
    /// The first run does not begin with the first triangle.
    #[error("it is the first and begins with triangle {found} instead of 0 (G10)")]
    First {
        /// Where it begins.
        found: u32,
    },
    /// The run does not begin after the one before.
    #[error("it begins with triangle {found}, the one before with {before} (G10)")]
    NotAscending {
        /// Where it begins.
        found: u32,
        /// Where the one before begins.
        before: u32,
    },
    /// The run begins after the last triangle.
    #[error("it begins with triangle {found}, but there are {triangles} triangles (G10)")]
    OutOfRange {
        /// Where it begins.
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

/// What the blocks hold, as far as metadata tells of it.
pub(super) struct Triangles {
    /// T.
    pub(super) count: u64,
}

/// G1 to G12.
pub(super) fn check(model: &Model<'_>, table: &BlockTable<'_>) -> Result<Triangles, GeometryFault> {
    check_blocks(table)?;
    check_rows(model, &table.blocks)?;
    let count = check_numbers(model)?;
    if !(1..=MAX_TRIANGLES).contains(&count) {
        return Err(GeometryFault::Count { found: count });
    }
    check_faces(model, count)?;
    check_runs(model, count)?;
    Ok(Triangles { count })
}

fn check_blocks(table: &BlockTable<'_>) -> Result<(), GeometryFault> {
    let check = |block: &Block| block::check(block, table.is_exact());
    let faults =
        table.blocks.par_iter().enumerate().filter_map(|(index, block)| Some((index, check(block).err()?)));
    // The first one, whichever thread finds its own first.
    match faults.min_by_key(|(index, _)| *index) {
        Some((block, fault)) => Err(GeometryFault::Block { block, fault }),
        None => Ok(()),
    }
}

/// G5 and G6
fn check_rows(model: &Model<'_>, blocks: &[Block]) -> Result<(), GeometryFault> {
    let numbers = model.geometry().triangles.get();
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

/// G7. Returns how many triangles there are.
fn check_numbers(model: &Model<'_>) -> Result<u64, GeometryFault> {
    let numbers = model.geometry().triangles.get();
    let places = numbers.len();
    let mut seen = vec![false; places];
    let mut count = 0;
    for (place, number) in numbers.iter().enumerate() {
        let found = number.to_native();
        let fault = GeometryFault::NumberOutOfRange { place, found, places };
        *seen.get_mut(found as usize).ok_or(fault)? = true;
        count = count.max(u64::from(found) + 1);
    }
    match seen[..count as usize].iter().position(|seen| !seen) {
        Some(triangle) => Err(GeometryFault::NumberMissing { triangle }),
        None => Ok(count),
    }
}

/// G9
fn check_faces(model: &Model<'_>, triangles: u64) -> Result<(), GeometryFault> {
    let faces = model.geometry().faces.get();
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
    let source_faces = model.metadata().source_faces.to_native();
    if last >= source_faces {
        let triangle = triangles - 1;
        return Err(GeometryFault::FaceOutOfRange { triangle, found: last, faces: source_faces });
    }
    Ok(())
}

/// G10 and G11
fn check_runs(model: &Model<'_>, triangles: u64) -> Result<(), GeometryFault> {
    let runs = model.geometry().runs.get();
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
        let names = list.of(model.metadata()).len();
        if found != NONE && found as usize >= names {
            return Err(RunFault::Name { list, found, names });
        }
    }
    Ok(())
}
