//! Oracles, scenes and helpers shared by the tests and benchmarks of bvhc.
//!
//! Scenes are made from seeds, and oracles look at every triangle: neither depends on trees or files. Only [`support`]
//! compiles and opens files.

pub mod oracle;
pub mod pose;
pub mod random;
pub mod scene;
pub mod support;
