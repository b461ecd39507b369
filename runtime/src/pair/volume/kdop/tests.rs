//! No realignment cuts a corner off, and no two k-DOPs that touch are separated: a million sets of corners at poses,
//! half of them of difficult shapes. Expected bounds are computed in f64 from f32 corners: to 2^-48 of their distances,
//! which is far less than the weights' inflation.

mod root;

use std::vec::Vec;

use bvhc_format::kdop::{Directions, KdopLayout, LaneRow, REGIONS, Spot, Tables, ring_cosine};
use bvhc_format::obb::PAIR_WIDTH;

use super::{Kdops, Realign};
use crate::level::Level;
use crate::pair::relative_pose::{RelativePose, TreeFrame};
use crate::pair::triangle::distance::gap;
use crate::pose::Pose;
use crate::simd::{Kernel, dispatch};

type Point = [f64; 3];

/// Sets of corners for each layout and realignment; poses for each four of them.
const SETS: usize = 1400;
const POSES: usize = 56;

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From -1 to 1.
    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Point {
        [self.number(), self.number(), self.number()]
    }

    fn rotation(&mut self) -> [Point; 3] {
        let q = [self.number(), self.number(), self.number(), self.number()];
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        let [x, y, z, w] = q.map(|x| x / length);
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    }

    /// Any pose, or one that maps axes to axes, exactly or nearly.
    fn pose(&mut self) -> Pose {
        let turn = [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]];
        loop {
            let rotation = match self.next() % 8 {
                0 => turn,
                1 => Pose::IDENTITY.rotation(),
                2 => [[1.0, 1e-9, 0.0], [-1e-9, 1.0, 0.0], [0.0, 0.0, 1.0]],
                _ => self.rotation(),
            };
            let far = [0.0, 1.0, 1e4][self.next() as usize % 3];
            if let Ok(pose) = Pose::from_rows(rotation, self.point().map(|x| x * far)) {
                return pose;
            }
        }
    }

    /// Corners whose coordinates f32 can represent.
    fn corners(&mut self) -> Vec<Point> {
        let count = 3 + self.next() as usize % 9;
        let (main, far) = (self.point(), self.point());
        let mut corners: Vec<Point> = (0..count).map(|_| self.point()).collect();
        match self.next() % 8 {
            // A needle, a plate, a triangle, far away, one corner far from all others, on one side of the origin, tiny.
            0 => corners.iter_mut().for_each(|p| *p = [0, 1, 2].map(|i| main[i] * p[0] + 1e-6 * p[i])),
            1 => corners.iter_mut().for_each(|p| p[self.next() as usize % 3] = main[0]),
            2 => corners.truncate(3),
            3 => corners.iter_mut().for_each(|p| *p = [0, 1, 2].map(|i| 1e5 * far[i] + p[i])),
            4 => corners.push(far.map(|x| 1e3 * x)),
            5 => corners.iter_mut().for_each(|p| *p = p.map(f64::abs)),
            6 => corners.iter_mut().for_each(|p| *p = p.map(|x| x * 1e-20)),
            _ => {}
        }
        corners.iter().map(|corner| corner.map(|x| f64::from(x as f32))).collect()
    }
}

fn dot(a: &Point, b: &Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn turn(rotation: &[Point; 3], point: &Point) -> Point {
    [0, 1, 2].map(|axis| dot(&rotation[axis], point))
}

fn transposed([x, y, z]: &[Point; 3]) -> [Point; 3] {
    [0, 1, 2].map(|axis| [x[axis], y[axis], z[axis]])
}

fn up(x: f64) -> f32 {
    ((x * (1.0 + 1e-14)) as f32).next_up().max(0.0)
}

/// rho cos(alpha - theta), from the angles themselves.
fn on_shell(set: &Directions, unit: &Point, q: &Point) -> f64 {
    let length = dot(q, q).sqrt();
    let alpha = if length > 0.0 { (dot(unit, q) / length).clamp(-1.0, 1.0).acos() } else { 0.0 };
    length * (alpha - set.aperture.acos()).cos()
}

/// Builds a node from four sets of corners as FORMAT.md prescribes; centres are means, or the first of the corners.
/// Also returns the radius of its tree.
fn node(layout: &KdopLayout, sets: &[Vec<Point>], is_first: bool) -> (Vec<LaneRow>, f32) {
    let set = layout.directions;
    let mut rows = std::vec![LaneRow { lanes: [0.0; PAIR_WIDTH] }; layout.rows()];
    let mut put = |spot: Spot, number: f32| rows[spot.row].lanes[spot.lane] = number;
    let mut radius = 0.0f32;
    for (slot, corners) in sets.iter().enumerate() {
        let mean = [0, 1, 2].map(|axis| corners.iter().map(|p| p[axis]).sum::<f64>() / corners.len() as f64);
        let centre = if is_first { corners[0] } else { mean.map(|x| f64::from(x as f32)) };
        let centre = if layout.has_tables() { centre } else { [0.0; 3] };
        let offsets: Vec<Point> = corners.iter().map(|corner| sub(corner, &centre)).collect();
        let mut widest = 0.0f32;
        for (i, unit) in set.units().iter().enumerate() {
            let along = offsets.iter().map(|q| dot(unit, q));
            if !layout.has_tables() {
                let bound = along.fold(f64::NEG_INFINITY, f64::max);
                let bound = ((bound + bound.abs() * 1e-14) as f32).next_up();
                widest = widest.max(2.0 * bound.abs());
                put(layout.extent(i, slot), bound);
                continue;
            }
            let extent = up(along.fold(0.0, f64::max));
            widest = widest.max(extent);
            put(layout.extent(i, slot), extent);
            let (mut shell, mut bits) = (0.0f64, 0u32);
            for q in &offsets {
                let length = dot(q, q).sqrt();
                let cosine = dot(unit, q) / length;
                match layout.tables {
                    Tables::Profile => shell = shell.max(on_shell(set, unit, q)),
                    Tables::Occupancy if length > f64::from(extent) && cosine <= set.aperture => {
                        shell = shell.max(on_shell(set, unit, q));
                    }
                    Tables::Occupancy if length > f64::from(extent) => {
                        let ring = (1..REGIONS).find(|ring| ring_cosine(set.aperture, *ring) <= cosine);
                        bits |= 1 << ring.unwrap_or(REGIONS - 1);
                    }
                    _ => {}
                }
            }
            put(layout.shell(i, slot), up(shell));
            if layout.tables == Tables::Occupancy {
                put(layout.rings(i, slot), f32::from_bits(bits));
            }
        }
        if layout.has_tables() {
            (0..3).for_each(|axis| put(layout.centre(axis, slot), centre[axis] as f32));
        }
        radius = radius.max(up(dot(&centre, &centre).sqrt()) + widest);
    }
    (rows, radius)
}

/// Upper bounds of how far B's children extend at a pose along each of A's directions and its opposite; without tables,
/// including the slack of comparisons.
fn realigned<S: Kernel>(simd: S, kdops: &Kdops, of_a: &KdopLayout, b: &[LaneRow]) -> Vec<[[f64; 4]; 2]> {
    let slabs = of_a.directions.slabs();
    match kdops {
        Kdops::Slabs(all) => all.all_extents(simd, b).expect("the rows"),
        Kdops::Lists(lists) => {
            let lists = lists.realigned(simd, b).expect("the rows");
            let back = |i: usize| lists.map(|list| -f64::from(list.as_flattened()[i]));
            (0..slabs).map(|slab| [back(slab + slabs), back(slab)]).collect()
        }
    }
}

fn check_bounds(
    kdops: &Kdops,
    level: Level,
    of_a: &KdopLayout,
    pose: &Pose,
    b: &[LaneRow],
    sets: &[Vec<Point>],
) {
    let found = dispatch!(level.inner(), simd => realigned(simd, kdops, of_a, b));
    assert_eq!(found.len(), of_a.directions.slabs());
    for (unit, sides) in of_a.directions.units().iter().zip(&found) {
        for (slot, corner) in
            sets.iter().enumerate().flat_map(|(slot, set)| set.iter().map(move |p| (slot, p)))
        {
            let along = match kdops {
                Kdops::Lists(_) => dot(unit, &pose.apply(*corner)),
                Kdops::Slabs(_) => {
                    let centre = [0, 1, 2].map(|axis| f64::from(b[axis].lanes[slot]));
                    dot(unit, &turn(&pose.rotation(), &sub(corner, &centre)))
                }
            };
            // The weights have f64 rounding errors themselves.
            let slack = dot(corner, corner).sqrt() / (1u64 << 46) as f64;
            for (side, along) in [along, -along].into_iter().enumerate() {
                let bound = sides[side][slot];
                assert!(along <= bound + slack, "{along:e} > {bound:e}, {pose:?}, {corner:?}");
            }
        }
    }
}

fn way(realign: Realign) -> Tables {
    match realign {
        Realign::Axes | Realign::Triples | Realign::Hull => Tables::None,
        Realign::Occupancy => Tables::Occupancy,
        Realign::Profile => Tables::Profile,
    }
}

#[test]
fn no_corner_is_cut_off() {
    let levels: Vec<Level> = Level::available().collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut checked = 0;
    for (k, realign) in Directions::COUNTS.into_iter().flat_map(|k| Realign::ALL.map(|way| (k, way))) {
        let of_b = KdopLayout::of(k, way(realign) as u32).unwrap();
        if !realign.can_use(&of_b) {
            continue;
        }
        for round in 0..SETS / POSES * 8 {
            let other = Directions::COUNTS[random.next() as usize % 6];
            let of_a = KdopLayout::of([k, other][round % 2], of_b.tables as u32).unwrap();
            let sets: Vec<_> = (0..PAIR_WIDTH).map(|_| random.corners()).collect();
            let (b, radius) = node(&of_b, &sets, round % 3 == 0);
            let frame = TreeFrame { origin: [0.0; 3], radius };
            for _ in 0..POSES {
                let (pose, level) = (random.pose(), levels[random.next() as usize % levels.len()]);
                let kdops = dispatch!(level.inner(), simd => {
                    let relative = RelativePose::new(simd, &pose, &frame, &frame);
                    Kdops::new(simd, [&of_a, &of_b], [radius; 2], &relative, realign, true)
                });
                check_bounds(&kdops, level, &of_a, &pose, &b, &sets);
                checked += sets.len();
            }
        }
    }
    assert!(checked >= 1_000_000, "only {checked}");
}

/// A corner of one set is placed on one of the other, on every level.
#[test]
fn what_touches_is_not_told_apart() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for (k, realign) in Directions::COUNTS.into_iter().flat_map(|k| Realign::ALL.map(|way| (k, way))) {
        let of_b = KdopLayout::of(k, way(realign) as u32).unwrap();
        if !realign.can_use(&of_b) {
            continue;
        }
        for round in 0..600 {
            // A with and without tables, against each layout of B.
            let of_a = KdopLayout::of(Directions::COUNTS[round % 6], round as u32 % 3).unwrap();
            let sets = [(); 2].map(|()| (0..PAIR_WIDTH).map(|_| random.corners()).collect::<Vec<_>>());
            let ((a, radius_a), (b, radius_b)) =
                (node(&of_a, &sets[0], round % 3 == 0), node(&of_b, &sets[1], round % 4 == 0));
            let [i, j] = [0, 1].map(|_| random.next() as usize % PAIR_WIDTH);
            let p = sets[0][i][random.next() as usize % sets[0][i].len()];
            let q = sets[1][j][random.next() as usize % sets[1][j].len()];
            let rotation = random.pose().rotation();
            let pose = Pose::from_rows(rotation, sub(&p, &turn(&rotation, &q))).unwrap();
            let frames = [radius_a, radius_b].map(|radius| TreeFrame { origin: [0.0; 3], radius });
            for level in Level::available() {
                let found = dispatch!(level.inner(), simd => {
                    let relative = RelativePose::new(simd, &pose, &frames[0], &frames[1]);
                    let kdops = Kdops::new(simd, [&of_a, &of_b], [radius_a, radius_b], &relative, realign, true);
                    kdops.overlaps(simd, &a, &b, u32::MAX)
                });
                assert!(found.pairs >> (PAIR_WIDTH * i + j) & 1 == 1, "{k}, {realign:?}, {}", level.name());
                assert!(found.pairs < 1 << 16);
            }
        }
    }
}

/// For triangles, whose distances are exact.
#[test]
fn no_bound_exceeds_the_distance() {
    let mut random = Random(0x0f1e_2d3c_4b5a_6978);
    let layouts = Directions::COUNTS.into_iter().flat_map(|k| Realign::ALL.map(|way| (k, way)));
    let (mut sum, mut count) = (0.0, 0);
    for (k, realign) in layouts {
        let of_b = KdopLayout::of(k, way(realign) as u32).unwrap();
        if !realign.can_use(&of_b) {
            continue;
        }
        for round in 0..60 {
            let of_a = KdopLayout::of(Directions::COUNTS[round % 6], round as u32 % 3).unwrap();
            let sets = [(); 2].map(|()| {
                let mut triangle = || (0..3).map(|_| random.point().map(|x| f64::from(x as f32))).collect();
                [triangle(), triangle(), triangle(), triangle()]
            });
            let ((a, radius_a), (b, radius_b)) =
                (node(&of_a, &sets[0], round % 3 == 0), node(&of_b, &sets[1], round % 4 == 0));
            let far = [0.0, 1.0, 4.0, 300.0][round % 4];
            let pose =
                Pose::from_rows(random.rotation(), random.point().map(|x| x * far)).unwrap_or(Pose::IDENTITY);
            let frames = [radius_a, radius_b].map(|radius| TreeFrame { origin: [0.0; 3], radius });
            for level in Level::available() {
                let found = dispatch!(level.inner(), simd => {
                    let relative = RelativePose::new(simd, &pose, &frames[0], &frames[1]);
                    let radii = [radius_a, radius_b];
                    Kdops::new(simd, [&of_a, &of_b], radii, &relative, realign, false)
                        .lower_bounds(simd, &a, &b, 0xffff, 4.0)
                });
                for (pair, bound) in found.squares.into_iter().enumerate() {
                    let corners = |set: &Vec<Point>| [set[0], set[1], set[2]];
                    let still = corners(&sets[0][pair / PAIR_WIDTH]);
                    let transformed = corners(&sets[1][pair % PAIR_WIDTH]).map(|corner| pose.apply(corner));
                    let square = gap(&still, &transformed, &mut 0).square;
                    assert!(f64::from(bound) <= square, "{k}, {realign:?}, {level:?}: {bound} {square}");
                    assert_eq!(found.pairs >> pair & 1 == 1, bound <= 4.0);
                    if square > 1.0 {
                        sum += (f64::from(bound) / square).sqrt();
                        count += 1;
                    }
                }
            }
        }
    }
    let mean = sum / f64::from(count);
    std::eprintln!("{mean:.2} of the distance");
    assert!(count > 1000 && mean > 0.6);
}

/// k-DOPs that are separated along one of the directions, by a hundredth of their size, are proven disjoint.
#[test]
fn what_is_apart_is_told_apart() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for k in Directions::COUNTS {
        let layout = KdopLayout::of(k, Tables::None as u32).unwrap();
        let sets: Vec<_> = (0..PAIR_WIDTH).map(|_| (0..6).map(|_| random.point()).collect()).collect();
        let sets: Vec<Vec<Point>> = sets
            .into_iter()
            .map(|set: Vec<Point>| set.iter().map(|p| p.map(|x| f64::from(x as f32))).collect())
            .collect();
        let (node, radius) = node(&layout, &sets, false);
        let frame = TreeFrame { origin: [0.0; 3], radius };
        for unit in layout.directions.units() {
            let extent = |set: &Vec<Point>, sign: f64| {
                set.iter().map(|p| sign * dot(unit, p)).fold(f64::NEG_INFINITY, f64::max)
            };
            let far = sets.iter().map(|set| extent(set, 1.0)).fold(0.0, f64::max)
                + sets.iter().map(|set| extent(set, -1.0)).fold(0.0, f64::max);
            for level in Level::available() {
                let pairs = |by: f64| {
                    let pose = Pose::from_translation(unit.map(|x| x * by)).unwrap();
                    dispatch!(level.inner(), simd => {
                        let relative = RelativePose::new(simd, &pose, &frame, &frame);
                        let kdops =
                            Kdops::new(simd, [&layout, &layout], [radius; 2], &relative, Realign::Triples, true);
                        kdops.overlaps(simd, &node, &node, u32::MAX).pairs
                    })
                };
                assert_eq!(pairs(far + 0.01), 0, "{k}");
                assert_eq!(pairs(0.0) & 0x8421, 0x8421, "{k}");
            }
        }
    }
}

/// Mean width of realigned k-DOPs over that of exact ones, for points on a sphere, on a curved patch of one, for
/// triangles and for needles: the basis for the choice of the default.
fn looseness(k: u32, realign: Realign) -> [f64; 4] {
    let layout = KdopLayout::of(k, way(realign) as u32).unwrap();
    let level = Level::detect().expect("a level");
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut means = [0.0; 4];
    for (shape, mean) in means.iter_mut().enumerate() {
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..60 {
            let axis = random.point();
            let mut corner = || {
                let p = random.point();
                let p = p.map(|x| x / dot(&p, &p).sqrt());
                match shape {
                    0 => p,
                    1 => {
                        let near = [0, 1, 2].map(|i| axis[i] / dot(&axis, &axis).sqrt() + 0.5 * p[i]);
                        near.map(|x| x / dot(&near, &near).sqrt())
                    }
                    2 => p,
                    _ => [0, 1, 2].map(|i| axis[i] * p[0] + 0.05 * p[i]),
                }
            };
            let set: Vec<Point> = (0..[200, 60, 3, 20][shape]).map(|_| corner()).collect();
            let (b, _) = node(&layout, std::slice::from_ref(&set), false);
            for _ in 0..8 {
                let pose = Pose::from_rows(random.rotation(), [0.0; 3]).unwrap_or(Pose::IDENTITY);
                for unit in &layout.directions.units()[..layout.directions.slabs()] {
                    let turned = turn(&transposed(&pose.rotation()), unit);
                    let sides = realign.extents(level, &layout, &b, turned).expect("the rows");
                    let along = set.iter().map(|p| dot(unit, &turn(&pose.rotation(), p)));
                    let [low, high] =
                        along.fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x), high.max(x)]);
                    sum += (f64::from(sides[0][0]) + f64::from(sides[1][0])) / (high - low);
                    count += 1;
                }
            }
        }
        *mean = sum / f64::from(count);
    }
    means
}

/// Except on spheres, the corrected occupancy tables are no tighter than three directions without tables; profiles are
/// the tightest on spheres.
#[test]
fn triples_are_the_tightest_but_on_spheres() {
    let table = [
        (6, Realign::Axes),
        (14, Realign::Axes),
        (14, Realign::Occupancy),
        (14, Realign::Profile),
        (14, Realign::Triples),
        (26, Realign::Triples),
        (42, Realign::Triples),
    ]
    .map(|(k, realign)| (k, realign, looseness(k, realign)));
    for (k, realign, means) in &table {
        std::eprintln!(
            "{k:2} {:10} sphere {:.2}, patch {:.2}, triangle {:.2}, needle {:.2}",
            realign.name(),
            means[0],
            means[1],
            means[2],
            means[3]
        );
        assert!(means.iter().all(|mean| *mean >= 1.0 && *mean < 5.0));
    }
    let [_, axes, occupancy, profile, triples, of_26, of_42] = table.map(|(.., means)| means);
    assert!(profile[0] < triples[0] && occupancy[0] < 1.02 * triples[0]);
    for shape in 0..4 {
        assert!(of_42[shape] < of_26[shape] && of_26[shape] < triples[shape] && triples[shape] < axes[shape]);
        assert!(shape == 0 || triples[shape] < profile[shape] && profile[shape] < occupancy[shape]);
    }
}
