//! The section by comparing every edge with every other one, in integers, on meshes whose vertices are on a small grid.

use bvhc_format::NONE;
use bvhc_format::edges::{FOLD, TriangleEdges, UNKNOWN_ANGLE};

use super::lay_out_edges;
use crate::math::random::SplitMix;

type Point = [i64; 3];

fn sub(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn normal([a, b, c]: [Point; 3]) -> Point {
    cross(sub(b, a), sub(c, a))
}

/// What is known of an edge or a corner: the convex and the concave angle, in units.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bend {
    Unknown,
    Known([f64; 2]),
}

impl Bend {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => Self::Known([a[0].max(b[0]), a[1].max(b[1])]),
            _ => Self::Unknown,
        }
    }

    fn is(self, [convex, concave]: [u16; 2]) -> bool {
        match self {
            Self::Unknown => convex == UNKNOWN_ANGLE && concave == UNKNOWN_ANGLE,
            Self::Known(angles) => [convex, concave]
                .iter()
                .zip(angles)
                .all(|(found, angle)| (f64::from(*found) - angle).abs() < 1.0),
        }
    }
}

struct Oracle<'a>(&'a [[Point; 3]]);

impl Oracle<'_> {
    fn edge(&self, (triangle, k): (usize, usize)) -> [Point; 2] {
        [self.0[triangle][k], self.0[triangle][(k + 1) % 3]]
    }

    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.0.len()).flat_map(|triangle| (0..3).map(move |k| (triangle, k)))
    }

    /// All other triangles' edges with the same ends.
    fn shared(&self, of: (usize, usize)) -> Vec<(usize, usize)> {
        let [a, b] = self.edge(of);
        let same = |other: &(usize, usize)| [[a, b], [b, a]].contains(&self.edge(*other));
        self.edges().filter(|other| *other != of && same(other)).collect()
    }

    fn angle(&self, (triangle, k): (usize, usize), other: usize, is_flipped: bool) -> Bend {
        let corners = self.0[triangle];
        let (own, mut across) = (normal(corners), normal(self.0[other]));
        if is_flipped {
            across = across.map(|x| -x);
        }
        let length = |v: Point| (dot(v, v) as f64).sqrt();
        let cosine = dot(own, across) as f64 / (length(own) * length(across));
        let angle = cosine.clamp(-1.0, 1.0).acos() * f64::from(FOLD) / std::f64::consts::PI;
        let [a, b] = self.edge((triangle, k));
        let turn = dot(cross(own, across), sub(b, a));
        // Parallel: flat, or folded back, which is both.
        if cross(own, across) == [0; 3] {
            return Bend::Known(if dot(own, across) > 0 { [0.0; 2] } else { [f64::from(FOLD); 2] });
        }
        Bend::Known(if turn > 0 { [angle, 0.0] } else { [0.0, angle] })
    }

    /// The single triangle across an edge, and the bend.
    fn across(&self, of: (usize, usize)) -> (u32, Bend) {
        let [a, b] = self.edge(of);
        match self.shared(of)[..] {
            [] => (NONE, self.beside(of)),
            [other] => {
                let is_flipped = self.edge(other) == [a, b];
                (other.0 as u32, self.angle(of, other.0, is_flipped))
            }
            _ => (NONE, Bend::Unknown),
        }
    }

    /// The bend to edges of single triangles that go the other way along the same line, if these cover the whole edge.
    fn beside(&self, of: (usize, usize)) -> Bend {
        let [a, b] = self.edge(of);
        let along = sub(b, a);
        let place = |p: Point| dot(sub(p, a), along);
        let is_on_line = |p: Point| cross(sub(p, a), along) == [0; 3];
        let mut parts = Vec::new();
        for other in self.edges().filter(|other| *other != of && self.shared(*other).is_empty()) {
            let [p, q] = self.edge(other);
            if is_on_line(p) && is_on_line(q) && place(q) < place(p) && place(q) < place(b) && place(p) > 0 {
                parts.push((place(q), place(p), other.0));
            }
        }
        parts.sort_unstable();
        let covered =
            parts.iter().fold(0, |up_to, (from, to, _)| if *from <= up_to { up_to.max(*to) } else { up_to });
        if covered < place(b) {
            return Bend::Unknown;
        }
        parts
            .iter()
            .map(|(_, _, other)| self.angle(of, *other, false))
            .reduce(Bend::and)
            .unwrap_or(Bend::Unknown)
    }

    fn corner(&self, at: Point) -> Bend {
        let is_flipped = |edge: (usize, usize)| match self.shared(edge)[..] {
            [other] => self.edge(other) == self.edge(edge),
            _ => false,
        };
        let ends = self.edges().filter(|edge| self.edge(*edge).contains(&at));
        let bend = |edge| if is_flipped(edge) { Bend::Unknown } else { self.across(edge).1 };
        ends.map(bend).reduce(Bend::and).expect("a corner has edges")
    }
}

/// Triangles with an area, on a grid of few points, of which every third mesh is flat.
fn triangles(random: &mut SplitMix, index: u64) -> Vec<[Point; 3]> {
    let heights = [1, 2, 4][index as usize % 3];
    let below = |random: &mut SplitMix, bound: u64| (random.bits() % bound) as i64;
    let point = |random: &mut SplitMix| [below(random, 5), below(random, 5), below(random, heights)];
    let count = 1 + below(random, 14);
    let all = (0..count).map(|_| [point(random), point(random), point(random)]);
    all.filter(|corners| normal(*corners) != [0; 3]).collect()
}

#[test]
fn edges_and_corners_are_as_every_pair_says() {
    let mut seen = [0; 4];
    for index in 0..4000 {
        let triangles = triangles(&mut SplitMix::new(index), index);
        let oracle = Oracle(&triangles);
        let laid_out: Vec<TriangleEdges> = lay_out_edges(
            &triangles.iter().map(|corners| corners.map(|p| p.map(|x| x as f32))).collect::<Vec<_>>(),
        );
        for (triangle, record) in laid_out.iter().enumerate() {
            for k in 0..3 {
                let (neighbour, bend) = oracle.across((triangle, k));
                assert_eq!(record.neighbours[k], neighbour, "{index}: {triangle} {k} of {triangles:?}");
                let found = [record.convex[k], record.concave[k]];
                assert!(bend.is(found), "{index}: {triangle} {k} of {triangles:?}: {bend:?} {found:?}");
                let at_corner = oracle.corner(triangles[triangle][k]);
                let found = [record.convex[3 + k], record.concave[3 + k]];
                assert!(
                    at_corner.is(found),
                    "{index}: corner {triangle} {k} of {triangles:?}: {at_corner:?} {found:?}"
                );
                seen[0] += u32::from(neighbour != NONE);
                seen[1] += u32::from(neighbour == NONE && bend != Bend::Unknown);
                seen[2] += u32::from(bend == Bend::Unknown);
                seen[3] += u32::from(at_corner != Bend::Unknown);
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 30), "{seen:?}");
}
