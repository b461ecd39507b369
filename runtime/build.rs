//! Tells the crate whether fearless_simd has its scalar level on this target.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(scalar_level)");
    let architecture = var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let features = var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |feature| features.split(',').any(|have| have == feature);
    let has_vectors = match architecture.as_str() {
        "aarch64" => has("neon"),
        "x86" | "x86_64" => has("sse2") && has("fxsr"),
        "wasm32" => has("simd128"),
        _ => false,
    };
    if !has_vectors || var("CARGO_FEATURE_SCALAR").is_ok() {
        println!("cargo::rustc-cfg=scalar_level");
    }
}
