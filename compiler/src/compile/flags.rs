//! Options as command-line flags.

use std::fmt::Display;

/// The text that sections append their options to.
pub(crate) struct Flags<'a>(pub(crate) &'a mut String);

impl Flags<'_> {
    /// Appends a flag, unless its value is the default.
    pub(crate) fn flag<T: Display + PartialEq>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            *self.0 += &format!(" --{name} {value}");
        }
    }

    /// Appends a flag without a value, if it is set.
    pub(crate) fn switch(&mut self, name: &str, is_set: bool) {
        if is_set {
            *self.0 += &format!(" --{name}");
        }
    }
}
