//! The records of the convex hull, and the directions for which it lists extreme vertices.

use crate::plain::plain_record;

/// A vertex of the hull.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct HullVertex {
    /// The position: x, y, z; model units.
    pub position: [f32; 3],
    /// The end of its neighbours in the list of neighbours; they start at the end of the previous vertex's.
    pub end: u32,
}

plain_record!(HullVertex, 16, 16, [position, end]);

/// The most cells along an edge of the cube of directions.
pub const MAX_CELLS: usize = 1024;

/// The directions as a cube whose faces are divided into squares, the cells.
///
/// Face 2 a is that of positive coordinates on axis a, face 2 a + 1 that of negative ones. Columns run along
/// axis a + 1, rows along axis a + 2, both modulo 3. The index of a cell is `(face * side + row) * side + column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    side: usize,
}

impl Cells {
    /// The cube with this number of cells along an edge, from 1 to [`MAX_CELLS`].
    pub const fn of_side(side: usize) -> Option<Self> {
        if side >= 1 && side <= MAX_CELLS { Some(Self { side }) } else { None }
    }

    /// The cube with this number of cells in total, if there is one.
    pub const fn of_count(count: usize) -> Option<Self> {
        match Self::of_side((count / 6).isqrt()) {
            Some(cells) if cells.count() == count => Some(cells),
            _ => None,
        }
    }

    /// The number of cells.
    #[inline]
    pub const fn count(&self) -> usize {
        6 * self.side * self.side
    }

    /// The cell of a direction of any length, or a neighbouring cell if rounding puts the direction on a border. Always
    /// below [`count`](Self::count), whatever the direction.
    #[inline]
    pub fn of(&self, direction: &[f32; 3]) -> usize {
        let [x, y, z] = direction.map(f32::abs);
        let axis = if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) };
        let (along, size) = (direction[axis], direction[axis].abs());
        let column = |axis: usize| {
            let share = direction[axis % 3] / size * 0.5 + 0.5;
            ((share * self.side as f32) as usize).min(self.side - 1)
        };
        let face = 2 * axis + usize::from(along < 0.0);
        (face * self.side + column(axis + 2)) * self.side + column(axis + 1)
    }

    /// The direction through the centre of a cell, in integers.
    pub const fn middle(&self, cell: usize) -> [f32; 3] {
        let (face, row, column) =
            (cell / (self.side * self.side) % 6, cell / self.side % self.side, cell % self.side);
        let side = self.side as f32;
        let (axis, along) = (face / 2, if face % 2 == 0 { side } else { -side });
        let mut direction = [0.0; 3];
        direction[axis] = along;
        direction[(axis + 1) % 3] = (2 * column + 1) as f32 - side;
        direction[(axis + 2) % 3] = (2 * row + 1) as f32 - side;
        direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_are_in_their_cells() {
        for side in [1, 2, 3, 7, 64] {
            let cells = Cells::of_side(side).unwrap();
            assert_eq!(Cells::of_count(cells.count()), Some(cells));
            for cell in 0..cells.count() {
                assert_eq!(cells.of(&cells.middle(cell)), cell);
                assert_eq!(cells.of(&cells.middle(cell).map(|x| x * 0.37)), cell);
            }
        }
    }

    #[test]
    fn any_numbers_have_a_cell() {
        let cells = Cells::of_side(5).unwrap();
        let numbers = [0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45];
        for x in numbers {
            for y in numbers {
                for z in numbers {
                    assert!(cells.of(&[x, y, z]) < cells.count());
                }
            }
        }
    }

    #[test]
    fn only_six_squares_make_a_cube() {
        for count in [0, 1, 5, 7, 12, 23, 25, 6 * MAX_CELLS * MAX_CELLS + 1, 6 * 1025 * 1025, usize::MAX] {
            assert_eq!(Cells::of_count(count), None);
        }
        assert!(Cells::of_side(0).is_none() && Cells::of_side(MAX_CELLS + 1).is_none());
    }
}
