//! The operations on f64 vectors, each in one fixed arithmetic, and rounding to f32.

/// A point or direction.
pub(crate) type Vector = [f64; 3];

#[inline]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(crate) fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(crate) fn scale(a: Vector, by: f64) -> Vector {
    a.map(|x| x * by)
}

/// `a + by * b`
#[inline]
pub(crate) fn offset(a: Vector, b: Vector, by: f64) -> Vector {
    add(a, scale(b, by))
}

#[inline]
pub(crate) fn length_squared(a: Vector) -> f64 {
    dot(a, a)
}

#[inline]
pub(crate) fn length(a: Vector) -> f64 {
    length_squared(a).sqrt()
}

/// A vector of length 1 (to rounding) in the direction of `a`; none where `a` is zero.
pub(crate) fn unit(a: Vector) -> Option<Vector> {
    // Scaled to a largest component of 1 first: squares of f32 denormals would lose all their bits.
    let largest = a.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    (largest > 0.0).then(|| {
        let a = a.map(|x| x / largest);
        scale(a, 1.0 / length_squared(a).sqrt())
    })
}

/// The rounded sum and its rounding error. Based on: Knuth, "The Art of Computer Programming", volume 2, section 4.2.2.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let virtual_b = sum - a;
    [sum, (a - (sum - virtual_b)) + (b - virtual_b)]
}

/// The largest f32 not above `x`.
#[inline]
pub(crate) fn round_down(x: f64) -> f32 {
    -round_up(-x)
}

/// The least f32 not below `x`.
#[inline]
pub(crate) fn round_up(x: f64) -> f32 {
    let rounded = x as f32;
    step_up(rounded, f64::from(rounded) < x)
}

/// The next f32 above `x` if a condition holds, which for -0 it may not, else `x`.
#[inline(always)]
pub(crate) fn step_up(x: f32, condition: bool) -> f32 {
    // It holds for half of all roundings: a branch would often be mispredicted. The next bits are those of `next_up`.
    let next = if x.is_sign_negative() { u32::MAX } else { 1 };
    f32::from_bits(x.to_bits().wrapping_add(u32::from(condition) * next))
}

/// `a x b` to the last few bits, however much cancels.
///
/// Based on: Jeannerod, Louvet, Muller, "Further analysis of Kahan's algorithm for the accurate computation of
/// 2x2 determinants", 2013.
pub(crate) fn accurate_cross(a: Vector, b: Vector) -> Vector {
    let difference = |a: f64, b: f64, c: f64, d: f64| {
        let product = c * d;
        let error = (-c).mul_add(d, product);
        a.mul_add(b, -product) + error
    };
    [
        difference(a[1], b[2], a[2], b[1]),
        difference(a[2], b[0], a[0], b[2]),
        difference(a[0], b[1], a[1], b[0]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_up_takes_the_next_number() {
        let tiny = f64::from(f32::from_bits(1));
        let large = f64::from(f32::MAX);
        for x in [0.0, tiny, 1e-3 * tiny, 1.0, 1.0 + f64::EPSILON, 1.0 - 1e-9, 0.1, large, 2.0 * large] {
            for x in [x, -x] {
                let rounded = x as f32;
                let expected = if f64::from(rounded) < x { rounded.next_up() } else { rounded };
                assert_eq!(round_up(x).to_bits(), expected.to_bits(), "{x}");
            }
        }
    }

    #[test]
    fn tiny_vectors_have_unit_vectors() {
        let tiny = f64::from(f32::from_bits(1));
        let unit = unit([tiny, -tiny, 0.0]).unwrap();
        assert!((length_squared(unit) - 1.0).abs() < 1e-15);
        assert_eq!(super::unit([0.0; 3]), None);
    }

    #[test]
    fn a_cross_product_of_nearly_parallel_vectors_keeps_its_direction() {
        // The third part is 2^-54, which products rounded to f64 lose.
        let e = 2f64.powi(-27);
        assert_eq!(accurate_cross([1.0 + e, 1.0, 0.0], [1.0, 1.0 - e, 0.0]), [0.0, 0.0, -e * e]);
    }
}
