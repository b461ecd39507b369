//! Lines, words and numbers of the formats that are texts.

use std::io::BufRead;

use super::DataFault;

/// The most characters of a file that a message repeats.
const MOST_SHOWN: usize = 40;

/// A text without the mark of its byte order.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Splits a text into lines without the blanks around them. They end with LF, CR LF or, in a text without LF, CR.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    terminator: u8,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self::with_terminator(text, if text.contains(&b'\n') { b'\n' } else { b'\r' })
    }

    /// For texts of which the whole does not tell how lines end, as a binary part follows.
    pub(super) fn with_terminator(text: &'a [u8], terminator: u8) -> Self {
        Self { rest: text, terminator, number: 0 }
    }

    /// The next line, if there is one.
    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let line = self.rest;
        // `skip_until` finds the terminator many bytes at a time; on a slice it cannot fail.
        let length = self.rest.skip_until(self.terminator).unwrap_or(line.len());
        self.number += 1;
        Some(line[..length].trim_ascii())
    }

    /// The number of the last line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The text behind the last line.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// The words of a line, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Words<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.0.trim_ascii_start();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

impl<'a> Words<'a> {
    /// The next word of a line that must have one.
    pub(super) fn word(&mut self, wanted: &str) -> Result<&'a [u8], DataFault> {
        self.next().ok_or_else(|| unexpected("the end of the line", wanted))
    }

    /// The next word as a number.
    pub(super) fn number(&mut self) -> Result<f64, DataFault> {
        number(self.word("a number")?)
    }

    /// The next word as an integer.
    pub(super) fn integer(&mut self, wanted: &str) -> Result<i64, DataFault> {
        let word = self.word(wanted)?;
        parsed(word).ok_or_else(|| unexpected(&shown(word), wanted))
    }

    /// That the line ends here.
    pub(super) fn end(&mut self) -> Result<(), DataFault> {
        self.next().map_or(Ok(()), |word| Err(unexpected(&shown(word), "the end of the line")))
    }
}

/// The number that a word is. It may be infinite or NaN.
pub(super) fn number(word: &[u8]) -> Result<f64, DataFault> {
    parsed(word).ok_or_else(|| unexpected(&shown(word), "a number"))
}

fn parsed<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    str::from_utf8(word).ok()?.parse().ok()
}

pub(super) fn unexpected(found: &str, wanted: &str) -> DataFault {
    DataFault::Unexpected { found: found.to_owned(), wanted: wanted.to_owned() }
}

/// A word of a file as messages show it: in one line, and not all of a long one.
pub(super) fn shown(word: &[u8]) -> String {
    // A character has at most four bytes, so that the rest of a long word need not be looked at.
    let text = String::from_utf8_lossy(&word[..word.len().min(4 * (MOST_SHOWN + 1))]);
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MOST_SHOWN).flat_map(char::escape_debug).collect();
    format!("`{start}{}`", if characters.next().is_some() { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(u64, &[u8])> {
        let mut lines = Lines::new(text);
        std::iter::from_fn(|| lines.next_line().map(|line| (lines.number(), line))).collect()
    }

    #[test]
    fn every_terminator_counts_once() {
        let expected: [(u64, &[u8]); 3] = [(1, b"a b"), (2, b""), (3, b"c")];
        for text in ["a b\n\nc", " a b\r\n\r\nc \r\n", "a b\r\rc\r"] {
            assert_eq!(lines(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn words_are_separated_by_any_blanks() {
        let words: Vec<_> = Words(b" a\t\tbc \r d").collect();
        assert_eq!(words, [&b"a"[..], b"bc", b"d"]);
    }

    #[test]
    fn long_and_strange_words_are_shown_in_part() {
        assert_eq!(shown(b"a\x07\xFFb"), "`a\\u{7}\u{FFFD}b`");
        assert_eq!(shown(&[b'x'; 40]), format!("`{}`", "x".repeat(40)));
        assert_eq!(shown(&[b'x'; 4000]), format!("`{}...`", "x".repeat(40)));
    }
}
