//! What a source says: meshes, and where instances of them are.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use bvhc_runtime::Pose;

use super::linked::CompiledMesh;
use crate::import::{Files, Imported, OtherInput, ReadSeek};

/// Meshes and instances.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) meshes: Vec<SceneMesh>,
    pub(super) instances: Vec<SceneInstance>,
    /// The files that the source refers to and that were read.
    pub(super) inputs: Vec<OtherInput>,
    /// Those that are compiled already, each with the hash in its header.
    pub(super) linked: Vec<OtherInput>,
    pub(super) warnings: Vec<String>,
    /// How many things of each kind were ignored as they are no faces.
    pub(super) ignored: BTreeMap<&'static str, u64>,
    /// What becomes of meshes that no instance has, and of those without triangles.
    pub(super) leftovers: Leftovers,
}

/// What becomes of meshes that no instance has, and of those without triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Leftovers {
    /// The source names its meshes: all are kept, as instances may be added when the world is used, but for those whose instances are
    /// all baked; and each must have triangles.
    #[default]
    Keep,
    /// The source is a scene: what shows nothing is left out, with a warning.
    Drop,
}

/// A mesh.
pub(super) struct SceneMesh {
    /// What messages call it.
    pub(super) name: String,
    pub(super) content: Content,
}

/// What is known of a mesh.
pub(super) enum Content {
    Imported(Model),
    Compiled(CompiledMesh),
}

/// A model, imported but not compiled.
#[derive(PartialEq)]
pub(super) struct Model {
    pub(super) imported: Imported,
    /// The hash and the length of the source that it was read from.
    pub(super) source: (blake3::Hash, u64),
}

/// An instance.
pub(super) struct SceneInstance {
    pub(super) name: String,
    /// Index of its mesh.
    pub(super) mesh: usize,
    /// What is to become of the mesh's vertices before anything else, if they are to be changed.
    pub(super) baked: Option<Linear>,
    pub(super) pose: Pose,
    pub(super) scale: f64,
    pub(super) mirrors: bool,
    pub(super) layers: u32,
    pub(super) user: u64,
    pub(super) is_movable: bool,
}

/// The rows of a linear map in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linear(pub(super) [[f64; 3]; 3]);

impl Linear {
    /// A scale, after a mirror in x.
    pub(super) fn of_scale(scale: f64, mirrors: bool) -> Self {
        let x = if mirrors { -scale } else { scale };
        Self([[x, 0.0, 0.0], [0.0, scale, 0.0], [0.0, 0.0, scale]])
    }

    pub(super) fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.0.map(|[a, b, c]| a * x + b * y + c * z)
    }

    pub(super) fn determinant(&self) -> f64 {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.0;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    }

    /// Equal maps have equal keys.
    pub(super) fn key(&self) -> [[u64; 3]; 3] {
        self.0.map(|row| row.map(f64::to_bits))
    }
}

/// The files that a file in a folder refers to.
#[derive(Clone, Copy)]
pub(super) struct Below<'a> {
    pub(super) files: &'a dyn Files,
    /// The folder, with a slash at its end, or empty.
    pub(super) folder: &'a str,
}

impl<'a> Below<'a> {
    /// The folder of a file, by its name with slashes.
    pub(super) fn of(files: &'a dyn Files, file: &'a str) -> Self {
        Self { files, folder: &file[..file.rfind('/').map_or(0, |slash| slash + 1)] }
    }
}

impl Files for Below<'_> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.files.read(&format!("{}{name}", self.folder))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn ReadSeek>> {
        self.files.open(&format!("{}{name}", self.folder))
    }
}

impl fmt::Debug for Below<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Below").field(&self.folder).finish()
    }
}
