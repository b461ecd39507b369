//! Arithmetic that the volumes and the triangle tests share.

pub(crate) mod double;
pub(crate) mod exact;
