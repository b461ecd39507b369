//! Random queries for difficult cases: from vertices and from afar, along axes and nearly so, in unusual units.

use bvhc::mesh::Mesh;
use bvhc_runtime::{Aabb, Ray, Sides};

use crate::random::Random;

/// Queries about one mesh.
pub struct Queries<'a> {
    mesh: &'a Mesh,
    lower: [f32; 3],
    upper: [f32; 3],
    random: Random,
}

impl<'a> Queries<'a> {
    /// The queries that follow from `seed`.
    pub fn new(mesh: &'a Mesh, seed: u64) -> Self {
        let bound = |pick: fn(f32, f32) -> f32, start: f32| {
            mesh.positions.iter().fold([start; 3], |bound, position| {
                std::array::from_fn(|axis| pick(bound[axis], position[axis]))
            })
        };
        let (lower, upper) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
        Self { mesh, lower, upper, random: Random::new(seed) }
    }

    /// The largest extent of the mesh.
    pub fn size(&self) -> f32 {
        (0..3).map(|axis| self.upper[axis] - self.lower[axis]).fold(0.0, f32::max)
    }

    /// A point of the bounds, enlarged on each side by this many sizes.
    fn around(&mut self, growth: f32) -> [f32; 3] {
        let margin = growth * self.size();
        let (lower, upper) = (self.lower.map(|x| x - margin), self.upper.map(|x| x + margin));
        self.random.point(lower, upper)
    }

    fn corners(&mut self) -> [[f32; 3]; 3] {
        let triangle = self.random.below(self.mesh.triangles.len() as u32);
        self.mesh.corners(triangle)
    }

    /// A vertex, a point of an edge or a point inside a triangle.
    pub fn on_surface(&mut self) -> [f32; 3] {
        let [a, b, c] = self.corners();
        let (u, v) = match self.random.below(4) {
            0 => (0.0, 0.0),
            1 => (0.5, 0.0),
            2 => (self.random.f32(0.0, 1.0), 0.0),
            _ => (self.random.f32(0.0, 0.5), self.random.f32(0.0, 0.5)),
        };
        std::array::from_fn(|axis| a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]))
    }

    /// A point well inside a triangle.
    pub fn inside_triangle(&mut self) -> [f32; 3] {
        let [a, b, c] = self.corners();
        std::array::from_fn(|axis| a[axis] + 0.25 * (b[axis] - a[axis]) + 0.375 * (c[axis] - a[axis]))
    }

    /// Inside the bounds, near them, on the surface, or 10^4 sizes away.
    pub fn point(&mut self) -> [f32; 3] {
        match self.random.below(8) {
            0..3 => self.around(0.0),
            3..5 => self.around(1.0),
            5..7 => self.on_surface(),
            _ => self.around(1e4),
        }
    }

    /// Any ray: see the module's first line.
    pub fn ray(&mut self) -> Ray {
        let origin = self.point();
        let (direction, extent) = self.direction(origin);
        let scale = [1.0, 1.0, 1.0, 1e-30, 1e30][self.random.below(5) as usize];
        let ray = Ray::new(origin, direction.map(|x| x * scale));
        let sides = [Sides::Both, Sides::Both, Sides::Front, Sides::Back][self.random.below(4) as usize];
        let (t_min, t_max) = self.range(extent / scale);
        ray.with_range(t_min, t_max).with_sides(sides)
    }

    /// A direction of about unit length or up to a target, and the `t` at which hits are expected.
    fn direction(&mut self, origin: [f32; 3]) -> ([f32; 3], f32) {
        let size = self.size();
        match self.random.below(6) {
            0..3 => {
                let target = self.on_surface();
                let direction: [f32; 3] = std::array::from_fn(|axis| target[axis] - origin[axis]);
                if direction == [0.0; 3] { ([1.0; 3], size) } else { (direction, 1.0) }
            }
            3 => (self.random.direction(), size),
            4 => (self.along_axis([0.0, -0.0]), size),
            _ => (self.along_axis([1e-20, 1e-12]), size),
        }
    }

    /// Along an axis, except for one of two small components on the other axes, of either sign.
    fn along_axis(&mut self, small: [f32; 2]) -> [f32; 3] {
        let axis = self.random.below(3) as usize;
        std::array::from_fn(|other| {
            let sign = if self.random.below(2) == 0 { 1.0 } else { -1.0 };
            if other == axis { sign } else { sign * small[self.random.below(2) as usize] }
        })
    }

    fn range(&mut self, extent: f32) -> (f32, f32) {
        let pick = self.random.below(5);
        let mut at = |low: f32, high: f32| extent * self.random.f32(low, high);
        match pick {
            0..2 => (0.0, f32::INFINITY),
            2 => (f32::NEG_INFINITY, f32::INFINITY),
            3 => (at(-2.0, 0.0), at(0.0, 2.0)),
            _ => {
                let t_min = at(-0.5, 1.0);
                (t_min, t_min + at(0.0, 1.0))
            }
        }
    }

    /// A ray whose frame, edge functions and `t` have no rounding errors where the mesh has small integer coordinates:
    /// the largest component of its direction is a power of two, all else small multiples of quarters.
    pub fn integer_ray(&mut self) -> Ray {
        let origin = self.quarters();
        let axis = self.random.below(3) as usize;
        let largest = [1, 2, 4][self.random.below(3) as usize];
        let direction = std::array::from_fn(|other| {
            let bound = if other == axis { 0 } else { largest };
            let component = self.random.integer(-bound, bound);
            let sign = if self.random.below(2) == 0 { 1 } else { -1 };
            (if other == axis { sign * largest } else { component }) as f32
        });
        let (t_min, t_max) = match self.random.below(3) {
            0 => (0.0, f32::INFINITY),
            1 => (f32::NEG_INFINITY, 2.0),
            _ => (self.random.integer(-8, 8) as f32 / 4.0, 2.0 + self.random.integer(0, 40) as f32 / 4.0),
        };
        let sides = [Sides::Both, Sides::Front, Sides::Back][self.random.below(3) as usize];
        Ray::new(origin, direction).with_range(t_min, t_max).with_sides(sides)
    }

    /// A point in or near the bounds whose coordinates are multiples of 1/4, often of 1.
    pub fn quarters(&mut self) -> [f32; 3] {
        let step = [1.0, 2.0, 4.0][self.random.below(3) as usize];
        self.around(0.4).map(|x| (x * step).round() / step)
    }

    /// A box: small, large, flat, or only a point; sometimes with corners at vertices.
    pub fn overlap_box(&mut self) -> Aabb {
        let growth = [0.0, 1e-3, 0.05, 0.3][self.random.below(4) as usize] * self.size();
        let low = if self.random.below(3) == 0 { self.on_surface() } else { self.around(0.1) };
        let high = low.map(|x| {
            let extent = if self.random.below(4) == 0 { 0.0 } else { self.random.f32(0.0, growth) };
            x + extent
        });
        Aabb::new(low, high)
    }

    /// A ball: centre and radius.
    pub fn ball(&mut self) -> ([f32; 3], f32) {
        let centre = self.point();
        let extent = [0.0, 1e-3, 0.05, 0.3, 1e4][self.random.below(5) as usize] * self.size();
        (centre, self.random.f32(0.0, extent))
    }

    /// A radius for closest points: half of them infinite.
    pub fn max_distance(&mut self) -> f32 {
        if self.random.below(2) == 0 { f32::INFINITY } else { self.random.f32(0.0, self.size()) }
    }
}
