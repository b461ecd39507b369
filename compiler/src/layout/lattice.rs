//! The lattices of packed blocks: for each block and each vertex, the power of two that its coordinates are multiples
//! of.

use bvhc_format::record::{BLOCK_WIDTH, Block};

use super::weld::Weld;
use crate::mesh::Mesh;

/// The largest offset from a block's origin, in steps.
const LARGEST_OFFSET: f64 = u16::MAX as f64;

/// The smallest exponent of a step: below, steps would be subnormal.
const SMALLEST_EXPONENT: i32 = -126;

/// A multiple of a step with at most this many bits is certainly an f32.
const MULTIPLE_BITS: i32 = 24;

/// Exponents of the lattices' steps.
pub(super) struct Lattice {
    /// For each block, the exponent of the finest lattice that contains its vertices.
    blocks: Vec<i32>,
    /// For each position, the exponent of the coarsest lattice among the blocks that use it.
    positions: Vec<i32>,
    /// The numbers of the positions in the slots of each block.
    slots: Vec<[u32; BLOCK_WIDTH]>,
}

impl Lattice {
    /// Finds lattices on which every block's vertices are at most 65535 steps apart.
    ///
    /// A block's lattice only gets coarser, and never coarser than one that covers the whole model, so this terminates,
    /// usually after two passes over the blocks.
    pub(super) fn find(blocks: &[Block], numbers: &[u32], mesh: &Mesh, weld: &Weld) -> Self {
        let slots = blocks.iter().map(|block| slots_of(block, numbers, mesh, weld)).collect();
        let exponents = blocks.iter().map(first_exponent).collect();
        let positions = vec![i32::MIN; weld.count as usize];
        let mut lattice = Self { blocks: exponents, positions, slots };
        loop {
            lattice.spread(blocks);
            if !lattice.coarsen(blocks) {
                return lattice;
            }
        }
    }

    /// The exponent of a block's step.
    pub(super) fn exponent(&self, block: usize) -> i32 {
        self.blocks[block]
    }

    /// Moves a block's vertices to their lattices, and returns the largest movement on each axis.
    pub(super) fn move_to(&self, index: usize, block: &mut Block) -> [f64; 3] {
        let coordinates = self.lattice_positions(index, block);
        let mut moved = [0f64; 3];
        for axis in 0..3 {
            for (slot, position) in block.positions[axis].iter_mut().enumerate() {
                let coordinate = coordinates[axis][slot];
                moved[axis] = moved[axis].max((coordinate - f64::from(*position)).abs());
                *position = to_f32(coordinate);
            }
        }
        moved
    }

    /// The mesh's positions on their lattices; unused positions are arbitrary.
    pub(super) fn positions_of(&self, mesh: &Mesh, weld: &Weld) -> Vec<[f32; 3]> {
        let moved = |(position, number): (&[f32; 3], &u32)| {
            let step = power_of_two(self.positions[*number as usize]);
            position.map(|x| to_f32(on_lattice(f64::from(x), step)))
        };
        mesh.positions.iter().zip(&weld.numbers).map(moved).collect()
    }

    /// Assigns every position the coarsest lattice of its blocks.
    fn spread(&mut self, blocks: &[Block]) {
        for (index, block) in blocks.iter().enumerate() {
            for number in &self.slots[index][..usize::from(block.vertices)] {
                let exponent = &mut self.positions[*number as usize];
                *exponent = (*exponent).max(self.blocks[index]);
            }
        }
    }

    /// Coarsens the lattices of blocks whose vertices are too far apart; returns whether there was one.
    fn coarsen(&mut self, blocks: &[Block]) -> bool {
        let mut changed = false;
        for (index, block) in blocks.iter().enumerate() {
            let widest =
                self.lattice_positions(index, block).iter().map(|axis| extent(axis)).fold(0.0, f64::max);
            if widest > LARGEST_OFFSET * power_of_two(self.blocks[index]) {
                self.blocks[index] += 1;
                changed = true;
            }
        }
        changed
    }

    /// The lattice positions of the vertices in a block's slots.
    fn lattice_positions(&self, index: usize, block: &Block) -> [[f64; BLOCK_WIDTH]; 3] {
        let exponents = self.slots[index].map(|number| self.positions[number as usize]);
        block.positions.map(|axis| {
            std::array::from_fn(|slot| on_lattice(f64::from(axis[slot]), power_of_two(exponents[slot])))
        })
    }
}

/// The nearest multiple of a step.
fn on_lattice(x: f64, step: f64) -> f64 {
    (x / step).round_ties_even() * step
}

/// Converts a multiple that is exact in f32; adding zero turns -0 into +0.
fn to_f32(coordinate: f64) -> f32 {
    coordinate as f32 + 0.0
}

/// The numbers of the positions in a block's slots; unused slots repeat slot 0.
fn slots_of(block: &Block, numbers: &[u32], mesh: &Mesh, weld: &Weld) -> [u32; BLOCK_WIDTH] {
    let mut slots = [None; BLOCK_WIDTH];
    let row = &numbers[block.first as usize..][..usize::from(block.triangles)];
    for (lane, triangle) in row.iter().enumerate() {
        for (k, vertex) in mesh.triangles[*triangle as usize].iter().enumerate() {
            slots[usize::from(block.corners[k][lane])] = Some(weld.numbers[*vertex as usize]);
        }
    }
    slots.map(|slot| slot.or(slots[0]).unwrap_or_default())
}

/// The exponent of the finest lattice for a block whose vertices do not move.
fn first_exponent(block: &Block) -> i32 {
    let widest = block.positions.iter().map(|axis| extent(&axis.map(f64::from))).fold(0.0, f64::max);
    let farthest = block.positions.as_flattened().iter().fold(0f32, |most, x| most.max(x.abs()));
    // A vertex moves by at most half a step, so a multiple may gain a bit.
    let for_multiples = exponent_above(f64::from(farthest)) + 1 - MULTIPLE_BITS;
    exponent_above(widest / LARGEST_OFFSET).max(for_multiples).max(SMALLEST_EXPONENT)
}

fn extent(coordinates: &[f64]) -> f64 {
    let (least, most) =
        coordinates.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    most - least
}

/// The least e with x <= 2^e, for 0 < x; very small for 0.
fn exponent_above(x: f64) -> i32 {
    let floor = (x.to_bits() >> 52) as i32 - 1023;
    if power_of_two(floor.max(-1022)) < x { floor + 1 } else { floor }
}

/// 2^e for |e| < 1023.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(e)) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_the_least_that_suffice() {
        assert_eq!([1.0, 1.5, 2.0, 0.25].map(exponent_above), [0, 1, 1, -2]);
        assert!(exponent_above(0.0) < -1000);
        assert_eq!(power_of_two(-126), f64::from(f32::MIN_POSITIVE));
    }

    #[test]
    fn a_block_far_from_the_origin_has_a_step_that_f32_can_count() {
        let mut block = Block::EMPTY;
        block.positions = [[1e6; BLOCK_WIDTH]; 3];
        block.positions[0][1] = 1e6 + 0.125;
        // 2^20 is above 1e6, so 2^-3 is the finest step whose multiples are f32 numbers there.
        assert_eq!(first_exponent(&block), 20 + 1 - 24);
    }
}
