//! Prints a digest of the answers to each kind of query, on files or, where there are none, on one in the program.
#![cfg_attr(any(target_arch = "wasm32", target_os = "none"), no_std, no_main)]

#[cfg(target_os = "none")]
mod bare;
#[cfg(not(any(target_arch = "wasm32", target_os = "none")))]
mod hosted;
#[cfg(target_arch = "wasm32")]
mod wasm;

#[cfg(not(any(target_arch = "wasm32", target_os = "none")))]
fn main() -> std::process::ExitCode {
    hosted::main()
}
