//! Section kdop-tree: a tree and leaves as of oriented boxes, every k-DOP around its triangles, tables that tell of all
//! of them.

use std::fmt;

use bvhc_format::kdop::{Directions, KdopLayout, KdopRow, REGIONS, Tables, children, ring_cosine};
use bvhc_format::obb::{OBB_WIDTH, ObbLeaf};
use bvhc_format::section::ArchivedKdopTree;
use bvhc_runtime::Model;

use super::blocks::BlockTable;
use super::obb::{Links, ObbFault, Place, Plan, ROUNDING, Source, check_children, exact_corners, outside};
use super::tree::Shape;
use crate::fit::vector::{Vector, cross, dot, subtract};

/// What is wrong with the tree of k-DOPs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KdopFault {
    /// The tree or its leaves break a rule of section obb-tree.
    #[error(transparent)]
    Tree(#[from] ObbFault),
    /// An empty slot does not hold the k-DOP that meets nothing.
    #[error(
        "node {node}, slot {slot} is empty, but its row {row} is {found:#x} instead of {expected:#x} (K3)"
    )]
    Empty {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The row of the node.
        row: usize,
        /// The bits it has.
        found: u32,
        /// The bits it must have.
        expected: u32,
    },
    /// A number is negative, infinite or none.
    #[error("node {node}, slot {slot}: its {number} is {found}, which none is ({})", number.rule())]
    Number {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// Which number.
        number: KdopNumber,
        /// What it is.
        found: f32,
    },
    /// A corner reaches farther than a number says.
    #[error(
        "node {node}, slot {slot}: triangle {triangle} reaches {found:e}, but its {number} is {limit:e} ({})",
        number.rule()
    )]
    Outside {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The triangle.
        triangle: u32,
        /// Which number.
        number: KdopNumber,
        /// How far the triangle reaches.
        found: f64,
        /// What the number is.
        limit: f32,
    },
    /// The rings of a direction do not tell of a corner, or bit 0 of them is set.
    #[error(
        "node {node}, slot {slot}: the rings of direction {direction} are {found:#x}, without ring {ring} or beyond (K7)"
    )]
    Ring {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The direction.
        direction: usize,
        /// The rings.
        found: u32,
        /// The ring that holds the corner; 0 where it is bit 0 that is set.
        ring: usize,
    },
    /// The origin is no point of the space of models.
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (K5)")]
    Origin {
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
    },
    /// The radius is less than the reach of a k-DOP, or no number.
    #[error("its radius is {found:e}; k-DOPs reach {expected:e} from its origin (K5)")]
    Radius {
        /// What it is.
        found: f32,
        /// How far they reach.
        expected: f64,
    },
    /// What is reserved or only fills up is not zero.
    #[error("word {word} is {found:#x} instead of zero (K8)")]
    Reserved {
        /// The word of the rows, or that after them for the root's field.
        word: usize,
        /// What it is.
        found: u32,
    },
}

/// A number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KdopNumber {
    /// The coordinate of the centre on an axis.
    Centre(usize),
    /// The extent along a direction.
    Extent(usize),
    /// The profile of a direction.
    Profile(usize),
    /// The reach beyond the cone of a direction.
    Reach(usize),
}

impl KdopNumber {
    fn rule(self) -> &'static str {
        match self {
            Self::Centre(_) | Self::Extent(_) => "K4",
            Self::Profile(_) => "K6",
            Self::Reach(_) => "K7",
        }
    }
}

impl fmt::Display for KdopNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centre(axis) => write!(f, "centre on axis {axis}"),
            Self::Extent(direction) => write!(f, "extent along direction {direction}"),
            Self::Profile(direction) => write!(f, "profile of direction {direction}"),
            Self::Reach(direction) => write!(f, "reach beyond the cone of direction {direction}"),
        }
    }
}

/// K1 and K3 to K8, on blocks and triangle numbers within the rules. `None` where there is no such tree.
pub(super) fn check(
    model: &Model<'_>,
    table: &BlockTable<'_>,
    triangles: u64,
) -> Result<Option<Shape>, KdopFault> {
    let (Some(tree), Some(layout)) = (model.kdop_tree(), model.kdop_layout()) else { return Ok(None) };
    let (rows, leaves) = (tree.rows.get(), tree.leaves.get());
    let nodes: Vec<&[KdopRow]> = rows.chunks_exact(layout.rows()).collect();
    let links: Vec<Links> = nodes.iter().filter_map(|node| children(node)).collect();
    for (index, (node, links)) in nodes.iter().zip(&links).enumerate() {
        let used = check_children(links, index, nodes.len(), leaves.len())
            .map_err(|fault| ObbFault::Node { node: index, fault })?;
        check_node(&layout, index, node, used)?;
    }
    let plan = Plan::of(&links, leaves.len(), tree.depth.to_native())?;
    check_root(tree, &layout, &nodes)?;
    plan.check_leaves(leaves, &Source { table, numbers: model.geometry().triangles.get() }, triangles)?;
    let origin = tree.origin.map(|x| f64::from(x.to_native()));
    let slack = f64::from(tree.radius.to_native()) * ROUNDING;
    let checked = Checked { layout, nodes: &nodes, parents: &plan.parents, table, origin, slack };
    let check =
        |place, leaf: &ObbLeaf, used| (0..used).find_map(|lane| checked.fault_above(leaf, lane, place));
    match plan.first_fault(leaves, check) {
        Some((_, fault)) => Err(fault),
        None => Ok(Some(Shape { depth: plan.depth })),
    }
}

/// K3, that the numbers of K4, K6 and K7 are such, and K8.
fn check_node(layout: &KdopLayout, node: usize, rows: &[KdopRow], used: usize) -> Result<(), KdopFault> {
    for (row, slot) in (0..layout.used_rows()).flat_map(|row| (used..OBB_WIDTH).map(move |slot| (row, slot)))
    {
        let (found, expected) = (rows[row].lanes[slot].to_bits(), layout.empty(row).to_bits());
        if found != expected {
            return Err(KdopFault::Empty { node, slot, row, found, expected });
        }
    }
    for (row, slot) in (0..layout.used_rows()).flat_map(|row| (0..used).map(move |slot| (row, slot))) {
        let found = rows[row].lanes[slot];
        let Some(number) = number(layout, row) else { continue };
        let is_wrong = !found.is_finite() || found < 0.0 && !matches!(number, KdopNumber::Centre(_));
        if is_wrong {
            return Err(KdopFault::Number { node, slot, number, found });
        }
    }
    let filling = rows[layout.used_rows()..].iter().flat_map(|row| row.lanes).map(f32::to_bits);
    match filling.enumerate().find(|(_, bits)| *bits != 0) {
        Some((word, found)) => {
            let before = (node * layout.rows() + layout.used_rows()) * OBB_WIDTH;
            Err(KdopFault::Reserved { word: before + word, found })
        }
        None => Ok(()),
    }
}

/// What a row tells, if it is a number.
fn number(layout: &KdopLayout, row: usize) -> Option<KdopNumber> {
    match row {
        0..3 => Some(KdopNumber::Centre(row)),
        KdopLayout::CHILDREN => None,
        _ if row < layout.reaches() => Some(KdopNumber::Extent(row - KdopLayout::EXTENTS)),
        _ if layout.tables == Tables::Profile => Some(KdopNumber::Profile(row - layout.reaches())),
        _ if row < layout.rings() => Some(KdopNumber::Reach(row - layout.reaches())),
        _ => None,
    }
}

/// K5, and K8 of the root.
fn check_root(
    tree: &ArchivedKdopTree<'_>,
    layout: &KdopLayout,
    nodes: &[&[KdopRow]],
) -> Result<(), KdopFault> {
    let origin = tree.origin.map(|x| x.to_native());
    if let Some(axis) = outside(&origin) {
        return Err(KdopFault::Origin { axis, found: origin[axis] });
    }
    let lane = |row: &KdopRow, slot: usize| f64::from(row.lanes[slot]);
    let reach = |node: &[KdopRow], slot: usize| {
        let centre = node[..3].iter().map(|row| lane(row, slot).powi(2)).sum::<f64>().sqrt();
        let extents = node[KdopLayout::EXTENTS..layout.reaches()].iter();
        centre + extents.map(|row| lane(row, slot)).fold(f64::NEG_INFINITY, f64::max)
    };
    let slots = nodes.iter().flat_map(|node| (0..OBB_WIDTH).map(|slot| reach(node, slot)));
    let (found, expected) = (tree.radius.to_native(), slots.fold(0.0, f64::max));
    if !found.is_finite() || f64::from(found) * (1.0 + ROUNDING) < expected {
        return Err(KdopFault::Radius { found, expected });
    }
    match tree.reserved.to_native() {
        0 => Ok(()),
        found => Err(KdopFault::Reserved { word: tree.rows.len() * OBB_WIDTH, found }),
    }
}

/// A tree whose nodes and leaves are within the rules.
struct Checked<'a> {
    layout: KdopLayout,
    nodes: &'a [&'a [KdopRow]],
    parents: &'a [Option<Place>],
    table: &'a BlockTable<'a>,
    origin: Vector,
    /// How far the rounding of a check may mislead it.
    slack: f64,
}

impl Checked<'_> {
    /// What the lowest k-DOP, from this slot up, fails to tell of the triangle in a lane.
    fn fault_above(&self, leaf: &ObbLeaf, lane: usize, place: Place) -> Option<KdopFault> {
        let corners =
            exact_corners(leaf, lane, self.table).map(|corner| subtract(corner.map(f64::from), self.origin));
        let mut above = Some(place);
        while let Some(place) = above {
            let slot = Slot { checked: self, place, triangle: leaf.triangles[lane] };
            if let Some(fault) = corners.iter().find_map(|corner| slot.fault(*corner)) {
                return Some(fault);
            }
            above = self.parents[place.node];
        }
        None
    }
}

/// A used slot, and a triangle below it.
struct Slot<'a> {
    checked: &'a Checked<'a>,
    place: Place,
    triangle: u32,
}

impl Slot<'_> {
    fn lane(&self, row: usize) -> f32 {
        self.checked.nodes[self.place.node][row].lanes[self.place.slot]
    }

    /// What the slot fails to tell of a corner.
    fn fault(&self, corner: Vector) -> Option<KdopFault> {
        let layout = &self.checked.layout;
        let offset = subtract(corner, [0, 1, 2].map(|axis| f64::from(self.lane(axis))));
        let length = dot(offset, offset).sqrt();
        layout.directions.units().iter().enumerate().find_map(|(direction, unit)| {
            let extent = self.lane(KdopLayout::EXTENTS + direction);
            let along = dot(*unit, offset);
            let fault = self.beyond(KdopNumber::Extent(direction), along, extent);
            fault.or_else(|| match layout.tables {
                Tables::None => None,
                Tables::Profile => {
                    let reach = on_shell(layout.directions, *unit, offset);
                    let profile = self.lane(layout.reaches() + direction);
                    self.beyond(KdopNumber::Profile(direction), reach, profile)
                }
                Tables::Occupancy => self.unoccupied(direction, *unit, offset, length),
            })
        })
    }

    fn beyond(&self, number: KdopNumber, found: f64, limit: f32) -> Option<KdopFault> {
        let Place { node, slot } = self.place;
        let is_beyond = found > f64::from(limit) + self.checked.slack;
        is_beyond.then_some(KdopFault::Outside { node, slot, triangle: self.triangle, number, found, limit })
    }

    /// K7
    fn unoccupied(&self, direction: usize, unit: Vector, offset: Vector, length: f64) -> Option<KdopFault> {
        let layout = &self.checked.layout;
        let found = self.lane(layout.rings() + direction).to_bits();
        let Place { node, slot } = self.place;
        let fault = |ring| KdopFault::Ring { node, slot, direction, found, ring };
        if found & 1 != 0 {
            return Some(fault(0));
        }
        if length <= f64::from(self.lane(KdopLayout::EXTENTS + direction)) + self.checked.slack {
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
        let reach = on_shell(layout.directions, unit, offset);
        self.beyond(KdopNumber::Reach(direction), reach, self.lane(layout.reaches() + direction))
    }
}

/// rho cos(alpha - theta)
fn on_shell(directions: &Directions, unit: Vector, offset: Vector) -> f64 {
    let across = cross(unit, offset);
    dot(unit, offset) * directions.aperture + dot(across, across).sqrt() * directions.aperture_sine
}
