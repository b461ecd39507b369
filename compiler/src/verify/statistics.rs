//! The statistics of each tree against the tree itself.

use bvhc_format::kdop::{KdopLayout, LaneRow};
use bvhc_format::obb::{ObbNode, PAIR_WIDTH, PairRef};
use bvhc_format::record::{BLOCK_WIDTH, Child, NODE_WIDTH, TreeStatistics, WideNode};
use bvhc_format::section::SectionKind;
use bvhc_format::swept::children;
use bvhc_runtime::Model;

use super::VerifyError;
use super::obb::unpacked_nodes;
use super::swept::{nodes, slot_of};
use super::tree::Shape;

/// The kinds that are trees, now and in later minor versions.
const TREE_KINDS: std::ops::RangeInclusive<u32> = 16..=20;

/// How far figures may be off, relative to their values, because sums round (M6).
const TOLERANCE: f64 = 1.0 / (1 << 16) as f64;

/// What is wrong with a tree's statistics.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsFault {
    /// There is a record without a tree, or a tree without a record.
    #[error("there are {found} records for {expected} trees (M5)")]
    Records {
        /// How many records there are.
        found: usize,
        /// How many trees there are.
        expected: usize,
    },
    /// A count is wrong.
    #[error("{count} is {found}, but must be {expected} (M5)")]
    Count {
        /// Which one.
        count: Count,
        /// What it is.
        found: u64,
        /// What it must be.
        expected: u64,
    },
    /// A figure is too far off.
    #[error("{figure} is {found}, but the tree has {expected} (M6)")]
    Figure {
        /// Which one.
        figure: Figure,
        /// What it is.
        found: f32,
        /// What the tree has.
        expected: f64,
    },
}

/// A count of the statistics, by its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Count {
    Kind,
    Depth,
    Nodes,
    Leaves,
    References,
    Reserved,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Kind => "the tree's kind",
            Self::Depth => "the depth",
            Self::Nodes => "the number of nodes",
            Self::Leaves => "the number of leaves",
            Self::References => "the number of references",
            Self::Reserved => "the reserved field",
        })
    }
}

/// A figure of the statistics, by its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Figure {
    SahCost,
    NodeFill,
    BlockFill,
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::SahCost => "the SAH cost",
            Self::NodeFill => "the fill of the nodes",
            Self::BlockFill => "the fill of the blocks",
        })
    }
}

/// What the checks of trees have found.
pub(super) struct Shapes<'a> {
    pub(super) aabb: &'a Shape,
    pub(super) obb: Option<&'a Shape>,
    pub(super) kdop: Option<&'a Shape>,
    pub(super) swept: Option<&'a Shape>,
}

/// M5 and M6, on a model that keeps all other rules.
pub(super) fn check(model: &Model<'_>, shapes: &Shapes<'_>) -> Result<(), VerifyError> {
    let records = model.metadata().trees.get();
    let kinds: Vec<u32> =
        model.sections().map(|(entry, _)| entry.kind).filter(|kind| TREE_KINDS.contains(kind)).collect();
    if records.len() != kinds.len() {
        let fault = StatisticsFault::Records { found: records.len(), expected: kinds.len() };
        return Err(VerifyError::Statistics { tree: records.len().min(kinds.len()), fault });
    }
    for (tree, (record, kind)) in records.iter().zip(kinds).enumerate() {
        let fail = |fault| VerifyError::Statistics { tree, fault };
        check_count(Count::Kind, record.kind, kind).map_err(fail)?;
        check_count(Count::Reserved, record.reserved, 0u32).map_err(fail)?;
        match (SectionKind::from_number(kind), shapes) {
            (Some(SectionKind::AabbTree), _) => check_aabb(model, shapes.aabb, record),
            (Some(SectionKind::ObbTree), Shapes { obb: Some(shape), .. }) => check_obb(model, shape, record),
            (Some(SectionKind::KdopTree), Shapes { kdop: Some(shape), .. }) => {
                check_kdop(model, shape, record)
            }
            (Some(SectionKind::SweptTree), Shapes { swept: Some(shape), .. }) => {
                check_swept(model, shape, record)
            }
            _ => Ok(()),
        }
        .map_err(fail)?;
    }
    Ok(())
}

fn check_aabb(model: &Model<'_>, shape: &Shape, record: &TreeStatistics) -> Result<(), StatisticsFault> {
    let counts = Counts {
        depth: shape.depth,
        nodes: model.nodes().len() as u64,
        leaves: model.blocks().count() as u64,
        references: model.geometry().triangles.len() as u64,
    };
    counts.check(record, NODE_WIDTH, BLOCK_WIDTH)?;
    check_figure(Figure::SahCost, record.sah_cost, sah_cost(model.nodes()))
}

fn check_obb(model: &Model<'_>, shape: &Shape, record: &TreeStatistics) -> Result<(), StatisticsFault> {
    let Some(tree) = model.obb_tree() else { return Ok(()) };
    let nodes = unpacked_nodes(tree);
    let counts = Counts {
        depth: shape.depth,
        nodes: nodes.len() as u64,
        leaves: (tree.leaves.len() + tree.packed_leaves.len()) as u64,
        // Each is in one leaf.
        references: model.triangle_count(),
    };
    counts.check(record, PAIR_WIDTH, PAIR_WIDTH)?;
    check_figure(Figure::SahCost, record.sah_cost, collision_cost(&nodes))
}

fn check_kdop(model: &Model<'_>, shape: &Shape, record: &TreeStatistics) -> Result<(), StatisticsFault> {
    let (Some(tree), Some(layout)) = (model.kdop_tree(), model.kdop_layout()) else { return Ok(()) };
    let counts = Counts {
        depth: shape.depth,
        nodes: (tree.rows.len() / layout.rows()) as u64,
        leaves: tree.leaves.len() as u64,
        references: model.triangle_count(),
    };
    counts.check(record, PAIR_WIDTH, PAIR_WIDTH)?;
    check_figure(Figure::SahCost, record.sah_cost, width_cost(&layout, tree.rows.get()))
}

fn check_swept(model: &Model<'_>, shape: &Shape, record: &TreeStatistics) -> Result<(), StatisticsFault> {
    let Some((tree, layout)) = model.swept_tree() else { return Ok(()) };
    let Ok(nodes) = nodes(tree.rows.get(), &layout) else { return Ok(()) };
    let counts = Counts {
        depth: shape.depth,
        nodes: nodes.len() as u64,
        leaves: tree.leaves.len() as u64,
        references: model.triangle_count(),
    };
    counts.check(record, PAIR_WIDTH, PAIR_WIDTH)?;
    check_figure(Figure::SahCost, record.sah_cost, swept_cost(&nodes))
}

/// What a tree has.
struct Counts {
    depth: u32,
    nodes: u64,
    leaves: u64,
    references: u64,
}

impl Counts {
    /// All but the cost, of a tree with so many slots a node and lanes a leaf.
    fn check(&self, record: &TreeStatistics, slots: usize, lanes: usize) -> Result<(), StatisticsFault> {
        let Self { depth, nodes, leaves, references } = *self;
        check_count(Count::Depth, record.depth, depth)?;
        check_count(Count::Nodes, record.nodes, nodes)?;
        check_count(Count::Leaves, record.leaves, leaves)?;
        check_count(Count::References, record.references, references)?;
        let share = |used: u64, whole: u64, width: usize| used as f64 / (whole * width as u64) as f64;
        check_figure(Figure::NodeFill, record.node_fill, share(nodes - 1 + leaves, nodes, slots))?;
        check_figure(Figure::BlockFill, record.block_fill, share(references, leaves, lanes))
    }
}

fn check_count(count: Count, found: impl Into<u64>, expected: impl Into<u64>) -> Result<(), StatisticsFault> {
    let (found, expected) = (found.into(), expected.into());
    if found == expected { Ok(()) } else { Err(StatisticsFault::Count { count, found, expected }) }
}

fn check_figure(figure: Figure, found: f32, expected: f64) -> Result<(), StatisticsFault> {
    let near = (f64::from(found) - expected).abs() <= TOLERANCE * expected;
    if near { Ok(()) } else { Err(StatisticsFault::Figure { figure, found, expected }) }
}

/// 1 for the root, and for each slot its box's share of the root's surface.
fn sah_cost(nodes: &[WideNode]) -> f64 {
    let planes = |node: &WideNode, slot: usize| node.planes.map(|planes| f64::from(planes[slot]));
    let used = |node: &WideNode| (0..NODE_WIDTH).filter(|slot| node.child(*slot) != Child::Empty).count();
    let root = (0..used(&nodes[0])).map(|slot| planes(&nodes[0], slot)).reduce(|a, b| {
        std::array::from_fn(
            |plane| if plane % 2 == 0 { a[plane].min(b[plane]) } else { a[plane].max(b[plane]) },
        )
    });
    let whole = root.map_or(0.0, half_area);
    let sum: f64 =
        nodes.iter().flat_map(|node| (0..used(node)).map(move |slot| half_area(planes(node, slot)))).sum();
    1.0 + sum / whole
}

/// Half the surface of a box, whose planes are as in a node.
fn half_area(planes: [f64; 6]) -> f64 {
    let [x, y, z] = [0, 2, 4].map(|lower| planes[lower + 1] - planes[lower]);
    x * y + y * z + z * x
}

/// The collision measures of all boxes, relative to those of the root's children.
fn collision_cost(nodes: &[ObbNode]) -> f64 {
    let measure = |node: &ObbNode, slot: usize| {
        let [x, y, z] = node.half_extents.map(|axis| 2.0 * f64::from(axis[slot]));
        2.0 * (x * y * z) + (x * y + y * z + z * x) * (x + y + z)
    };
    let of_node = |node: &ObbNode| {
        let used = (0..PAIR_WIDTH).filter(|slot| node.children[*slot] != PairRef::EMPTY.0);
        used.map(|slot| measure(node, slot)).sum::<f64>()
    };
    nodes.iter().map(of_node).sum::<f64>() / of_node(&nodes[0]).max(f64::MIN_POSITIVE)
}

/// The cubes of all mean widths, relative to those of the root's children.
fn width_cost(layout: &KdopLayout, rows: &[LaneRow]) -> f64 {
    let of_node = |node: &[LaneRow]| {
        let links = layout.children(node).unwrap_or([PairRef::EMPTY.0; PAIR_WIDTH]);
        let used = (0..PAIR_WIDTH).filter(|slot| links[*slot] != PairRef::EMPTY.0);
        let widths = used.map(|slot| {
            let reach = |direction| layout.reach(direction, slot).of(node).map(f64::from);
            (0..layout.directions.count()).filter_map(reach).sum::<f64>() / layout.directions.slabs() as f64
        });
        widths.map(|width| width.powi(3)).sum::<f64>()
    };
    let whole = of_node(&rows[..layout.rows()]);
    rows.chunks(layout.rows()).map(of_node).sum::<f64>() / whole.max(f64::MIN_POSITIVE)
}

/// The collision measures of all swept spheres, relative to those of the root's children.
fn swept_cost(nodes: &[(u32, &[LaneRow])]) -> f64 {
    let of_node = |node: &[LaneRow]| {
        let links = children(node).unwrap_or([PairRef::EMPTY.0; PAIR_WIDTH]);
        let used = (0..PAIR_WIDTH).filter(|slot| links[*slot] != PairRef::EMPTY.0);
        used.map(|slot| slot_of(node, slot).measure()).sum::<f64>()
    };
    let whole = nodes.first().map_or(0.0, |(_, node)| of_node(node));
    nodes.iter().map(|(_, node)| of_node(node)).sum::<f64>() / whole.max(f64::MIN_POSITIVE)
}
