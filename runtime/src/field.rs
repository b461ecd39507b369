//! The distance field that a file may have: samples between the points of its lattice.
//!
//! All arithmetic is in f64, without FMA, in one order, so a sample has the same bits on every CPU. That of the position has a
//! relative error of a few 2^-53, which the errors in the file cover, as well as the rounding of the value to f32.

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode, LEAF_VALUES, MAX_FIELD_TILES, TILE_POINTS};
use bvhc_format::section::ArchivedDistanceField;

use crate::math::vector::Map3;
use crate::model::Model;

/// What a field knows of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSample {
    /// The signed distance from the surface, negative inside; at most the band's half width either way.
    pub value: f32,
    /// How the value changes along x, y and z: about a unit vector away from the surface, zero beyond the band.
    pub gradient: [f32; 3],
    /// How far the value may be from the distance, both limited to the band: see [`Field::signs_are_exact`].
    pub error: f32,
}

/// Distances from the surface at the points of a lattice, near the surface: a narrow band.
///
/// Answers are defined for files that `bvhc verify` accepts; for others they are unspecified.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    origin: [f64; 3],
    voxel: f64,
    per_voxel: f64,
    step: f64,
    edge_error: f32,
    tile_counts: [u32; 3],
    is_wide: bool,
    is_exact: bool,
    tiles: &'a [FieldNode],
    bricks: &'a [FieldNode],
    values: &'a [u8],
}

/// Where the values of a brick's points are.
#[derive(Clone, Copy)]
enum Brick<'a> {
    Stored(&'a FieldNode),
    /// All beyond the band: inside, and the error of samples.
    Beyond(bool, f32),
}

/// Where the values of a leaf begin, or the number that they all are.
#[derive(Clone, Copy)]
enum Leaf {
    Values(usize),
    Limit(f64),
}

impl<'a> Model<'a> {
    /// The distance field, if the file has one (`--field`). Keep it while you sample: opening it takes a division.
    pub fn field(&self) -> Option<Field<'a>> {
        self.sections().field().map(Field::of)
    }
}

impl<'a> Field<'a> {
    fn of(section: &'a ArchivedDistanceField<'static>) -> Self {
        let voxel = section.voxel.to_native();
        Self {
            origin: section.origin.map3(|x| x.to_native()),
            voxel,
            per_voxel: 1.0 / voxel,
            step: section.step.to_native(),
            edge_error: section.edge_error.to_native(),
            tile_counts: section.tile_counts.map3(|count| count.to_native().min(MAX_FIELD_TILES)),
            is_wide: section.bits.to_native() != 8,
            is_exact: section.signs.to_native() == 0,
            tiles: section.tiles.get(),
            bricks: section.bricks.get(),
            values: section.values.get(),
        }
    }

    /// The distance from the surface at a point, between those at the eight points of the lattice around it (trilinear).
    ///
    /// In model units and space. Beyond the band, and beyond the lattice, the value is the band's half width, with its sign.
    /// `None` if the point is not finite. Does not allocate or panic. Cost: up to 27 reads of memory; some 20 ns if it is in a
    /// cache.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad-field.bvh"))?;
    /// let field = model.field().expect("compiled with --field");
    /// let found = field.sample([1.0, 0.5, 0.4]).expect("a finite point");
    /// assert!((found.value - 0.4).abs() <= found.error && found.gradient[2] > 0.9);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn sample(&self, point: impl Into<[f32; 3]>) -> Option<FieldSample> {
        let point: [f32; 3] = point.into();
        if !point.iter().all(|x| x.is_finite()) {
            return None;
        }
        let (mut cell, mut share) = ([0; 3], [0.0; 3]);
        for axis in 0..3 {
            let at = (f64::from(point[axis]) - self.origin[axis]) * self.per_voxel;
            let last = self.points()[axis].saturating_sub(1);
            if !(at >= 0.0 && at < f64::from(last)) {
                return Some(self.beyond(false, 0.0));
            }
            cell[axis] = at as u32;
            share[axis] = at - f64::from(cell[axis]);
        }
        Some(self.in_cell(cell, share))
    }

    /// The value at a point of the lattice; beyond the lattice, the band's half width.
    pub fn value_at(&self, index: [u32; 3]) -> f32 {
        let points = self.points();
        if (0..3).any(|axis| index[axis] >= points[axis]) {
            return self.band();
        }
        let brick = self.brick(index.map3(|i| i / BRICK_POINTS as u32));
        let at = index.map3(|i| i % BRICK_POINTS as u32);
        (self.number(self.leaf(brick, at), at) * self.step) as f32
    }

    /// The numbers of points of the lattice along the axes.
    pub fn points(&self) -> [u32; 3] {
        self.tile_counts.map3(|count| count * TILE_POINTS as u32)
    }

    /// The first point of the lattice, in model units.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// The distance of neighbouring points along an axis, in model units.
    pub fn voxel(&self) -> f64 {
        self.voxel
    }

    /// Half the width of the band, in model units: what samples beyond it have as their value.
    pub fn band(&self) -> f32 {
        (self.most() * self.step) as f32
    }

    /// Whether signs are exact, as the surface is closed: a sample's value is then within its error of the signed distance.
    /// Otherwise signs are those of rounded winding numbers at the points of the lattice, beyond the band at one point of each
    /// brick, and the error is that of the value's magnitude.
    pub fn signs_are_exact(&self) -> bool {
        self.is_exact
    }

    /// The number that stands for the band's half width.
    fn most(&self) -> f64 {
        if self.is_wide { f64::from(i16::MAX) } else { f64::from(i8::MAX) }
    }

    fn beyond(&self, is_inside: bool, error: f32) -> FieldSample {
        let band = self.band();
        FieldSample { value: if is_inside { -band } else { band }, gradient: [0.0; 3], error }
    }

    #[inline(always)]
    fn in_cell(&self, cell: [u32; 3], share: [f64; 3]) -> FieldSample {
        let last = BRICK_POINTS as u32 - 1;
        let (of_cell, local) = (cell.map3(|i| i / BRICK_POINTS as u32), cell.map3(|i| i & last));
        // The axes along which the cell reaches into the next brick.
        let across = (0..3).filter(|axis| local[*axis] == last).map(|axis| 1 << axis).sum::<usize>();
        let own = self.brick(of_cell);
        let error = match own {
            Brick::Stored(node) => node.error,
            Brick::Beyond(is_inside, error) if across == 0 => return self.beyond(is_inside, error),
            Brick::Beyond(..) => self.edge_error,
        };
        // And those along which it reaches into the next leaf.
        let odd = (0..3).filter(|axis| local[*axis] & 1 != 0).map(|axis| 1 << axis).sum::<usize>();
        let (mut bricks, mut leaves, mut numbers) = ([own; 8], [Leaf::Limit(0.0); 8], [0.0; 8]);
        for corner in 0..8 {
            let step = [corner & 1, corner >> 1 & 1, corner >> 2].map3(|bit| bit as u32);
            let at = [0, 1, 2].map3(|axis| (local[axis] + step[axis]) & last);
            if corner & odd == corner {
                if corner != 0 && corner & across == corner {
                    bricks[corner] = self.brick([0, 1, 2].map3(|axis| of_cell[axis] + step[axis]));
                }
                leaves[corner] = self.leaf(bricks[corner & across], at);
            }
            numbers[corner] = self.number(leaves[corner & odd], at);
        }
        let is_at_edge = numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs())) >= self.most();
        let (value, slope) = trilinear(&numbers, share);
        let slope_scale = self.step * self.per_voxel;
        FieldSample {
            value: (value * self.step) as f32,
            gradient: slope.map3(|x| (x * slope_scale) as f32),
            error: if is_at_edge { self.edge_error } else { error },
        }
    }

    #[inline(always)]
    fn brick(&self, at: [u32; 3]) -> Brick<'a> {
        let width = FIELD_WIDTH as u32;
        let [x, y, z] = at.map3(|i| (i / width) as usize);
        let [columns, rows, _] = self.tile_counts.map3(|count| count as usize);
        let Some(tile) = self.tiles.get(x + columns * (y + rows * z)) else {
            return Brick::Beyond(false, f32::INFINITY);
        };
        let bit = bit_of(at.map3(|i| i % width));
        match tile.child(bit) {
            None => Brick::Beyond(tile.is_inside(bit), tile.error),
            Some(index) => match self.bricks.get(index) {
                Some(node) => Brick::Stored(node),
                None => Brick::Beyond(false, f32::INFINITY),
            },
        }
    }

    /// The leaf of a point of a brick.
    #[inline(always)]
    fn leaf(&self, brick: Brick<'a>, at: [u32; 3]) -> Leaf {
        let node = match brick {
            Brick::Stored(node) => node,
            Brick::Beyond(is_inside, _) => return Leaf::Limit(self.limit(is_inside)),
        };
        let bit = bit_of(at.map3(|i| i >> 1));
        match node.child(bit) {
            Some(leaf) => Leaf::Values(leaf.wrapping_mul(LEAF_VALUES)),
            None => Leaf::Limit(self.limit(node.is_inside(bit))),
        }
    }

    /// The number at a point of a leaf, by its coordinates in the brick.
    #[inline(always)]
    fn number(&self, leaf: Leaf, at: [u32; 3]) -> f64 {
        let [x, y, z] = at.map3(|i| (i & 1) as usize);
        match leaf {
            Leaf::Values(first) => self.stored(first.wrapping_add(x + 2 * y + 4 * z)),
            Leaf::Limit(number) => number,
        }
    }

    #[inline(always)]
    fn stored(&self, index: usize) -> f64 {
        if !self.is_wide {
            return self.values.get(index).map_or(0.0, |byte| f64::from(*byte as i8));
        }
        let start = index.wrapping_mul(2);
        match self.values.get(start..start.wrapping_add(2)) {
            Some(&[low, high]) => f64::from(i16::from_le_bytes([low, high])),
            _ => 0.0,
        }
    }

    fn limit(&self, is_inside: bool) -> f64 {
        if is_inside { -self.most() } else { self.most() }
    }
}

/// The bit of a child in its node.
#[inline(always)]
fn bit_of([x, y, z]: [u32; 3]) -> u32 {
    x + FIELD_WIDTH as u32 * (y + FIELD_WIDTH as u32 * z)
}

/// The number between those at the corners of a cell, x changing first, and how it changes along each axis.
#[inline(always)]
fn trilinear(corners: &[f64; 8], [x, y, z]: [f64; 3]) -> (f64, [f64; 3]) {
    let between = |a: f64, b: f64, share: f64| a + (b - a) * share;
    let along_x = [0, 2, 4, 6].map(|k| between(corners[k], corners[k + 1], x));
    let along_y = [between(along_x[0], along_x[1], y), between(along_x[2], along_x[3], y)];
    let slope_x = [0, 2, 4, 6].map(|k| corners[k + 1] - corners[k]);
    let slope_x = between(between(slope_x[0], slope_x[1], y), between(slope_x[2], slope_x[3], y), z);
    let slope_y = between(along_x[1] - along_x[0], along_x[3] - along_x[2], z);
    (between(along_y[0], along_y[1], z), [slope_x, slope_y, along_y[1] - along_y[0]])
}
