//! The bvhc compiler: a mesh in, a file out that the runtime queries in place.
//!
//! [`compile::compile`] is the whole way. Data flows one way through the modules: [`import`] and [`clean`] make a
//! [`mesh`]; [`tree`] builds over its boxes, and [`mod@optimise`] improves on that; [`pair`] builds the trees for queries
//! on two models over its triangles, with boxes from [`mod@fit`]; [`layout`] makes the records; [`mod@file`] makes the
//! bytes.

pub mod clean;
pub mod cli;
pub mod compile;
pub mod file;
pub mod fit;
pub mod import;
pub mod layout;
mod math;
pub mod mesh;
pub mod optimise;
pub mod pair;
pub mod tree;
pub mod triangulate;
pub mod verify;
