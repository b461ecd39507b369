//! The packed form of nodes of oriented boxes: 96 bytes per node.

use crate::plain::plain_record;

use super::{EMPTY_EXTENT, ObbNode, PAIR_WIDTH, PairRef};

/// A rotation in 32 bits: three parts p of a quaternion q, its vector divided by 1 + w (modified Rodrigues parameters).
///
/// Bits 0 to 10 are p's x and bits 11 to 21 its y in units of 2^-12, bits 22 to 31 its z in units of 2^-11; all are
/// signed. Of the 24 rotations that give a box the same axes there is one whose parts are at most 0.199 in magnitude:
/// in a Rodrigues vector, q's vector divided by w, they are at most tan(22.5 degrees).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRotation(pub u32);

impl PackedRotation {
    /// The rotation of a quaternion x, y, z, w of length 1, rounded to nearest. w must be positive, and x, y and z at
    /// most 0.249 (1 + w) in magnitude.
    pub fn pack([x, y, z, w]: [f64; 4]) -> Self {
        let part = |along: f64, unit: f64, bits: u32| {
            let scaled = along / (1.0 + w) * unit;
            // Rounds half away from zero: `f64::round` needs the standard library.
            (scaled + f64::copysign(0.5, scaled)) as i32 as u32 & ((1 << bits) - 1)
        };
        Self(part(x, 4096.0, 11) | part(y, 4096.0, 11) << 11 | part(z, 2048.0, 10) << 22)
    }

    /// The quaternion x, y, z, w: bit-identical on every CPU, each operation rounded once.
    ///
    /// With n = p . p it is (2 p, 1 - n) / (1 + n), whose length is 1. n and 1 - n are exact: n is at most 3 * 2^20
    /// units of 2^-24. The sum, the division and the products err by 2^-24 each, so the length is 1 within 2^-22.
    #[inline(always)]
    pub fn unpack(self) -> [f32; 4] {
        let code = self.0 as i32;
        let x = (code << 21 >> 21) as f32 * (1.0 / 4096.0);
        let y = (code << 10 >> 21) as f32 * (1.0 / 4096.0);
        let z = (code >> 22) as f32 * (1.0 / 2048.0);
        let n = x * x + y * y + z * z;
        let scale = 1.0 / (1.0 + n);
        [(x + x) * scale, (y + y) * scale, (z + z) * scale, (1.0 - n) * scale]
    }
}

/// A step of packed numbers: the upper half of the bits of an f32.
///
/// Its product with a number of 16 bits is exact in f32, unless it overflows or underflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedStep(pub u16);

impl PackedStep {
    /// The least step from `least` on, which must be positive and finite, that is at least 2^-126.
    pub fn at_least(least: f32) -> Self {
        let bits = least.max(f32::MIN_POSITIVE).to_bits();
        Self((bits.div_ceil(1 << 16)) as u16)
    }

    /// The step.
    #[inline(always)]
    pub fn get(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

/// A node in numbers of 16 bits and less; [`unpack`](Self::unpack) defines their meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct PackedObbNode {
    /// [`PackedRotation`] of each slot.
    pub rotation: [u32; PAIR_WIDTH],
    /// x, y and z of the centres, in steps from the node's origin.
    pub centre: [[u16; PAIR_WIDTH]; 3],
    /// Half the boxes' extents along their own axes, in steps.
    pub half_extents: [[u16; PAIR_WIDTH]; 3],
    /// [`PairRef`] of each slot.
    pub children: [u32; PAIR_WIDTH],
    /// What centres are relative to, itself relative to the tree's origin.
    pub origin: [f32; 3],
    /// The [`PackedStep`] of centres.
    pub centre_step: u16,
    /// The [`PackedStep`] of half extents.
    pub extent_step: u16,
}

impl PackedObbNode {
    /// A node without children.
    pub const EMPTY: Self = Self {
        rotation: [0; PAIR_WIDTH],
        centre: [[0; PAIR_WIDTH]; 3],
        half_extents: [[0; PAIR_WIDTH]; 3],
        children: [PairRef::EMPTY.0; PAIR_WIDTH],
        origin: [0.0; 3],
        centre_step: 0,
        extent_step: 0,
    };

    /// The unpacked node: bit-identical on every CPU, each operation rounded once.
    #[inline(always)]
    pub fn unpack(&self) -> ObbNode {
        let mut node = ObbNode { children: self.children, ..ObbNode::EMPTY };
        let (centre_step, extent_step) =
            (PackedStep(self.centre_step).get(), PackedStep(self.extent_step).get());
        for slot in 0..PAIR_WIDTH {
            let used = self.children[slot] != PairRef::EMPTY.0;
            // That of an empty slot is 0, which stands for (0, 0, 0, 1).
            let rotation = PackedRotation(self.rotation[slot]).unpack();
            for (parts, part) in node.rotation.iter_mut().zip(rotation) {
                parts[slot] = part;
            }
            for axis in 0..3 {
                let centre = self.origin[axis] + centre_step * f32::from(self.centre[axis][slot]);
                let half = extent_step * f32::from(self.half_extents[axis][slot]);
                node.centre[axis][slot] = if used { centre } else { 0.0 };
                node.half_extents[axis][slot] = if used { half } else { EMPTY_EXTENT };
            }
        }
        node
    }
}

plain_record!(
    PackedObbNode,
    96,
    32,
    [rotation, centre, half_extents, children, origin, centre_step, extent_step]
);

#[cfg(test)]
mod tests {
    use super::*;

    /// B8 for all rotations: x, y and z are taken from the ends and the middle of what their bits can hold.
    #[test]
    fn every_code_is_a_rotation() {
        let of_11 = || (-1024..1024).step_by(93).chain([-1, 0, 1, 1023]);
        let of_10 = || (-512..512).step_by(47).chain([-1, 0, 1, 511]);
        for (x, y, z) in of_11().flat_map(|x| of_11().flat_map(move |y| of_10().map(move |z| (x, y, z)))) {
            let code = (x as u32 & 0x7ff) | (y as u32 & 0x7ff) << 11 | (z as u32 & 0x3ff) << 22;
            let unpacked = PackedRotation(code).unpack().map(f64::from);
            let square = unpacked.iter().map(|part| part * part).sum::<f64>();
            assert!((square.sqrt() - 1.0).abs() <= 1.0 / (1 << 22) as f64, "{x} {y} {z}: {square}");
            assert_eq!(PackedRotation::pack(unpacked), PackedRotation(code), "{x} {y} {z}");
        }
        assert_eq!(PackedRotation(0).unpack(), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn steps_are_rounded_up() {
        for least in [1e-45, f32::MIN_POSITIVE, 1.0, 1.0f32.next_up(), 1.2345e-6, 3.4e30] {
            let step = PackedStep::at_least(least).get();
            assert!(step >= least && step <= (least * 1.0079).max(f32::MIN_POSITIVE), "{least} {step}");
        }
    }
}
