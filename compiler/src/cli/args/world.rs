//! The arguments of `bvhc world`.

use std::path::PathBuf;

use super::recipe::parse_mebibytes;

/// What `bvhc world --help` says of manifests.
pub(in crate::cli) const HELP: &str = "\
A manifest is a TOML text that names meshes and places instances of them:

  [[mesh]]
  name = \"crate\"
  file = \"crate.obj\"                # relative to the manifest

  [[instance]]
  name = \"crate.7\"
  mesh = \"crate\"
  position = [4.0, 0.0, -2.5]       # where the mesh's origin is; [0, 0, 0] if it is left out
  rotation = [0.0, 0.0, 0.0, 1.0]   # a unit quaternion x, y, z, w, before the position
  scale = 1.0                       # greater than 0, before the rotation
  mirror = false                    # true: x becomes -x, before the scale
  layers = 1                        # a bit for each layer that the instance is in
  user = 0                          # a number for the program that queries the world
  static = true                     # false: the program may move it
  bake = false                      # true: scale and mirror are applied to a copy of the mesh

Names are unique, and an instance's id, a hash of its name, stays the same when the world is compiled again. \
A quaternion whose length is 1 within 1e-4 is normalised, any other is an error. Equal meshes are stored \
once; those that no instance has are kept, for instances that a program adds, and come last. Instances may be scaled and \
mirrored, in any query; `bake` stores one more mesh, of coordinates that are scaled and rounded once. Options apply to each mesh; --axis and --scale are for models.

A file may be compiled already (`file = \"crate.bvh\"`, one mesh in it): then it is taken as it is, and the world is linked. So \
meshes can be compiled apart, one action a mesh; options are for those that are compiled here. `bake` needs a model.

  bvhc crate.obj -o crate.bvh
  bvhc world level.toml -o level.bvh          # with crate.bvh in it
  bvhc world level.toml -o level.bvh --thin   # small: crate.bvh stays a file of its own
  bvhc query ray level.bvh --meshes .         # finds crate.bvh by its hash

`bvhc MODEL -o OUT --world` makes a world of a glTF scene instead: an instance for each node with a mesh. Nodes \
that stretch or shear get a mesh of their own, and the report says which; those that show no triangles are left out, with \
a warning.";

/// `bvhc world MANIFEST -o OUT`
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(in crate::cli) struct WorldArgs {
    /// The manifest
    pub(in crate::cli) manifest: PathBuf,
    /// The file to write; `-` writes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub(in crate::cli) output: PathBuf,
    /// Refer to the compiled files of the meshes by hash, instead of taking them into the file: `inspect`, `verify` and `query`
    /// find them with `--meshes`, a program hands them to the runtime. Of each, only header and bounds are read
    #[arg(long)]
    pub(in crate::cli) thin: bool,
    /// Write the names of all files that were read to this file, as a rule of Make, which Ninja reads, too
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) depfile: Option<PathBuf>,
    /// Keep compiled meshes in this folder, and take those from there whose source and options are the same. Several processes
    /// may share it, also with `bvhc MODEL`
    #[arg(long, value_name = "DIR", conflicts_with = "thin")]
    pub(in crate::cli) cache: Option<PathBuf>,
    /// The most that the cache may hold, in MiB; what was not used for the longest time goes first
    #[arg(long, value_name = "MIB", value_parser = parse_mebibytes, default_value = "4096", requires = "cache")]
    pub(in crate::cli) cache_size: u64,
    /// Refuse options with which the file would depend on anything but the files that are read and options: `--time-budget`, which
    /// asks the clock, and `--cache`
    #[arg(long, conflicts_with_all = ["time_budget", "cache"])]
    pub(in crate::cli) hermetic: bool,
    /// Refuse a world, before much is done, if compiling its meshes, but for those from a cache, would take more memory than this, in
    /// MiB
    #[arg(long, value_name = "MIB", value_parser = parse_mebibytes)]
    pub(in crate::cli) memory_limit: Option<u64>,
    /// Write nothing, and fail with exit code 1, if there is something to warn of
    #[arg(long)]
    pub(in crate::cli) warnings_as_errors: bool,
    /// Print a report on standard output, as one JSON object
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Print only errors
    #[arg(short, long)]
    pub(in crate::cli) quiet: bool,
}
