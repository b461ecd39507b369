//! Leaves of up to four triangles, as the tests of pairs of triangles want them: a lane a triangle, relative to a point near
//! them. They are made from the blocks as they are visited, and kept, since a leaf is compared with several others.

use bvhc_format::obb::PAIR_WIDTH;
use bvhc_format::record::BLOCK_WIDTH;

use crate::blocks::Blocks;
use crate::math::{larger, smaller};
use crate::stack::FixedCache;

/// A leaf of up to four triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// What identifies it in its tree.
    pub(crate) id: u64,
    pub(crate) triangles: u32,
}

impl Leaf {
    /// The leaf of a stored tree at the address of a sample, and the lane: it has as many triangles at least.
    pub(crate) fn at(address: u32) -> (Self, usize) {
        let lane = address % PAIR_WIDTH as u32;
        (Self { id: u64::from(address / PAIR_WIDTH as u32), triangles: lane + 1 }, lane as usize)
    }
}

/// Up to four triangles, in coordinates of their own.
///
/// `origin + corners` is where a corner is, but for one rounding of f32; whatever that leaves undecided is decided by the
/// blocks' coordinates. Lanes beyond the leaf's count repeat lane 0.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Triangles {
    /// `corners[k][axis][lane]`: corner `k` of the triangles.
    pub(crate) corners: [[[f32; PAIR_WIDTH]; 3]; 3],
    /// The point of the model's space that the corners are relative to.
    pub(crate) origin: [f32; 3],
    /// The largest magnitude among the corners' coordinates.
    pub(crate) radius: f32,
    /// The triangles' addresses: 16 times the reference of a block, plus a lane of it.
    pub(crate) addresses: [u64; PAIR_WIDTH],
}

impl Triangles {
    /// The reference of the block that holds a triangle, and the lane there.
    #[inline(always)]
    pub(crate) fn address(&self, lane: usize) -> (u32, usize) {
        let address = self.addresses[lane % PAIR_WIDTH];
        ((address / BLOCK_WIDTH as u64) as u32, address as usize % BLOCK_WIDTH)
    }
}

/// How many leaves of a tree are kept. (Measured at AVX2, all pairs of two bunnies: with one, 12 % slower.)
const KEPT: usize = 16;

/// The leaves of a tree that were visited last.
pub(crate) struct LeafCache(FixedCache<Triangles, KEPT>);

impl LeafCache {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(FixedCache::new())
    }

    /// The triangles of a leaf, made from those at its addresses unless they are kept. `None` in a corrupt file.
    #[inline(always)]
    pub(crate) fn get(
        &mut self,
        leaf: Leaf,
        blocks: &Blocks<'_>,
        addresses: impl FnOnce() -> Option<[u64; PAIR_WIDTH]>,
    ) -> Option<&Triangles> {
        let number = leaf.id * PAIR_WIDTH as u64 + u64::from(leaf.triangles % PAIR_WIDTH as u32);
        self.0.get_or_make(leaf.id, number, || make(blocks, addresses()?))
    }
}

#[inline(never)]
fn make(blocks: &Blocks<'_>, addresses: [u64; PAIR_WIDTH]) -> Option<Triangles> {
    let mut corners = [[[0.0f32; PAIR_WIDTH]; 3]; 3];
    for (lane, address) in addresses.iter().enumerate() {
        let triangle =
            blocks.corners((address / BLOCK_WIDTH as u64) as u32, *address as usize % BLOCK_WIDTH)?;
        for (rows, corner) in corners.iter_mut().zip(&triangle) {
            for (row, coordinate) in rows.iter_mut().zip(corner) {
                row[lane] = *coordinate;
            }
        }
    }
    let (mut origin, mut radius) = ([0.0; 3], 0.0f32);
    for (axis, origin) in origin.iter_mut().enumerate() {
        let [a, b, c] = [&corners[0][axis], &corners[1][axis], &corners[2][axis]];
        let each = |pick: fn(f32, f32) -> f32| {
            let [x, y, z, w] = [0, 1, 2, 3].map(|lane| pick(pick(a[lane], b[lane]), c[lane]));
            pick(pick(x, y), pick(z, w))
        };
        let (lower, upper) = (each(smaller), each(larger));
        *origin = 0.5 * lower + 0.5 * upper;
        radius = larger(radius, larger(upper - *origin, *origin - lower));
    }
    for rows in &mut corners {
        for (row, origin) in rows.iter_mut().zip(origin) {
            *row = row.map(|coordinate| coordinate - origin);
        }
    }
    Some(Triangles { corners, origin, radius, addresses })
}
