//! Convex shapes in worlds: what they touch, where, and what they touch first when they move.
//!
//! A shape is not transformed: it is exact in the world's space. The corners of a triangle are transformed into the world in f64,
//! each coordinate rounded as [`Similarity::apply`](crate::Similarity::apply) does, and the shape is asked about these as it is
//! about a mesh's own. Only the boxes that prune are transformed into a mesh's space (`query/shape/`).

mod cast;
mod overlap;
mod solid;
mod touches;

pub use cast::WorldCast;
pub use touches::WorldContact;
