//! The position and orientation of one model in the space of another.
//!
//! Rotations are made from quaternions, without trigonometry, so that they are the same on every machine.

use crate::random::Random;

/// A rotation, and a translation after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The matrix by rows, orthonormal to rounding.
    pub rotation: [[f64; 3]; 3],
    /// The image of the origin.
    pub translation: [f64; 3],
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self =
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    /// The same pose, from the runtime's.
    pub fn of_query(pose: &bvhc_runtime::Pose) -> Self {
        Self { rotation: pose.rotation(), translation: pose.translation() }
    }

    /// The same pose, for queries.
    ///
    /// Panics where the matrix is not a rotation.
    pub fn for_query(&self) -> bvhc_runtime::Pose {
        bvhc_runtime::Pose::from_rows(self.rotation, self.translation).expect("a pose of the tests")
    }

    /// A rotation around the origin.
    pub fn turned(rotation: [[f64; 3]; 3]) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// A translation.
    pub fn shifted(translation: [f64; 3]) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// The pose with this rotation that takes `from` to `to`, up to rounding.
    pub fn taking(rotation: [[f64; 3]; 3], from: [f64; 3], to: [f64; 3]) -> Self {
        let turned = rotation.map(|row| row[0] * from[0] + row[1] * from[1] + row[2] * from[2]);
        Self { rotation, translation: std::array::from_fn(|axis| to[axis] - turned[axis]) }
    }

    /// The image of a point, in the one arithmetic that defines it: each operation rounded to `f64`, none fused.
    pub fn apply(&self, point: [f32; 3]) -> [f64; 3] {
        let [x, y, z] = point.map(f64::from);
        std::array::from_fn(|axis| {
            let row = self.rotation[axis];
            ((row[0] * x + row[1] * y) + row[2] * z) + self.translation[axis]
        })
    }

    /// The image of a triangle.
    pub fn corners(&self, corners: [[f32; 3]; 3]) -> [[f64; 3]; 3] {
        corners.map(|corner| self.apply(corner))
    }

    /// The point with this image, up to rounding.
    pub fn unapply(&self, point: [f64; 3]) -> [f64; 3] {
        let offset: [f64; 3] = std::array::from_fn(|axis| point[axis] - self.translation[axis]);
        std::array::from_fn(|axis| (0..3).map(|row| self.rotation[row][axis] * offset[row]).sum())
    }
}

/// The rotation of a quaternion, real part first, of any length but 0.
pub fn of_quaternion(quaternion: [f64; 4]) -> [[f64; 3]; 3] {
    let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = quaternion.map(|part| part / length);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// A rotation around `axis`, a unit vector, by the angle whose half has this tangent.
pub fn around(axis: [f64; 3], half_tangent: f64) -> [[f64; 3]; 3] {
    let [x, y, z] = axis.map(|part| part * half_tangent);
    of_quaternion([1.0, x, y, z])
}

/// A random rotation, uniformly distributed.
pub fn any(random: &mut Random) -> [[f64; 3]; 3] {
    loop {
        let quaternion: [f64; 4] = std::array::from_fn(|_| 2.0 * random.unit() - 1.0);
        if (1e-4..=1.0).contains(&quaternion.iter().map(|x| x * x).sum::<f64>()) {
            return of_quaternion(quaternion);
        }
    }
}

/// A rotation by about `angle`, which is small, around any axis.
pub fn small(random: &mut Random, angle: f64) -> [[f64; 3]; 3] {
    around(random.direction().map(f64::from), angle / 2.0)
}

/// One of the 24 rotations that take axes to axes: its matrix is exact, and so are the images of points.
pub fn of_axes(random: &mut Random) -> [[f64; 3]; 3] {
    axes(random.below(24))
}

/// The rotation with this number, below 24, that takes axes to axes.
pub fn axes(number: u32) -> [[f64; 3]; 3] {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    assert!(number < 24, "there are 24 such rotations");
    let order = ORDERS[number as usize / 4];
    let [x, y] = [0, 1].map(|bit| if number >> bit & 1 == 0 { 1.0 } else { -1.0 });
    // The last three orders swap two axes; one more reflection makes the determinant 1.
    let z = if number < 12 { x * y } else { -x * y };
    let mut rotation = [[0.0; 3]; 3];
    for (row, sign) in [x, y, z].into_iter().enumerate() {
        rotation[row][order[row]] = sign;
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    fn is_rotation(rotation: [[f64; 3]; 3]) -> bool {
        let product = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let orthonormal = (0..9).all(|index| {
            let (row, column) = (index / 3, index % 3);
            let expected = if row == column { 1.0 } else { 0.0 };
            (product(rotation[row], rotation[column]) - expected).abs() < 2e-15
        });
        orthonormal && (determinant(rotation) - 1.0).abs() < 2e-15
    }

    #[test]
    fn rotations_keep_lengths_and_handedness() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            assert!(is_rotation(any(&mut random)) && is_rotation(small(&mut random, 1e-3)));
        }
    }

    #[test]
    fn rotations_of_axes_are_exact_and_differ() {
        let all: Vec<_> = (0..24).map(axes).collect();
        assert!(all.iter().all(|&rotation| determinant(rotation) == 1.0 && is_rotation(rotation)));
        assert!((0..24).all(|number| !all[..number].contains(&all[number])));
    }

    #[test]
    fn small_rotations_are_small() {
        let mut random = Random::new(2);
        for _ in 0..100 {
            let rotation = small(&mut random, 1e-6);
            let trace = (0..3).map(|axis| rotation[axis][axis]).sum::<f64>();
            assert!((rotation[0][1].abs() < 1e-6) && trace > 3.0 - 1e-11);
        }
    }

    #[test]
    fn a_quarter_turn_goes_counterclockwise() {
        let pose = Pose::taking(around([0.0, 0.0, 1.0], 1.0), [2.0, 0.0, 0.0], [5.0, 5.0, 5.0]);
        let turned = pose.apply([3.0, 0.0, 0.0]);
        assert!((0..3).all(|axis| (turned[axis] - [5.0, 6.0, 5.0][axis]).abs() < 1e-15));
        let back = pose.unapply(turned);
        assert!((0..3).all(|axis| (back[axis] - [3.0, 0.0, 0.0][axis]).abs() < 1e-14));
    }
}
