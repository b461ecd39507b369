//! Orientations: three perpendicular axes, and the quaternions that the genetic searches combine.

use crate::math::vector::{Vector, cross, dot, length_squared, offset, scale, unit};

/// Three perpendicular unit vectors (up to rounding), right-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The vectors.
    pub axes: [[f64; 3]; 3],
}

/// Bounds the rounding in [`Columns::distances`], relative to the sum of the sizes of its terms: a difference, a product and
/// two sums, so below four roundings of 2^-53, and as much again for the bound's own.
const ROUNDING: f64 = 1.0 / (1u64 << 50) as f64;

impl Frame {
    /// The axes of space.
    pub const IDENTITY: Self = Self { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// The frame whose first axis is along `first`, and whose second is in the half-plane of `second`;
    /// none where these are parallel or zero.
    pub(super) fn from_directions(first: Vector, second: Vector) -> Option<Self> {
        Self::from_unit(unit(first)?, second)
    }

    /// The same where `x`, the first, has length 1.
    pub(super) fn from_unit(x: Vector, second: Vector) -> Option<Self> {
        let second = unit(second)?;
        let y = offset(second, x, -dot(x, second));
        // Below this nothing is left of the second but rounding.
        if length_squared(y) < 1e-26 {
            return None;
        }
        let y = unit(y)?;
        // Once more, for what cancellation left of the first in the second.
        let y = unit(offset(y, x, -dot(x, y)))?;
        Some(Self { axes: [x, y, cross(x, y)] })
    }

    /// A frame whose first axis is along `first`; none where that is zero.
    pub(super) fn along(first: Vector) -> Option<Self> {
        let x = unit(first)?;
        let least = (0..3).min_by(|&a, &b| x[a].abs().total_cmp(&x[b].abs()))?;
        Self::from_directions(x, Self::IDENTITY.axes[least])
    }

    /// The axes that the quaternion (x, y, z, w) of length 1 turns the axes of space into.
    ///
    /// Of one of any other length but 0, those of its direction.
    pub fn from_quaternion(quaternion: [f64; 4]) -> Self {
        let [x, y, z, w] = normalised(quaternion);
        Self {
            axes: [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
                [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
                [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
            ],
        }
    }

    /// The quaternion (x, y, z, w) of [`from_quaternion`](Self::from_quaternion), up to its sign.
    pub fn quaternion(&self) -> [f64; 4] {
        let [a, b, c] = self.axes;
        // Four times the square of each part; the largest is divided by.
        let squares = [
            1.0 + a[0] - b[1] - c[2],
            1.0 - a[0] + b[1] - c[2],
            1.0 - a[0] - b[1] + c[2],
            1.0 + a[0] + b[1] + c[2],
        ];
        let largest = (1..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
        let root = squares[largest].max(1.0).sqrt();
        let part = |x: f64| 0.5 * x / root;
        match largest {
            0 => [0.5 * root, part(a[1] + b[0]), part(a[2] + c[0]), part(b[2] - c[1])],
            1 => [part(a[1] + b[0]), 0.5 * root, part(b[2] + c[1]), part(c[0] - a[2])],
            2 => [part(a[2] + c[0]), part(b[2] + c[1]), 0.5 * root, part(a[1] - b[0])],
            _ => [part(b[2] - c[1]), part(c[0] - a[2]), part(a[1] - b[0]), 0.5 * root],
        }
    }

    /// The half extents of the box along these axes, centred on the origin, that holds the points: exactly, whether or
    /// not the axes are perpendicular to the last bit (see [`Obb::around`](super::Obb::around)).
    #[inline(always)]
    pub fn half_extents(&self, points: impl Iterator<Item = [f64; 3]>) -> [f64; 3] {
        let columns = Columns::of(self);
        let half_extents = points.fold([0.0; LANES], |most, point| greater(most, columns.distances(point)));
        [half_extents[0], half_extents[1], half_extents[2]]
    }

    /// The point that is so far along each axis.
    pub(crate) fn point(&self, along: Vector) -> Vector {
        self.axes.iter().zip(along).fold([0.0; 3], |point, (axis, along)| offset(point, *axis, along))
    }

    /// The frame with the two axes after `fixed` turned so that the first of them goes to `direction`, a unit
    /// vector in their plane.
    pub(super) fn turned(&self, fixed: usize, [c, s]: [f64; 2]) -> Self {
        let (i, j) = ((fixed + 1) % 3, (fixed + 2) % 3);
        let mut axes = self.axes;
        axes[i] = offset(scale(self.axes[i], c), self.axes[j], s);
        axes[j] = offset(scale(self.axes[j], c), self.axes[i], -s);
        Self { axes }
    }

    /// The frame, made perpendicular again after rounding errors.
    pub(super) fn squared(&self) -> Self {
        Self::from_directions(self.axes[0], self.axes[1]).unwrap_or(*self)
    }
}

/// The axes of a frame, laid out so that compilers make a vector of what is measured along all three. The last lane is not used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns([[f64; LANES]; 3]);

/// Three, filled up.
pub(crate) const LANES: usize = 4;

impl Columns {
    pub(crate) fn of(frame: &Frame) -> Self {
        let [x, y, z] = frame.axes;
        Self([0, 1, 2].map(|i| [x[i], y[i], z[i], 0.0]))
    }

    /// How far a point is along each axis.
    #[inline(always)]
    pub(crate) fn along(&self, point: Vector) -> [f64; LANES] {
        let mut along = [0.0; LANES];
        for (lane, along) in along.iter_mut().enumerate() {
            *along = self.0[0][lane] * point[0] + self.0[1][lane] * point[1] + self.0[2][lane] * point[2];
        }
        along
    }

    /// The distances along each axis of a point with this offset from the centre, rounded up.
    #[inline(always)]
    pub(crate) fn distances(&self, offset: Vector) -> [f64; LANES] {
        let mut distances = [0.0; LANES];
        if offset == [0.0; 3] {
            return distances;
        }
        for (lane, distance) in distances.iter_mut().enumerate() {
            let terms = [0, 1, 2].map(|i| self.0[i][lane] * offset[i]);
            let size = terms[0].abs() + terms[1].abs() + terms[2].abs();
            // The least number covers products that underflow.
            *distance = (terms[0] + terms[1] + terms[2]).abs() + (size * ROUNDING + f64::MIN_POSITIVE);
        }
        distances
    }
}

/// The greater number of each lane.
#[inline(always)]
pub(crate) fn greater(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
    let mut greater = a;
    for (greater, b) in greater.iter_mut().zip(b) {
        *greater = if b > *greater { b } else { *greater };
    }
    greater
}

/// The lesser number of each lane.
#[inline(always)]
pub(crate) fn lesser(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
    let mut lesser = a;
    for (lesser, b) in lesser.iter_mut().zip(b) {
        *lesser = if b < *lesser { b } else { *lesser };
    }
    lesser
}

/// The rotation by `b`, then by `a`.
pub(super) fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The quaternion of length 1 in the direction of `q`, which is not zero.
pub(super) fn normalised(q: [f64; 4]) -> [f64; 4] {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / length)
}

/// The rotation around `axis`, a unit vector, by `angle` radians.
pub(super) fn rotation(axis: Vector, angle: f64) -> [f64; 4] {
    let (s, c) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    [axis[0] * s, axis[1] * s, axis[2] * s, c]
}

/// Of the 24 orientations that have the same box axes as `b`, and both signs of each, the one nearest to `a`.
pub(super) fn nearest_symmetric(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let relative = product([-b[0], -b[1], -b[2], b[3]], a);
    // The cube's rotations, as quaternions, have 1, 2 or 4 parts of equal size: the one that lies nearest has
    // its parts where the largest of `relative` are, with their signs.
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&i, &j| relative[j].abs().total_cmp(&relative[i].abs()));
    let sum = |count: usize| order[..count].iter().map(|&i| relative[i].abs()).sum::<f64>();
    let (one, two, four) = (sum(1), sum(2) * std::f64::consts::FRAC_1_SQRT_2, sum(4) * 0.5);
    let (count, size) = if one >= two && one >= four {
        (1, 1.0)
    } else if two >= four {
        (2, std::f64::consts::FRAC_1_SQRT_2)
    } else {
        (4, 0.5)
    };
    let mut symmetry = [0.0; 4];
    for &i in &order[..count] {
        symmetry[i] = f64::copysign(size, relative[i]);
    }
    product(b, symmetry)
}

/// The smallest of the 24 rotations that give a box the axes of this frame, as a quaternion with w > 0.
pub fn smallest_rotation(frame: &Frame) -> [f64; 4] {
    nearest_symmetric([0.0, 0.0, 0.0, 1.0], frame.quaternion())
}

/// The rotation at `t` on the way from `a` to `b`, at constant speed.
pub(super) fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let cosine = (0..4).map(|i| a[i] * b[i]).sum::<f64>().clamp(-1.0, 1.0);
    let angle = libm::acos(cosine);
    let (from, to) =
        if angle < 1e-6 { (1.0 - t, t) } else { (libm::sin((1.0 - t) * angle), libm::sin(t * angle)) };
    normalised([0, 1, 2, 3].map(|i| from * a[i] + to * b[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::random::Random;

    fn is_orthonormal(frame: &Frame) -> bool {
        let [x, y, z] = frame.axes;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-14;
        near(dot(x, y), 0.0) && near(dot(cross(x, y), z), 1.0) && near(dot(x, x), 1.0) && near(dot(y, y), 1.0)
    }

    #[test]
    fn quaternions_and_frames_are_the_same_rotations() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let q = random.rotation();
            let frame = Frame::from_quaternion(q);
            assert!(is_orthonormal(&frame));
            let back = frame.quaternion();
            let cosine: f64 = (0..4).map(|i| q[i] * back[i]).sum();
            assert!(cosine.abs() > 1.0 - 1e-14);
        }
    }

    #[test]
    fn the_nearest_symmetric_rotation_keeps_the_box_and_is_near() {
        let mut random = Random::new(2);
        for _ in 0..1000 {
            let (a, b) = (random.rotation(), random.rotation());
            let near = nearest_symmetric(a, b);
            let (axes, same) = (Frame::from_quaternion(b).axes, Frame::from_quaternion(near).axes);
            for axis in same {
                assert!(axes.iter().any(|other| dot(axis, *other).abs() > 1.0 - 1e-14));
            }
            // No rotation is farther than 62.8 degrees from all of a cube's.
            let cosine: f64 = (0..4).map(|i| a[i] * near[i]).sum();
            assert!(cosine > 0.853, "{cosine}");
        }
    }

    #[test]
    fn slerp_goes_half_the_way() {
        let a = rotation([0.0, 0.0, 1.0], 0.2);
        let b = rotation([0.0, 0.0, 1.0], 0.6);
        let half = slerp(a, b, 0.5);
        let expected = rotation([0.0, 0.0, 1.0], 0.4);
        assert!((0..4).all(|i| (half[i] - expected[i]).abs() < 1e-15));
        assert!((0..4).all(|i| (slerp(a, a, 0.3)[i] - a[i]).abs() < 1e-15));
    }

    #[test]
    fn parallel_directions_make_no_frame() {
        assert_eq!(Frame::from_directions([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]), None);
        assert_eq!(Frame::along([0.0; 3]), None);
        assert!(is_orthonormal(&Frame::along([1e-40, 2e-40, 0.0]).unwrap()));
        assert!(is_orthonormal(&Frame::from_directions([1.0, 0.0, 0.0], [1.0, 1e-9, 0.0]).unwrap()));
    }
}
