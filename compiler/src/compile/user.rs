//! The keys and values that users add to a file.

use std::collections::BTreeMap;

use bvhc_format::{MAX_KEY_LENGTH, MAX_USER_PAIRS, MAX_USER_TEXT};

/// Why keys and values cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UserMetadataError {
    /// There are too many pairs.
    #[error("{found} keys are too many: a file holds at most {MAX_USER_PAIRS}")]
    TooManyPairs {
        /// How many there are.
        found: usize,
    },
    /// A key has no character, or too many.
    #[error("the key {key:?} has {} bytes: 1 to {MAX_KEY_LENGTH} are allowed", key.len())]
    KeyLength {
        /// The key.
        key: String,
    },
    /// All keys and values together are too long.
    #[error("keys and values have {found} bytes in all: at most {MAX_USER_TEXT} are allowed")]
    TooMuchText {
        /// Bytes of all keys and values.
        found: usize,
    },
}

/// The limits of keys and values (FORMAT.md, M7 and M8).
pub(crate) fn check(pairs: &BTreeMap<String, String>) -> Result<(), UserMetadataError> {
    if pairs.len() > MAX_USER_PAIRS {
        return Err(UserMetadataError::TooManyPairs { found: pairs.len() });
    }
    if let Some(key) = pairs.keys().find(|key| key.is_empty() || key.len() > MAX_KEY_LENGTH) {
        return Err(UserMetadataError::KeyLength { key: key.clone() });
    }
    let found = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
    if found > MAX_USER_TEXT { Err(UserMetadataError::TooMuchText { found }) } else { Ok(()) }
}
