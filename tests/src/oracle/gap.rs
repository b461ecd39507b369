//! How far two triangles or two meshes are apart: by every pair, from exact fractions.
//!
//! The distance of triangles that do not meet is the minimum over pairs of their corners, edges and faces whose nearest
//! points lie on both, one of them a corner or both of them edges. Which pairs these are is decided exactly, so
//! parallel edges and slivers are no special cases.

use super::distance::{Candidate, candidates};
use super::meet::{Corners, Point, meet};
use super::number::{Number, cross, decide, difference, dot};
use super::pairs::{Surface, near};
use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::ControlFlow;

/// Pairs whose distances differ by less than this, relatively, count as equally near.
pub const TIE: f64 = 1e-12;

/// Relative slack of the rough lower bound, well above its rounding and [`TIE`].
const SLACK: f64 = 1e-11;

/// The distance of two triangles, to about 1e-14 of its value; 0 where they meet.
///
/// Coordinates should have a common scale: products of eight of them must neither overflow nor underflow f64.
pub fn of_triangles(a: Corners, b: Corners) -> f64 {
    if meet(a, b) { 0.0 } else { of_apart(a, b) }
}

/// The distance of a point from a triangle, likewise.
pub fn of_point(of: Corners, point: Point) -> f64 {
    decide!(least_of_corner(of, point)).sqrt()
}

fn of_apart(a: Corners, b: Corners) -> f64 {
    let to_corners = |of: Corners, corners: Corners| {
        corners.map(|corner| decide!(least_of_corner(of, corner))).into_iter().fold(f64::INFINITY, f64::min)
    };
    let mut square = to_corners(a, b).min(to_corners(b, a));
    for i in 0..3 {
        for j in 0..3 {
            let edges = [[a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]];
            if let Some(between) = decide!(between_edges(edges)) {
                square = square.min(between);
            }
        }
    }
    square.sqrt()
}

fn least_of_corner<N: Number>(of: Corners, corner: Point) -> Option<f64> {
    let mut least = f64::INFINITY;
    for candidate in candidates::<N>(of, corner)? {
        least = least.min(value(&candidate)?);
    }
    Some(least)
}

fn value<N: Number>(candidate: &Candidate<N>) -> Option<f64> {
    Some(candidate.numerator.value()? / candidate.denominator.value()?)
}

/// The squared distance of the lines through two edges, if their nearest points are inside both edges.
fn between_edges<N: Number>([a, b]: [[Point; 2]; 2]) -> Option<Option<f64>> {
    let (along_a, along_b) = (difference::<N>(a[1], a[0]), difference::<N>(b[1], b[0]));
    let (normal, offset) = (cross(&along_a, &along_b), difference::<N>(b[0], a[0]));
    let square = dot(&normal, &normal);
    if square.sign()? == Equal {
        return Some(None);
    }
    for along in [&along_b, &along_a] {
        let place = dot(&cross(&offset, along), &normal);
        if place.sign()? != Greater || place.minus(&square).sign()? != Less {
            return Some(None);
        }
    }
    let volume = dot(&normal, &offset);
    Some(Some(volume.times(&volume).value()? / square.value()?))
}

/// The nearest triangles of two meshes.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Their distance, to about 1e-14 of its value.
    pub distance: f64,
    /// All pairs of triangles at that distance, ascending.
    pub ties: Vec<(u32, u32)>,
}

/// How far two meshes are apart; `None` where one is empty.
pub fn of_surfaces(a: &Surface, b: &Surface) -> Option<Nearest> {
    let (one, other) = (a.triangles().first()?, b.triangles().first()?);
    let mut least = of_triangles(*one, *other);
    // The minimum of some pairs bounds that of all.
    for (one, other) in a.triangles().iter().zip(b.triangles().iter().rev()) {
        if box_gap([*one, *other]) < least {
            least = least.min(of_triangles(*one, *other));
        }
    }
    let mut found = Vec::new();
    let _ = near(a, b, least * (1.0 + SLACK), &mut |one, other| {
        let corners = [a.triangles()[one as usize], b.triangles()[other as usize]];
        if box_gap(corners) * (1.0 - SLACK) <= least {
            let distance = of_triangles(corners[0], corners[1]);
            least = least.min(distance);
            found.push((one, other, distance));
        }
        ControlFlow::Continue(())
    });
    let near = found.iter().filter(|pair| pair.2 <= least * (1.0 + TIE));
    let mut ties: Vec<_> = near.map(|&(one, other, _)| (one, other)).collect();
    ties.sort_unstable();
    Some(Nearest { distance: least, ties })
}

/// Every pair of triangles that is no farther apart than this, and its distance, ascending.
pub fn within(a: &Surface, b: &Surface, limit: f64) -> Vec<(u32, u32, f64)> {
    let mut found = Vec::new();
    let _ = near(a, b, limit * (1.0 + SLACK), &mut |one, other| {
        let corners = [a.triangles()[one as usize], b.triangles()[other as usize]];
        if box_gap(corners) * (1.0 - SLACK) <= limit {
            let distance = of_triangles(corners[0], corners[1]);
            if distance <= limit {
                found.push((one, other, distance));
            }
        }
        ControlFlow::Continue(())
    });
    found.sort_unstable_by_key(|&(one, other, _)| (one, other));
    found
}

/// The distance of the boxes around two triangles.
fn box_gap([a, b]: [Corners; 2]) -> f64 {
    let square: f64 = (0..3)
        .map(|axis| {
            let [a, b] = [a, b].map(|corners| corners.map(|corner| corner[axis]));
            let low = |[x, y, z]: [f64; 3]| x.min(y).min(z);
            let high = |[x, y, z]: [f64; 3]| x.max(y).max(z);
            (low(b) - high(a)).max(low(a) - high(b)).max(0.0).powi(2)
        })
        .sum();
    square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scene::pairs::KINDS;

    const FLOOR: Corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]];

    #[test]
    fn each_sort_of_neighbour() {
        let near = |b: Corners| {
            let [there, back] = [of_triangles(FLOOR, b), of_triangles(b, FLOOR)];
            assert_eq!(there, back);
            there
        };
        // A corner over the face, two corners, two edges that cross, edges and faces that are parallel.
        assert_eq!(near([[1.0, 1.0, 3.0], [9.0, 9.0, 9.0], [1.0, 2.0, 7.0]]), 3.0);
        assert_eq!(near([[-2.0, -3.0, 6.0], [-9.0, -9.0, 9.0], [-4.0, -9.0, 7.0]]), 7.0);
        assert_eq!(near([[4.0, -5.0, -2.0], [4.0, 1.0, -2.0], [4.0, -5.0, -9.0]]), 2.0);
        assert_eq!(near([[2.0, -3.0, 4.0], [6.0, -3.0, 4.0], [4.0, -9.0, 9.0]]), 5.0);
        assert_eq!(near([[1.0, 1.0, 0.5], [9.0, 1.0, 0.5], [1.0, 9.0, 0.5]]), 0.5);
        assert_eq!(near([[1.0, 1.0, -1.0], [9.0, 9.0, 9.0], [1.0, 2.0, 7.0]]), 0.0);
    }

    #[test]
    fn sampled_points_are_no_nearer() {
        for kind in KINDS {
            let mut random = Random::new(3);
            for _ in 0..100 {
                let pair = (kind.draw)(&mut random);
                let (a, b) = (pair.still(), pair.transformed());
                let distance = of_triangles(a, b);
                let mut inside = |corners: Corners| {
                    let weights: [f64; 3] = std::array::from_fn(|_| random.unit().powi(4) + 1e-300);
                    let sum: f64 = weights.iter().sum();
                    let along = |axis: usize| (0..3).map(|k| weights[k] / sum * corners[k][axis]).sum();
                    [along(0), along(1), along(2)] as Point
                };
                for _ in 0..50 {
                    let (p, q) = (inside(a), inside(b));
                    let square: f64 = (0..3).map(|axis| (p[axis] - q[axis]).powi(2)).sum();
                    let far = a.iter().chain(&b).flatten().fold(0.0f64, |far, x| far.max(x.abs()));
                    assert!(square.sqrt() >= distance - 1e-14 * far, "{} {a:?} {b:?}", kind.name);
                }
            }
        }
    }

    /// The nearest points themselves, by going back and forth between the triangles, for pairs that are far apart.
    #[test]
    fn projections_back_and_forth_reach_it() {
        let mut random = Random::new(4);
        for _ in 0..300 {
            let mut corners = |along: f64| -> Corners {
                std::array::from_fn(|_| {
                    std::array::from_fn(|axis| random.unit() + if axis == 0 { along } else { 0.0 })
                })
            };
            let (a, b) = (corners(0.0), corners(1.5));
            let distance = of_triangles(a, b);
            let mut point = a[0];
            let mut reached = f64::INFINITY;
            for round in 0..20_000 {
                let of = if round % 2 == 0 { b } else { a };
                let next = foot(of, point);
                reached = (0..3).map(|axis| (next[axis] - point[axis]).powi(2)).sum::<f64>().sqrt();
                point = next;
            }
            assert!(
                distance <= reached * (1.0 + 1e-12) && distance > reached * 0.999,
                "{distance} {reached}"
            );
        }
    }

    /// The point of a triangle nearest to a point, by trying all edges and the face.
    fn foot(corners: Corners, point: Point) -> Point {
        let sub = |a: Point, b: Point| -> Point { std::array::from_fn(|axis| a[axis] - b[axis]) };
        let product = |a: Point, b: Point| (0..3).map(|axis| a[axis] * b[axis]).sum::<f64>();
        let on =
            |from: Point, along: Point, t: f64| -> Point { std::array::from_fn(|x| from[x] + t * along[x]) };
        let mut found = Vec::new();
        for k in 0..3 {
            let along = sub(corners[(k + 1) % 3], corners[k]);
            let t = product(sub(point, corners[k]), along) / product(along, along);
            found.push(on(corners[k], along, t.clamp(0.0, 1.0)));
        }
        let [e, f] = [1, 2].map(|k| sub(corners[k], corners[0]));
        let normal: Point =
            std::array::from_fn(|x| e[(x + 1) % 3] * f[(x + 2) % 3] - e[(x + 2) % 3] * f[(x + 1) % 3]);
        let square = product(normal, normal);
        let over = on(point, normal, -product(sub(point, corners[0]), normal) / square);
        let inside = (0..3).all(|k| {
            let (from, along) = (corners[k], sub(corners[(k + 1) % 3], corners[k]));
            let to = sub(over, from);
            let turn: Point = std::array::from_fn(|x| {
                along[(x + 1) % 3] * to[(x + 2) % 3] - along[(x + 2) % 3] * to[(x + 1) % 3]
            });
            product(turn, normal) >= 0.0
        });
        if inside {
            return over;
        }
        let far = |p: &Point| product(sub(*p, point), sub(*p, point));
        found.into_iter().min_by(|p, q| far(p).total_cmp(&far(q))).expect("three edges")
    }

    #[test]
    fn surfaces_are_searched_in_full() {
        let mut random = Random::new(5);
        let mut soup = |along: f64| {
            let corner = |random: &mut Random| {
                std::array::from_fn(|axis| random.unit() + if axis == 0 { along } else { 0.0 })
            };
            Surface::new((0..20).map(|_| [0; 3].map(|_| corner(&mut random))).collect::<Vec<_>>())
        };
        let (a, b) = (soup(0.0), soup(1.01));
        let nearest = of_surfaces(&a, &b).expect("triangles");
        let all = within(&a, &b, f64::INFINITY);
        assert_eq!(all.len(), 400);
        assert_eq!(all.iter().fold(f64::INFINITY, |least, pair| least.min(pair.2)), nearest.distance);
        let (one, other) = nearest.ties[0];
        assert!(all.contains(&(one, other, nearest.distance)));
        assert_eq!(of_surfaces(&Surface::new([]), &a), None);
    }
}
