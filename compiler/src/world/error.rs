//! Why a world could not be compiled.

use std::sync::Arc;

use bvhc_runtime::PoseError;

use super::linked::LinkFault;
use crate::compile::CompileError;
use crate::import::ImportError;

/// Why a world could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldCompileError {
    /// The manifest is wrong.
    #[error("{file}, line {line}: {fault}")]
    Manifest {
        /// The manifest.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        fault: ManifestFault,
    },
    /// A model or a compiled file was given as a manifest.
    #[error(
        "{file}: this is {what}, no manifest: `bvhc MODEL -o OUT` compiles a model, with --world a glTF's scene, and a manifest \
         names models or compiled files"
    )]
    NoManifest {
        /// The file.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// There is nothing to put into a file.
    #[error("{file}: no instances: a world has at least one{}", told(warnings))]
    NoInstance {
        /// The source.
        file: String,
        /// What was found before, and what was ignored: perhaps why.
        warnings: Vec<String>,
    },
    /// An instance is too large or too far away.
    #[error("{file}: instance {name:?} reaches beyond 2^60, or its scale is not between 2^-40 and 2^40")]
    TooFar {
        /// The source.
        file: String,
        /// The instance.
        name: String,
    },
    /// Instances make too much of the files: each transform that is applied to vertices makes a mesh of its own.
    #[error(
        "{file}: up to instance {name:?}, meshes of their own for instances (baked, or sheared nodes) have more than {most} \
         vertices and corners of faces, for {bytes} bytes of files"
    )]
    TooMuchBaked {
        /// The source.
        file: String,
        /// The instance with which the sum is too large.
        name: String,
        /// The most vertices and corners that may be made.
        most: u64,
        /// The length of all files that were read.
        bytes: u64,
    },
    /// Two names have the same id.
    #[error("{file}: the instances {:?} and {:?} have the same id, {id:#018x}: rename one", names[0], names[1])]
    SameId {
        /// The source.
        file: String,
        /// The names.
        names: Box<[String; 2]>,
        /// Their id.
        id: u64,
    },
    /// Options that would move meshes and not their instances.
    #[error("worlds are not turned or scaled: --axis and --scale are for models")]
    Placement,
    /// A thin world refers to compiled meshes, and this one is none.
    #[error(
        "{file}: mesh {mesh:?} is not compiled: a thin world refers to compiled files; name one, as `bvhc MODEL -o FILE` makes it"
    )]
    NotCompiled {
        /// The source.
        file: String,
        /// The mesh.
        mesh: String,
    },
    /// A compiled file could not be linked after its head was read.
    #[error("{file}: {fault}")]
    Link {
        /// The compiled file.
        file: String,
        /// What is wrong with it.
        fault: LinkFault,
    },
    /// The world has more sections than a file may have.
    #[error(
        "{file}: the world would have {found} sections, and a file has at most {}: compile the meshes apart, name their files in a \
         manifest, and refer to them by `bvhc world --thin`",
        bvhc_format::header::MAX_SECTIONS
    )]
    Sections {
        /// The source.
        file: String,
        /// How many it would have.
        found: usize,
    },
    /// A source could not be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A mesh could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// What is wrong with a manifest.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestFault {
    /// The text is no TOML, or not of the tables and keys that a manifest has.
    #[error("{0}")]
    Toml(String),
    /// The text is not UTF-8.
    #[error("the manifest is not UTF-8 text")]
    NotText,
    /// It is a glTF file, whose scene becomes a world in another way.
    #[error("this is a glTF file, no manifest; it becomes a world by `bvhc MODEL -o OUT --world`")]
    Gltf,
    /// Two meshes, or two instances, have the same name.
    #[error("the name {0:?} is taken")]
    NameTwice(String),
    /// An instance has a mesh that is not there.
    #[error("there is no mesh {0:?}")]
    NoSuchMesh(String),
    /// A name is empty.
    #[error("the name is empty")]
    NoName,
    /// The position is not finite, or the rotation is no unit quaternion within 1e-4. (Nearer ones are normalised.)
    #[error("{0}")]
    Pose(#[from] PoseError),
    /// The scale is not a number greater than 0.
    #[error("the scale is {0}; it must be finite and greater than 0")]
    Scale(f64),
    /// A compiled file cannot be linked.
    #[error("the file {file:?} cannot be linked: {fault}")]
    Link {
        /// The file, as the manifest writes it.
        file: String,
        /// What is wrong with it.
        fault: Arc<LinkFault>,
    },
    /// A transform should be applied to the vertices of a mesh that is compiled already.
    #[error(
        "instance {0:?} has `bake`, and its mesh is compiled: name its model instead, or leave `bake` out"
    )]
    BakedCompiled(String),
    /// A file cannot be read.
    #[error("the file {file:?} cannot be read: {reason}")]
    File {
        /// The file, as the manifest writes it.
        file: String,
        /// Why not.
        reason: String,
    },
}

/// At most so many warnings are in a message.
const MAX_WARNINGS: usize = 3;

/// The first of some warnings, and how many more there are.
fn told(warnings: &[String]) -> String {
    let (first, rest) = warnings.split_at(warnings.len().min(MAX_WARNINGS));
    let more = if rest.is_empty() { String::new() } else { format!("; and {} more", rest.len()) };
    first.iter().map(|warning| format!("; {warning}")).collect::<String>() + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A glTF scene has no `--thin`.
    #[test]
    fn what_to_do_about_many_meshes_is_possible_for_scenes() {
        let told = WorldCompileError::Sections { file: "town.toml".to_owned(), found: 66_001 }.to_string();
        assert!(
            told.contains("66001") && told.contains("in a manifest") && told.contains("bvhc world --thin")
        );
    }
}
