//! Where a half-line parallel to an axis crosses triangles: exact, and each crossing of a surface counted once.
//!
//! Based on: Edelsbrunner, Mücke, "Simulation of Simplicity", 1990, and Shewchuk, "Adaptive Precision Floating-Point
//! Arithmetic and Fast Robust Geometric Predicates", 1997, through the crate `robust`. Seen along the half-line it is a
//! point, and a triangle is crossed if the point is on the same side of its three edges. Where the point is exactly on
//! an edge, it counts as moved by an infinitesimal e along the first of the other axes and by e^2 along the second. The
//! moved point is on no edge, for all triangles alike, so triangles around an edge or a vertex agree on which of them
//! is crossed. Triangles that are seen as a segment are never crossed.
//!
//! A point on a triangle is found on the way: it is in the closed triangle as seen along the half-line, and in its plane.
//!
//! In f32, with bounds of their errors, most triangles of a block are surely crossed or surely not: the sum of the corners' heights
//! above the point, each times the edge function of the opposite edge, has the sign of the triangle's height above the point.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{SimdBase, SimdMask};
use robust::{Coord, Coord3D, orient2d, orient3d};

use super::touch_sphere;
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::simd::sixteen::Sixteen;
use crate::simd::{Kernel, lanes};

/// The relative error of an edge function in f32: two differences, two products and a difference, rounded, are at most
/// 4 u off, the bound itself 3 u.
const EDGE_ERROR: f32 = 8.0 * f32::EPSILON;

/// Far above the underflow of two products.
const UNDERFLOW: f32 = 1.0 / (1u128 << 120) as f32;

/// The points from `point` on along an axis, in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfLine {
    pub(crate) point: [f32; 3],
    /// The two other axes, and that of the half-line, so that they are right-handed.
    pub(crate) axes: [usize; 3],
    /// 1 or -1: towards greater or lesser coordinates.
    pub(crate) direction: f32,
}

/// The lanes of a block whose triangles a half-line may cross.
#[derive(Clone, Copy, Default)]
pub(crate) struct Crossed {
    /// A bit for each that it surely crosses from the back to the front.
    pub(crate) outwards: u32,
    /// And from the front to the back.
    pub(crate) inwards: u32,
    /// A bit for each that it may cross or begin on.
    pub(crate) unsure: u32,
}

/// What a half-line does at a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    /// It does not cross.
    Misses,
    /// It crosses from the back to the front.
    Outwards,
    /// It crosses from the front to the back.
    Inwards,
    /// It begins on the triangle.
    On,
}

impl HalfLine {
    /// The half-line from a point that leaves a box soonest.
    #[inline(always)]
    pub(crate) fn leaving(bounds: &Aabb, point: [f32; 3]) -> Self {
        let (mut least, mut axis, mut direction) = (f64::INFINITY, 0, 1.0);
        for (candidate, x) in point.map3(f64::from).into_iter().enumerate() {
            let up = f64::from(bounds.max[candidate]) - x;
            let down = x - f64::from(bounds.min[candidate]);
            if up < least {
                (least, axis, direction) = (up, candidate, 1.0);
            }
            if down < least {
                (least, axis, direction) = (down, candidate, -1.0);
            }
        }
        Self { point, axes: [(axis + 1) % 3, (axis + 2) % 3, axis], direction }
    }

    /// The half-line as a box without width.
    #[inline(always)]
    pub(crate) fn as_box(&self) -> Aabb {
        let mut around = Aabb { min: self.point, max: self.point };
        let axis = self.axes[2];
        if self.direction > 0.0 {
            around.max[axis] = f32::INFINITY;
        } else {
            around.min[axis] = f32::NEG_INFINITY;
        }
        around
    }

    /// Which triangles of a block the half-line crosses, as far as f32 tells.
    #[inline(always)]
    pub(crate) fn look_at<S: Kernel>(&self, simd: S, block: &Block) -> Crossed {
        let [u, v, w] = self.axes;
        let ahead = self.relative(simd, block, w) * self.direction;
        let u = simd.table(self.relative(simd, block, u));
        let v = simd.table(self.relative(simd, block, v));
        let tables = [u, v, simd.table(ahead)];
        let used = (1 << usize::from(block.triangles).min(BLOCK_WIDTH)) - 1;
        let (mut fronts, mut backs, mut unsure) = (0, 0, 0);
        for first in (0..BLOCK_WIDTH).step_by(lanes::<S>()) {
            let found = look_at_lanes(simd, block, tables, first).map3(|lanes| lanes << first & used);
            (fronts, backs, unsure) = (fronts | found[0], backs | found[1], unsure | found[2]);
        }
        let [outwards, inwards] = if self.direction > 0.0 { [fronts, backs] } else { [backs, fronts] };
        Crossed { outwards, inwards, unsure }
    }

    #[inline(always)]
    fn relative<S: Kernel>(&self, simd: S, block: &Block, axis: usize) -> S::Sixteen {
        S::Sixteen::load(simd, &block.positions[axis]) - self.point[axis]
    }

    /// Whether the half-line crosses a triangle, exactly.
    pub(crate) fn crossing(&self, corners: &[[f32; 3]; 3]) -> Crossing {
        let sides = [0, 1, 2].map3(|k| self.side(&corners[k], &corners[(k + 1) % 3]));
        let (positive, negative) =
            (sides.iter().any(|side| *side > 0.0), sides.iter().any(|side| *side < 0.0));
        match (positive, negative) {
            (true, true) => return Crossing::Misses,
            (false, false) => return self.crossing_of_segment(corners),
            _ => {}
        }
        let height = orient3d(
            self.coordinates(&corners[0]),
            self.coordinates(&corners[1]),
            self.coordinates(&corners[2]),
            self.coordinates(&self.point),
        );
        if height == 0.0 {
            return Crossing::On;
        }
        let is_ahead = (height > 0.0) == (positive == (self.direction > 0.0));
        if !is_ahead
            || (0..3).any(|k| self.moved_side(sides[k], &corners[k], &corners[(k + 1) % 3]) != positive)
        {
            return Crossing::Misses;
        }
        if positive == (self.direction > 0.0) { Crossing::Outwards } else { Crossing::Inwards }
    }

    /// For a triangle that is seen as a segment or a point, on the line through the half-line.
    #[cold]
    fn crossing_of_segment(&self, corners: &[[f32; 3]; 3]) -> Crossing {
        if touch_sphere::touches(corners, self.point, 0.0) { Crossing::On } else { Crossing::Misses }
    }

    /// On which side of a directed edge the half-line is seen: positive on the left, with the exact sign.
    #[inline(always)]
    fn side(&self, from: &[f32; 3], to: &[f32; 3]) -> f64 {
        let [u, v, _] = self.axes;
        let seen = |point: &[f32; 3]| Coord { x: f64::from(point[u]), y: f64::from(point[v]) };
        orient2d(seen(from), seen(to), seen(&self.point))
    }

    /// Whether the moved half-line is on the left of an edge, of which the half-line is on this `side`.
    #[inline(always)]
    fn moved_side(&self, side: f64, from: &[f32; 3], to: &[f32; 3]) -> bool {
        let [u, v, _] = self.axes;
        side > 0.0 || side == 0.0 && (to[v] < from[v] || to[v] == from[v] && to[u] > from[u])
    }

    /// Whether the moved half-line is on the left of a directed edge; `None` if the edge is seen as a point.
    #[cold]
    pub(crate) fn is_left_of(&self, from: &[f32; 3], to: &[f32; 3]) -> Option<bool> {
        let [u, v, _] = self.axes;
        let is_point = from[u] == to[u] && from[v] == to[v];
        (!is_point).then(|| self.moved_side(self.side(from, to), from, to))
    }

    #[inline(always)]
    fn coordinates(&self, point: &[f32; 3]) -> Coord3D<f64> {
        let [x, y, z] = self.axes.map3(|axis| f64::from(point[axis]));
        Coord3D { x, y, z }
    }
}

/// Of the lanes from `first` on: those that are surely crossed and whose normals point to greater coordinates, or to lesser ones,
/// and those that may be crossed. `tables`: coordinates on the other two axes and along the half-line, from its point on.
///
/// An edge function is off by less than half of `bound`, which is more than 2^-21 of the function itself. So each of the three
/// products is off by less than three quarters of its height times `bound`.
///
/// Relative coordinates are below 2^62, as the point is within the bounds of the model, so edge functions and `bound` are finite.
/// Products with a height, and their sum, may not be: above 2^42 one of them may be infinite although the others would change the sign
/// of the sum. So only a finite sum counts, whose parts were finite too. Where `error` overflows nothing is above it.
#[inline(always)]
fn look_at_lanes<S: Kernel>(simd: S, block: &Block, tables: [S::Table; 3], first: usize) -> [u32; 3] {
    let [a, b, c] = [
        corner_of_lanes(simd, &block.corners[0], tables, first),
        corner_of_lanes(simd, &block.corners[1], tables, first),
        corner_of_lanes(simd, &block.corners[2], tables, first),
    ];
    let zero = S::Lanes::splat(simd, 0.0);
    // Written so that a NaN, which only a corrupt file has, leaves the triangle to the exact test.
    let behind = a[2].simd_lt(zero) & b[2].simd_lt(zero) & c[2].simd_lt(zero);
    let [ab, bc, ca] = [sides_of_lanes::<S>(a, b), sides_of_lanes::<S>(b, c), sides_of_lanes::<S>(c, a)];
    let bound = (ab[1].max(bc[1]).max(ca[1])) + UNDERFLOW;
    let least = ab[0].min(bc[0]).min(ca[0]);
    let most = ab[0].max(bc[0]).max(ca[0]);
    let outside = least.simd_lt(zero - bound) & most.simd_gt(bound);
    let may_cross =
        !((behind | outside).to_bitmask() as u32) & (u32::MAX >> (u32::BITS as usize - lanes::<S>()));
    if may_cross == 0 {
        return [0; 3];
    }
    let height = a[2] * bc[0] + b[2] * ca[0] + c[2] * ab[0];
    let error = (a[2].abs() + b[2].abs() + c[2].abs()) * bound + UNDERFLOW;
    let is_finite = height.abs().simd_le(f32::MAX);
    let (above, below) = (height.simd_gt(error) & is_finite, height.simd_lt(zero - error) & is_finite);
    let (fronts, backs) = (least.simd_gt(bound), most.simd_lt(zero - bound));
    let [up, down] = [(fronts & above).to_bitmask() as u32, (backs & below).to_bitmask() as u32];
    let passed = ((fronts & below) | (backs & above)).to_bitmask() as u32;
    [up & may_cross, down & may_cross, may_cross & !(up | down | passed)]
}

#[inline(always)]
fn corner_of_lanes<S: Kernel>(
    simd: S,
    slots: &[u8; BLOCK_WIDTH],
    [u, v, ahead]: [S::Table; 3],
    first: usize,
) -> [S::Lanes; 3] {
    [simd.look_up(u, slots, first), simd.look_up(v, slots, first), simd.look_up(ahead, slots, first)]
}

/// The edge functions of an edge, and a bound of their error.
#[inline(always)]
fn sides_of_lanes<S: Kernel>(from: [S::Lanes; 3], to: [S::Lanes; 3]) -> [S::Lanes; 2] {
    let (left, right) = (from[0] * to[1], from[1] * to[0]);
    [left - right, (left.abs() + right.abs()) * EDGE_ERROR]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::simd::dispatch;
    use crate::triangle::corners;
    use crate::triangle::testing::Random;

    /// Sizes of blocks: where products of two coordinates underflow, ordinary, where some products of three coordinates are infinite
    /// in f32, and where all are.
    const EXPONENTS: [i32; 9] = [-110, -62, 0, 41, 42, 43, 44, 45, 60];

    /// A block of random triangles, and a half-line from a point among them.
    fn random(random: &mut Random, exponent: i32) -> (Block, HalfLine) {
        let size = 2f32.powi(exponent);
        let mut coordinate = || size * random.centred() as f32;
        let mut block = Block { triangles: 16, vertices: 16, ..Block::EMPTY };
        block.positions.as_flattened_mut().iter_mut().for_each(|x| *x = coordinate());
        let point = [coordinate(), coordinate(), coordinate()];
        for slot in block.corners.as_flattened_mut() {
            *slot = random.below(BLOCK_WIDTH as i128) as u8;
        }
        let axis = random.below(3) as usize;
        let direction = if random.below(2) == 0 { 1.0 } else { -1.0 };
        (block, HalfLine { point, axes: [(axis + 1) % 3, (axis + 2) % 3, axis], direction })
    }

    /// Checks what is sure against the exact test; returns how many crossings are, and how many lanes are not.
    fn check<S: Kernel>(simd: S, block: &Block, line: &HalfLine) -> [u32; 2] {
        let found = line.look_at(simd, block);
        for lane in 0..BLOCK_WIDTH {
            let is_in = |lanes: u32| lanes >> lane & 1 != 0;
            let sure = match [found.outwards, found.inwards, found.unsure].map(is_in) {
                [true, false, false] => Crossing::Outwards,
                [false, true, false] => Crossing::Inwards,
                [false, false, false] => Crossing::Misses,
                sets => {
                    assert_eq!(sets, [false, false, true]);
                    continue;
                }
            };
            let corners = corners(block, lane);
            assert_eq!(sure, line.crossing(&corners), "{line:?} {corners:?}");
        }
        [(found.outwards | found.inwards).count_ones(), found.unsure.count_ones()]
    }

    #[test]
    fn what_f32_is_sure_of_is_exact() {
        let mut numbers = Random(3);
        for exponent in EXPONENTS {
            let [mut sure, mut unsure] = [0; 2];
            for _ in 0..2_000 {
                let (block, line) = random(&mut numbers, exponent);
                for level in Level::available() {
                    let [more, others] = dispatch!(level.inner(), simd => check(simd, &block, &line));
                    (sure, unsure) = (sure + more, unsure + others);
                }
            }
            assert!(exponent != 0 || sure > 100 && unsure < sure / 10, "{sure} {unsure}");
        }
    }
}
