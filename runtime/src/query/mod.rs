//! The queries on one [`Model`](crate::Model), one file each.

mod boundary;
mod candidates;
mod inside;
mod overlap;
mod point;
mod ray;
#[cfg(feature = "shapes")]
mod shape;
mod signed;
mod winding;

pub(crate) use inside::Found;
pub use inside::{InsideRule, Place};
pub use overlap::Overlap;
pub use point::{ClosestPoint, SurfacePoint};
pub use ray::VisitControl;
#[cfg(feature = "shapes")]
pub use shape::{CastHit, Contact, ShapeCast, StartContact, TooManyContacts, Touches};
#[cfg(feature = "shapes")]
pub(crate) use shape::{Listed, Motion, Neighbourhood, Placed, Sweep, by_contact, list, reduce};
pub use signed::SignedDistance;
pub use winding::Winding;
