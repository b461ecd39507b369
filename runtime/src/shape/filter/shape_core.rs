//! What the filter knows of a shape's core.

use super::touched::Inside;
use super::{Shape, ShapeBounds};
use crate::math::vector::{Map3, sub};
use crate::similarity::Similarity;

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
        let centre = bounds.centre();
        let rounded = centre.map3(|x| x as f32);
        let off = (0..3).fold(0.0f64, |most, axis| most.max((centre[axis] - f64::from(rounded[axis])).abs()));
        let pad = ((by + off) as f32 + f32::MIN_POSITIVE).next_up();
        let points = shape.core_points();
        let points = if at.is_identity() && points.len() <= MOST_POINTS { points } else { &[] };
        let inside = Inside::Unknown;
        let doubt = 2.0 * pad + (bounds.magnitude() / at.scale() * OF_COORDINATES) as f32;
        let (axes, is_aligned) = ([[0.0; 3]; 3], true);
        let mut core = Self { axes, count: 0, points, centre: rounded, is_aligned, pad, inside, doubt };
        for axis in shape.core_axes().map3(|axis| at.inverse_direction(axis).map3(|x| x as f32)) {
            if axis != [0.0; 3] {
                core.axes[core.count] = axis;
                core.count += 1;
                let [x, y, z] = axis.map3(|x| u32::from(x != 0.0));
                core.is_aligned &= x + y + z == 1;
            }
        }
        if shape.fills_core_axes() {
            core.inside = Inside::of(core.axes(), bounds.radius as f32);
        }
        core
    }

    #[inline(always)]
    pub(super) fn axes(&self) -> &[[f32; 3]] {
        &self.axes[..self.count.min(3)]
    }
}

/// The points that are known of a shape's core, seen from its centre. Walks make them once, from what they are asked for.
pub(crate) struct SeenPoints {
    /// Not there for most shapes, which then need not fill it.
    list: Option<[[f32; 3]; MOST_POINTS]>,
    count: usize,
}

impl SeenPoints {
    pub(super) fn of(core: &Core<'_>) -> Self {
        let Core { points, centre, .. } = core;
        let list = (!points.is_empty()).then(|| {
            let mut list = [[0.0; 3]; MOST_POINTS];
            for (to, from) in list.iter_mut().zip(*points) {
                *to = sub(*from, *centre);
            }
            list
        });
        Self { list, count: points.len() }
    }

    #[inline(always)]
    pub(super) fn all(&self) -> &[[f32; 3]] {
        self.list.as_ref().map_or(&[], |list| &list[..self.count.min(MOST_POINTS)])
    }
}
