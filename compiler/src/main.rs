//! The program `bvhc`, implemented in [`bvhc::cli`].

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: bvhc::cli::LargePages = bvhc::cli::LargePages;

fn main() -> std::process::ExitCode {
    bvhc::cli::run()
}
