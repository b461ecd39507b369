//! The boundary's part of a winding number: the solid angle between the boundary and a direction at infinity.
//!
//! Based on: Van Oosterom, Strackee, "The Solid Angle of a Plane Triangle", 1983; Jacobson, Kavan, Sorkine-Hornung,
//! "Robust Inside-Outside Segmentation using Generalized Winding Numbers", 2013; "Antipodal", arXiv 2605.01536, 2026.
//! Departures: the direction is an axis, the branch of each angle is decided exactly, and the error is bounded.
//!
//! # Why that is the winding number
//!
//! Triangles from each edge of the boundary, reversed, to the point at infinity in direction d close the surface. Seen
//! from a point p, a closed surface covers every direction n times, n being the crossings of any half-line from p. None of
//! the added triangles covers -d: it is within less than half a turn of d along each of its sides. So n is what the
//! half-line in direction -d counts on the surface alone, and the winding number is n plus the solid angle of the triangles
//! from the edges, as they are, to d, over 4 pi.
//!
//! With a and b the ends of an edge from p, half the solid angle of that triangle is the argument of the complex number
//!
//! ```text
//! z = |a||b| + a.b + (a.d)|b| + (b.d)|a|  +  i det(a, b, d)
//!   = (|a| + a.d)(|b| + b.d) + a'.b'  +  i (a' x b')
//! ```
//!
//! where a' and b' are the parts of a and b across d, and a' x b' is counted along d. Where the half-line passes the edge, z is
//! negative, and its argument jumps from pi to -pi as the count of crossings jumps by 1. So near there the sign of det is taken from
//! the half-open test of crossings ([`HalfLine::is_left_of`]). Arguments are added by multiplying numbers, and counting how often
//! the sum passes pi.
//!
//! Where a.d is negative and |a'|^2 less than (a.d)^2 / 16, |a| + a.d is computed as |a'|^2 / (|a| + |a.d|), which does not
//! cancel. It is the same for b.
//!
//! If a is exactly on the half-line, z is 0. The test of crossings moves p by an infinitesimal e along the first axis across and
//! by e^2 along the second, so a' is e (-1, -e), and |a| + a.d is of the order of e^2. So z / e tends to a'.b' + i (a' x b') with
//! a' = (-1, 0), and if the imaginary part of that is 0 too, the test of crossings says from which side.
//! As the winding number is continuous off the surface, the limit for the moved p is the one for p. It is the same for b. If both
//! a and b are on the half-line, the edge is seen as a point, and adds nothing.
//!
//! # The error
//!
//! u is 2^-53. Coordinates relative to p, and the results of single operations, are at most u off, relatively. So |a'|^2 is 4 u off
//! and |a| 3.5 u. |a| + a.d is off by at most 4.5 u |a| and its own rounding, and it is more than |a| / 34 where it is a sum: by 154 u
//! of itself. As a quotient it is less off. The product of two of these is 309 u off, those of two coordinates 3 u, and adding up
//! takes 2 u more. So z's two parts are together at most 311 u S off, with S the sum of the magnitudes of all products in both. Where
//! the sign of the imaginary part is turned, that was at most 16 u of its products, and is now at most 20 u of them off: 331 u S for
//! both parts. Let s be S / (|Re z| + |Im z|). |z| is at least 0.7 times that sum, so the argument is off by at most pi / 2 times
//! 473 u s, which is 119 u s turns, if 473 u s is less than 1; its branch is the right one. If 473 u s is 1 or more, the argument
//! may be wrong by a whole turn, at most 473 u s turns. 512 u s turns covers both, and the error of s. A product and its scaling
//! add less than 8 u.
//!
//! s is at most 2 / cos(g / 2), g being the angle between a and b. For with t the angle between a and d, |a| + a.d and |a'| are to
//! each other as cos(t / 2) and sin(t / 2); and |z| is cos(g / 2) times the product of the lengths of a's and of b's pair, which
//! is at least half of S. So the error is large only near the edge: as its length over its distance from p.

use bvhc_format::solid::{BoundaryEdges, EDGE_LANES};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};

use crate::simd::Kernel;
use crate::triangle::crossing::HalfLine;

/// 2^-53.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The error of an edge's part in turns, for each s: see the module.
const EDGE_ERROR: f64 = 512.0 * ROUNDING;

/// Where |a'|^2 is less than this times (a.d)^2, a negative a.d cancels |a|: see the module.
const NARROW: f64 = 1.0 / 16.0;

/// The error in turns that each edge adds for its product.
const PRODUCT_ERROR: f64 = 16.0 * ROUNDING;

/// More than the relative error of det.
const SIGN_ERROR: f64 = 16.0 * ROUNDING;

/// The real part of z / S above which the argument has one sign on both sides of an edge, far beyond its error.
const FAR_FROM_CUT: f64 = 1.0 / (1u64 << 40) as f64;

/// The imaginary part of z / S is raised to this where its sign is known: less than the error, but not zero.
const LEAST_SINE: f64 = 1.0 / (1u64 << 60) as f64;

/// How many blocks are multiplied until the product is scaled: each factor is at least 0.7.
const BLOCKS_PER_SCALING: usize = 64;

/// A part of a winding number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turns {
    pub(super) value: f64,
    /// A bound of its error; NaN in corrupt files.
    pub(super) error: f64,
}

/// The solid angle, over 4 pi, between the boundary and the direction opposite to that of the half-line.
#[inline(always)]
pub(super) fn turns<S: Kernel>(simd: S, boundary: &[BoundaryEdges], line: &HalfLine) -> Turns {
    let (mut product, mut whole, mut total) = ([1.0, 0.0], 0.0, 0.0);
    for first in (0..EDGE_LANES).step_by(S::Doubles::LEN) {
        let mut sum = Sum::new(simd);
        for blocks in boundary.chunks(BLOCKS_PER_SCALING) {
            for edges in blocks {
                sum.add(simd, edges, first, line);
            }
            sum.scale();
        }
        let ([re, im], turns, error) =
            (sum.product.each_ref().map(|x| x.as_slice()), sum.turns.as_slice(), sum.error.as_slice());
        for lane in 0..S::Doubles::LEN {
            let (next, turn) = multiply(product, [re[lane], im[lane]]);
            product = next;
            whole += turns[lane] + turn;
            total += error[lane];
        }
    }
    let edges = (boundary.len() * EDGE_LANES) as f64;
    // Adding zero makes a negative zero positive: a negative product's argument is then pi.
    let rest = libm::atan2(product[1] + 0.0, product[0]) / core::f64::consts::TAU;
    Turns { value: whole + rest, error: EDGE_ERROR * total + PRODUCT_ERROR * (edges + EDGE_LANES as f64) }
}

/// A product, and the turns by which the sum of the factors' arguments exceeds its argument, which is from above -pi to pi.
fn multiply(a: [f64; 2], b: [f64; 2]) -> ([f64; 2], f64) {
    let (re, im) = (a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]);
    // If both numbers are in the same half, the sum of their arguments may be beyond it.
    let is_far = b[0] < 0.0;
    let turns = match (a[1] >= 0.0, b[1] >= 0.0) {
        (true, true) if im < 0.0 || im == 0.0 && re > 0.0 && is_far => 1.0,
        (false, false) if im > 0.0 || im == 0.0 && (re < 0.0 || is_far) => -1.0,
        _ => 0.0,
    };
    ([re, im], turns)
}

/// Products of numbers, in as many lanes of each block of edges as the level has.
struct Sum<S: Kernel> {
    product: [S::Doubles; 2],
    turns: S::Doubles,
    /// The sum of s over all edges.
    error: S::Doubles,
}

impl<S: Kernel> Sum<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let (one, zero) = (S::Doubles::splat(simd, 1.0), S::Doubles::splat(simd, 0.0));
        Self { product: [one, zero], turns: zero, error: zero }
    }

    #[inline(always)]
    fn add(&mut self, simd: S, edges: &BoundaryEdges, first: usize, line: &HalfLine) {
        let (b, size) = factor(simd, edges, first, line);
        let a = self.product;
        self.error += size;
        let re = a[0] * b[0] - a[1] * b[1];
        let im = a[0] * b[1] + a[1] * b[0];
        let (one, zero) = (S::Doubles::splat(simd, 1.0), S::Doubles::splat(simd, 0.0));
        let is_zero = im.simd_eq(zero);
        let is_far = b[0].simd_lt(zero);
        let upper = a[1].simd_ge(zero) & b[1].simd_ge(zero);
        let lower = a[1].simd_lt(zero) & b[1].simd_lt(zero);
        let over = upper & (im.simd_lt(zero) | (is_zero & re.simd_gt(zero) & is_far));
        let under = lower & (im.simd_gt(zero) | (is_zero & (re.simd_lt(zero) | is_far)));
        self.turns = self.turns + over.select(one, zero) - under.select(one, zero);
        self.product = [re, im];
    }

    #[inline(always)]
    fn scale(&mut self) {
        let [re, im] = self.product;
        let size = re.abs() + im.abs();
        self.product = [re / size, im / size];
    }
}

/// z of each edge from `first` on, divided by |Re z| + |Im z|, and s. Where an edge is seen as a point, z is 1: its triangle has
/// no area.
#[inline(always)]
fn factor<S: Kernel>(
    simd: S,
    edges: &BoundaryEdges,
    first: usize,
    line: &HalfLine,
) -> ([S::Doubles; 2], S::Doubles) {
    let (a, b) = (from_point(simd, &edges.from, first, line), from_point(simd, &edges.to, first, line));
    let along = along(simd, &a, line) * along(simd, &b, line);
    let (left, right, u, v) = (a[0] * b[1], a[1] * b[0], a[0] * b[0], a[1] * b[1]);
    let (det, of_det) = (left - right, left.abs() + right.abs());
    let re = along + (u + v);
    // The direction d is the opposite of the half-line's.
    let im = det * -f64::from(line.direction);
    let size = along + (of_det + (u.abs() + v.abs()));
    let is_near_cut = re.simd_le(size * FAR_FROM_CUT);
    let has_sign = det.abs().simd_gt(of_det * SIGN_ERROR);
    let unsure = (is_near_cut & !has_sign).to_bitmask() as u32 & ((1 << S::Doubles::LEN) - 1);
    let [re, im, size] =
        if unsure == 0 { [re, im, size] } else { decide::<S>(edges, first, line, unsure, [re, im, size]) };
    let scale = S::Doubles::splat(simd, 1.0) / (re.abs() + im.abs());
    ([re * scale, im * scale], size * scale)
}

/// |a| + a.d of a vertex a.
#[inline(always)]
fn along<S: Kernel>(simd: S, [u, v, w]: &[S::Doubles; 3], line: &HalfLine) -> S::Doubles {
    let (across, ahead) = (*u * *u + *v * *v, *w * f64::from(line.direction));
    let square = ahead * ahead;
    let length = (across + square).sqrt();
    let sum = length - ahead;
    let cancels = across.simd_lt(square * NARROW) & ahead.simd_gt(S::Doubles::splat(simd, 0.0));
    // Not from the length: so the branch does not wait for the square root.
    if cancels.to_bitmask() as u32 & ((1 << S::Doubles::LEN) - 1) == 0 {
        return sum;
    }
    cancels.select(across / (length + ahead), sum)
}

/// Gives z of the edges in `unsure` lanes the sign that the half-open test of crossings says, and z itself where an end is on the
/// half-line; with S.
#[cold]
#[inline(always)]
fn decide<S: Kernel>(
    edges: &BoundaryEdges,
    first: usize,
    line: &HalfLine,
    unsure: u32,
    [mut re, mut im, mut size]: [S::Doubles; 3],
) -> [S::Doubles; 3] {
    let vertex = |of: &[[f32; EDGE_LANES]; 3], edge: usize| [of[0][edge], of[1][edge], of[2][edge]];
    for lane in (0..S::Doubles::LEN).filter(|lane| unsure >> lane & 1 != 0) {
        let (from, to) = (vertex(&edges.from, first + lane), vertex(&edges.to, first + lane));
        let Some(is_left) = line.is_left_of(&from, &to) else {
            (re[lane], im[lane], size[lane]) = (1.0, 0.0, 1.0);
            continue;
        };
        if size[lane] == 0.0 {
            let [u, v] = across_of_other_end(line, &from, &to);
            (re[lane], im[lane], size[lane]) = (-u, v, u.abs() + v.abs());
        }
        let sine = im[lane].abs().max(size[lane] * LEAST_SINE);
        im[lane] = if is_left == (line.direction < 0.0) { sine } else { -sine };
    }
    [re, im, size]
}

/// For an edge with one end on the half-line: the other end across it.
fn across_of_other_end(line: &HalfLine, from: &[f32; 3], to: &[f32; 3]) -> [f64; 2] {
    [line.axes[0], line.axes[1]].map(|axis| {
        let [at, from, to] = [line.point[axis], from[axis], to[axis]].map(f64::from);
        // One of these is zero.
        (from - at) + (to - at)
    })
}

/// Vertices relative to the half-line's point, on its axes.
#[inline(always)]
fn from_point<S: Kernel>(
    simd: S,
    vertices: &[[f32; EDGE_LANES]; 3],
    first: usize,
    line: &HalfLine,
) -> [S::Doubles; 3] {
    let [u, v, w] = line.axes;
    [
        on_axis(simd, &vertices[u], first, line.point[u]),
        on_axis(simd, &vertices[v], first, line.point[v]),
        on_axis(simd, &vertices[w], first, line.point[w]),
    ]
}

#[inline(always)]
fn on_axis<S: Kernel>(simd: S, vertices: &[f32; EDGE_LANES], first: usize, point: f32) -> S::Doubles {
    S::Doubles::from_fn(
        simd,
        #[inline(always)]
        |lane| f64::from(vertices[first + lane]) - f64::from(point),
    )
}
