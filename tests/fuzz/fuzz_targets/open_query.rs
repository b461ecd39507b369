//! Any bytes, opened and queried on every SIMD level, alone and against themselves: nothing may panic, hang or read
//! outside of them.
//!
//! Start from real files, for example `cp ../golden/quad.bvh corpus/open_query/`.
#![no_main]

use bvhc_runtime::{Model, Ray};
use bvhc_tests::support::answers::ask_everything;
use bvhc_tests::support::{aligned, levels};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let bytes = aligned(bytes);
    let Ok(model) = Model::from_bytes(&bytes) else { return };
    let rays = [
        Ray::new([1.2, 0.6, 5.0], [0.0, 0.1, -1.0]),
        Ray::new([-5.0, 0.3, 0.0], [1.0, 0.0, 0.0]).with_range(f32::NEG_INFINITY, f32::INFINITY),
    ];
    for level in levels() {
        ask_everything(&model.with_level(level), &rays, &[[0.5, 0.5, 0.1], [1e6, 0.0, 0.0]]);
    }
});
