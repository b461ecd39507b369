//! Where a ray meets a mesh: exactly, and by how much `f32` arithmetic may differ.
//!
//! The exact answer compares signs of determinants. The permitted answers are those after displacing every corner of a
//! triangle by [`BORDER`] times the largest distance of a corner from the origin, some ten roundings of `f32`: where
//! that cannot change the answer, every sound test must give it.

use super::number::{Number, cross, decide, difference, dot, normal};
use bvhc::mesh::Mesh;
use std::cmp::Ordering::{Equal, Greater, Less};

/// Relative displacement of corners that may change an answer, relative to their largest distance from the origin.
pub const BORDER: f64 = 1e-6;

/// A ray from `origin` along `direction`, which need not be a unit vector and is not 0; `t` is in lengths of the
/// direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where `t` is 0.
    pub origin: [f32; 3],
    /// The direction; its length is the unit of `t`.
    pub direction: [f32; 3],
    /// Hits nearer than this do not count.
    pub t_min: f32,
    /// Hits farther than this do not count; may be infinite.
    pub t_max: f32,
}

/// What a sound test may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Only that the ray hits.
    Hit,
    /// Only that the ray misses.
    Miss,
    /// Either: the ray passes near an edge, nearly in the plane, or `t` is near an end of its range.
    Border,
}

/// How a ray meets one triangle `a b c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The triangle's number.
    pub triangle: u32,
    /// What a sound test may answer.
    pub class: Class,
    /// Whether the ray exactly meets the closed triangle within its range; false where it runs in the plane.
    pub exact: bool,
    /// Whether the ray comes from the side from which the corners run counterclockwise.
    pub front: bool,
    /// Where on the ray, in lengths of its direction.
    pub t: f64,
    /// Weight of corner `b`.
    pub u: f64,
    /// Weight of corner `c`.
    pub v: f64,
    /// How far a sound test's `t` may be from this one.
    pub t_tolerance: f64,
    /// How far a sound test's `u` and `v` may be from these.
    pub uv_tolerance: f64,
}

/// Every triangle that a sound test may report, ascending: those that are not [`Class::Miss`].
pub fn all(mesh: &Mesh, ray: &Ray) -> Vec<Crossing> {
    let count = mesh.triangles.len() as u32;
    (0..count).filter_map(|triangle| crossing(triangle, mesh.corners(triangle), ray)).collect()
}

/// How the ray meets a triangle; `None` where every sound test reports a miss.
pub fn crossing(triangle: u32, corners: [[f32; 3]; 3], ray: &Ray) -> Option<Crossing> {
    let view = View::new(corners, ray);
    if view.is_far() {
        return None;
    }
    let (t, t_tolerance) = view.t();
    let class = classify(&view, corners, ray);
    let [_, u, v] = view.weights();
    (class != Class::Miss).then(|| Crossing {
        triangle,
        class,
        exact: decide!(meets(corners, ray)),
        front: decide!(faces(corners, ray)),
        t,
        u,
        v,
        t_tolerance,
        uv_tolerance: view.uv_tolerance(),
    })
}

fn classify(view: &View, corners: [[f32; 3]; 3], ray: &Ray) -> Class {
    let (t, tolerance) = view.t();
    if view.boundary_distance() > view.shift {
        return if decide!(meets_line(corners, ray)) { in_range(ray, t, t, tolerance) } else { Class::Miss };
    }
    match in_range(ray, view.t_low(), view.t_high(), view.shift / view.length) {
        Class::Miss => Class::Miss,
        Class::Hit | Class::Border => Class::Border,
    }
}

/// What is certain about a hit at `low..=high`, give or take `tolerance`.
fn in_range(ray: &Ray, low: f64, high: f64, tolerance: f64) -> Class {
    let (t_min, t_max) = (f64::from(ray.t_min), f64::from(ray.t_max));
    if high + tolerance < t_min || low - tolerance > t_max {
        Class::Miss
    } else if low - tolerance >= t_min && high + tolerance <= t_max {
        Class::Hit
    } else {
        Class::Border
    }
}

/// Whether the whole line meets the closed triangle, and not only within its plane.
fn meets_line<N: Number>(corners: [[f32; 3]; 3], ray: &Ray) -> Option<bool> {
    let direction: [N; 3] = ray.direction.map(N::new);
    let [a, b, c] = corners.map(|corner| difference::<N>(corner, ray.origin));
    let mut signs = [Equal; 3];
    for (sign, (from, to)) in signs.iter_mut().zip([(&a, &b), (&b, &c), (&c, &a)]) {
        *sign = dot(&direction, &cross(from, to)).sign()?;
    }
    Some(signs.contains(&Less) != signs.contains(&Greater))
}

/// Whether the ray meets the closed triangle within its range.
fn meets<N: Number>(corners: [[f32; 3]; 3], ray: &Ray) -> Option<bool> {
    if !meets_line::<N>(corners, ray)? {
        return Some(false);
    }
    let normal = normal::<N>(corners);
    let slope = dot(&normal, &ray.direction.map(N::new));
    let height = dot(&normal, &difference(corners[0], ray.origin));
    let facing = slope.sign()?;
    let against = |t: f32| {
        let sign = height.minus(&N::new(t).times(&slope)).sign()?;
        Some(if facing == Less { sign.reverse() } else { sign })
    };
    let after = if ray.t_min.is_finite() { against(ray.t_min)? != Less } else { ray.t_min < 0.0 };
    let before = if ray.t_max.is_finite() { against(ray.t_max)? != Greater } else { ray.t_max > 0.0 };
    Some(after && before)
}

fn faces<N: Number>(corners: [[f32; 3]; 3], ray: &Ray) -> Option<bool> {
    Some(dot(&normal::<N>(corners), &ray.direction.map(N::new)).sign()? == Less)
}

/// A triangle seen along a ray, in `f64`.
struct View {
    length: f64,
    /// Where each corner is along the ray, in lengths of the direction.
    along: [f64; 3],
    /// The same measured along the direction's largest axis, as in tests that shear: corners beside the ray differ.
    sheared: [f64; 3],
    /// Each corner projected along the ray: its offset from the nearest point of the ray's line.
    seen: [[f64; 3]; 3],
    /// The direction, of length 1.
    unit: [f64; 3],
    /// How far corners may be displaced.
    shift: f64,
}

impl View {
    fn new(corners: [[f32; 3]; 3], ray: &Ray) -> Self {
        let direction = ray.direction.map(f64::from);
        let length = norm(direction);
        assert!(length > 0.0, "a ray needs a direction");
        let unit = direction.map(|x| x / length);
        let offsets = corners.map(|corner| sub(corner.map(f64::from), ray.origin.map(f64::from)));
        let largest = (0..3).fold(0, |a, b| if direction[b].abs() > direction[a].abs() { b } else { a });
        let sheared = offsets.map(|offset| offset[largest] / direction[largest]);
        let depths = offsets.map(|offset| product(offset, unit));
        let seen = std::array::from_fn(|i| sub(offsets[i], unit.map(|x| x * depths[i])));
        let shift = BORDER * offsets.map(norm).into_iter().fold(0.0, f64::max);
        Self { length, along: depths.map(|depth| depth / length), sheared, seen, unit, shift }
    }

    /// Whether a circle around the first corner that holds the triangle does not contain the ray.
    fn is_far(&self) -> bool {
        let [a, b, c] = self.seen;
        norm(a) > norm(sub(b, a)).max(norm(sub(c, a))) + 2.0 * self.shift
    }

    /// Distance of the ray's line from the nearest edge.
    fn boundary_distance(&self) -> f64 {
        let edges = (0..3).map(|i| segment_distance(self.seen[i], self.seen[(i + 1) % 3]));
        edges.fold(f64::INFINITY, f64::min)
    }

    fn t_low(&self) -> f64 {
        self.along.into_iter().chain(self.sheared).fold(f64::INFINITY, f64::min)
    }

    fn t_high(&self) -> f64 {
        self.along.into_iter().chain(self.sheared).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Twice the signed area of the projected triangle.
    fn area(&self) -> f64 {
        let [a, b, c] = self.seen;
        product(self.unit, product3(sub(b, a), sub(c, a)))
    }

    fn longest(&self) -> f64 {
        (0..3).map(|i| norm(sub(self.seen[i], self.seen[(i + 1) % 3]))).fold(0.0, f64::max)
    }

    /// Weights of the corners where the line meets the plane; thirds where it does not.
    fn weights(&self) -> [f64; 3] {
        let area = self.area();
        let weights: [f64; 3] = std::array::from_fn(|i| {
            product(self.unit, product3(self.seen[(i + 1) % 3], self.seen[(i + 2) % 3])) / area
        });
        if weights.iter().all(|weight| weight.is_finite()) { weights } else { [1.0 / 3.0; 3] }
    }

    /// Where the ray meets the triangle, and how far off that may be.
    fn t(&self) -> (f64, f64) {
        let (low, high) = (self.t_low(), self.t_high());
        let weights = self.weights();
        let t: f64 = (0..3).map(|i| weights[i] * self.along[i]).sum();
        let tolerance = 2.0 * self.uv_tolerance().min(0.5) * (high - low) + self.shift / self.length;
        (t.clamp(low, high), tolerance)
    }

    fn uv_tolerance(&self) -> f64 {
        let tolerance = BORDER + 4.0 * self.shift * self.longest() / self.area().abs();
        if tolerance < 1.0 { tolerance } else { 1.0 }
    }
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn product(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn product3(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        a[next] * b[last] - a[last] * b[next]
    })
}

fn norm(a: [f64; 3]) -> f64 {
    product(a, a).sqrt()
}

/// Distance of the segment from 0.
fn segment_distance(start: [f64; 3], end: [f64; 3]) -> f64 {
    let along = sub(end, start);
    let square = product(along, along);
    let step = if square > 0.0 { (-product(start, along) / square).clamp(0.0, 1.0) } else { 0.0 };
    norm(std::array::from_fn(|axis| start[axis] + step * along[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::classification::{self, Answer};
    use crate::random::Random;
    use crate::scene::{grid, icosphere};

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn ray(origin: [f32; 3], direction: [f32; 3]) -> Ray {
        Ray { origin, direction, t_min: 0.0, t_max: f32::INFINITY }
    }

    fn class(ray: Ray) -> Class {
        crossing(0, CORNERS, &ray).map_or(Class::Miss, |crossing| crossing.class)
    }

    #[test]
    fn a_hit_is_located() {
        let found = crossing(7, CORNERS, &ray([1.0, 2.0, 6.0], [0.0, 0.0, -2.0])).expect("a hit");
        assert_eq!((found.triangle, found.class, found.exact, found.front), (7, Class::Hit, true, true));
        assert_eq!((found.t, found.u, found.v), (3.0, 0.25, 0.5));
        assert!(found.t_tolerance < 1e-4 && found.uv_tolerance < 1e-4);
        let back = crossing(7, CORNERS, &ray([1.0, 1.0, -6.0], [0.0, 0.0, 2.0])).expect("a hit");
        assert!(!back.front);
    }

    #[test]
    fn borders_are_told_from_hits_and_misses() {
        let down = |x, y| ray([x, y, 6.0], [0.0, 0.0, -2.0]);
        assert_eq!(class(down(1.0, 1.0)), Class::Hit);
        assert_eq!(class(down(3.0, 3.0)), Class::Miss);
        assert_eq!(class(down(2.0, 0.0)), Class::Border);
        assert_eq!(class(down(2.0, -1e-6)), Class::Border);
        assert_eq!(class(down(2.0, -1e-4)), Class::Miss);
        assert_eq!(class(down(2.0, 1e-4)), Class::Hit);
        assert_eq!(class(ray([-1.0, 1.0, 0.0], [1.0, 0.0, 0.0])), Class::Border);
        assert_eq!(class(ray([-1.0, 1.0, 1.0], [1.0, 0.0, 0.0])), Class::Miss);
        assert_eq!(class(ray([9.0, 1.0, 0.0], [1.0, 0.0, 0.0])), Class::Miss);
    }

    #[test]
    fn the_range_is_closed() {
        let within = |t_min, t_max| {
            let ray = Ray { t_min, t_max, ..ray([1.0, 1.0, 6.0], [0.0, 0.0, -2.0]) };
            crossing(0, CORNERS, &ray).map(|found| (found.class, found.exact))
        };
        assert_eq!(within(0.0, f32::INFINITY), Some((Class::Hit, true)));
        assert_eq!(within(f32::NEG_INFINITY, 4.0), Some((Class::Hit, true)));
        assert_eq!(within(0.0, 3.0), Some((Class::Border, true)));
        assert_eq!(within(3.0, 3.0), Some((Class::Border, true)));
        assert_eq!(within(0.0, 3.0f32.next_down()), Some((Class::Border, false)));
        assert_eq!(within(0.0, 2.9), None);
        assert_eq!(within(3.1, 9.0), None);
    }

    /// Through the centres of cells every answer is certain: two faces for each cube on the way.
    #[test]
    fn cells_of_the_grid_are_counted() {
        let mesh = grid::cubes([3, 4, 5]);
        for x in 0..3 {
            let ray = ray([x as f32 + 0.25, -1.0, 2.5], [0.0, 1.0, 0.0]);
            let found = all(&mesh, &ray);
            let sure = found.iter().filter(|crossing| crossing.class == Class::Hit && crossing.exact);
            assert_eq!((found.len(), sure.count()), (8, 8));
        }
    }

    /// A closed mesh is entered and left equally often, whatever the ray.
    #[test]
    fn closed_meshes_are_crossed_evenly() {
        let mesh = icosphere::displaced(6, 0.3, 11);
        let mut random = Random::new(12);
        let mut crossed = 0;
        for _ in 0..300 {
            let origin = random.direction().map(|x| 3.0 * x);
            let target = random.point([-0.7; 3], [0.7; 3]);
            let direction = std::array::from_fn(|axis| target[axis] - origin[axis]);
            let found = all(&mesh, &ray(origin, direction));
            let fronts = found.iter().filter(|crossing| crossing.exact && crossing.front).count();
            assert_eq!(found.iter().filter(|crossing| crossing.exact).count(), 2 * fronts);
            crossed += usize::from(fronts > 0);
        }
        assert!(crossed > 200);
    }

    /// A triangle, often a sliver, and a ray aimed near it, often grazing.
    fn encounter(random: &mut Random) -> ([[f32; 3]; 3], Ray) {
        let [a, b, other] = std::array::from_fn(|_| random.point([-1.0; 3], [1.0; 3]));
        let blend = |a: [f32; 3], b: [f32; 3], t: f32| -> [f32; 3] {
            std::array::from_fn(|x| a[x] + t * (b[x] - a[x]))
        };
        let width = [1.0, 1e-2, 1e-4, 1e-6][random.below(4) as usize];
        let c = blend(blend(a, b, random.f32(-0.5, 1.5)), other, width);
        let target = blend(blend(a, b, random.f32(-0.1, 1.1)), c, random.f32(-0.1, 1.1));
        let far = random.point([-3.0; 3], [3.0; 3]);
        let origin =
            if random.below(2) == 0 { far } else { blend(blend(a, c, random.f32(-3.0, 3.0)), far, 1e-3) };
        let direction = std::array::from_fn(|axis| 0.7 * (target[axis] - origin[axis]));
        ([a, b, c], ray(origin, direction))
    }

    /// Displacing corners by the stated amount changes no answer that is called certain, and no hit by more than the
    /// tolerances.
    #[test]
    fn sure_answers_survive_displacement() {
        let mut random = Random::new(13);
        let (mut hits, mut borders, mut misses) = (0, 0, 0);
        for _ in 0..20_000 {
            let (corners, ray) = encounter(&mut random);
            let shift = (View::new(corners, &ray).shift * 0.5) as f32;
            let moved = corners.map(|corner| corner.map(|x| x + random.f32(-shift, shift)));
            let after = crossing(0, moved, &ray);
            match crossing(0, corners, &ray) {
                Some(before) if before.class == Class::Hit => {
                    let after = after.expect("a sure hit cannot be lost");
                    assert!(after.exact && (after.t - before.t).abs() <= before.t_tolerance);
                    assert!((after.u - before.u).abs() <= before.uv_tolerance);
                    hits += 1;
                }
                Some(_) => borders += 1,
                None => {
                    assert!(after.is_none_or(|after| !after.exact));
                    misses += 1;
                }
            }
        }
        assert!(hits > 2000 && borders > 2000 && misses > 2000, "{hits} {borders} {misses}");
    }

    /// Woop, Benthin and Wald's test in plain `f32`.
    fn plain(corners: [[f32; 3]; 3], ray: &Ray) -> Option<Answer> {
        let direction = ray.direction;
        let z = (0..3).max_by(|&a, &b| direction[a].abs().total_cmp(&direction[b].abs())).expect("axes");
        let [x, y] = [(z + 1) % 3, (z + 2) % 3];
        let [a, b, c] = corners.map(|corner| {
            let offset: [f32; 3] = std::array::from_fn(|axis| corner[axis] - ray.origin[axis]);
            let shear = |axis: usize| offset[axis] - offset[z] * (direction[axis] / direction[z]);
            [shear(x), shear(y), offset[z] / direction[z]]
        });
        let cross = |p: [f32; 3], q: [f32; 3]| p[0] * q[1] - p[1] * q[0];
        let weights = [cross(b, c), cross(c, a), cross(a, b)];
        let sum = weights[0] + weights[1] + weights[2];
        let [w, u, v] = weights.map(|weight| weight / sum);
        let t = w * a[2] + u * b[2] + v * c[2];
        let inside = w >= 0.0 && u >= 0.0 && v >= 0.0 && t >= ray.t_min && t <= ray.t_max;
        inside.then(|| Answer { triangle: 0, t: t.into(), u: u.into(), v: v.into() })
    }

    /// Plain `f32` arithmetic stays within what is permitted.
    #[test]
    fn plain_arithmetic_is_excused() {
        let mut random = Random::new(14);
        for _ in 0..50_000 {
            let (corners, ray) = encounter(&mut random);
            let found: Vec<_> = crossing(0, corners, &ray).into_iter().collect();
            let answer = plain(corners, &ray);
            assert_eq!(
                classification::closest(&found, answer),
                Ok(()),
                "{corners:?} {ray:?} {answer:?} {found:?}"
            );
        }
    }
}
