//! Errors of moving things.

/// Why a thing cannot be added or changed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MovingError {
    /// The memory is too small for so many things.
    #[error("the memory has {found} bytes; so many things need {needed}")]
    Memory {
        /// The bytes needed, wherever they start.
        needed: usize,
        /// The length of the memory.
        found: usize,
    },
    /// No memory can hold so many things.
    #[error("{found} things are too many; there may be {most}")]
    Capacity {
        /// The things asked for.
        found: u32,
        /// The most there may be.
        most: u32,
    },
    /// There are as many things as the memory is for. Nothing was changed.
    #[error("the memory is full: it has {capacity} things; one more needs {needed} bytes")]
    Full {
        /// The number of things.
        capacity: u32,
        /// The bytes needed for one more; of 2^24, which are the most, those of this memory.
        needed: usize,
    },
    /// There are more pairs than the caller has places for. Nothing of use was written.
    #[error("there are {needed} pairs, but there is memory for {found}")]
    Pairs {
        /// The number of pairs.
        needed: usize,
        /// The places that the caller gave.
        found: usize,
    },
    /// A sweep's memory is too small. Nothing of use was written. Pairs are counted once there is room for all boxes: with memory for
    /// these numbers, it may be too small once more.
    #[error("the sweep's memory is too small: {boxes} boxes with {pairs} pairs need {needed} bytes")]
    Sweep {
        /// The boxes to make memory for.
        boxes: u32,
        /// The pairs to make memory for.
        pairs: usize,
        /// The bytes needed for these.
        needed: usize,
    },
    /// The memory of kept pairs is too small. Nothing of use was written. Pairs are counted once there is room for all things: with
    /// memory for these numbers, it may be too small once more.
    #[error("the memory of kept pairs is too small: {things} things with {pairs} pairs need {needed} bytes")]
    Kept {
        /// The things to make memory for.
        things: u32,
        /// The pairs to make memory for.
        pairs: usize,
        /// The bytes needed for these.
        needed: usize,
    },
    /// Leaves cannot extend so far beyond things.
    #[error("leaves extend beyond things by 0 to 2^60, not by {found}")]
    Fatness {
        /// The distance asked for.
        found: f32,
    },
    /// The handle is of a thing that was removed. Handles of other worlds are not told apart: they may be of some thing here.
    #[error("the handle is of no thing that is there")]
    NoSuchThing,
    /// There is no such mesh.
    #[error("there is no mesh {mesh}")]
    NoSuchMesh {
        /// The mesh's number.
        mesh: u32,
    },
    /// A box is moved as an instance, or an instance as a box.
    #[error("the thing is of the other kind: instances have similarities, boxes have bounds")]
    OtherKind,
    /// A box is empty, or something extends beyond 2^60.
    #[error("the thing's box is empty, not finite, or extends beyond 2^60")]
    Bounds,
}
