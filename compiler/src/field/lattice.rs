//! Where the points of a field are, and the distances around a brick.

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, TILE_POINTS};
use fearless_simd::{Simd, SimdBase, SimdFloat, f32x8, i32x8};

use super::nearby::Nearby;
use super::{BEYOND, Bits, Brick, Options, POINTS};

/// The points of a field: point i of an axis is at origin + i * voxel.
pub(super) struct Lattice {
    /// In model units.
    pub(super) origin: [f64; 3],
    /// In model units.
    pub(super) voxel: f64,
    /// Tiles along each axis.
    pub(super) tiles: [u32; 3],
    /// The band's half width.
    pub(super) band: f64,
    pub(super) bits: Bits,
    /// How far points may be from where they are once they are rounded to f32.
    pub(super) rounding: f64,
    /// The error of distances, before they are interpolated or rounded to values; and of sampling.
    pub(super) slack: f64,
}

impl Lattice {
    pub(super) fn new([min, max]: [[f32; 3]; 2], options: &Options) -> Self {
        let extents = [0, 1, 2].map(|axis| f64::from(max[axis]) - f64::from(min[axis]));
        let longest = extents.into_iter().fold(0.0, f64::max);
        let voxel = longest / f64::from(options.resolution);
        let band = f64::from(options.band);
        // Everything within the band, and a cell around it.
        let margin = band + 1.0;
        let origin = min.map(|x| f64::from(x) - margin * voxel);
        let tiles = extents.map(|extent| {
            let points = (extent / voxel + 2.0 * margin).ceil() + 2.0;
            (points / TILE_POINTS as f64).ceil() as u32
        });
        let farthest = (0..3)
            .map(|axis| {
                let end = origin[axis] + f64::from(tiles[axis] * TILE_POINTS as u32) * voxel;
                origin[axis].abs().max(end.abs())
            })
            .fold(0.0, f64::max);
        let farthest = farthest / voxel;
        // Rounding to f32 moves each coordinate by up to 2^-24 of it.
        let rounding = farthest / f64::from(1 << 23);
        // Of slivers (`distance`), of corners in voxels, and of f32: distances are at most the reach, and take a few operations.
        let size = 3.0 * f64::from(options.resolution) + band + BEYOND;
        let slack = size / f64::from(1 << 21) + farthest / (1u64 << 50) as f64 + 4e-6 * (band + BEYOND);
        Self { origin, voxel, tiles, band, bits: options.bits, rounding, slack }
    }

    /// How far from the surface distances are computed.
    pub(super) fn reach(&self) -> f64 {
        self.band + BEYOND
    }

    /// Bricks along each axis.
    pub(super) fn bricks(&self) -> [usize; 3] {
        self.tiles.map(|count| count as usize * FIELD_WIDTH)
    }

    /// The index of a brick among all of them.
    pub(super) fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [columns, rows, _] = self.bricks();
        x + columns * (y + rows * z)
    }

    /// The coordinates of a brick.
    pub(super) fn brick(&self, index: usize) -> [usize; 3] {
        let [columns, rows, _] = self.bricks();
        [index % columns, index / columns % rows, index / (columns * rows)]
    }

    /// A point, in model units, rounded to f32.
    pub(super) fn position(&self, point: [usize; 3]) -> [f32; 3] {
        [0, 1, 2].map(|axis| (self.origin[axis] + point[axis] as f64 * self.voxel) as f32)
    }
}

/// Signed distances at the points of a brick and around it, limited to the reach.
pub(super) struct Halo {
    distances: Box<[f32; Halo::POINTS]>,
    /// What these may be off, beyond the slack of all bricks.
    pub(super) slack: f64,
}

impl Default for Halo {
    fn default() -> Self {
        Self { distances: Box::new([0.0; Self::POINTS]), slack: 0.0 }
    }
}

impl Halo {
    /// How many points there are beyond those of the brick, on each side.
    pub(super) const REACH: usize = 4;

    const WIDTH: usize = BRICK_POINTS + 2 * Self::REACH;

    const POINTS: usize = Self::WIDTH * Self::WIDTH * Self::WIDTH;

    /// Copies the points around a brick. Those beyond the lattice are beyond the reach, and outside.
    pub(super) fn fill(
        &mut self,
        brick: [usize; 3],
        lattice: &Lattice,
        nearby: &Nearby,
        bricks: &[Brick],
        beyond: &[bool],
    ) {
        let counts = lattice.bricks();
        let reach = lattice.reach() as f32;
        self.slack = 0.0;
        for neighbour in 0..27 {
            let step = [neighbour % 3, neighbour / 3 % 3, neighbour / 9];
            let at = [0, 1, 2].map(|axis| (brick[axis] + step[axis]).wrapping_sub(1));
            let is_there = (0..3).all(|axis| at[axis] < counts[axis]);
            let stored = is_there.then(|| nearby.find(lattice.index(at))).flatten();
            let rest = if is_there && beyond[lattice.index(at)] { -reach } else { reach };
            let stored = stored.map(|index| &bricks[index]);
            self.slack = stored.map_or(self.slack, |brick| self.slack.max(brick.slack));
            self.copy(step, stored.map(|brick| &*brick.distances), rest);
        }
    }

    /// Copies what is in reach of a neighbour, or of the brick itself.
    fn copy(&mut self, step: [usize; 3], from: Option<&[f32; POINTS]>, rest: f32) {
        let ranges = step.map(|step| match step {
            0 => BRICK_POINTS - Self::REACH..BRICK_POINTS,
            1 => 0..BRICK_POINTS,
            _ => 0..Self::REACH,
        });
        let [xs, ys, zs] = ranges;
        let start = |step: usize| (step * BRICK_POINTS + Self::REACH) as isize - BRICK_POINTS as isize;
        let to = |axis: usize, point: usize| (start(step[axis]) + point as isize) as usize;
        for z in zs {
            for y in ys.clone() {
                let target = to(0, xs.start) + Self::WIDTH * (to(1, y) + Self::WIDTH * to(2, z));
                let row = &mut self.distances[target..target + xs.len()];
                let source = xs.start + BRICK_POINTS * (y + BRICK_POINTS * z);
                match from {
                    Some(from) => row.copy_from_slice(&from[source..source + xs.len()]),
                    None => row.fill(rest),
                }
            }
        }
    }

    /// The distances at some points, relative to the brick's first, at most [`REACH`](Self::REACH) beyond its points. The
    /// coordinates are whole numbers.
    #[inline(always)]
    pub(super) fn at<S: Simd>(&self, [x, y, z]: [f32x8<S>; 3]) -> f32x8<S> {
        let width = Self::WIDTH as f32;
        let first = Self::REACH as f32 * (1.0 + width * (1.0 + width));
        let indices = (((z * width + y) * width + x) + first).to_int::<i32x8<S>>().to_array();
        let mut distances = [0.0; BRICK_POINTS];
        for (distance, index) in distances.iter_mut().zip(indices) {
            *distance = self.distances[index as usize % Self::POINTS];
        }
        f32x8::load_array(x.simd, distances)
    }

    /// The distances at the points of a row that begins at a point of the brick, or one beyond it.
    #[inline(always)]
    pub(super) fn row(&self, at: [usize; 3]) -> &[f32; BRICK_POINTS] {
        let [x, y, z] = at.map(|i| i + Self::REACH);
        let start = x + Self::WIDTH * (y + Self::WIDTH * z);
        self.distances[start..].first_chunk().expect("the points around the brick hold it")
    }
}
