//! STL, binary and ASCII. A file has no vertices, only the corners of its triangles; equal ones become one vertex.

mod ascii;
mod corners;
#[cfg(test)]
mod tests;

use super::error::Fault;
use super::{DataFault, ImportError, Imported, Input, Notes, TEXT_PROBE, foreign};
use crate::count::counted;
use bvhc_format::MAX_COORDINATE;
use bvhc_format::header::MAGIC;
use corners::Corners;

/// The bytes of a binary file before its number of triangles, which mean nothing.
const HEADER: usize = 80;

/// The bytes of a triangle: its normal, its corners, and two more that mean nothing.
const TRIANGLE: usize = 50;

/// Whether bytes are a binary file by their length, whatever the header says. No text is: where the number of triangles stands, it
/// has one of billions.
pub(super) fn is_complete(bytes: &[u8]) -> bool {
    !bytes.starts_with(&MAGIC) && Binary::of(bytes).is_some_and(|binary| binary.is_complete())
}

/// Whether bytes that begin so are ASCII, or binary by what is there although the length is another one.
pub(super) fn is_it(bytes: &[u8]) -> bool {
    !bytes.starts_with(&MAGIC) && (ascii::is_it(bytes) || is_binary_but_for_length(bytes))
}

/// Reads an STL file. A face is a triangle, numbered in order from 0.
pub(super) fn read(input: &Input<'_>) -> Result<Imported, ImportError> {
    let (mut corners, mut notes) = (Corners::default(), Notes::default());
    match Binary::of(input.bytes) {
        Some(binary) if binary.is_complete() || !ascii::is_it(input.bytes) => {
            binary.read(&mut corners, &mut notes)
        }
        _ => ascii::read(input.bytes, &mut corners),
    }
    .map_err(|(place, fault)| ImportError::Data { file: input.name.to_owned(), place, fault })?;
    Ok(Imported { polygons: corners.finish(input.name)?, inputs: Vec::new(), notes })
}

/// A binary file, or the start of one.
struct Binary<'a> {
    /// How many triangles it should have.
    claimed: u32,
    triangles: &'a [u8],
}

impl<'a> Binary<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let (count, triangles) = bytes.get(HEADER..)?.split_first_chunk()?;
        Some(Self { claimed: u32::from_le_bytes(*count), triangles })
    }

    /// How many bytes its triangles should have.
    fn length(&self) -> u64 {
        TRIANGLE as u64 * u64::from(self.claimed)
    }

    fn is_complete(&self) -> bool {
        self.triangles.len() as u64 == self.length()
    }

    /// How many bytes are behind its triangles.
    fn rest(&self) -> u64 {
        (self.triangles.len() as u64).saturating_sub(self.length())
    }

    /// Whether the number of triangles is one that programs write which do not know it before the end.
    fn is_uncounted(&self) -> bool {
        [0, u32::MAX].contains(&self.claimed) && !self.triangles.is_empty()
    }

    /// The triangles that are there completely, at most as many as there should be.
    fn triangles(&self) -> impl Iterator<Item = Triangle> {
        let most = if self.is_uncounted() { usize::MAX } else { self.claimed as usize };
        self.triangles.as_chunks().0.iter().take(most).map(Triangle::of)
    }

    fn read(&self, corners: &mut Corners, notes: &mut Notes) -> Result<(), Fault> {
        let room = self.triangles.len() / TRIANGLE;
        let place = |triangle: usize| format!("triangle {triangle}");
        let rest = if self.is_uncounted() {
            let warning =
                format!("the file claims {} triangles; took the {room} that are there", self.claimed);
            notes.warnings.push(warning);
            (self.triangles.len() % TRIANGLE) as u64
        } else if (self.triangles.len() as u64) < self.length() {
            let wanted = format!("the rest of {} triangles", self.claimed);
            return Err((place(room), DataFault::Ends { wanted }));
        } else if self.has_room_for_more() {
            let found = format!("the number of triangles {}", self.claimed);
            let wanted = format!("{room}, by the length of the file,");
            return Err((format!("byte {HEADER}"), DataFault::Unexpected { found, wanted }));
        } else {
            self.rest()
        };
        if rest > 0 {
            notes.warnings.push(format!("ignored {} behind the last triangle", counted(rest, "byte")));
        }
        corners.reserve(self.triangles().size_hint().0);
        for (number, triangle) in self.triangles().enumerate() {
            add(triangle.corners, corners).map_err(|fault| (place(number), fault))?;
        }
        Ok(())
    }

    fn has_room_for_more(&self) -> bool {
        self.rest() >= TRIANGLE as u64
    }
}

/// A triangle of a binary file.
struct Triangle {
    normal: [f32; 3],
    corners: [[f32; 3]; 3],
}

impl Triangle {
    fn of(bytes: &[u8; TRIANGLE]) -> Self {
        let numbers = bytes.as_chunks().0;
        let vector = |at: usize| [0, 1, 2].map(|axis| f32::from_le_bytes(numbers[3 * at + axis]));
        Self { normal: vector(0), corners: [1, 2, 3].map(vector) }
    }

    /// Whether its corners may be those of a model.
    fn is_possible(&self) -> bool {
        self.corners.as_flattened().iter().all(|x| x.abs() <= MAX_COORDINATE)
    }

    /// Whether its normal is one as programs write them: of length one, zero where they leave it out, or not a number where there
    /// is none.
    fn has_usual_normal(&self) -> bool {
        let squared: f32 = self.normal.iter().map(|x| x * x).sum();
        squared == 0.0 || squared.is_nan() || (squared - 1.0).abs() < 0.1
    }
}

fn add(triangle: [[f32; 3]; 3], corners: &mut Corners) -> Result<(), DataFault> {
    let mut vertices = [0; 3];
    for (vertex, position) in vertices.iter_mut().zip(triangle) {
        *vertex = corners.vertex(position.map(f64::from))?;
    }
    corners.triangle(vertices)
}

/// Whether this is the start of a binary STL file, or a whole one that lacks its end, has more behind it or does not say how many
/// triangles it has. There is no signature: what is there must be possible, and must not look like anything else.
fn is_binary_but_for_length(bytes: &[u8]) -> bool {
    let Some(binary) = Binary::of(bytes) else { return false };
    let is_counted = !binary.is_uncounted() && !binary.has_room_for_more();
    let is_not_zero = |triangle: Triangle| triangle.corners.as_flattened().iter().any(|&x| x != 0.0);
    binary.triangles.len() >= TRIANGLE
        && foreign::format_of(bytes).is_none()
        && !is_text(&bytes[..bytes.len().min(TEXT_PROBE)])
        && binary.triangles().all(|triangle| triangle.is_possible())
        && (is_counted
            || binary.triangles().all(|triangle| triangle.has_usual_normal())
                && binary.triangles().any(is_not_zero))
}

/// Whether bytes are a text, in UTF-16 too: every other byte of one is zero.
fn is_text(bytes: &[u8]) -> bool {
    let is_zero_from = |start: usize| bytes.iter().skip(start).step_by(2).all(|&byte| byte == 0);
    !bytes.contains(&0) || is_zero_from(2) || is_zero_from(3)
}
