//! The program `bvhc`, implemented in [`bvhc::cli`].

fn main() -> std::process::ExitCode {
    bvhc::cli::run()
}
