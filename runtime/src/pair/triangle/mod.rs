//! The tests of pairs of triangles: they alone decide answers; volumes only prune.

pub(crate) mod bounds;
pub(crate) mod classify;
pub(crate) mod distance;
pub(crate) mod meet;
