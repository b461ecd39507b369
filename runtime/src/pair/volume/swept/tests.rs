use std::prelude::v1::*;

use super::*;
use crate::level::Level;
use crate::pair::relative_pose::TreeFrame;
use crate::pose::Pose;
use crate::simd::dispatch;
use crate::triangle::testing::{Random, rotation};

type Point = [f64; 3];

/// A swept sphere whose coordinates f32 can represent.
#[derive(Clone, Copy, Debug)]
struct Slot {
    centre: Point,
    axes: [Point; 2],
    radius: f64,
}

fn dot64(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: Point) -> f64 {
    dot64(a, a).sqrt()
}

fn plus(a: Point, b: Point, by: f64) -> Point {
    [0, 1, 2].map(|axis| a[axis] + by * b[axis])
}

impl Slot {
    /// Half axes lie along the first columns of `turn` and have any length, down to zero.
    fn draw(random: &mut Random, core: Core, turn: [Point; 3], centre: Point, size: f64) -> Self {
        let rounded = |point: Point| point.map(|x| f64::from(x as f32));
        let sides = [1.0, 0.3, 1e-3, 0.0];
        let mut side = || size * random.centred().abs() * sides[random.below(4) as usize];
        let (first, second) = (side(), side());
        let column = |axis: usize, by: f64| rounded([0, 1, 2].map(|row: usize| by * turn[row][axis]));
        let radius = f64::from((side() * 0.3) as f32);
        let mut axes = [column(0, first), column(1, second)];
        for axis in &mut axes[core.axes()..] {
            *axis = [0.0; 3];
        }
        Self { centre: rounded(centre), axes, radius }
    }

    /// The point of the core nearest to another point.
    fn nearest(&self, point: Point) -> Point {
        self.axes.iter().fold(self.centre, |near, axis| {
            let square = dot64(*axis, *axis);
            let along =
                if square > 0.0 { dot64(plus(point, self.centre, -1.0), *axis) / square } else { 0.0 };
            plus(near, *axis, along.clamp(-1.0, 1.0))
        })
    }

    /// Upper bound of the distance, usually tight: that of two points.
    fn distance(&self, other: &Self) -> f64 {
        let mut point = other.centre;
        let mut least = f64::INFINITY;
        for _ in 0..60 {
            let near = self.nearest(point);
            point = other.nearest(near);
            least = least.min(length(plus(near, point, -1.0)));
        }
        least - self.radius - other.radius
    }

    fn transformed(&self, pose: &Pose) -> Self {
        let turn = |v: Point| pose.rotation().map(|row| dot64(row, v));
        Self { centre: pose.apply(self.centre), axes: self.axes.map(turn), ..*self }
    }

    /// The sum of the lengths of the centre and the half axes, and the radius.
    fn radius_from_origin(&self) -> f64 {
        length(self.centre) + length(self.axes[0]) + length(self.axes[1]) + self.radius
    }
}

fn rows(core: Core, slots: &[Slot; PAIR_WIDTH]) -> Vec<LaneRow> {
    let number = |slot: &Slot, row: usize| match row {
        0..=2 => slot.centre[row] as f32,
        Core::CHILDREN => 0.0,
        Core::RADIUS => slot.radius as f32,
        _ => slot.axes[(row - Core::AXES) / 3][(row - Core::AXES) % 3] as f32,
    };
    let lanes = |row| [0, 1, 2, 3].map(|slot: usize| number(&slots[slot], row));
    (0..core.rows()).map(|row| LaneRow { lanes: lanes(row) }).collect()
}

/// Two nodes, B's pose, and the trees' frames.
struct Meeting {
    a: [Slot; PAIR_WIDTH],
    b: [Slot; PAIR_WIDTH],
    pose: Pose,
    frames: [TreeFrame; 2],
}

impl Meeting {
    /// Nodes of any size, about their size apart or farther, at the origin or far from it; some have parallel cores.
    fn draw(random: &mut Random, cores: [Core; 2]) -> Self {
        let size = 10f64.powi(random.below(5) as i32 - 2);
        let far = [0.0, 1.0, 1e3][random.below(3) as usize] * size;
        let [centre, translation] = [(); 2].map(|()| random.offset(1).map(|x| far * x));
        let pose = random.pose(translation);
        let away = random.offset(2).map(|x| 3.0 * size * x);
        let at = pose.inverse().apply(plus(centre, away, 1.0));
        let is_parallel = random.below(3) == 0;
        let turn = rotation(random.quaternion());
        let back = {
            let inverse = pose.inverse().rotation();
            [0, 1, 2].map(|row: usize| {
                [0, 1, 2].map(|column: usize| (0..3).map(|k| inverse[row][k] * turn[k][column]).sum::<f64>())
            })
        };
        let mut draw = |core: Core, around: Point, turn: [Point; 3]| {
            [(); PAIR_WIDTH].map(|()| {
                let turn = if is_parallel { turn } else { rotation(random.quaternion()) };
                let centre = plus(around, random.offset(2), size);
                Slot::draw(random, core, turn, centre, size)
            })
        };
        let (a, b) = (draw(cores[0], centre, turn), draw(cores[1], at, back));
        let frame = |slots: &[Slot; PAIR_WIDTH]| {
            let radius = slots.iter().map(Slot::radius_from_origin).fold(0.0, f64::max);
            TreeFrame { origin: [0.0; 3], radius: (radius as f32).next_up() }
        };
        let frames = [frame(&a), frame(&b)];
        Self { a, b, pose, frames }
    }
}

/// More than a million pairs, of the same and of different kinds of cores, on every level.
#[test]
fn no_bound_exceeds_the_distance() {
    let mut random = Random(31);
    let mut pairs = 0u32;
    for cores in Core::ALL.into_iter().flat_map(|a| Core::ALL.map(|b| [a, b])) {
        let (mut tightness, mut count, mut apart) = (0.0, 0, 0);
        for _ in 0..8_000 {
            let Meeting { a, b, pose, frames } = Meeting::draw(&mut random, cores);
            let transformed = [0, 1, 2, 3].map(|slot: usize| b[slot].transformed(&pose));
            let mut expected = [0.0; PAIRS];
            for (pair, distance) in expected.iter_mut().enumerate() {
                *distance = a[pair / PAIR_WIDTH].distance(&transformed[pair % PAIR_WIDTH]);
            }
            let (rows_a, rows_b) = (rows(cores[0], &a), rows(cores[1], &b));
            for level in Level::available() {
                let (gaps, overlaps) = dispatch!(level.inner(), simd => {
                    let relative = RelativePose::new(simd, &pose, &frames[0], &frames[1]);
                    let gaps = lower_bounds(simd, &rows_a, &rows_b, &relative, u32::MAX, 1.0);
                    (gaps, overlaps(simd, &rows_a, &rows_b, &relative, 0xffff))
                });
                for (pair, expected) in expected.into_iter().enumerate() {
                    let bound = f64::from(gaps.squares[pair]).sqrt();
                    assert_eq!(gaps.pairs & 1 << pair != 0, gaps.squares[pair] <= 1.0);
                    assert!(bound <= expected.max(0.0), "{level:?}, {cores:?}, {pose:?}: {bound} {expected}");
                    let may_touch = overlaps.pairs & 1 << pair != 0;
                    assert!(may_touch || expected > 0.0, "{level:?}, {cores:?}, {pose:?}: {expected}");
                    apart += u32::from(!may_touch);
                    let slack = f64::from(frames[0].radius + frames[1].radius) * 1e-3;
                    if expected > slack {
                        tightness += bound / expected;
                        count += 1;
                    }
                }
            }
            pairs += PAIRS as u32;
        }
        let least = if cores.contains(&Core::Rectangle) { 0.93 } else { 0.98 };
        assert!(
            tightness > least * f64::from(count) && apart > count / 2,
            "{cores:?}: {tightness} {count} {apart}"
        );
    }
    assert!(pairs > 1_000_000);
}

#[test]
fn empty_slots_are_beyond_everything() {
    let nothing = |core: Core| {
        (0..core.rows()).map(|row| LaneRow { lanes: [Core::empty(row); PAIR_WIDTH] }).collect::<Vec<_>>()
    };
    for [a, b] in Core::ALL.into_iter().flat_map(|a| Core::ALL.map(|b| [a, b].map(nothing))) {
        for level in Level::available() {
            let (gaps, overlaps) = dispatch!(level.inner(), simd => {
                let frame = TreeFrame { origin: [0.0; 3], radius: 1.0 };
                let relative = RelativePose::new(simd, &Pose::IDENTITY, &frame, &frame);
                let gaps = lower_bounds(simd, &a, &b, &relative, u32::MAX, 1.0);
                (gaps, overlaps(simd, &a, &b, &relative, 0xffff))
            });
            assert!(gaps.squares.iter().all(|square| *square > 1e30), "{:?}", gaps.squares);
            assert_eq!((gaps.pairs, overlaps.pairs), (0, 0));
        }
    }
}
