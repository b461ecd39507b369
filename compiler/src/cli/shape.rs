//! Parses the lines of queries with shapes: a word, the shape's numbers, and those of its displacement.

use bvhc_format::MAX_COORDINATE;
use bvhc_runtime::{Ball, Capsule, ConvexHull, Cuboid, Cylinder, ShapeCast, TriangleShape};

use super::row::{RowError, fields};

/// A shape as a line names it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Ball(Ball),
    Capsule(Capsule),
    Box(Cuboid),
    Cylinder(Cylinder),
    Triangle(TriangleShape),
    Points(Vec<[f32; 3]>, f32),
}

impl Shape {
    /// Calls `ask` with the shape.
    pub(super) fn with<R>(&self, ask: impl FnOnce(&dyn bvhc_runtime::Shape) -> R) -> R {
        match self {
            Self::Ball(shape) => ask(shape),
            Self::Capsule(shape) => ask(shape),
            Self::Box(shape) => ask(shape),
            Self::Cylinder(shape) => ask(shape),
            Self::Triangle(shape) => ask(shape),
            Self::Points(points, radius) => ask(&ConvexHull::new(points, *radius)),
        }
    }
}

/// How a shape moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub(super) displacement: [f32; 3],
    pub(super) t_max: f64,
}

impl Motion {
    /// The cast of a shape.
    pub(super) fn of<'a, T: bvhc_runtime::Shape>(&self, shape: &'a T) -> ShapeCast<'a, T> {
        ShapeCast::new(shape, self.displacement).with_t_max(self.t_max)
    }
}

/// `SHAPE`, in a query of this kind; `None` if the line has no query.
pub(super) fn alone(line: &[u8], kind: &'static str) -> Result<Option<Shape>, RowError> {
    let fields = fields(line)?;
    let Some(mut rest) = Fields::new(&fields, kind, 0..=0) else { return Ok(None) };
    let shape = rest.shape()?;
    rest.end()?;
    Ok(Some(shape))
}

/// `SHAPE dx dy dz [t_max]`; `None` if the line has no query.
pub(super) fn cast(line: &[u8]) -> Result<Option<(Shape, Motion)>, RowError> {
    let fields = fields(line)?;
    let Some(mut rest) = Fields::new(&fields, "cast", 3..=4) else { return Ok(None) };
    let shape = rest.shape()?;
    let displacement = [rest.finite("dx")?, rest.finite("dy")?, rest.finite("dz")?];
    let t_max = if rest.numbers.is_empty() { 1.0 } else { rest.number::<f64>()? };
    if t_max.is_nan() {
        return Err(RowError::NotANumber { field: "t_max" });
    }
    rest.end()?;
    Ok(Some((shape, Motion { displacement, t_max })))
}

/// The fields of a line that are still to be read.
struct Fields<'a> {
    word: &'a str,
    kind: &'static str,
    numbers: &'a [&'a str],
    /// How many numbers follow the shape.
    after: std::ops::RangeInclusive<usize>,
    count: usize,
}

impl<'a> Fields<'a> {
    fn new(
        fields: &'a [&'a str],
        kind: &'static str,
        after: std::ops::RangeInclusive<usize>,
    ) -> Option<Self> {
        let (word, numbers) = fields.split_first()?;
        Some(Self { word, kind, numbers, after, count: numbers.len() })
    }

    fn shape(&mut self) -> Result<Shape, RowError> {
        match self.word {
            "ball" => {
                self.expect(4)?;
                Ok(Shape::Ball(Ball::new(self.point(["x", "y", "z"])?, self.length("r")?)))
            }
            "capsule" => {
                self.expect(7)?;
                let ends = [self.point(["ax", "ay", "az"])?, self.point(["bx", "by", "bz"])?];
                Ok(Shape::Capsule(Capsule::new(ends[0], ends[1], self.length("r")?)))
            }
            "cylinder" => {
                self.expect(7)?;
                let ends = [self.point(["ax", "ay", "az"])?, self.point(["bx", "by", "bz"])?];
                Ok(Shape::Cylinder(Cylinder::new(ends[0], ends[1], self.length("r")?)))
            }
            "box" => self.cuboid(),
            "triangle" => {
                self.expect(9)?;
                let corners =
                    [["ax", "ay", "az"], ["bx", "by", "bz"], ["cx", "cy", "cz"]].map(|it| self.point(it));
                let [a, b, c] = corners;
                Ok(Shape::Triangle(TriangleShape::new([a?, b?, c?])))
            }
            "points" => self.points(),
            found => Err(RowError::Shape { found: found.to_owned() }),
        }
    }

    /// `x y z hx hy hz` and, if there are nine more, a rotation's rows.
    fn cuboid(&mut self) -> Result<Shape, RowError> {
        let is_rotated = self.numbers.len() >= 15;
        self.expect(if is_rotated { 15 } else { 6 })?;
        let centre = self.point(["x", "y", "z"])?;
        let half = [self.length("hx")?, self.length("hy")?, self.length("hz")?];
        let cuboid = Cuboid::new(centre, half);
        if !is_rotated {
            return Ok(Shape::Box(cuboid));
        }
        let mut rows = [[0.0f32; 3]; 3];
        for (number, field) in rows
            .as_flattened_mut()
            .iter_mut()
            .zip(["r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"])
        {
            *number = self.finite(field)?;
        }
        Ok(Shape::Box(cuboid.rotated(rows)?))
    }

    /// `n x y z … r`
    fn points(&mut self) -> Result<Shape, RowError> {
        let Some((found, rest)) = self.numbers.split_first() else { return Err(self.miscounted()) };
        let count = found.parse().ok().filter(|count| *count > 0);
        let Some(count) = count else { return Err(RowError::PointCount { found: (*found).to_owned() }) };
        self.numbers = rest;
        self.expect(usize::saturating_add(1, usize::saturating_mul(3, count)))?;
        let points: Result<Vec<_>, _> = (0..count).map(|_| self.point(["x", "y", "z"])).collect();
        Ok(Shape::Points(points?, self.length("r")?))
    }

    /// Checks that a shape of so many numbers leaves as many as follow it.
    fn expect(&self, of_shape: usize) -> Result<(), RowError> {
        let left = self.numbers.len().checked_sub(of_shape);
        if left.is_some_and(|left| self.after.contains(&left)) { Ok(()) } else { Err(self.miscounted()) }
    }

    fn miscounted(&self) -> RowError {
        RowError::ShapeCount { kind: self.kind, word: self.word.to_owned(), found: self.count }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, RowError> {
        let Some((field, rest)) = self.numbers.split_first() else { return Err(self.miscounted()) };
        self.numbers = rest;
        field.parse().map_err(|_| RowError::Number { found: (*field).to_owned() })
    }

    fn finite(&mut self, field: &'static str) -> Result<f32, RowError> {
        let found: f32 = self.number()?;
        if found.is_finite() {
            Ok(found)
        } else {
            Err(RowError::NotFinite { field, found: f64::from(found) })
        }
    }

    fn point(&mut self, fields: [&'static str; 3]) -> Result<[f32; 3], RowError> {
        let mut point = [0.0; 3];
        for (x, field) in point.iter_mut().zip(fields) {
            *x = self.length(field)?;
        }
        Ok(point)
    }

    /// A coordinate, a radius or half an extent.
    fn length(&mut self, field: &'static str) -> Result<f32, RowError> {
        let found = self.finite(field)?;
        if found.abs() > MAX_COORDINATE { Err(RowError::TooLarge { field, found }) } else { Ok(found) }
    }

    fn end(&self) -> Result<(), RowError> {
        if self.numbers.is_empty() { Ok(()) } else { Err(self.miscounted()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(line: &str) -> Result<Option<Shape>, RowError> {
        alone(line.as_bytes(), "overlap")
    }

    #[test]
    fn shapes_are_words_and_numbers() {
        assert_eq!(shape("ball 1 2 3 4"), Ok(Some(Shape::Ball(Ball::new([1.0, 2.0, 3.0], 4.0)))));
        let capsule = Capsule::new([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], 7.0);
        assert_eq!(shape("capsule 1,2,3, 4,5,6 7 # tall"), Ok(Some(Shape::Capsule(capsule))));
        let points = Shape::Points(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 0.5);
        assert_eq!(shape("points 2 1 2 3 4 5 6 .5"), Ok(Some(points)));
        let rows = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let turned = Cuboid::new([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).rotated(rows).unwrap();
        assert_eq!(shape("box 1 2 3 4 5 6 0 -1 0 1 0 0 0 0 1"), Ok(Some(Shape::Box(turned))));
        assert_eq!(shape("  # nothing"), Ok(None));
    }

    #[test]
    fn displacements_follow_shapes() {
        let motion = |line: &str| cast(line.as_bytes()).unwrap().unwrap().1;
        assert_eq!(motion("ball 1 2 3 4 5 6 7"), Motion { displacement: [5.0, 6.0, 7.0], t_max: 1.0 });
        assert_eq!(motion("box 1 2 3 4 5 6 7 8 9 inf").t_max, f64::INFINITY);
        assert_eq!(motion("box 1 2 3 4 5 6 1 0 0 0 1 0 0 0 1 7 8 9").displacement, [7.0, 8.0, 9.0]);
        assert_eq!(motion("points 1 1 2 3 0 7 8 9 0.25").t_max, 0.25);
    }

    #[test]
    fn malformed_shapes_are_refused() {
        let error = |line: &str| shape(line).unwrap_err();
        assert_eq!(error("cone 1 2 3"), RowError::Shape { found: "cone".into() });
        assert!(matches!(error("ball 1 2 3"), RowError::ShapeCount { found: 3, .. }));
        assert!(matches!(error("ball 1 2 3 4 5"), RowError::ShapeCount { found: 5, .. }));
        assert!(matches!(error("points"), RowError::ShapeCount { found: 0, .. }));
        assert_eq!(error("points 0 1"), RowError::PointCount { found: "0".into() });
        assert!(matches!(error("points 18446744073709551615 1 2 3"), RowError::ShapeCount { .. }));
        assert!(matches!(error("ball 1 inf 3 4"), RowError::NotFinite { field: "y", .. }));
        assert!(matches!(error("ball 1 2e18 3 4"), RowError::TooLarge { field: "y", .. }));
        assert!(matches!(error("ball 1 2 3 2e18"), RowError::TooLarge { field: "r", .. }));
        assert!(matches!(error("box 1 2 3 4 5 2e18"), RowError::TooLarge { field: "hz", .. }));
        assert!(matches!(error("box 1 2 3 4 5 6 2 0 0 0 1 0 0 0 1"), RowError::Pose(_)));
        assert!(matches!(cast(b"ball 0 0 0 1 1 2"), Err(RowError::ShapeCount { found: 6, .. })));
        assert_eq!(cast(b"ball 0 0 0 1 1 2 3 nan"), Err(RowError::NotANumber { field: "t_max" }));
    }
}
