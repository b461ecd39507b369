//! Moving things that go to other memory, as they are.

use super::changes::Identity;
use super::memory::Memory;
use super::tree::Tree;
use super::{MovingError, MovingWorld};

impl<'a> MovingWorld<'a> {
    /// A copy in other memory, for `capacity` things or, if that is less, for as many as here: what to do where this one is
    /// [`Full`](MovingError::Full). Handles are valid in both, and both answer alike. Cost: a copy of what is used.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn copy_into<'b>(&self, capacity: u32, memory: &'b mut [u8]) -> Result<MovingWorld<'b>, MovingError>
    where
        'a: 'b,
    {
        let mut copy = Memory::of(memory, capacity.max(self.capacity()))?;
        copy.copy_from(&self.tree.memory, self.tree.node_count, self.tree.used);
        let Tree { node_count, len, used, built_cost, .. } = self.tree;
        let tree = Tree { memory: copy, node_count, len, used, built_cost };
        let Self { still, models, fatness, free, count, origin, .. } = *self;
        Ok(MovingWorld { still, models, tree, fatness, free, count, identity: Identity::new(), origin })
    }
}
