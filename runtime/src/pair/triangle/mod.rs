//! Triangle pair tests: they alone decide answers; volumes only prune.

pub(crate) mod bounds;
pub(crate) mod classify;
pub(crate) mod distance;
pub(crate) mod meet;
