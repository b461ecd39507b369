//! The distance field that a file may have: samples between the points of its lattice.
//!
//! All arithmetic is in f64, without FMA, in one order, so a sample has the same bits on every CPU. That of the position has a
//! relative error of a few 2^-53, which the errors in the file cover, as well as the rounding of the value to f32.

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode, LEAF_VALUES, MAX_FIELD_TILES, TILE_POINTS};
use bvhc_format::section::ArchivedDistanceField;

use crate::level::Level;
use crate::math::vector::{Map3, dot};
use crate::model::Model;
use crate::simd::dispatch;

/// A number from which on f64 has all integers, and no others, far beyond the width of any lattice.
const INTEGERS: f64 = (1u64 << 52) as f64;

/// What a field knows of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSample {
    /// The signed distance from the surface, negative inside; at most the band's half width either way.
    pub value: f32,
    /// How the value changes along x, y and z: about a unit vector away from the surface, zero beyond the band.
    pub gradient: [f32; 3],
    /// How far the value may be from the distance, both limited to the band: see [`Field::signs_are_exact`]. A bound, not an estimate:
    /// beyond the band, and where a cell reaches beyond it, often nearly the band's half width.
    pub error: f32,
}

/// Distances from the surface at the points of a lattice, near the surface: a narrow band.
///
/// Answers are defined for files that `bvhc verify` accepts; for others they are unspecified.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    level: Level,
    origin: [f64; 3],
    voxel: f64,
    per_voxel: f64,
    step: f64,
    edge_error: f32,
    point_error: f64,
    tile_counts: [u32; 3],
    /// The index of the last point along each axis.
    last: [f64; 3],
    is_wide: bool,
    is_exact: bool,
    tiles: &'a [FieldNode],
    bricks: &'a [FieldNode],
    values: &'a [u8],
}

/// A brick: its node, or one without leaves for those that are all beyond the band.
#[derive(Clone, Copy)]
struct Brick {
    node: FieldNode,
    is_stored: bool,
}

impl<'a> Model<'a> {
    /// The distance field, if the file has one (`--field`). Keep it while you sample: opening it takes a division.
    pub fn field(&self) -> Option<Field<'a>> {
        self.sections().field().map(|section| Field::of(section, self.level()))
    }
}

impl<'a> Field<'a> {
    fn of(section: &'a ArchivedDistanceField<'static>, level: Level) -> Self {
        let voxel = section.voxel.to_native();
        let tile_counts = section.tile_counts.map3(|count| count.to_native().min(MAX_FIELD_TILES));
        Self {
            level,
            origin: section.origin.map3(|x| x.to_native()),
            voxel,
            per_voxel: 1.0 / voxel,
            step: section.step.to_native(),
            edge_error: section.edge_error.to_native(),
            point_error: section.point_error.to_native(),
            tile_counts,
            last: tile_counts.map3(|count| f64::from((count * TILE_POINTS as u32).saturating_sub(1))),
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
    /// `None` if the point is not finite. Does not allocate or panic. Cost: up to 27 reads of memory; some 30 ns if it is in a
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
        // Counting bits takes an instruction where the level has it.
        Some(dispatch!(self.level.inner(), simd => self.between_points(point)))
    }

    /// Whether a point is inside, if a point of the lattice beside it is farther from the surface than from it; signs must be exact.
    pub(crate) fn is_inside(&self, point: [f32; 3]) -> Option<bool> {
        dispatch!(self.level.inner(), simd => self.side_by_nearest(point).or_else(
            #[inline(always)]
            || self.side_by_cell(point),
        ))
    }

    /// As [`is_inside`](Self::is_inside), of each of `points`.
    pub(crate) fn are_inside(&self, points: &[[f32; 3]], answers: &mut [Option<bool>]) {
        dispatch!(self.level.inner(), simd => {
            // Almost without branches, so that several points wait for memory at once.
            for (point, answer) in points.iter().zip(answers.iter_mut()) {
                *answer = self.side_by_nearest(*point);
            }
            for (point, answer) in points.iter().zip(answers) {
                if answer.is_none() {
                    *answer = self.side_by_cell(*point);
                }
            }
        });
    }

    /// The side of the nearest point of the lattice, if a point is on the same. On a segment that is shorter than the distance of one of
    /// its ends from the surface, both ends have the same winding number.
    #[inline(always)]
    fn side_by_nearest(&self, point: [f32; 3]) -> Option<bool> {
        let Some(at) = self.in_lattice(point) else { return Some(false) };
        // The sum has no bits of a fraction, and those of the nearest integer are its last ones.
        let rounded = at.map3(|x| x + INTEGERS);
        let nearest = rounded.map3(|x| x.to_bits() as u32);
        let apart = [0, 1, 2].map3(|axis| at[axis] - (rounded[axis] - INTEGERS));
        let brick = self.brick(nearest.map3(|i| i / BRICK_POINTS as u32));
        let number = self.number(&brick.node, nearest.map3(|i| i % BRICK_POINTS as u32));
        self.is_farther(number, dot(apart, apart)).then_some(number < 0)
    }

    /// As [`side_by_nearest`](Self::side_by_nearest), by any of the corners of the point's cell.
    #[inline(always)]
    fn side_by_cell(&self, point: [f32; 3]) -> Option<bool> {
        let Some(at) = self.in_lattice(point) else { return Some(false) };
        let cell = at.map3(|x| x as u32);
        let [x, y, z] = [0, 1, 2].map3(|axis| {
            let share = at[axis] - f64::from(cell[axis]);
            [share * share, (1.0 - share) * (1.0 - share)]
        });
        let mut found = None;
        for (corner, number) in self.corners(cell).1?.into_iter().enumerate() {
            let square = x[corner & 1] + y[corner >> 1 & 1] + z[corner >> 2];
            found = if self.is_farther(number, square) { Some(number < 0) } else { found };
        }
        found
    }

    /// Whether a point of the lattice with this number is surely farther from the surface than the root of this square, in voxels. What
    /// positions in the lattice are rounded by is within the error of points.
    #[inline(always)]
    fn is_farther(&self, number: i32, square: f64) -> bool {
        let distance = (f64::from(number.abs()) * self.step - self.point_error) * self.per_voxel;
        // A few roundings.
        distance > 0.0 && distance * distance * (1.0 - 1e-12) > square
    }

    /// The value at a point of the lattice; beyond the lattice, the band's half width.
    pub fn value_at(&self, index: [u32; 3]) -> f32 {
        let points = self.points();
        if (0..3).any(|axis| index[axis] >= points[axis]) {
            return self.band();
        }
        let brick = self.brick(index.map3(|i| i / BRICK_POINTS as u32));
        let at = index.map3(|i| i % BRICK_POINTS as u32);
        (f64::from(self.number(&brick.node, at)) * self.step) as f32
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

    /// How far values at points of the lattice may be from the distance, both limited to the band: in files of bvhc half a step of the
    /// values, which is the band over 254, and little more; over 65534 with 16 bits.
    pub fn point_error(&self) -> f64 {
        self.point_error
    }

    /// Half the width of the band, in model units: what samples beyond it have as their value.
    pub fn band(&self) -> f32 {
        (f64::from(self.most()) * self.step) as f32
    }

    /// Whether signs are exact, as the surface is closed: a sample's value is then within its error of the signed distance.
    /// Otherwise signs are those of rounded winding numbers at the points of the lattice, beyond the band at one point of each
    /// brick, and the error is that of the value's magnitude.
    pub fn signs_are_exact(&self) -> bool {
        self.is_exact
    }

    /// The number that stands for the band's half width.
    #[inline(always)]
    fn most(&self) -> i32 {
        if self.is_wide { i32::from(i16::MAX) } else { i32::from(i8::MAX) }
    }

    #[inline(always)]
    fn beyond(&self, is_inside: bool, error: f32) -> FieldSample {
        let band = self.band();
        FieldSample { value: if is_inside { -band } else { band }, gradient: [0.0; 3], error }
    }

    #[inline(always)]
    fn between_points(&self, point: [f32; 3]) -> FieldSample {
        let Some(at) = self.in_lattice(point) else { return self.beyond(false, 0.0) };
        let cell = at.map3(|x| x as u32);
        self.in_cell(cell, [0, 1, 2].map3(|axis| at[axis] - f64::from(cell[axis])))
    }

    /// Where a point is, in voxels from the lattice's first one; `None` if it is in no cell.
    #[inline(always)]
    fn in_lattice(&self, point: [f32; 3]) -> Option<[f64; 3]> {
        let at = [0, 1, 2].map3(|axis| (f64::from(point[axis]) - self.origin[axis]) * self.per_voxel);
        (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < self.last[axis]).then_some(at)
    }

    #[inline(always)]
    fn in_cell(&self, cell: [u32; 3], share: [f64; 3]) -> FieldSample {
        let (own, numbers) = self.corners(cell);
        let Some(numbers) = numbers else {
            return self.beyond(own.node.is_inside(0), own.node.error);
        };
        let error = if own.is_stored { own.node.error } else { self.edge_error };
        let is_at_edge = numbers.iter().fold(0, |most, number| most.max(number.abs())) >= self.most();
        let (value, slope) = trilinear(&numbers.map(f64::from), share);
        let slope_scale = self.step * self.per_voxel;
        FieldSample {
            value: (value * self.step) as f32,
            gradient: slope.map3(|x| (x * slope_scale) as f32),
            error: if is_at_edge { self.edge_error } else { error },
        }
    }

    /// The brick of a cell's point, and the numbers at the cell's corners, x changing first; none if they are all in that brick, which
    /// is not stored.
    #[inline(always)]
    fn corners(&self, cell: [u32; 3]) -> (Brick, Option<[i32; 8]>) {
        let last = BRICK_POINTS as u32 - 1;
        let (of_cell, local) = (cell.map3(|i| i / BRICK_POINTS as u32), cell.map3(|i| i & last));
        // The axes along which the cell reaches into the next brick.
        let across = [0, 1, 2].map3(|axis| usize::from(local[axis] == last) << axis);
        let across = across[0] | across[1] | across[2];
        let own = self.brick(of_cell);
        if across != 0 {
            return (own, Some(self.numbers_across(own, of_cell, local, across)));
        }
        let numbers = if own.is_stored { Some(self.numbers_within(&own.node, local)) } else { None };
        (own, numbers)
    }

    /// The numbers at the corners of the cell at a point of a brick that reaches into no other brick.
    #[inline(always)]
    fn numbers_within(&self, node: &FieldNode, local: [u32; 3]) -> [i32; 8] {
        // Whether the cell reaches into the next leaf along an axis.
        let odd = local.map3(|i| i & 1);
        let row = 1 | u64::from(odd[0]) << 1;
        let layer = row | row << (FIELD_WIDTH as u32 * odd[1]);
        let all = layer | layer << ((FIELD_WIDTH * FIELD_WIDTH) as u32 * odd[2]);
        let first = bit_of(local.map3(|i| i >> 1));
        if all << first & !node.stored != 0 {
            return self.numbers(
                local,
                #[inline(always)]
                |_| node,
            );
        }
        // The leaf beside another one along x follows it.
        let next = if odd[0] == 0 { 1 } else { LEAF_VALUES - 1 };
        let mut numbers = [0; 8];
        for row in 0..4 {
            let (y, z) = (row & 1, row >> 1);
            let leaf = leaf_of(node, first + bit_of([0, odd[1] & y, odd[2] & z]));
            let at = value_of(leaf, [odd[0], odd[1] ^ y, odd[2] ^ z]);
            numbers[2 * row as usize] = self.stored(at);
            numbers[2 * row as usize + 1] = self.stored(at.wrapping_add(next));
        }
        numbers
    }

    /// The numbers at the corners of a cell that reaches into other bricks along these axes.
    #[inline(always)]
    fn numbers_across(&self, own: Brick, of_cell: [u32; 3], local: [u32; 3], across: usize) -> [i32; 8] {
        let mut nodes = [own.node; 8];
        let mut beside = across;
        while beside != 0 {
            let step = [beside & 1, beside >> 1 & 1, beside >> 2].map3(|bit| bit as u32);
            nodes[beside] = self.brick([0, 1, 2].map3(|axis| of_cell[axis] + step[axis])).node;
            beside = (beside - 1) & across;
        }
        self.numbers(
            local,
            #[inline(always)]
            |corner| &nodes[corner & across],
        )
    }

    /// The numbers at the corners of the cell at a point of a brick, from the node of each corner's brick.
    #[inline(always)]
    fn numbers<'n>(&self, local: [u32; 3], node: impl Fn(usize) -> &'n FieldNode) -> [i32; 8] {
        let mut numbers = [0; 8];
        for (corner, number) in numbers.iter_mut().enumerate() {
            let step = [corner & 1, corner >> 1 & 1, corner >> 2].map3(|bit| bit as u32);
            let at = [0, 1, 2].map3(|axis| (local[axis] + step[axis]) & (BRICK_POINTS as u32 - 1));
            *number = self.number(node(corner), at);
        }
        numbers
    }

    #[inline(always)]
    fn brick(&self, at: [u32; 3]) -> Brick {
        let width = FIELD_WIDTH as u32;
        let [x, y, z] = at.map3(|i| (i / width) as usize);
        let [columns, rows, _] = self.tile_counts.map3(|count| count as usize);
        let without_leaves = |is_inside, error| Brick {
            node: FieldNode { stored: 0, inside: if is_inside { u64::MAX } else { 0 }, first: 0, error },
            is_stored: false,
        };
        let Some(tile) = self.tiles.get(x + columns * (y + rows * z)) else {
            return without_leaves(false, f32::INFINITY);
        };
        let bit = bit_of(at.map3(|i| i % width));
        match tile.child(bit) {
            None => without_leaves(tile.is_inside(bit), tile.error),
            Some(index) => match self.bricks.get(index) {
                Some(node) => Brick { node: *node, is_stored: true },
                None => without_leaves(false, f32::INFINITY),
            },
        }
    }

    /// The number at a point of a brick. Without branches: whether a leaf is stored cannot be foretold.
    #[inline(always)]
    fn number(&self, node: &FieldNode, at: [u32; 3]) -> i32 {
        let bit = bit_of(at.map3(|i| i >> 1));
        let stored = self.stored(value_of(leaf_of(node, bit), at.map3(|i| i & 1)));
        let (is_stored, is_inside) = (node.stored >> bit & 1, node.inside >> bit & 1);
        let (of_leaf, sign) = (-(is_stored as i32), -(is_inside as i32));
        stored & of_leaf | ((self.most() ^ sign) - sign) & !of_leaf
    }

    #[inline(always)]
    fn stored(&self, index: usize) -> i32 {
        if !self.is_wide {
            return self.values.get(index).map_or(0, |byte| i32::from(*byte as i8));
        }
        let start = index.wrapping_mul(2);
        match self.values.get(start..start.wrapping_add(2)) {
            Some(&[low, high]) => i32::from(i16::from_le_bytes([low, high])),
            _ => 0,
        }
    }
}

/// The bit of a child in its node.
#[inline(always)]
fn bit_of([x, y, z]: [u32; 3]) -> u32 {
    x + FIELD_WIDTH as u32 * (y + FIELD_WIDTH as u32 * z)
}

/// Where a brick's leaf stands, for its bit, if it is stored.
#[inline(always)]
fn leaf_of(node: &FieldNode, bit: u32) -> usize {
    let below = (1u64 << bit) - 1;
    (node.first as usize).wrapping_add((node.stored & below).count_ones() as usize)
}

/// Where the value of a leaf's point stands.
#[inline(always)]
fn value_of(leaf: usize, at: [u32; 3]) -> usize {
    let [x, y, z] = at.map3(|i| i as usize);
    leaf.wrapping_mul(LEAF_VALUES).wrapping_add(x + 2 * y + 4 * z)
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
