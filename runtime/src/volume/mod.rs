//! The bounding volumes of pair queries: they prune, and are conservative whatever the rounding.

pub(crate) mod aabb;
pub(crate) mod convex;
pub(crate) mod gap;
pub(crate) mod obb;
