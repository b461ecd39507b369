//! How far a triangle is from a point, as a set of exact fractions.
//!
//! The squared distance is the minimum over those corners, edges and faces whose own nearest point lies on them. No
//! case is decided by rounded numbers, which is where region tests fail on slivers.

use super::meet::{Corners, Point};
use super::number::{Number, Vector, cross, difference, dot, normal};
use std::cmp::Ordering::{Equal, Greater, Less};

/// The part of a triangle that a nearest point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The corner of this number.
    Corner(usize),
    /// The inside of the edge from this corner to the next.
    Edge(usize),
    /// The inside.
    Face,
}

/// A candidate for the squared distance: `numerator / denominator`.
#[derive(Clone, Debug)]
pub struct Candidate<N> {
    /// Where the nearest point of the candidate lies.
    pub part: Part,
    /// Of degree 2, 4 or 6 in the coordinates.
    pub numerator: N,
    /// Positive; of degree 0, 2 or 4.
    pub denominator: N,
}

/// The candidates of a triangle, corners first; the smallest is the squared distance of `point` from the triangle.
pub fn candidates<N: Number>(
    corners: [[impl Into<f64> + Copy; 3]; 3],
    point: [impl Into<f64> + Copy; 3],
) -> Option<Vec<Candidate<N>>> {
    let (corners, point) = (corners.map(|corner| corner.map(Into::into)), point.map(Into::into));
    let mut found: Vec<_> = (0..3).map(|index| corner(corners, point, index)).collect();
    for index in 0..3 {
        found.extend(edge(corners, point, index)?);
    }
    found.extend(face(corners, point)?);
    Some(found)
}

fn corner<N: Number>(corners: Corners, point: Point, index: usize) -> Candidate<N> {
    let offset = difference::<N>(corners[index], point);
    Candidate { part: Part::Corner(index), numerator: dot(&offset, &offset), denominator: N::new(1.0) }
}

/// The outer `None`: the arithmetic is too coarse to decide; the inner: the point projects beyond the edge's ends.
fn edge<N: Number>(corners: Corners, point: Point, index: usize) -> Option<Option<Candidate<N>>> {
    let start = corners[index];
    let along = difference::<N>(corners[(index + 1) % 3], start);
    let offset = difference::<N>(point, start);
    let projected = dot(&along, &offset);
    let square = dot(&along, &along);
    if projected.sign()? != Greater || projected.minus(&square).sign()? != Less {
        return Some(None);
    }
    let area = cross(&along, &offset);
    Some(Some(Candidate { part: Part::Edge(index), numerator: dot(&area, &area), denominator: square }))
}

fn face<N: Number>(corners: Corners, point: Point) -> Option<Option<Candidate<N>>> {
    let normal = normal::<N>(corners);
    let square = dot(&normal, &normal);
    if square.sign()? == Equal || !projects_inside(corners, point, &normal)? {
        return Some(None);
    }
    let height = dot(&normal, &difference(point, corners[0]));
    Some(Some(Candidate { part: Part::Face, numerator: height.times(&height), denominator: square }))
}

fn projects_inside<N: Number>(corners: Corners, point: Point, normal: &Vector<N>) -> Option<bool> {
    for index in 0..3 {
        let start = corners[index];
        let inward = cross(normal, &difference(corners[(index + 1) % 3], start));
        if dot(&inward, &difference(point, start)).sign()? == Less {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::number::Exact;

    fn nearest(point: [f32; 3]) -> (Part, f64) {
        let corners = [[0.0f32, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let found = candidates::<Exact>(corners, point).expect("exact").into_iter();
        found
            .map(|candidate| {
                let [above, below] =
                    [candidate.numerator, candidate.denominator].map(|n| n.value().expect("exact"));
                (candidate.part, above / below)
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("three corners at least")
    }

    #[test]
    fn each_part_is_nearest_to_its_own_region() {
        assert_eq!(nearest([-3.0, -4.0, 0.0]), (Part::Corner(0), 25.0));
        assert_eq!(nearest([6.0, -1.0, 2.0]), (Part::Corner(1), 9.0));
        assert_eq!(nearest([2.0, -3.0, 4.0]), (Part::Edge(0), 25.0));
        assert_eq!(nearest([3.0, 3.0, 1.0]), (Part::Edge(1), 3.0));
        assert_eq!(nearest([1.0, 1.0, -5.0]), (Part::Face, 25.0));
    }
}
