//! The right answers: every query by looking at every triangle, decided by exact arithmetic.
//!
//! Inputs are the same `f32` numbers that the queries get, taken as exact real numbers. Vertices transformed by a
//! [pose](crate::pose) are the `f64` numbers that its arithmetic gives, and everything after that is exact. Whether a
//! triangle touches a box or a ball has one right answer, which these oracles give. A ray's answer from `f32`
//! arithmetic may differ from the exact one near an edge; [`ray::Class`] says where that is permitted.

pub mod classification;
pub mod distance;
pub mod gap;
pub mod meet;
pub mod number;
pub mod overlap_box;
pub mod overlap_sphere;
pub mod pairs;
pub mod point;
pub mod ray;
pub mod winding;
