//! ASCII STL: solids of facets. Keywords are in any case, and any blanks separate words.

use super::corners::Corners;
use crate::import::DataFault;
use crate::import::error::Fault;
use crate::import::text::{Lines, Words, number, shown, unexpected};
use crate::import::without_mark;

/// How far into a file its first facet must begin, for the file to be recognised.
const PROBE: usize = 1024;

/// The words between `facet` and `outer`: `normal` and its coordinates. Some files lack them, or have `nan` there.
const MOST_NORMAL_WORDS: usize = 4;

/// Whether bytes that begin so are a text of solids.
pub(super) fn is_it(bytes: &[u8]) -> bool {
    let text = without_mark(bytes).trim_ascii_start();
    let probe = &text[..text.len().min(PROBE)];
    let mut words = Words(probe);
    // The number of triangles of a binary file has a zero byte, unless there are 2^24.
    !probe.contains(&0)
        && words.next().is_some_and(|word| is(word, "solid"))
        && words.any(|word| is(word, "facet") || is(word, "endsolid"))
}

/// Reads all solids. The name of one is the name of an object.
pub(super) fn read(bytes: &[u8], corners: &mut Corners) -> Result<(), Fault> {
    let mut reader = Reader { lines: Lines::new(without_mark(bytes)), words: Words(b"") };
    reader.solids(corners).map_err(|fault| (format!("line {}", reader.lines.number().max(1)), fault))
}

fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

/// Reads words across lines.
struct Reader<'a> {
    lines: Lines<'a>,
    /// Those left in the last line.
    words: Words<'a>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            self.words = Words(self.lines.next_line()?);
        }
    }

    fn word(&mut self, wanted: &str) -> Result<&'a [u8], DataFault> {
        self.next().ok_or_else(|| DataFault::Ends { wanted: wanted.to_owned() })
    }

    fn expect(&mut self, keyword: &str) -> Result<(), DataFault> {
        let wanted = || format!("`{keyword}`");
        let word = self.next().ok_or_else(|| DataFault::Ends { wanted: wanted() })?;
        if is(word, keyword) { Ok(()) } else { Err(unexpected(&shown(word), &wanted())) }
    }

    fn rest_of_line(&mut self) -> &'a [u8] {
        std::mem::replace(&mut self.words, Words(b"")).0.trim_ascii()
    }

    fn solids(&mut self, corners: &mut Corners) -> Result<(), DataFault> {
        while let Some(word) = self.next() {
            if !is(word, "solid") {
                return Err(unexpected(&shown(word), "`solid`"));
            }
            corners.object(&String::from_utf8_lossy(self.rest_of_line()));
            self.facets(corners)?;
        }
        Ok(())
    }

    fn facets(&mut self, corners: &mut Corners) -> Result<(), DataFault> {
        const WANTED: &str = "`facet` or `endsolid`";
        loop {
            let word = self.word(WANTED)?;
            if is(word, "endsolid") {
                self.rest_of_line();
                return Ok(());
            }
            if !is(word, "facet") {
                return Err(unexpected(&shown(word), WANTED));
            }
            self.skip_normal()?;
            let vertices = self.corners(corners)?;
            self.end_facet()?;
            corners.triangle(vertices)?;
        }
    }

    fn skip_normal(&mut self) -> Result<(), DataFault> {
        const WANTED: &str = "`outer loop`";
        for _ in 0..MOST_NORMAL_WORDS {
            if is(self.word(WANTED)?, "outer") {
                return self.expect("loop");
            }
        }
        self.expect("outer")?;
        self.expect("loop")
    }

    fn corners(&mut self, corners: &mut Corners) -> Result<[u32; 3], DataFault> {
        let mut vertices = [0; 3];
        for (found, vertex) in vertices.iter_mut().enumerate() {
            let word = self.word("`vertex`")?;
            if is(word, "endloop") {
                return Err(not_a_triangle(&format!("{found} corners")));
            }
            if !is(word, "vertex") {
                return Err(unexpected(&shown(word), "`vertex`"));
            }
            *vertex = corners.vertex([self.number()?, self.number()?, self.number()?])?;
        }
        Ok(vertices)
    }

    fn number(&mut self) -> Result<f64, DataFault> {
        number(self.word("a number")?)
    }

    fn end_facet(&mut self) -> Result<(), DataFault> {
        let word = self.word("`endloop`")?;
        if is(word, "vertex") {
            return Err(not_a_triangle("more than three corners"));
        }
        if !is(word, "endloop") {
            return Err(unexpected(&shown(word), "`endloop`"));
        }
        self.expect("endfacet")
    }
}

fn not_a_triangle(corners: &str) -> DataFault {
    DataFault::Rule(format!("a facet of {corners}; the facets of STL are triangles"))
}
