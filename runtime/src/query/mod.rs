//! The queries of [`Model`](crate::Model), a file each.

mod batch;
mod candidates;
mod distance;
mod overlap;
mod pairs;
mod point;
mod ray;
mod volumes;

pub use distance::{Allowance, Distance, Hint};
pub use overlap::Overlap;
pub use pairs::{Effort, Exhausted, Pair};
pub use point::Nearest;
pub use ray::Search;
pub use volumes::{Volume, VolumeError};
