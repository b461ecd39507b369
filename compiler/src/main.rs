//! The program `bvhc`; all it does is in [`bvhc::cli`].

fn main() -> std::process::ExitCode {
    bvhc::cli::run()
}
