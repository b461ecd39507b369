//! Files of sections in memory that are written without being joined first.

use std::io::{self, Write};

use super::{Plan, Section, nothing_elsewhere};

/// A file of sections in memory that is yet to be written, and the hash of all its bytes.
pub(crate) struct Hashed {
    pub(crate) plan: Plan,
    pub(crate) hash: blake3::Hash,
}

impl Hashed {
    /// Computes the hash on the current thread pool.
    pub(crate) fn of(sections: Vec<Section>) -> Self {
        let plan = Plan::of_sections(sections);
        let mut hasher = Hasher(blake3::Hasher::new());
        plan.write_memory(&mut hasher).expect("hashing does not fail");
        Self { plan, hash: hasher.0.finalize() }
    }
}

impl Plan {
    /// Writes a file of sections in memory.
    pub(crate) fn write_memory(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write(out, &mut nothing_elsewhere)
    }
}

/// Hashes what is written, on the current thread pool.
struct Hasher(blake3::Hasher);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update_rayon(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
