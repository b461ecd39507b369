//! What is wrong with a world.

use bvhc_format::section::SectionKind;
use bvhc_runtime::WorldError;

use crate::verify::error::Fault;
use crate::verify::metadata::NameFault;
use crate::verify::node::NodeFault;

/// What is wrong with the world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldFault {
    /// It cannot be opened.
    #[error("{0}")]
    Open(WorldError),
    /// A section is of the file that has to be of a mesh, or the world is of a mesh.
    #[error("section {kind} is of the {}; it must be of the {} (W4)", file_or_mesh(*.of_file), file_or_mesh(!.of_file))]
    Scope {
        /// The name of its kind.
        kind: &'static str,
        /// Whether it is of the file.
        of_file: bool,
    },
    /// A text is not UTF-8.
    #[error("its {field} text is not UTF-8 (W13)")]
    NotUtf8 {
        /// The text.
        field: &'static str,
    },
    /// A list of names breaks a rule.
    #[error("{list}: {fault}")]
    Names {
        /// The list.
        list: &'static str,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// A file that was read is without a name, or a name without a file.
    #[error("there are {names} names for {inputs} inputs (W13)")]
    Inputs {
        /// How many names there are.
        names: usize,
        /// How many inputs there are.
        inputs: usize,
    },
    /// There is no instance.
    #[error("it has no instance (W5)")]
    NoInstance,
    /// An instance breaks a rule.
    #[error("instance {instance}: {fault}")]
    Instance {
        /// Its number.
        instance: usize,
        /// What is wrong with it.
        fault: InstanceFault,
    },
    /// The list of instances by id is not all of them, ascending.
    #[error("entry {entry} of the instances by id is not the next one (W5)")]
    ById {
        /// The entry.
        entry: usize,
    },
    /// The leaves do not ascend.
    #[error("leaf {leaf} is not after the one before (W8)")]
    LeafOrder {
        /// The leaf.
        leaf: usize,
    },
    /// The leaves of an instance do not divide its mesh.
    #[error(
        "the leaves of instance {instance} are not its whole mesh, or parts that have each block once (W8)"
    )]
    Division {
        /// The instance.
        instance: usize,
    },
    /// A leaf opens a mesh that is in another file.
    #[error("leaf {leaf} is a part of a mesh of a thin world, not a whole one (X6)")]
    Opened {
        /// The leaf.
        leaf: usize,
    },
    /// A leaf's box does not hold what it has to.
    #[error("leaf {leaf}: plane {plane} is {found:e}; it must hold {limit:e} (W9)")]
    LeafBox {
        /// The leaf.
        leaf: usize,
        /// The plane: lower x, y, z, upper x, y, z.
        plane: usize,
        /// What it is.
        found: f32,
        /// The innermost position allowed.
        limit: f64,
    },
    /// A node breaks a rule.
    #[error("node {node}: {fault}")]
    Node {
        /// The node.
        node: usize,
        /// What is wrong with it.
        fault: NodeFault,
    },
    /// A node or a leaf is not referenced once.
    #[error("{what} {index} is referenced {found} times (W11)")]
    References {
        /// `node` or `leaf`.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How often it is referenced.
        found: u32,
    },
    /// The box of a slot does not hold what is below it.
    #[error("node {node}, slot {slot}: its box does not hold the boxes below it (W11)")]
    NotNested {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
    },
    /// The bounds do not hold the boxes of the root.
    #[error("its bounds do not hold the boxes of node 0 (W11)")]
    Bounds,
    /// The depth is wrong.
    #[error("its depth is given as {found}, but it has {expected} levels (W2)")]
    Depth {
        /// The depth in the file.
        found: u32,
        /// How many levels there are.
        expected: u32,
    },
    /// The layers of a node are not those of the instances below it.
    #[error("node {node} has the layers {found:#x}; those below it have {expected:#x} (W12)")]
    Layers {
        /// The node.
        node: usize,
        /// What it has.
        found: u32,
        /// What it must have.
        expected: u32,
    },
    /// The reserved field is not zero.
    #[error("its reserved field is not zero (W7)")]
    Reserved,
}

/// What is wrong with an instance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceFault {
    /// There is no such mesh.
    #[error("there is no mesh {0} (W5)")]
    Mesh(u32),
    /// The name is empty.
    #[error("its name is empty (W5)")]
    NoName,
    /// The id is not that of the name.
    #[error("its id is {found:#x}; that of its name is {expected:#x} (W5)")]
    Id {
        /// What it is.
        found: u64,
        /// What it must be.
        expected: u64,
    },
    /// The position, the rotation or the scale is out of range.
    #[error("its {0} is not what it must be (W6)")]
    Transform(&'static str),
    /// A reserved bit or field is not zero.
    #[error("a reserved bit or field is not zero (W7)")]
    Reserved,
    /// The box does not hold the instance, or is too large.
    #[error("its bounds do not hold it, or reach beyond 2^60 (W10)")]
    Bounds,
}

impl Fault for WorldFault {
    const SECTION: SectionKind = SectionKind::World;
}

fn file_or_mesh(of_file: bool) -> &'static str {
    if of_file { "file" } else { "meshes" }
}
