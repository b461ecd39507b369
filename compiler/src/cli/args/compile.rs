//! Which models to compile, and what to do with the result.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::recipe::{parse_mebibytes, parse_threads};

/// `bvhc MODEL -o OUT` and `bvhc MODEL... --out-dir DIR`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CompileArgs {
    /// The models to compile: OBJ, glTF, GLB, STL, PLY or OFF files, recognised by what is in them; `-` reads standard
    /// input. With `-o` one model
    #[arg(value_name = "MODEL", required = true)]
    pub(in crate::cli) models: Vec<PathBuf>,
    /// The file to write; `-` writes to standard output
    #[arg(short, long, value_name = "OUT", required_unless_present = "out_dir", conflicts_with = "out_dir")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Write each model to a file of its name in this folder, with the extension `bvh`; the folder is made if it is missing. A
    /// model that fails does not stop the others
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out_dir: Option<PathBuf>,
    /// With `--out-dir`: how many models to compile at the same time [default: twice as many as threads, as some wait for the disk]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(in crate::cli) jobs: Option<NonZeroUsize>,
    /// Make a world of a glTF scene: store each mesh once, and an instance for each node that shows it
    #[arg(long, conflicts_with = "out_dir")]
    pub(in crate::cli) world: bool,
    /// Write the names of all files that were read to this file, as a rule of Make, which Ninja reads, too
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) depfile: Option<PathBuf>,
    /// Keep compiled files in this folder, of a world those of its meshes, and take them from there if model and options are the
    /// same. Several processes may share it
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) cache: Option<PathBuf>,
    /// The most that the cache may hold, in MiB; what was not used for the longest time goes first
    #[arg(long, value_name = "MIB", value_parser = parse_mebibytes, default_value = "4096", requires = "cache")]
    pub(in crate::cli) cache_size: u64,
    /// Refuse options with which the file would depend on anything but models and options: `--time-budget`, which asks
    /// the clock, and `--cache`
    #[arg(long, conflicts_with_all = ["time_budget", "cache"])]
    pub(in crate::cli) hermetic: bool,
    /// Refuse a model, before much is done, if compiling it would take more memory than this, in MiB
    #[arg(long, value_name = "MIB", value_parser = parse_mebibytes)]
    pub(in crate::cli) memory_limit: Option<u64>,
    /// Write nothing, and fail with exit code 1, if there is something to warn of
    #[arg(long)]
    pub(in crate::cli) warnings_as_errors: bool,
    /// Print a report on standard output: one JSON object, or with `--out-dir` one a line and model
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(in crate::cli) quiet: bool,
    /// Print the time of each stage and the statistics of each tree
    #[arg(short, long)]
    pub(in crate::cli) verbose: bool,
}

/// `bvhc key MODEL...`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct KeyArgs {
    /// The models; `-` reads standard input
    #[arg(value_name = "MODEL", required = true)]
    pub(in crate::cli) models: Vec<PathBuf>,
}
