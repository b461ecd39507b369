//! The packed form of nodes of oriented boxes: 128 bytes per node.

use crate::plain::plain_record;

use super::{EMPTY_EXTENT, ObbNode, PAIR_WIDTH, PairRef};

/// The unit of packed quaternions.
pub const ROTATION_STEP: f32 = 1.0 / (1 << 15) as f32;

/// A node in 16-bit numbers of steps; [`unpack`](Self::unpack) defines their meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct PackedObbNode {
    /// x, y, z and w of the quaternions, in units of [`ROTATION_STEP`].
    pub rotation: [[i16; PAIR_WIDTH]; 4],
    /// x, y and z of the centres, in steps from the node's origin.
    pub centre: [[u16; PAIR_WIDTH]; 3],
    /// Half the boxes' extents along their own axes, in steps.
    pub half_extents: [[u16; PAIR_WIDTH]; 3],
    /// [`PairRef`] of each slot.
    pub children: [u32; PAIR_WIDTH],
    /// What centres are relative to, itself relative to the tree's origin.
    pub origin: [f32; 3],
    /// The step of centres.
    pub centre_step: f32,
    /// The step of half extents.
    pub extent_step: f32,
    /// Zero.
    pub reserved: [u32; 3],
}

impl PackedObbNode {
    /// A node without children.
    pub const EMPTY: Self = Self {
        rotation: [[0; PAIR_WIDTH]; 4],
        centre: [[0; PAIR_WIDTH]; 3],
        half_extents: [[0; PAIR_WIDTH]; 3],
        children: [PairRef::EMPTY.0; PAIR_WIDTH],
        origin: [0.0; 3],
        centre_step: 0.0,
        extent_step: 0.0,
        reserved: [0; 3],
    };

    /// The unpacked node: bit-identical on every CPU, each operation rounded once.
    ///
    /// A quaternion q with n = (x x + y y) + (z z + w w) is multiplied by 1.5 - 0.5 n. Where n is 1 within 2^-13.9, as
    /// it is after rounding a unit vector to steps, this factor is within 2^-28.8 of the inverse of its length. With
    /// the roundings, 3.5 units of 2^-24, the length is 1 within 2^-22.
    #[inline(always)]
    pub fn unpack(&self) -> ObbNode {
        let mut node = ObbNode { children: self.children, ..ObbNode::EMPTY };
        for slot in 0..PAIR_WIDTH {
            let used = self.children[slot] != PairRef::EMPTY.0;
            let part = |index: usize| f32::from(self.rotation[index][slot]) * ROTATION_STEP;
            let [x, y, z, w] = [part(0), part(1), part(2), part(3)];
            let scale = 1.5 - 0.5 * ((x * x + y * y) + (z * z + w * w));
            for (index, (part, empty)) in [(x, 0.0), (y, 0.0), (z, 0.0), (w, 1.0)].into_iter().enumerate() {
                node.rotation[index][slot] = if used { part * scale } else { empty };
            }
            for axis in 0..3 {
                let centre = self.origin[axis] + self.centre_step * f32::from(self.centre[axis][slot]);
                let half = self.extent_step * f32::from(self.half_extents[axis][slot]);
                node.centre[axis][slot] = if used { centre } else { 0.0 };
                node.half_extents[axis][slot] = if used { half } else { EMPTY_EXTENT };
            }
        }
        node
    }
}

plain_record!(
    PackedObbNode,
    128,
    64,
    [rotation, centre, half_extents, children, origin, centre_step, extent_step, reserved]
);
