//! What a convex shape touches, and what it touches first when it moves.

mod cast;
mod overlap;

pub use cast::{CastHit, ShapeCast, StartContact};
