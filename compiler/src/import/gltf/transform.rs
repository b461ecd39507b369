//! Affine transforms of nodes, in f64.

use super::document::Node;

/// Takes a point p to `rows * (p, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform {
    rows: [[f64; 4]; 3],
}

impl Transform {
    pub(super) const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// A node's transform into its parent's space; `None` if its rotation is zero or its matrix is not affine.
    pub(super) fn of(node: &Node) -> Option<Self> {
        if let Some(matrix) = &node.matrix {
            return Self::of_columns(matrix);
        }
        let mut rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let square = |rotation: &[f64; 4]| rotation.iter().map(|x| x * x).sum::<f64>();
        if !square(&rotation).is_normal() {
            // Perhaps too large or too small for squares.
            let largest = rotation.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            rotation = rotation.map(|x| x / largest);
        }
        let norm = square(&rotation);
        if !norm.is_normal() {
            return None;
        }
        let [x, y, z, w] = rotation;
        // Not all that is written is of unit length.
        let s = 2.0 / norm;
        let rotation = [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ];
        let (scale, translation) = (node.scale.unwrap_or([1.0; 3]), node.translation.unwrap_or([0.0; 3]));
        let row = |at: usize| {
            let [a, b, c] = rotation[at];
            [a * scale[0], b * scale[1], c * scale[2], translation[at]]
        };
        Some(Self { rows: [row(0), row(1), row(2)] })
    }

    /// From a 4 by 4 matrix by columns; `None` unless its last row is 0, 0, 0, 1, but for rounding.
    pub(super) fn of_columns(matrix: &[f64; 16]) -> Option<Self> {
        let row = |at: usize| [0, 1, 2, 3].map(|column| matrix[4 * column + at]);
        let is_affine = row(3).iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(x, wanted)| (x - wanted).abs() < 1e-5);
        is_affine.then(|| Self { rows: [row(0), row(1), row(2)] })
    }

    /// First `inner`, then this one.
    pub(super) fn after(&self, inner: &Self) -> Self {
        let row = |[a, b, c, d]: [f64; 4]| {
            let [x, y, z] = inner.rows;
            let mut row = [0, 1, 2, 3].map(|at| a * x[at] + b * y[at] + c * z[at]);
            row[3] += d;
            row
        };
        Self { rows: self.rows.map(row) }
    }

    /// Its rows.
    pub(super) fn rows(&self) -> [[f64; 4]; 3] {
        self.rows
    }

    /// A point's image.
    pub(super) fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.rows.map(|[a, b, c, d]| a * x + b * y + c * z + d)
    }

    /// Whether it turns a shape into its mirror image.
    pub(super) fn is_mirror(&self) -> bool {
        let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = self.rows;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}
