//! `f` lines.

use super::vertex::lossy;
use crate::import::LineFault;
use crate::import::text::Words;
use std::io::Write;

/// What [`rewrite`] found out about a face.
pub(super) struct Face {
    /// How many corners it has.
    pub(super) corners: u64,
    /// The greatest vertex index among them, from 1; 0 if there is no corner.
    pub(super) greatest: i64,
}

/// Rewrites a face's corners as a line that tobj reads: vertex indices only, all of them positive.
///
/// `above` is the number of vertices before the line, which negative indices are relative to; `vertices` is the number
/// in the file, as far as known.
pub(super) fn rewrite(
    corners: &[u8],
    above: i64,
    vertices: i64,
    line: &mut Vec<u8>,
) -> Result<Face, LineFault> {
    let mut face = Face { corners: 0, greatest: 0 };
    line.push(b'f');
    for word in Words(corners).take_while(|word| !word.starts_with(b"#")) {
        let digits = word.split(|&byte| byte == b'/').next().unwrap_or_default();
        let found = index(digits).ok_or_else(|| LineFault::Index { found: lossy(word) })?;
        let vertex = resolve(found, above, vertices, digits)?;
        line.push(b' ');
        if found > 0 {
            line.extend_from_slice(digits);
        } else {
            // Writing to a vector cannot fail.
            let _ = write!(line, "{vertex}");
        }
        face.corners += 1;
        face.greatest = face.greatest.max(vertex);
    }
    line.push(b'\n');
    Ok(face)
}

/// The vertex, from 1, that an index refers to, given also as it is written.
fn resolve(found: i64, above: i64, vertices: i64, written: &[u8]) -> Result<i64, LineFault> {
    let (vertex, vertices) =
        if found < 0 { (above.saturating_add(found).saturating_add(1), above) } else { (found, vertices) };
    if found == 0 {
        return Err(LineFault::IndexZero);
    }
    if vertex < 1 || vertex > vertices {
        let vertices = vertices as u64;
        return Err(LineFault::IndexOutOfRange { found: lossy(written), vertices });
    }
    Ok(vertex)
}

/// Parses an integer, saturating on overflow.
fn index(digits: &[u8]) -> Option<i64> {
    let (negative, digits) = match digits {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0i64, |value, &digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    Some(if negative { -value } else { value })
}
