//! From extents along stored directions to a bound along any other.
//!
//! A slot of a node has the extents e_i of its corners' offsets q from its centre: D_i q <= e_i, with e_i >= 0. Each way
//! bounds q D' for all of them, D' a unit vector, by something that is linear in what nodes store, but for one maximum;
//! its weights and rows are found once a query. Weights are rounded up from [`INFLATION`] times what they should be, and
//! all numbers are at least 0 (K4, K6, K7): so rounding the products and sums cannot make a bound too small.
//!
//! - *Triples*: where D' = a D_i + b D_j + c D_k with weights of at least 0, q D' <= a e_i + b e_j + c e_k. The three
//!   directions are those of the face of the directions' hull that D' goes through: they make the least sum of weights.
//!   Based on: Zachmann, "Rapid collision detection by dynamically aligned DOP-trees", 1998.
//! - *Axes*: the same with the three axes. Based on: van den Bergen, "Efficient collision detection of complex deformable
//!   models using AABB trees", 1997.
//! - The others take the direction D_i nearest to D', at an angle beta to it, which is at most theta, the angle whose
//!   cosine is the aperture. With alpha the angle from D_i to q and rho its length, q D' <= rho cos(alpha - beta), since
//!   angles obey the triangle inequality.
//! - *Profile*: W = max rho cos(alpha - theta) is stored. With x = rho cos(alpha) <= e and y = rho sin(alpha) >= 0,
//!   x cos(theta) + y sin(theta) <= W gives y <= (W - x cos(theta)) / sin(theta), so that x cos(beta) + y sin(beta) <=
//!   (x sin(theta - beta) + W sin(beta)) / sin(theta), where x may be replaced by e.
//! - *Occupancy*: a corner is no farther than e, or is in a ring whose bit is set, or beyond the cone. (1) rho <= e: q D'
//!   <= e. (2) In ring j: alpha is at most theta_j, so rho cos(alpha - beta) = x (cos(beta) + sin(beta) tan(alpha)) <= e
//!   (cos(beta) + sin(beta) tan(theta_j)), which is most for the highest bit. (3) Beyond the cone, alpha - beta = (alpha -
//!   theta) + (theta - beta), neither of which is negative, so rho cos(alpha - beta) <= L cos(theta - beta) with L = max rho
//!   cos(alpha - theta), or 0 if that is more. Based on: Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003,
//!   whose formulas (5) to (7) cut corners off: they add angles of rings, which are not additive, and start from factors
//!   below 1.

use bvhc_format::kdop::{Directions, KdopLayout, REGIONS, Tables};

use crate::simd::{Kernel, square_root};

/// Weights are larger by 16 times 2^-24 than they should be: rounding them, three products and two sums takes 6.
const INFLATION: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// How k-DOPs of a turned model are realigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Realign {
    /// By the extents along the three axes, for sets of directions that have them: the least work, the loosest.
    Axes,
    /// By the extents along the three directions around each: needs no tables.
    #[default]
    Triples,
    /// By occupancy tables, around the nearest direction.
    Occupancy,
    /// By profiles, around the nearest direction.
    Profile,
}

impl Realign {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Axes, Self::Triples, Self::Occupancy, Self::Profile];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Axes => "axes",
            Self::Triples => "triples",
            Self::Occupancy => "occupancy",
            Self::Profile => "profile",
        }
    }

    /// Whether nodes of this layout have what it takes.
    pub(crate) fn can_use(self, layout: &KdopLayout) -> bool {
        match self {
            Self::Axes => layout.directions.has_axes(),
            Self::Triples => true,
            Self::Occupancy => layout.tables == Tables::Occupancy,
            Self::Profile => layout.tables == Tables::Profile,
        }
    }

    /// What turns the rings of occupancy tables into factors.
    pub(super) fn tangents(self, layout: &KdopLayout) -> Option<&'static [f32; REGIONS]> {
        (self == Self::Occupancy).then_some(&layout.directions.ring_tangents)
    }

    /// The weights of a bound along `turned`, and the rows that they are for, there and along the opposite direction.
    /// With occupancy: cos(beta), sin(beta) and cos(theta - beta), and the rows of extents, reaches and rings.
    #[inline(always)]
    pub(super) fn weigh<S: Kernel>(
        self,
        simd: S,
        layout: &KdopLayout,
        turned: [f64; 3],
    ) -> ([f32; 3], [[u32; 3]; 2]) {
        let set = layout.directions;
        let extent = |direction: usize| (KdopLayout::EXTENTS + direction) as u32;
        let of_three = |three: [usize; 3]| [extent(three[0]), extent(three[1]), extent(three[2])];
        let opposite = |three: [usize; 3]| three.map(|direction| set.opposite(direction));
        match self {
            Self::Axes | Self::Triples => {
                let (weights, three) =
                    if self == Self::Axes { axes(set, turned) } else { triple(set, turned) };
                (round_up(weights), [of_three(three), of_three(opposite(three))])
            }
            Self::Profile | Self::Occupancy => {
                let nearest = nearest(set, turned);
                let [cosine, sine] = angle(simd, &set.units()[nearest], turned);
                let rows = |direction: usize| {
                    let last = if self == Self::Profile { KdopLayout::EXTENTS } else { layout.rings() };
                    [extent(direction), (layout.reaches() + direction) as u32, (last + direction) as u32]
                };
                let rows = [rows(nearest), rows(set.opposite(nearest))];
                let (cosine_theta, sine_theta) = (set.aperture, set.aperture_sine);
                let between = (sine_theta * cosine - cosine_theta * sine).max(0.0);
                let weights = if self == Self::Profile {
                    [between / sine_theta, sine / sine_theta, 0.0]
                } else {
                    [cosine, sine, cosine_theta * cosine + sine_theta * sine]
                };
                (round_up(weights), rows)
            }
        }
    }
}

#[inline(always)]
fn round_up([x, y, z]: [f64; 3]) -> [f32; 3] {
    [x, y, z].map(|weight| (weight * INFLATION) as f32)
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn axes(set: &Directions, turned: [f64; 3]) -> ([f64; 3], [usize; 3]) {
    let signs = signs(&turned);
    (turned.map(f64::abs), [0, 1, 2].map(|axis| set.mirrored(axis, signs)))
}

/// The face that a vector goes through, in the octant of positive coordinates, where the vector's mirror image is.
#[inline(always)]
fn triple(set: &Directions, turned: [f64; 3]) -> ([f64; 3], [usize; 3]) {
    let (image, signs) = (turned.map(f64::abs), signs(&turned));
    let mut best = ([0.0; 3], [0; 3], f64::NEG_INFINITY);
    for face in set.faces() {
        let [x, y, z] = &face.weights;
        let weights = [dot(x, &image), dot(y, &image), dot(z, &image)];
        let least = weights[0].min(weights[1]).min(weights[2]);
        if least > best.2 {
            best = (weights, face.directions.map(usize::from), least);
        }
        if least >= 0.0 {
            break;
        }
    }
    // Negative only where rounding has the vector on a border.
    (best.0.map(|weight| weight.max(0.0)), best.1.map(|direction| set.mirrored(direction, signs)))
}

/// A bit for each axis along which a vector goes back.
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
