//! How indices become triangles, by the mode of a primitive (glTF 2.0, 3.7.2.1).

pub(super) const POINTS: u64 = 0;
pub(super) const LINES: u64 = 1;
pub(super) const LINE_STRIP: u64 = 3;
pub(super) const TRIANGLES: u64 = 4;
pub(super) const TRIANGLE_STRIP: u64 = 5;
pub(super) const TRIANGLE_FAN: u64 = 6;

/// How many triangles this many indices make.
pub(super) fn triangles(mode: u64, indices: usize) -> usize {
    if mode == TRIANGLES { indices / 3 } else { indices.saturating_sub(2) }
}

/// How many indices are behind the last triangle.
pub(super) fn left_over(mode: u64, indices: usize) -> usize {
    match mode {
        TRIANGLES => indices % 3,
        _ if indices < 3 => indices,
        _ => 0,
    }
}

/// Which indices are the corners of a triangle.
pub(super) fn corners(mode: u64, triangle: usize) -> [usize; 3] {
    match mode {
        TRIANGLE_STRIP => [triangle, triangle + 1 + triangle % 2, triangle + 2 - triangle % 2],
        TRIANGLE_FAN => [triangle + 1, triangle + 2, 0],
        _ => [0, 1, 2].map(|corner| 3 * triangle + corner),
    }
}
