//! Errors of worlds.

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

/// Why a query of a mesh and a world has no answer.
#[cfg(feature = "pairs")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldPairError {
    /// An instance is scaled or mirrored, and near enough to matter. Mesh against mesh is decided for rigid poses alone: let
    /// the compiler bake the instance into a mesh of its own (`bake = true`).
    #[error(
        "instance {instance} is scaled or mirrored; mesh against mesh needs it baked into a mesh of its own (bake = true)"
    )]
    NotRigid {
        /// The instance.
        instance: u32,
    },
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
            Self::NotRigid { instance } | Self::Pose { instance, .. } | Self::Pair { instance, .. } => {
                *instance
            }
        }
    }
}
