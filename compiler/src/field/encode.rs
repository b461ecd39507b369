//! The records of a field.

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode, LEAF_VALUES};
use bvhc_format::section::DistanceField;

use super::error::Errors;
use super::lattice::Lattice;
use super::nearby::Nearby;
use super::{Bits, Brick, POINTS};
use crate::math::vector::round_up;

/// The contents of section field.
pub(crate) struct FieldRecords {
    origin: [f64; 3],
    voxel: f64,
    step: f64,
    tile_counts: [u32; 3],
    bits: Bits,
    is_closed: bool,
    edge_error: f32,
    point_error: f64,
    active: u64,
    tiles: Vec<FieldNode>,
    bricks: Vec<FieldNode>,
    values: Vec<u8>,
}

impl FieldRecords {
    /// The root of the section.
    pub(crate) fn root(&self) -> DistanceField<'_> {
        DistanceField {
            origin: self.origin,
            voxel: self.voxel,
            step: self.step,
            tile_counts: self.tile_counts,
            bits: self.bits.count(),
            signs: u32::from(!self.is_closed),
            edge_error: self.edge_error,
            point_error: self.point_error,
            active: self.active,
            tiles: &self.tiles,
            bricks: &self.bricks,
            values: &self.values,
        }
    }
}

/// Makes the records. `beyond` says which bricks without triangles near them are inside; `errors` are in voxels.
pub(super) fn encode(
    lattice: &Lattice,
    nearby: &Nearby,
    bricks: &[Brick],
    beyond: &[bool],
    errors: &[Errors],
    is_closed: bool,
) -> FieldRecords {
    let step = lattice.band * lattice.voxel / f64::from(lattice.bits.most());
    // In model units, with what that product may be rounded by.
    let in_model = |error: f64| error * lattice.voxel * (1.0 + 1e-12);
    let mut records = FieldRecords {
        origin: lattice.origin,
        voxel: lattice.voxel,
        step,
        tile_counts: lattice.tiles,
        bits: lattice.bits,
        is_closed,
        edge_error: 0.0,
        point_error: errors.iter().map(|it| in_model(it.point)).fold(0.0, f64::max),
        active: 0,
        tiles: Vec::new(),
        bricks: Vec::new(),
        values: Vec::new(),
    };
    let [columns, rows, layers] = lattice.tiles.map(|count| count as usize);
    for tile in 0..columns * rows * layers {
        let first = [tile % columns, tile / columns % rows, tile / (columns * rows)].map(|i| i * FIELD_WIDTH);
        let mut node = FieldNode { stored: 0, inside: 0, first: records.bricks.len() as u32, error: 0.0 };
        for bit in 0..64 {
            let at = [bit & 3, bit >> 2 & 3, bit >> 4];
            let index = lattice.index([0, 1, 2].map(|axis| first[axis] + at[axis]));
            let Some(near) = nearby.find(index) else {
                node.inside |= u64::from(beyond[index]) << bit;
                continue;
            };
            let [within, edge] =
                [errors[near].within, errors[near].edge].map(|error| round_up(in_model(error)));
            let codes = codes(&bricks[near], lattice);
            records.edge_error = records.edge_error.max(edge);
            match records.brick(&codes, within) {
                Some(brick) => {
                    node.stored |= 1 << bit;
                    records.bricks.push(brick);
                }
                None => {
                    node.inside |= u64::from(codes[0] < 0) << bit;
                    node.error = node.error.max(edge);
                }
            }
        }
        records.tiles.push(node);
    }
    records
}

/// The values of a brick's points.
fn codes(brick: &Brick, lattice: &Lattice) -> [i16; POINTS] {
    let most = f64::from(lattice.bits.most());
    brick.distances.map(|distance| {
        (f64::from(distance) / lattice.band * most).round_ties_even().clamp(-most, most) as i16
    })
}

impl FieldRecords {
    /// A brick of these values, whose leaves are added; `None` if they are all beyond the band, on one side.
    fn brick(&mut self, codes: &[i16; POINTS], error: f32) -> Option<FieldNode> {
        let most = self.bits.most();
        let is_beyond = |codes: &[i16]| codes.iter().all(|code| *code == codes[0] && code.abs() == most);
        if is_beyond(codes) {
            return None;
        }
        let size = LEAF_VALUES * self.bits.count() as usize / 8;
        let mut node = FieldNode { stored: 0, inside: 0, first: (self.values.len() / size) as u32, error };
        for bit in 0..64 {
            let leaf = leaf(codes, bit);
            if is_beyond(&leaf) {
                node.inside |= u64::from(leaf[0] < 0) << bit;
                continue;
            }
            node.stored |= 1 << bit;
            self.active += leaf.iter().filter(|code| code.abs() < most).count() as u64;
            for code in leaf {
                match self.bits {
                    Bits::Eight => self.values.push(code as i8 as u8),
                    Bits::Sixteen => self.values.extend(code.to_le_bytes()),
                }
            }
        }
        Some(node)
    }
}

/// The values of a leaf.
fn leaf(codes: &[i16; POINTS], bit: usize) -> [i16; LEAF_VALUES] {
    let start = [bit & 3, bit >> 2 & 3, bit >> 4].map(|i| 2 * i);
    std::array::from_fn(|value| {
        let step = [value & 1, value >> 1 & 1, value >> 2];
        let [x, y, z] = [0, 1, 2].map(|axis| start[axis] + step[axis]);
        codes[x + BRICK_POINTS * (y + BRICK_POINTS * z)]
    })
}
