//! The order in which a ray visits the children of a node, for each octant of directions.

use bvhc_format::record::NODE_WIDTH;

use crate::tree::aabb::Aabb;

/// The order words of a node with these children: sorted by the children's centres along the octant's diagonal.
/// Opposite octants have opposite orders.
pub(crate) fn visiting_order(children: &[Aabb]) -> [u32; NODE_WIDTH] {
    let mut words = [0; NODE_WIDTH];
    for octant in 0..4u32 {
        let mut slots: [usize; NODE_WIDTH] = core::array::from_fn(|slot| slot);
        let distance = |slot: &usize| children.get(*slot).map_or(f64::INFINITY, |child| along(child, octant));
        slots.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        for (rank, slot) in slots.into_iter().enumerate() {
            words[rank] |= (slot as u32) << (4 * octant);
            words[NODE_WIDTH - 1 - rank] |= (slot as u32) << (4 * (7 - octant));
        }
    }
    words
}

/// Twice the position of a box's centre along the octant's diagonal.
fn along(child: &Aabb, octant: u32) -> f64 {
    let centre = child.doubled_centre();
    (0..3)
        .map(|axis| if octant >> axis & 1 != 0 { -f64::from(centre[axis]) } else { f64::from(centre[axis]) })
        .sum()
}
