//! The queries of [`Model`](crate::Model), a file each.

mod candidates;
mod distance;
mod overlap;
mod pairs;
mod point;
mod ray;
mod volumes;

pub use distance::{Distance, Tolerance, WarmStart};
pub use overlap::Overlap;
pub use pairs::{Exhausted, Pair, WorkBudget};
pub use point::ClosestPoint;
pub use ray::VisitControl;
pub use volumes::{Volume, VolumeError};
