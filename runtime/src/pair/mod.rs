//! Mesh against mesh: whether two models meet, which of their triangles meet, and how far apart the models are.
//!
//! ```text
//! lanes, sets, scaled_pose, relative_pose ◄─ leaf ◄─ tree ◄─ volumes, triangle ◄─ walk ◄─ question ◄─ volume ◄─ query
//! ```

mod answers;
mod convex;
mod lanes;
mod leaf;
mod query;
mod question;
mod relative_pose;
mod scaled_pose;
mod sets;
mod tree;
mod triangle;
mod volume;
mod volumes;
mod walk;

pub(crate) use scaled_pose::ScaledPose;

pub use answers::{Distance, Exhausted, Pair, Tolerance, WarmStart, WorkBudget};
pub use query::Against;
pub use triangle::meet::{segment_meets_triangle, triangles_meet};
#[cfg(feature = "volumes")]
pub use volume::Realign;
pub use volume::{PairError, Volume};
