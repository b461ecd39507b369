//! What a convex shape touches, where, and what it touches first when it moves.

mod cast;
mod image;
mod internal;
mod manifold;
mod overlap;
mod sweep;
mod touches;

pub use cast::{CastHit, ShapeCast, StartContact};
pub use touches::{Contact, TooManyContacts, Touches};

pub(crate) use cast::by_contact;
pub(crate) use manifold::{Listed, reduce};
pub(crate) use overlap::Placed;
pub(crate) use sweep::{Motion, Sweep};
pub(crate) use touches::{Neighbourhood, list};
