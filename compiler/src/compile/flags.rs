//! Options as flags of the command line.

use std::fmt::Display;

/// Text to which the options of a section are appended.
pub(crate) struct Flags<'a>(pub(crate) &'a mut String);

impl Flags<'_> {
    /// Appends a flag unless it says what is the case without it.
    pub(crate) fn flag<T: Display + PartialEq>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            *self.0 += &format!(" --{name} {value}");
        }
    }
}
