//! The bvhc compiler.

pub mod mesh;
