//! The bvhc compiler.

pub mod clean;
pub mod import;
pub mod mesh;
pub mod triangulate;
