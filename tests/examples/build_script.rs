//! A `build.rs` that compiles a model, which the program then embeds with `include_aligned!`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/quad.obj");
    let compiled = bvhc::compile(&fs::read(model)?, model, &bvhc::Options::default())?;
    // Cargo sets this variable to the build script's output folder.
    let folder = env::var_os("OUT_DIR").map_or_else(env::temp_dir, PathBuf::from);
    fs::write(folder.join("quad.bvh"), &compiled.bytes)?;
    println!("cargo::rerun-if-changed={model}");
    Ok(())
}
