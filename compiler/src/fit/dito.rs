//! Frames from two large tetrahedra among a few extreme points.
//!
//! Based on: Larsson, Kallberg, "Fast computation of tight-fitting oriented bounding boxes", in Game Engine Gems 2,
//! 2011 (DiTO-14 and DiTO-26). Departures: directions have length 1, candidates are compared by the objective where
//! the chapter takes half the surface, and a base that has no area does not end the search, as sets on a line or in a
//! plane are fitted elsewhere.

use fearless_simd::Simd;

use super::cloud::Cloud;
use super::frame::Frame;
use super::objective::Objective;
use crate::math::vector::{Vector, cross, dot, length_squared, subtract, unit};
use crate::simd::dispatch;

/// How many extreme points are considered, two a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directions {
    /// The axes of space and the diagonals of the cube.
    Fourteen,
    /// Also the diagonals of the cube's faces.
    TwentySix,
}

const ALL: [Vector; 13] = {
    const FACE: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const CUBE: f64 = 0.577_350_269_189_625_8;
    [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [CUBE, CUBE, CUBE],
        [CUBE, CUBE, -CUBE],
        [CUBE, -CUBE, CUBE],
        [CUBE, -CUBE, -CUBE],
        [FACE, FACE, 0.0],
        [FACE, -FACE, 0.0],
        [FACE, 0.0, FACE],
        [FACE, 0.0, -FACE],
        [0.0, FACE, FACE],
        [0.0, FACE, -FACE],
    ]
};

impl Directions {
    fn list(self) -> &'static [Vector] {
        match self {
            Self::Fourteen => &ALL[..7],
            Self::TwentySix => &ALL,
        }
    }
}

/// Reused memory of a search.
#[derive(Debug, Default)]
pub(super) struct Dito {
    extremes: Vec<Vector>,
    /// The extreme points, where there are more points than these.
    few: Cloud,
}

/// The best frame so far, by its measure around a few points.
struct Best {
    frame: Frame,
    measure: f64,
}

impl Dito {
    /// The best frame found, or that of space if its box around all points is better.
    pub(super) fn fit(&mut self, cloud: &Cloud, objective: Objective, directions: Directions) -> Frame {
        // The same operations, and so the same bits, on every level.
        dispatch!(simd => self.fit_on_level(simd, cloud, objective, directions))
    }

    #[inline(always)]
    fn fit_on_level(
        &mut self,
        simd: impl Simd,
        cloud: &Cloud,
        objective: Objective,
        directions: Directions,
    ) -> Frame {
        self.find_extremes(simd, cloud, directions);
        let few = if cloud.points().len() > self.extremes.len() {
            self.few.fill(self.extremes.iter().copied());
            &self.few
        } else {
            cloud
        };
        let mut best = Best { frame: Frame::IDENTITY, measure: f64::INFINITY };
        if let Some(base) = self.base() {
            let normal = cross(subtract(base[1], base[0]), subtract(base[2], base[0]));
            let [low, high] = ends(self.extremes.iter().copied(), normal);
            try_triangle(base, few, objective, &mut best);
            for top in [low, high] {
                for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                    try_triangle([base[a], base[b], top], few, objective, &mut best);
                }
            }
        }
        let measure = |frame: &Frame| objective.measure(cloud.extents(frame));
        if measure(&best.frame) < measure(&Frame::IDENTITY) { best.frame } else { Frame::IDENTITY }
    }

    /// Lists, for each direction, the least point and the greatest.
    #[inline(always)]
    fn find_extremes(&mut self, simd: impl Simd, cloud: &Cloud, directions: Directions) {
        self.extremes.clear();
        for direction in directions.list() {
            self.extremes.extend(cloud.ends(simd, *direction).map(|end| cloud.point(end)));
        }
    }

    /// A large triangle: the two extremes of a direction that are farthest apart, and the point farthest from their
    /// line.
    fn base(&self) -> Option<[Vector; 3]> {
        let apart = |pair: &[Vector]| length_squared(subtract(pair[1], pair[0]));
        let longest = first_max(self.extremes.chunks_exact(2), |pair| apart(pair))?;
        let (a, along) = (longest[0], subtract(longest[1], longest[0]));
        let far = |point: &&Vector| length_squared(cross(along, subtract(**point, a)));
        let third = first_max(self.extremes.iter(), far)?;
        (far(&third) > 0.0).then_some([a, longest[1], *third])
    }
}

/// Tries the frames that are flush with a triangle and one of its edges.
#[inline(always)]
fn try_triangle(corners: [Vector; 3], few: &Cloud, objective: Objective, best: &mut Best) {
    let edges = [0, 1, 2].map(|i| subtract(corners[(i + 1) % 3], corners[i]));
    let Some(normal) = unit(cross(edges[0], edges[1])) else {
        return;
    };
    for edge in edges {
        let Some(frame) = Frame::from_unit(normal, edge) else {
            continue;
        };
        let measure = objective.measure(few.extents(&frame));
        if measure < best.measure {
            *best = Best { frame, measure };
        }
    }
}

/// The least and the greatest point along a direction, the first of equals.
#[inline(always)]
fn ends(points: impl Iterator<Item = Vector>, direction: Vector) -> [Vector; 2] {
    let (mut low, mut high) = ((f64::INFINITY, [0.0; 3]), (f64::NEG_INFINITY, [0.0; 3]));
    for point in points {
        let along = dot(point, direction);
        low = if along < low.0 { (along, point) } else { low };
        high = if along > high.0 { (along, point) } else { high };
    }
    [low.1, high.1]
}

/// The item of the greatest key, the first of equals.
fn first_max<T>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> f64) -> Option<T> {
    items.map(|item| (key(&item), item)).reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, item)| item)
}
