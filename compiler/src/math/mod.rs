//! Arithmetic that the whole compiler shares.

pub(crate) mod random;
pub(crate) mod vector;
