//! The operations of [`Kernel`] for levels with vectors of four, in plain code but for look-ups.

use bvhc_format::record::{BLOCK_WIDTH, NODE_WIDTH, WideNode};
use fearless_simd::{SimdBase, SimdFrom, f32x4, f64x2};

use super::Kernel;
#[cfg(any(scalar_level, not(target_arch = "aarch64")))]
use super::memory;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::sixteen::{Bits, Sixteen, SixteenBits, Wide};
use crate::stack::{NodeGroup, Stack};

/// Children of a node in slot order; those with the least keys are visited first.
#[derive(Clone, Copy)]
pub(crate) struct Slotted<'n> {
    keys: [i32; NODE_WIDTH],
    node: &'n WideNode,
}

impl<S: Kernel> NodeGroup<S> for Slotted<'_> {
    #[inline(always)]
    fn first(&self, waiting: u32) -> usize {
        let rank = |left: u32| left.trailing_zeros() as usize % NODE_WIDTH;
        let (mut first, mut left) = (rank(waiting), waiting & waiting.wrapping_sub(1));
        while left != 0 {
            let lesser = self.keys[rank(left)] < self.keys[first];
            first = core::hint::select_unpredictable(lesser, rank(left), first);
            left &= left - 1;
        }
        first
    }

    #[inline(always)]
    fn child(&self, rank: usize) -> u32 {
        self.node.children[rank % NODE_WIDTH]
    }

    #[inline(always)]
    fn key(&self, rank: usize) -> i32 {
        self.keys[rank % NODE_WIDTH]
    }

    #[inline(always)]
    fn up_to(&self, simd: S, limit: i32) -> u32 {
        Bits::<S>::load(simd, &self.keys).at_most(SixteenBits::splat(simd, limit))
    }
}

/// Implements [`Kernel`] for a level with vectors of four, given its vector of sixteen and the module of its tables.
macro_rules! portable_kernel {
    ($level:ty, $sixteen:ty, $tables:ident) => {
        impl Wide for $level {
            type Sixteen = $sixteen;
        }

        impl Kernel for $level {
            type Lanes = f32x4<Self>;
            type Pairs = f32x4<Self>;
            type Doubles = f64x2<Self>;
            type Table = $tables::Table;
            type NodeGroup<'n> = Slotted<'n>;

            const PACKETS: bool = false;

            #[inline(always)]
            fn table(self, values: Self::Sixteen) -> Self::Table {
                $tables::table(self, values)
            }

            #[inline(always)]
            fn look_up(self, table: Self::Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> Self::Lanes {
                $tables::look_up(self, table, slots, first)
            }

            #[inline(always)]
            fn look_up_in_two(
                self,
                tables: [Self::Table; 2],
                slots: &[u8; BLOCK_WIDTH],
                first: usize,
            ) -> Self::Lanes {
                $tables::look_up_in_two(self, tables, slots, first)
            }

            #[inline(always)]
            fn pick(self, numbers: Self::Lanes, lane: usize) -> f32 {
                numbers.to_array()[lane % 4]
            }

            #[inline(always)]
            fn spread_nibbles(self, bytes: &[u8; BLOCK_WIDTH / 2]) -> [u8; BLOCK_WIDTH] {
                core::array::from_fn(|lane| bytes[lane / 2] >> (4 * (lane % 2)) & 15)
            }

            #[inline(always)]
            fn on_lattice(
                self,
                offsets: &[u8; 2 * BLOCK_WIDTH],
                origin: f32,
                step: f32,
            ) -> [f32; BLOCK_WIDTH] {
                core::array::from_fn(|slot| {
                    origin + step * f32::from(u16::from_le_bytes([offsets[2 * slot], offsets[2 * slot + 1]]))
                })
            }

            #[inline(always)]
            fn spread(self, numbers: &[f32; 4], first: usize) -> Self::Pairs {
                f32x4::splat(self, numbers[first % 4])
            }

            #[inline(always)]
            fn tile(self, numbers: &[f32; 4]) -> Self::Pairs {
                f32x4::simd_from(self, *numbers)
            }

            #[inline(always)]
            fn least(self, numbers: Self::Sixteen) -> usize {
                Sixteen::least_lane(numbers)
            }

            #[inline(always)]
            fn arrange<'n>(
                self,
                node: &'n WideNode,
                keys: Bits<Self>,
                ends: Bits<Self>,
                _: u32,
            ) -> (Slotted<'n>, u32) {
                (Slotted { node, keys: SixteenBits::to_array(keys) }, SixteenBits::at_most(keys, ends))
            }

            #[inline(always)]
            fn push_some(self, stack: &mut Stack, node: &WideNode, keys: Self::Sixteen, slots: u32) {
                let (keys, mut left) = (Sixteen::to_array(keys), slots);
                while left != 0 {
                    let slot = left.trailing_zeros() as usize % NODE_WIDTH;
                    stack.push(node.children[slot], keys[slot]);
                    left &= left - 1;
                }
            }
        }
    };
}

#[cfg(scalar_level)]
portable_kernel!(fearless_simd::Fallback, super::quarters::Quarters<f32x4<fearless_simd::Fallback>>, memory);
#[cfg(target_arch = "aarch64")]
portable_kernel!(fearless_simd::aarch64::Neon, fearless_simd::f32x16<fearless_simd::aarch64::Neon>, neon);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
portable_kernel!(
    fearless_simd::wasm32::WasmSimd128,
    fearless_simd::f32x16<fearless_simd::wasm32::WasmSimd128>,
    memory
);
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
portable_kernel!(fearless_simd::x86::Sse4_2, fearless_simd::f32x16<fearless_simd::x86::Sse4_2>, memory);
