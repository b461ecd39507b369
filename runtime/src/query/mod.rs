//! The queries of [`Model`](crate::Model), a file each.

mod batch;
mod overlap;
mod pairs;
mod point;
mod ray;

pub use overlap::Overlap;
pub use pairs::{Effort, Exhausted, Pair, Volume, VolumeError};
pub use point::Nearest;
pub use ray::Search;
