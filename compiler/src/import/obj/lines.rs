//! Logical lines of an OBJ file.

use std::borrow::Cow;

use crate::import::text::{self, Words};

/// Splits a text into logical lines: continuations are joined and blanks trimmed.
pub(super) struct Lines<'a> {
    physical: text::Lines<'a>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { physical: text::Lines::new(text) }
    }

    /// The next logical line, and the number, from 1, of the physical line where it starts.
    pub(super) fn next_line(&mut self) -> Option<(u64, Cow<'a, [u8]>)> {
        let first = self.physical.next_line()?;
        let number = self.physical.number();
        let mut comments = Comments::default();
        if !comments.is_continued(first) {
            return Some((number, Cow::Borrowed(first)));
        }
        let mut line = first.to_vec();
        loop {
            line.pop();
            line.push(b' ');
            let part = self.physical.next_line().unwrap_or_default();
            line.extend_from_slice(part);
            if !comments.is_continued(part) {
                return Some((number, Cow::Owned(line)));
            }
        }
    }
}

/// What the physical lines of a logical one have said so far of comments, which never continue: many end in a Windows
/// path.
#[derive(Default)]
struct Comments {
    has_begun: bool,
    /// Whether the line is one of `v` or `f`, whose end may be a comment; elsewhere `#` may be part of a name. `None`
    /// before its first word.
    may_end: Option<bool>,
    /// Whether it is a comment, or ends in one.
    found: bool,
}

impl Comments {
    /// Whether the logical line goes on behind its next physical line.
    fn is_continued(&mut self, part: &[u8]) -> bool {
        self.found |= !self.has_begun && part.starts_with(b"#");
        self.has_begun = true;
        let (part, is_continued) = part.strip_suffix(b"\\").map_or((part, false), |part| (part, true));
        for word in Words(part) {
            match self.may_end {
                None => self.may_end = Some(matches!(word, b"v" | b"f")),
                Some(may_end) => self.found |= may_end && word.starts_with(b"#"),
            }
        }
        is_continued && !self.found
    }
}

/// What is in the lines of a keyword that make no face, whatever they stand for; `None` if they are known to make no shape at all.
pub(super) fn ignored(keyword: &[u8]) -> Option<&'static str> {
    match keyword {
        b"l" => Some("lines"),
        b"p" => Some("points"),
        b"fo" => Some("face outlines"),
        b"call" => Some("calls of other files"),
        b"curv" | b"curv2" | b"surf" => Some("free-form curves and surfaces"),
        b"" | b"vt" | b"vn" | b"s" | b"mg" => None,
        // Of free-form curves and surfaces.
        b"vp" | b"cstype" | b"deg" | b"bmat" | b"step" | b"parm" | b"trim" | b"hole" | b"scrv" | b"sp"
        | b"end" | b"con" | b"ctech" | b"stech" => None,
        // How it looks, and commands.
        b"mtllib" | b"maplib" | b"usemap" | b"bevel" | b"c_interp" | b"d_interp" | b"lod" | b"shadow_obj"
        | b"trace_obj" | b"csh" => None,
        comment if comment.starts_with(b"#") => None,
        _ => Some("lines of unknown keywords"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u64, String)> {
        let mut lines = Lines::new(text.as_bytes());
        std::iter::from_fn(|| lines.next_line())
            .map(|(number, line)| (number, String::from_utf8(line.into_owned()).unwrap()))
            .collect()
    }

    fn numbered(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
        lines.iter().map(|&(number, line)| (number, line.to_owned())).collect()
    }

    #[test]
    fn continuations_join_and_keep_the_first_number() {
        let expected = numbered(&[(1, "f 1 2 3"), (4, "g x")]);
        assert_eq!(lines("f 1\\\n2\\\n 3\ng x"), numbered(&[(1, "f 1 2 3"), (4, "g x")]));
        assert_eq!(lines("\\\nf\\\n 1 #\\\n2"), numbered(&[(1, " f 1 #\\"), (4, "2")]));
        assert_eq!(lines("f 1\\\r\n2\\ \r\n3\r\ng x\r\n"), expected);
    }

    /// A line of 400 kilobytes took 47 seconds when each continuation was looked for in all of it.
    #[test]
    fn many_continuations_take_linear_time() {
        let text = format!("f 1 2 3 {}\ng x", "\\\n".repeat(4_000_000));
        let mut lines = Lines::new(text.as_bytes());
        assert_eq!(lines.next_line().map(|(_, line)| line.len()), Some("f 1 2 3 ".len() + 4_000_000));
        assert_eq!(lines.next_line().map(|(number, _)| number), Some(4_000_002));
    }

    #[test]
    fn a_continuation_at_the_end_of_the_file_ends_with_it() {
        assert_eq!(lines("f 1 \\"), numbered(&[(1, "f 1  ")]));
    }

    #[test]
    fn comments_never_continue() {
        let text = "# C:\\\nv 1 2 3 # D:\\\nf #\\\nusemtl #1\\\n2";
        let expected = [(1, "# C:\\"), (2, "v 1 2 3 # D:\\"), (3, "f #\\"), (4, "usemtl #1 2")];
        assert_eq!(lines(text), numbered(&expected));
    }
}
