//! Section kdop-tree: tree and leaves follow the rules of section obb-tree, every k-DOP contains its triangles, and the
//! tables account for all their corners.

mod fault;

use bvhc_format::kdop::{self, Directions, KdopLayout, LaneRow, REGIONS, Spot, Tables, ring_cosine};
use bvhc_format::obb::{PAIR_WIDTH, PairRef};
use bvhc_format::section::ArchivedKdopTree;

pub use fault::{KdopFault, KdopNumber};

use super::checked::{Checked, TreeFacts};
use super::obb::{ROUNDING, outside};
use super::plan::{Links, Plan, SlotAddress};
use crate::math::vector::{Vector, cross, dot, subtract};

/// K1 and K3 to K8, on valid blocks and triangle numbers. `None` if there is no such tree.
pub(crate) fn check(checked: &Checked<'_>) -> Result<Option<TreeFacts>, KdopFault> {
    let model = checked.model;
    let (Some(tree), Some(layout)) = (model.sections().kdop_tree(), model.sections().kdop_layout()) else {
        return Ok(None);
    };
    let rows = tree.rows.get();
    let nodes: Vec<&[LaneRow]> = rows.chunks_exact(layout.rows()).collect();
    let links: Vec<Links> = nodes.iter().filter_map(|node| layout.children(node)).collect();
    let plan = Plan::of(&links, checked, tree.depth.to_native())?;
    for (index, node) in nodes.iter().enumerate() {
        check_node(&layout, index, node, plan.used(index))?;
    }
    check_root(tree, &layout, &nodes)?;
    plan.check_leaves(checked)?;
    let origin = tree.origin.map(|x| f64::from(x.to_native()));
    let slack = f64::from(tree.radius.to_native()) * ROUNDING;
    let boxes = Boxes { layout, nodes: &nodes, slack };
    let check = |address, triangle, corners: &[Vector; 3]| {
        let slot = Slot { boxes: &boxes, address, triangle };
        corners.iter().find_map(|corner| slot.fault(*corner))
    };
    match plan.first_outside(checked, origin, check) {
        Some(fault) => Err(fault),
        None => Ok(Some(TreeFacts::of_pairs(&plan, checked, nodes.len(), width_cost(&layout, rows)))),
    }
}

/// The sum of the cubes of all mean widths, relative to the sum over the root's children.
fn width_cost(layout: &KdopLayout, rows: &[LaneRow]) -> f64 {
    let of_node = |node: &[LaneRow]| {
        let links = layout.children(node).unwrap_or([PairRef::EMPTY.0; PAIR_WIDTH]);
        let used = (0..PAIR_WIDTH).filter(|slot| links[*slot] != PairRef::EMPTY.0);
        let widths = used.map(|slot| {
            let extent = |direction| layout.extent(direction, slot).of(node).map(f64::from);
            (0..layout.directions.count()).filter_map(extent).sum::<f64>() / layout.directions.slabs() as f64
        });
        widths.map(|width| width.powi(3)).sum::<f64>()
    };
    let whole = of_node(&rows[..layout.rows()]);
    rows.chunks(layout.rows()).map(of_node).sum::<f64>() / whole.max(f64::MIN_POSITIVE)
}

/// K3, K8, and that the numbers of K4, K6 and K7 are in range.
fn check_node(layout: &KdopLayout, node: usize, rows: &[LaneRow], used: usize) -> Result<(), KdopFault> {
    for (row, lane) in (0..rows.len()).flat_map(|row| (0..PAIR_WIDTH).map(move |lane| (row, lane))) {
        let (spot, found) = (Spot { row, lane }, rows[row].lanes[lane]);
        let (slot, field) = layout.number(spot);
        let (bits, expected) = (found.to_bits(), field.empty().to_bits());
        if field == kdop::KdopNumber::Filling {
            if bits != 0 {
                let word = (node * rows.len() + row) * PAIR_WIDTH + lane;
                return Err(KdopFault::Reserved { word, found: bits });
            }
        } else if slot >= used {
            if bits != expected {
                return Err(KdopFault::Empty { node, slot, spot, found: bits, expected });
            }
        } else if let Some(number) = number(layout, field) {
            let may_be_negative = matches!(number, KdopNumber::Centre(_)) || !layout.has_tables();
            if !found.is_finite() || found < 0.0 && !may_be_negative {
                return Err(KdopFault::Number { node, slot, number, found });
            }
        }
    }
    Ok(())
}

/// The meaning of a field, if it is a number.
fn number(layout: &KdopLayout, field: kdop::KdopNumber) -> Option<KdopNumber> {
    match field {
        kdop::KdopNumber::Centre(axis) => Some(KdopNumber::Centre(axis)),
        kdop::KdopNumber::Extent(direction) => Some(KdopNumber::Extent(direction)),
        kdop::KdopNumber::Shell(direction) if layout.tables == Tables::Profile => {
            Some(KdopNumber::Profile(direction))
        }
        kdop::KdopNumber::Shell(direction) => Some(KdopNumber::Shell(direction)),
        kdop::KdopNumber::Child | kdop::KdopNumber::Rings(_) | kdop::KdopNumber::Filling => None,
    }
}

/// K5, and K8 for the root.
fn check_root(
    tree: &ArchivedKdopTree<'_>,
    layout: &KdopLayout,
    nodes: &[&[LaneRow]],
) -> Result<(), KdopFault> {
    let origin = tree.origin.map(|x| x.to_native());
    if let Some(axis) = outside(&origin) {
        return Err(KdopFault::Origin { axis, found: origin[axis] });
    }
    let slots = nodes.iter().flat_map(|node| (0..PAIR_WIDTH).map(|slot| radius(layout, node, slot)));
    let (found, expected) = (tree.radius.to_native(), slots.fold(0.0, f64::max));
    if !found.is_finite() || f64::from(found) * (1.0 + ROUNDING) < expected {
        return Err(KdopFault::Radius { found, expected });
    }
    match tree.reserved.to_native() {
        0 => Ok(()),
        found => Err(KdopFault::Reserved { word: tree.rows.len() * PAIR_WIDTH, found }),
    }
}

/// The least tree radius that K5 requires for a slot.
fn radius(layout: &KdopLayout, node: &[LaneRow], slot: usize) -> f64 {
    let at = |spot: Spot| f64::from(node[spot.row].lanes[spot.lane]);
    if node[layout.child(slot).row].lanes[layout.child(slot).lane].to_bits() == PairRef::EMPTY.0 {
        return 0.0;
    }
    let extents = (0..layout.directions.count()).map(|direction| at(layout.extent(direction, slot)));
    if !layout.has_tables() {
        return extents.map(|bound| 2.0 * bound.abs()).fold(0.0, f64::max);
    }
    let centre = (0..3).map(|axis| at(layout.centre(axis, slot)).powi(2)).sum::<f64>().sqrt();
    centre + extents.fold(0.0, f64::max)
}

/// A tree with valid nodes and leaves.
struct Boxes<'a> {
    layout: KdopLayout,
    nodes: &'a [&'a [LaneRow]],
    /// A bound for the rounding error of the check.
    slack: f64,
}

/// A used slot, and a triangle below it.
struct Slot<'a> {
    boxes: &'a Boxes<'a>,
    address: SlotAddress,
    triangle: u32,
}

impl Slot<'_> {
    fn at(&self, spot: Spot) -> f32 {
        self.boxes.nodes[self.address.node][spot.row].lanes[spot.lane]
    }

    /// The fault of the slot if it does not account for a corner.
    fn fault(&self, corner: Vector) -> Option<KdopFault> {
        let (layout, slot) = (&self.boxes.layout, self.address.slot);
        let offset = if layout.has_tables() {
            subtract(corner, [0, 1, 2].map(|axis| f64::from(self.at(layout.centre(axis, slot)))))
        } else {
            corner
        };
        let length = dot(offset, offset).sqrt();
        layout.directions.units().iter().enumerate().find_map(|(direction, unit)| {
            let extent = self.at(layout.extent(direction, slot));
            let fault = self.beyond(KdopNumber::Extent(direction), dot(*unit, offset), extent);
            fault.or_else(|| match layout.tables {
                Tables::None => None,
                Tables::Profile => {
                    let extent = on_shell(layout.directions, *unit, offset);
                    self.beyond(
                        KdopNumber::Profile(direction),
                        extent,
                        self.at(layout.shell(direction, slot)),
                    )
                }
                Tables::Occupancy => self.unoccupied(direction, *unit, offset, length),
            })
        })
    }

    fn beyond(&self, number: KdopNumber, found: f64, limit: f32) -> Option<KdopFault> {
        let SlotAddress { node, slot } = self.address;
        let is_beyond = found > f64::from(limit) + self.boxes.slack;
        is_beyond.then_some(KdopFault::Outside { node, slot, triangle: self.triangle, number, found, limit })
    }

    /// K7
    fn unoccupied(&self, direction: usize, unit: Vector, offset: Vector, length: f64) -> Option<KdopFault> {
        let layout = &self.boxes.layout;
        let SlotAddress { node, slot } = self.address;
        let found = self.at(layout.rings(direction, slot)).to_bits();
        let fault = |ring| KdopFault::Ring { node, slot, direction, found, ring };
        if found & 1 != 0 {
            return Some(fault(0));
        }
        if length <= f64::from(self.at(layout.extent(direction, slot))) + self.boxes.slack {
            return None;
        }
        let (cosine, aperture) = (dot(unit, offset) / length, layout.directions.aperture);
        let ring = (1..REGIONS).find(|ring| ring_cosine(aperture, *ring) <= cosine + ROUNDING);
        if ring.is_some_and(|ring| found >> ring != 0) {
            return None;
        }
        if cosine > aperture + ROUNDING {
            return ring.map(fault);
        }
        let extent = on_shell(layout.directions, unit, offset);
        self.beyond(KdopNumber::Shell(direction), extent, self.at(layout.shell(direction, slot)))
    }
}

/// rho cos(alpha - theta)
fn on_shell(directions: &Directions, unit: Vector, offset: Vector) -> f64 {
    let across = cross(unit, offset);
    dot(unit, offset) * directions.aperture + dot(across, across).sqrt() * directions.aperture_sine
}
