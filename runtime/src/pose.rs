//! Where one model is relative to another.

/// A rigid motion: a point x of the moved model is at `rotation * x + translation`.
///
/// For two models A and B, the pose of B in A's space. Units are the models', which must be the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

/// Why numbers are no pose.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// A number is infinite or none.
    #[error("a number of the pose is not finite")]
    NotFinite,
    /// The matrix is no rotation, nor is one near.
    #[error("the matrix is no rotation: no entry may be farther than {} from one", Pose::TOLERANCE)]
    NotRotation,
    /// The translation is beyond what models may reach.
    #[error("the translation reaches to {found:e}; at most {:e} is allowed", Pose::FARTHEST)]
    TooFar {
        /// Its largest coordinate, in magnitude.
        found: f64,
    },
}

impl Pose {
    /// Nothing is moved.
    pub const IDENTITY: Self =
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    /// How far the entries of a matrix may be from those of a rotation.
    pub const TOLERANCE: f64 = 1e-4;

    /// How far a translation may go on each axis: 2^62.
    pub const FARTHEST: f64 = (1u64 << 62) as f64;

    /// A pose from the rows of a rotation matrix and a translation.
    ///
    /// A matrix that is nearly a rotation, like one with few digits, is replaced by the nearest rotation; rotations by
    /// multiples of 90 degrees stay as they are.
    ///
    /// # Errors
    /// [`PoseError`], where the numbers are not finite or the matrix is too far from a rotation.
    pub fn new(rotation: [[f64; 3]; 3], translation: [f64; 3]) -> Result<Self, PoseError> {
        if !rotation.iter().flatten().chain(&translation).all(|x| x.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let found = translation.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if found > Self::FARTHEST {
            return Err(PoseError::TooFar { found });
        }
        nearest_rotation(rotation)
            .map(|rotation| Self { rotation, translation })
            .ok_or(PoseError::NotRotation)
    }

    /// A pose that only shifts.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_translation(translation: impl Into<[f64; 3]>) -> Result<Self, PoseError> {
        Self::new(Self::IDENTITY.rotation, translation.into())
    }

    /// The rows of the rotation.
    pub fn rotation(&self) -> [[f64; 3]; 3] {
        self.rotation
    }

    /// The translation.
    pub fn translation(&self) -> [f64; 3] {
        self.translation
    }

    /// The pose of A in B's space, where this is B's in A's.
    pub fn inverse(&self) -> Self {
        let [a, b, c] = self.rotation;
        let rotation = [0, 1, 2].map(|i| [a[i], b[i], c[i]]);
        let back = Self { rotation, translation: [0.0; 3] }.apply(self.translation);
        Self { rotation, translation: back.map(|x| 0.0 - x) }
    }

    /// Where a point of the moved model is.
    ///
    /// In one fixed arithmetic, `((r0 * x + r1 * y) + r2 * z) + t` on each axis, each step rounded to f64: this is
    /// where queries see it.
    #[inline(always)]
    pub fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let along = |axis: usize| {
            let [rx, ry, rz] = self.rotation[axis];
            ((rx * x + ry * y) + rz * z) + self.translation[axis]
        };
        [along(0), along(1), along(2)]
    }
}

/// By Newton's iteration for the polar decomposition (Higham, "Computing the polar decomposition", 1986), the mean of a
/// matrix and of the transpose of its inverse; `None` where that is too far away.
fn nearest_rotation(matrix: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    /// The error is squared each time: 1e-4, 1e-8, 1e-16.
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

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_stay_as_they_are() {
        let turn = [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]];
        assert_eq!(Pose::new(turn, [1.0, 2.0, 3.0]).map(|pose| pose.rotation()), Ok(turn));
    }

    #[test]
    fn few_digits_become_a_rotation() {
        let rough = [[0.8660, -0.5, 0.0], [0.5, 0.8660, 0.0], [0.0, 0.0, 1.0]];
        let pose = Pose::new(rough, [0.0; 3]).expect("it is near one");
        let [a, b, _] = pose.rotation();
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        assert!((dot(a, a) - 1.0).abs() < 1e-15 && dot(a, b).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        let stretched = [[1.001, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mirrored = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for matrix in [stretched, mirrored, [[0.0; 3]; 3], [[1e300; 3]; 3]] {
            assert_eq!(Pose::new(matrix, [0.0; 3]), Err(PoseError::NotRotation));
        }
        assert_eq!(Pose::new([[f64::NAN; 3]; 3], [0.0; 3]), Err(PoseError::NotFinite));
        assert_eq!(Pose::from_translation([0.0, 1e19, 0.0]), Err(PoseError::TooFar { found: 1e19 }));
    }

    #[test]
    fn the_inverse_leads_back() {
        let turn = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let pose = Pose::new(turn, [1.0, -2.0, 3.0]).expect("a rotation");
        let back = pose.inverse().apply(pose.apply([5.0, 6.0, 7.0]));
        assert!(back.iter().zip([5.0, 6.0, 7.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-14));
    }
}
