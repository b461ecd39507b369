//! A building site with coordinates of its own: x to the right, y to the back, z up.

use super::super::Parts;

/// A position in the town, and its orientation.
pub(super) struct Site<'a> {
    parts: &'a mut Parts,
    origin: [f32; 3],
    cosine: f32,
    sine: f32,
}

/// Sides of a prism.
const SIDES: usize = 6;

/// Points of a circle at multiples of about 60 degrees.
const RING: [[f32; 2]; SIDES] =
    [[1.0, 0.0], [0.5, 0.866], [-0.5, 0.866], [-1.0, 0.0], [-0.5, -0.866], [0.5, -0.866]];

/// Triangles of a [block](Site::block).
pub(super) const BLOCK: usize = 12;

/// Triangles of a [prism](Site::prism).
pub(super) const PRISM: usize = 2 * SIDES + 2 * (SIDES - 2);

/// Triangles of an [octahedron](Site::octahedron).
pub(super) const OCTAHEDRON: usize = 8;

/// Triangles of a [gable roof](Site::gable).
pub(super) const GABLE: usize = 8;

impl<'a> Site<'a> {
    /// A site whose origin is at `origin`, rotated about z by twice the arc tangent of `lean`: unlike cosines, this is
    /// the same on every machine.
    pub(super) fn new(parts: &'a mut Parts, origin: [f32; 3], lean: f32) -> Self {
        let square = lean * lean;
        let [cosine, sine] = [1.0 - square, 2.0 * lean].map(|x| x / (1.0 + square));
        Self { parts, origin, cosine, sine }
    }

    fn place(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let turned = [self.cosine * x - self.sine * y, self.sine * x + self.cosine * y, z];
        std::array::from_fn(|axis| self.origin[axis] + turned[axis])
    }

    fn vertex(&mut self, position: [f32; 3]) -> u32 {
        self.parts.vertex(self.place(position))
    }

    fn fan(&mut self, corners: &[u32]) {
        for pair in corners[1..].windows(2) {
            self.parts.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }

    /// A box whose top is narrowed by `taper` on every side.
    pub(super) fn tapered(&mut self, min: [f32; 3], max: [f32; 3], taper: f32) {
        let corner = |number: usize| {
            let inset = if number & 4 == 0 { 0.0 } else { taper };
            let along =
                |axis: usize| if number >> axis & 1 == 0 { min[axis] + inset } else { max[axis] - inset };
            self.place([along(0), along(1), if number & 4 == 0 { min[2] } else { max[2] }])
        };
        let corners = std::array::from_fn(corner);
        self.parts.hexahedron(corners);
    }

    /// The box from `min` to `max`.
    pub(super) fn block(&mut self, min: [f32; 3], max: [f32; 3]) {
        self.tapered(min, max, 0.0);
    }

    /// The box of this size around `centre`.
    pub(super) fn block_around(&mut self, centre: [f32; 3], size: [f32; 3]) {
        let [min, max] = [-0.5, 0.5].map(|half| std::array::from_fn(|axis| centre[axis] + half * size[axis]));
        self.block(min, max);
    }

    /// A closed prism of six sides around an axis of the coordinates (0, 1 or 2), from `start`, with the radii of
    /// both ends.
    pub(super) fn prism(&mut self, start: [f32; 3], axis: usize, length: f32, radii: [f32; 2]) {
        let ring = |site: &mut Self, along: f32, radius: f32| {
            RING.map(|[a, b]| {
                let mut position = start;
                position[axis] += along;
                position[(axis + 1) % 3] += radius * a;
                position[(axis + 2) % 3] += radius * b;
                site.vertex(position)
            })
        };
        let (bottom, top) = (ring(self, 0.0, radii[0]), ring(self, length, radii[1]));
        for side in 0..SIDES {
            let next = (side + 1) % SIDES;
            self.parts.quad([bottom[side], bottom[next], top[next], top[side]]);
        }
        let mut below = bottom;
        below.reverse();
        self.fan(&below);
        self.fan(&top);
    }

    /// The octahedron with these half diagonals.
    pub(super) fn octahedron(&mut self, centre: [f32; 3], radii: [f32; 3]) {
        let mut tip = |axis: usize, sign: f32| {
            let mut position = centre;
            position[axis] += sign * radii[axis];
            self.vertex(position)
        };
        let tips: [[u32; 2]; 3] = std::array::from_fn(|axis| [tip(axis, -1.0), tip(axis, 1.0)]);
        for octant in 0..8_usize {
            let [x, y, z] = std::array::from_fn(|axis| tips[axis][octant >> axis & 1]);
            let even = octant.count_ones() % 2 == 0;
            self.parts.triangles.push(if even { [x, z, y] } else { [x, y, z] });
        }
    }

    /// A gable roof over the rectangle from `min` to `max` in x and y, at `eaves`, its ridge along x.
    pub(super) fn gable(&mut self, min: [f32; 2], max: [f32; 2], eaves: f32, ridge: f32) {
        let middle = 0.5 * (min[1] + max[1]);
        let mut triangle =
            |x| [[min[1], eaves], [max[1], eaves], [middle, ridge]].map(|[y, z]| self.vertex([x, y, z]));
        let ([a, b, c], [d, e, f]) = (triangle(min[0]), triangle(max[0]));
        self.parts.triangles.extend([[a, c, b], [d, e, f]]);
        for side in [[a, b, e, d], [b, c, f, e], [c, a, d, f]] {
            self.parts.quad(side);
        }
    }
}
