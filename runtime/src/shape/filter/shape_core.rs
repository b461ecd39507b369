//! What the filter knows of a shape's core.

use super::aligned_box::OwnAxes;
use super::touched::Inside;
use super::{Shape, ShapeBounds, above};
use crate::math::larger;
use crate::math::vector::Map3;
use crate::similarity::Similarity;
use crate::stack::FixedStack;

/// What the middle of a shape's bounds is off by, of its largest coordinate: 64 roundings in f64.
const OF_COORDINATES: f64 = 1.0 / (1u64 << 47) as f64;

/// Of cores of more points only a box is looked at.
const MOST_POINTS: usize = 32;

/// What is known of a shape's core.
#[derive(Clone, Copy)]
pub(super) struct Core<'a> {
    /// Half the edges of a parallelepiped around the origin that holds it; only the first `count` are not zero.
    pub(super) axes: [[f32; 3]; 3],
    pub(super) count: usize,
    /// Whether all axes are along those of space.
    pub(super) is_aligned: bool,
    /// Whether it is a box that triangles are seen from in its own axes.
    pub(super) has_own_axes: bool,
    /// Its corners, or none, as seen from where the centre is before the shape moves.
    pub(super) points: &'a [[f32; 3]],
    pub(super) centre: [f32; 3],
    /// It is larger by this much along each axis of space.
    pub(super) pad: f32,
    /// How it is proven that a point is inside the shape.
    pub(super) inside: Inside,
    /// Twice what the core and its place are off by.
    pub(super) doubt: f32,
}

impl<'a> Core<'a> {
    /// The core of a shape with this centre in the space of a mesh, grown along each axis.
    pub(super) fn new(shape: &'a dyn Shape, bounds: &ShapeBounds, at: &Similarity, by: f64) -> Self {
        let (mut points, mut centre, mut off) = (shape.core_points(), [0.0; 3], by);
        if points.is_empty() || points.len() > MOST_POINTS || !at.is_identity() {
            points = &[];
        } else {
            let exact = bounds.centre();
            centre = exact.map3(|x| x as f32);
            let [x, y, z] = [0, 1, 2].map3(|axis| (exact[axis] - f64::from(centre[axis])).abs());
            off += larger(x, larger(y, z));
        }
        let pad = above(off);
        let doubt = 2.0 * pad + (bounds.magnitude() / at.scale() * OF_COORDINATES) as f32;
        let is_point = bounds.lower == bounds.upper;
        let axes = if is_point { [NO_AXIS; 3] } else { axes_of(shape, at) };
        let count = axes.iter().filter(|axis| **axis != NO_AXIS).count();
        let is_aligned = axes.as_flattened().iter().filter(|x| **x != 0.0).count() == count;
        let inside = match shape.fills_core_axes() {
            true => Inside::of(&axes[..count], bounds.radius as f32),
            false => Inside::Unknown,
        };
        let has_own_axes = !is_aligned && OwnAxes::are_usable(&inside);
        Self { axes, count, points, centre, is_aligned, has_own_axes, pad, inside, doubt }
    }

    #[inline(always)]
    pub(super) fn axes(&self) -> &[[f32; 3]] {
        &self.axes[..self.count.min(3)]
    }
}

const NO_AXIS: [f32; 3] = [0.0; 3];

/// Half the edges of a parallelepiped around a shape's core, as a mesh sees them; those that are zero are the last.
fn axes_of(shape: &dyn Shape, at: &Similarity) -> [[f32; 3]; 3] {
    let mut axes = shape.core_axes().map3(|axis| at.inverse_direction(axis).map3(|x| x as f32));
    for first in [0, 0, 1] {
        if axes[first] == NO_AXIS {
            axes[first..].rotate_left(1);
        }
    }
    axes
}

/// The points that are known of a shape's core, seen from its centre. Walks make them once, from what they are asked for.
pub(crate) type SeenPoints = FixedStack<[f32; 3], MOST_POINTS>;
