//! What the benchmarks share: models, queries about them, and the checks that come before any clock.
//!
//! Variables of the environment: `BVHC_MODELS` (a folder in place of `models/`), `BVHC_LARGE=1` (a model of 13 million
//! triangles for `load`), `BVHC_QUALITY` (`fast`, `default` or `best`, the default), `BVHC_ROUNDS` (rounds of
//! `ratios`), `BVHC_LEVEL` (`avx512`, `avx2`, `sse4.2`, `sse2` or `scalar`: no more instructions for bvhc and Embree),
//! `BVHC_LEVELS=all` (bvhc at each lower level too), `BVHC_EMBREE`, `BVHC_TINYBVH` and `BVHC_FCPW` (the shared
//! libraries of these peers, who are left out where there are none).

pub mod check;
pub mod encounters;
pub mod load;
pub mod model;
pub mod points;
pub mod rays;
pub mod roster;
pub mod stage;
pub mod table;
pub mod vector;
