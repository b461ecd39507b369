//! SIMD operations that the portable layer lacks, or does not do well on every level.
//!
//! Kernels are written once, generic over [`Kernel`]; each level supplies the operations below. They move data,
//! compare, and compute nothing that rounds, so all levels give the same answers. What [`fused`] computes is for filters alone.

pub(crate) mod fused;
#[cfg(any(scalar_level, not(target_arch = "aarch64")))]
mod memory;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(scalar_level)]
mod quarters;
pub(crate) mod sixteen;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use bvhc_format::record::{BLOCK_WIDTH, WideNode};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask, f64x2};

use self::sixteen::{Bits, Wide};
use crate::stack::{NodeGroup, Stack};

/// A SIMD level on which queries can run.
pub(crate) trait Kernel: Wide {
    /// One lane per triangle tested at once: 4, 8 or 16.
    type Lanes: SimdFloat<Self, Element = f32, Mask: SimdMask<Self> + Select<Self::Lanes>>;
    /// One lane per pair of four and four tested at once: 4, 8 or 16.
    type Pairs: SimdFloat<Self, Element = f32, Mask: SimdMask<Self> + Select<Self::Pairs>>;
    /// f64 lanes: 2, 4 or 8.
    type Doubles: SimdFloat<Self, Element = f64, Mask: SimdMask<Self> + Select<Self::Doubles>>;
    /// Whether batches are traced as packets; other levels trace ray by ray, and do not compile that code.
    const PACKETS: bool;
    /// A number per vertex of a block, prepared for look-ups.
    type Table: Copy;
    /// The children of a node, and the order in which to visit them.
    type NodeGroup<'n>: NodeGroup<Self>;

    /// Prepares one number per vertex for look-ups.
    fn table(self, values: Self::Sixteen) -> Self::Table;

    /// The numbers of the vertices `slots[first .. first + LEN]`; slots are taken modulo 16.
    fn look_up(self, table: Self::Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> Self::Lanes;

    /// The same in two tables; slots are taken modulo 32, those from 16 on refer to the second table.
    #[cfg_attr(not(feature = "volumes"), allow(dead_code))]
    fn look_up_in_two(self, tables: [Self::Table; 2], slots: &[u8; BLOCK_WIDTH], first: usize)
    -> Self::Lanes;

    /// The number in a lane, which is taken modulo the number of lanes.
    fn pick(self, numbers: Self::Lanes, lane: usize) -> f32;

    /// The lower and the upper four bits of each byte, as a byte each.
    #[cfg_attr(not(feature = "packed"), allow(dead_code))]
    fn spread_nibbles(self, bytes: &[u8; BLOCK_WIDTH / 2]) -> [u8; BLOCK_WIDTH];

    /// `origin + step * offset` for 16 little-endian offsets, where that is exact.
    #[cfg_attr(not(feature = "packed"), allow(dead_code))]
    fn on_lattice(self, offsets: &[u8; 2 * BLOCK_WIDTH], origin: f32, step: f32) -> [f32; BLOCK_WIDTH];

    /// The numbers from `first` on, each repeated four times.
    fn spread(self, numbers: &[f32; 4], first: usize) -> Self::Pairs;

    /// The four numbers, repeated.
    fn tile(self, numbers: &[f32; 4]) -> Self::Pairs;

    /// A lane with approximately the least of sixteen non-negative numbers: less than 1 % above it.
    fn least(self, numbers: Self::Sixteen) -> usize;

    /// The children of a node and a bit for each whose key is at most its end, in the node's order for an octant or
    /// another good one. Keys are the bits of non-negative floats.
    fn arrange<'n>(
        self,
        node: &'n WideNode,
        keys: Bits<Self>,
        ends: Bits<Self>,
        octant: u32,
    ) -> (Self::NodeGroup<'n>, u32);

    /// Pushes the children in the slots given as bits, with their keys; the highest slot is popped first.
    fn push_some(self, stack: &mut Stack, node: &WideNode, keys: Self::Sixteen, slots: u32);
}

/// Evaluates an expression with `$simd` bound to the token of a level, compiled for that level.
///
/// Unlike `fearless_simd::dispatch!`, it keeps the token's type, so that the token has [`Kernel`]'s methods.
macro_rules! dispatch {
    ($level:expr, $simd:ident => $run:expr) => {
        $crate::simd::dispatch_as_is!($level, $simd => fearless_simd::Simd::vectorize($simd, #[inline(always)] || $run))
    };
}
pub(crate) use dispatch;

/// As [`dispatch`], for expressions that themselves ensure that they are compiled for the level.
macro_rules! dispatch_as_is {
    ($level:expr, $simd:ident => $run:expr) => {
        match $level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx512($simd) => $run,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx2($simd) => $run,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Sse4_2($simd) => $run,
            #[cfg(target_arch = "aarch64")]
            fearless_simd::Level::Neon($simd) => $run,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            fearless_simd::Level::WasmSimd128($simd) => $run,
            #[cfg(scalar_level)]
            fearless_simd::Level::Fallback($simd) => $crate::simd::outline(|| $run),
            other => unreachable!("{other:?} is not a level that models have"),
        }
    };
}
pub(crate) use dispatch_as_is;

/// Keeps the level that needs no instructions of its own out of the caller, whose frame they would blow up.
#[cfg(scalar_level)]
#[inline(never)]
pub(crate) fn outline<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// How many triangles one step tests on level `S`.
pub(crate) const fn lanes<S: Kernel>() -> usize {
    size_of::<S::Lanes>() / size_of::<f32>()
}

/// Square root by the level's own instruction: libm's is SSE2-encoded, and a single such instruction among AVX code
/// costs 300 cycles.
#[inline(always)]
pub(crate) fn square_root<S: Kernel>(simd: S, x: f64) -> f64 {
    f64x2::splat(simd, x).sqrt().as_slice()[0]
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use bvhc_format::record::NODE_WIDTH;

    use super::sixteen::SixteenBits;
    use super::*;
    use crate::level::Level;
    use crate::triangle::testing::Random;

    fn shuffled(random: &mut Random) -> [u32; NODE_WIDTH] {
        let mut slots: [u32; NODE_WIDTH] = core::array::from_fn(|slot| slot as u32);
        for last in (1..NODE_WIDTH).rev() {
            slots.swap(last, random.below(last as i128 + 1) as usize);
        }
        slots
    }

    /// Keys, some of which are equal.
    fn keys(random: &mut Random) -> [i32; NODE_WIDTH] {
        core::array::from_fn(|_| random.below(20) as i32)
    }

    /// Children come in the node's order for the octant or, on levels without one, the nearest first.
    fn check<S: Kernel>(simd: S, node: &WideNode, octant: u32, random: &mut Random, by_order: bool) {
        let (entries, ends) = (keys(random), keys(random));
        let load = |numbers: &[i32; NODE_WIDTH]| SixteenBits::load(simd, numbers);
        let (siblings, met) = simd.arrange(node, load(&entries), load(&ends), octant);
        let order: [usize; NODE_WIDTH] = core::array::from_fn(|rank| match by_order {
            true => (node.order[rank] >> (4 * octant) & 15) as usize,
            false => rank,
        });
        let limit = random.below(22) as i32;
        let up_to = siblings.up_to(simd, limit);
        for (rank, slot) in order.into_iter().enumerate() {
            assert_eq!((siblings.child(rank), siblings.key(rank)), (node.children[slot], entries[slot]));
            assert_eq!(met >> rank & 1 == 1, entries[slot] <= ends[slot], "{rank} of {order:?}");
            assert_eq!(up_to >> rank & 1 == 1, entries[slot] <= limit, "{rank} of {order:?}");
        }
        assert_eq!(met >> NODE_WIDTH, 0);
        let waiting = 1 + random.below((1 << NODE_WIDTH) - 1) as u32;
        let waits = |rank: &usize| waiting >> *rank & 1 == 1;
        let first = match by_order {
            true => (0..NODE_WIDTH).find(waits),
            false => (0..NODE_WIDTH).filter(waits).min_by_key(|rank| entries[*rank]),
        };
        assert_eq!(Some(siblings.first(waiting)), first);
    }

    #[test]
    fn siblings_come_in_order() {
        let mut random = Random(7);
        for level in Level::available() {
            let by_order = matches!(level.name(), "avx2" | "avx512");
            for round in 0..400u32 {
                let orders = [0; 8].map(|_| shuffled(&mut random));
                let children = core::array::from_fn(|_| random.bits() as u32);
                let order = core::array::from_fn(|rank| {
                    (0..8).fold(0, |word, octant| word | orders[octant][rank] << (4 * octant))
                });
                let node = WideNode { children, order, ..WideNode::EMPTY };
                dispatch!(level.inner(), simd => check(simd, &node, round % 8, &mut random, by_order));
            }
        }
    }
}
