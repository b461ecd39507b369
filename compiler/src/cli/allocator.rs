//! How the program's allocator gives memory back.
//!
//! glibc raises the size from which blocks are given back to the system whenever one of them is freed, up to 32 MiB. The lists
//! of a model of a million triangles are smaller: freed among others, they would stay with the program. (Measured: the
//! sphere of 1.3 million triangles as OBJ takes 280 to 295 bytes a triangle at its peak so, and 190 to 200 with a size that stays.)

/// Lets large blocks be given back whenever they are freed. To be called before there are other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(super) fn give_back_large_blocks() {
    const LARGE: libc::c_int = 4 << 20;
    // SAFETY: takes two numbers and keeps no pointer; no other thread allocates yet. A refusal changes nothing, so the result
    // does not matter.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Allocators of other systems stay as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) const fn give_back_large_blocks() {}
