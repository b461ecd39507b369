//! Endpoints of boxes on an axis, as integers in the order that decides whether boxes overlap.
//!
//! # Why no pair is lost
//!
//! A pair counts as near where f64 has a gap of at most the margin d on each axis, or where a box of f32 that is rounded outward
//! touches another one ([`grown`](crate::world::walk::grown)); that adds less than 1.5 * 2^-23 (|y| + d) on a plane y of a moving
//! box. Here each box is grown by d / 2 and by 3 * 2^-24 (|y| + d), and rounded outward, so whatever is near overlaps here.
//!
//! Where pairs are found by the trees instead ([`join`](super::super::join)), they must be all that overlap here: a pair that overlaps
//! without being known would begin no more. Two boxes that touch here are apart by at most the margin and, with |y| < |x| + d up
//! to a few units and a rounding of less than 2^-23 (|x| + d / 2) each, by 10 * 2^-24 |x| + 13 * 2^-24 d. The join allows for
//! 12 * 2^-24 (|x| + d), and is given a margin that is larger by [`WIDENING`].

/// How much more than by half the margin boxes are grown, relative to their coordinates and the margin.
const SLACK: f64 = 3.0 / (1u32 << 24) as f64;

/// The factor of the margin that trees are asked with: 1 + 2^-19.
pub(super) const WIDENING: f32 = 1.0 + 1.0 / (1u32 << 19) as f32;

/// What a box that was never seen is sorted by: it is at the end of all axes.
pub(super) const NOWHERE: [u32; 6] = [u32::MAX; 6];

/// Bit of an endpoint: it is an upper one. Of equal ones, lower ones come first, so that boxes that touch overlap.
const UPPER: u64 = 1 << 31;

/// What a leaf's box is sorted by: of each axis the lower and the upper plane, grown.
pub(super) fn keys(bounds: &[f32; 6], margin: f32) -> [u32; 6] {
    let margin = f64::from(margin);
    let by = |x: f64| margin / 2.0 + (x.abs() + margin) * SLACK;
    let lower = |x: f64| ordered(rounded_down(x - by(x)));
    let upper = |x: f64| ordered(-rounded_down(-x - by(x)));
    let [a, b, c, d, e, f] = bounds.map(f64::from);
    [lower(a), upper(d), lower(b), upper(e), lower(c), upper(f)]
}

fn rounded_down(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The bits of a number, in its order. Both zeros are equal.
fn ordered(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

pub(super) fn endpoint(key: u32, is_upper: bool, of: u32) -> u64 {
    u64::from(key) << 32 | if is_upper { UPPER } else { 0 } | u64::from(of)
}

pub(super) fn is_upper(endpoint: u64) -> bool {
    endpoint & UPPER != 0
}

/// The number of an endpoint's box.
pub(super) fn box_of(endpoint: u64) -> u32 {
    (endpoint & (UPPER - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let numbers = [f32::NEG_INFINITY, -3.0, -1e-45, 0.0, 1e-45, 2.0, f32::MAX, f32::INFINITY];
        assert!(numbers.map(ordered).is_sorted_by(|a, b| a < b));
        assert_eq!(ordered(-0.0), ordered(0.0));
        assert!(endpoint(7, false, 9) < endpoint(7, true, 2));
        assert_eq!((box_of(endpoint(7, true, 9)), is_upper(endpoint(7, true, 9))), (9, true));
    }

    #[test]
    fn planes_are_rounded_outward() {
        for x in [1.0, -1.0, 0.1, 1e-300, -1e-300, 1e30 + 1e22, f64::MAX, -f64::MAX] {
            assert!(f64::from(rounded_down(x)) <= x && f64::from(rounded_down(x).next_up()) > x, "{x}");
        }
        assert_eq!(keys(&[0.0; 6], f32::INFINITY)[..2], [f32::NEG_INFINITY, f32::INFINITY].map(ordered));
    }
}
