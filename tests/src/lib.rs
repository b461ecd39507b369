//! Oracles, scenes and helpers shared by the tests and benchmarks of bvhc.
