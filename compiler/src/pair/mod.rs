//! Trees for queries on two models: one folder a volume, over one shared partition of the triangles.
//!
//! [`partition`] splits the triangles into parts and makes nodes of four children of these. [`obb`] fits oriented boxes
//! to the parts, [`kdop`] k-DOPs, and [`swept`] swept spheres, to the nodes of a tree of oriented boxes.

pub mod kdop;
pub mod obb;
pub mod partition;
pub mod swept;
