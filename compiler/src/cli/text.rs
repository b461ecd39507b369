//! Text formatting helpers.

use std::io::Write;

/// Prints a line to standard error, ignoring errors.
pub(super) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The text on one line: control characters, which a file name may contain, are escaped.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// The first paragraph of a clap message, before usage and tips, on one line.
pub(super) fn first_paragraph(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let joined = lines.join(" ");
    joined.strip_prefix("error: ").unwrap_or(&joined).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_break_the_line() {
        assert_eq!(one_line("a\nb\u{1b}c é"), "a\\nb\\u{1b}c é");
    }

    #[test]
    fn only_the_first_paragraph_is_kept() {
        assert_eq!(first_paragraph("error: no:\n  --out\n\nUsage: x"), "no: --out");
    }
}
