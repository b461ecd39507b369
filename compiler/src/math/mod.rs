//! Arithmetic that the whole compiler shares.

pub(crate) mod vector;
