//! The line filter before tobj.
//!
//! tobj reads the file through this filter, which passes on one clean logical line at a time and withholds everything
//! that is neither a vertex nor a polygon. So tobj sees a single model without names, colours or materials, and if it
//! fails, the filter knows the line.

use super::lines::{Lines, ignored};
use super::{face, vertex};
use crate::import::attributes::{Attribute, Attributes};
use crate::import::text::Words;
use crate::import::{Counted, LineFault, MAX_CORNERS, MAX_COUNT};
use std::collections::BTreeMap;
use std::io::{self, BufRead, ErrorKind, Read};

/// A `BufRead` of clean lines, which also collects what it withholds.
pub(super) struct Filter<'a> {
    lines: Lines<'a>,
    /// The clean line, and how much of it tobj has consumed.
    line: Vec<u8>,
    taken: usize,
    /// The number of the source line that `line` was made from.
    pub(super) number: u64,
    /// What stopped the filter.
    pub(super) fault: Option<LineFault>,
    pub(super) vertices: u64,
    pub(super) faces: u64,
    corners: u64,
    /// The largest valid vertex index.
    greatest_allowed: i64,
    /// The largest vertex index used.
    greatest: i64,
    /// The numbers of faces with fewer than three corners, which are withheld from tobj.
    pub(super) short_faces: Vec<u32>,
    pub(super) attributes: Attributes,
    /// How many elements of each kind are no faces.
    pub(super) ignored: BTreeMap<&'static str, u64>,
}

impl<'a> Filter<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            lines: Lines::new(text),
            line: Vec::new(),
            taken: 0,
            number: 0,
            fault: None,
            vertices: 0,
            faces: 0,
            corners: 0,
            greatest_allowed: i64::MAX,
            greatest: 0,
            short_faces: Vec::new(),
            attributes: Attributes::default(),
            ignored: BTreeMap::new(),
        }
    }

    /// Whether a face refers to a vertex that does not exist.
    pub(super) fn has_dangling_index(&self) -> bool {
        self.greatest > self.vertices as i64
    }

    /// Finds the first line of `text` that refers to a vertex which is nowhere in it.
    pub(super) fn find_dangling_index(text: &'a [u8]) -> Option<(u64, LineFault)> {
        // A face may refer to a vertex further down, behind lines at fault, which is one even if it is at fault itself.
        let mut all = Self::new(text);
        while !matches!(all.advance(), Ok(false)) {}
        let mut filter = Self::new(text);
        filter.greatest_allowed = all.vertices as i64;
        while matches!(filter.advance(), Ok(true)) {}
        filter.fault.map(|fault| (filter.number, fault))
    }

    /// The number in the current line that made tobj fail, if the line is a vertex and that was the reason.
    pub(super) fn blame(&self) -> Option<LineFault> {
        self.line.starts_with(b"v").then(|| vertex::blame(&self.line)).flatten()
    }

    /// Advances to the next logical line; false at the end. A withheld line becomes empty.
    fn advance(&mut self) -> Result<bool, LineFault> {
        self.line.clear();
        self.taken = 0;
        let Some((number, line)) = self.lines.next_line() else {
            return Ok(false);
        };
        self.number = number;
        let done = self.take(&line);
        if let Err(fault) = &done {
            self.line.clear();
            self.fault = Some(fault.clone());
        }
        done.map(|()| true)
    }

    fn take(&mut self, line: &[u8]) -> Result<(), LineFault> {
        // What is behind it may be lines of a file whose parts end their lines in different ways.
        if line.contains(&b'\r') {
            return Err(LineFault::CarriageReturn);
        }
        let end = line.iter().position(u8::is_ascii_whitespace);
        let (keyword, rest) = line.split_at(end.unwrap_or(line.len()));
        match keyword {
            b"v" => return self.vertex(rest),
            b"f" => return self.face(rest),
            b"usemtl" => self.name(Attribute::Material, rest.trim_ascii()),
            b"g" => self.name(Attribute::Group, &Words(rest).collect::<Vec<_>>().join(&b' ')),
            b"o" => self.name(Attribute::Object, rest.trim_ascii()),
            _ => {
                if let Some(what) = ignored(keyword) {
                    *self.ignored.entry(what).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    fn name(&mut self, attribute: Attribute, name: &[u8]) {
        self.attributes.set(attribute, String::from_utf8_lossy(name).into_owned());
    }

    fn vertex(&mut self, numbers: &[u8]) -> Result<(), LineFault> {
        self.vertices += 1;
        vertex::rewrite(numbers, &mut self.line)?;
        at_most(self.vertices, MAX_COUNT, Counted::Vertices)
    }

    fn face(&mut self, corners: &[u8]) -> Result<(), LineFault> {
        let above = self.vertices as i64;
        let face = face::rewrite(corners, above, self.greatest_allowed, &mut self.line)?;
        let number = self.faces as u32;
        self.faces += 1;
        self.corners += face.corners;
        at_most(self.faces, MAX_COUNT, Counted::Faces)?;
        at_most(self.corners, MAX_CORNERS, Counted::Corners)?;
        self.greatest = self.greatest.max(face.greatest);
        self.attributes.face(number);
        if face.corners < 3 {
            self.line.clear();
            self.short_faces.push(number);
        }
        Ok(())
    }
}

fn at_most(count: u64, limit: u64, counted: Counted) -> Result<(), LineFault> {
    if count > limit {
        return Err(LineFault::TooMany { counted, limit });
    }
    Ok(())
}

impl BufRead for Filter<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.line.len() {
            // tobj does not propagate the error; `fault` holds it.
            if !self.advance().map_err(|_| ErrorKind::InvalidData)? {
                break;
            }
        }
        Ok(&self.line[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount;
    }
}

impl Read for Filter<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let amount = self.fill_buf()?.read(buffer)?;
        self.consume(amount);
        Ok(amount)
    }
}
