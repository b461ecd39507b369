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

/// A number with a comma between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index != 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with a noun, in the plural unless the number is 1.
pub(super) fn counted(number: u64, thing: &str) -> String {
    let plural = match (number, thing) {
        (1, _) => thing.to_owned(),
        (_, "vertex") => "vertices".to_owned(),
        (_, "leaf") => "leaves".to_owned(),
        _ => format!("{thing}s"),
    };
    format!("{} {plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn plurals_follow_the_number() {
        assert_eq!(counted(1, "vertex"), "1 vertex");
        assert_eq!(counted(2, "vertex"), "2 vertices");
        assert_eq!(counted(0, "face"), "0 faces");
    }

    #[test]
    fn control_characters_do_not_break_the_line() {
        assert_eq!(one_line("a\nb\u{1b}c é"), "a\\nb\\u{1b}c é");
    }

    #[test]
    fn only_the_first_paragraph_is_kept() {
        assert_eq!(first_paragraph("error: no:\n  --out\n\nUsage: x"), "no: --out");
    }
}
