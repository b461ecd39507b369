//! The models: the Stanford bunny and a displaced icosphere of 1.3 million triangles.

use bvhc::compile::{Compiled, Options, Quality, compile};
use bvhc::mesh::Mesh;
use bvhc::{clean, import};
use bvhc_runtime::Model;
use bvhc_tests::scene::{icosphere, write_obj};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::vector::{along, length, sub};

/// A model as artists hand it over.
pub(crate) struct Source {
    /// What reports call it.
    pub(crate) name: &'static str,
    /// The OBJ text.
    pub(crate) obj: Vec<u8>,
}

impl Source {
    /// The two models that every figure is about.
    pub(crate) fn all() -> [Self; 2] {
        let folder = std::env::var_os("BVHC_MODELS")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models"), PathBuf::from);
        let path = folder.join("stanford-bunny.obj");
        let bunny = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        [Self { name: "bunny", obj: bunny }, Self::sphere("sphere", 255)]
    }

    /// A model of 13 million triangles, where `BVHC_LARGE=1` asks for it.
    pub(crate) fn large() -> Option<Self> {
        let wanted = std::env::var("BVHC_LARGE").is_ok_and(|large| large == "1");
        wanted.then(|| Self::sphere("sphere x10", 806))
    }

    fn sphere(name: &'static str, frequency: u32) -> Self {
        Self { name, obj: write_obj(&icosphere::displaced(frequency, 0.2, 1)) }
    }

    /// Compiles the model with this many threads, or with all.
    pub(crate) fn compile(&self, quality: Quality, threads: Option<NonZeroUsize>) -> Compiled {
        compile(&self.obj, self.name, &Options { quality, threads, ..Options::default() }, &())
            .expect("the model compiles")
    }

    /// The triangles that the compiler sees.
    pub(crate) fn mesh(&self) -> Mesh {
        let polygons = import::read(&self.obj, self.name).expect("the model can be read");
        clean::mesh(polygons, self.name).expect("the model has triangles")
    }
}

/// The quality that `BVHC_QUALITY` asks for; the best where it does not.
fn quality() -> Quality {
    let wanted = std::env::var("BVHC_QUALITY");
    let qualities = [Quality::Fast, Quality::Default, Quality::Best];
    let named = |name: String| qualities.into_iter().find(|quality| quality.name() == name);
    wanted.map_or(Quality::Best, |name| named(name).expect("BVHC_QUALITY is fast, default or best"))
}

/// A compiled model and its triangles.
pub(crate) struct Scene {
    /// What reports call it.
    pub(crate) name: &'static str,
    /// Its triangles, as the compiler sees them.
    pub(crate) mesh: Mesh,
    /// Its file.
    pub(crate) compiled: Compiled,
}

impl Scene {
    /// Compiles a model.
    pub(crate) fn new(source: &Source) -> Self {
        Self { name: source.name, mesh: source.mesh(), compiled: source.compile(quality(), None) }
    }

    /// The file, opened.
    pub(crate) fn model(&self) -> Model<'_> {
        Model::from_bytes(&self.compiled.bytes).expect("a compiled file opens")
    }

    /// The middle of the bounds.
    pub(crate) fn centre(&self) -> [f32; 3] {
        let bounds = self.model().bounds();
        along(bounds.lower, 0.5, sub(bounds.upper, bounds.lower))
    }

    /// The diagonal of the bounds.
    pub(crate) fn size(&self) -> f32 {
        let bounds = self.model().bounds();
        length(sub(bounds.upper, bounds.lower))
    }
}
