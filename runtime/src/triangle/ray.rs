//! Rays against the triangles of a block; this alone decides what a ray hits.
//!
//! Based on: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013. Departures: all vertices of a block are
//! transformed into the ray's frame once; f64 is used not where an edge function is zero but where the triangle, as the
//! ray sees it, is too thin for f32 weights.
//!
//! # Why nothing slips through
//!
//! A vertex has the same position in the frame for every triangle that uses it. An edge function is the rounded
//! difference of two rounded products. Rounding is monotone, so its sign is the exact sign for these positions, or
//! zero, and both triangles of an edge compute the same magnitude. So the triangle whose projection contains the ray
//! passes the inclusive sign test, and f64, in which the products are exact, keeps its sign. Only triangles whose
//! projection has no area are skipped; rays through them hit their neighbours.

use core::ops::{Add, Mul, Sub};

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{SimdBase, SimdMask};

use crate::math::larger;
use crate::math::vector::Map3;
use crate::packet::Group;
use crate::ray::{Class, Frame, Hit, Sides};
use crate::simd::sixteen::Sixteen;
use crate::simd::{Kernel, lanes, square_root};

/// f32 weights are used if the edge functions' products sum to less than this many times the determinant; their error
/// is then at most 2^-17 of the triangle's extent ([`Frame`]).
const LARGEST_CONDITION: f32 = 30.0;

/// f32 is not used below this determinant: an edge function times a depth, which may both be about as small, would be
/// subnormal.
const SMALLEST_DETERMINANT: f32 = 1.0 / (1u128 << 72) as f32;

/// Sums of products below this are raised to it, which enforces the smallest determinant.
const LEAST_PRODUCTS: f32 = SMALLEST_DETERMINANT * LARGEST_CONDITION;

/// f32 is not used where the products sum to more: multiplied by a depth, at most 2^61, they could overflow.
const LARGEST_PRODUCTS: f32 = (1u128 << 64) as f32;

/// A triangle that a ray hits.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) lane: usize,
    pub(crate) t: f32,
    /// Weights of the second and third corner, times the determinant.
    edges: [f32; 2],
    /// Negative where the corners run clockwise as seen from the ray's origin.
    determinant: f32,
}

/// Calls `hit` with each triangle of the block that the ray hits at `frame.t_min <= t <= t_max`, in ascending order of
/// lanes. If only the existence of a hit matters, it is faster without `DESCRIBED`, at levels where one vector holds
/// all triangles of a block.
#[inline(always)]
pub(crate) fn hits_in_block<S: Kernel, const DESCRIBED: bool>(
    simd: S,
    block: &Block,
    frame: &Frame,
    t_max: f32,
    hit: impl FnMut(Candidate),
) {
    let [kx, ky, kz] = frame.axes;
    let depth = from_origin(simd, block, frame, kz);
    // No FMA: both triangles of an edge, and every level, must compute the same positions.
    let x = from_origin(simd, block, frame, kx) - depth * frame.shear[0];
    let y = from_origin(simd, block, frame, ky) - depth * frame.shear[1];
    if lanes::<S>() == BLOCK_WIDTH {
        hits_at_once::<S, DESCRIBED>(simd, block, frame, t_max, [x, y, depth], hit);
    } else {
        hits_by_parts(simd, block, frame, t_max, [x, y, depth], hit);
    }
}

/// For levels where a block takes several vectors of triangles. `corners` are the positions of its vertices: on the
/// frame's axes kx and ky, and on kz before division by the direction.
#[inline(always)]
fn hits_by_parts<S: Kernel>(
    simd: S,
    block: &Block,
    frame: &Frame,
    t_max: f32,
    [x, y, depth]: [S::Sixteen; 3],
    mut hit: impl FnMut(Candidate),
) {
    let tables = [simd.table(x), simd.table(y)];
    let count = usize::from(block.triangles).min(BLOCK_WIDTH);
    let mut left = 0;
    if 2 * lanes::<S>() < BLOCK_WIDTH {
        for first in (0..count).step_by(lanes::<S>()) {
            left |= inside_of_lanes(simd, block, frame.sides, tables, first);
        }
    } else {
        // Unrolled; in a loop the tables would be kept in memory.
        left = inside_of_lanes(simd, block, frame.sides, tables, 0);
        if count > lanes::<S>() {
            left |= inside_of_lanes(simd, block, frame.sides, tables, lanes::<S>());
        }
    }
    left &= (1 << count) - 1;
    if left == 0 {
        return;
    }
    // The few triangles that contain the ray are processed one by one: one misprediction per block instead of one per
    // part.
    let (x, y, z) = (x.to_array(), y.to_array(), (depth * frame.shear[2]).to_array());
    while left != 0 {
        let lane = left.trailing_zeros() as usize % BLOCK_WIDTH;
        left &= left - 1;
        let [a, b, c] = super::slots(block, lane);
        let corners = [[x[a], y[a]], [x[b], y[b]], [x[c], y[c]]];
        let edges = EdgeFunctions::new(&corners);
        if is_well_conditioned(&corners, &edges) {
            let determinant = edges.determinant();
            let t = edges.moments([z[a], z[b], z[c]]) / determinant;
            if frame.t_min <= t && t <= t_max {
                let [_, v, w] = edges.functions;
                hit(Candidate { lane, t, edges: [v, w], determinant });
            }
        } else if let Some(found) = decide_in_f64(block, lane, frame, t_max) {
            hit(found);
        }
    }
}

/// As [`hits_by_parts`], for levels where one vector holds all triangles of a block.
#[inline(always)]
fn hits_at_once<S: Kernel, const DESCRIBED: bool>(
    simd: S,
    block: &Block,
    frame: &Frame,
    t_max: f32,
    [x, y, depth]: [S::Sixteen; 3],
    mut hit: impl FnMut(Candidate),
) {
    let corners = corners_of_lanes(simd, block, [simd.table(x), simd.table(y)], 0);
    let edges = EdgeFunctions::new(&corners);
    let count = usize::from(block.triangles).min(BLOCK_WIDTH);
    let inside = inside(simd, &edges, frame.sides) & ((1 << count) - 1);
    if inside == 0 {
        return;
    }
    let z = simd.table(depth * frame.shear[2]);
    let corner = |k: usize| simd.look_up(z, &block.corners[k], 0);
    let ([_, v, w], determinant) = (edges.functions, edges.determinant());
    let moments = edges.moments([corner(0), corner(1), corner(2)]);
    let well = well_conditioned(simd, &corners, &edges).to_bitmask();
    let mut left = inside;
    if !DESCRIBED {
        let t = moments / determinant;
        let in_range =
            t.simd_ge(S::Lanes::splat(simd, frame.t_min)) & t.simd_le(S::Lanes::splat(simd, t_max));
        left &= in_range.to_bitmask() | !well;
    }
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        if well & 1 << lane != 0 {
            // One by one: a vector division takes longer than the few that are needed.
            let determinant = simd.pick(determinant, lane);
            let t = simd.pick(moments, lane) / determinant;
            if !DESCRIBED || frame.t_min <= t && t <= t_max {
                let edges = [simd.pick(v, lane), simd.pick(w, lane)];
                hit(Candidate { lane, t, edges, determinant });
            }
        } else if let Some(found) = decide_in_f64(block, lane, frame, t_max) {
            hit(found);
        }
    }
}

/// The positions of a block's vertices along an axis, relative to a ray's origin.
#[inline(always)]
fn from_origin<S: Kernel>(simd: S, block: &Block, frame: &Frame, axis: usize) -> S::Sixteen {
    S::Sixteen::load(simd, &block.positions[axis]) - frame.origin[axis]
}

/// The triangles that contain the ray, of those in the lanes from `first`.
#[inline(always)]
fn inside_of_lanes<S: Kernel>(
    simd: S,
    block: &Block,
    sides: Sides,
    tables: [S::Table; 2],
    first: usize,
) -> u64 {
    let edges = EdgeFunctions::new(&corners_of_lanes(simd, block, tables, first));
    inside(simd, &edges, sides) << first
}

/// The positions of the corners of the triangles in the lanes from `first`, from tables of vertex positions.
#[inline(always)]
fn corners_of_lanes<S: Kernel>(
    simd: S,
    block: &Block,
    [x, y]: [S::Table; 2],
    first: usize,
) -> [[S::Lanes; 2]; 3] {
    let corner = |table, k: usize| simd.look_up(table, &block.corners[k], first);
    let at = |k: usize| [corner(x, k), corner(y, k)];
    [at(0), at(1), at(2)]
}

/// The positions of a block's vertices for a group of rays, on the axes kx and ky: scratch for [`hits_of_rays`].
pub(crate) struct Vertices<S: Kernel>([[S::Lanes; 2]; BLOCK_WIDTH]);

impl<S: Kernel> Vertices<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        Self([[S::Lanes::splat(simd, 0.0); 2]; BLOCK_WIDTH])
    }
}

/// As [`hits_in_block`], for each of the `active` rays of a group, one per lane. Calls `hit` with the lane and each
/// triangle that its ray hits within its limit, triangle by triangle in ascending order.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a packet's state, which is the caller's")]
pub(crate) fn hits_of_rays<S: Kernel>(
    simd: S,
    block: &Block,
    class: Class,
    group: &Group<S>,
    active: u64,
    vertices: &mut Vertices<S>,
    limits: S::Lanes,
    mut hit: impl FnMut(usize, Candidate),
) {
    let [kx, ky, kz] = class.axes();
    let from_origin =
        |axis: usize, slot: usize| S::Lanes::splat(simd, block.positions[axis][slot]) - group.origin[axis];
    for (slot, vertex) in vertices.0.iter_mut().enumerate().take(usize::from(block.vertices)) {
        let depth = from_origin(kz, slot);
        *vertex =
            [from_origin(kx, slot) - depth * group.shear[0], from_origin(ky, slot) - depth * group.shear[1]];
    }
    for lane in 0..usize::from(block.triangles).min(BLOCK_WIDTH) {
        let slots = super::slots(block, lane);
        let corners = [vertices.0[slots[0]], vertices.0[slots[1]], vertices.0[slots[2]]];
        let edges = EdgeFunctions::new(&corners);
        let inside = inside(simd, &edges, class.sides) & active;
        if inside == 0 {
            continue;
        }
        let depth = |k: usize| from_origin(kz, slots[k]) * group.shear[2];
        let ([_, v, w], determinant) = (edges.functions, edges.determinant());
        let t = edges.moments([depth(0), depth(1), depth(2)]) / determinant;
        let in_range = t.simd_ge(group.t_min) & t.simd_le(limits);
        let well = well_conditioned(simd, &corners, &edges).to_bitmask();
        let mut left = inside & (in_range.to_bitmask() | !well);
        while left != 0 {
            let ray = left.trailing_zeros() as usize % lanes::<S>();
            left &= left - 1;
            if well & 1 << ray != 0 {
                let edges = [simd.pick(v, ray), simd.pick(w, ray)];
                let (t, determinant) = (simd.pick(t, ray), simd.pick(determinant, ray));
                hit(ray, Candidate { lane, t, edges, determinant });
            } else {
                let frame = group.frame(class, ray, simd.pick(limits, ray));
                if let Some(found) = decide_in_f64(block, lane, &frame, frame.t_max) {
                    hit(ray, found);
                }
            }
        }
    }
}

/// The hit of a ray on a triangle that f32 cannot classify, up to `t_max`.
#[cold]
fn decide_in_f64(block: &Block, lane: usize, frame: &Frame, t_max: f32) -> Option<Candidate> {
    let [kx, ky, kz] = frame.axes;
    let at = |corner: [f32; 3]| {
        let depth = corner[kz] - frame.origin[kz];
        let x = (corner[kx] - frame.origin[kx]) - depth * frame.shear[0];
        let y = (corner[ky] - frame.origin[ky]) - depth * frame.shear[1];
        [x, y, depth * frame.shear[2]].map3(f64::from)
    };
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = super::corners(block, lane).map3(at);
    let functions = EdgeFunctions::new(&[[ax, ay], [bx, by], [cx, cy]]);
    let (edges, determinant) = (functions.functions, functions.determinant());
    let front = determinant > 0.0 && edges.iter().all(|edge| *edge >= 0.0);
    let back = determinant < 0.0 && edges.iter().all(|edge| *edge <= 0.0);
    let seen = match frame.sides {
        Sides::Both => front || back,
        Sides::Front => front,
        Sides::Back => back,
    };
    let [_, v, w] = edges.map3(|edge| (edge / determinant.abs()) as f32);
    let t = (functions.moments([az, bz, cz]) / determinant) as f32;
    let found = Candidate { lane, t, edges: [v, w], determinant: determinant.signum() as f32 };
    (seen && frame.t_min <= t && t <= t_max).then_some(found)
}

/// Twice the signed areas that the ray spans with each edge of a triangle, for one triangle or one per lane.
struct EdgeFunctions<T> {
    functions: [T; 3],
}

/// A number, or one per lane.
trait Numbers: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Numbers for T {}

impl<T: Numbers> EdgeFunctions<T> {
    /// For corners at these positions in the frame.
    #[inline(always)]
    fn new([a, b, c]: &[[T; 2]; 3]) -> Self {
        Self { functions: [cross(c, b), cross(a, c), cross(b, a)] }
    }

    #[inline(always)]
    fn determinant(&self) -> T {
        let [u, v, w] = self.functions;
        u + v + w
    }

    /// The weighted sum of the corners' depths, times the determinant. The division comes last: if the rest is exact,
    /// the triangles of a flat face give the same distance, and the tie goes to the lowest number.
    #[inline(always)]
    fn moments(&self, [a, b, c]: [T; 3]) -> T {
        let [u, v, w] = self.functions;
        u * a + v * b + w * c
    }
}

/// p x q
#[inline(always)]
fn cross<T: Numbers>([px, py]: &[T; 2], [qx, qy]: &[T; 2]) -> T {
    *px * *qy - *py * *qx
}

/// The sum of the magnitudes of the products in the edge functions of a triangle with these corners.
#[inline(always)]
fn products<T: Numbers>([a, b, c]: &[[T; 2]; 3], abs: impl Fn(T) -> T + Copy) -> T {
    products_of_edge(c, b, abs) + products_of_edge(a, c, abs) + products_of_edge(b, a, abs)
}

/// The part of that sum from p x q.
#[inline(always)]
fn products_of_edge<T: Numbers>([px, py]: &[T; 2], [qx, qy]: &[T; 2], abs: impl Fn(T) -> T) -> T {
    abs(*px * *qy) + abs(*py * *qx)
}

/// The lanes whose triangle contains the ray, edges and corners included, with a visible side.
#[inline(always)]
fn inside<S: Kernel>(simd: S, edges: &EdgeFunctions<S::Lanes>, sides: Sides) -> u64 {
    let zero = S::Lanes::splat(simd, 0.0);
    let [u, v, w] = edges.functions;
    let counter_clockwise = u.min(v).min(w).simd_ge(zero);
    let clockwise = u.max(v).max(w).simd_le(zero);
    match sides {
        Sides::Both => (counter_clockwise | clockwise).to_bitmask(),
        Sides::Front => counter_clockwise.to_bitmask(),
        Sides::Back => clockwise.to_bitmask(),
    }
}

/// The lanes with triangles, given their corners and edge functions, for which f32 weights are accurate enough.
#[inline(always)]
fn well_conditioned<S: Kernel>(
    simd: S,
    corners: &[[S::Lanes; 2]; 3],
    edges: &EdgeFunctions<S::Lanes>,
) -> <S::Lanes as SimdBase<S>>::Mask {
    let products = products(
        corners,
        #[inline(always)]
        |x| x.abs(),
    );
    let products = products.max(S::Lanes::splat(simd, LEAST_PRODUCTS));
    (edges.determinant().abs() * LARGEST_CONDITION).simd_gt(products)
        & products.simd_le(S::Lanes::splat(simd, LARGEST_PRODUCTS))
}

/// As above, for one triangle.
#[inline(always)]
fn is_well_conditioned(corners: &[[f32; 2]; 3], edges: &EdgeFunctions<f32>) -> bool {
    let products = products(
        corners,
        #[inline(always)]
        |x: f32| x.abs(),
    );
    let products = larger(products, LEAST_PRODUCTS);
    edges.determinant().abs() * LARGEST_CONDITION > products && products <= LARGEST_PRODUCTS
}

/// The hit as returned to the caller.
#[inline(always)]
pub(crate) fn describe_hit<S: Kernel>(simd: S, block: &Block, found: &Candidate, triangle: u32) -> Hit {
    Hit {
        // Adding zero makes a negative zero positive.
        t: found.t + 0.0,
        u: found.edges[0] / found.determinant + 0.0,
        v: found.edges[1] / found.determinant + 0.0,
        triangle,
        normal: unit_normal(simd, &super::corners(block, found.lane)),
        back: found.determinant < 0.0,
    }
}

/// Zero if the triangle has no area. Packed blocks may hold such triangles, and a ray that hits one because of rounding
/// in the frame must not slip through.
#[inline(always)]
pub(crate) fn unit_normal<S: Kernel>(simd: S, [a, b, c]: &[[f32; 3]; 3]) -> [f32; 3] {
    let along = |to: &[f32; 3], axis: usize| f64::from(to[axis]) - f64::from(a[axis]);
    let (e, f) = ([along(b, 0), along(b, 1), along(b, 2)], [along(c, 0), along(c, 1), along(c, 2)]);
    let [x, y, z] = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let square = x * x + y * y + z * z;
    let scale = if square > 0.0 { 1.0 / square_root(simd, square) } else { 0.0 };
    [(x * scale) as f32, (y * scale) as f32, (z * scale) as f32]
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;
    use crate::level::Level;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    /// Corners for which the sum of the edge functions' products is near the smallest or the largest that f32 is used
    /// for, or near the limit relative to the determinant.
    fn corners(random: &mut Random) -> [[f32; 2]; 3] {
        let scale =
            [1.0, 2f32.powi(-36), 2f32.powi(-34), 2f32.powi(31), 2f32.powi(32)][random.below(5) as usize];
        let thin = [1.0, 0.1, 0.02, 0.0][random.below(4) as usize];
        [0, 1, 2].map(|_| {
            let x = random.centred() as f32;
            [scale * x, scale * (x + thin * random.centred() as f32)]
        })
    }

    /// Returns how many triangles were tested and how many of them f32 was used for.
    fn check<S: Kernel>(simd: S, random: &mut Random) -> [u32; 2] {
        let all: Vec<_> = (0..lanes::<S>()).map(|_| corners(random)).collect();
        let lane = |k: usize, axis: usize| S::Lanes::from_fn(simd, |lane| all[lane][k][axis]);
        let corners = [0, 1, 2].map(|k| [lane(k, 0), lane(k, 1)]);
        let edges = EdgeFunctions::new(&corners);
        let well = well_conditioned(simd, &corners, &edges).to_bitmask();
        for (lane, corners) in all.iter().enumerate() {
            let one = EdgeFunctions::new(corners);
            assert_eq!(well >> lane & 1 == 1, is_well_conditioned(corners, &one), "{corners:?}");
            let of_lane = edges.functions.map(|edges| simd.pick(edges, lane).to_bits());
            assert_eq!(of_lane, one.functions.map(f32::to_bits), "{corners:?}");
        }
        [all.len() as u32, well.count_ones()]
    }

    #[test]
    fn one_triangle_is_judged_as_many_are() {
        let mut random = Random(11);
        for level in Level::available() {
            let mut sum = [0, 0];
            for _ in 0..2000 {
                let [all, well] = dispatch!(level.inner(), simd => check(simd, &mut random));
                sum = [sum[0] + all, sum[1] + well];
            }
            assert!(sum[1] > sum[0] / 10 && sum[1] < sum[0] / 2, "{}: {sum:?}", level.name());
        }
    }
}
