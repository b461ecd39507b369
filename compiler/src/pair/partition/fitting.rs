//! How boxes are fitted to the parts of a tree.

use crate::fit::{Method, Objective, genetic, memetic};

/// A method, what it minimises, and where its random numbers start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fitting {
    pub(crate) method: Method,
    pub(crate) objective: Objective,
    pub(crate) seed: u64,
}

impl Fitting {
    /// The method for the part of `count` triangles that begins at `first`, with a seed of its own.
    pub(crate) fn method(&self, first: usize, count: usize) -> Method {
        // Multiplied by odd numbers, so that parts hardly ever share a seed.
        let seed = self.seed
            ^ (first as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (count as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        match self.method {
            Method::Genetic(parameters) => Method::Genetic(genetic::Parameters { seed, ..parameters }),
            Method::Memetic(parameters) => Method::Memetic(memetic::Parameters { seed, ..parameters }),
            other => other,
        }
    }
}
