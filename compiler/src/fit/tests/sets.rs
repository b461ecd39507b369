//! Random and adversarial sets of points: without volume, nearly so, full of ties, far away, huge and tiny.

use std::f64::consts::TAU;

use crate::fit::frame::Frame;
use crate::fit::random::Random;
use crate::math::vector::{Vector, add, scale};

/// A set of points, and what failures call it.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<[f32; 3]>,
}

impl Set {
    /// A bound of the extents that is not three times too large.
    pub(super) fn size(&self) -> f64 {
        let distance = |point: &[f32; 3]| [0, 1, 2].map(|i| f64::from(point[i] - self.points[0][i]).abs());
        2.0 * self.points.iter().flat_map(distance).fold(0.0, f64::max)
    }
}

/// How the points of a sort of set are made.
enum Make {
    /// One after the other, as many as wanted.
    Each(fn(&mut Random) -> Vector),
    /// All at once.
    Whole(fn(&mut Random) -> Vec<Vector>),
}

use Make::{Each, Whole};

/// The sorts of sets. Their number is a prime, so that each comes with every size, turn, scale and place.
const SORTS: [(&str, Make); 19] = [
    ("ball", Each(|random| scale(random.direction(), random.unit()))),
    ("sphere", Each(|random| random.direction())),
    ("cuboid", Each(|random| [4.0, 2.0, 1.0].map(|side| side * random.unit()))),
    ("grid", Each(|random| [0; 3].map(|_| random.below(4) as f64))),
    ("needle", Each(|random| [1.0, 1e-4, 1e-4].map(|side| side * random.unit()))),
    ("plate", Each(|random| [1.0, 1.0, 1e-6].map(|side| side * random.unit()))),
    ("bowl", Each(bowl)),
    ("few heights", Each(|random| [random.unit(), random.unit(), random.below(2) as f64])),
    ("point", Whole(|random| vec![random.direction(); 1 + random.below(3)])),
    ("line", Each(|random| [3.0, 1.0, -2.0].map(|x| x * random.below(9) as f64))),
    ("triangle", Whole(|random| (0..3).map(|_| random.direction()).collect())),
    ("flat grid", Each(|random| [random.below(5) as f64, random.below(5) as f64, 2.0])),
    ("corners", Whole(corners)),
    ("prism", Whole(prism)),
    ("antiprism", Whole(antiprism)),
    ("pyramid", Whole(pyramid)),
    ("lattice", Whole(lattice)),
    ("even sphere", Whole(even_sphere)),
    ("sliver", Whole(sliver)),
];

fn bowl(random: &mut Random) -> Vector {
    let [x, y] = [0; 2].map(|_| 2.0 * random.unit() - 1.0);
    [x, y, 0.1 * (x * x + y * y)]
}

/// Of a cuboid, often a cube: every frame flush with it is the same box.
fn corners(random: &mut Random) -> Vec<Vector> {
    let sides = [0; 3].map(|_| 1.0 + random.below(2) as f64);
    (0..8).map(|corner| [0, 1, 2].map(|axis| sides[axis] * f64::from(corner >> axis & 1))).collect()
}

/// A regular polygon with so many corners, turned by a part of a step, at a height.
fn polygon(corners: usize, turn: f64, height: f64) -> impl Iterator<Item = Vector> {
    (0..corners).map(move |corner| {
        let (s, c) = libm::sincos(TAU * (corner as f64 + turn) / corners as f64);
        [c, s, height]
    })
}

fn prism(random: &mut Random) -> Vec<Vector> {
    let (corners, height) = (3 + random.below(6), 2.0 * random.unit());
    polygon(corners, 0.0, 0.0).chain(polygon(corners, 0.0, height)).collect()
}

/// With three corners an octahedron, regular or not.
fn antiprism(random: &mut Random) -> Vec<Vector> {
    let height = if random.below(2) == 0 { std::f64::consts::SQRT_2 } else { random.unit() };
    let corners = 2 + random.below(5);
    polygon(corners, 0.0, 0.0).chain(polygon(corners, 0.5, height)).collect()
}

fn pyramid(random: &mut Random) -> Vec<Vector> {
    let top = [0.0, 0.0, 3.0 * random.unit()];
    polygon(3 + random.below(8), 0.0, 0.0).chain([top]).collect()
}

/// All points of a grid: most are within edges or faces of the hull.
fn lattice(random: &mut Random) -> Vec<Vector> {
    let [x, y, z] = [0; 3].map(|_| 1 + random.below(4));
    let rows = (0..x).flat_map(|i| (0..y).map(move |j| [i, j]));
    rows.flat_map(|[i, j]| (0..z).map(move |k| [i, j, k].map(|x| x as f64))).collect()
}

/// Fibonacci's lattice: nearly every box is nearly as good.
fn even_sphere(random: &mut Random) -> Vec<Vector> {
    let count = 4 + random.below(30);
    let point = |index: usize| {
        let z = 1.0 - (2.0 * index as f64 + 1.0) / count as f64;
        let radius = (1.0 - z * z).sqrt();
        let (s, c) = libm::sincos(2.399_963_229_728_653 * index as f64);
        [radius * c, radius * s, z]
    };
    (0..count).map(point).collect()
}

/// A triangle, and points off its plane by as much as rounding leaves.
fn sliver(random: &mut Random) -> Vec<Vector> {
    let triangle = [0; 3].map(|_| random.direction());
    let inner = |random: &mut Random| {
        let [a, b] = [0; 2].map(|_| random.unit());
        add(add(scale(triangle[0], a), scale(triangle[1], b)), scale(triangle[2], 1.0 - a - b))
    };
    let more: Vec<_> = (0..1 + random.below(4)).map(|_| inner(random)).collect();
    triangle.into_iter().chain(more).collect()
}

/// Sizes of what is made in units, and how far away it is put. Far from the origin the last bits of coordinates are
/// few; tiny coordinates are denormal; the largest are about what a model may have.
const PLACES: [(f64, f64); 6] = [(1.0, 0.0), (1e6, 1e7), (1.0, 100.0), (1e-38, 0.0), (1e17, 0.0), (1.0, 1e6)];

/// Sets of all sorts; those of no given number have 1 to 40 points. Turned, doubled, scaled and moved in turn.
pub(crate) fn sets(count: usize) -> impl Iterator<Item = Set> {
    (0..count).map(|index| {
        let mut random = Random::new(index as u64);
        let (name, make) = &SORTS[index % SORTS.len()];
        let size = 1 + random.below(if index % 3 == 0 { 8 } else { 40 });
        let turn = if index % 2 == 0 { Frame::IDENTITY } else { Frame::from_quaternion(random.rotation()) };
        let (size_of_one, centre) = PLACES[index / 16 % PLACES.len()];
        let to_space = |[x, y, z]: Vector| {
            let [a, b, c] = turn.axes;
            let point = add(add(scale(a, x), scale(b, y)), scale(c, z));
            point.map(|x| (x * size_of_one + centre) as f32)
        };
        let made = match make {
            Each(make) => (0..size).map(|_| make(&mut random)).collect(),
            Whole(make) => make(&mut random),
        };
        let mut points: Vec<_> = made.into_iter().map(to_space).collect();
        if index % 5 == 0 {
            points.extend_from_within(..);
        }
        Set { name, points }
    })
}
