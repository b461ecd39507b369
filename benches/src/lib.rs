//! Shared by the benchmarks: peers behind common traits, models, queries, and the checks before timing.
//!
//! No public interface: the benchmarks in `benches/` are the only users.

pub mod peers;
pub mod shared;
