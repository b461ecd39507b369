//! The root's realignment: a million sets of corners at poses, half of them touching A or at exactly the limit from it.

use std::vec::Vec;

use bvhc_format::hull::{Cells, HullVertex};
use bvhc_format::kdop::{Directions, KdopLayout};
use bvhc_format::obb::PAIR_WIDTH;
use rkyv::rend::u32_le;

use super::{Point, Random, dot, node, sub, turn, up};
use crate::hull::Hull;
use crate::level::Level;
use crate::pair::relative_pose::{RelativePose, TreeFrame};
use crate::pair::volume::kdop::are_apart;
use crate::pose::Pose;
use crate::simd::dispatch;

/// Sets for each layout of A; poses for each set.
const SETS: usize = 100;
const POSES: usize = 560;

/// A hull of so few points that all are neighbours of all: whichever is the farthest, an edge leads there.
struct Known {
    vertices: Vec<HullVertex>,
    neighbours: Vec<u32_le>,
    starts: Vec<u32_le>,
}

impl Known {
    /// Climbs begin at random vertices.
    fn of(points: &[Point], random: &mut Random) -> Self {
        let count = points.len() as u32;
        let mut some = || u32_le::from_native(random.next() as u32 % count);
        let vertex = |(number, point): (u32, &Point)| HullVertex {
            position: point.map(|x| x as f32),
            end: (number + 1) * count,
        };
        Self {
            vertices: (0..).zip(points).map(vertex).collect(),
            neighbours: (0..count * count).map(|number| u32_le::from_native(number % count)).collect(),
            starts: (0..24).map(|_| some()).collect(),
        }
    }

    fn hull(&self) -> Hull<'_> {
        let cells = Cells::of_count(self.starts.len()).unwrap();
        Hull::of_parts(&self.vertices, &self.neighbours, &self.starts, cells)
    }
}

/// The largest separation along any of the directions.
fn gap(directions: &Directions, a: &[Vec<Point>], b: &[Point], pose: &Pose) -> f64 {
    let transformed: Vec<Point> = b.iter().map(|corner| pose.apply(*corner)).collect();
    let along = |unit: &Point| {
        let of_a = a.iter().flatten().map(|corner| dot(unit, corner)).fold(f64::NEG_INFINITY, f64::max);
        transformed.iter().map(|corner| dot(unit, corner)).fold(f64::INFINITY, f64::min) - of_a
    };
    directions.units().iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn roots_are_told_apart_exactly() {
    let level = Level::available().last().unwrap();
    let mut random = Random(0x6a09_e667_f3bc_c908);
    let (mut checked, mut touching, mut apart) = (0, 0, 0);
    let layouts = Directions::COUNTS.into_iter().flat_map(|k| (0..3).map(move |tables| (k, tables)));
    for (round, (k, tables)) in layouts.flat_map(|layout| [layout; SETS]).enumerate() {
        let layout = KdopLayout::of(k, tables).unwrap();
        let a: Vec<_> = (0..PAIR_WIDTH).map(|_| random.corners()).collect();
        let b = random.corners();
        let (rows, radius) = node(&layout, &a, round % 3 == 0);
        let known = Known::of(&b, &mut random);
        let (hull, origin) = (known.hull(), [b[0], random.point(), [0.0; 3]][round % 3].map(|x| x as f32));
        let farthest = b.iter().map(|corner| sub(corner, &origin.map(f64::from))).map(|q| dot(&q, &q));
        let frames = [
            TreeFrame { origin: [0.0; 3], radius },
            TreeFrame { origin, radius: up(farthest.fold(0.0, f64::max).sqrt()) },
        ];
        for _ in 0..POSES {
            checked += 1;
            let (mut pose, mut limit) = (random.pose(), 0.0);
            let meets = random.next().is_multiple_of(2);
            if meets {
                let [p, q] = [&a[random.next() as usize % PAIR_WIDTH], &b]
                    .map(|set| set[random.next() as usize % set.len()]);
                // Touching, or as far apart as the limit.
                let size = f64::from(random.next().is_multiple_of(2)) * f64::from(radius);
                let by = random.point().map(|x| x * size);
                limit = dot(&by, &by).sqrt() * (1.0 + 1e-14);
                let at = [0, 1, 2].map(|axis| p[axis] + by[axis]);
                pose = Pose::from_rows(pose.rotation(), sub(&at, &turn(&pose.rotation(), &q))).unwrap();
            }
            let relative =
                dispatch!(level.inner(), simd => RelativePose::new(simd, &pose, &frames[0], &frames[1]));
            let found = are_apart(&layout, &rows, &hull, [&frames[0], &frames[1]], &relative, limit);
            assert!(!(found && meets), "{k}, {tables}, {limit}, {pose:?}, {a:?}, {b:?}");
            touching += usize::from(meets);
            // Bounds are rounded up, and the slack is subtracted.
            let t = relative.translation().map(|x| f64::from(x.abs()));
            let size = t[0] + t[1] + t[2] + f64::from(frames[0].radius) + f64::from(frames[1].radius);
            let much = size / (1 << 19) as f64 + f64::from(relative.noise());
            if gap(layout.directions, &a, &b, &pose) > limit + much {
                assert!(found, "{k}, {tables}, {pose:?}, {a:?}, {b:?}");
                apart += 1;
            }
        }
    }
    assert!(checked > 1_000_000 && touching > 400_000 && apart > 100_000, "{checked}, {touching}, {apart}");
}
