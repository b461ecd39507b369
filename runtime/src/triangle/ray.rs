//! Rays against the triangles of a block: the one place where it is decided what a ray hits.
//!
//! Based on: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013. Departures: all
//! vertices of a block are brought into the ray's frame once; f64 takes over not where an edge function
//! is zero but where the triangle, as the ray sees it, is too thin for f32 weights.
//!
//! # Why nothing slips through
//!
//! A vertex has one place in the frame, whichever triangle asks. An edge function is two products and a
//! difference, each rounded; rounding is monotone, so its sign is the exact sign for those places, or
//! zero, and both triangles of an edge see the same magnitude. So the triangle whose image holds the
//! ray passes the inclusive sign test, and f64, in which the products are exact, keeps its sign. Only
//! triangles whose image has no area at all are passed over; their neighbours hold those rays.

use bvhc_format::record::Block;
use fearless_simd::{SimdBase, SimdMask, f32x16};

use crate::ray::{Frame, Hit, Sides};
use crate::simd::{Kernel, lanes};

/// f32 weights are used where the edge functions' products sum to less than this many times the
/// determinant: then they place the hit within 2^-17 of the triangle's extent ([`Frame`]).
const LARGEST_CONDITION: f32 = 30.0;

/// f32 weights are not used below this determinant: their products would be subnormal.
const SMALLEST_DETERMINANT: f32 = 1.0 / (1u128 << 100) as f32;

/// Calls `hit` with lane and t of each triangle of the block that the ray hits at
/// `frame.t_min <= t <= t_max`, in ascending order of the lanes.
#[inline(always)]
pub(crate) fn hits_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    frame: &Frame,
    t_max: f32,
    mut hit: impl FnMut(usize, f32),
) {
    let [kx, ky, kz] = frame.axes;
    let from_origin = |axis: usize| f32x16::load_array_ref(simd, &block.positions[axis]) - frame.origin[axis];
    let depth = from_origin(kz);
    // No FMA: both triangles of an edge, and every level, must see the same places.
    let x = simd.table(from_origin(kx) - depth * frame.shear[0]);
    let y = simd.table(from_origin(ky) - depth * frame.shear[1]);
    let count = usize::from(block.triangles);
    let mut first = 0;
    while first < count {
        let step = lanes::<S>();
        let used = u64::MAX >> (64 - (count - first).min(step));
        let corner = |table, k: usize| simd.look_up(table, &block.corners[k], first);
        let place = |k: usize| [corner(x, k), corner(y, k)];
        let edges = EdgeFunctions::<S>::new([place(0), place(1), place(2)]);
        let inside = edges.inside(simd, frame.sides) & used;
        if inside != 0 {
            let z = simd.table(depth * frame.shear[2]);
            let t = edges.distance(simd, [corner(z, 0), corner(z, 1), corner(z, 2)]);
            let in_range =
                t.simd_ge(S::Lanes::splat(simd, frame.t_min)) & t.simd_le(S::Lanes::splat(simd, t_max));
            let well = edges.well_conditioned(simd).to_bitmask();
            let mut left = inside & (in_range.to_bitmask() | !well);
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                if well & 1 << lane != 0 {
                    hit(first + lane, t.as_slice()[lane]);
                } else if let Some(t) = decide_in_f64(block, first + lane, frame, t_max) {
                    hit(first + lane, t);
                }
                left &= left - 1;
            }
        }
        first += step;
    }
}

/// Where the ray hits a triangle that f32 cannot judge, at most at `t_max`.
#[cold]
fn decide_in_f64(block: &Block, lane: usize, frame: &Frame, t_max: f32) -> Option<f32> {
    let weights = Weights::new(&super::corners(block, lane), frame);
    let t = weights.distance();
    (weights.inside(frame.sides) && frame.t_min <= t && t <= t_max).then_some(t)
}

/// Twice the signed areas that the ray spans with each edge, in the frame; a lane a triangle.
struct EdgeFunctions<S: Kernel> {
    functions: [S::Lanes; 3],
    /// Sum of the magnitudes of all products.
    products: S::Lanes,
}

impl<S: Kernel> EdgeFunctions<S> {
    #[inline(always)]
    fn new([a, b, c]: [[S::Lanes; 2]; 3]) -> Self {
        let ([u, pu], [v, pv], [w, pw]) = (cross::<S>(c, b), cross::<S>(a, c), cross::<S>(b, a));
        Self { functions: [u, v, w], products: pu + pv + pw }
    }

    /// The lanes whose triangle holds the ray, edges and corners included, with a visible side.
    #[inline(always)]
    fn inside(&self, simd: S, sides: Sides) -> u64 {
        let zero = S::Lanes::splat(simd, 0.0);
        let [u, v, w] = self.functions;
        let counter_clockwise = u.min(v).min(w).simd_ge(zero);
        let clockwise = u.max(v).max(w).simd_le(zero);
        match sides {
            Sides::Both => (counter_clockwise | clockwise).to_bitmask(),
            Sides::Front => counter_clockwise.to_bitmask(),
            Sides::Back => clockwise.to_bitmask(),
        }
    }

    #[inline(always)]
    fn determinant(&self) -> S::Lanes {
        let [u, v, w] = self.functions;
        u + v + w
    }

    #[inline(always)]
    fn well_conditioned(&self, simd: S) -> <S::Lanes as SimdBase<S>>::Mask {
        let determinant = self.determinant().abs();
        let products = self.products.max(S::Lanes::splat(simd, SMALLEST_DETERMINANT * LARGEST_CONDITION));
        (determinant * LARGEST_CONDITION).simd_gt(products)
    }

    #[inline(always)]
    fn distance(&self, simd: S, [a, b, c]: [S::Lanes; 3]) -> S::Lanes {
        let [u, v, w] = self.functions;
        // Weights first: an edge function times a depth may be too large for f32.
        let scale = S::Lanes::splat(simd, 1.0) / self.determinant();
        (u * scale) * a + (v * scale) * b + (w * scale) * c
    }
}

/// p x q, and the sum of the magnitudes of its products.
#[inline(always)]
fn cross<S: Kernel>([px, py]: [S::Lanes; 2], [qx, qy]: [S::Lanes; 2]) -> [S::Lanes; 2] {
    let (first, second) = (px * qy, py * qx);
    [first - second, first.abs() + second.abs()]
}

/// What a triangle's weights and depths are in f64, from the places that f32 gives its corners.
struct Weights {
    edges: [f64; 3],
    determinant: f64,
    depths: [f64; 3],
}

impl Weights {
    #[inline(always)]
    fn new(corners: &[[f32; 3]; 3], frame: &Frame) -> Self {
        let [kx, ky, kz] = frame.axes;
        let place = |corner: [f32; 3]| {
            let depth = corner[kz] - frame.origin[kz];
            let x = (corner[kx] - frame.origin[kx]) - depth * frame.shear[0];
            let y = (corner[ky] - frame.origin[ky]) - depth * frame.shear[1];
            [f64::from(x), f64::from(y), f64::from(depth * frame.shear[2])]
        };
        let (a, b, c) = (place(corners[0]), place(corners[1]), place(corners[2]));
        let cross = |p: [f64; 3], q: [f64; 3]| p[0] * q[1] - p[1] * q[0];
        let edges = [cross(c, b), cross(a, c), cross(b, a)];
        Self { edges, determinant: edges[0] + edges[1] + edges[2], depths: [a[2], b[2], c[2]] }
    }

    /// Whether the triangle holds the ray, edges and corners included, with a visible side. A triangle
    /// that the ray sees edge on holds nothing.
    fn inside(&self, sides: Sides) -> bool {
        let counter_clockwise = self.determinant > 0.0 && self.edges.iter().all(|edge| *edge >= 0.0);
        let clockwise = self.determinant < 0.0 && self.edges.iter().all(|edge| *edge <= 0.0);
        match sides {
            Sides::Both => counter_clockwise || clockwise,
            Sides::Front => counter_clockwise,
            Sides::Back => clockwise,
        }
    }

    fn distance(&self) -> f32 {
        let ([u, v, w], [a, b, c]) = (self.edges, self.depths);
        ((u * a + v * b + w * c) / self.determinant) as f32
    }

    /// Weight of corner `k`. f32 may take the ray for inside where f64 finds it outside by a rounding.
    fn weight(&self, k: usize) -> f32 {
        (self.edges[k] / self.determinant).clamp(0.0, 1.0) as f32
    }
}

/// What a hit that [`hits_in_block`] found at `t` tells the caller.
pub(crate) fn describe_hit(block: &Block, lane: usize, frame: &Frame, t: f32, triangle: u32) -> Hit {
    let corners = super::corners(block, lane);
    let weights = Weights::new(&corners, frame);
    Hit {
        t: frame.unscale(t),
        u: weights.weight(1),
        v: weights.weight(2),
        triangle,
        normal: unit_normal(&corners),
        back: weights.determinant < 0.0,
    }
}

#[inline(always)]
fn unit_normal([a, b, c]: &[[f32; 3]; 3]) -> [f32; 3] {
    let along = |to: &[f32; 3], axis: usize| f64::from(to[axis]) - f64::from(a[axis]);
    let (e, f) = ([along(b, 0), along(b, 1), along(b, 2)], [along(c, 0), along(c, 1), along(c, 2)]);
    let [x, y, z] = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let scale = 1.0 / libm::sqrt(x * x + y * y + z * z);
    [(x * scale) as f32, (y * scale) as f32, (z * scale) as f32]
}
