//! STL, binary and ASCII. A file has no vertices, only the corners of its triangles; equal ones become one vertex.

mod ascii;
mod corners;
#[cfg(test)]
mod tests;

use super::error::Fault;
use super::{DataFault, ImportError, Imported, Input, Notes, TEXT_PROBE, foreign};
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
    let mut corners = Corners::default();
    match Binary::of(input.bytes) {
        Some(binary) if binary.is_complete() || !ascii::is_it(input.bytes) => binary.read(&mut corners),
        _ => ascii::read(input.bytes, &mut corners),
    }
    .map_err(|(place, fault)| ImportError::Data { file: input.name.to_owned(), place, fault })?;
    let mut notes = Notes::default();
    if let Some(binary) = Binary::of(input.bytes).filter(|_| !ascii::is_it(input.bytes))
        && binary.rest() > 0
    {
        notes.warnings.push(format!("ignored {} bytes behind the last triangle", binary.rest()));
    }
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

    /// The corners of the triangles that are there completely.
    fn triangles(&self) -> impl Iterator<Item = [[f32; 3]; 3]> {
        let coordinate = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        self.triangles.as_chunks::<TRIANGLE>().0.iter().take(self.claimed as usize).map(move |triangle| {
            let coordinates = triangle[12..48].as_chunks().0;
            [0, 3, 6].map(|at| [0, 1, 2].map(|axis| coordinate(&coordinates[at + axis])))
        })
    }

    fn read(&self, corners: &mut Corners) -> Result<(), Fault> {
        let present = (self.triangles.len() / TRIANGLE).min(self.claimed as usize);
        let place = |triangle: usize| format!("triangle {triangle}");
        if (self.triangles.len() as u64) < self.length() {
            let wanted = format!("the rest of {} triangles", self.claimed);
            return Err((place(present), DataFault::Ends { wanted }));
        }
        corners.reserve(present);
        for (number, triangle) in self.triangles().enumerate() {
            add(triangle, corners).map_err(|fault| (place(number), fault))?;
        }
        Ok(())
    }
}

fn add(triangle: [[f32; 3]; 3], corners: &mut Corners) -> Result<(), DataFault> {
    let mut vertices = [0; 3];
    for (vertex, position) in vertices.iter_mut().zip(triangle) {
        *vertex = corners.vertex(position.map(f64::from))?;
    }
    corners.triangle(vertices)
}

/// Whether this is the start of a binary STL file, or a whole one that lacks its end or has a little behind it. There is no
/// signature: what is there must be possible, and must not look like anything else.
fn is_binary_but_for_length(bytes: &[u8]) -> bool {
    let Some(binary) = Binary::of(bytes) else { return false };
    let is_possible =
        |[a, b, c]: [[f32; 3]; 3]| [a, b, c].as_flattened().iter().all(|x| x.abs() <= MAX_COORDINATE);
    binary.claimed > 0
        && binary.triangles.len() >= TRIANGLE
        && binary.rest() < TRIANGLE as u64
        && foreign::format_of(bytes).is_none()
        && !is_text(&bytes[..bytes.len().min(TEXT_PROBE)])
        && binary.triangles().all(is_possible)
}

/// Whether bytes are a text, in UTF-16 too: every other byte of one is zero.
fn is_text(bytes: &[u8]) -> bool {
    let is_zero_from = |start: usize| bytes.iter().skip(start).step_by(2).all(|&byte| byte == 0);
    !bytes.contains(&0) || is_zero_from(2) || is_zero_from(3)
}
