//! Reduces contacts to a few of each normal.
//!
//! Based on: Gregorius, "Robust Contact Creation for Physics Simulations", GDC 2015 (the deepest point, the farthest from
//! it, and the largest triangles with these).

use core::cmp::Ordering;

use super::touches::Contact;
use crate::math::vector::{Map3, cross, dot, scale, sub};

/// The cosine of the largest angle between normals of a cluster: 2.5 degrees.
const SAME_NORMAL: f32 = 0.999;

/// Areas of less than this share of the squared distance of the first two contacts do not count.
const FLAT: f64 = 1e-4;

/// A contact in a list.
pub(crate) trait Listed: Copy {
    fn contact(&self) -> &Contact;

    /// The order of what is touched, where contacts are equal: triangles of a model, by number.
    fn by_number(&self, other: &Self) -> Ordering;
}

impl Listed for Contact {
    fn contact(&self) -> &Contact {
        self
    }

    fn by_number(&self, other: &Self) -> Ordering {
        self.triangle.cmp(&other.triangle)
    }
}

/// The order of contacts: by gap, then point, so that the first of equally deep ones is an end of what they span, then
/// triangle. Two that are equal in all that are the same.
pub(super) fn earlier<C: Listed>(a: &C, b: &C) -> Ordering {
    let (one, other) = (a.contact(), b.contact());
    let by_point = || (0..3).map(|axis| one.point[axis].total_cmp(&other.point[axis])).find(|it| it.is_ne());
    one.gap
        .total_cmp(&other.gap)
        .then_with(|| by_point().unwrap_or(Ordering::Equal))
        .then_with(|| a.by_number(b))
}

/// Moves the contacts that stay to the front, cluster by cluster, and returns how many these are. The contacts must be in
/// order. Cost: a few passes over the contacts a cluster; there are some 8,000 of these at most, as caps of 1.25 degrees around
/// their normals have no point in common.
pub(crate) fn reduce<C: Listed>(contacts: &mut [C]) -> usize {
    // In front of `start` are those that stay, and behind it those of no cluster yet, in order.
    let (mut kept, mut start) = (0, 0);
    while start < contacts.len() {
        let cluster = Cluster { contacts: &contacts[start..] };
        let (chosen, count) = cluster.four();
        let chosen = chosen.map(|index| cluster.contacts[index]);
        let first = *chosen[0].contact();
        let mut end = contacts.len();
        for index in (start..contacts.len()).rev() {
            let contact = contacts[index];
            if index > start && !is_like(contact.contact(), &first) {
                end -= 1;
                contacts[end] = contact;
            }
        }
        contacts[kept..kept + count].copy_from_slice(&chosen[..count]);
        kept += count;
        start = end;
    }
    kept
}

/// Whether contacts have about the same normal, or both none.
fn is_like(contact: &Contact, first: &Contact) -> bool {
    dot(contact.normal, first.normal) >= SAME_NORMAL
        || (contact.normal == [0.0; 3] && first.normal == [0.0; 3])
}

/// Contacts in order: the first one, and those among the others that have its normal.
struct Cluster<'a, C> {
    contacts: &'a [C],
}

impl<C: Listed> Cluster<'_, C> {
    /// Which contacts stay, ascending, and how many.
    fn four(&self) -> ([usize; 4], usize) {
        let mut chosen = [0; 4];
        let (second, square) = self.farthest(|index| dot(self.offset(index), self.offset(index)));
        if square == 0.0 {
            return (chosen, 1);
        }
        chosen[1] = second;
        let to_second = self.offset(second);
        let (third, twice) = self.farthest(|index| self.area(to_second, self.offset(index)).abs());
        if twice <= FLAT * square {
            return (chosen, 2);
        }
        chosen[2] = third;
        // Outside the triangle, beyond any of its edges.
        let to_third = self.offset(third);
        let turn = if self.area(to_second, to_third) > 0.0 { 1.0 } else { -1.0 };
        let beyond = |index: usize| {
            let it = self.offset(index);
            let edges = [([0.0; 3], to_second), (to_second, to_third), (to_third, [0.0; 3])];
            edges.iter().map(|(a, b)| -turn * self.area(sub(*b, *a), sub(it, *a))).fold(0.0, f64::max)
        };
        let (fourth, twice) = self.farthest(beyond);
        if twice <= FLAT * square {
            chosen[..3].sort_unstable();
            return (chosen, 3);
        }
        chosen[3] = fourth;
        chosen.sort_unstable();
        (chosen, 4)
    }

    /// The contact of the greatest measure, the first of equals, and the measure; the first contact if none is positive.
    fn farthest(&self, measure: impl Fn(usize) -> f64) -> (usize, f64) {
        let mut best = (0, 0.0);
        for index in 1..self.contacts.len() {
            if is_like(self.contacts[index].contact(), self.contacts[0].contact()) {
                let value = measure(index);
                best = if value > best.1 { (index, value) } else { best };
            }
        }
        best
    }

    /// From the first contact to another one, as seen along the first one's normal. In f64, in which squares of small numbers are not
    /// zero.
    fn offset(&self, index: usize) -> [f64; 3] {
        let at = |index: usize| self.contacts[index].contact().point.map3(f64::from);
        let (offset, normal) = (sub(at(index), at(0)), self.normal());
        sub(offset, scale(normal, dot(offset, normal)))
    }

    fn normal(&self) -> [f64; 3] {
        self.contacts[0].contact().normal.map3(f64::from)
    }

    /// Twice the area between two offsets, positive if they turn left.
    fn area(&self, a: [f64; 3], b: [f64; 3]) -> f64 {
        dot(cross(a, b), self.normal())
    }
}
