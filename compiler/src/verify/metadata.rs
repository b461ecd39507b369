//! The metadata section: counts and bounds of the triangles, names.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use bvhc_format::section::{ArchivedMetadata, ArchivedNames};
use bvhc_format::{MAX_KEY_LENGTH, MAX_USER_PAIRS, MAX_USER_TEXT};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::block;
use super::checked::Checked;
use super::names::NameList;
use crate::tree::aabb::Aabb;

/// What is wrong with the metadata section.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataFault {
    /// The number of triangles is wrong.
    #[error("it counts {found} triangles; the geometry has {expected} (M1)")]
    Triangles {
        /// The count in the section.
        found: u64,
        /// How many there are.
        expected: u64,
    },
    /// The number of vertices is wrong.
    #[error("it counts {found} vertices; the triangles use {expected} distinct positions (M1)")]
    Vertices {
        /// The count in the section.
        found: u64,
        /// How many there are.
        expected: u64,
    },
    /// The bounds are not those of the triangles.
    #[error("its bounds are {found:?}; those of the triangles are {expected:?} (M2)")]
    Bounds {
        /// The bounds it holds.
        found: [f32; 6],
        /// The bounds of the triangles.
        expected: [f32; 6],
    },
    /// A list of names breaks a rule.
    #[error("{list} names: {fault}")]
    Names {
        /// The list.
        list: NameList,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// The user's keys and values break a rule.
    #[error("user metadata: {0}")]
    User(#[from] UserFault),
    /// The names of the files that the source refers to break a rule.
    #[error("names of inputs: {0}")]
    InputNames(NameFault),
    /// A file that the source refers to is without a name, or a name without a file.
    #[error("there are {names} names for {inputs} inputs (M9)")]
    Inputs {
        /// How many names there are.
        names: usize,
        /// How many inputs there are.
        inputs: usize,
    },
    /// A text is not UTF-8.
    #[error("its {field} text is not UTF-8 (M4)")]
    NotUtf8 {
        /// Which text.
        field: TextField,
    },
}

/// What is wrong with the user's keys and values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UserFault {
    /// The list of keys breaks a rule.
    #[error("keys: {0}")]
    Keys(NameFault),
    /// The list of values breaks a rule.
    #[error("values: {0}")]
    Values(NameFault),
    /// A key is without a value, or a value without a key.
    #[error("there are {keys} keys for {values} values (M7)")]
    Count {
        /// How many keys there are.
        keys: usize,
        /// How many values there are.
        values: usize,
    },
    /// There are too many keys.
    #[error("there are {found} keys; at most {MAX_USER_PAIRS} are allowed (M7)")]
    TooMany {
        /// How many there are.
        found: usize,
    },
    /// A key is not greater than the previous one.
    #[error("key {key} is not greater than the one before (M7)")]
    Order {
        /// The key.
        key: usize,
    },
    /// A key is empty or too long.
    #[error("key {key} has {found} bytes; 1 to {MAX_KEY_LENGTH} are allowed (M8)")]
    KeyLength {
        /// The key.
        key: usize,
        /// Its bytes.
        found: usize,
    },
    /// There is too much text.
    #[error("keys and values have {found} bytes in all; at most {MAX_USER_TEXT} are allowed (M8)")]
    Text {
        /// How many there are.
        found: usize,
    },
}

/// What is wrong with a list of names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameFault {
    /// A name ends before it starts.
    #[error("name {name} ends at byte {found}, before the one before it at {before} (M3)")]
    Descends {
        /// The name.
        name: usize,
        /// Where it ends.
        found: u32,
        /// Where the previous one ends.
        before: u32,
    },
    /// The last name does not end with the text.
    #[error("the last name ends at byte {found} of a text of {expected} bytes (M3)")]
    Length {
        /// Where it ends; 0 if there is no name.
        found: u32,
        /// The length of the text.
        expected: usize,
    },
    /// A name is not UTF-8.
    #[error("name {name} is not UTF-8 (M4)")]
    NotUtf8 {
        /// The name.
        name: usize,
    },
}

/// A text of the metadata section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextField {
    /// The compiler and its version.
    Compiler,
    /// The options.
    Options,
}

impl std::fmt::Display for TextField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Compiler => "compiler",
            Self::Options => "options",
        })
    }
}

/// M1 to M4 and M7 to M9, on valid blocks.
pub(super) fn check(checked: &Checked<'_>) -> Result<(), MetadataFault> {
    let (metadata, blocks) = (checked.model.sections().metadata(), &*checked.table.blocks);
    let (found, expected) = (metadata.triangles.to_native(), checked.triangles());
    if found != expected {
        return Err(MetadataFault::Triangles { found, expected });
    }
    let (found, expected) = (metadata.vertices.to_native(), count_positions(blocks));
    if found != expected {
        return Err(MetadataFault::Vertices { found, expected });
    }
    let (found, expected) = (metadata.bounds.map(|x| x.to_native()), bounds(blocks));
    if found.map(f32::to_bits) != expected.map(f32::to_bits) {
        return Err(MetadataFault::Bounds { found, expected });
    }
    for list in NameList::ALL {
        check_names(list.of(metadata)).map_err(|fault| MetadataFault::Names { list, fault })?;
    }
    check_names(&metadata.input_names).map_err(MetadataFault::InputNames)?;
    let (names, inputs) = (metadata.input_names.len(), metadata.inputs.len());
    if names != inputs {
        return Err(MetadataFault::Inputs { names, inputs });
    }
    let texts = [(TextField::Compiler, &metadata.compiler), (TextField::Options, &metadata.options)];
    match texts.into_iter().find(|(_, text)| std::str::from_utf8(text.get()).is_err()) {
        Some((field, _)) => Err(MetadataFault::NotUtf8 { field }),
        None => Ok(check_user(metadata)?),
    }
}

/// M3, M4, M7 and M8 for the user's keys and values.
fn check_user(metadata: &ArchivedMetadata<'_>) -> Result<(), UserFault> {
    let (keys, values) = (&metadata.keys, &metadata.values);
    check_names(keys).map_err(UserFault::Keys)?;
    check_names(values).map_err(UserFault::Values)?;
    if keys.len() != values.len() {
        return Err(UserFault::Count { keys: keys.len(), values: values.len() });
    }
    if keys.len() > MAX_USER_PAIRS {
        return Err(UserFault::TooMany { found: keys.len() });
    }
    let all: Vec<&str> = (0..keys.len()).filter_map(|key| keys.get(key)).collect();
    if let Some(key) = all.iter().position(|key| key.is_empty() || key.len() > MAX_KEY_LENGTH) {
        return Err(UserFault::KeyLength { key, found: all[key].len() });
    }
    if let Some(key) = all.array_windows().position(|[before, key]| before >= key) {
        return Err(UserFault::Order { key: key + 1 });
    }
    let found = keys.text.len() + values.text.len();
    if found > MAX_USER_TEXT { Err(UserFault::Text { found }) } else { Ok(()) }
}

pub(super) fn check_names(names: &ArchivedNames<'_>) -> Result<(), NameFault> {
    let text = names.text.get();
    let mut before = 0;
    for (name, end) in names.ends.get().iter().enumerate() {
        let found = end.to_native();
        if found < before {
            return Err(NameFault::Descends { name, found, before });
        }
        before = found;
    }
    if before as usize != text.len() {
        return Err(NameFault::Length { found: before, expected: text.len() });
    }
    match (0..names.len()).find(|name| names.get(*name).is_none()) {
        Some(name) => Err(NameFault::NotUtf8 { name }),
        None => Ok(()),
    }
}

fn all_corners(block: &Block) -> impl Iterator<Item = [f32; 3]> + '_ {
    (0..usize::from(block.triangles)).flat_map(|lane| block::corners(block, lane))
}

/// How many distinct positions there are among the corners of all triangles.
fn count_positions(blocks: &[Block]) -> u64 {
    let mut positions: Vec<[u32; 3]> = blocks
        .par_iter()
        .flat_map_iter(|block| {
            let mut used = [false; BLOCK_WIDTH];
            for slot in block.corners.iter().flat_map(|slots| &slots[..usize::from(block.triangles)]) {
                used[usize::from(*slot)] = true;
            }
            let bits = |slot: usize| block.positions.map(|axis| axis[slot].to_bits());
            (0..BLOCK_WIDTH).filter(move |slot| used[*slot]).map(bits)
        })
        .collect();
    positions.par_sort_unstable();
    positions.dedup();
    positions.len() as u64
}

fn bounds(blocks: &[Block]) -> [f32; 6] {
    let boxes = blocks.par_iter().map(|block| Aabb::around(all_corners(block)));
    boxes.reduce(|| Aabb::EMPTY, Aabb::union).planes()
}
