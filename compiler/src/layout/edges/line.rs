//! Edges that lie on the same line, exactly, and which of these cover an edge.
//!
//! A line has a direction, whole numbers without a common divisor, and a moment, the cross product of any of its points
//! and the direction: two edges are on one line if both are equal. Coordinates are whole numbers of the finest unit of an
//! edge's ends, if these take at most 60 bits; others are on no line. Along a line, the largest component of the direction
//! orders points, and their coordinates are f32: nothing is rounded.

use std::ops::Range;

use super::{Corners, Half};

/// The most edges that are looked at for one that they may cover.
const MOST_BESIDE: usize = 4096;

/// The most bits of coordinates.
const MOST_BITS: i32 = 60;

/// A number as an odd (or zero) factor and a power of two.
type Dyadic = (i128, i32);

/// A line: its direction, the first component that is not zero being positive, and its moment.
type Line = ([i64; 3], [Dyadic; 3]);

/// An edge on a line.
#[derive(Clone, Copy)]
struct Part {
    half: Half,
    /// The coordinates of its ends on the axis that orders points, ascending.
    ends: [f32; 2],
    /// Whether the triangle goes along the line's direction.
    is_forward: bool,
}

/// Calls `visit` with each edge of a single triangle that lies, from end to end, on others that go the other way, and with
/// the triangles of all these.
pub(super) fn beside(
    triangles: &[Corners],
    open: &[Half],
    mut visit: impl FnMut(&Half, &mut dyn Iterator<Item = u32>),
) {
    let mut parts: Vec<(Line, Part)> = open.iter().filter_map(|half| part(triangles, half)).collect();
    let key = |(line, part): &(Line, Part)| (*line, part.is_forward, part.half);
    parts.sort_unstable_by_key(key);
    for on_line in parts.chunk_by(|a, b| a.0 == b.0) {
        let of = |is_forward: bool| {
            let mut parts: Vec<Part> =
                on_line.iter().map(|(_, part)| *part).filter(|part| part.is_forward == is_forward).collect();
            parts.sort_by(|a, b| a.ends[0].total_cmp(&b.ends[0]));
            parts
        };
        let sides = [of(true), of(false)];
        for (side, others) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
            let others = Side::new(others);
            for part in side {
                if let Some(covering) = others.covering(part) {
                    visit(&part.half, &mut others.beside(covering, part));
                }
            }
        }
    }
}

/// The parts of a line whose triangles go the same way, ascending by their first ends.
struct Side<'a> {
    parts: &'a [Part],
    /// The farthest end of each part and those before it.
    farthest: Vec<f32>,
}

impl<'a> Side<'a> {
    fn new(parts: &'a [Part]) -> Self {
        let mut most = f32::NEG_INFINITY;
        let farthest = parts.iter().map(|part| {
            most = most.max(part.ends[1]);
            most
        });
        Self { farthest: farthest.collect(), parts }
    }

    /// The range of parts among which those beside a part are, if they are beside all of it.
    fn covering(&self, part: &Part) -> Option<Range<usize>> {
        let [first, last] = part.ends;
        let start = self.farthest.partition_point(|end| *end <= first);
        let mut up_to = first;
        let mut end = start;
        for other in self.parts[start..].iter().take_while(|other| other.ends[0] < last) {
            if end - start == MOST_BESIDE || other.ends[0] > up_to {
                return None;
            }
            up_to = up_to.max(other.ends[1]);
            end += 1;
        }
        (up_to >= last).then_some(start..end)
    }

    /// The triangles of the parts in a range that have more than a point in common with a part.
    fn beside(&self, range: Range<usize>, part: &Part) -> impl Iterator<Item = u32> {
        let first = part.ends[0];
        self.parts[range].iter().filter(move |other| other.ends[1] > first).map(|other| other.half.triangle)
    }
}

/// An edge and its line, if its coordinates are not too far apart.
fn part(triangles: &[Corners], half: &Half) -> Option<(Line, Part)> {
    let corners = triangles[half.triangle as usize];
    let (a, b) = (corners[usize::from(half.edge)], corners[usize::from(half.edge + 1) % 3]);
    let unit = a.iter().chain(&b).filter_map(|x| decoded(*x)).map(|(_, exponent)| exponent).min()?;
    let whole = |x: &f32| match decoded(*x) {
        None => Some(0),
        Some((mantissa, exponent)) if exponent - unit <= MOST_BITS - 24 => {
            Some(mantissa << (exponent - unit))
        }
        _ => None,
    };
    let point = |p: [f32; 3]| Some([whole(&p[0])?, whole(&p[1])?, whole(&p[2])?]);
    let (p, q) = (point(a)?, point(b)?);
    let along = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let divisor = along.iter().fold(0, |divisor, x| gcd(divisor, x.unsigned_abs()));
    // Equal numbers that differ in the sign of zero.
    if divisor == 0 {
        return None;
    }
    let is_forward = *along.iter().find(|x| **x != 0)? > 0;
    let sign = if is_forward { 1 } else { -1 };
    let direction = along.map(|x| sign * (x / divisor as i64));
    let moment = |i: usize, j: usize| {
        let product = |k: usize, l: usize| i128::from(p[k]) * i128::from(direction[l]);
        reduced(product(i, j) - product(j, i), unit)
    };
    let axis = (0..3).max_by_key(|axis| direction[*axis].unsigned_abs())?;
    let ends = [a[axis].min(b[axis]), a[axis].max(b[axis])];
    let line = (direction, [moment(1, 2), moment(2, 0), moment(0, 1)]);
    Some((line, Part { half: *half, ends, is_forward }))
}

/// A number that is not zero, as an odd factor and a power of two.
fn decoded(x: f32) -> Option<(i64, i32)> {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 23 & 0xff) as i32, i64::from(bits & 0x7f_ffff));
    let mantissa = if field == 0 { fraction } else { fraction | 0x80_0000 };
    if mantissa == 0 {
        return None;
    }
    let zeros = mantissa.trailing_zeros();
    let factor = mantissa >> zeros;
    Some((if x < 0.0 { -factor } else { factor }, field.max(1) - 150 + zeros as i32))
}

fn reduced(number: i128, unit: i32) -> Dyadic {
    if number == 0 {
        return (0, 0);
    }
    let zeros = number.trailing_zeros();
    (number >> zeros, unit + zeros as i32)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
