//! Four-legged bodies: thick trunks, long thin legs, tails, ears and horns.
//!
//! Each part is a closed tube around a curve, and parts overlap, as in models by artists.

use super::{Parts, noise};
use bvhc::mesh::Mesh;

type Point = [f64; 3];

/// How much the surface is raised or lowered, relative to its distance from the curve.
const ROUGHNESS: f64 = 0.12;

/// The points of a curve: x forward, y to the left, z up, and the radius there.
type Curve = &'static [[f64; 4]];

const TRUNK: Curve = &[
    [-1.05, 0.0, 1.3, 0.05],
    [-0.9, 0.0, 1.3, 0.35],
    [0.0, 0.0, 1.2, 0.42],
    [0.9, 0.0, 1.3, 0.38],
    [1.1, 0.0, 1.35, 0.1],
];
const NECK: Curve =
    &[[0.7, 0.0, 1.4, 0.3], [1.1, 0.0, 1.8, 0.2], [1.35, 0.0, 2.2, 0.16], [1.4, 0.0, 2.3, 0.03]];
const HEAD: Curve = &[
    [1.2, 0.0, 2.25, 0.04],
    [1.35, 0.0, 2.22, 0.2],
    [1.7, 0.0, 2.05, 0.14],
    [1.95, 0.0, 1.95, 0.09],
    [2.0, 0.0, 1.94, 0.02],
];
const TAIL: Curve =
    &[[-0.95, 0.0, 1.45, 0.07], [-1.3, 0.0, 1.4, 0.05], [-1.55, 0.05, 0.9, 0.035], [-1.6, 0.1, 0.45, 0.02]];
const FORELEG: Curve = &[
    [0.75, 0.25, 1.3, 0.05],
    [0.75, 0.27, 1.1, 0.17],
    [0.82, 0.28, 0.6, 0.08],
    [0.75, 0.28, 0.1, 0.06],
    [0.8, 0.28, 0.0, 0.04],
];
const HINDLEG: Curve = &[
    [-0.75, 0.25, 1.4, 0.05],
    [-0.75, 0.28, 1.1, 0.2],
    [-0.6, 0.3, 0.7, 0.1],
    [-0.85, 0.3, 0.35, 0.06],
    [-0.8, 0.3, 0.0, 0.05],
];
const EAR: Curve = &[[1.3, 0.12, 2.3, 0.03], [1.25, 0.22, 2.45, 0.05], [1.2, 0.3, 2.6, 0.01]];
const HORN: Curve = &[[1.4, 0.08, 2.35, 0.04], [1.45, 0.25, 2.6, 0.03], [1.65, 0.32, 2.85, 0.008]];

/// A body of about this many triangles, some 4 long and 3 high, different for each seed: legs, neck and tail are longer
/// or shorter, and the surface is rough. Every part is closed and faces outward.
pub fn animal(triangles: u32, seed: u64) -> Mesh {
    let tubes = tubes(seed);
    let area: f64 = tubes.iter().map(Tube::area).sum();
    let cell = (2.0 * area / f64::from(triangles)).sqrt();
    let mut parts = Parts::default();
    for tube in &tubes {
        tube.build(&mut parts, cell, seed);
    }
    parts.finish()
}

fn tubes(seed: u64) -> Vec<Tube> {
    let vary = |number: u64| 1.0 + 0.25 * noise::noise([0.5; 3], seed.wrapping_add(number));
    let (length, height, thickness) = (vary(1), vary(2), vary(3));
    let curve = |curve: Curve, side: f64, thickness: f64| {
        Tube::new(
            curve
                .iter()
                .map(|&[x, y, z, radius]| [length * x, side * y, height * z, thickness * radius])
                .collect(),
        )
    };
    let middle = [TRUNK, NECK, HEAD, TAIL].map(|part| curve(part, 1.0, thickness));
    let sides = [FORELEG, HINDLEG, EAR, HORN]
        .into_iter()
        .flat_map(|part| [1.0, -1.0].map(|side| curve(part, side, 1.0)));
    middle.into_iter().chain(sides).collect()
}

/// A closed tube around a smooth curve.
struct Tube {
    curve: Vec<[f64; 4]>,
}

impl Tube {
    /// Points along the curve, close enough for lengths.
    const STEPS: usize = 16;

    fn new(curve: Vec<[f64; 4]>) -> Self {
        Self { curve }
    }

    /// The point and radius at `t`, from 0 at the first to 1 at the last (Catmull and Rom's spline).
    fn at(&self, t: f64) -> [f64; 4] {
        let last = self.curve.len() - 1;
        let place = t * last as f64;
        let index = (place as usize).min(last - 1);
        let x = place - index as f64;
        let point = |offset: usize| self.curve[(index + offset).saturating_sub(1).min(last)];
        let [a, b, c, d] = [0, 1, 2, 3].map(point);
        std::array::from_fn(|k| {
            let (slope, next_slope) = ((c[k] - a[k]) / 2.0, (d[k] - b[k]) / 2.0);
            let (square, cube) = (x * x, x * x * x);
            let smooth = b[k] * (2.0 * cube - 3.0 * square + 1.0)
                + slope * (cube - 2.0 * square + x)
                + c[k] * (3.0 * square - 2.0 * cube)
                + next_slope * (cube - square);
            if k == 3 { smooth.max(b[k].min(c[k])) } else { smooth }
        })
    }

    fn lengths(&self) -> Vec<(f64, f64)> {
        let count = Self::STEPS * (self.curve.len() - 1);
        let points: Vec<_> = (0..=count).map(|step| self.at(step as f64 / count as f64)).collect();
        let length = |a: [f64; 4], b: [f64; 4]| norm(minus(position(b), position(a)));
        points.windows(2).map(|ends| (length(ends[0], ends[1]), (ends[0][3] + ends[1][3]) / 2.0)).collect()
    }

    fn area(&self) -> f64 {
        self.lengths().iter().map(|(length, radius)| std::f64::consts::TAU * radius * length).sum()
    }

    /// Rings of equal numbers of vertices, about `cell` apart along the curve and, on average, around it.
    fn build(&self, parts: &mut Parts, cell: f64, seed: u64) {
        let length: f64 = self.lengths().iter().map(|(length, _)| length).sum();
        let rings = ((length / cell) as usize).max(3);
        let sides = ((self.area() / length / cell).round() as usize).max(4);
        let ring = |number: usize| number as f64 / rings as f64;
        let mut normal = [0.3, 0.8, 0.5];
        let vertices: Vec<Vec<u32>> = (0..=rings)
            .map(|number| {
                let (at, along) = (self.at(ring(number)), self.tangent(ring(number)));
                normal = unit(minus(normal, along.map(|x| x * dot(normal, along))));
                circle(parts, at, [normal, cross(along, normal)], sides, seed)
            })
            .collect();
        connect(parts, &vertices);
        for (end, from) in [(0.0, &vertices[0]), (1.0, &vertices[rings])] {
            let tip = parts.vertex(position(self.at(end)).map(|x| x as f32));
            cap(parts, tip, from, end == 0.0);
        }
    }

    fn tangent(&self, t: f64) -> Point {
        let ends = [t - 1e-3, t + 1e-3].map(|t| position(self.at(t.clamp(0.0, 1.0))));
        unit(minus(ends[1], ends[0]))
    }
}

/// Vertices around a point of the curve, counterclockwise as seen from farther along.
fn circle(parts: &mut Parts, at: [f64; 4], axes: [Point; 2], sides: usize, seed: u64) -> Vec<u32> {
    (0..sides)
        .map(|side| {
            let [x, y] = on_circle(side as f64 / sides as f64);
            let out: Point = std::array::from_fn(|axis| x * axes[0][axis] + y * axes[1][axis]);
            let smooth: Point = std::array::from_fn(|axis| at[axis] + at[3] * out[axis]);
            let lift = at[3] * ROUGHNESS * noise::fractal(smooth.map(|x| 5.0 * x), 3, seed);
            parts.vertex(std::array::from_fn(|axis| (smooth[axis] + lift * out[axis]) as f32))
        })
        .collect()
}

/// The point of the unit circle at this fraction of a turn, to within a degree, without trigonometry.
fn on_circle(turn: f64) -> [f64; 2] {
    let quarters = 4.0 * turn;
    let part = quarters - quarters.floor();
    let tangent = part * (0.785 + 0.215 * part * part);
    let [x, y] = [1.0 - tangent * tangent, 2.0 * tangent].map(|x| x / (1.0 + tangent * tangent));
    [[x, y], [-y, x], [-x, -y], [y, -x]][quarters as usize % 4]
}

fn connect(parts: &mut Parts, rings: &[Vec<u32>]) {
    for pair in rings.windows(2) {
        let sides = pair[0].len();
        for side in 0..sides {
            let next = (side + 1) % sides;
            parts.quad([pair[0][side], pair[0][next], pair[1][next], pair[1][side]]);
        }
    }
}

fn cap(parts: &mut Parts, tip: u32, ring: &[u32], is_first: bool) {
    for (side, &vertex) in ring.iter().enumerate() {
        let next = ring[(side + 1) % ring.len()];
        parts.triangles.push(if is_first { [tip, next, vertex] } else { [tip, vertex, next] });
    }
}

fn position([x, y, z, _]: [f64; 4]) -> Point {
    [x, y, z]
}

fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    std::array::from_fn(|x| a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3])
}

fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: Point) -> Point {
    a.map(|x| x / norm(a))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, volume};
    use super::*;

    #[test]
    fn bodies_are_closed_and_face_outward() {
        for seed in 0..4 {
            let mesh = animal(2000, seed);
            assert!(is_closed(&mesh) && volume(&mesh) > 3.0);
        }
        assert_ne!(animal(2000, 1), animal(2000, 2));
    }

    #[test]
    fn about_as_many_triangles_as_asked() {
        for wanted in [1000, 5000, 20_000] {
            let count = animal(wanted, 1).triangles.len() as f64;
            assert!((count / f64::from(wanted) - 1.0).abs() < 0.2, "{count} of {wanted}");
        }
    }
}
