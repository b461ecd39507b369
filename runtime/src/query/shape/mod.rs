//! What a convex shape touches, where, and what it touches first when it moves.

mod cast;
mod internal;
mod manifold;
mod overlap;
mod touches;

pub use cast::{CastHit, ShapeCast, StartContact};
pub use touches::{Contact, TooManyContacts, Touches};
