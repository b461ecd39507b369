//! Fits of cores: points, lines and rectangles along which a sphere is swept to hold given points.
//!
//! In each of some frames, a core starts as it does in PQP: the radius is half the thickness of the points, and the core is
//! only as long and wide as the points extend beyond that. A ball is another start. The best start, by the measure of the
//! swept volume, is then improved by small changes. A rectangle may also start from the best line.

use bvhc_format::swept::Core;

use super::{ball, measure, off};
use crate::fit::Frame;
use crate::math::vector::{Vector, add, cross, dot, length, scale, subtract};

/// Changes begin with this share of the size of the points...
const WIDEST: f64 = 1.0 / 8.0;

/// ...and end below this.
const NARROWEST: f64 = 1.0 / 256.0;

/// How many rounds of changes there are at most.
const ROUNDS: usize = 48;

/// Half axes shorter than this share of the radius are dropped.
const NO_AXIS: f64 = 1.0 / (1 << 16) as f64;

/// And those shorter than this: 2^-100. In f32, their directions would be lost.
const LEAST: f64 = 1.0 / (1u128 << 100) as f64;

/// A core, and the radius around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) centre: Vector,
    /// Perpendicular unit vectors.
    directions: [Vector; 2],
    halves: [f64; 2],
    radius: f64,
    measure: f64,
}

impl Fit {
    /// One fit with each kind of core up to `most`, around at least one point, started in at least one frame.
    pub(super) fn up_to(most: Core, frames: &[Frame], points: &[Vector]) -> Vec<Self> {
        let (centre, radius) = ball::around(points);
        let [direction, other, _] = frames[0].axes;
        let ball = Self::of(centre, [direction, other], [0.0; 2], points);
        let mut fits = vec![ball; most.axes() + 1];
        if most == Core::Point || radius == 0.0 {
            return fits;
        }
        let starts = |start: fn([Vector; 3], &[Vector]) -> Self| {
            let axes = |frame: &Frame, first: usize| [0, 1, 2].map(|next| frame.axes[(first + next) % 3]);
            let all = frames.iter().flat_map(|frame| [0, 1, 2].map(|first| axes(frame, first)));
            all.map(|axes| start(axes, points)).fold(ball, Self::better)
        };
        let line = starts(Self::of_line).improved(Core::Line, points);
        fits[Core::Line as usize] = line;
        if most == Core::Rectangle {
            let rectangle = starts(Self::of_rectangle).improved(most, points);
            fits[Core::Rectangle as usize] = rectangle.better(line.improved(most, points));
        }
        fits
    }

    /// The half axes, the longer one first; zero where they are too short.
    pub(super) fn half_axes(&self, core: Core) -> [Vector; 2] {
        let least = LEAST.max(self.radius * NO_AXIS);
        let axis = |index: usize| {
            let half = if self.halves[index] > least { self.halves[index] } else { 0.0 };
            scale(self.directions[index], half)
        };
        match core {
            Core::Point => [[0.0; 3]; 2],
            Core::Line => [axis(0), [0.0; 3]],
            Core::Rectangle if self.halves[1] > self.halves[0] => [axis(1), axis(0)],
            Core::Rectangle => [axis(0), axis(1)],
        }
    }

    fn of(centre: Vector, directions: [Vector; 2], halves: [f64; 2], points: &[Vector]) -> Self {
        let axes = [scale(directions[0], halves[0]), scale(directions[1], halves[1])];
        let radius =
            points.iter().fold(0.0, |radius: f64, point| radius.max(off(subtract(*point, centre), axes)));
        let measure = measure(2.0 * halves[0], 2.0 * halves[1], radius);
        Self { centre, directions, halves, radius, measure }
    }

    fn better(self, other: Self) -> Self {
        if other.measure < self.measure { other } else { self }
    }

    /// As thick as the points are across `x`, around the middle.
    fn of_line([x, y, z]: [Vector; 3], points: &[Vector]) -> Self {
        let (across_y, across_z) = (Range::of(points, y), Range::of(points, z));
        let (middle_y, middle_z) = (across_y.middle(), across_z.middle());
        let off2 = |point: &Vector| (dot(*point, y) - middle_y).powi(2) + (dot(*point, z) - middle_z).powi(2);
        let radius2 = points.iter().map(off2).fold(0.0, f64::max);
        let along = Range::beyond(points, x, |point| (radius2 - off2(point)).max(0.0).sqrt());
        let centre = add(scale(x, along.middle()), add(scale(y, middle_y), scale(z, middle_z)));
        Self::of(centre, [x, y], [along.half(), 0.0], points)
    }

    /// As thick as the points are along `z`.
    fn of_rectangle([x, y, z]: [Vector; 3], points: &[Vector]) -> Self {
        let thick = Range::of(points, z);
        let (middle, radius) = (thick.middle(), thick.half());
        let half_width =
            |point: &Vector| (radius.powi(2) - (dot(*point, z) - middle).powi(2)).max(0.0).sqrt();
        let (along_x, along_y) = (Range::beyond(points, x, half_width), Range::beyond(points, y, half_width));
        let centre = add(scale(x, along_x.middle()), add(scale(y, along_y.middle()), scale(z, middle)));
        Self::of(centre, [x, y], [along_x.half(), along_y.half()], points)
    }

    /// Improved by small changes, while they lower the measure.
    fn improved(mut self, core: Core, points: &[Vector]) -> Self {
        let size = length([self.halves[0], self.halves[1], self.radius]);
        let mut share = WIDEST;
        for _ in 0..ROUNDS {
            let before = self.measure;
            for change in 0..Self::changes(core) {
                for by in [share, -share] {
                    let changed = self.changed(change, by, size);
                    self = self.better(Self::of(changed.centre, changed.directions, changed.halves, points));
                }
            }
            // Below a gain of one per cent, smaller steps gain more.
            if self.measure > before * 0.99 {
                share *= 0.5;
            }
            if share < NARROWEST {
                break;
            }
        }
        self
    }

    fn changes(core: Core) -> usize {
        if core == Core::Rectangle { 10 } else { 6 }
    }

    /// A shift along an axis, a turn, another length, or a side moved. Those of lines come first.
    fn changed(&self, change: usize, by: f64, size: f64) -> Self {
        let [x, y] = self.directions;
        let z = cross(x, y);
        let (mut centre, mut halves) = (self.centre, self.halves);
        let mut directions = self.directions;
        let turned = |from: Vector, to: Vector| {
            let (s, c) = libm::sincos(by);
            (add(scale(from, c), scale(to, s)), add(scale(to, c), scale(from, -s)))
        };
        match change {
            0 => halves[0] = (halves[0] + by * size).max(0.0),
            1 => centre = add(centre, scale(x, by * size)),
            2 => centre = add(centre, scale(y, by * size)),
            3 => centre = add(centre, scale(z, by * size)),
            4 => (directions[0], directions[1]) = turned(x, y),
            5 => directions[0] = turned(x, z).0,
            6 => halves[1] = (halves[1] + by * size).max(0.0),
            7 => directions[1] = turned(y, z).0,
            8 => {
                let longer = (halves[0] + 0.5 * by * size).max(0.0);
                centre = add(centre, scale(x, longer - halves[0]));
                halves[0] = longer;
            }
            _ => {
                let longer = (halves[1] + 0.5 * by * size).max(0.0);
                centre = add(centre, scale(y, longer - halves[1]));
                halves[1] = longer;
            }
        }
        Self { centre, directions, halves, ..*self }
    }
}

/// An interval along a direction.
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    fn of(points: &[Vector], direction: Vector) -> Self {
        Self::beyond(points, direction, |_| 0.0)
    }

    /// The least range from which each point is no farther than `half_width` of it; where it would be empty, its middle.
    fn beyond(points: &[Vector], direction: Vector, half_width: impl Fn(&Vector) -> f64) -> Self {
        let whole = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };
        let range = points.iter().fold(whole, |range, point| {
            let (along, half_width) = (dot(*point, direction), half_width(point));
            Self { low: range.low.min(along + half_width), high: range.high.max(along - half_width) }
        });
        if range.low <= range.high {
            range
        } else {
            let middle = 0.5 * (range.low + range.high);
            Self { low: middle, high: middle }
        }
    }

    fn middle(&self) -> f64 {
        0.5 * (self.low + self.high)
    }

    fn half(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}
