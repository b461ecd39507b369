//! What becomes of a source's coordinates before anything is built: axes, units and welding.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use bvhc_format::MAX_COORDINATE;

use crate::compile::flags::Flags;
use crate::import::{DataFault, ImportError};
use crate::mesh::Polygons;

/// How a source's vertices are placed in the file. By default they stay where they are, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Which axes of the source become x, y and z.
    pub axes: Axes,
    /// What coordinates are multiplied by, in f64; finite and greater than 0.
    pub scale: f64,
    /// Vertices at most this far apart, once they are scaled, become one: each moves to the first vertex in its
    /// reach, by their order in the source (in an OBJ, by that of their first use in faces), that has not moved itself. `None`: only vertices at the same position are the same.
    pub weld: Option<f64>,
}

impl Default for Placement {
    fn default() -> Self {
        Self { axes: Axes::default(), scale: 1.0, weld: None }
    }
}

/// An axis of the source, in its direction or against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    index: usize,
    is_negative: bool,
}

/// Which axes of the source become x, y and z; written like `x,z,-y`, which turns a source whose z points up into one
/// whose y does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes([Axis; 3]);

impl Default for Axes {
    fn default() -> Self {
        Self([0, 1, 2].map(|index| Axis { index, is_negative: false }))
    }
}

/// A text that does not name three axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not three different axes, such as x,z,-y")]
pub struct AxesError;

impl FromStr for Axes {
    type Err = AxesError;

    fn from_str(text: &str) -> Result<Self, AxesError> {
        let axis = |text: &str| {
            let (name, is_negative) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
            let index = ["x", "y", "z"].iter().position(|axis| *axis == name)?;
            Some(Axis { index, is_negative })
        };
        let axes: Vec<Axis> =
            text.split(',').map(|text| axis(text).ok_or(AxesError)).collect::<Result<_, _>>()?;
        let axes: [Axis; 3] = axes.try_into().map_err(|_| AxesError)?;
        let are_all = (0..3).all(|index| axes.iter().any(|axis| axis.index == index));
        if are_all { Ok(Self(axes)) } else { Err(AxesError) }
    }
}

impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, axis) in self.0.iter().enumerate() {
            let sign = if axis.is_negative { "-" } else { "" };
            write!(f, "{}{sign}{}", if at == 0 { "" } else { "," }, ["x", "y", "z"][axis.index])?;
        }
        Ok(())
    }
}

impl Axes {
    /// Whether the result is a mirror image of the source.
    fn is_mirror(self) -> bool {
        let [a, b, c] = self.0.map(|axis| axis.index);
        let is_odd = (b + 3 - a) % 3 != 1 || (c + 3 - b) % 3 != 1;
        let negatives = self.0.iter().filter(|axis| axis.is_negative).count();
        is_odd ^ (negatives % 2 == 1)
    }
}

impl Placement {
    /// Places all vertices, and returns how many moved to another one. `name` is the source's name in messages.
    ///
    /// # Errors
    /// If a vertex is not within the range of coordinates where it is placed, or the scale is not a finite number greater than 0.
    pub fn apply(&self, polygons: &mut Polygons, name: &str) -> Result<u64, ImportError> {
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(ImportError::Scale { file: name.to_owned(), found: self.scale });
        }
        if (self.axes, self.scale) != (Axes::default(), 1.0) {
            for (vertex, position) in polygons.positions.iter_mut().enumerate() {
                let place = |axis: Axis| {
                    let x = f64::from(position[axis.index]) * self.scale;
                    (if axis.is_negative { -x } else { x }) as f32
                };
                *position = self.axes.0.map(place);
                if let Some(found) = position.iter().find(|x| x.is_nan() || x.abs() > MAX_COORDINATE) {
                    return Err(ImportError::Data {
                        file: name.to_owned(),
                        place: format!("vertex {vertex} of those that faces use, after scaling"),
                        fault: DataFault::TooLarge { found: f64::from(*found) },
                    });
                }
            }
            if self.axes.is_mirror() {
                match polygons.reversals.first() {
                    Some(0) => drop(polygons.reversals.remove(0)),
                    _ => polygons.reversals.insert(0, 0),
                }
            }
        }
        Ok(self.weld.map_or(0, |distance| weld(polygons, distance)))
    }

    /// Appends the flags that ask for this placement.
    pub(crate) fn flags(&self, flags: &mut Flags<'_>) {
        flags.flag("axis", self.axes.to_string(), Axes::default().to_string());
        flags.flag("scale", self.scale, 1.0);
        if let Some(distance) = self.weld {
            flags.flag("weld", distance, -1.0);
        }
    }

    /// The placement that a file's options tell of. What is not understood is left out.
    pub(crate) fn of_flags(options: &str) -> Self {
        let words: Vec<&str> = options.split_ascii_whitespace().collect();
        let value =
            |flag: &str| words.array_windows().find(|[word, _]| *word == flag).map(|[_, value]| *value);
        let number = |flag: &str| value(flag).and_then(|value| value.parse().ok());
        Self {
            axes: value("--axis").and_then(|axes| axes.parse().ok()).unwrap_or_default(),
            scale: number("--scale").unwrap_or(1.0),
            weld: number("--weld"),
        }
    }
}

/// Moves each vertex to the first earlier one within the distance that has not moved. Vertices that stay are farther than the
/// distance apart, so a cell of a grid of twice the distance has a limited number of them, and the time is linear.
///
/// Vertices within the distance are in neighbouring cells: exact quotients differ by at most 1/2, and computed ones by less
/// than 1 where they are below 2^51. Where they are above, different f32 coordinates are more than 2^27 distances apart, and
/// equal ones have the same cell.
///
/// Different f32 are at least the least one apart, so that a shorter distance is none; quotients by any other are finite.
fn weld(polygons: &mut Polygons, distance: f64) -> u64 {
    let distance = if distance < f64::from(f32::from_bits(1)) { 0.0 } else { distance };
    let cell = |position: [f64; 3]| {
        position.map(|x| if distance > 0.0 { (x / (2.0 * distance)).floor() } else { x })
    };
    // The sum turns -0 into +0.
    let key = |cell: [f64; 3]| cell.map(|x| (x + 0.0).to_bits());
    let mut cells: HashMap<[u64; 3], Vec<u32>> = HashMap::new();
    let mut targets = Vec::with_capacity(polygons.positions.len());
    for vertex in 0..polygons.positions.len() as u32 {
        let position = polygons.positions[vertex as usize].map(f64::from);
        let home = cell(position);
        let mut found: Option<u32> = None;
        let steps = if distance > 0.0 { 27 } else { 1 };
        for step in 0..steps {
            let [x, y, z] = [step % 3, step / 3 % 3, step / 9].map(|step| [0.0, -1.0, 1.0][step]);
            let neighbour = [home[0] + x, home[1] + y, home[2] + z];
            for other in cells.get(&key(neighbour)).into_iter().flatten().copied() {
                let gap = polygons.positions[other as usize].map(f64::from);
                let [x, y, z] = [0, 1, 2].map(|axis| gap[axis] - position[axis]);
                if x * x + y * y + z * z <= distance * distance {
                    found = Some(found.map_or(other, |found| found.min(other)));
                }
            }
        }
        if found.is_none() {
            cells.entry(key(home)).or_default().push(vertex);
        }
        targets.push(found.unwrap_or(vertex));
    }
    let mut welded = 0;
    for (vertex, target) in (0..).zip(&targets) {
        let is_elsewhere = polygons.positions[vertex as usize] != polygons.positions[*target as usize];
        welded += u64::from(vertex != *target && is_elsewhere);
    }
    polygons.corners.iter_mut().for_each(|corner| *corner = targets[*corner as usize]);
    welded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean;
    use crate::import;

    fn square() -> Polygons {
        let positions =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.001, 2.0, 0.0], [0.0, 2.0, 0.0]];
        import::mesh(&positions, &[[0, 1, 2], [0, 3, 4]], "square").unwrap()
    }

    fn placed(placement: &Placement) -> (crate::mesh::Mesh, u64) {
        let mut polygons = square();
        let welded = placement.apply(&mut polygons, "square").unwrap();
        (clean::mesh(polygons, "square").unwrap(), welded)
    }

    #[test]
    fn axes_read_as_they_are_written() {
        for text in ["x,y,z", "x,z,-y", "-z,-x,-y"] {
            assert_eq!(text.parse::<Axes>().unwrap().to_string(), text);
        }
        for text in ["", "x,y", "x,y,y", "x,y,z,x", "x,y,w", "+x,y,z", "x, y, z", "--x,y,z"] {
            assert_eq!(text.parse::<Axes>(), Err(AxesError), "{text}");
        }
    }

    /// The determinant of each of the 48 signed permutations says whether it mirrors.
    #[test]
    fn mirrors_are_recognised() {
        let signed = ["x", "y", "z", "-x", "-y", "-z"];
        let mut mirrors = 0;
        for text in signed
            .iter()
            .flat_map(|a| signed.iter().flat_map(move |b| signed.map(|c| format!("{a},{b},{c}"))))
        {
            let Ok(axes) = text.parse::<Axes>() else { continue };
            let row = |axis: Axis| {
                [0, 1, 2].map(|at| if at == axis.index { if axis.is_negative { -1 } else { 1 } } else { 0 })
            };
            let [[a, b, c], [d, e, f], [g, h, i]] = axes.0.map(row);
            let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
            assert_eq!(axes.is_mirror(), determinant == -1, "{text}");
            mirrors += u32::from(axes.is_mirror());
        }
        assert_eq!(mirrors, 24);
    }

    #[test]
    fn fronts_stay_fronts() {
        let (plain, _) = placed(&Placement::default());
        let (turned, _) =
            placed(&Placement { axes: "x,z,-y".parse().unwrap(), scale: 0.5, ..Placement::default() });
        assert_eq!(turned.corners(0), [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, -1.0]]);
        assert_eq!((turned.triangles, turned.face_corners), (plain.triangles, plain.face_corners));
        let (mirrored, _) = placed(&Placement { axes: "-x,y,z".parse().unwrap(), ..Placement::default() });
        assert_eq!(mirrored.corners(0), [[0.0, 0.0, 0.0], [-1.0, 2.0, 0.0], [-1.0, 0.0, 0.0]]);
        assert_eq!(mirrored.face_corners.get(0), [0, 2, 1]);
    }

    #[test]
    fn near_vertices_become_one() {
        for (weld, expected) in
            [(None, 0), (Some(0.0), 0), (Some(0.0009), 0), (Some(0.0011), 1), (Some(0.9), 1)]
        {
            let (mesh, welded) = placed(&Placement { weld, ..Placement::default() });
            assert_eq!(welded, expected, "{weld:?}");
            assert_eq!(mesh.triangles[1][1] == 2, expected == 1);
        }
        // In cells of their own, at the two ends of the range.
        let far = [[1e18, 0.0, 0.0], [-1e18, 0.0, 0.0], [0.0, 1e18, 1e-30]];
        let mut polygons = import::mesh(&far, &[[0, 1, 2]], "far").unwrap();
        assert_eq!(weld(&mut polygons, 1e-30), 0);
        // A distance below any between two f32 takes no longer than none.
        let row: Vec<[f32; 3]> =
            (0..200_000).map(|x| [1e17 + 1e12 * x as f32, (x % 2) as f32, 0.0]).collect();
        let triangles: Vec<[u32; 3]> = (2..200_000).map(|x| [x - 2, x - 1, x]).collect();
        let mut polygons = import::mesh(&row, &triangles, "row").unwrap();
        assert_eq!(weld(&mut polygons, 1e-300), 0);
    }

    #[test]
    fn what_is_too_large_is_named() {
        let not_a_number = Placement { scale: f64::NAN, ..Placement::default() };
        assert!(not_a_number.apply(&mut square(), "square").is_err());
        let error =
            Placement { scale: 1e19, ..Placement::default() }.apply(&mut square(), "square").unwrap_err();
        assert!(error.to_string().starts_with("square, vertex 1 "), "{error}");
    }

    #[test]
    fn options_tell_the_placement() {
        for placement in [
            Placement::default(),
            Placement { axes: "-x,z,y".parse().unwrap(), scale: 0.01, weld: Some(1e-7) },
            Placement { weld: Some(0.0), ..Placement::default() },
        ] {
            let mut text = "--quality best --steps 3".to_owned();
            placement.flags(&mut Flags(&mut text));
            assert_eq!(Placement::of_flags(&text), placement, "{text}");
        }
    }
}
