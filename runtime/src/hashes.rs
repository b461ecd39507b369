//! The hashes of a file, checked: what opening leaves out, since it would have to read everything.

use bvhc_format::ALIGNMENT;
use bvhc_format::header::{ENTRY_LENGTH, HASH_RANGE, HEADER_LENGTH};
use bvhc_format::section::SectionKind;

use crate::model::Model;

/// Which part of a file is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HashError {
    /// The header or the directory.
    #[error("the file is damaged: its header and directory do not have the hash that the header tells")]
    Header,
    /// A section.
    #[error("the file is damaged: its section {index} does not have the hash that the directory tells")]
    Section {
        /// Place in the directory, from 0.
        index: u32,
        /// The section's kind, where this runtime knows it.
        kind: Option<SectionKind>,
    },
    /// The bytes between two sections, or after the last one.
    #[error("the file is damaged: the bytes after its section {index} are not zero")]
    Padding {
        /// Place in the directory, from 0.
        index: u32,
    },
}

impl Model<'_> {
    /// Whether every byte of the file is as it was written, by the BLAKE3 hashes in it: for files that were downloaded.
    ///
    /// Reads the whole file, some gigabytes a second. A file that passes was not damaged since it was compiled; who means to
    /// deceive can write hashes that are right. Needs the feature `hashes`.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
    /// assert_eq!(model.verify_hashes(), Ok(()));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    ///
    /// # Errors
    /// [`HashError`] names the first part that is damaged.
    pub fn verify_hashes(&self) -> Result<(), HashError> {
        let bytes = self.sections().bytes();
        let directory_end = HEADER_LENGTH + ENTRY_LENGTH * self.sections().header().sections as usize;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes[..HASH_RANGE.start]);
        hasher.update(&bytes[HASH_RANGE.end..directory_end]);
        if hasher.finalize() != self.sections().header().hash {
            return Err(HashError::Header);
        }
        for (index, (entry, payload)) in (0..).zip(self.sections().entries()) {
            if blake3::hash(payload) != entry.hash {
                return Err(HashError::Section { index, kind: SectionKind::from_number(entry.kind) });
            }
            let end = entry.offset as usize + payload.len();
            if bytes[end..end.next_multiple_of(ALIGNMENT)].iter().any(|byte| *byte != 0) {
                return Err(HashError::Padding { index });
            }
        }
        Ok(())
    }
}
