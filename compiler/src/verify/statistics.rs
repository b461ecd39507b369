//! Compares the statistics of each tree with the tree itself.

use bvhc_format::record::TreeStatistics;
use bvhc_format::section::{SectionKind, TREE_KINDS};
use bvhc_runtime::Model;

use super::checked::TreeFacts;
use super::error::VerifyError;
use super::sections_of;

/// The relative error allowed for figures, because sums round (M6).
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
    /// A figure differs by more than the allowed error.
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

/// M5 and M6, on a model that is otherwise valid and has these trees.
pub(super) fn check(model: &Model<'_>, trees: &[(SectionKind, TreeFacts)]) -> Result<(), VerifyError> {
    let records = model.sections().metadata().trees.get();
    let kinds: Vec<u32> =
        sections_of(model).map(|(entry, _)| entry.kind).filter(|kind| TREE_KINDS.contains(kind)).collect();
    if records.len() != kinds.len() {
        let fault = StatisticsFault::Records { found: records.len(), expected: kinds.len() };
        return Err(VerifyError::Statistics { tree: records.len().min(kinds.len()), fault });
    }
    for (tree, (record, kind)) in records.iter().zip(kinds).enumerate() {
        let fail = |fault| VerifyError::Statistics { tree, fault };
        check_count(Count::Kind, record.kind, kind).map_err(fail)?;
        check_count(Count::Reserved, record.reserved, 0u32).map_err(fail)?;
        if let Some((_, facts)) = trees.iter().find(|(known, _)| *known as u32 == kind) {
            check_tree(facts, record).map_err(fail)?;
        }
    }
    Ok(())
}

fn check_tree(facts: &TreeFacts, record: &TreeStatistics) -> Result<(), StatisticsFault> {
    let TreeFacts { depth, nodes, leaves, references, widths: [slots, lanes], cost } = *facts;
    check_count(Count::Depth, record.depth, depth)?;
    check_count(Count::Nodes, record.nodes, nodes)?;
    check_count(Count::Leaves, record.leaves, leaves)?;
    check_count(Count::References, record.references, references)?;
    let share = |used: u64, whole: u64, width: usize| used as f64 / (whole * width as u64) as f64;
    check_figure(Figure::NodeFill, record.node_fill, share(nodes - 1 + leaves, nodes, slots))?;
    check_figure(Figure::BlockFill, record.block_fill, share(references, leaves, lanes))?;
    check_figure(Figure::SahCost, record.sah_cost, cost)
}

fn check_count(count: Count, found: impl Into<u64>, expected: impl Into<u64>) -> Result<(), StatisticsFault> {
    let (found, expected) = (found.into(), expected.into());
    if found == expected { Ok(()) } else { Err(StatisticsFault::Count { count, found, expected }) }
}

fn check_figure(figure: Figure, found: f32, expected: f64) -> Result<(), StatisticsFault> {
    let near = (f64::from(found) - expected).abs() <= TOLERANCE * expected;
    if near { Ok(()) } else { Err(StatisticsFault::Figure { figure, found, expected }) }
}
