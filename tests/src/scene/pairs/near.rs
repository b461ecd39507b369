//! Pairs under any pose, most of them within rounding errors of a contact.

use super::{Pair, contact};
use crate::pose::{self, Pose};
use crate::random::Random;

type Point = [f64; 3];

/// Random triangles within one cube.
pub(super) fn random(random: &mut Random) -> Pair {
    let [a, b] = [0; 2].map(|_| corners(random, 1.0));
    placed(a, b, anywhere(random))
}

/// A contact, the second triangle rounded to `f32` in its own space.
pub(super) fn turned(random: &mut Random) -> Pair {
    let dimensions = dimensions(random);
    let [a, b] = touching(random, dimensions);
    placed(a, b, anywhere(random))
}

/// A contact under a very small rotation, from far below the resolution of `f32` to above it.
pub(super) fn slightly_turned(random: &mut Random) -> Pair {
    let dimensions = dimensions(random);
    let [a, b] = touching(random, dimensions);
    let angle = [1e-3, 1e-6, 1e-9, 1e-15][random.below(4) as usize];
    let rotation = pose::small(random, angle);
    let [a, b] = [a, b].map(|corners| corners.map(|corner| corner.map(|x| x as f32)));
    Pair { a, b, pose: Pose::turned(rotation) }
}

/// Triangles that share a corner exactly, or except for the last bit, and are otherwise mostly disjoint.
pub(super) fn around_vertex(random: &mut Random) -> Pair {
    loop {
        let [a, b] = touching(random, [0, 0]);
        let mut pair = placed(a, b, Pose::turned(pose::any(random)));
        let wanted = pair.still()[0].map(|x| if random.below(4) > 0 { x } else { x.next_up() });
        let turned = pair.transformed()[0];
        pair.pose.translation = std::array::from_fn(|axis| wanted[axis] - turned[axis]);
        if pair.transformed()[0] == wanted {
            return pair;
        }
    }
}

/// A contact, with the triangles shifted towards each other or apart by a ten-millionth of their size.
pub(super) fn beside(random: &mut Random) -> Pair {
    let dimensions = dimensions(random);
    let [a, b] = touching(random, dimensions);
    let step = random.direction().map(|x| 100.0 * 1e-7 * f64::from(x));
    let mut pose = anywhere(random);
    let pair = placed(a, b, pose);
    pose.translation = sum(pose.translation, step);
    Pair { pose, ..pair }
}

/// Triangles down to a ten-millionth as wide as long that pass each other closely.
pub(super) fn slivers(random: &mut Random) -> Pair {
    let [a, b] = [0; 2].map(|_| {
        let width = 10f64.powi(-random.integer(1, 7));
        let along = random.direction().map(f64::from);
        let place = [0.0, 0.5, 1.0][random.below(3) as usize];
        let side = corners(random, width)[0];
        let third = std::array::from_fn(|axis| (2.0 * place - 1.0) * along[axis] + side[axis]);
        [along.map(|x| -x), along, third]
    });
    let reach = 10f64.powi(-random.integer(1, 8));
    let gap = corners(random, reach)[0];
    placed(a, b.map(|corner| sum(corner, gap)), anywhere(random))
}

/// A triangle and one up to ten million times as small near a point of it, or of its border.
pub(super) fn different_sizes(random: &mut Random) -> Pair {
    let large = corners(random, 1.0);
    let size = 10f64.powi(-random.integer(2, 7));
    let mut weights = [0; 3].map(|_| random.unit());
    weights[0] *= f64::from(random.below(2));
    let total: f64 = weights.iter().sum();
    let place: Point = std::array::from_fn(|axis| (0..3).map(|i| weights[i] / total * large[i][axis]).sum());
    let small = corners(random, size).map(|corner| sum(corner, place));
    let pose = anywhere(random);
    if random.below(2) == 0 { placed(large, small, pose) } else { placed(small, large, pose) }
}

/// Triangles that are a hundred to a million times as far from the origin as they are large.
pub(super) fn far_away(random: &mut Random) -> Pair {
    let distance = 10f64.powi(random.integer(2, 6));
    let place = corners(random, distance)[0];
    let [a, b] = [0; 2].map(|_| corners(random, 1.0).map(|corner| sum(corner, place)));
    let mut pose = anywhere(random);
    if random.below(2) == 0 {
        pose.translation = sum(pose.translation, place);
    }
    placed(a, b, pose)
}

fn dimensions(random: &mut Random) -> [usize; 2] {
    [0; 2].map(|_| random.below(3) as usize)
}

fn touching(random: &mut Random, dimensions: [usize; 2]) -> [[Point; 3]; 2] {
    let place = corners(random, 1000.0)[0].map(f64::round);
    contact::touching_corners(random, dimensions).map(|whole| floats(whole).map(|corner| sum(corner, place)))
}

fn floats(corners: [contact::Whole; 3]) -> [Point; 3] {
    corners.map(|corner| corner.map(f64::from))
}

fn anywhere(random: &mut Random) -> Pose {
    Pose { rotation: pose::any(random), translation: corners(random, 2.0)[0] }
}

/// Three points of the cube of this size around the origin.
fn corners(random: &mut Random, size: f64) -> [Point; 3] {
    [0; 3].map(|_| [0; 3].map(|_| size * (2.0 * random.unit() - 1.0)))
}

fn sum(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

/// The pair whose triangles have these corners, up to rounding in `f32`.
fn placed(a: [Point; 3], b: [Point; 3], pose: Pose) -> Pair {
    let narrow = |point: Point| point.map(|x| x as f32);
    Pair { a: a.map(narrow), b: b.map(|corner| narrow(pose.unapply(corner))), pose }
}
