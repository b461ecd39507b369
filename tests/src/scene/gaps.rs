//! Pairs of disjoint triangles whose distance is hard to compute.

use super::pairs::{Kind, Pair, kind};
use crate::pose::{self, Pose};
use crate::random::Random;

type Point = [f64; 3];

/// Every kind. They meet only by chance.
pub const KINDS: &[Kind] = &[
    kind("faces that are parallel", None, parallel_faces),
    kind("edges that are parallel", None, parallel_edges),
    kind("nearly parallel", None, nearly_parallel),
    kind("far apart", None, far_apart),
    kind("thin and apart", None, thin),
    kind("close by", None, close_by),
];

/// In parallel planes, above each other or side by side.
fn parallel_faces(random: &mut Random) -> Pair {
    let height = 10f64.powi(-random.integer(0, 6));
    let [a, b] = [0.0, height].map(|z| [0; 3].map(|_| [centred(random), centred(random), z]));
    placed(random, a, b)
}

/// With edges in the same direction.
fn parallel_edges(random: &mut Random) -> Pair {
    let gap = 10f64.powi(-random.integer(0, 6));
    let [a, b] = [-1.0, 1.0].map(|side| {
        let start = [centred(random), 0.5 * gap * side, 0.0];
        [start, [start[0] + centred(random), start[1], 0.0], [centred(random), 2.0 * side, centred(random)]]
    });
    placed(random, a, b)
}

/// As parallel faces, except for a small angle.
fn nearly_parallel(random: &mut Random) -> Pair {
    let tilt = 10f64.powi(-random.integer(3, 15));
    let height = 10f64.powi(-random.integer(0, 4));
    let [a, b] =
        [0.0, height].map(|z| [0; 3].map(|_| [centred(random), centred(random), z + tilt * centred(random)]));
    placed(random, a, b)
}

fn far_apart(random: &mut Random) -> Pair {
    let distance = 10f64.powi(random.integer(1, 8));
    let way = random.direction().map(|x| distance * f64::from(x));
    let a = corners(random, 1.0);
    let b = corners(random, 1.0).map(|corner| sum(corner, way));
    placed(random, a, b)
}

/// Slivers and needles.
fn thin(random: &mut Random) -> Pair {
    let [a, b] = [0; 2].map(|_| {
        let (along, place) = (random.direction().map(f64::from), random.unit());
        let width = 10f64.powi(-random.integer(2, 8));
        let [side, ..] = corners(random, width);
        let third = std::array::from_fn(|axis| (2.0 * place - 1.0) * along[axis] + side[axis]);
        [along.map(|x| -x), along, third]
    });
    let gap = 10f64.powi(-random.integer(0, 5));
    let way = random.direction().map(|x| gap * f64::from(x));
    placed(random, a, b.map(|corner| sum(corner, way)))
}

/// On both sides of a plane, at distances down to a hundred-millionth of their size.
fn close_by(random: &mut Random) -> Pair {
    let gap = 10f64.powi(-random.integer(1, 8));
    let [a, b] = [-1.0, 1.0].map(|side: f64| {
        let mut corners = corners(random, 1.0).map(|[x, y, z]| [x, y, side * (z.abs() + gap)]);
        if random.below(2) == 0 {
            corners[0] = [0.1 * centred(random), 0.1 * centred(random), side * gap];
        }
        corners
    });
    placed(random, a, b)
}

fn centred(random: &mut Random) -> f64 {
    2.0 * random.unit() - 1.0
}

fn corners(random: &mut Random, size: f64) -> [Point; 3] {
    [0; 3].map(|_| [0; 3].map(|_| size * centred(random)))
}

fn sum(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

/// The pair whose triangles have these corners, up to rounding in `f32`: the second under any pose or under one that
/// takes axes to axes.
fn placed(random: &mut Random, a: [Point; 3], b: [Point; 3]) -> Pair {
    let rotation = if random.below(2) == 0 { pose::any(random) } else { pose::of_axes(random) };
    let pose = Pose { rotation, translation: [0; 3].map(|_| centred(random)) };
    let narrow = |point: Point| point.map(|x| x as f32);
    Pair { a: a.map(narrow), b: b.map(|corner| narrow(pose.unapply(corner))), pose }
}
