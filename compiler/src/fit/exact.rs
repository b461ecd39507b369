//! The least box, proven to a relative 1e-6.
//!
//! Each of two axes of a least box is perpendicular to an edge of the hull that lies in its face. So for each pair
//! of edges there is one family of boxes with one parameter: the first axis runs along the arc between the normals
//! of the two faces at the first edge, and the second axis is perpendicular to it and to the second edge. Only
//! where it is then on the second edge's arc do both box faces contain their edges. Each such interval is halved until
//! a lower bound of its boxes proves that none is smaller than the best known by more than [`PRECISION`].
//!
//! The bound of an interval: an extent is at least the width of any two points along the axis, and the two that are
//! farthest apart in the middle of the interval are used. Along a great circle, on which the first two axes move, that
//! width is a sinusoid, which is concave where it is positive, and so is least at an end. Along the third axis it is
//! a quadratic polynomial over the product of the lengths of the two others.
//!
//! Bodies of revolution have whole families of boxes within the precision of the least: there the search takes
//! minutes (a cylinder of 300 vertices: two and a half).
//!
//! Based on: O'Rourke, "Finding minimal enclosing boxes", 1985 (two flush edges; [`Objective`] says why it also
//! holds for the collision measure), and Jylanki, "An exact algorithm for finding minimum oriented bounding boxes",
//! 2015 (arcs on the sphere of normals). Departures: branch and bound replaces both the roots of polynomials and the
//! tracking of extreme points.

use super::cloud::Cloud;
use super::descent::Candidate;
use super::frame::Frame;
use super::hull::Hull;
use super::objective::Objective;
use crate::math::vector::{
    Vector, accurate_cross, cross, dot, length_squared, offset, scale, subtract, unit,
};

/// By how much the result may exceed the least, relatively.
pub(super) const PRECISION: f64 = 1e-6;

/// Intervals are not halved below this length on the unit sphere: the first axis is one in f64, and so are the boxes, unless it is
/// along the second edge, to which the second axis then is perpendicular whatever its angle. That angle is searched for by the families
/// of other edges. The arc between coplanar faces is shorter than that.
const SHORTEST: f64 = 1e-11;

/// The rounding error of an extent, relative to the points' own extents: in a nearly flat set, boxes that differ by less
/// compare by rounding only, and halving would never end.
const BLUR: f64 = 1e-14;

/// The rounding error of the cosine of an angle between two normals.
const ROUNDING: f64 = 1e-12;

/// Below this, the square of a second axis's length is mostly rounding error.
const VANISHED: f64 = 1e-24;

/// The normals at which a box's face can hold an edge, from `from` to `from + by`: a quarter turn at most.
#[derive(Clone, Copy, Debug)]
struct Arc {
    /// A unit vector along the edge.
    edge: Vector,
    from: Vector,
    by: Vector,
}

impl Arc {
    fn at(&self, parameter: f64) -> Vector {
        offset(self.from, self.by, parameter)
    }
}

/// Reused memory of a search.
#[derive(Debug, Default)]
pub(super) struct Exact {
    arcs: Vec<Arc>,
    intervals: Vec<[f64; 2]>,
}

impl Exact {
    /// The least box, given one to beat. Takes O(edges^2) time, and O(vertices) for each pair whose arcs meet.
    pub(super) fn fit(
        &mut self,
        hull: &Hull,
        cloud: &Cloud,
        objective: Objective,
        start: Candidate,
    ) -> Candidate {
        self.find_arcs(hull);
        let blur = BLUR * cloud.extents(&Frame::IDENTITY).into_iter().fold(0.0, f64::max);
        let mut best = start;
        for (index, &first) in self.arcs.iter().enumerate() {
            for &second in &self.arcs[index + 1..] {
                let mut family = Family { first, second, cloud, objective, blur, best };
                if family.seek_meetings(&mut self.intervals) {
                    family.search(&mut self.intervals);
                    best = family.best;
                }
            }
        }
        best
    }

    fn find_arcs(&mut self, hull: &Hull) {
        self.arcs.clear();
        let points = hull.points();
        for edge in hull.edges() {
            let [a, b, c] = edge.left.map(|corner| points[corner as usize]);
            let d = points[edge.right as usize];
            let along = subtract(b, a);
            let left = unit(accurate_cross(along, subtract(c, a)));
            let right = unit(accurate_cross(subtract(d, a), along));
            let (Some(edge), Some(left), Some(right)) = (unit(along), left, right) else {
                continue;
            };
            let mut push = |from, to| self.arcs.push(Arc { edge, from, by: subtract(to, from) });
            if dot(left, right) >= 0.0 {
                push(left, right);
            } else {
                let between = cross(edge, left);
                push(left, between);
                push(between, right);
            }
        }
    }
}

/// The boxes that are flush with two edges.
struct Family<'a> {
    first: Arc,
    second: Arc,
    cloud: &'a Cloud,
    objective: Objective,
    blur: f64,
    best: Candidate,
}

/// The axes at a parameter of the first arc; not of length 1.
struct Axes([Vector; 3]);

impl Family<'_> {
    /// Lists the intervals of the first arc to which the second has perpendicular normals, and returns whether there are
    /// any. Single such values are tried at once.
    fn seek_meetings(&mut self, intervals: &mut Vec<[f64; 2]>) -> bool {
        let (from, to) = (self.second.from, self.second.at(1.0));
        // The cosines with both ends of the second arc are linear along the first.
        let cosines = [from, to].map(|end| [dot(self.first.from, end), dot(self.first.at(1.0), end)]);
        let all = cosines.as_flattened();
        if all.iter().all(|x| *x > ROUNDING) || all.iter().all(|x| *x < -ROUNDING) {
            return false;
        }
        let mut breaks = [0.0, 0.0, 0.0, 1.0];
        for (at, [start, end]) in breaks[1..].iter_mut().zip(cosines) {
            let root = start / (start - end);
            *at = if (0.0..=1.0).contains(&root) { root } else { 0.0 };
        }
        breaks.sort_by(f64::total_cmp);
        let value = |[start, end]: [f64; 2], at: f64| start + (end - start) * at;
        let meet = |at: f64| value(cosines[0], at) * value(cosines[1], at) <= ROUNDING;
        intervals.clear();
        for pair in breaks.windows(2) {
            if meet(pair[0]) {
                self.try_at(pair[0]);
            }
            if pair[0] < pair[1] && meet(0.5 * (pair[0] + pair[1])) {
                intervals.push([pair[0], pair[1]]);
            }
        }
        if meet(1.0) {
            self.try_at(1.0);
        }
        true
    }

    /// Halves the intervals until none can hold a better box.
    fn search(&mut self, intervals: &mut Vec<[f64; 2]>) {
        let length = length_squared(self.first.by).sqrt();
        while let Some([low, high]) = intervals.pop() {
            if self.bound(low, high) >= self.best.measure * (1.0 - PRECISION) {
                continue;
            }
            let middle = 0.5 * (low + high);
            self.try_at(middle);
            if (high - low) * length > SHORTEST {
                intervals.extend([[middle, high], [low, middle]]);
            }
        }
    }

    /// Keeps the box at a parameter if it is better.
    fn try_at(&mut self, parameter: f64) {
        let [x, y, _] = self.axes(parameter).0;
        if let Some(frame) = Frame::from_directions(x, y) {
            let measure = self.objective.measure(self.cloud.extents(&frame));
            if measure < self.best.measure {
                self.best = Candidate { frame, measure };
            }
        }
    }

    fn axes(&self, parameter: f64) -> Axes {
        let x = self.first.at(parameter);
        let edge = self.second.edge;
        let y = cross(x, edge);
        // x x (x x edge)
        let z = subtract(scale(x, dot(x, edge)), scale(edge, length_squared(x)));
        Axes([x, y, z])
    }

    /// A lower bound of the measures of all boxes in an interval, up to rounding.
    fn bound(&self, low: f64, high: f64) -> f64 {
        let Axes(middle) = self.axes(0.5 * (low + high));
        let ends = [low, high].map(|parameter| self.axes(parameter).0);
        let apart = middle.map(|axis| self.cloud.support(axis));
        let arc = |axis: usize| {
            let width = |end: &[Vector; 3]| dot(apart[axis], direction(end[axis], middle[axis]));
            width(&ends[0]).min(width(&ends[1])).max(0.0)
        };
        let longest = |axis: usize| length_squared(ends[0][axis]).max(length_squared(ends[1][axis]));
        let [start, centre, end] = [ends[0][2], middle[2], ends[1][2]].map(|z| dot(apart[2], z));
        let area = (longest(0) * longest(1)).sqrt();
        let quadratic = if area > 0.0 { least_quadratic(start, centre, end) / area } else { 0.0 };
        // Where the second axis all but vanishes its length varies too much for that. The third axis goes no
        // farther than the two others together.
        let step = |axis: usize| {
            let centre = direction(middle[axis], middle[axis]);
            let far =
                |end: &[Vector; 3]| length_squared(subtract(direction(end[axis], middle[axis]), centre));
            far(&ends[0]).max(far(&ends[1])).sqrt()
        };
        let centre = dot(apart[2], direction(middle[2], middle[2]));
        let moved = centre - length_squared(apart[2]).sqrt() * (step(0) + step(1));
        let third = quadratic.max(moved).max(0.0);
        self.objective.measure([arc(0), arc(1), third].map(|extent| extent + self.blur))
    }
}

/// The direction of an axis at an end; where it vanishes there, it has that of the middle all along.
fn direction(axis: Vector, middle: Vector) -> Vector {
    let [axis_squared, middle_squared] = [axis, middle].map(length_squared);
    if axis_squared > VANISHED {
        scale(axis, 1.0 / axis_squared.sqrt())
    } else if middle_squared > 0.0 {
        scale(middle, 1.0 / middle_squared.sqrt())
    } else {
        middle
    }
}

/// The least value between its ends of the quadratic polynomial with these values at the ends and in the middle.
fn least_quadratic(start: f64, middle: f64, end: f64) -> f64 {
    let (slope, bend) = (0.5 * (end - start), 0.5 * (start + end) - middle);
    if 2.0 * bend > slope.abs() { middle - 0.25 * slope * slope / bend } else { start.min(end) }
}
