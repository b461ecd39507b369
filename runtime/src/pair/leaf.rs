//! Leaves of up to four triangles in the form that the triangle tests read: one triangle per lane, relative to a nearby
//! point. They are built from the blocks when visited, and cached, since a leaf is compared with several others.

use bvhc_format::obb::PAIR_WIDTH;
use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{SimdBase, SimdFloat, SimdInto, f32x4};

use super::relative_pose::RelativePose;
use crate::blocks::Blocks;
use crate::math::larger;
use crate::math::vector::Map3;
use crate::simd::Kernel;
use crate::stack::{CacheScratch, FixedCache};
use crate::triangle::slots;

/// A leaf of up to four triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Identifies the leaf in its tree.
    pub(crate) id: u64,
    pub(crate) triangles: u32,
}

impl Leaf {
    /// The leaf and the lane at a sample's address, in a tree with stored leaves. `triangles` is `lane + 1`: the leaf
    /// has at least that many.
    pub(crate) fn at(address: u32) -> (Self, usize) {
        let lane = address % PAIR_WIDTH as u32;
        (Self { id: u64::from(address / PAIR_WIDTH as u32), triangles: lane + 1 }, lane as usize)
    }
}

/// Up to four triangles, relative to a point near them, along the axes of A's space.
///
/// `origin + corners` is a corner's position up to rounding: of A's corners once, of B's as `triangle/classify.rs` says. What that
/// leaves undecided is decided with the blocks' coordinates. Lanes beyond the leaf's count repeat lane 0.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Triangles {
    /// `corners[k][axis][lane]`: coordinate of corner `k` of the triangle in that lane.
    pub(crate) corners: Corners,
    /// The point of A's space that the corners are relative to.
    pub(crate) origin: [f64; 3],
    /// The largest magnitude of any corner coordinate.
    pub(crate) radius: f32,
    /// Triangle addresses: 16 times the reference of a block, plus a lane in it.
    pub(crate) addresses: [u64; PAIR_WIDTH],
}

impl Triangles {
    /// The reference of the block that holds the triangle, and the lane in it.
    #[inline(always)]
    pub(crate) fn address(&self, lane: usize) -> (u32, usize) {
        let (reference, lane) = block_and_lane(self.addresses[lane % PAIR_WIDTH]);
        (reference as u32, lane)
    }
}

/// How many leaves of a tree are cached. (Measured at AVX2, all pairs of two bunnies: with one, 12 % slower.)
const KEPT: usize = 16;

/// The leaves of a tree that were visited last.
pub(crate) struct LeafCache<'r> {
    leaves: FixedCache<'r, Triangles, KEPT>,
    /// B's pose, if this is B's tree.
    pose: Option<&'r RelativePose>,
}

/// The memory of a [`LeafCache`].
pub(crate) type LeafScratch = CacheScratch<Triangles, KEPT>;

impl<'r> LeafCache<'r> {
    /// Of A's tree.
    #[inline(always)]
    pub(crate) fn of_a(scratch: &'r mut LeafScratch) -> Self {
        Self { leaves: FixedCache::new(scratch), pose: None }
    }

    /// Of B's tree, whose triangles are turned when they are built: a leaf is compared with several others.
    #[inline(always)]
    pub(crate) fn of_b(scratch: &'r mut LeafScratch, pose: &'r RelativePose) -> Self {
        Self { leaves: FixedCache::new(scratch), pose: Some(pose) }
    }

    /// The triangles of a leaf, from the cache or built from those at its addresses. `None` in a corrupt file.
    #[inline(always)]
    pub(crate) fn get<S: Kernel>(
        &mut self,
        simd: S,
        leaf: Leaf,
        blocks: &Blocks<'_>,
        addresses: impl FnOnce() -> Option<[u64; PAIR_WIDTH]>,
    ) -> Option<&Triangles> {
        let number = leaf.id * PAIR_WIDTH as u64 + u64::from(leaf.triangles % PAIR_WIDTH as u32);
        let pose = self.pose;
        self.leaves.get_or_fill(
            leaf.id,
            number,
            Triangles::EMPTY,
            #[inline(always)]
            |triangles| addresses().is_some_and(|addresses| fill(simd, triangles, blocks, addresses, pose)),
        )
    }
}

/// Builds the triangles at these addresses: a separate call, compiled for the level.
#[inline(always)]
fn fill<S: Kernel>(
    simd: S,
    triangles: &mut Triangles,
    blocks: &Blocks<'_>,
    addresses: [u64; PAIR_WIDTH],
    pose: Option<&RelativePose>,
) -> bool {
    simd.vectorize(
        #[inline(always)]
        || {
            let rows = match blocks {
                Blocks::Plain(blocks) => gather(simd, blocks, &addresses),
                Blocks::Packed(_) => unpack(simd, blocks, &addresses),
            };
            let Some(rows) = rows else { return false };
            triangles.addresses = addresses;
            triangles.set(simd, &rows, pose);
            true
        },
    )
}

type Corners = [[[f32; PAIR_WIDTH]; 3]; 3];

/// Block index and lane of the triangle at an address.
#[inline(always)]
fn block_and_lane(address: u64) -> (usize, usize) {
    ((address / BLOCK_WIDTH as u64) as usize, address as usize % BLOCK_WIDTH)
}

/// The corners of four triangles, one per lane. Each vector is assembled from four loads; nothing is stored and
/// reloaded. (As vectors, not arrays: of these the compiler makes vectors of other lanes, which cost a quarter more
/// instructions, and gathers with AVX-512.)
#[inline(always)]
fn gather<S: Kernel>(simd: S, blocks: &[Block], addresses: &[u64; PAIR_WIDTH]) -> Option<Rows<S>> {
    let [(p, i), (q, j), (r, k), (s, l)] = [
        block_and_lane(addresses[0]),
        block_and_lane(addresses[1]),
        block_and_lane(addresses[2]),
        block_and_lane(addresses[3]),
    ];
    let (p, q, r, s) = (blocks.get(p)?, blocks.get(q)?, blocks.get(r)?, blocks.get(s)?);
    let (i, j, k, l) = (slots(p, i), slots(q, j), slots(r, k), slots(s, l));
    let mut rows = [[f32x4::splat(simd, 0.0); 3]; 3];
    #[expect(clippy::needless_range_loop, reason = "by iterators it takes a quarter more instructions")]
    for corner in 0..3 {
        for axis in 0..3 {
            let (p, q) = (p.positions[axis][i[corner]], q.positions[axis][j[corner]]);
            let (r, s) = (r.positions[axis][k[corner]], s.positions[axis][l[corner]]);
            rows[corner][axis] = [p, q, r, s].simd_into(simd);
        }
    }
    Some(rows)
}

/// A coordinate of the same corner of four triangles, by corner and axis.
type Rows<S> = [[f32x4<S>; 3]; 3];

/// As [`gather`], from packed blocks.
fn unpack<S: Kernel>(simd: S, blocks: &Blocks<'_>, addresses: &[u64; PAIR_WIDTH]) -> Option<Rows<S>> {
    let mut corners = [[[0.0; PAIR_WIDTH]; 3]; 3];
    for (lane, address) in addresses.iter().enumerate() {
        let (reference, lane_of_block) = block_and_lane(*address);
        let triangle = blocks.corners(reference as u32, lane_of_block)?;
        for (rows, corner) in corners.iter_mut().zip(&triangle) {
            for (row, coordinate) in rows.iter_mut().zip(corner) {
                row[lane] = *coordinate;
            }
        }
    }
    let mut rows = [[f32x4::splat(simd, 0.0); 3]; 3];
    for (to, from) in rows.as_flattened_mut().iter_mut().zip(corners.as_flattened()) {
        *to = f32x4::from_slice(simd, from);
    }
    Some(rows)
}

impl Triangles {
    const EMPTY: Self = Self {
        corners: [[[0.0; PAIR_WIDTH]; 3]; 3],
        origin: [0.0; 3],
        radius: 0.0,
        addresses: [0; PAIR_WIDTH],
    };

    /// Stores corners relative to the mean of the first ones, of B's tree turned by its pose. (Relative to one of them, `radius` is
    /// larger, and three and a half instead of two times as many pairs are undecided in f32 as relative to the centre of the
    /// leaf's box.)
    #[inline(always)]
    fn set<S: Kernel>(&mut self, simd: S, rows: &Rows<S>, pose: Option<&RelativePose>) {
        let mut origin = [0.0; 3];
        let mut corners = *rows;
        for axis in 0..3 {
            let first = rows[0][axis].as_slice();
            origin[axis] = 0.25 * ((first[0] + first[1]) + (first[2] + first[3]));
            for corner in &mut corners {
                corner[axis] -= f32x4::splat(simd, origin[axis]);
            }
        }
        self.origin = origin.map3(f64::from);
        if let Some(pose) = pose {
            self.origin = pose.pose().apply(self.origin);
            for corner in &mut corners {
                *corner = turned(simd, corner, pose.rotation());
            }
        }
        let mut farthest = f32x4::splat(simd, 0.0);
        for (to, corner) in self.corners.as_flattened_mut().iter_mut().zip(corners.as_flattened()) {
            corner.store_slice(to);
            farthest = farthest.max(corner.abs());
        }
        let farthest = farthest.as_slice();
        self.radius = larger(larger(farthest[0], farthest[1]), larger(farthest[2], farthest[3]));
    }
}

/// R p for four points, by coordinate.
#[inline(always)]
fn turned<S: Kernel>(simd: S, p: &[f32x4<S>; 3], rotation: &[[f32; 3]; 3]) -> [f32x4<S>; 3] {
    let [x, y, z] = rotation;
    [turned_along(simd, p, x), turned_along(simd, p, y), turned_along(simd, p, z)]
}

#[inline(always)]
fn turned_along<S: Kernel>(simd: S, p: &[f32x4<S>; 3], [x, y, z]: &[f32; 3]) -> f32x4<S> {
    let (x, y, z) = (f32x4::splat(simd, *x), f32x4::splat(simd, *y), f32x4::splat(simd, *z));
    x.mul_add(p[0], y.mul_add(p[1], z * p[2]))
}

#[cfg(test)]
impl Triangles {
    /// Four triangles with these corners, which are B's if there is a pose.
    pub(crate) fn of<S: Kernel>(
        simd: S,
        triangles: &[[[f32; 3]; 3]; PAIR_WIDTH],
        pose: Option<&RelativePose>,
    ) -> Self {
        let row = |k: usize, axis: usize| triangles.map(|corners| corners[k][axis]).simd_into(simd);
        let mut made = Self::EMPTY;
        made.set(simd, &[0, 1, 2].map(|k| [0, 1, 2].map(|axis| row(k, axis))), pose);
        made
    }
}
