//! Packed blocks: vertices on lattices with 16 bits per axis, and the boxes of a tree fitted to them.
//!
//! A block's lattice is as fine as its extent allows. A vertex used by several blocks lies on the coarsest of their
//! lattices, which is a subset of all of them; so it has a single position, and seams stay closed.

use bvhc_format::packed::{PackedHead, UNIT, WINDOW};
use bvhc_format::record::{Block, Child, ChildRef, NODE_WIDTH, WideNode};

use super::lattice::Lattice;
use super::weld::Weld;
use super::wide::{sah_cost, slot_box};
use super::{GROWTH, PART_GROWTH, WideTree, grown_triangle};
use crate::mesh::Mesh;
use crate::tree::aabb::Aabb;

/// The contents of section packed-blocks.
pub struct Packing {
    /// The blocks, followed by zeros.
    pub bytes: Vec<u8>,
    /// How many blocks there are.
    pub count: u32,
    /// The child reference of each block, in order.
    pub references: Vec<u32>,
    /// The largest movement of a coordinate.
    pub position_error: f32,
    /// The mesh's positions as the blocks store them.
    pub positions: Vec<[f32; 3]>,
}

/// Packs a tree's blocks: moves their vertices, fits the boxes of the nodes to them, and redirects the nodes'
/// references to the packed blocks. `None` if the blocks exceed 16 GiB, which is more than references can address.
///
/// Cost: a few passes over the blocks.
pub fn pack(wide: &mut WideTree, mesh: &Mesh, weld: &Weld) -> Option<Packing> {
    let lattice = Lattice::find(&wide.blocks, &wide.triangles, mesh, weld);
    let mut position_error = 0f64;
    let (mut bytes, mut references, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
    for (index, block) in wide.blocks.iter_mut().enumerate() {
        let moved = lattice.move_to(index, block);
        position_error = moved.into_iter().fold(position_error, f64::max);
        boxes.push(Fitted { around: box_of(block), moved });
        references
            .push(u32::try_from(bytes.len() / UNIT).ok().filter(|unit| unit & ChildRef::BLOCK_BIT == 0)?);
        write(block, lattice.exponent(index), &mut bytes);
    }
    bytes.resize(bytes.len() + WINDOW, 0);
    fit(&mut wide.nodes, &boxes, &references);
    wide.statistics.sah_cost = sah_cost(&wide.nodes);
    Some(Packing {
        bytes,
        count: references.len() as u32,
        references,
        position_error: round_up(position_error),
        positions: lattice.positions_of(mesh, weld),
    })
}

fn round_up(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}

/// The bounds of a block whose vertices have moved.
struct Fitted {
    /// The grown box around its whole triangles.
    around: Aabb,
    /// The largest movement of its vertices on each axis.
    moved: [f64; 3],
}

fn box_of(block: &Block) -> Aabb {
    let corner =
        |k: usize, lane: usize| block.positions.map(|axis| axis[usize::from(block.corners[k][lane])]);
    (0..usize::from(block.triangles))
        .map(|lane| {
            let growth = if block.split >> lane & 1 == 0 { GROWTH } else { PART_GROWTH };
            grown_triangle([corner(0, lane), corner(1, lane), corner(2, lane)], growth)
        })
        .fold(Aabb::EMPTY, Aabb::union)
}

/// Updates the boxes and references of the nodes to those of the packed blocks, children before parents.
fn fit(nodes: &mut [WideNode], boxes: &[Fitted], references: &[u32]) {
    let mut around = vec![Aabb::EMPTY; nodes.len()];
    for index in (0..nodes.len()).rev() {
        for slot in 0..NODE_WIDTH {
            let fitted = match nodes[index].child(slot) {
                Child::Empty => continue,
                Child::Node(child) => around[child as usize],
                Child::Block(block) => {
                    nodes[index].children[slot] = ChildRef::block(references[block as usize]).0;
                    within(slot_box(&nodes[index], slot), &boxes[block as usize])
                }
            };
            for axis in 0..3 {
                nodes[index].planes[2 * axis][slot] = fitted.lower[axis];
                nodes[index].planes[2 * axis + 1][slot] = fitted.upper[axis];
            }
            around[index] = around[index].union(fitted);
        }
    }
}

/// The box of a block after its vertices moved, from the box `old` before.
///
/// A point of a triangle moves by at most as much as its corners. So the old box, grown by that movement, contains the
/// same parts of triangles. A triangle's extent may have grown by twice the movement, and T10 asks for a margin of
/// 2^-17 of the extent; so boxes need another 2^-16 of the largest movement. They get 2^-15.
fn within(old: Aabb, fitted: &Fitted) -> Aabb {
    let most = fitted.moved.into_iter().fold(0.0, f64::max);
    let part = |axis: usize| {
        let by = fitted.moved[axis] + most / (1 << 15) as f64;
        let grown = old.grown(by);
        (grown.lower[axis].max(fitted.around.lower[axis]), grown.upper[axis].min(fitted.around.upper[axis]))
    };
    let parts = [part(0), part(1), part(2)];
    Aabb { lower: parts.map(|part| part.0), upper: parts.map(|part| part.1) }
}

/// Appends a block whose vertices lie on the lattice with this exponent.
fn write(block: &Block, exponent: i32, bytes: &mut Vec<u8>) {
    let vertices = usize::from(block.vertices);
    let origin = block.positions.map(|axis| axis[..vertices].iter().copied().fold(f32::INFINITY, f32::min));
    let head = PackedHead {
        origin,
        first: block.first,
        exponent: (exponent + 127) as u8,
        triangles: block.triangles,
        vertices: block.vertices,
        split: block.split,
    };
    let start = bytes.len();
    bytes.extend(head.write());
    for slots in &block.corners {
        bytes.extend(slots[..2 * head.corner_bytes()].chunks(2).map(|pair| pair[0] | pair[1] << 4));
    }
    for (axis, origin) in block.positions.iter().zip(origin) {
        for position in &axis[..vertices] {
            let offset = (f64::from(*position) - f64::from(origin)) / f64::from(head.step());
            bytes.extend((offset as u16).to_le_bytes());
        }
    }
    bytes.resize(start + head.size(), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_up_never_goes_down() {
        assert_eq!(round_up(0.5), 0.5);
        // The f32 nearest to 0.1 is above 0.1, the one nearest to 0.7 below 0.7.
        assert_eq!([round_up(0.1), round_up(0.7)], [0.1, 0.7f32.next_up()]);
        assert!(f64::from(round_up(1e-50)) >= 1e-50);
    }
}
