//! Errors about a glTF file.

use crate::import::{DataFault, ImportError};

/// Makes errors about a file.
#[derive(Clone, Copy)]
pub(super) struct Fail<'a> {
    pub(super) file: &'a str,
}

impl Fail<'_> {
    pub(super) fn data(&self, place: &str, fault: DataFault) -> ImportError {
        ImportError::Data { file: self.file.to_owned(), place: place.to_owned(), fault }
    }

    pub(super) fn rule(&self, place: impl AsRef<str>, fault: String) -> ImportError {
        self.data(place.as_ref(), DataFault::Rule(fault))
    }

    pub(super) fn ends(&self, place: impl AsRef<str>, wanted: &str) -> ImportError {
        self.data(place.as_ref(), DataFault::Ends { wanted: wanted.to_owned() })
    }

    /// Something refers to what does not exist.
    pub(super) fn missing(&self, place: impl AsRef<str>, what: String) -> ImportError {
        self.rule(place, format!("it refers to {what}, which does not exist"))
    }

    pub(super) fn json(&self, error: &serde_json::Error) -> ImportError {
        let text = error.to_string();
        let end = text.rfind(" at line ").unwrap_or(text.len());
        let place = format!("line {}, column {} of the JSON", error.line(), error.column());
        // Names of our own types say nothing to the reader.
        let fault = match text[..end].split_once("expected struct ") {
            Some((found, _)) => format!("{found}expected an object"),
            None => text[..end].to_owned(),
        };
        self.rule(place, fault)
    }
}
