//! The bvhc compiler: a mesh in, a file out that the runtime queries in place.
//!
//! [`compile::compile`] is the whole way. Data flows one way through the modules: [`import`] and [`clean`] make a
//! [`mesh`]; [`tree`] builds over its boxes, and [`mod@optimise`] improves on that; [`obb`] builds over its triangles,
//! with boxes from [`mod@fit`], and [`kdop`] with k-DOPs; [`swept`] puts swept spheres around the parts of the former;
//! [`layout`] makes the records; each section of the output is one file of `section`; [`mod@file`] makes the bytes.

mod archive;
pub mod clean;
pub mod cli;
pub mod compile;
pub mod file;
pub mod fit;
pub mod import;
pub mod kdop;
pub mod layout;
pub mod mesh;
pub mod obb;
pub mod optimise;
mod section;
pub mod swept;
pub mod tree;
pub mod triangulate;
pub mod verify;
