//! Parses one query line: its numbers and their meaning.

use std::str::FromStr;

use bvhc_format::MAX_COORDINATE;
use bvhc_runtime::{Aabb, Pose, PoseError, Ray};

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum RowError {
    /// The line may be endless.
    #[error("the line is longer than {most} bytes")]
    TooLong {
        /// How long lines may be.
        most: u64,
    },
    /// The line is not text.
    #[error("this is not UTF-8 text")]
    NotText,
    /// A field beside a comma is empty.
    #[error("a number is missing beside a comma")]
    Missing,
    /// A field is not a number.
    #[error("`{found}` is not a number")]
    Number {
        /// The field.
        found: String,
    },
    /// The line has too many or too few numbers.
    #[error("found {found} numbers, but a {kind} query takes {expected}")]
    Count {
        /// The kind of query.
        kind: &'static str,
        /// How many numbers there are.
        found: usize,
        /// How many there may be.
        expected: &'static str,
    },
    /// A number is NaN, or is infinite where it must not be.
    #[error("{field} is {found}, which is not a finite number")]
    NotFinite {
        /// Which number.
        field: &'static str,
        /// Its value.
        found: f64,
    },
    /// A number is NaN where any other value, even infinity, is allowed.
    #[error("{field} is NaN")]
    NotANumber {
        /// Which number.
        field: &'static str,
    },
    /// A position is too far from the origin to compute with.
    #[error("{field} is {found:e}, beyond the limit of {MAX_COORDINATE:e}")]
    TooLarge {
        /// Which number.
        field: &'static str,
        /// Its value.
        found: f32,
    },
    /// The direction of a ray is zero.
    #[error("the direction is zero")]
    ZeroDirection,
    /// The first word of a line names no shape.
    #[error("`{found}` is no shape: ball, capsule, box, cylinder, triangle or points")]
    Shape {
        /// The word.
        found: String,
    },
    /// A shape has too many or too few numbers.
    #[error(
        "found {found} numbers, which are not those of the query {kind} with the shape `{word}`: see `bvhc query {kind} --help`"
    )]
    ShapeCount {
        /// The kind of query.
        kind: &'static str,
        /// The shape's word.
        word: String,
        /// How many numbers there are.
        found: usize,
    },
    /// The count of points is no whole number of at least one.
    #[error("`{found}` is no count of points")]
    PointCount {
        /// The field.
        found: String,
    },
    /// Twelve numbers are not a valid pose, or nine no valid rotation.
    #[error(transparent)]
    Pose(#[from] PoseError),
}

/// The most numbers that a query takes.
const MOST: usize = 12;

/// The numbers of a line, parsed in the precision of the query, so that they are rounded only once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row<T> {
    numbers: [T; MOST],
    /// How many numbers the line has, which may be more than are stored.
    count: usize,
}

/// Splits a line at blanks and commas, up to a comment; no fields if it holds only blanks and a comment.
pub(super) fn fields(line: &[u8]) -> Result<Vec<&str>, RowError> {
    let end = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
    let text = std::str::from_utf8(&line[..end]).map_err(|_| RowError::NotText)?;
    let mut fields = Vec::new();
    if text.trim().is_empty() {
        return Ok(fields);
    }
    for part in text.split(',') {
        if part.trim().is_empty() {
            return Err(RowError::Missing);
        }
        fields.extend(part.split_whitespace());
    }
    Ok(fields)
}

impl<T: Copy + Default + FromStr + Into<f64>> Row<T> {
    /// Parses the numbers of a line; `None` if it holds only blanks and a comment.
    pub(super) fn parse(line: &[u8]) -> Result<Option<Self>, RowError> {
        let mut row = Self { numbers: [T::default(); MOST], count: 0 };
        let fields = fields(line)?;
        for field in &fields {
            row.push(field)?;
        }
        Ok((!fields.is_empty()).then_some(row))
    }

    fn push(&mut self, field: &str) -> Result<(), RowError> {
        let number = field.parse().map_err(|_| RowError::Number { found: field.to_owned() })?;
        if let Some(entry) = self.numbers.get_mut(self.count) {
            *entry = number;
        }
        self.count += 1;
        Ok(())
    }

    fn miscounted(&self, kind: &'static str, expected: &'static str) -> RowError {
        RowError::Count { kind, found: self.count, expected }
    }

    fn finite<const N: usize>(&self, first: usize, fields: [&'static str; N]) -> Result<[T; N], RowError> {
        let mut numbers = [T::default(); N];
        for (offset, field) in fields.into_iter().enumerate() {
            let found = self.numbers[first + offset];
            if !found.into().is_finite() {
                return Err(RowError::NotFinite { field, found: found.into() });
            }
            numbers[offset] = found;
        }
        Ok(numbers)
    }
}

impl Row<f32> {
    /// `ox oy oz dx dy dz [t_min [t_max]]`
    pub(super) fn ray(&self) -> Result<Ray, RowError> {
        if !(6..=8).contains(&self.count) {
            return Err(self.miscounted("ray", "6, 7 or 8"));
        }
        let origin = self.position(0, ["ox", "oy", "oz"])?;
        let direction = self.finite(3, ["dx", "dy", "dz"])?;
        if direction == [0.0; 3] {
            return Err(RowError::ZeroDirection);
        }
        let t_min = self.number(6, "t_min", 0.0)?;
        let t_max = self.number(7, "t_max", f32::INFINITY)?;
        Ok(Ray::new(origin, direction).with_range(t_min, t_max))
    }

    /// `x y z [max_distance]`
    pub(super) fn point(&self) -> Result<([f32; 3], f32), RowError> {
        if !(3..=4).contains(&self.count) {
            return Err(self.miscounted("point", "3 or 4"));
        }
        let max_distance = self.number(3, "max_distance", f32::INFINITY)?;
        Ok((self.position(0, ["x", "y", "z"])?, max_distance))
    }

    /// `x y z`
    pub(super) fn position_only(&self, kind: &'static str) -> Result<[f32; 3], RowError> {
        if self.count != 3 {
            return Err(self.miscounted(kind, "3"));
        }
        self.position(0, ["x", "y", "z"])
    }

    /// `minx miny minz maxx maxy maxz`
    pub(super) fn aabb(&self) -> Result<Aabb, RowError> {
        if self.count != 6 {
            return Err(self.miscounted("box", "6"));
        }
        let min = self.bounds(0, ["minx", "miny", "minz"])?;
        Ok(Aabb::new(min, self.bounds(3, ["maxx", "maxy", "maxz"])?))
    }

    /// `x y z radius`
    pub(super) fn sphere(&self) -> Result<([f32; 3], f32), RowError> {
        if self.count != 4 {
            return Err(self.miscounted("sphere", "4"));
        }
        let centre = self.finite(0, ["x", "y", "z"])?;
        Ok((centre, self.number(3, "radius", 0.0)?))
    }

    /// Three numbers that may be infinite.
    fn bounds(&self, first: usize, [x, y, z]: [&'static str; 3]) -> Result<[f32; 3], RowError> {
        Ok([self.number(first, x, 0.0)?, self.number(first + 1, y, 0.0)?, self.number(first + 2, z, 0.0)?])
    }

    /// A number that may be infinite, or its default if the line ends before it.
    fn number(&self, index: usize, field: &'static str, default: f32) -> Result<f32, RowError> {
        if index >= self.count {
            return Ok(default);
        }
        let number = self.numbers[index];
        if number.is_nan() { Err(RowError::NotANumber { field }) } else { Ok(number) }
    }

    /// Three finite numbers within the range in which answers are defined.
    fn position(&self, first: usize, fields: [&'static str; 3]) -> Result<[f32; 3], RowError> {
        let position = self.finite(first, fields)?;
        for (found, field) in position.into_iter().zip(fields) {
            if found.abs() > MAX_COORDINATE {
                return Err(RowError::TooLarge { field, found });
            }
        }
        Ok(position)
    }
}

impl Row<f64> {
    /// `r11 r12 r13 r21 r22 r23 r31 r32 r33 x y z`
    pub(super) fn pose(&self, kind: &'static str) -> Result<Pose, RowError> {
        if self.count != 12 {
            return Err(self.miscounted(kind, "12"));
        }
        let rotation = [
            self.finite(0, ["r11", "r12", "r13"])?,
            self.finite(3, ["r21", "r22", "r23"])?,
            self.finite(6, ["r31", "r32", "r33"])?,
        ];
        Ok(Pose::from_rows(rotation, self.finite(9, ["x", "y", "z"])?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str) -> Row<f32> {
        Row::parse(line.as_bytes()).unwrap().unwrap()
    }

    fn pose(line: &str) -> Result<Pose, RowError> {
        Row::parse(line.as_bytes()).unwrap().unwrap().pose("collide")
    }

    fn refusal(line: &[u8]) -> RowError {
        Row::<f32>::parse(line).unwrap_err()
    }

    #[test]
    fn blanks_and_commas_separate() {
        for line in ["1 2 3", "1,2,3", "1, 2 ,3", "\t1 2,3\r", "1 2 3 # 4 \u{e4}"] {
            assert_eq!(row(line).point().unwrap(), ([1.0, 2.0, 3.0], f32::INFINITY), "{line}");
        }
    }

    #[test]
    fn empty_lines_and_comments_are_no_query() {
        for line in ["", "  \r", "# 1 2 3", "\t#"] {
            assert_eq!(Row::<f32>::parse(line.as_bytes()), Ok(None), "{line}");
        }
        assert_eq!(Row::<f32>::parse(b"#\xFF"), Ok(None));
    }

    #[test]
    fn malformed_lines_are_refused() {
        assert_eq!(refusal(b"1,,2"), RowError::Missing);
        assert_eq!(refusal(b"1,2,"), RowError::Missing);
        assert_eq!(refusal(b"1 2 x"), RowError::Number { found: "x".into() });
        assert_eq!(refusal(b"1 \xFF"), RowError::NotText);
        assert_eq!(row("1 2").point(), Err(RowError::Count { kind: "point", found: 2, expected: "3 or 4" }));
        assert!(matches!(row("1 2 3 4 5 6 7 8 9").ray(), Err(RowError::Count { found: 9, .. })));
    }

    #[test]
    fn numbers_must_make_sense() {
        assert_eq!(row("0 0 0 0 -0 0").ray(), Err(RowError::ZeroDirection));
        assert!(matches!(row("0 nan 0 0 1 0").ray(), Err(RowError::NotFinite { field: "oy", .. })));
        assert!(matches!(row("0 0 0 0 1e39 0").ray(), Err(RowError::NotFinite { field: "dy", .. })));
        assert_eq!(row("0 0 0 0 1 0 nan").ray(), Err(RowError::NotANumber { field: "t_min" }));
        assert!(matches!(row("0 0 2e18").point(), Err(RowError::TooLarge { field: "z", .. })));
        assert!(matches!(row("0 0 inf 1").sphere(), Err(RowError::NotFinite { field: "z", .. })));
        assert_eq!(row("0 0 0 nan").sphere(), Err(RowError::NotANumber { field: "radius" }));
        assert_eq!(row("0 0 0 1 nan 1").aabb(), Err(RowError::NotANumber { field: "maxy" }));
    }

    #[test]
    fn ranges_boxes_and_radii_may_be_infinite() {
        assert_eq!(row("-inf 0 0 inf 1 1").aabb().unwrap().max, [f32::INFINITY, 1.0, 1.0]);
        assert_eq!(row("0 0 0 inf").sphere().unwrap().1, f32::INFINITY);
        let ray = row("0 0 0 0 2 0 -inf inf").ray().unwrap();
        assert_eq!((ray.t_min, ray.t_max), (f32::NEG_INFINITY, f32::INFINITY));
        assert_eq!(row("0 0 0 0 2 0").ray().unwrap().t_min, 0.0);
    }

    #[test]
    fn poses_are_read_in_double_precision() {
        let found = pose("0 -1 0, 1 0 0, 0 0 1,  0.1 16777217 -3").unwrap();
        assert_eq!(found.rotation(), [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(found.translation(), [0.1, 16_777_217.0, -3.0]);
    }

    #[test]
    fn what_is_no_pose_is_refused() {
        assert_eq!(
            pose("1 0 0 0 1 0 0 0 1 0 0"),
            Err(RowError::Count { kind: "collide", found: 11, expected: "12" })
        );
        let scaled = Err(RowError::Pose(PoseError::Scales { lengths: [1.0, 1.0, 1.001] }));
        assert_eq!(pose("1 0 0 0 1 0 0 0 1.001 0 0 0"), scaled);
        assert!(matches!(
            pose("1 0 0 0 1 inf 0 0 1 0 0 0"),
            Err(RowError::NotFinite { field: "r23", found: f64::INFINITY })
        ));
        assert!(matches!(pose("1 0 0 0 1 0 0 0 1 0 1e19 0"), Err(RowError::Pose(PoseError::TooFar { .. }))));
    }
}
