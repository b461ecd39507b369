//! How the program's memory comes from the system, and goes back.
//!
//! glibc raises the size from which blocks are given back to the system whenever one of them is freed, up to 32 MiB. The lists
//! of a model of a million triangles are smaller: freed among others, they would stay with the program. (Measured: the
//! sphere of 1.3 million triangles as OBJ takes 280 to 295 bytes a triangle at its peak so, and 190 to 200 with a size that stays.)

/// Blocks of at least this size are given back to the system when they are freed, and are made of large pages.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Lets large blocks be given back whenever they are freed. To be called before there are other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(super) fn give_back_large_blocks() {
    // SAFETY: takes two numbers and keeps no pointer; no other thread allocates yet. A refusal changes nothing, so the result
    // does not matter.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as libc::c_int) };
}

/// Allocators of other systems stay as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) const fn give_back_large_blocks() {}

#[cfg(target_os = "linux")]
pub use large_pages::LargePages;

#[cfg(target_os = "linux")]
mod large_pages {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::ffi::c_void;

    use rustix::mm::{Advice, madvise};
    use rustix::param::page_size;

    /// The system's allocator, whose large blocks are made of large pages (2 MiB instead of 4 KiB on most CPUs) where the kernel has
    /// some.
    ///
    /// (Measured: of the sphere of 1.3 million triangles, a quarter of the time of `--quality fast` were first touches of pages,
    /// which are a quarter as many so.)
    pub struct LargePages;

    // SAFETY: every block comes from the system's allocator and goes back to it; advice changes neither addresses nor contents.
    #[allow(unsafe_code)]
    unsafe impl GlobalAlloc for LargePages {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: the caller's promises are the same.
            advised(unsafe { System.alloc(layout) }, layout.size())
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as above.
            advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
        }

        unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // SAFETY: as above.
            advised(unsafe { System.realloc(block, layout, size) }, size)
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: as above.
            unsafe { System.dealloc(block, layout) }
        }
    }

    /// Asks for large pages in a large block, and returns the block.
    #[inline]
    fn advised(block: *mut u8, size: usize) -> *mut u8 {
        if size >= super::LARGE && !block.is_null() {
            advise(block, size);
        }
        block
    }

    #[cold]
    #[allow(unsafe_code)]
    fn advise(block: *mut u8, size: usize) {
        // Whole pages, and so nearly always the whole mapping: one of which a part is advised is two to the kernel, which then cannot
        // grow it. (`page_size` asks libc: it neither fails nor allocates.)
        let page = page_size();
        let before = block.addr() % page;
        let length = (before + size).next_multiple_of(page);
        // SAFETY: these are the pages of the block; the advice changes no byte in them. A refusal changes nothing, so the result
        // does not matter.
        let _ =
            unsafe { madvise(block.wrapping_sub(before).cast::<c_void>(), length, Advice::LinuxHugepage) };
    }
}
