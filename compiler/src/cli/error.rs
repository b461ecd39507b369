//! The errors of the command line and their exit codes.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use bvhc_runtime::{OpenError, PairError, WorldError, WorldPairError};

use super::row::RowError;
use super::text;
use crate::compile::CompileError;
use crate::import::{ImportError, reason};
use crate::verify::VerifyError;
use crate::verify::source::SourceError;
use crate::world::{LinkFault, ManifestFault, WorldCompileError};

/// Exit code: the input is bad, or a file does not verify.
const BAD_INPUT: u8 = 1;
/// Exit code: the command line itself is wrong.
pub(super) const USAGE: u8 = 2;
/// Exit code: the system could not read or write.
const IO: u8 = 3;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    /// The arguments are wrong.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// The source cannot be compiled. The message names it.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A world cannot be compiled. The message names the source.
    #[error(transparent)]
    World(#[from] WorldCompileError),
    /// A file is a bvhc file, but its world cannot be opened.
    #[error("{file}: {error}")]
    OpenWorld {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: WorldError,
    },
    /// A mesh of a thin world cannot be found.
    #[error("{file}: mesh {name:?}: {error}; it was looked for in {} (--meshes DIR)", folders.join(", "))]
    Mesh {
        /// The world.
        file: String,
        /// The mesh.
        name: String,
        /// What is wrong with it.
        error: Box<WorldError>,
        /// Where it was looked for.
        folders: Vec<String>,
    },
    /// A file without a world is asked for pairs of instances.
    #[error("{file}: has no world, and `query pairs` is for the instances of one")]
    NoPairs {
        /// The file.
        file: String,
    },
    /// The pairs of a world's instances cannot be found.
    #[error("{file}: {error}")]
    WorldPairs {
        /// The file.
        file: String,
        /// Why not.
        error: WorldPairError,
    },
    /// A file is not a bvhc file or is damaged.
    #[error("{file}: {error}")]
    Open {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: OpenError,
    },
    /// A file breaks a rule of the format.
    #[error("{file}: {error}")]
    Verify {
        /// The file.
        file: String,
        /// Which rule, and where.
        error: VerifyError,
    },
    /// A file was not compiled from the source it is compared with.
    #[error("{file}: {error}")]
    Source {
        /// The file.
        file: String,
        /// Where they differ.
        error: SourceError,
    },
    /// A file has no distance field.
    #[error("{file}: has no distance field: compile the model with --field (a world has none)")]
    NoField {
        /// The file.
        file: String,
    },
    /// A file has no edges.
    #[error("{file}: has no edges, which --edge-angle needs: compile the model with --edges")]
    NoEdges {
        /// The file.
        file: String,
    },
    /// Two files do not have the volumes that a query needs.
    #[error("{file}: {error}")]
    Volume {
        /// The files.
        file: String,
        /// What they lack.
        error: PairError,
    },
    /// A line of queries is malformed.
    #[error("{input}, line {line}: {error}")]
    Query {
        /// Where the queries come from.
        input: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        error: RowError,
    },
    /// An I/O operation failed.
    #[error("{file}: cannot {action}: {}", reason(error))]
    Io {
        /// The file.
        file: String,
        /// The operation that failed.
        action: Action,
        /// The system's error.
        error: io::Error,
    },
    /// The directory to write into is missing.
    #[error("{file}: cannot be created: there is no directory `{}`", directory.display())]
    NoDirectory {
        /// The file.
        file: String,
        /// Its directory.
        directory: PathBuf,
    },
    /// The output is a symbolic link that leads nowhere.
    #[error(
        "{file}: is a symbolic link to `{}`, which does not exist: create that, or remove the link",
        leads_to.display()
    )]
    DanglingLink {
        /// The output.
        file: String,
        /// Where it leads.
        leads_to: PathBuf,
    },
    /// There is something to warn of, and warnings are errors.
    #[error("{file}: {} (a warning; --warnings-as-errors)", warnings.join("; "))]
    Warnings {
        /// The model.
        file: String,
        /// What to warn of.
        warnings: Vec<String>,
    },
    /// Of several models, some failed. Each has a message of its own.
    #[error("{failed} of {models} models failed")]
    Batch {
        /// How many failed.
        failed: usize,
        /// How many there are.
        models: usize,
        /// The exit code of the first that failed.
        code: u8,
    },
    /// A folder is to be made where a file is.
    #[error("{file}: is a file, where a folder is to be")]
    NoFolder {
        /// The file.
        file: String,
    },
    /// A world is to be made of a model that has no scene.
    #[error(
        "{model}: is no glTF file: --world is for their scenes; name other meshes in a manifest (bvhc world)"
    )]
    NoScene {
        /// The model.
        model: String,
    },
    /// The second file of a query of two holds a world.
    #[error(
        "{file}: holds a world, and the second file of a {query} query must be a model (the first may hold a world)"
    )]
    WorldIsSecond {
        /// The file.
        file: String,
        /// The kind of query.
        query: &'static str,
    },
    /// The output is a directory.
    #[error(
        "{file}: is a directory; name the file to write, for example `{}/model.bvh`",
        file.trim_end_matches(std::path::is_separator)
    )]
    IsDirectory {
        /// The output.
        file: String,
    },
}

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Read it.
    Read,
    /// Write it.
    Write,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "be read",
            Self::Write => "be written",
        })
    }
}

/// What is wrong with the arguments.
#[derive(Debug, thiserror::Error)]
pub(super) enum UsageError {
    /// Clap refused them.
    #[error("{0}; try `bvhc --help`")]
    Arguments(String),
    /// There is no model to compile.
    #[error("no model to compile; try `bvhc --help`")]
    NoModel,
    /// There is more than one model to compile.
    #[error("`{second}` is a second model, and -o names one file: compile several with --out-dir")]
    SeveralModels {
        /// The second one.
        second: String,
    },
    /// A flag would have no effect.
    #[error("{flag} is for {with}")]
    NoEffect {
        /// The flag.
        flag: &'static str,
        /// What it requires.
        with: &'static str,
    },
    /// A query is to read its compiled file from standard input.
    #[error("`-` is standard input, which queries come from: name the compiled file by a path")]
    FileOfQueries,
    /// Two models would be compiled to the same file.
    #[error("{} and {} would both be compiled to {output}", models[0], models[1])]
    SameOutput {
        /// The models.
        models: [String; 2],
        /// The file.
        output: String,
    },
    /// A model has no name that a file in a folder could have.
    #[error("{model} has no file name that the compiled file could have: compile it with -o")]
    NoFileName {
        /// The model.
        model: String,
    },
    /// A depfile needs the name of the output.
    #[error("--depfile needs an output with a name: write the file to a path")]
    DepfileWithoutTarget,
    /// The depfile would replace a compiled file.
    #[error("{file}: is the compiled file itself; --depfile would replace it")]
    DepfileIsOutput {
        /// The file.
        file: String,
    },
    /// The name of a file cannot be written to a depfile.
    #[error("{file}: has a line break in its name, which --depfile cannot write")]
    DepfileName {
        /// The file.
        file: String,
    },
    /// What takes a given time has no key.
    #[error("with --time-budget the file depends on the clock: there is no key")]
    TimedKey,
    /// The same, for a cache.
    #[error("with --time-budget the file depends on the clock: it cannot be kept in a cache")]
    TimedCache,
    /// In a file of arguments, a quote has no end.
    #[error("{file}: a quote or a backslash at its end is not closed")]
    OpenQuote {
        /// The file.
        file: String,
    },
    /// A key has two values.
    #[error("--meta gives the key {key:?} twice")]
    KeyTwice {
        /// The key.
        key: String,
    },
    /// Two trees are requested of which a file has one.
    #[error("--trees takes one of {}", names.join(", "))]
    TwoTrees {
        /// Their names, and those of all others of the kind.
        names: Vec<&'static str>,
    },
    /// Options of compilation for a world of compiled meshes.
    #[error(
        "a thin world is linked from compiled meshes: of the options of compilation, it takes --threads alone"
    )]
    ThinOptions,
    /// Both the report and the file, or the depfile, would go to standard output.
    #[error("--json prints on standard output, where `-o -` and `--depfile -` write, too; give them a path")]
    JsonAndFile,
    /// The output would replace the model, or a file that it refers to.
    #[error("{file}: is the model itself or part of it; the output would replace it")]
    SameFile {
        /// The output.
        file: String,
    },
}

impl CliError {
    /// An error of the system on a file.
    pub(super) fn io(file: &str, action: Action, error: io::Error) -> Self {
        Self::Io { file: file.to_owned(), action, error }
    }

    /// Prints the message.
    pub(super) fn tell(&self) {
        if !self.is_broken_pipe() {
            text::tell(&format!("bvhc: error: {}", text::one_line(&self.to_string())));
        }
    }

    /// The exit code, as `--help` documents it.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            _ if self.is_broken_pipe() => 0,
            Self::Usage(_) => USAGE,
            Self::Batch { code, .. } => *code,
            Self::Io { .. }
            | Self::NoDirectory { .. }
            | Self::IsDirectory { .. }
            | Self::NoFolder { .. }
            | Self::DanglingLink { .. } => IO,
            Self::Compile(CompileError::Threads(_) | CompileError::Import(ImportError::OtherFile { .. })) => {
                IO
            }
            Self::World(
                WorldCompileError::Manifest { fault: ManifestFault::File { .. }, .. }
                | WorldCompileError::Link { fault: LinkFault::Read(_), .. }
                | WorldCompileError::Import(ImportError::OtherFile { .. })
                | WorldCompileError::Compile(CompileError::Threads(_)),
            ) => IO,
            Self::World(WorldCompileError::Manifest { fault: ManifestFault::Link { fault, .. }, .. })
                if matches!(**fault, LinkFault::Read(_)) =>
            {
                IO
            }
            Self::World(WorldCompileError::Placement) => USAGE,
            Self::Compile(_)
            | Self::World(_)
            | Self::OpenWorld { .. }
            | Self::Mesh { .. }
            | Self::NoPairs { .. }
            | Self::WorldPairs { .. }
            | Self::Open { .. }
            | Self::Verify { .. }
            | Self::Source { .. }
            | Self::NoField { .. }
            | Self::NoEdges { .. }
            | Self::NoScene { .. }
            | Self::WorldIsSecond { .. }
            | Self::Volume { .. }
            | Self::Warnings { .. }
            | Self::Query { .. } => BAD_INPUT,
        }
    }

    /// Whether the reader of standard output has closed it, which is not an error.
    pub(super) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io { action: Action::Write, error, .. } if error.kind() == ErrorKind::BrokenPipe)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_cannot_be_read_is_no_bad_input() {
        let code = |fault: LinkFault| {
            let fault = ManifestFault::Link { file: "m.bvh".to_owned(), fault: Arc::new(fault) };
            CliError::from(WorldCompileError::Manifest { file: "w.toml".to_owned(), line: 3, fault })
                .exit_code()
        };
        assert_eq!(code(LinkFault::Read(io::Error::other("a bad disk"))), IO);
        assert_eq!(code(LinkFault::HeaderHash), BAD_INPUT);
    }
}
