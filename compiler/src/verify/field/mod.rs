//! Section field: its tree, the values of its points (`points`), and samples of it against distances from the surface.

mod points;

use bvhc_format::MAX_COORDINATE;
use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode, LEAF_VALUES, MAX_FIELD_TILES};
use bvhc_format::section::{ArchivedDistanceField, SectionKind};
use bvhc_runtime::{Field, Model};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::block::corners;
use super::checked::Checked;
use super::error::Fault;
use super::solid;
use crate::math::random::SplitMix;

/// What is wrong with a distance field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldFault {
    /// A number of the root is impossible.
    #[error("{field} is {found} (F{rule})")]
    Number {
        /// The field.
        field: &'static str,
        /// What it says.
        found: f64,
        /// The rule.
        rule: u8,
    },
    /// There are too few or too many records.
    #[error("there are {found} {what} instead of {expected} (F{rule})")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there should be.
        expected: u64,
        /// The rule.
        rule: u8,
    },
    /// The children of a node do not follow those of the one before.
    #[error("the children of {level} {index} begin at {found} instead of {expected} (F2)")]
    First {
        /// `tile` or `brick`.
        level: &'static str,
        /// Its index.
        index: usize,
        /// Where they begin.
        found: u32,
        /// Where they should.
        expected: u64,
    },
    /// A child is stored and inside at once, or is stored in vain, or has a value beyond the limit.
    #[error("{level} {index}, child {child}: {reason} (F3)")]
    Child {
        /// `tile` or `brick`.
        level: &'static str,
        /// Its index.
        index: usize,
        /// The child's bit.
        child: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// The bound of an error is no length.
    #[error("the error of {level} {index} is {found} (F5)")]
    Error {
        /// `tile` or `brick`.
        level: &'static str,
        /// Its index.
        index: usize,
        /// What it is.
        found: f32,
    },
    /// The lattice does not hold the surface and its band.
    #[error("along axis {axis}, the lattice is from {} to {}, and the band from {} to {} (F6)", lattice[0], lattice[1], band[0], band[1])]
    Lattice {
        /// The axis.
        axis: usize,
        /// Where the lattice begins and ends.
        lattice: [f64; 2],
        /// Where the bounds, grown by the band, begin and end.
        band: [f64; 2],
    },
    /// A sample, or the value of a point, is too far from the distance.
    #[error("at {position:?} the value is {found} within {error}, and the distance {expected} (F{rule})")]
    Sample {
        /// The position.
        position: [f32; 3],
        /// The value there, in the model's units.
        found: f32,
        /// The bound of its error.
        error: f64,
        /// The distance, limited to the band; without its sign if signs are not exact.
        expected: f64,
        /// 7 for a sample, 8 for a point of the lattice.
        rule: u8,
    },
    /// The tree is made so that closest points take too long.
    #[error("the distances at the points of the lattice take too long to compute (F8)")]
    TooCostly,
}

impl Fault for FieldFault {
    const SECTION: SectionKind = SectionKind::DistanceField;
}

/// How many positions between points are sampled, and of how many blocks corners, at most.
const SAMPLES: u64 = 1 << 14;

/// Bits of a node's children.
const CHILDREN: u32 = (FIELD_WIDTH * FIELD_WIDTH * FIELD_WIDTH) as u32;

/// F1 to F5: that every record of the section is where its tree says, whatever the surface is.
#[cfg(feature = "cli")]
pub(crate) fn check_tree(section: &ArchivedDistanceField<'_>) -> Result<(), FieldFault> {
    check_root(section, section.signs.to_native() == 0)?;
    check_nodes(section)
}

/// F1 to F8, on valid blocks.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), FieldFault> {
    let Some(section) = checked.model.sections().field() else { return Ok(()) };
    check_root(section, solid::is_closed(checked))?;
    check_nodes(section)?;
    let Some(field) = checked.model.field() else { return Ok(()) };
    check_lattice(&field, checked.model)?;
    check_corners(&field, checked)?;
    points::check(&field, section, checked.model)?;
    check_samples(&field, section, checked.model)
}

/// F1
fn check_root(section: &ArchivedDistanceField<'_>, is_closed: bool) -> Result<(), FieldFault> {
    let number = |field, found| FieldFault::Number { field, found, rule: 1 };
    for origin in section.origin {
        let found = origin.to_native();
        is_true(found.is_finite(), || number("origin", found))?;
    }
    for (field, found) in [("voxel", section.voxel.to_native()), ("step", section.step.to_native())] {
        is_true(found > 0.0 && found.is_finite(), || number(field, found))?;
    }
    let (bits, signs) = (section.bits.to_native(), section.signs.to_native());
    is_true(bits == 8 || bits == 16, || number("bits", bits.into()))?;
    is_true(signs == u32::from(!is_closed), || number("signs", signs.into()))?;
    let errors = [
        ("edge_error", f64::from(section.edge_error.to_native())),
        ("point_error", section.point_error.to_native()),
    ];
    for (field, found) in errors {
        is_true(found >= 0.0 && found.is_finite(), || FieldFault::Number { field, found, rule: 5 })?;
    }
    let mut expected = 1;
    for count in section.tile_counts {
        let found = count.to_native();
        is_true((1..=MAX_FIELD_TILES).contains(&found), || number("tile_counts", found.into()))?;
        expected *= u64::from(found);
    }
    check_count("tiles", section.tiles.len() as u64, expected, 1)
}

fn is_true(holds: bool, fault: impl FnOnce() -> FieldFault) -> Result<(), FieldFault> {
    if holds { Ok(()) } else { Err(fault()) }
}

fn check_count(what: &'static str, found: u64, expected: u64, rule: u8) -> Result<(), FieldFault> {
    is_true(found == expected, || FieldFault::Count { what, found, expected, rule })
}

/// F2 to F5
fn check_nodes(section: &ArchivedDistanceField<'_>) -> Result<(), FieldFault> {
    let (tiles, bricks): (&[FieldNode], &[FieldNode]) = (section.tiles.get(), section.bricks.get());
    let leaf = Leaves { bytes: section.values.get(), size: section.bits.to_native() as usize / 8 };
    let end = check_level("tile", tiles)?;
    check_count("bricks", bricks.len() as u64, end, 2)?;
    let end = check_level("brick", bricks)?;
    check_count("bytes of values", leaf.bytes.len() as u64, end * (LEAF_VALUES * leaf.size) as u64, 2)?;
    for (index, tile) in tiles.iter().enumerate() {
        let stored = (0..CHILDREN).filter_map(|child| Some((child, tile.child(child)?)));
        for (child, brick) in stored {
            let brick = &bricks[brick];
            let is_in_vain = brick.stored == 0 && (brick.inside == 0 || brick.inside == u64::MAX);
            let reason = "the brick is stored, and has no value within the band";
            is_true(!is_in_vain, || FieldFault::Child { level: "tile", index, child, reason })?;
        }
    }
    let mut active = 0;
    for (index, brick) in bricks.iter().enumerate() {
        let stored = (0..CHILDREN).filter_map(|child| Some((child, brick.child(child)?)));
        for (child, number) in stored {
            let inner = leaf.within(number).map_err(|reason| FieldFault::Child {
                level: "brick",
                index,
                child,
                reason,
            })?;
            active += inner;
        }
    }
    let found = section.active.to_native();
    check_count("points within the band", found, active, 4)
}

/// F2, F5 and a part of F3, of all nodes of a level; returns how many children they have.
fn check_level(level: &'static str, nodes: &[FieldNode]) -> Result<u64, FieldFault> {
    let mut end = 0;
    for (index, node) in nodes.iter().enumerate() {
        let (both, found) = (node.stored & node.inside, node.first);
        is_true(u64::from(found) == end, || FieldFault::First { level, index, found, expected: end })?;
        is_true(both == 0, || {
            let reason = "it is stored, and inside as if it were not";
            FieldFault::Child { level, index, child: both.trailing_zeros(), reason }
        })?;
        let error = node.error;
        let is_length = error >= 0.0 && error.is_finite();
        is_true(is_length, || FieldFault::Error { level, index, found: error })?;
        end += u64::from(node.stored.count_ones());
    }
    Ok(end)
}

/// The values of the leaves.
struct Leaves<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Leaves<'_> {
    /// How many values of a leaf are within the band; what is wrong with it, if it has none.
    fn within(&self, leaf: usize) -> Result<u64, &'static str> {
        let start = leaf * LEAF_VALUES * self.size;
        let bytes = &self.bytes[start..start + LEAF_VALUES * self.size];
        let most = if self.size == 1 { i16::from(i8::MAX) } else { i16::MAX };
        let values: Vec<i16> = match self.size {
            1 => bytes.iter().map(|byte| i16::from(*byte as i8)).collect(),
            _ => bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect(),
        };
        if values.iter().any(|value| *value < -most) {
            return Err("a value is less than the limit");
        }
        if values.iter().all(|value| *value == values[0] && value.abs() == most) {
            return Err("the leaf is stored, and has no value within the band");
        }
        Ok(values.iter().filter(|value| value.abs() < most).count() as u64)
    }
}

/// F6
fn check_lattice(field: &Field<'_>, model: &Model<'_>) -> Result<(), FieldFault> {
    let (bounds, half) = (model.bounds(), f64::from(field.band()));
    for axis in 0..3 {
        let first = field.origin()[axis];
        let lattice = [first, first + f64::from(field.points()[axis] - 1) * field.voxel()];
        let band = [f64::from(bounds.min[axis]) - half, f64::from(bounds.max[axis]) + half];
        let holds = lattice[0] <= band[0] && band[1] <= lattice[1];
        is_true(holds, || FieldFault::Lattice { axis, lattice, band })?;
    }
    Ok(())
}

/// F7, at corners of triangles: of a block each, in large models of every so many blocks.
fn check_corners(field: &Field<'_>, checked: &Checked<'_>) -> Result<(), FieldFault> {
    let blocks = &checked.table.blocks;
    let step = blocks.len().div_ceil(SAMPLES as usize).max(1);
    let check = |index: usize| {
        let [corner, ..] = corners(&blocks[index], 0);
        check_sample(field, checked.model, corner).err()
    };
    let chosen = (0..blocks.len()).into_par_iter().step_by(step);
    chosen.find_map_first(check).map_or(Ok(()), Err)
}

/// F7, between the points of the lattice: most in bricks that are stored.
fn check_samples(
    field: &Field<'_>,
    section: &ArchivedDistanceField<'_>,
    model: &Model<'_>,
) -> Result<(), FieldFault> {
    let bricks = crate::field::stored_bricks(section);
    let check = |sample| {
        let mut random = SplitMix::new(sample);
        let number = |bits: u64, below: f64| (bits >> 11) as f64 / (1u64 << 53) as f64 * below;
        let is_anywhere = sample % 8 == 0 || bricks.is_empty();
        let start = match is_anywhere {
            true => [0.0; 3],
            false => bricks[(sample as usize * bricks.len()) / SAMPLES as usize]
                .map(|i| i as f64 * BRICK_POINTS as f64),
        };
        let position = [0, 1, 2].map(|axis| {
            let width = if is_anywhere { f64::from(field.points()[axis]) } else { BRICK_POINTS as f64 };
            let at = start[axis] + number(random.bits(), width);
            (field.origin()[axis] + at * field.voxel()) as f32
        });
        check_sample(field, model, position)
    };
    // The first fault, whatever the number of threads.
    (0..SAMPLES).into_par_iter().find_map_first(|sample| check(sample).err()).map_or(Ok(()), Err)
}

/// Whether a position has a distance from a model, as the runtime tells it.
fn has_distance(position: [f32; 3]) -> bool {
    position.iter().all(|x| x.abs() <= MAX_COORDINATE)
}

fn check_sample(field: &Field<'_>, model: &Model<'_>, position: [f32; 3]) -> Result<(), FieldFault> {
    if !has_distance(position) {
        return Ok(());
    }
    let Some(sample) = field.sample(position) else { return Ok(()) };
    let band = f64::from(field.band());
    // Farther away all distances count as one.
    let reach = 2.0 * band;
    let nearest = model.closest_point(position, reach as f32);
    let distance = nearest.map_or(reach, |nearest| f64::from(nearest.distance));
    // Of a surface with a boundary, signs are not known here, and a winding number takes a pass over its edges.
    let is_inside = || model.winding(position).is_some_and(|winding| libm::round(winding.value) != 0.0);
    let (found, expected) = match field.signs_are_exact() {
        true if is_inside() => (f64::from(sample.value), (-distance).max(-band)),
        true => (f64::from(sample.value), distance.min(band)),
        false => (f64::from(sample.value).abs(), distance.min(band)),
    };
    // The distance was rounded to f32.
    let error = f64::from(sample.error);
    let holds = (found - expected).abs() <= error + distance / f64::from(1 << 23);
    is_true(holds, || FieldFault::Sample { position, found: sample.value, error, expected, rule: 7 })
}
