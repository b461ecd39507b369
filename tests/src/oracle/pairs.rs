//! Which triangles of two meshes meet.
//!
//! Boxes limit the search: the longer of two lists is halved, and the shorter keeps what overlaps each half's box,
//! until few are left. Every pair is tested at most once; [`meet`](super::meet) decides.

use super::meet::{Corners, Point, meet};
use crate::pose::Pose;
use bvhc::mesh::Mesh;
use std::ops::ControlFlow;

/// Lists with at most this many pairs are not halved.
const FEW: usize = 64;

/// Triangles in the space where they may meet others, and their boxes.
#[derive(Clone, Debug)]
pub struct Surface {
    triangles: Vec<Corners>,
    boxes: Vec<Bounds>,
}

impl Surface {
    /// The triangles with these corners, numbered from 0.
    pub fn new(triangles: impl IntoIterator<Item = Corners>) -> Self {
        let triangles: Vec<_> = triangles.into_iter().collect();
        let boxes = triangles.iter().map(Bounds::around).collect();
        Self { triangles, boxes }
    }

    /// The triangles of a mesh as they are.
    pub fn of(mesh: &Mesh) -> Self {
        let count = mesh.triangles.len() as u32;
        Self::new((0..count).map(|triangle| mesh.corners(triangle).map(|corner| corner.map(f64::from))))
    }

    /// The triangles of a mesh, transformed by the pose.
    pub fn transformed(mesh: &Mesh, pose: &Pose) -> Self {
        let count = mesh.triangles.len() as u32;
        Self::new((0..count).map(|triangle| pose.corners(mesh.corners(triangle))))
    }

    /// The triangles, in order.
    pub fn triangles(&self) -> &[Corners] {
        &self.triangles
    }

    fn numbers(&self) -> Vec<u32> {
        (0..self.triangles.len() as u32).collect()
    }
}

/// A closed box.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Point,
    max: Point,
}

impl Bounds {
    fn around(corners: &Corners) -> Self {
        let [a, b, c] = corners.map(|corner| Self { min: corner, max: corner });
        a.with(&b).with(&c)
    }

    fn of(boxes: &[Self], numbers: &[u32]) -> Self {
        let first = boxes[numbers[0] as usize];
        numbers.iter().fold(first, |bounds, &number| bounds.with(&boxes[number as usize]))
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis].min(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].max(other.max[axis])),
        }
    }

    /// Whether no axis proves that they are farther apart than `limit`, to rounding.
    fn may_be_within(&self, other: &Self, limit: f64) -> bool {
        let gap = |axis: usize| (self.min[axis] - other.max[axis]).max(other.min[axis] - self.max[axis]);
        (0..3).all(|axis| gap(axis) <= limit)
    }

    /// Twice the centre.
    fn middle(&self, axis: usize) -> f64 {
        self.min[axis] + self.max[axis]
    }

    fn longest_axis(&self) -> usize {
        let length = |axis: usize| self.max[axis] - self.min[axis];
        (0..3).max_by(|&a, &b| length(a).total_cmp(&length(b))).expect("three axes")
    }
}

/// Every pair of triangles that meet, of `a` and of `b`, ascending.
pub fn all(a: &Surface, b: &Surface) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let _ = visit(a, b, &mut |one, other| {
        found.push((one, other));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

/// Whether a triangle of `a` meets one of `b`.
pub fn any(a: &Surface, b: &Surface) -> bool {
    visit(a, b, &mut |_, _| ControlFlow::Break(())).is_break()
}

/// A callback that gets two triangles' numbers.
pub type Visitor<'a> = dyn FnMut(u32, u32) -> ControlFlow<()> + 'a;

fn visit(a: &Surface, b: &Surface, visitor: &mut Visitor<'_>) -> ControlFlow<()> {
    near(a, b, 0.0, &mut |one, other| {
        if meet(a.triangles[one as usize], b.triangles[other as usize]) {
            visitor(one, other)
        } else {
            ControlFlow::Continue(())
        }
    })
}

/// Visits every pair of triangles except those whose boxes are farther apart than `limit` on an axis, and perhaps
/// some of these.
pub fn near(a: &Surface, b: &Surface, limit: f64, visitor: &mut Visitor<'_>) -> ControlFlow<()> {
    if a.triangles.is_empty() || b.triangles.is_empty() {
        return ControlFlow::Continue(());
    }
    Search { a, b, limit, visitor }.halve(a.numbers(), b.numbers())
}

struct Search<'a, 'b> {
    a: &'a Surface,
    b: &'a Surface,
    limit: f64,
    visitor: &'a mut Visitor<'b>,
}

impl Search<'_, '_> {
    /// Visits every pair of one of `a` and one of `b`, neither of which is empty.
    fn halve(&mut self, a: Vec<u32>, b: Vec<u32>) -> ControlFlow<()> {
        let (in_a, in_b) = (Bounds::of(&self.a.boxes, &a), Bounds::of(&self.b.boxes, &b));
        let (mut a, mut b) =
            (kept(a, &self.a.boxes, &in_b, self.limit), kept(b, &self.b.boxes, &in_a, self.limit));
        if a.len() * b.len() <= FEW {
            return self.compare(&a, &b);
        }
        if a.len() >= b.len() {
            let far = split(&mut a, &self.a.boxes);
            self.halve(a, b.clone())?;
            self.halve(far, b)
        } else {
            let far = split(&mut b, &self.b.boxes);
            self.halve(a.clone(), b)?;
            self.halve(a, far)
        }
    }

    fn compare(&mut self, a: &[u32], b: &[u32]) -> ControlFlow<()> {
        for &one in a {
            for &other in b {
                (self.visitor)(one, other)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The numbers of the boxes that are no farther from `bounds` than `limit`.
fn kept(mut numbers: Vec<u32>, boxes: &[Bounds], bounds: &Bounds, limit: f64) -> Vec<u32> {
    numbers.retain(|&number| boxes[number as usize].may_be_within(bounds, limit));
    numbers
}

/// Keeps the lower half along the triangles' longest axis; returns the rest.
fn split(numbers: &mut Vec<u32>, boxes: &[Bounds]) -> Vec<u32> {
    let axis = Bounds::of(boxes, numbers).longest_axis();
    let middle = |number: &u32| boxes[*number as usize].middle(axis);
    let half = numbers.len() / 2;
    numbers.select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)));
    numbers.split_off(half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose;
    use crate::random::Random;
    use crate::scene::{grid, icosphere, soup};

    fn by_every_pair(a: &Surface, b: &Surface) -> Vec<(u32, u32)> {
        let pairs =
            a.numbers().into_iter().flat_map(|one| b.numbers().into_iter().map(move |other| (one, other)));
        pairs.filter(|&(one, other)| meet(a.triangles[one as usize], b.triangles[other as usize])).collect()
    }

    #[test]
    fn no_pair_is_lost() {
        let mut random = Random::new(1);
        let meshes = [
            soup::triangles(300, 0.2, 1),
            soup::needles(200, 2),
            soup::coplanar(100, 3),
            icosphere::displaced(4, 0.2, 4),
            grid::cubes([2, 2, 2]),
        ];
        for a in &meshes {
            for b in &meshes {
                let pose = Pose { rotation: pose::any(&mut random), translation: [0.1, -0.2, 0.3] };
                let (a, b) = (Surface::of(a), Surface::transformed(b, &pose));
                let expected = by_every_pair(&a, &b);
                assert_eq!(all(&a, &b), expected);
                assert_eq!(any(&a, &b), !expected.is_empty());
            }
        }
    }

    /// With a side, with a corner, and not at all.
    #[test]
    fn touching_cubes() {
        let cube = grid::cubes([1, 1, 1]);
        let pairs = |shift| all(&Surface::of(&cube), &Surface::transformed(&cube, &Pose::shifted(shift)));
        let touching = pairs([1.0, 0.0, 0.0]);
        assert!(touching.len() > 4 && touching.len() < 144);
        assert!(!pairs([1.0, 1.0, 1.0]).is_empty() && pairs([1.0, 1.0, 1.0]).len() < touching.len());
        assert!(pairs([1.0 + f64::EPSILON, 0.0, 0.0]).is_empty());
    }

    #[test]
    fn nothing_meets_nothing() {
        let (cube, nothing) = (Surface::of(&grid::cubes([1, 1, 1])), Surface::new([]));
        assert!(all(&cube, &nothing).is_empty() && !any(&nothing, &cube) && !any(&nothing, &nothing));
    }
}
