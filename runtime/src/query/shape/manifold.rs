//! Reduces contacts to a few of each normal.
//!
//! Based on: Gregorius, "Robust Contact Creation for Physics Simulations", GDC 2015 (the deepest point, the farthest from
//! it, and the largest triangles with these).

use core::cmp::Ordering;

use super::touches::Contact;
use crate::math::vector::{cross, dot, sub};

/// The cosine of the largest angle between normals of a cluster: 2.5 degrees.
const SAME_NORMAL: f32 = 0.999;

/// Areas of less than this share of the squared distance of the first two contacts do not count.
const FLAT: f32 = 1e-4;

/// The order of contacts: by gap, then point, so that the first of equally deep ones is an end of what they span, then
/// triangle. Two that are equal in all that are the same.
pub(super) fn earlier(a: &Contact, b: &Contact) -> Ordering {
    let by_point = || (0..3).map(|axis| a.point[axis].total_cmp(&b.point[axis])).find(|it| it.is_ne());
    a.gap
        .total_cmp(&b.gap)
        .then_with(|| by_point().unwrap_or(Ordering::Equal))
        .then(a.triangle.cmp(&b.triangle))
}

/// Moves the contacts that stay to the front, cluster by cluster, and returns how many these are. The contacts must be in
/// order.
pub(super) fn reduce(contacts: &mut [Contact]) -> usize {
    let (mut kept, mut next) = (0, 0);
    while next < contacts.len() {
        let first = contacts[next];
        // The cluster, in order, and the others behind it, in order.
        let mut end = next + 1;
        for index in next + 1..contacts.len() {
            if dot(contacts[index].normal, first.normal) >= SAME_NORMAL {
                contacts[end..=index].rotate_right(1);
                end += 1;
            }
        }
        let (chosen, count) = four_of(&contacts[next..end]);
        for index in &chosen[..count] {
            contacts[kept] = contacts[next + index];
            kept += 1;
        }
        next = end;
    }
    kept
}

/// Which contacts of a cluster stay, ascending.
fn four_of(cluster: &[Contact]) -> ([usize; 4], usize) {
    let mut chosen = [0; 4];
    let first = &cluster[0];
    let offset = |index: usize| {
        let offset = sub(cluster[index].point, first.point);
        let height = dot(offset, first.normal);
        sub(offset, [0, 1, 2].map(|axis| height * first.normal[axis]))
    };
    let farthest = |measure: &dyn Fn(usize) -> f32| {
        let mut best = (0, 0.0);
        for index in 1..cluster.len() {
            let value = measure(index);
            if value > best.1 {
                best = (index, value);
            }
        }
        best
    };
    let (second, square) = farthest(&|index| dot(offset(index), offset(index)));
    if square == 0.0 {
        return (chosen, 1);
    }
    chosen[1] = second;
    let area = |a: [f32; 3], b: [f32; 3]| dot(cross(a, b), first.normal);
    let to_second = offset(second);
    let (third, twice) = farthest(&|index| area(to_second, offset(index)).abs());
    if twice <= FLAT * square {
        return (chosen, 2);
    }
    chosen[2] = third;
    // Outside the triangle, beyond any of its edges.
    let to_third = offset(third);
    let turn = if area(to_second, to_third) > 0.0 { 1.0 } else { -1.0 };
    let beyond = |index: usize| {
        let it = offset(index);
        let edges = [([0.0; 3], to_second), (to_second, to_third), (to_third, [0.0; 3])];
        edges.iter().map(|(a, b)| -turn * area(sub(*b, *a), sub(it, *a))).fold(0.0, f32::max)
    };
    let (fourth, twice) = farthest(&beyond);
    if twice <= FLAT * square {
        chosen[..3].sort_unstable();
        return (chosen, 3);
    }
    chosen[3] = fourth;
    chosen.sort_unstable();
    (chosen, 4)
}
