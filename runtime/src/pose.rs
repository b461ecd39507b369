//! The pose of one model relative to another.

use core::fmt;

use crate::math::vector::Map3;
use crate::ray::Ray;

/// A rigid motion: a point x of the posed model lies at `rotation * x + translation`.
///
/// For two models A and B this is the pose of B in A's space. Both models must use the same units. Matrices are given
/// by rows or by columns, as the constructor's name says; glam's `Mat3::to_cols_array_2d` and nalgebra's
/// `Into<[[f32; 3]; 3]>` give columns.
///
/// ```
/// use bvhc_runtime::{Pose, Ray};
///
/// // A quarter turn around z, as glam and nalgebra store it, and then one unit along x.
/// let turn = Pose::from_cols([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 0.0, 0.0])?;
/// assert_eq!(turn.apply([1.0, 0.0, 0.0]), [1.0, 1.0, 0.0]);
/// assert_eq!(turn.inverse().apply([1.0, 1.0, 0.0]), [1.0, 0.0, 0.0]);
///
/// // Half a turn, by a quaternion of f32.
/// let half = Pose::from_quaternion([0.0, 0.0, 1.0, 0.0_f32], [0.0; 3])?;
/// assert_eq!(half.compose(&half)?.rotation(), Pose::IDENTITY.rotation());
///
/// // A ray of the world in the space of the turned model.
/// let ray = turn.inverse_transform_ray(&Ray::new([1.0, 5.0, 0.0], [0.0, -1.0, 0.0]));
/// assert_eq!((ray.origin, ray.direction), ([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]));
/// # Ok::<(), bvhc_runtime::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

/// Why numbers do not form a pose.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// A number is infinite or NaN.
    #[error("a number of the pose is not finite")]
    NotFinite,
    /// The matrix scales. Poses are rigid; scale the mesh before it is compiled.
    #[error(
        "the matrix is not a rotation: it scales, its rows have the lengths {}, which must be 1 within {}",
        List(lengths),
        Pose::TOLERANCE
    )]
    Scales {
        /// The lengths of its rows.
        lengths: [f64; 3],
    },
    /// The matrix is a reflection.
    #[error("the matrix is not a rotation: it mirrors, its determinant is {determinant}, which must be 1")]
    Mirrors {
        /// Its determinant.
        determinant: f64,
    },
    /// The matrix shears.
    #[error(
        "the matrix is not a rotation: it shears, two of its rows have the dot product {dot}, which must be 0 within {}",
        Pose::TOLERANCE
    )]
    Shears {
        /// The dot product of two rows that is farthest from 0, of the three.
        dot: f64,
    },
    /// The quaternion does not have unit length.
    #[error(
        "the quaternion has the length {length}, which must be 1 within {}; normalise it",
        Pose::TOLERANCE
    )]
    NotUnit {
        /// Its length.
        length: f64,
    },
    /// The translation is too large.
    #[error("the translation reaches to {found:e}; at most {:e} is allowed", Pose::FARTHEST)]
    TooFar {
        /// The largest coordinate in magnitude.
        found: f64,
    },
}

/// Numbers in the form in which messages list them.
struct List<'a>(&'a [f64; 3]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.0;
        write!(f, "{a}, {b} and {c}")
    }
}

impl Pose {
    /// The identity: no rotation, no translation.
    pub const IDENTITY: Self =
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    /// How far matrix entries may be from those of a rotation, and a quaternion's length from 1.
    pub const TOLERANCE: f64 = 1e-4;

    /// The largest translation on each axis: 2^62.
    pub const FARTHEST: f64 = (1u64 << 62) as f64;

    /// A pose from the rows of a rotation matrix and a translation, in f64 or f32.
    ///
    /// A matrix that is only nearly a rotation, for example one with few digits, is replaced by the nearest rotation.
    /// Rotations by multiples of 90 degrees are kept exactly.
    ///
    /// # Errors
    /// [`PoseError`] if a number is not finite or the matrix is too far from a rotation.
    pub fn from_rows<T: Into<f64>>(rows: [[T; 3]; 3], translation: [T; 3]) -> Result<Self, PoseError> {
        Self::of_matrix(rows.map3(|row| row.map3(Into::into)), translation.map3(Into::into))
    }

    /// A pose from the columns of a rotation matrix, as glam and nalgebra store them, and a translation.
    ///
    /// # Errors
    /// As [`from_rows`](Self::from_rows).
    pub fn from_cols<T: Into<f64>>(columns: [[T; 3]; 3], translation: [T; 3]) -> Result<Self, PoseError> {
        let columns = columns.map3(|column| column.map3(Into::into));
        Self::of_matrix(transpose(columns), translation.map3(Into::into))
    }

    /// A pose from a unit quaternion `[x, y, z, w]`, the order of glam's `to_array` and nalgebra's `coords`, and a
    /// translation.
    ///
    /// # Errors
    /// [`PoseError`] if a number is not finite or the quaternion does not have unit length.
    pub fn from_quaternion<T: Into<f64>>(xyzw: [T; 4], translation: [T; 3]) -> Result<Self, PoseError> {
        let [x, y, z, w] = xyzw.map(Into::into);
        let square = x * x + y * y + z * z + w * w;
        if !square.is_finite() {
            return Err(PoseError::NotFinite);
        }
        if (square - 1.0).abs() > 2.0 * Self::TOLERANCE {
            return Err(PoseError::NotUnit { length: root(square) });
        }
        let twice = 2.0 / square;
        let diagonal = |a: f64, b: f64| 1.0 - twice * (a * a + b * b);
        let rows = [
            [diagonal(y, z), twice * (x * y - w * z), twice * (x * z + w * y)],
            [twice * (x * y + w * z), diagonal(x, z), twice * (y * z - w * x)],
            [twice * (x * z - w * y), twice * (y * z + w * x), diagonal(x, y)],
        ];
        Self::of_matrix(rows, translation.map3(Into::into))
    }

    /// A pose without rotation, in f64 or f32.
    ///
    /// # Errors
    /// [`PoseError`] if a number is not finite or beyond [`FARTHEST`](Self::FARTHEST).
    pub fn from_translation<T: Into<f64>>(translation: [T; 3]) -> Result<Self, PoseError> {
        Self::of_matrix(Self::IDENTITY.rotation, translation.map3(Into::into))
    }

    fn of_matrix(rows: [[f64; 3]; 3], translation: [f64; 3]) -> Result<Self, PoseError> {
        if !rows.iter().flatten().chain(&translation).all(|x| x.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let found = translation.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if found > Self::FARTHEST {
            return Err(PoseError::TooFar { found });
        }
        let rotation = nearest_rotation(rows).ok_or_else(|| fault_of(&rows))?;
        Ok(Self { rotation, translation })
    }

    /// A pose of a rotation that is stored as it is to be used.
    pub(crate) const fn of_parts(rotation: [[f64; 3]; 3], translation: [f64; 3]) -> Self {
        Self { rotation, translation }
    }

    /// The rows of the rotation.
    pub fn rotation(&self) -> [[f64; 3]; 3] {
        self.rotation
    }

    /// The translation.
    pub fn translation(&self) -> [f64; 3] {
        self.translation
    }

    /// The inverse: the pose of A in B's space if this is that of B in A's.
    pub fn inverse(&self) -> Self {
        let rotation = transpose(self.rotation);
        let back = Self { rotation, translation: [0.0; 3] }.apply(self.translation);
        Self { rotation, translation: back.map3(|x| 0.0 - x) }
    }

    /// Applies `inner` first, then this: the pose of C in A's space if this is that of B in A's and `inner` that of C
    /// in B's.
    ///
    /// # Errors
    /// [`PoseError::TooFar`] if the resulting translation is beyond [`FARTHEST`](Self::FARTHEST).
    pub fn compose(&self, inner: &Self) -> Result<Self, PoseError> {
        let columns = transpose(inner.rotation).map3(|column| self.rotate(column));
        Self::of_matrix(transpose(columns), self.apply(inner.translation))
    }

    /// The pose of B in A's space if this is that of B in the world, and `outer` that of A.
    ///
    /// As `outer.inverse().compose(self)`, but the translations are subtracted before they are rotated: so where A and B are near to
    /// each other the result is as precise far from the world's origin as beside it.
    ///
    /// ```
    /// use bvhc_runtime::Pose;
    ///
    /// let turn = [[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    /// let pose = |translation| Pose::from_rows(turn, translation);
    /// let [a, b] = [pose([1e9, 1e9, 0.0])?, pose([1e9 + 1.0, 1e9, 0.0])?];
    /// assert_eq!(b.relative_to(&a)?.translation(), [0.6, -0.8, 0.0]);
    /// # Ok::<(), bvhc_runtime::PoseError>(())
    /// ```
    ///
    /// # Errors
    /// [`PoseError::TooFar`] if the resulting translation is beyond [`FARTHEST`](Self::FARTHEST).
    pub fn relative_to(&self, outer: &Self) -> Result<Self, PoseError> {
        let back = Self { rotation: transpose(outer.rotation), translation: [0.0; 3] };
        let apart = [0, 1, 2].map3(|axis| self.translation[axis] - outer.translation[axis]);
        back.compose(&Self { rotation: self.rotation, translation: apart })
    }

    /// Transforms a point of the posed model.
    ///
    /// Each axis is computed as `((r0 * x + r1 * y) + r2 * z) + t`, with every step rounded to f64. Queries use exactly
    /// this arithmetic.
    #[inline(always)]
    pub fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let along = |axis: usize| {
            let [rx, ry, rz] = self.rotation[axis];
            ((rx * x + ry * y) + rz * z) + self.translation[axis]
        };
        [along(0), along(1), along(2)]
    }

    /// Transforms a direction or a normal of the posed model: rotates it without translating.
    pub fn rotate(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.rotation.map3(|[rx, ry, rz]| (rx * x + ry * y) + rz * z)
    }

    /// Transforms a ray from the posed model's space to the space in which it is posed.
    ///
    /// Computed in f64 and rounded to f32. Lengths are kept, so `t` means the same in both spaces.
    pub fn transform_ray(&self, ray: &Ray) -> Ray {
        let (origin, direction) = (ray.origin.map3(f64::from), ray.direction.map3(f64::from));
        Ray { origin: rounded(self.apply(origin)), direction: rounded(self.rotate(direction)), ..*ray }
    }

    /// Transforms a ray into the posed model's own space, where the model can be queried with it.
    ///
    /// The same as [`transform_ray`](Self::transform_ray) of the inverse.
    pub fn inverse_transform_ray(&self, ray: &Ray) -> Ray {
        self.inverse().transform_ray(ray)
    }
}

fn rounded(vector: [f64; 3]) -> [f32; 3] {
    vector.map3(|x| x as f32)
}

fn transpose([a, b, c]: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map3(|i| [a[i], b[i], c[i]])
}

/// The error for a matrix that is not near a rotation.
fn fault_of(rows: &[[f64; 3]; 3]) -> PoseError {
    let [a, b, c] = *rows;
    let determinant = dot(a, cross(b, c));
    if determinant < 0.0 {
        return PoseError::Mirrors { determinant };
    }
    let lengths = rows.map3(|row| root(dot(row, row)));
    if lengths.iter().any(|length| (length - 1.0).abs() > Pose::TOLERANCE) {
        return PoseError::Scales { lengths };
    }
    let farther = |most: f64, dot: f64| if dot.abs() > most.abs() { dot } else { most };
    PoseError::Shears { dot: [dot(a, b), dot(b, c), dot(c, a)].into_iter().fold(0.0, farther) }
}

/// The square root of a number >= 0, accurate to a few roundings. For messages; `core` has no square root.
fn root(square: f64) -> f64 {
    /// The first estimate is at most 7 % off; each step squares the error.
    const STEPS: usize = 5;
    if square == 0.0 || square.is_infinite() {
        return square;
    }
    let first = f64::from_bits((square.to_bits() >> 1) + (1023 << 51));
    (0..STEPS).fold(first, |root, _| 0.5 * (root + square / root))
}

/// The nearest rotation by Newton's iteration for the polar decomposition (Higham, "Computing the polar decomposition",
/// 1986): each step takes the mean of the matrix and the transpose of its inverse. `None` if the result is too far
/// away.
fn nearest_rotation(matrix: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    /// Each step squares the error: 1e-4, 1e-8, 1e-16.
    const STEPS: usize = 4;
    let mut rotation = matrix;
    for _ in 0..STEPS {
        let [a, b, c] = rotation;
        let cofactors = [cross(b, c), cross(c, a), cross(a, b)];
        let determinant = a[0] * cofactors[0][0] + a[1] * cofactors[0][1] + a[2] * cofactors[0][2];
        if !(0.5..2.0).contains(&determinant) {
            return None;
        }
        for (row, cofactors) in rotation.iter_mut().zip(cofactors) {
            for (entry, cofactor) in row.iter_mut().zip(cofactors) {
                *entry = 0.5 * (*entry + cofactor / determinant);
            }
        }
    }
    let near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= Pose::TOLERANCE;
    rotation.iter().flatten().zip(matrix.iter().flatten()).all(near).then_some(rotation)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn quarter_turns_stay_as_they_are() {
        let turn = [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]];
        assert_eq!(Pose::from_rows(turn, [1.0, 2.0, 3.0]).map(|pose| pose.rotation()), Ok(turn));
    }

    #[test]
    fn few_digits_become_a_rotation() {
        let rough = [[0.8660, -0.5, 0.0], [0.5, 0.8660, 0.0], [0.0, 0.0, 1.0]];
        let pose = Pose::from_rows(rough, [0.0; 3]).expect("it is near one");
        let [a, b, _] = pose.rotation();
        assert!((dot(a, a) - 1.0).abs() < 1e-15 && dot(a, b).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        let refusal = |matrix: [[f64; 3]; 3]| Pose::from_rows(matrix, [0.0; 3]).unwrap_err();
        let stretched = [[1.001, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(refusal(stretched), PoseError::Scales { lengths: [1.001, 1.0, 1.0] });
        let doubled = Pose::IDENTITY.rotation.map(|row| row.map(|x| 2.0 * x));
        assert_eq!(
            refusal(doubled).to_string(),
            "the matrix is not a rotation: it scales, its rows have the lengths 2, 2 and 2, which must be 1 within 0.0001"
        );
        let mirrored = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(refusal(mirrored), PoseError::Mirrors { determinant: -1.0 });
        let sheared = [[1.0, 0.0, 0.0], [0.001, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(refusal(sheared), PoseError::Shears { dot: 0.001 });
        assert_eq!(refusal([[0.0; 3]; 3]), PoseError::Scales { lengths: [0.0; 3] });
        assert!(matches!(refusal([[1e300; 3]; 3]), PoseError::Scales { .. }));
        assert_eq!(Pose::from_rows([[f64::NAN; 3]; 3], [0.0; 3]), Err(PoseError::NotFinite));
        assert_eq!(Pose::from_translation([0.0, 1e19, 0.0]), Err(PoseError::TooFar { found: 1e19 }));
    }

    /// The same rotation, given in three ways.
    #[test]
    fn rows_columns_and_quaternions_agree() {
        let rows = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let by_rows = Pose::from_rows(rows, [1.0, 2.0, 3.0]).expect("a rotation");
        let by_columns = Pose::from_cols(transpose(rows), [1.0, 2.0, 3.0]).expect("a rotation");
        assert_eq!(by_rows, by_columns);
        // Shepperd's formula for the case that w is the largest component.
        let w = root(1.0 + 0.36 + 0.6 + 0.6) / 2.0;
        let xyz = [0.64 - 0.0, -0.8 - 0.48, -0.8 - 0.48].map(|difference| difference / (4.0 * w));
        let quaternion = [xyz[0], xyz[1], xyz[2], w];
        let by_quaternion = Pose::from_quaternion(quaternion, [1.0, 2.0, 3.0]).expect("a unit quaternion");
        assert!(is_near(by_quaternion.rotation.as_flattened(), rows.as_flattened()), "{by_quaternion:?}");
        let rough = Pose::from_quaternion(quaternion.map(|x| x as f32), [1.0, 2.0, 3.0]).expect("nearly");
        assert!((rough.rotation[0][0] - 0.36).abs() < 1e-6);
        let twice = quaternion.map(|x| 2.0 * x);
        assert!(
            matches!(Pose::from_quaternion(twice, [0.0; 3]), Err(PoseError::NotUnit { length }) if (length - 2.0).abs() < 1e-15)
        );
        assert_eq!(Pose::from_quaternion([f64::INFINITY; 4], [0.0; 3]), Err(PoseError::NotFinite));
    }

    #[test]
    fn what_is_composed_is_applied_from_the_inside() {
        let turn = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let outer = Pose::from_rows(turn, [1.0, -2.0, 3.0]).expect("a rotation");
        let inner = Pose::from_rows([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [4.0, 5.0, 6.0]);
        let inner = inner.expect("a rotation");
        let both = outer.compose(&inner).expect("near enough");
        assert!(is_near(&both.apply([7.0, 8.0, 9.0]), &outer.apply(inner.apply([7.0, 8.0, 9.0]))));
        let none = outer.compose(&outer.inverse()).expect("near enough");
        assert!(is_near(none.rotation.as_flattened(), Pose::IDENTITY.rotation.as_flattened()));
        let far = Pose::from_translation([Pose::FARTHEST, 0.0, 0.0]).expect("just near enough");
        assert!(matches!(far.compose(&far), Err(PoseError::TooFar { .. })));
    }

    #[test]
    fn rays_go_with_the_model() {
        let turn = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let pose = Pose::from_rows(turn, [10.0, 0.0, 0.0]).expect("a rotation");
        let ray = Ray::new([1.0, 2.0, 3.0], [1.0, 0.0, 0.0]).with_range(-1.0, 5.0);
        let transformed = pose.transform_ray(&ray);
        assert_eq!((transformed.origin, transformed.direction), ([8.0, 1.0, 3.0], [0.0, 1.0, 0.0]));
        assert_eq!((transformed.t_min, transformed.t_max), (-1.0, 5.0));
        assert_eq!(pose.inverse_transform_ray(&transformed), ray);
    }

    fn is_near(found: &[f64], wanted: &[f64]) -> bool {
        found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-14)
    }

    #[test]
    fn the_inverse_leads_back() {
        let turn = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let pose = Pose::from_rows(turn, [1.0, -2.0, 3.0]).expect("a rotation");
        let back = pose.inverse().apply(pose.apply([5.0, 6.0, 7.0]));
        assert!(back.iter().zip([5.0, 6.0, 7.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-14));
    }
}
