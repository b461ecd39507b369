//! Prefetches records that will be visited soon.
//!
//! Unsafe code is allowed here because the prefetch instruction takes a pointer. It does not read and cannot fault.
#![allow(unsafe_code)]

use core::hint::select_unpredictable;

use bvhc_format::record::WideNode;
use bvhc_format::world::{Instance, InstanceLeaf};

/// Bytes of a cache line.
const LINE: usize = 64;

/// An array of records, or of the units that records consist of, of 2^`shift` bytes each.
#[derive(Clone, Copy)]
pub(crate) struct Records {
    address: usize,
    shift: u32,
}

impl Records {
    /// An array of units of `size` bytes, a power of two.
    pub(crate) fn at(start: *const u8, size: usize) -> Self {
        Self { address: start.addr(), shift: size.trailing_zeros() }
    }

    /// The address of a record. The index may be out of bounds.
    #[inline(always)]
    fn address(self, index: usize) -> *const i8 {
        core::ptr::without_provenance(self.address.wrapping_add(index << self.shift))
    }
}

/// Prefetches the eight cache lines of `nodes[index]` or the four of `blocks[index]`. Branchless: a branch on which of
/// the two it is would be mispredicted twice. Of leaves of worlds, which are smaller, it prefetches some neighbours, too.
#[inline(always)]
pub(crate) fn node_or_block(nodes: Records, blocks: Records, is_block: bool, index: usize) {
    let records = Records {
        address: select_unpredictable(is_block, blocks.address, nodes.address),
        shift: select_unpredictable(is_block, blocks.shift, nodes.shift),
    };
    let rest = select_unpredictable(is_block, 0, size_of::<WideNode>() / 2);
    lines_at(records.address(index), rest);
}

/// Prefetches where an instance is and what its mesh is.
#[inline(always)]
pub(crate) fn instance(record: &Instance) {
    let start = core::ptr::from_ref(record).cast::<i8>();
    for line in 0..3 {
        line_at(start.wrapping_add(LINE * line));
    }
}

/// Prefetches the layers and the box of an instance.
#[inline(always)]
pub(crate) fn instance_bounds(record: &Instance) {
    line_at(core::ptr::from_ref(&record.layers).cast());
    line_at(core::ptr::from_ref(&record.bounds[5]).cast());
}

/// Prefetches a leaf of a world.
#[inline(always)]
pub(crate) fn instance_leaf(leaf: &InstanceLeaf) {
    line_at(core::ptr::from_ref(leaf).cast());
}

/// Prefetches four cache lines, and the four that start `offset` bytes after them. Does nothing on targets where Rust
/// has no prefetch.
#[inline(always)]
fn lines_at(start: *const i8, offset: usize) {
    for line in 0..4 {
        line_at(start.wrapping_add(LINE * line));
        line_at(start.wrapping_add(LINE * line + offset));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn line_at(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint; the CPU ignores addresses that it cannot read.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn line_at(_: *const i8) {}
