//! Binary trees over boxes. They know boxes, not triangles, and no bytes.

pub mod aabb;
pub mod binary;
pub mod build;
pub(crate) mod collapse;
pub(crate) mod grown;
pub mod links;
pub mod reinsert;
pub mod wide;
