//! Which triangles may be within reach of the points of a brick.

use bvhc_format::field::BRICK_POINTS;

use super::lattice::Lattice;
use crate::math::vector::{cross, dot, subtract as sub};

/// A triangle on the lattice, and what all distances from it need.
pub(super) struct Local {
    pub(super) min: [f64; 3],
    pub(super) max: [f64; 3],
    pub(super) edges: [Edge; 3],
    /// Perpendicular to the plane.
    pub(super) normal: [f64; 3],
    /// One over the square of the normal; 0 if the triangle is a sliver, which is as near as its edges.
    pub(super) per_square: f64,
}

/// A corner, the edge to the next one, and what points into the triangle from there.
pub(super) struct Edge {
    pub(super) start: [f64; 3],
    pub(super) along: [f64; 3],
    /// One over the square of the edge's length; 0 if that is 0.
    pub(super) per_square: f64,
    pub(super) inwards: [f64; 3],
}

/// A triangle is a sliver if its height is less than this times its longest edge.
const SLIVER: f64 = 1.0 / (1 << 24) as f64;

/// Triangles in voxels from the lattice's first point.
pub(super) fn local(corners: &[[[f32; 3]; 3]], lattice: &Lattice) -> Vec<Local> {
    let local = |corner: &[f32; 3]| {
        [0, 1, 2].map(|axis| (f64::from(corner[axis]) - lattice.origin[axis]) / lattice.voxel)
    };
    corners.iter().map(|triangle| Local::new([0, 1, 2].map(|k| local(&triangle[k])))).collect()
}

impl Local {
    fn new(corners: [[f64; 3]; 3]) -> Self {
        let along = [0, 1, 2].map(|k| sub(corners[(k + 1) % 3], corners[k]));
        let normal = cross(along[0], along[1]);
        let longest = along.iter().map(|edge| dot(*edge, *edge)).fold(0.0, f64::max);
        let square = dot(normal, normal);
        let is_sliver = square <= (SLIVER * longest) * (SLIVER * longest);
        let inverse = |square: f64| if square > 0.0 { 1.0 / square } else { 0.0 };
        let edges = [0, 1, 2].map(|k| Edge {
            start: corners[k],
            along: along[k],
            per_square: inverse(dot(along[k], along[k])),
            inwards: cross(normal, along[k]),
        });
        let bound = |pick: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|axis| pick(pick(corners[0][axis], corners[1][axis]), corners[2][axis]))
        };
        Self {
            min: bound(f64::min),
            max: bound(f64::max),
            edges,
            normal,
            per_square: if is_sliver { 0.0 } else { inverse(square) },
        }
    }

    /// Whether the plane is within reach of a brick's points; `true` for slivers.
    fn may_reach(&self, brick: [usize; 3], reach: f64) -> bool {
        let half = (BRICK_POINTS - 1) as f64 / 2.0;
        let centre = brick.map(|i| (i * BRICK_POINTS) as f64 + half);
        let away = dot(self.normal, sub(centre, self.edges[0].start)).abs();
        let length = 1.0 / self.per_square.sqrt();
        let radius: f64 = self.normal.iter().map(|x| x.abs() * half).sum();
        self.per_square == 0.0 || away <= radius + reach * length
    }
}

/// The bricks that triangles are near to, ascending, and these triangles.
pub(super) struct Nearby {
    /// Of each brick of the lattice, its index among those here, or `ABSENT`.
    indices: Vec<u32>,
    bricks: Vec<[usize; 3]>,
    /// Where each brick's triangles end.
    ends: Vec<usize>,
    triangles: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

/// Triangles that bricks list at most, all together: 2 GiB.
const MAX_LISTED: usize = 1 << 29;

impl Nearby {
    /// None where bricks would list more triangles than [`MAX_LISTED`].
    pub(super) fn of(triangles: &[Local], lattice: &Lattice) -> Option<Self> {
        let [columns, rows, layers] = lattice.bricks();
        let mut counts = vec![0u32; columns * rows * layers];
        let mut listed = 0;
        for triangle in triangles {
            each_brick(triangle, lattice, |index| {
                counts[index] += 1;
                listed += 1;
            });
            if listed > MAX_LISTED {
                return None;
            }
        }
        let (mut bricks, mut ends, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        let mut end = 0;
        for (index, count) in counts.iter_mut().enumerate() {
            if *count == 0 {
                *count = ABSENT;
                continue;
            }
            starts.push(end);
            end += *count as usize;
            *count = bricks.len() as u32;
            bricks.push(lattice.brick(index));
            ends.push(end);
        }
        let indices = counts;
        let mut list = vec![0; end];
        for (number, triangle) in triangles.iter().enumerate() {
            each_brick(triangle, lattice, |index| {
                let next = &mut starts[indices[index] as usize];
                list[*next] = number as u32;
                *next += 1;
            });
        }
        Some(Self { indices, bricks, ends, triangles: list })
    }

    /// How many bricks there are.
    pub(super) fn count(&self) -> usize {
        self.bricks.len()
    }

    /// The coordinates of one of them.
    pub(super) fn brick(&self, index: usize) -> [usize; 3] {
        self.bricks[index]
    }

    /// The triangles near one of them.
    pub(super) fn triangles(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.triangles[start..self.ends[index]]
    }

    /// The index here of a brick of the lattice.
    pub(super) fn find(&self, of_lattice: usize) -> Option<usize> {
        let index = self.indices[of_lattice];
        (index != ABSENT).then_some(index as usize)
    }
}

/// The bricks with points that may be within reach of a triangle.
fn each_brick(triangle: &Local, lattice: &Lattice, mut visit: impl FnMut(usize)) {
    let counts = lattice.bricks();
    // A little more than the reach, for the rounding of corners.
    let reach = lattice.reach() + 0.01;
    let width = BRICK_POINTS as f64;
    let from = [0, 1, 2].map(|axis| {
        let first = (triangle.min[axis] - reach - (width - 1.0)) / width;
        first.ceil().max(0.0) as usize
    });
    let to = [0, 1, 2].map(|axis| {
        let end = ((triangle.max[axis] + reach) / width).floor() + 1.0;
        (end.max(0.0) as usize).min(counts[axis])
    });
    for z in from[2]..to[2] {
        for y in from[1]..to[1] {
            for x in from[0]..to[0] {
                if triangle.may_reach([x, y, z], reach) {
                    visit(lattice.index([x, y, z]));
                }
            }
        }
    }
}
