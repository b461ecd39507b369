//! Contacts that are exact, because all coordinates are small integers.
//!
//! A plane through the origin separates the triangles: one is below it, one above, and their parts in the plane share
//! the origin. A triangle shifted away from the plane by one unit no longer meets the other.

use super::Pair;
use crate::pose::{self, Pose};
use crate::random::Random;

pub(super) type Whole = [i32; 3];

/// How far from the origin pairs are shifted.
const FAR: i32 = 1 << 21;

/// A plane through the origin with a lattice of integer points.
struct Plane {
    normal: Whole,
    /// Two perpendicular directions in the plane.
    along: [Whole; 2],
}

impl Plane {
    fn new(random: &mut Random) -> Self {
        let normal = nonzero(|| lattice_point(random, 3));
        let across = nonzero(|| cross(normal, lattice_point(random, 1)));
        Self { normal, along: [across, cross(normal, across)] }
    }

    fn point(&self, [i, j]: [i32; 2]) -> Whole {
        std::array::from_fn(|axis| i * self.along[0][axis] + j * self.along[1][axis])
    }

    fn direction(&self, random: &mut Random) -> Whole {
        self.point(nonzero(|| [0; 2].map(|_| random.integer(-4, 4))))
    }

    /// A point strictly above the plane, or below it.
    fn beside(&self, random: &mut Random, side: i32) -> Whole {
        loop {
            let point = lattice_point(random, 100);
            let height = side * dot(self.normal, point);
            if height != 0 {
                return scaled(point, height.signum());
            }
        }
    }

    /// Points in the plane around the origin: the origin, the ends of a segment through it, or the corners of a
    /// triangle.
    fn feature(&self, random: &mut Random, dimension: usize) -> Vec<Whole> {
        let mut factor = || random.integer(1, 3);
        let factors = [factor(), factor(), factor()];
        let first = self.direction(random);
        match dimension {
            0 => vec![[0; 3]],
            1 => around(first, factors),
            _ => {
                let second = loop {
                    let second = self.direction(random);
                    if cross(first, second) != [0; 3] {
                        break second;
                    }
                };
                let third = std::array::from_fn(|axis| -factors[0] * first[axis] - factors[1] * second[axis]);
                vec![first, second, third]
            }
        }
    }

    /// A triangle of these points of the plane and others off it.
    fn triangle(&self, random: &mut Random, mut points: Vec<Whole>, side: i32) -> [Whole; 3] {
        points.resize_with(3, || self.beside(random, side));
        [points[0], points[1], points[2]]
    }

    /// The smallest step away from the plane.
    fn step(&self, random: &mut Random) -> Whole {
        loop {
            let axis = random.below(3) as usize;
            if self.normal[axis] != 0 {
                return unit(axis).map(|x| x * self.normal[axis].signum());
            }
        }
    }
}

/// Two triangles that touch in parts of these dimensions.
pub(super) fn touching(random: &mut Random, lower: usize, upper: usize) -> Pair {
    let [a, b] = touching_corners(random, [lower, upper]);
    disguised(random, a, b)
}

/// As [`touching`], before they are transformed.
pub(super) fn touching_corners(random: &mut Random, dimensions: [usize; 2]) -> [[Whole; 3]; 2] {
    let plane = Plane::new(random);
    [(0, -1), (1, 1)].map(|(index, side): (usize, i32)| {
        let points = plane.feature(random, dimensions[index]);
        plane.triangle(random, points, side)
    })
}

/// Two triangles that would touch if one were not shifted by a unit.
pub(super) fn apart(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let [a, b] = [-1, 1].map(|side| {
        let dimension = random.below(3) as usize;
        let points = plane.feature(random, dimension);
        plane.triangle(random, points, side)
    });
    let step = plane.step(random);
    disguised(random, a, b.map(|corner| plus(corner, step)))
}

/// Two triangles with edges on one line that overlap.
pub(super) fn on_one_line(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let direction = plane.direction(random);
    let [a, b] = [-1, 1].map(|side| {
        let factors = [0; 3].map(|_| random.integer(1, 5));
        plane.triangle(random, around(direction, factors), side)
    });
    disguised(random, a, b)
}

/// Neighbours, on either side of a plane or in any position.
pub(super) fn sharing_edge(random: &mut Random) -> Pair {
    let [p, q, r, s] = [0; 4].map(|_| lattice_point(random, 100));
    disguised(random, [p, q, r], [p, q, s])
}

/// Triangles that share a corner.
pub(super) fn sharing_vertex(random: &mut Random) -> Pair {
    let [p, q, r, s, t] = [0; 5].map(|_| lattice_point(random, 100));
    disguised(random, [p, q, r], [p, s, t])
}

/// A triangle and itself.
pub(super) fn same(random: &mut Random) -> Pair {
    let corners = [0; 3].map(|_| lattice_point(random, 100));
    disguised(random, corners, corners)
}

/// An edge that passes through a face.
pub(super) fn piercing(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let face = plane.feature(random, 2);
    let direction = plane.beside(random, 1);
    let other = edge_along(random, direction);
    disguised(random, [face[0], face[1], face[2]], other)
}

/// An edge crosses an edge.
pub(super) fn crossing(random: &mut Random) -> Pair {
    let [a, b] = [0; 2].map(|_| {
        let direction = nonzero(|| lattice_point(random, 30));
        edge_along(random, direction)
    });
    disguised(random, a, b)
}

/// A triangle inside another.
pub(super) fn contained(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let points = plane.feature(random, 2);
    let small = [points[0], points[1], points[2]];
    let factor = random.integer(1, 4);
    disguised(random, small.map(|corner| scaled(corner, factor)), small)
}

/// Two triangles in one plane on different sides of a line, whose parts on the line touch.
pub(super) fn touching_in_plane(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let [a, b] = halves(random, &plane);
    disguised(random, a, b)
}

/// As [`touching_in_plane`], but shifted by a step across the line.
pub(super) fn apart_in_plane(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let [a, b] = halves(random, &plane);
    disguised(random, a, b.map(|corner| plus(corner, plane.along[1])))
}

fn halves(random: &mut Random, plane: &Plane) -> [[Whole; 3]; 2] {
    [-1, 1].map(|side| {
        let mut points = match random.below(2) {
            0 => vec![[0; 3]],
            _ => around(plane.along[0], [0; 3].map(|_| random.integer(1, 5))),
        };
        points.resize_with(3, || plane.point([random.integer(-5, 5), side * random.integer(1, 5)]));
        [points[0], points[1], points[2]]
    })
}

/// Triangles, segments and points from few positions, so that every kind of contact occurs.
pub(super) fn lattice(random: &mut Random) -> Pair {
    let [a, b] = [0; 2].map(|_| [0; 3].map(|_| lattice_point(random, 2)));
    disguised(random, a, b)
}

/// As [`lattice`], all in one plane.
pub(super) fn lattice_in_plane(random: &mut Random) -> Pair {
    let plane = Plane::new(random);
    let mut point = || plane.point([0; 2].map(|_| random.integer(-3, 3)));
    let [a, b] = [0; 2].map(|_| [0; 3].map(|_| point()));
    disguised(random, a, b)
}

/// The pair with corners in any order, either triangle first, anywhere, the second transformed back by a pose without
/// rounding.
fn disguised(random: &mut Random, mut a: [Whole; 3], mut b: [Whole; 3]) -> Pair {
    if random.below(2) == 0 {
        std::mem::swap(&mut a, &mut b);
    }
    random.shuffle(&mut a);
    random.shuffle(&mut b);
    let reach = [0, 1000, FAR][random.below(3) as usize];
    let [place, translation] = [0; 2].map(|_| lattice_point(random, reach));
    let pose = Pose { rotation: pose::of_axes(random), translation: translation.map(f64::from) };
    let [a, b] = [a, b].map(|corners| corners.map(|corner| plus(corner, place)));
    let back = |corner: Whole| pose.unapply(corner.map(f64::from)).map(|x| x as f32);
    Pair { a: a.map(|corner| corner.map(|x| x as f32)), b: b.map(back), pose }
}

/// The ends of a segment through the origin.
fn around(direction: Whole, factors: [i32; 3]) -> Vec<Whole> {
    vec![scaled(direction, -factors[0]), scaled(direction, factors[1])]
}

/// A triangle with an edge through the origin.
fn edge_along(random: &mut Random, direction: Whole) -> [Whole; 3] {
    let factors = [0; 3].map(|_| random.integer(1, 3));
    let ends = around(direction, factors);
    [ends[0], ends[1], lattice_point(random, 100)]
}

fn lattice_point(random: &mut Random, reach: i32) -> Whole {
    [0; 3].map(|_| random.integer(-reach, reach))
}

fn nonzero<const N: usize>(mut draw: impl FnMut() -> [i32; N]) -> [i32; N] {
    loop {
        let drawn = draw();
        if drawn != [0; N] {
            return drawn;
        }
    }
}

fn unit(axis: usize) -> Whole {
    std::array::from_fn(|other| i32::from(other == axis))
}

fn scaled(a: Whole, factor: i32) -> Whole {
    a.map(|x| x * factor)
}

fn plus(a: Whole, b: Whole) -> Whole {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

fn dot(a: Whole, b: Whole) -> i32 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn cross(a: Whole, b: Whole) -> Whole {
    std::array::from_fn(|x| a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3])
}
