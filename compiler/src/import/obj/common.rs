//! Files whose lines are all of common kinds, read on all cores.
//!
//! What this reader cannot read exactly as tobj would, errors included, it leaves to the general one.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::ops::Range;

use bvhc_format::MAX_COORDINATE;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::lines::ignored;
use super::vertex;
use crate::import::attributes::{Attribute, Attributes};
use crate::import::text::{Lines, Words};
use crate::import::{Imported, MAX_CORNERS, MAX_COUNT, Notes};
use crate::mesh::Polygons;

/// About how many bytes a thread reads at a time.
const PART: usize = 1 << 20;

/// Reads a file; `None` if a line of it is not common, or wrong.
pub(super) fn read(text: &[u8]) -> Option<Imported> {
    read_in_parts(text, PART)
}

/// The same, in parts of about `size` bytes.
pub(super) fn read_in_parts(text: &[u8], size: usize) -> Option<Imported> {
    if !text.contains(&b'\n') {
        return None;
    }
    let parts: Vec<Part> =
        parts(text, size).into_par_iter().map(|range| Part::read(&text[range])).collect::<Option<_>>()?;
    combine(parts)
}

/// Divides a text behind line ends.
fn parts(text: &[u8], size: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let middle = text.len().min(start + size);
        let mut rest = &text[middle..];
        // On a slice it cannot fail.
        let end = middle + rest.skip_until(b'\n').unwrap_or(0);
        parts.push(start..end);
        start = end;
    }
    parts
}

/// What a part of a file has.
#[derive(Default)]
struct Part {
    positions: Vec<[f32; 3]>,
    /// The corners of faces of three or more corners: vertices counted from 0 in the file, or, if listed in `relative`, from
    /// the first vertex of this part, modulo 2^32.
    corners: Vec<u32>,
    /// Which of `corners` count from the first vertex of this part.
    relative: Vec<u32>,
    /// The end of each face's corners in `corners`.
    ends: Vec<u32>,
    /// The least vertex that negative indices refer to, counted from the first vertex of this part; 0 at most.
    least: i64,
    /// The greatest vertex that any face refers to, counted from 0 in the file.
    greatest: u32,
    /// Names, and the numbers of the faces from which on they apply.
    names: Vec<(u32, Attribute, String)>,
    ignored: BTreeMap<&'static str, u64>,
}

impl Part {
    fn read(text: &[u8]) -> Option<Self> {
        let mut part = Self::default();
        let mut lines = Lines::with_terminator(text, b'\n');
        // Looked for once, as most texts have none.
        let has_returns = text.contains(&b'\r');
        while let Some(line) = lines.next_line() {
            if has_returns && line.contains(&b'\r') {
                return None;
            }
            part.line(line)?;
        }
        Some(part)
    }

    fn line(&mut self, line: &[u8]) -> Option<()> {
        if line.starts_with(b"#") {
            return Some(());
        }
        if line.ends_with(b"\\") {
            return None;
        }
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (keyword, rest) = line.split_at(end);
        match keyword {
            b"v" => self.vertex(rest)?,
            b"f" => self.face(rest)?,
            b"usemtl" => self.name(Attribute::Material, rest.trim_ascii()),
            b"g" => self.name(Attribute::Group, &Words(rest).collect::<Vec<_>>().join(&b' ')),
            b"o" => self.name(Attribute::Object, rest.trim_ascii()),
            _ => {
                if let Some(what) = ignored(keyword) {
                    *self.ignored.entry(what).or_default() += 1;
                }
            }
        }
        Some(())
    }

    /// Three coordinates, and colours or nothing behind them.
    fn vertex(&mut self, numbers: &[u8]) -> Option<()> {
        let mut numbers = Words(numbers).take_while(|word| !word.starts_with(b"#"));
        let mut position = [0.0; 3];
        for x in &mut position {
            *x = vertex::number(numbers.next()?).ok()?;
            if x.is_nan() || x.abs() > MAX_COORDINATE {
                return None;
            }
        }
        let mut more = 0;
        for word in numbers {
            vertex::number(word).ok()?;
            more += 1;
        }
        let has_weight = more == 1;
        if has_weight {
            return None;
        }
        self.positions.push(position);
        Some(())
    }

    fn face(&mut self, corners: &[u8]) -> Option<()> {
        let start = self.corners.len();
        let relative = self.relative.len();
        for word in Words(corners).take_while(|word| !word.starts_with(b"#")) {
            let digits = word.split(|byte| *byte == b'/').next().unwrap_or_default();
            if let Some(digits) = digits.strip_prefix(b"-") {
                let vertex = self.positions.len() as i64 - i64::from(number(digits)?);
                self.least = self.least.min(vertex);
                self.relative.push(self.corners.len() as u32);
                self.corners.push(vertex as u32);
            } else {
                let vertex = number(digits)? - 1;
                self.greatest = self.greatest.max(vertex);
                self.corners.push(vertex);
            }
        }
        if self.corners.len() < start + 3 {
            self.corners.truncate(start);
            self.relative.truncate(relative);
        }
        self.ends.push(u32::try_from(self.corners.len()).ok()?);
        Some(())
    }

    fn name(&mut self, attribute: Attribute, name: &[u8]) {
        self.names.push((self.ends.len() as u32, attribute, String::from_utf8_lossy(name).into_owned()));
    }
}

/// A number from 1 of up to nine digits.
fn number(digits: &[u8]) -> Option<u32> {
    if !(1..=9).contains(&digits.len()) {
        return None;
    }
    let mut number = 0;
    for digit in digits {
        let value = digit.checked_sub(b'0').filter(|value| *value < 10)?;
        number = 10 * number + u32::from(value);
    }
    (number > 0).then_some(number)
}

/// Joins the parts of a file. Vertices are numbered in the order in which faces of three or more corners use them first.
fn combine(parts: Vec<Part>) -> Option<Imported> {
    let vertices: usize = parts.iter().map(|part| part.positions.len()).sum();
    let faces: usize = parts.iter().map(|part| part.ends.len()).sum();
    let corners: usize = parts.iter().map(|part| part.corners.len()).sum();
    let greatest = parts.iter().filter(|part| !part.ends.is_empty()).map(|part| part.greatest).max()?;
    let is_too_much = vertices as u64 > MAX_COUNT || faces as u64 > MAX_COUNT || corners as u64 > MAX_CORNERS;
    if is_too_much || corners == 0 || greatest as usize >= vertices {
        return None;
    }
    let mut positions = Vec::with_capacity(vertices);
    let mut all = Vec::with_capacity(corners);
    let mut ends = Vec::with_capacity(faces);
    let mut attributes = Attributes::default();
    let mut ignored: BTreeMap<&'static str, u64> = BTreeMap::new();
    for mut part in parts {
        let (first, first_corner, first_face) = (positions.len(), all.len() as u32, ends.len() as u32);
        if first as i64 + part.least < 0 {
            return None;
        }
        for relative in part.relative {
            let corner = &mut part.corners[relative as usize];
            *corner = corner.wrapping_add(first as u32);
        }
        let mut face = 0;
        for (start, attribute, name) in part.names {
            // The faces before this name have the names before it.
            if start > face {
                attributes.face(first_face + face);
            }
            face = start;
            attributes.set(attribute, name);
        }
        if part.ends.len() as u32 > face {
            attributes.face(first_face + face);
        }
        for (what, count) in part.ignored {
            *ignored.entry(what).or_default() += count;
        }
        positions.append(&mut part.positions);
        all.append(&mut part.corners);
        ends.extend(part.ends.iter().map(|end| first_corner + end));
    }
    let (names, face_runs) = attributes.finish();
    let polygons = Polygons {
        positions: by_first_use(&positions, &mut all),
        source_vertices: vertices as u64,
        corners: all,
        ends,
        names,
        face_runs,
        reversals: Vec::new(),
    };
    Some(Imported { polygons, inputs: Vec::new(), notes: Notes { ignored, ..Notes::default() } })
}

/// The positions that corners refer to, in the order of first use, to which the corners are changed.
fn by_first_use(positions: &[[f32; 3]], corners: &mut [u32]) -> Vec<[f32; 3]> {
    const UNUSED: u32 = u32::MAX;
    let mut numbers = vec![UNUSED; positions.len()];
    let mut used = Vec::with_capacity(positions.len());
    for corner in corners {
        let number = &mut numbers[*corner as usize];
        if *number == UNUSED {
            *number = used.len() as u32;
            used.push(positions[*corner as usize]);
        }
        *corner = *number;
    }
    used
}

#[cfg(test)]
mod tests {
    use super::super::{by_tobj, read as read_any};
    use super::*;
    use crate::import::Input;

    /// Lines of all kinds, common and not.
    const LINES: [&str; 41] = [
        "v 0 0 0",
        "v 1 0.5 -2e-3",
        "v  1\t2 3 ",
        "v 1 2 3 0.5 0.5 0.5",
        "v 1 2 3 1 1 # colour",
        "v 4 5 6 # a comment",
        "v 4 5 6 2",
        "v +.5 1. 1E2",
        "v inf 0 0",
        "v nan 0 0",
        "v 1e39 0 0",
        "v 2e18 0 0",
        "v 1 2",
        "v 1 2 x",
        "v 1e-60 -0 0",
        "v 1 2 3 x",
        "v 1 2 3 0.5 x 0.5",
        "v 1 2 3 1 1 nan # x",
        "v 1 2 3\rv 4 5 6",
        "# \rf 1 2 3",
        "f 1 2 3",
        "f 1/1 2/2/2 3//3 4",
        "f -1 -2 -3",
        "f 2 -1 1 3 -2",
        "f 1 2",
        "f -1",
        "f",
        "f 3 2 1 # tail",
        "f 0 1 2",
        "f 1 2 99999",
        "f -99 1 2",
        "f 00000000001 2 3",
        "f +1 2 3",
        "f 1 2 a",
        "usemtl red",
        "usemtl",
        "g a  b",
        "o thing",
        "l 1 2",
        "# C:\\",
        "o x\\",
    ];

    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize
    }

    /// Whatever it reads, it reads as tobj does: random files of lines of all kinds, in parts of any size.
    #[test]
    fn it_agrees_with_tobj() {
        let mut state = 1;
        let mut common = 0;
        for trial in 0..20_000 {
            // Most trials have few kinds of lines, so that many files have no uncommon one.
            let kinds: Vec<&str> =
                (0..1 + random(&mut state) % 8).map(|_| LINES[random(&mut state) % LINES.len()]).collect();
            let ends = ["\n", "\r\n", " \n", "\n\n"][random(&mut state) % 4];
            let mut text: String =
                (0..4).map(|_| format!("{}{ends}", LINES[random(&mut state) % 3])).collect();
            for _ in 0..random(&mut state) % 12 {
                text += &format!("{}{ends}", kinds[random(&mut state) % kinds.len()]);
            }
            let expected = by_tobj(&Input::new(text.as_bytes(), "a"));
            for size in [1, 20, 1 << 20] {
                if let Some(found) = read_in_parts(text.as_bytes(), size) {
                    common += 1;
                    assert_eq!(Ok(&found), expected.as_ref(), "{trial}, {size}: {text:?}");
                }
            }
        }
        assert!(common > 5_000, "only {common} were common");
    }

    #[test]
    fn common_files_are_read_without_tobj() {
        let text =
            "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nusemtl b\nf 1//1 2//1 3//1\nf -3 -2 -1\ns off\n";
        assert_eq!(read(text.as_bytes()), Some(read_any(&Input::new(text.as_bytes(), "a")).unwrap()));
    }

    #[test]
    fn parts_end_behind_lines() {
        assert_eq!(parts(b"ab\ncd\n\nef", 1), [0..3, 3..6, 6..9]);
        assert_eq!(parts(b"ab\ncd\n\nef", 100).len(), 1);
        assert_eq!(parts(b"", 1), []);
    }
}
