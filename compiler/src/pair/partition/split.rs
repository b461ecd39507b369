//! Where sets of triangles are split in two, and the splitting.

use crate::math::vector::{Vector, dot};

/// A triangle on its way to a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) corners: [[f32; 3]; 3],
    pub(crate) number: u32,
}

impl Triangle {
    /// Numbers triangles, given their corners.
    pub(crate) fn number(corners: &[[[f32; 3]; 3]]) -> Vec<Self> {
        (0..).zip(corners).map(|(number, corners)| Self { corners: *corners, number }).collect()
    }

    /// Three times the centre.
    #[inline]
    pub(super) fn centre(&self) -> Vector {
        let [a, b, c] = self.corners.map(|corner| corner.map(f64::from));
        [0, 1, 2].map(|i| a[i] + b[i] + c[i])
    }
}

/// How a set is split. Places are values of three times the centre along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Split {
    /// Left are those in the first of some bins.
    Bins { bins: Bins, left: i32 },
    /// Left are those below an offset.
    Below { direction: Vector, offset: f64 },
    /// Left are the first so many, by offset and then by number.
    First { direction: Vector, left: usize },
}

/// Intervals of the same length along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bins {
    pub(super) direction: Vector,
    pub(super) low: f64,
    /// Bins a unit.
    pub(super) scale: f64,
    pub(super) count: i32,
}

impl Bins {
    /// The bin of an offset; those beyond the ends are in the last there.
    #[inline(always)]
    pub(super) fn bin(&self, offset: f64) -> i32 {
        // Small numbers, which compilers make vectors of.
        (((offset - self.low) * self.scale) as i32).clamp(0, self.count - 1)
    }
}

/// Reused scratch.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    right: Vec<Triangle>,
    offsets: Vec<(f64, u32)>,
}

impl Split {
    /// Puts the left triangles first, keeps the order on both sides, and returns how many are left.
    pub(super) fn apply(&self, triangles: &mut [Triangle], scratch: &mut Scratch) -> usize {
        let right = &mut scratch.right;
        match *self {
            Self::Bins { bins, left } => {
                partition(triangles, right, |t| bins.bin(dot(bins.direction, t.centre())) < left)
            }
            Self::Below { direction, offset } => {
                partition(triangles, right, |t| dot(direction, t.centre()) < offset)
            }
            Self::First { direction, left } => {
                let offset = |t: &Triangle| (dot(direction, t.centre()), t.number);
                scratch.offsets.clear();
                scratch.offsets.extend(triangles.iter().map(offset));
                let (_, first_right, _) = scratch.offsets.select_nth_unstable_by(left, by_offset);
                partition(triangles, right, |t| by_offset(&offset(t), first_right).is_lt())
            }
        }
    }
}

/// The order of offsets with numbers.
fn by_offset(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

fn partition(
    triangles: &mut [Triangle],
    right: &mut Vec<Triangle>,
    is_left: impl Fn(&Triangle) -> bool,
) -> usize {
    right.clear();
    let mut left = 0;
    for index in 0..triangles.len() {
        let triangle = triangles[index];
        if is_left(&triangle) {
            triangles[left] = triangle;
            left += 1;
        } else {
            right.push(triangle);
        }
    }
    triangles[left..].copy_from_slice(right);
    left
}
