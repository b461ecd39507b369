//! In a WebAssembly host, without std and without an allocator: `node.mjs` puts files into the module's memory.
//!
//! Unsafe code is allowed here because the host passes addresses.
#![allow(unsafe_code)]

use core::panic::PanicInfo;

use bvhc_cpus::{Counts, ask};
use bvhc_runtime::{Level, Model, Ray};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Gets each digest: two texts, the number of answers, and the digest.
    fn report(query: *const u8, query_len: usize, by: *const u8, by_len: usize, found: u64, state: u64);
    /// Gets the message of an error.
    fn fail(text: *const u8, len: usize);
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    if let Some(text) = info.message().as_str() {
        // SAFETY: the text is valid while the host reads it.
        unsafe { fail(text.as_ptr(), text.len()) };
    }
    core::arch::wasm32::unreachable()
}

/// The number of levels.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
extern "C" fn level_count() -> usize {
    Level::available().count()
}

/// Whether the level with this number is the scalar one.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
extern "C" fn is_scalar(level: usize) -> bool {
    Level::available().nth(level).is_some_and(|level| level.name() == "scalar")
}

/// Reports the digests of the file in these bytes, which start at a multiple of 64.
///
/// # Safety
/// Nothing else refers to the bytes.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn digests(bytes: *const u8, len: usize, level: usize, one: u32, two: u32) -> bool {
    // SAFETY: the host has put a file there.
    let bytes = unsafe { core::slice::from_raw_parts(bytes, len) };
    let Some(level) = Level::available().nth(level) else { return false };
    ask(bytes, level, Counts { one, two }, &mut |query, by, digest| {
        // SAFETY: the texts are valid while the host reads them.
        unsafe { report(query.as_ptr(), query.len(), by.as_ptr(), by.len(), digest.found, digest.state) };
    })
    .is_ok()
}

/// The bytes that [`open`] writes a model into.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
extern "C" fn model_size() -> usize {
    size_of::<Model<'_>>()
}

/// Opens a file in bytes that start at a multiple of 64, and writes the model to `place`, for [`closest_hit`].
///
/// # Safety
/// The bytes neither move nor change as long as the model is used; `place` is aligned to 64 and has [`model_size`] bytes.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn open(bytes: *const u8, len: usize, place: *mut Model<'static>) -> bool {
    // SAFETY: the host has put a file there.
    let bytes = unsafe { core::slice::from_raw_parts(bytes, len) };
    let Ok(model) = Model::from_bytes(bytes) else { return false };
    // SAFETY: the host has room for it there.
    unsafe { place.write(model) };
    true
}

/// The `t` of the closest hit of a ray, six numbers for origin and direction; infinity where it hits nothing.
///
/// # Safety
/// The model was written by [`open`], and there are six numbers.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn closest_hit(model: *const Model<'_>, ray: *const [f32; 6]) -> f32 {
    // SAFETY: the host has written the ray.
    let [x, y, z, dx, dy, dz] = unsafe { *ray };
    // SAFETY: the model was written by `open`.
    let model = unsafe { &*model };
    model.closest_hit(&Ray::new([x, y, z], [dx, dy, dz])).map_or(f32::INFINITY, |hit| hit.t)
}
