//! Errors of worlds.

use core::fmt;

use crate::error::OpenError;
#[cfg(feature = "pairs")]
use crate::pair::PairError;
#[cfg(feature = "pairs")]
use crate::pose::PoseError;

/// Why bytes are not a world that this runtime can query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The file, or one of its meshes, cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file has meshes, but no world of them.
    #[error("the file has no world, only meshes: open it as a model")]
    NoWorld,
    /// There are more meshes than the caller has places for.
    #[error("the world has {needed} meshes, but there is memory for {found}")]
    Memory {
        /// The number of meshes.
        needed: u32,
        /// The places that the caller gave.
        found: usize,
    },
    /// The meshes of a thin world are in other files.
    #[error(
        "the world is thin: its {meshes} meshes are in files of their own; open it as `ThinWorld`, and link these"
    )]
    Thin {
        /// The number of meshes.
        meshes: u32,
    },
    /// The world is not thin.
    #[error("the world is not thin: it holds its meshes itself; open it as `World`")]
    NotThin,
    /// A thin world has meshes of its own, too, or lists none, or not as many names as meshes.
    #[error(
        "the linked-meshes section has {names} names for {meshes} meshes, in a file with {own} meshes of its own"
    )]
    LinkedMeshes {
        /// The number of linked meshes.
        meshes: u64,
        /// The number of their names.
        names: u64,
        /// The number of meshes in the file itself.
        own: u32,
    },
    /// A mesh of a thin world was not handed over.
    #[error("mesh {mesh} is missing: link the mesh of the file whose hash is {}", Hex(*expected))]
    MeshMissing {
        /// The mesh.
        mesh: u32,
        /// The hash in the header of its file.
        expected: [u8; 32],
    },
    /// What was handed over for a mesh of a thin world is another one.
    #[error(
        "mesh {mesh} is not the one that the world was linked with: the hash of its file is {}, not {}; was it compiled again?",
        Hex(*found), Hex(*expected)
    )]
    MeshDiffers {
        /// The mesh.
        mesh: u32,
        /// The hash in the header of the file that was handed over.
        found: [u8; 32],
        /// The hash that it must be.
        expected: [u8; 32],
    },
    /// A thin world lists the same mesh twice.
    #[error("mesh {mesh} is listed before")]
    MeshTwice {
        /// The mesh.
        mesh: u32,
    },
    /// A mesh of a thin world is not within the bounds that the world has of it.
    #[error("mesh {mesh} is not within the bounds that the world has of it: link the world again")]
    MeshBounds {
        /// The mesh.
        mesh: u32,
    },
    /// What was handed over for a mesh of a thin world is of a file with several meshes.
    #[error("mesh {mesh} is in a file of {found} meshes; a thin world's meshes have files of their own")]
    SeveralMeshes {
        /// The mesh.
        mesh: u32,
        /// How many meshes its file has.
        found: u32,
    },
    /// Lists that belong together differ in length.
    #[error(
        "the world section has {names} names and {ids} ids for {instances} instances, and layers of {layers} nodes for \
         {nodes} nodes"
    )]
    Counts {
        /// The number of instances.
        instances: u64,
        /// The number of names.
        names: u64,
        /// The number of instances by id.
        ids: u64,
        /// The number of nodes.
        nodes: u64,
        /// The number of nodes' layers.
        layers: u64,
    },
    /// The box around the world is not finite, is inverted, or is too large.
    #[error("the bounds of the world are not a box of finite numbers within 2^60")]
    Bounds,
}

/// A hash in hexadecimal digits.
struct Hex([u8; 32]);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why a query of a mesh and a world has no answer.
#[cfg(feature = "pairs")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldPairError {
    /// An instance's pose, seen from the other one's space, is beyond what poses may be.
    #[error("instance {instance}: {error}")]
    Pose {
        /// The instance.
        instance: u32,
        /// What is wrong with it.
        error: PoseError,
    },
    /// A query of two meshes failed.
    #[error("instance {instance}: {error}")]
    Pair {
        /// The instance.
        instance: u32,
        /// Why it failed.
        error: PairError,
    },
}

#[cfg(feature = "pairs")]
impl WorldPairError {
    /// The instance at fault.
    pub fn instance(&self) -> u32 {
        match self {
            Self::Pose { instance, .. } | Self::Pair { instance, .. } => *instance,
        }
    }
}
