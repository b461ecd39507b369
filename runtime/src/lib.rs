//! The bvhc runtime.
