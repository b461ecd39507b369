//! From extents along stored directions to an upper bound along any other.
//!
//! A slot of a node has the extents e_i of its corners' offsets q from its centre: D_i q <= e_i, with e_i >= 0. Each
//! method bounds q D', D' a unit vector, for all of them by an expression that is linear in what nodes store, except
//! for one maximum; its weights and rows are found once per query. Weights are multiplied by [`INFLATION`] and rounded,
//! and all numbers are at least 0 (K4, K6, K7): so rounding the products and sums cannot make a bound too small.
//!
//! - *Triples*: where D' = a D_i + b D_j + c D_k with weights of at least 0, q D' <= a e_i + b e_j + c e_k. The three
//!   directions are those of the face of the directions' hull that D' passes through: they minimize the sum of weights.
//!   Based on: Zachmann, "Rapid collision detection by dynamically aligned DOP-trees", 1998.
//! - *Axes*: the same with the three axes. Based on: van den Bergen, "Efficient collision detection of complex
//!   deformable models using AABB trees", 1997.
//! - The others use the direction D_i nearest to D', at an angle beta to it, which is at most theta, the angle whose
//!   cosine is the aperture. With alpha the angle from D_i to q and rho its length, q D' <= rho cos(alpha - beta), by
//!   the triangle inequality of angles.
//! - *Profile*: W = max rho cos(alpha - theta) is stored. With x = rho cos(alpha) <= e and y = rho sin(alpha) >= 0, x
//!   cos(theta) + y sin(theta) <= W gives y <= (W - x cos(theta)) / sin(theta), so that x cos(beta) + y sin(beta) <= (x
//!   sin(theta - beta) + W sin(beta)) / sin(theta), where x may be replaced by e.
//! - *Occupancy*: a corner is no farther than e, or in a ring whose bit is set, or beyond the cone. (1) rho <= e: q D'
//!   <= e. (2) In ring j: alpha is at most theta_j, so rho cos(alpha - beta) = x (cos(beta) + sin(beta) tan(alpha)) <=
//!   e (cos(beta) + sin(beta) tan(theta_j)), which is greatest for the highest bit. (3) Beyond the cone, alpha - beta =
//!   (alpha - theta) + (theta - beta), neither of which is negative, so rho cos(alpha - beta) <= L cos(theta - beta)
//!   with L = max(0, max rho cos(alpha - theta)). Based on: Fünzig, Fellner, "Easy realignment of k-DOP bounding
//!   volumes", 2003, whose formulas (5) to (7) cut corners off: they add angles of rings, which are not additive, and
//!   start from factors below 1.

use bvhc_format::kdop::{Directions, Face, IMAGES, KdopLayout, Tables};
use fearless_simd::{Select, SimdBase, SimdFloat};

use crate::math::vector::Map3;
use crate::simd::{Kernel, square_root};

/// Weights are inflated by 16 times 2^-24: rounding them, three products and two sums takes 6.
const INFLATION: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// How the k-DOPs of a rotated model are realigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Realign {
    /// By the extents along the three axes, if the set of directions has them: fastest and loosest.
    Axes,
    /// By the extents along the three directions around each: needs no tables.
    #[default]
    Triples,
    /// By occupancy tables, around the nearest direction.
    Occupancy,
    /// By profiles, around the nearest direction.
    Profile,
    /// At the root exactly, by the convex hull of the model; below as [`Triples`](Self::Triples). For files with a
    /// hull.
    Hull,
}

impl Realign {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::Axes, Self::Triples, Self::Occupancy, Self::Profile, Self::Hull];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Axes => "axes",
            Self::Triples => "triples",
            Self::Occupancy => "occupancy",
            Self::Profile => "profile",
            Self::Hull => "hull",
        }
    }

    /// Whether nodes of this layout have the data for it.
    pub(crate) fn can_use(self, layout: &KdopLayout) -> bool {
        match self {
            Self::Axes => layout.directions.has_axes(),
            Self::Triples | Self::Hull => true,
            Self::Occupancy => layout.tables == Tables::Occupancy,
            Self::Profile => layout.tables == Tables::Profile,
        }
    }

    /// Whether it uses three directions.
    pub(super) fn has_triples(self) -> bool {
        matches!(self, Self::Axes | Self::Triples | Self::Hull)
    }

    /// For those: the three directions chosen for each vector, with their weights.
    #[inline(always)]
    pub(super) fn triples<'a, S: Kernel>(
        self,
        simd: S,
        set: &'a Directions,
        vectors: &'a Vectors,
    ) -> Triples<'a> {
        if self == Self::Axes { Triples::of_axes(set, vectors) } else { Triples::of(simd, set, vectors) }
    }

    /// For occupancy and profiles: the direction nearest to a vector, and the weights: of extent and profile; or
    /// cos(beta), sin(beta) and cos(theta - beta).
    #[inline(always)]
    pub(super) fn shell<S: Kernel>(self, simd: S, set: &Directions, turned: [f64; 3]) -> ([f32; 3], usize) {
        let nearest = nearest(set, turned);
        let [cosine, sine] = angle(simd, &set.units()[nearest], turned);
        let (cosine_theta, sine_theta) = (set.aperture, set.aperture_sine);
        let between = (sine_theta * cosine - cosine_theta * sine).max(0.0);
        let weights = if self == Self::Profile {
            [between / sine_theta, sine / sine_theta, 0.0]
        } else {
            [cosine, sine, cosine_theta * cosine + sine_theta * sine]
        };
        (round_up(weights), nearest)
    }
}

pub(super) use bvhc_format::kdop::SLAB_ROOM as ROOM;

/// Up to `ROOM` unit vectors; unused ones are (0, 0, 0).
pub(super) struct Vectors {
    /// Their x, y and z.
    pub(super) along: [[f64; ROOM]; 3],
    pub(super) count: usize,
}

impl Vectors {
    /// The first half of a set's directions, rotated by the inverse of a rotation; and the dot product of each with
    /// `vector`.
    #[inline(always)]
    pub(super) fn turned<S: Kernel>(
        simd: S,
        set: &Directions,
        [x, y, z]: &[[f64; 3]; 3],
        vector: [f64; 3],
    ) -> (Self, [f64; ROOM]) {
        let mut turned = Self { along: [[0.0; ROOM]; 3], count: set.slabs() };
        let mut products = [0.0; ROOM];
        for first in (0..set.slabs()).step_by(wide::<S>()) {
            let part = first..first + wide::<S>();
            let units = [
                S::f64s::from_slice(simd, &set.half[0][part.clone()]),
                S::f64s::from_slice(simd, &set.half[1][part.clone()]),
                S::f64s::from_slice(simd, &set.half[2][part.clone()]),
            ];
            for (axis, along) in turned.along.iter_mut().enumerate() {
                dot_all(simd, &[x[axis], y[axis], z[axis]], &units).store_slice(&mut along[part.clone()]);
            }
            dot_all(simd, &vector, &units).store_slice(&mut products[part]);
        }
        (turned, products)
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> [f64; 3] {
        let [x, y, z] = &self.along;
        [x[index % ROOM], y[index % ROOM], z[index % ROOM]]
    }
}

/// Each vector as a weighted sum of three directions.
pub(super) struct Triples<'a> {
    set: &'a Directions,
    vectors: &'a Vectors,
    /// The weights of the first, the second and the third direction.
    weights: [[f64; ROOM]; 3],
    /// The indices of the faces that the vectors' images in the positive octant pass through; `None` for the axes.
    faces: Option<[f64; ROOM]>,
}

impl<'a> Triples<'a> {
    #[inline(always)]
    pub(super) fn weights(&self, index: usize) -> [f64; 3] {
        let [a, b, c] = &self.weights;
        [a[index % ROOM], b[index % ROOM], c[index % ROOM]]
    }

    /// The directions for a vector, and for its opposite.
    #[inline(always)]
    pub(super) fn directions(&self, index: usize) -> [[u8; 3]; 2] {
        let face = self.faces.as_ref().and_then(|faces| self.set.faces().get(faces[index % ROOM] as usize));
        let [a, b, c] = face.map_or([0, 1, 2], |face| face.directions);
        let ahead = self.set.images(signs(&self.vectors.get(index)));
        // Mirrored along all axes, a direction is its opposite.
        let back = self.set.images(signs(&self.vectors.get(index)) ^ 7);
        let of = |images: &[u8; IMAGES], direction: u8| images[usize::from(direction) % IMAGES];
        [[of(ahead, a), of(ahead, b), of(ahead, c)], [of(back, a), of(back, b), of(back, c)]]
    }

    #[inline(always)]
    fn of_axes(set: &'a Directions, vectors: &'a Vectors) -> Self {
        let mut weights = vectors.along;
        weights.as_flattened_mut().iter_mut().for_each(|weight| *weight = weight.abs());
        Self { set, vectors, weights, faces: None }
    }

    /// Finds the faces that the vectors' mirror images in the positive octant pass through: those with the largest
    /// least weight, which is negative only where rounding puts a vector on a border.
    #[inline(always)]
    fn of<S: Kernel>(simd: S, set: &'a Directions, all: &'a Vectors) -> Self {
        let mut weights = [[0.0; ROOM]; 3];
        let mut chosen = [0.0; ROOM];
        let [x, y, z] = &all.along;
        for first in (0..all.count).step_by(wide::<S>()) {
            let part = first..first + wide::<S>();
            let vectors = [load(simd, x, first), load(simd, y, first), load(simd, z, first)];
            let none = S::f64s::splat(simd, 0.0);
            let (mut a, mut b, mut c) = (none, none, none);
            let (mut least, mut best) = (S::f64s::splat(simd, f64::NEG_INFINITY), none);
            for (index, Face { weights, .. }) in set.faces().iter().enumerate() {
                let p = dot_all(simd, &weights[0], &vectors);
                let q = dot_all(simd, &weights[1], &vectors);
                let r = dot_all(simd, &weights[2], &vectors);
                let lowest = p.min(q).min(r);
                let better = lowest.simd_gt(least);
                (a, b, c) = (better.select(p, a), better.select(q, b), better.select(r, c));
                least = better.select(lowest, least);
                best = better.select(S::f64s::splat(simd, index as f64), best);
            }
            a.max(none).store_slice(&mut weights[0][part.clone()]);
            b.max(none).store_slice(&mut weights[1][part.clone()]);
            c.max(none).store_slice(&mut weights[2][part.clone()]);
            best.store_slice(&mut chosen[part]);
        }
        Self { set, vectors: all, weights, faces: Some(chosen) }
    }
}

/// How many vectors level `S` handles per step.
const fn wide<S: Kernel>() -> usize {
    size_of::<S::f64s>() / size_of::<f64>()
}

/// Coordinates of some vectors, mirrored into the positive octant.
#[inline(always)]
fn load<S: Kernel>(simd: S, numbers: &[f64; ROOM], first: usize) -> S::f64s {
    S::f64s::from_slice(simd, &numbers[first..first + wide::<S>()]).abs()
}

#[inline(always)]
fn dot_all<S: Kernel>(simd: S, [u, v, w]: &[f64; 3], [x, y, z]: &[S::f64s; 3]) -> S::f64s {
    let (u, v, w) = (S::f64s::splat(simd, *u), S::f64s::splat(simd, *v), S::f64s::splat(simd, *w));
    u.mul_add(*x, v.mul_add(*y, w * *z))
}

#[inline(always)]
pub(super) fn round_up([x, y, z]: [f64; 3]) -> [f32; 3] {
    [x, y, z].map3(|weight| (weight * INFLATION) as f32)
}

#[inline(always)]
pub(super) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A bit for each negative coordinate.
#[inline(always)]
fn signs(vector: &[f64; 3]) -> usize {
    usize::from(vector[0] < 0.0) | usize::from(vector[1] < 0.0) << 1 | usize::from(vector[2] < 0.0) << 2
}

#[inline(always)]
fn nearest(set: &Directions, turned: [f64; 3]) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (direction, unit) in set.units()[..set.slabs()].iter().enumerate() {
        let cosine = dot(unit, &turned);
        if cosine.abs() > best.1 {
            best = (if cosine < 0.0 { set.opposite(direction) } else { direction }, cosine.abs());
        }
    }
    best.0
}

/// The cosine and the sine of the angle between two unit vectors.
#[inline(always)]
fn angle<S: Kernel>(simd: S, a: &[f64; 3], b: [f64; 3]) -> [f64; 2] {
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    [dot(a, &b), square_root(simd, dot(&cross, &cross))]
}
