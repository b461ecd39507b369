//! Binary trees over boxes, and their collapse to wide nodes. The code is independent of triangles and bytes.

pub mod aabb;
pub mod binary;
pub mod build;
pub(crate) mod collapse;
pub mod links;
pub(crate) mod partial;
pub mod reinsert;
pub mod wide;
