//! What the benchmarks share: peers behind common traits, models, queries, and the checks that come before any clock.
//!
//! Nobody's interface: the benchmarks in `benches/` are its only users.

pub mod peers;
pub mod shared;
