//! The arguments and the help.

mod compile;
mod kdop;
mod meshes;
mod obb;
mod query;
mod recipe;
mod world;

pub(super) use compile::{CompileArgs, KeyArgs};
use kdop::KdopArgs;
pub(super) use meshes::MeshesArgs;
use obb::ObbArgs;
pub(super) use query::{CollideArgs, DistanceArgs, ModelArgs, PairsArgs, Query, QueryArgs, TouchesArgs};
pub(super) use recipe::RecipeArgs;
pub(super) use world::WorldArgs;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

const ABOUT: &str = "Compile a 3D model into a file that a program can query at once";

const LONG_ABOUT: &str = "\
Compile a 3D model into a file that a program can query at once.

bvhc reads a triangle mesh (OBJ, glTF, GLB, STL, PLY or OFF) and writes a file with its triangles and one or more bounding volume \
hierarchies: trees of boxes around them, with which a query looks at a few triangles out of millions. The queries \
are ray casts, closest points, what is inside, overlaps, contacts and casts of shapes, and collisions and distances of two \
models, mesh against mesh. A program that uses bvhc-runtime maps the file into memory and queries it where it lies: nothing is \
parsed, copied or built when it is loaded.";

const AFTER_HELP: &str = "\
Examples:
  bvhc bunny.obj -o bunny.bvh            compile a model
  bvhc a.obj b.glb --out-dir build       compile several, to build/a.bvh and build/b.bvh
  bvhc world level.toml -o level.bvh     compile a world of instances
  bvhc inspect bunny.bvh                 say what is in the file
  echo 0 0 5 0 0 -1 | bvhc query ray bunny.bvh
                                         shoot a ray from (0, 0, 5) along -z
  echo 1 0 0 0 1 0 0 0 1 0.05 0 0 | bvhc query collide bunny.bvh bunny.bvh
                                         does it meet itself, moved by 0.05 along x?
  bvhc verify bunny.bvh --against bunny.obj
                                         check every byte of it

Exit codes:
  0  done; verify: the file is perfect
  1  the input is bad: a model that cannot be compiled, a file that is damaged or is no bvhc
     file, a malformed query, or with --warnings-as-errors a warning
  2  the command line is wrong
  3  a file could not be read or written, or no threads could be started
Of several models, the exit code is that of the first that failed.

@FILE stands for the arguments in a file, separated by blanks and lines, and quoted as in a shell.

Nothing is printed on standard output but what was asked for; reports, progress and errors go to standard \
error. An output file appears whole or not at all: where it cannot be made, an older one stays as it was. \
(Motion-capture files that end in .bvh are something else, and bvhc says so.)";

const USAGE: &str = "\
bvhc [OPTIONS] MODEL -o OUT
       bvhc [OPTIONS] MODEL... --out-dir DIR
       bvhc COMMAND";

/// Without `--scale`, which worlds refuse.
const WORLD_WELD: &str = "Make one of a mesh's vertices that are at most this far apart [default: vertices at the same position are the same]";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "bvhc", version, override_usage = USAGE, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER_HELP,
    args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true,
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) compile: Option<CompileArgs>,
    // Not nested in `CompileArgs`: clap cannot tell whether a struct with nested argument structs was given.
    #[command(flatten)]
    pub(super) recipe: Box<RecipeArgs>,
}

/// The named commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Compile models; `compile` may be left out
    Compile {
        #[command(flatten)]
        compile: Box<CompileArgs>,
        #[command(flatten)]
        recipe: Box<RecipeArgs>,
    },
    /// Print a digest of everything that the compiled file would depend on, for build systems and caches: the model, the files
    /// that it refers to, the options and the revision of the compiler's output. Nothing is compiled
    Key {
        #[command(flatten)]
        key: KeyArgs,
        #[command(flatten)]
        recipe: Box<RecipeArgs>,
    },
    /// Compile a world: meshes and instances of them, which a manifest names, into one file
    // Instances have transforms of their own.
    #[command(
        mut_arg("axis", |arg| arg.hide(true)), mut_arg("scale", |arg| arg.hide(true)),
        mut_arg("weld", |arg| arg.help(WORLD_WELD)),
    )]
    World {
        #[command(flatten)]
        world: WorldArgs,
        #[command(flatten)]
        recipe: Box<RecipeArgs>,
    },
    /// Print the contents of a compiled file: sections, sizes, hashes, bounds, counts and tree statistics
    Inspect(InspectArgs),
    /// Check a compiled file against every rule of the format; exit code 0 means that it is valid
    Verify(VerifyArgs),
    /// Answer queries, one per line, as CSV on standard output
    Query(QueryArgs),
    /// Write a part of a compiled file in another program's format
    Export(ExportArgs),
    /// Print a script that completes command lines in a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages, one a command
    Man {
        /// The folder to write them to; it is made if it is missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// `bvhc inspect FILE`
#[derive(Debug, clap::Args)]
pub(super) struct InspectArgs {
    /// The compiled file; `-` reads standard input
    pub(super) file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) meshes: MeshesArgs,
}

/// `bvhc export FORMAT FILE -o OUT`
#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    /// What to write
    pub(super) format: ExportFormat,
    /// The compiled file; `-` reads standard input
    pub(super) file: PathBuf,
    /// The file to write; `-` writes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
}

/// The formats of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExportFormat {
    /// The distance field (`--field`) as a raw NanoVDB grid: a level set of floats
    Nanovdb,
}

/// `bvhc verify FILE`
#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// The compiled file; `-` reads standard input
    pub(super) file: PathBuf,
    /// Also check that the file holds the triangles of this model, bit for bit; in a small layout, within the error
    /// that the file states
    #[arg(long, value_name = "MODEL")]
    pub(super) against: Option<PathBuf>,
    #[command(flatten)]
    pub(super) meshes: MeshesArgs,
}
