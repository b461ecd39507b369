//! Whether a triangle and a sphere share a point, decided exactly.
//!
//! Based on: Ericson, Real-Time Collision Detection, 2005, section 5.1.5 (closest point on a triangle). Departure: the
//! closest point only proposes an answer. The answer in `f64` is accepted if a proof holds in spite of rounding, and
//! the proofs do not depend on how good the proposal is:
//! - a point that is provably close to the triangle is inside the sphere, or
//! - along some direction the centre is farther than the radius from all three vertices, and thus from the triangle,
//!   which is convex.
//!
//! The rest, near contact and needle-like triangles, is decided in integers ([`exact`]), without division or square
//! root. The triangle is within r of the centre p exactly if one of these holds:
//! - a vertex v: |p - v|^2 <= r^2;
//! - an edge e from v to w, with p between its ends: 0 <= e.(p - v), e.(p - w) <= 0 and |e x (p - v)|^2 <= r^2 |e|^2;
//! - the face with normal n, with p above its inside: 0 <= n.(e x (p - v)) for each edge and (n.(p - v))^2 <= r^2
//!   |n|^2.
//!
//! Each implies a point of the triangle within r. Conversely, the closest point is a vertex, inside an edge or inside
//! the face, and the matching test finds it, so no region has to be chosen. Edges and normals of length zero imply no
//! point and are skipped; a collinear triangle is then tested by its edges and vertices.

use crate::math::exact::{self, Vector, Whole};
use crate::math::vector::{Map3, cross, dot};

/// Half the distance from 1 to the next `f64`: the relative error of one rounding.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The relative error bound of a sum of products of rounded differences. The worst sums have 5 roundings (`to_side`,
/// including that of the weights); the rest covers the roundings of the bound itself.
const SUM_ERROR: f64 = 8.0 * ROUNDING;

/// The relative slack for comparing squares, which have at most 9 roundings on both sides together.
const SQUARE_SLACK: f64 = 1.0 + 16.0 * ROUNDING;

/// Far above every underflow error (a few times 2^-1074), and far below the smallest square that matters, 2^-894
/// (differences are multiples of 2^-149, their triple products of 2^-447).
const UNDERFLOW: f64 = 1e-290;

/// Whether some point of the closed triangle is at most `radius` from `centre`: exact, touching counts.
///
/// Needs finite coordinates and a finite `radius >= 0`, of any magnitude.
pub(crate) fn touches(corners: &[[f32; 3]; 3], centre: [f32; 3], radius: f32) -> bool {
    decided_quickly(corners, centre, radius).unwrap_or_else(|| decided_exactly(corners, centre, radius))
}

/// The answer, if `f64` proves it.
///
/// No `f64` overflows here: differences are below 2^129, and the largest product, the square of a triple product, has
/// six factors.
fn decided_quickly(corners: &[[f32; 3]; 3], centre: [f32; 3], radius: f32) -> Option<bool> {
    let radius = f64::from(radius);
    let offsets = corners.map3(|v| difference(&centre, &v));
    let sides = [difference(&corners[1], &corners[0]), difference(&corners[2], &corners[0])];
    let weights = closest(&sides, &offsets);
    let (towards, error) = to_side(&weights, &sides, &offsets[0]);
    let room = radius - error;
    if room >= 0.0 && dot(towards, towards) * SQUARE_SLACK + UNDERFLOW <= room * room {
        return Some(true);
    }
    // The normal is the better direction when the centre is close to the face.
    (beyond(&towards, &offsets, radius) || beyond(&facing(&sides, &offsets[0]), &offsets, radius))
        .then_some(false)
}

/// The normal on the side of the centre.
fn facing(sides: &[[f64; 3]; 2], offset: &[f64; 3]) -> [f64; 3] {
    let normal = cross(sides[0], sides[1]);
    let turned = dot(normal, *offset) < 0.0;
    if turned { normal.map3(|x| -x) } else { normal }
}

/// Whether the centre, at `offsets` from the vertices, is provably farther than `radius` from all of them along
/// `direction` (any vector, taken as exact).
fn beyond(direction: &[f64; 3], offsets: &[[f64; 3]; 3], radius: f64) -> bool {
    let mut gap = f64::INFINITY;
    for offset in offsets {
        let size = dot(direction.map3(f64::abs), offset.map3(f64::abs));
        gap = gap.min(dot(*direction, *offset) - SUM_ERROR * size);
    }
    let length_squared = dot(*direction, *direction);
    // `radius * radius` is exact: 24 bits squared. `length_squared` is also checked, because the radius could otherwise
    // magnify its underflow.
    gap > 0.0
        && length_squared > UNDERFLOW
        && gap * gap > radius * radius * length_squared * SQUARE_SLACK + UNDERFLOW
}

/// The vector from the triangle's point with these `weights` to the centre, and a bound of its error.
fn to_side(weights: &[f64; 2], sides: &[[f64; 3]; 2], offset: &[f64; 3]) -> ([f64; 3], f64) {
    let [v, w] = *weights;
    let mut size = 0.0;
    let mut towards = [0.0; 3];
    for axis in 0..3 {
        let (ab, ac) = (sides[0][axis], sides[1][axis]);
        towards[axis] = offset[axis] - (v * ab + w * ac);
        size += offset[axis].abs() + ab.abs() + ac.abs();
    }
    // v + w may exceed 1 by one rounding; the point is then outside by at most that share of a side.
    (towards, SUM_ERROR * size + UNDERFLOW)
}

/// The approximate weights of the second and third vertex at the closest point: always >= 0, with a sum of at most one
/// rounding above 1, whatever the rounding errors before.
fn closest(sides: &[[f64; 3]; 2], offsets: &[[f64; 3]; 3]) -> [f64; 2] {
    let [v, w] = region(sides, offsets);
    let v = between(v, 1.0);
    [v, between(w, 1.0 - v)]
}

/// Clamps `x` to `0..=most`; unlike `clamp`, it replaces NaN by a number.
fn between(x: f64, most: f64) -> f64 {
    let x = if x < most { x } else { most };
    if x > 0.0 { x } else { 0.0 }
}

/// Ericson's Voronoi regions from the face to the first vertex, each overriding those before it (as fast as his cascade
/// of branches, 50 ns a test, and shorter).
fn region(sides: &[[f64; 3]; 2], offsets: &[[f64; 3]; 3]) -> [f64; 2] {
    let [ab, ac] = sides;
    let [d1, d3, d5] = offsets.map3(|offset| dot(*ab, offset));
    let [d2, d4, d6] = offsets.map3(|offset| dot(*ac, offset));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let (to_b, to_c) = (d5 - d6, d4 - d3);
    let regions = [
        ((va <= 0.0) & (to_b >= 0.0) & (to_c >= 0.0), [to_b, to_c, to_b + to_c]),
        ((vb <= 0.0) & (d2 >= 0.0) & (d6 <= 0.0), [0.0, d2, d2 - d6]),
        ((vc <= 0.0) & (d1 >= 0.0) & (d3 <= 0.0), [d1, 0.0, d1 - d3]),
        ((d6 >= 0.0) & (d5 <= d6), [0.0, 1.0, 1.0]),
        ((d3 >= 0.0) & (d4 <= d3), [1.0, 0.0, 1.0]),
        ((d1 <= 0.0) & (d2 <= 0.0), [0.0, 0.0, 1.0]),
    ];
    let face = [vb, vc, va + vb + vc];
    let [v, w, sum] = regions.iter().fold(face, |best, (here, it)| if *here { *it } else { best });
    [v / sum, w / sum]
}

/// The answer in integers, for any input. At worst some microseconds and 10 KB of stack.
#[cold]
#[inline(never)]
fn decided_exactly(corners: &[[f32; 3]; 3], centre: [f32; 3], radius: f32) -> bool {
    let floats = corners.iter().chain([&centre]).flatten().chain([&radius]);
    let unit = exact::unit(floats);
    let whole = |point: [f32; 3]| point.map3(|x| Whole::new(x, unit));
    let (vertices, centre) = (corners.map3(whole), whole(centre));
    let radius = Whole::new(radius, unit);
    let ball = Ball { square: radius * radius };
    let offsets = vertices.map3(|vertex| exact::sub(&centre, &vertex));
    offsets.iter().any(|offset| exact::dot(offset, offset) <= ball.square)
        || ball.touches_sides(&vertices, &offsets)
}

/// The sphere around the centre, given by its squared radius.
struct Ball {
    square: Whole,
}

impl Ball {
    /// Whether the edges or the face are within the radius.
    fn touches_sides(&self, vertices: &[Vector; 3], offsets: &[Vector; 3]) -> bool {
        let edges = [0, 1, 2].map3(|k| exact::sub(&vertices[(k + 1) % 3], &vertices[k]));
        let moments = [0, 1, 2].map3(|k| exact::cross(&edges[k], &offsets[k]));
        let near_edge =
            (0..3).any(|k| self.touches_edge(&edges[k], [&offsets[k], &offsets[(k + 1) % 3]], &moments[k]));
        near_edge || self.touches_face(&exact::cross(&edges[0], &edges[1]), &moments, &offsets[0])
    }

    fn touches_edge(&self, edge: &Vector, ends: [&Vector; 2], moment: &Vector) -> bool {
        !exact::dot(edge, ends[0]).is_negative()
            && !exact::dot(edge, ends[1]).is_positive()
            && self.holds(exact::dot(moment, moment), exact::dot(edge, edge))
    }

    fn touches_face(&self, normal: &Vector, moments: &[Vector; 3], offset: &Vector) -> bool {
        let height = exact::dot(normal, offset);
        moments.iter().all(|moment| !exact::dot(normal, moment).is_negative())
            && self.holds(height * height, exact::dot(normal, normal))
    }

    /// Whether a distance with the square `square / scale` is within the radius; scale 0 means no distance.
    fn holds(&self, square: Whole, scale: Whole) -> bool {
        !scale.is_zero() && square <= self.square * scale
    }
}

fn difference(a: &[f32; 3], b: &[f32; 3]) -> [f64; 3] {
    [0, 1, 2].map3(|axis| f64::from(a[axis]) - f64::from(b[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle::testing::{Random, SCALES, float};

    fn sub(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
        [0, 1, 2].map(|k| a[k] - b[k])
    }

    fn product(a: [i128; 3], b: [i128; 3]) -> i128 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// The squared distance from `p` to the segment, as a fraction.
    fn to_segment(p: [i128; 3], a: [i128; 3], b: [i128; 3]) -> (i128, i128) {
        let (ab, ap) = (sub(b, a), sub(p, a));
        let (along, length) = (product(ab, ap), product(ab, ab));
        if along <= 0 {
            return (product(ap, ap), 1);
        }
        if along >= length {
            return (product(sub(p, b), sub(p, b)), 1);
        }
        (product(ap, ap) * length - along * along, length)
    }

    /// The oracle: the foot of the perpendicular by Cramer's rule on the Gram matrix; if it is not inside, the nearest
    /// of the three segments. In fractions, without cross products.
    fn oracle([a, b, c]: [[i128; 3]; 3], p: [i128; 3], radius: i128) -> bool {
        let within = |(square, scale): (i128, i128)| square <= radius * radius * scale;
        let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
        let (bb, bc, cc) = (product(ab, ab), product(ab, ac), product(ac, ac));
        let (pb, pc) = (product(ap, ab), product(ap, ac));
        let gram = bb * cc - bc * bc;
        let (v, w) = (pb * cc - pc * bc, pc * bb - pb * bc);
        if gram > 0 && v >= 0 && w >= 0 && v + w <= gram {
            return within((product(ap, ap) * gram - v * pb - w * pc, gram));
        }
        [(a, b), (b, c), (c, a)].iter().any(|(from, to)| within(to_segment(p, *from, *to)))
    }

    fn agree(corners: [[i128; 3]; 3], centre: [i128; 3], radius: i128, scale: f32) -> bool {
        let expected = oracle(corners, centre, radius);
        let (floats, middle) = (corners.map(|v| float(v, scale)), float(centre, scale));
        let radius = radius as f32 * scale;
        assert_eq!(touches(&floats, middle, radius), expected, "{floats:?} {middle:?} {radius}");
        assert_eq!(decided_exactly(&floats, middle, radius), expected, "{floats:?} {middle:?} {radius}");
        expected
    }

    fn agree_on_a_grid(size: i128, rounds: usize, seed: u64) {
        let mut random = Random(seed);
        let mut touching = 0;
        for round in 0..rounds {
            let corners = [0, 1, 2].map(|_| random.point(size));
            let centre = random.point(size);
            let radius = random.below(1 + size / 2);
            touching += usize::from(agree(corners, centre, radius, SCALES[round % 4]));
        }
        assert!(touching > rounds / 20 && touching < rounds - rounds / 20);
    }

    #[test]
    fn agrees_with_fractions_on_small_grids() {
        // 5 gives many contacts, collinear triangles and single points; 300 gives general positions.
        agree_on_a_grid(5, 60_000, 1);
        agree_on_a_grid(12, 60_000, 2);
        agree_on_a_grid(300, 30_000, 3);
    }

    #[test]
    fn agrees_with_fractions_on_slivers() {
        let mut random = Random(4);
        for round in 0..30_000 {
            let start = random.point(5);
            let along = [0, 1, 2].map(|_| random.below(2000) - 1000);
            let [m, n] = [0, 1].map(|_| random.below(4));
            let end = [0, 1, 2].map(|k| start[k] + m * along[k] + random.below(3) - 1);
            let third = [0, 1, 2].map(|k| start[k] - n * along[k] + random.below(3) - 1);
            let centre = [0, 1, 2].map(|k| start[k] + random.below(2) * along[k] + random.below(9) - 4);
            agree([start, end, third], centre, random.below(6), SCALES[round % 4]);
        }
    }

    #[test]
    fn the_quick_answer_is_never_wrong_on_mixed_scales() {
        let mut random = Random(5);
        let (mut touching, mut quick) = (0, 0);
        for _ in 0..20_000 {
            let corners = [0, 1, 2].map(|_| [0, 1, 2].map(|_| random.float()));
            let centre = [0, 1, 2].map(|_| random.float());
            let radius = random.float().abs();
            let exact = decided_exactly(&corners, centre, radius);
            if let Some(answer) = decided_quickly(&corners, centre, radius) {
                assert_eq!(answer, exact, "{corners:?} {centre:?} {radius}");
                quick += 1;
            }
            touching += usize::from(exact);
        }
        assert!(touching > 1000 && touching < 19_000 && quick > 10_000, "{touching} {quick}");
    }

    #[test]
    fn the_quick_answer_is_never_wrong_beside_contact() {
        // Contact on a grid; then every zero of the centre is changed by less than rounding can resolve.
        let mut random = Random(8);
        let (mut touching, mut contacts) = (0, 0);
        for round in 0..400_000 {
            let corners = [0, 1, 2].map(|_| random.point(9).map(|x| x - 4));
            let centre = random.point(7).map(|x| x - 3);
            let radius = 1 + random.below(4);
            let slightly_less = (radius as f32).next_down();
            let floats = corners.map(|v| float(v, 1.0));
            let mut middle = float(centre, 1.0);
            if !oracle(corners, centre, radius) || decided_exactly(&floats, middle, slightly_less) {
                continue;
            }
            let tiny = f32::from_bits((127 - 20 - (round % 60)) << 23);
            middle = middle.map(|x| if x == 0.0 { (random.below(3) - 1) as f32 * tiny } else { x });
            let exact = decided_exactly(&floats, middle, radius as f32);
            assert_eq!(touches(&floats, middle, radius as f32), exact, "{floats:?} {middle:?} {radius}");
            touching += usize::from(exact);
            contacts += 1;
        }
        assert!(touching > 100 && contacts - touching > 100, "{touching} of {contacts}");
    }

    #[test]
    fn the_quick_answer_decides_near_contact() {
        // One part in 2^40 away from contact with face, edge and vertex: needs no integers.
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let slack = f32::from_bits((127 - 40) << 23);
        for centre in [[1.0, 1.0, slack], [1.0, -slack, 0.0], [-slack, -slack, 0.0]] {
            assert_eq!(decided_quickly(&corners, centre, slack / 2.0), Some(false));
            assert_eq!(decided_quickly(&corners, centre, slack * 2.0), Some(true));
        }
    }

    /// Contact with the face, an edge and a vertex at an integer distance; a radius one ulp smaller misses.
    #[test]
    fn one_ulp_decides_at_contact() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let contacts = [([1.0, 1.0, 3.0], 3.0), ([1.0, -3.0, 4.0], 5.0), ([-2.0, -3.0, -6.0], 7.0)];
        // Powers of two keep the distances exact.
        for scale in SCALES {
            for (centre, radius) in contacts.map(|(c, r): ([f32; 3], f32)| (c.map(|x| x * scale), r * scale))
            {
                let floats = corners.map(|v: [f32; 3]| v.map(|x| x * scale));
                assert!(touches(&floats, centre, radius));
                assert!(!touches(&floats, centre, radius.next_down()));
                assert!(touches(&floats, centre, radius.next_up()));
            }
        }
    }

    #[test]
    fn radius_zero_asks_for_the_point_itself() {
        // On x + y + z = 3 the points are exact.
        let corners = [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
        for point in [[3.0, 0.0, 0.0], [1.5, 1.5, 0.0], [1.0, 1.0, 1.0], [0.25, 0.25, 2.5]] {
            assert!(touches(&corners, point, 0.0), "{point:?}");
            for axis in 0..3 {
                let mut beside = point;
                beside[axis] = point[axis].next_up();
                assert!(!touches(&corners, beside, 0.0), "{beside:?}");
            }
        }
    }

    #[test]
    fn the_largest_and_the_smallest_floats_meet() {
        let (huge, tiny) = (1_152_921_504_606_846_976.0_f32, f32::from_bits(1));
        let corners = [[0.0, 0.0, 0.0], [huge, 0.0, tiny], [0.0, huge, 0.0]];
        assert!(touches(&corners, [huge, 0.0, 0.0], tiny));
        assert!(!touches(&corners, [huge, 0.0, 0.0], 0.0));
        assert!(touches(&corners, [-f32::MAX, 0.0, 0.0], f32::MAX));
        assert!(!touches(&corners, [-f32::MAX, 0.0, 0.0], f32::MAX.next_down()));
        assert!(!touches(&corners, [-f32::MAX, -tiny, 0.0], f32::MAX));
    }

    #[test]
    fn garbage_does_not_panic() {
        let odd = [f32::NAN, f32::INFINITY, f32::MIN, 0.0, 1.0];
        let mut random = Random(6);
        for _ in 0..20_000 {
            let [a, b, c, p, q] = [0; 5].map(|_| [0; 3].map(|_: i32| odd[random.below(5) as usize]));
            touches(&[a, b, c], p, q[0]);
        }
    }
}
