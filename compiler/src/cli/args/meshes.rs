//! Where the meshes of thin worlds are.

use std::path::{Path, PathBuf};

use bvhc_runtime::MeshFolder;

use crate::cli::error::{CliError, UsageError};
use crate::cli::file::{self, MeshFolders};

/// The folders of the meshes of a thin world.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MeshesArgs {
    /// Of a thin world: find the compiled files of its meshes in this folder, by their hashes; may be given several times
    /// [default: the folder of the world; `verify` checks meshes only if a folder is given]
    #[arg(long = "meshes", value_name = "DIR")]
    folders: Vec<PathBuf>,
}

impl MeshesArgs {
    /// Why the argument is refused for other files.
    pub(in crate::cli) const NO_EFFECT: UsageError =
        UsageError::NoEffect { flag: "--meshes", with: "thin worlds" };

    /// Whether there is one.
    pub(in crate::cli) fn is_given(&self) -> bool {
        !self.folders.is_empty()
    }

    /// As [`folders`](Self::folders), for what needs no mesh: without files if none is given and that of the world cannot be listed.
    pub(in crate::cli) fn folders_if_listed(&self, world: &Path) -> Result<MeshFolders, CliError> {
        match self.folders(world) {
            Err(CliError::Io { .. }) if !self.is_given() => {
                Ok(MeshFolders { names: Vec::new(), files: MeshFolder::default() })
            }
            listed => listed,
        }
    }

    /// Lists the folders, for a world at a path.
    pub(in crate::cli) fn folders(&self, world: &Path) -> Result<MeshFolders, CliError> {
        let own = world.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let given = self.folders.iter().map(PathBuf::as_path);
        let all: Vec<&Path> = if self.is_given() { given.collect() } else { vec![own] };
        let mut files = MeshFolder::default();
        for folder in &all {
            files.add(folder).map_err(|error| file::failed(folder, error))?;
        }
        Ok(MeshFolders { names: all.iter().map(|folder| folder.display().to_string()).collect(), files })
    }
}
