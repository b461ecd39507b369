//! Distance fields: the distance from the surface at the points of a lattice, in a narrow band, with a proven error.
//!
//! `lattice` says where the points are, `nearby` which triangles may be near a brick of them, `distance` computes distances,
//! `sign` says which points are inside, `error` bounds what interpolation adds, and `encode` makes the records. `nanovdb` exports them.
//!
//! All lengths here are in voxels, the distance of neighbouring points, unless they are said to be in model units.

mod distance;
mod encode;
mod error;
mod lattice;
#[cfg(feature = "cli")]
pub(crate) mod nanovdb;
mod nearby;
mod sign;

use std::ops::RangeInclusive;

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode};
use bvhc_format::section::ArchivedDistanceField;
use bvhc_runtime::Model;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

pub(crate) use encode::FieldRecords;
use lattice::{Halo, Lattice};

/// How a distance field is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Cells along the longest axis of the bounds, one of [`RESOLUTIONS`](Self::RESOLUTIONS).
    pub resolution: u32,
    /// Half the width of the band, in voxels, one of [`BANDS`](Self::BANDS).
    pub band: u32,
    /// The bits of a value.
    pub bits: Bits,
}

impl Options {
    /// The coarsest and the finest field.
    pub const RESOLUTIONS: RangeInclusive<u32> = 4..=2048;

    /// The narrowest and the widest band.
    pub const BANDS: RangeInclusive<u32> = 1..=16;

    /// A band of three voxels on either side, in 8 bits.
    pub fn new(resolution: u32) -> Self {
        Self { resolution, band: 3, bits: Bits::Eight }
    }

    /// Whether both numbers are within their ranges.
    pub(crate) fn are_possible(&self) -> bool {
        Self::RESOLUTIONS.contains(&self.resolution) && Self::BANDS.contains(&self.band)
    }
}

/// The bits of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bits {
    /// 255 values: a step is about a fortieth of a voxel in a band of three.
    #[default]
    Eight,
    /// 65535 values.
    Sixteen,
}

impl Bits {
    /// How many there are.
    pub const fn count(self) -> u32 {
        match self {
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }

    /// The greatest value, which stands for the band's half width.
    const fn most(self) -> i16 {
        match self {
            Self::Eight => i8::MAX as i16,
            Self::Sixteen => i16::MAX,
        }
    }
}

/// The least extent of a model: that of cells and steps is then far above 2^-126, from where on f32 rounds to multiples of 2^-149.
pub(crate) const LEAST_EXTENT: f32 = 1e-30;

/// How far beyond the band distances are computed: they prove the lower bounds of distances at its edge.
const BEYOND: f64 = 2.0;

/// The points of a brick.
const POINTS: usize = BRICK_POINTS * BRICK_POINTS * BRICK_POINTS;

/// The coordinates of a brick's point within it.
pub(crate) fn point_of(index: usize) -> [usize; 3] {
    [index % BRICK_POINTS, index / BRICK_POINTS % BRICK_POINTS, index / (BRICK_POINTS * BRICK_POINTS)]
}

/// The points of a brick that triangles are near to.
struct Brick {
    /// Signed distances, limited to the reach.
    distances: Box<[f32; POINTS]>,
    /// Whether signs change at the surface only, in the brick and [`Halo::REACH`] around it.
    is_regular: bool,
    /// What the distances may be off for other reasons than those that all bricks share.
    slack: f64,
}

/// How near to the surface, in voxels, points of a field have the value 0, since they may be on either side once they are rounded.
pub(crate) fn rounding_of(bounds: [[f32; 3]; 2], options: &Options) -> f64 {
    Lattice::new(bounds, options).rounding
}

/// The field of a model's triangles; none where it would take too long. `model` is a file of the same triangles, and tells
/// what is inside.
pub(crate) fn lay_out_field(
    corners: &[[[f32; 3]; 3]],
    model: &Model<'_>,
    options: &Options,
) -> Option<FieldRecords> {
    let bounds = model.bounds();
    let lattice = Lattice::new([bounds.min, bounds.max], options);
    let triangles = nearby::local(corners, &lattice);
    let nearby = nearby::Nearby::of(&triangles, &lattice)?;
    let boundary = sign::Boundary::of(model, &lattice);
    let bricks: Vec<Brick> = (0..nearby.count())
        .into_par_iter()
        .map(|index| {
            let distances =
                distance::of_brick(&triangles, nearby.triangles(index), nearby.brick(index), &lattice);
            sign::sign(distances, nearby.brick(index), &lattice, &boundary)
        })
        .collect();
    let beyond = sign::beyond(&nearby, &lattice, &boundary);
    if boundary.is_exhausted() {
        return None;
    }
    let errors: Vec<error::Errors> = (0..bricks.len())
        .into_par_iter()
        .map_init(Halo::default, |halo, index| {
            halo.fill(nearby.brick(index), &lattice, &nearby, &bricks, &beyond);
            error::of_brick(halo, &bricks[index], &lattice)
        })
        .collect();
    Some(encode::encode(&lattice, &nearby, &bricks, &beyond, &errors, boundary.is_closed()))
}

/// The coordinates of all bricks that are stored, in the order of the tiles.
pub(crate) fn stored_bricks(section: &ArchivedDistanceField<'_>) -> Vec<[usize; 3]> {
    let [columns, rows, _] = section.tile_counts.map(|count| count.to_native() as usize);
    let tiles: &[FieldNode] = section.tiles.get();
    let of_tile = |(index, tile): (usize, &FieldNode)| {
        let first =
            [index % columns.max(1), index / columns.max(1) % rows.max(1), index / (columns * rows).max(1)];
        let first = first.map(|i| i * FIELD_WIDTH);
        let stored = tile.stored;
        (0..64).filter(move |bit| stored >> bit & 1 != 0).map(move |bit| {
            let at = [bit & 3, bit >> 2 & 3, bit >> 4];
            [0, 1, 2].map(|axis| first[axis] + at[axis])
        })
    };
    tiles.iter().enumerate().flat_map(of_tile).collect()
}
