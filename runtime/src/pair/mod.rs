//! Mesh against mesh: whether two models meet, which of their triangles meet, and how far apart the models are.
//!
//! ```text
//! lanes, sets, relative_pose ◄─ leaf ◄─ tree ◄─ volume, triangle ◄─ walk ◄─ select ◄─ query
//! ```

mod answers;
mod convex;
mod lanes;
mod leaf;
mod query;
mod relative_pose;
mod select;
mod sets;
mod tree;
mod triangle;
mod volume;
mod walk;

pub use answers::{Distance, Exhausted, Pair, Tolerance, WarmStart, WorkBudget};
pub use query::Against;
pub use select::{PairError, Volume};
#[cfg(feature = "volumes")]
pub use volume::kdop::Realign;
