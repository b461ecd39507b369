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
//! ```
//!
//! Where the half-line passes the edge, z is negative, and its argument jumps from pi to -pi as the count of crossings jumps
//! by 1. So near there the sign of det is taken from the half-open test of crossings ([`HalfLine::is_left_of`]). Arguments
//! are added by multiplying numbers, and counting how often the sum passes pi.
//!
//! # The error
//!
//! u is 2^-53. Differences, products and lengths are at most 6 u of |a||b| off, in each of the four terms of z's real part
//! and in the imaginary part; with the sums that is at most 40 u |a||b|, or 57 u s of z / (|Re z| + |Im z|), where s is
//! |a||b| / (|Re z| + |Im z|). The argument is off by at most pi / 2 times that over |z|, which is then at least 0.7: 128 u s,
//! which is 21 u s turns, if that is less than a quarter turn. If not, s u is above 1 / 512, and the argument may be wrong by a
//! whole turn. 1024 u s turns covers both. A product and its scaling add less than 8 u.

use bvhc_format::solid::{BoundaryEdges, EDGE_LANES};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};

use crate::simd::Kernel;
use crate::triangle::crossing::HalfLine;

/// 2^-53.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The error of an edge's part in turns, for each s: see the module.
const EDGE_ERROR: f64 = 1024.0 * ROUNDING;

/// The error in turns that each edge adds for its product.
const PRODUCT_ERROR: f64 = 16.0 * ROUNDING;

/// The relative error of det.
const SIGN_ERROR: f64 = 16.0 * ROUNDING;

/// The real part of z / |a||b| above which the argument has one sign on both sides of an edge, far beyond its error.
const FAR_FROM_CUT: f64 = 1.0 / (1u64 << 40) as f64;

/// det / |a||b| is raised to this where its sign is known: less than the error, but not zero.
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

/// z of each edge from `first` on, divided by |Re z| + |Im z|, and s. Where an edge is seen as a point, z is |a||b|: its triangle
/// has no area.
#[inline(always)]
fn factor<S: Kernel>(
    simd: S,
    edges: &BoundaryEdges,
    first: usize,
    line: &HalfLine,
) -> ([S::Doubles; 2], S::Doubles) {
    let (a, b) = (from_point(simd, &edges.from, first, line), from_point(simd, &edges.to, first, line));
    // The direction d is the opposite of the half-line's.
    let towards = -f64::from(line.direction);
    let [length_a, length_b] = [dot::<S>(&a, &a).sqrt(), dot::<S>(&b, &b).sqrt()];
    let size = length_a * length_b;
    let re = (size + dot::<S>(&a, &b)) + (a[2] * length_b + b[2] * length_a) * towards;
    let (left, right) = (a[0] * b[1], a[1] * b[0]);
    let im = (left - right) * towards;
    let is_near_cut = re.simd_lt(size * FAR_FROM_CUT);
    let has_sign = im.abs().simd_gt((left.abs() + right.abs()) * SIGN_ERROR);
    let unsure = (is_near_cut & !has_sign).to_bitmask() as u32 & ((1 << S::Doubles::LEN) - 1);
    let [re, im] =
        if unsure == 0 { [re, im] } else { decide::<S>(edges, first, line, unsure, [re, im, size]) };
    let scale = S::Doubles::splat(simd, 1.0) / (re.abs() + im.abs());
    ([re * scale, im * scale], size * scale)
}

/// Gives z of the edges in `unsure` lanes the sign that the half-open test of crossings says.
#[cold]
#[inline(always)]
fn decide<S: Kernel>(
    edges: &BoundaryEdges,
    first: usize,
    line: &HalfLine,
    unsure: u32,
    [mut re, mut im, size]: [S::Doubles; 3],
) -> [S::Doubles; 2] {
    let vertex = |of: &[[f32; EDGE_LANES]; 3], edge: usize| [of[0][edge], of[1][edge], of[2][edge]];
    for lane in (0..S::Doubles::LEN).filter(|lane| unsure >> lane & 1 != 0) {
        match line.is_left_of(&vertex(&edges.from, first + lane), &vertex(&edges.to, first + lane)) {
            None => (re[lane], im[lane]) = (size[lane], 0.0),
            Some(is_left) => {
                let sine = im[lane].abs().max(size[lane] * LEAST_SINE);
                im[lane] = if is_left == (line.direction < 0.0) { sine } else { -sine };
            }
        }
    }
    [re, im]
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

#[inline(always)]
fn dot<S: Kernel>(a: &[S::Doubles; 3], b: &[S::Doubles; 3]) -> S::Doubles {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
