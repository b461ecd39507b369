//! Oracles, scenes and helpers shared by the tests and benchmarks of bvhc.
//!
//! Nothing here knows a tree or a file: scenes are made from seeds, and oracles look at every triangle.

pub mod oracle;
pub mod random;
pub mod scene;
