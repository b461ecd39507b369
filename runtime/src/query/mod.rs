//! The queries of [`Model`](crate::Model), a file each.

mod batch;
mod distance;
mod overlap;
mod pairs;
mod point;
mod ray;

pub use distance::{Allowance, Distance, Hint};
pub use overlap::Overlap;
pub use pairs::{Effort, Exhausted, Pair, Volume, VolumeError};
pub use point::Nearest;
pub use ray::Search;
