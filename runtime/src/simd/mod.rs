//! The few steps that the portable SIMD layer does not have, or not well, on every level.
//!
//! Kernels are written once, generic over [`Kernel`]; each level supplies the steps below. They move
//! data and never compute, so no level can answer differently from another.

mod portable;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use bvhc_format::record::{BLOCK_WIDTH, WideNode};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask, f32x16, f64x2, i32x16};

use crate::stack::{Siblings, Stack};

/// A SIMD level on which queries can run.
pub(crate) trait Kernel: Simd {
    /// As many triangles as are tested at once: 4, 8 or 16.
    type Lanes: SimdFloat<Self, Element = f32, Mask: SimdMask<Self> + Select<Self::Lanes>>;
    /// As many pairs of four and four as are tested at once: 4, 8 or 16.
    type Pairs: SimdFloat<Self, Element = f32, Mask: SimdMask<Self> + Select<Self::Pairs>>;
    /// Whether batches are worth their while; other levels trace ray by ray, and are spared the code.
    const BUNDLES: bool;
    /// A number for each vertex of a block, ready to be looked up.
    type Table: Copy;
    /// The children of a node in order.
    type Siblings<'n>: Siblings<Self>;

    /// Prepares a number a vertex for look-ups.
    fn table(self, values: f32x16<Self>) -> Self::Table;

    /// The numbers of the vertices `slots[first .. first + LEN]`; slots count modulo 16.
    fn look_up(self, table: Self::Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> Self::Lanes;

    /// The same in two tables; slots count modulo 32, and from 16 on in the second one.
    fn look_up_in_two(self, tables: [Self::Table; 2], slots: &[u8; BLOCK_WIDTH], first: usize)
    -> Self::Lanes;

    /// The number in a lane, which counts modulo the number of lanes.
    fn pick(self, numbers: Self::Lanes, lane: usize) -> f32;

    /// The lower and the upper four bits of each byte, as a byte each.
    fn spread_nibbles(self, bytes: &[u8; BLOCK_WIDTH / 2]) -> [u8; BLOCK_WIDTH];

    /// `origin + step * offset` for 16 little-endian offsets, where that is exact.
    fn on_lattice(self, offsets: &[u8; 2 * BLOCK_WIDTH], origin: f32, step: f32) -> [f32; BLOCK_WIDTH];

    /// Of four numbers, those from `first` on, each four times in a row.
    fn spread(self, numbers: &[f32; 4], first: usize) -> Self::Pairs;

    /// Four numbers, over and over.
    fn tile(self, numbers: &[f32; 4]) -> Self::Pairs;

    /// A lane with about the least of sixteen numbers, none of which is negative: less than 1 in 100 above it.
    fn least(self, numbers: f32x16<Self>) -> usize;

    /// The children of a node and a bit for each whose key is at most its end, in the node's order for an octant or another
    /// good one. Keys are the bits of numbers that are not negative.
    fn arrange<'n>(
        self,
        node: &'n WideNode,
        keys: i32x16<Self>,
        ends: i32x16<Self>,
        octant: u32,
    ) -> (Self::Siblings<'n>, u32);

    /// Pushes the children in some slots, a bit each, with their keys; that in the highest is popped first.
    fn push_some(self, stack: &mut Stack, node: &WideNode, keys: f32x16<Self>, slots: u32);
}

/// Evaluates an expression with `$simd` bound to the token of a level, compiled for that level.
///
/// As `fearless_simd::dispatch!`, but it keeps the token's type, so that [`Kernel`] can be asked of it.
macro_rules! dispatch {
    ($level:expr, $simd:ident => $run:expr) => {
        $crate::simd::dispatch_as_is!($level, $simd => fearless_simd::Simd::vectorize($simd, #[inline(always)] || $run))
    };
}
pub(crate) use dispatch;

/// As [`dispatch`], for what sees to it itself that it is compiled for the level.
macro_rules! dispatch_as_is {
    ($level:expr, $simd:ident => $run:expr) => {
        match $level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx512($simd) => $run,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx2($simd) => $run,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Sse4_2($simd) => $run,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Sse2($simd) => $crate::simd::outline(|| $run),
            #[cfg(target_arch = "aarch64")]
            fearless_simd::Level::Neon($simd) => $run,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            fearless_simd::Level::WasmSimd128($simd) => $run,
            #[cfg(scalar_level)]
            fearless_simd::Level::Fallback($simd) => $crate::simd::outline(|| $run),
            other => unreachable!("{other:?} is a level of another architecture"),
        }
    };
}
pub(crate) use dispatch_as_is;

/// As [`dispatch`], for a model: `$blocks` is bound to its blocks, and the expression compiled for either form.
macro_rules! dispatch_model {
    ($model:expr, $simd:ident, $blocks:ident => $run:expr) => {
        $crate::simd::dispatch_model!(@by dispatch, $model, $simd, $blocks => $run)
    };
    (@by $dispatch:ident, $model:expr, $simd:ident, $blocks:ident => $run:expr) => {
        match $model.blocks() {
            $crate::blocks::Blocks::Plain($blocks) => {
                $crate::simd::$dispatch!($model.level().inner(), $simd => $run)
            }
            $crate::blocks::Blocks::Packed($blocks) => {
                $crate::simd::$dispatch!($model.level().inner(), $simd => $run)
            }
        }
    };
}
pub(crate) use dispatch_model;

/// Keeps the levels that need no instructions of their own out of the caller, whose frame they would blow up.
#[cfg(any(target_arch = "x86", target_arch = "x86_64", scalar_level))]
#[inline(never)]
pub(crate) fn outline<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// How many triangles one step tests on level `S`.
pub(crate) const fn lanes<S: Kernel>() -> usize {
    size_of::<S::Lanes>() / size_of::<f32>()
}

/// The square root, by the level's own instruction: libm's has the encoding of SSE2, and a single one of those
/// amid AVX code costs 300 cycles.
#[inline(always)]
pub(crate) fn square_root<S: Kernel>(simd: S, x: f64) -> f64 {
    f64x2::splat(simd, x).sqrt().as_slice()[0]
}
