//! The models: the Stanford bunny, a displaced icosphere of 1.3 million triangles, a hall of huge and thin triangles
//! and a town of many small parts.

use bvhc::compile::{Compiled, Layout, Options, Quality, compile};
use bvhc::mesh::Mesh;
use bvhc::{clean, import};
use bvhc_runtime::{LoadedModel, Model};
use bvhc_tests::scene::{hall, icosphere, town, write_obj};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::stage::{self, Stage};
use super::vector::{along, length, sub};

/// A model as OBJ text.
pub struct Source {
    /// What reports call it.
    pub name: &'static str,
    /// Where its rays start.
    stage: Stage,
    /// The OBJ text.
    pub obj: Vec<u8>,
}

impl Source {
    /// The models of all figures.
    pub fn all() -> [Self; 4] {
        [Self::bunny(), Self::sphere("sphere", 255), Self::hall(), Self::town()]
    }

    /// A model of 13 million triangles, if `BVHC_LARGE=1` is set.
    pub fn large() -> Option<Self> {
        let wanted = std::env::var("BVHC_LARGE").is_ok_and(|large| large == "1");
        wanted.then(|| Self::sphere("sphere x10", 806))
    }

    /// Models whose surfaces are closed: two spheres and Spot, and those of two more that the folder of models has.
    pub fn closed() -> Vec<Self> {
        let spheres = [Self::sphere("sphere", 255), Self::sphere("small sphere", 40)];
        let more = [("rocker arm", "rocker-arm.obj"), ("fandisk", "fandisk.obj")];
        let more = more.into_iter().filter(|(_, file)| path(file).exists());
        let read = |(name, file)| Self::read(name, file);
        spheres.into_iter().chain([("spot", "spot.obj")].into_iter().chain(more).map(read)).collect()
    }

    fn bunny() -> Self {
        Self::read("bunny", "stanford-bunny.obj")
    }

    fn read(name: &'static str, file: &str) -> Self {
        let path = path(file);
        let obj = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name, stage: Stage::Around, obj }
    }

    fn sphere(name: &'static str, frequency: u32) -> Self {
        let obj = write_obj(&icosphere::displaced(frequency, 0.2, 1));
        Self { name, stage: Stage::Around, obj }
    }

    /// 386,092 triangles.
    fn hall() -> Self {
        Self { name: "hall", stage: stage::HALL, obj: write_obj(&hall::gallery(60, 60, 20, 1)) }
    }

    /// 406,092 triangles.
    fn town() -> Self {
        Self { name: "town", stage: stage::TOWN, obj: write_obj(&town::town(12, 9, 1)) }
    }

    /// Compiles the model with this many threads, or with all.
    pub fn compile(&self, quality: Quality, threads: Option<NonZeroUsize>) -> Compiled {
        self.compile_as(&Options { quality, threads, obb: None, ..Options::default() })
    }

    /// Compiles the model as the program does without options: with oriented boxes.
    pub fn compile_by_default(&self) -> Compiled {
        self.compile_as(&Options::default())
    }

    /// Compiles the model with these options.
    pub fn compile_as(&self, options: &Options) -> Compiled {
        compile(&self.obj, self.name, options, &()).expect("the model compiles")
    }

    /// The triangles that the compiler sees.
    pub fn mesh(&self) -> Mesh {
        let polygons = import::read(&self.obj, self.name).expect("the model can be read");
        clean::mesh(polygons, self.name).expect("the model has triangles")
    }
}

/// Where a model is.
fn path(file: &str) -> PathBuf {
    let folder = std::env::var_os("BVHC_MODELS");
    folder
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models"), PathBuf::from)
        .join(file)
}

/// The quality in `BVHC_QUALITY`; the best by default.
pub fn quality() -> Quality {
    let wanted = std::env::var("BVHC_QUALITY");
    let qualities = [Quality::Fast, Quality::Default, Quality::Best];
    let named = |name: String| qualities.into_iter().find(|quality| quality.name() == name);
    wanted.map_or(Quality::Best, |name| named(name).expect("BVHC_QUALITY is fast, default or best"))
}

/// A compiled model and its triangles.
pub struct Scene {
    /// What reports call it.
    pub name: &'static str,
    /// Where its rays start.
    pub stage: Stage,
    /// Its triangles, as the compiler sees them.
    pub mesh: Mesh,
    /// Its file.
    pub compiled: Compiled,
    loaded: LoadedModel,
    small: LoadedModel,
}

impl Scene {
    /// Compiles a model.
    pub fn new(source: &Source) -> Self {
        let options = Options { quality: quality(), obb: None, ..Options::default() };
        let compiled = source.compile_as(&options);
        let small = source.compile_as(&Options { layout: Layout::Small, ..options });
        let (loaded, small) = (load(&compiled), load(&small));
        Self { name: source.name, stage: source.stage, mesh: source.mesh(), compiled, loaded, small }
    }

    /// The file, loaded into memory.
    pub fn model(&self) -> Model<'_> {
        self.loaded.model()
    }

    /// The same in the small layout.
    pub fn small(&self) -> Model<'_> {
        self.small.model()
    }

    /// The middle of the bounds.
    pub fn centre(&self) -> [f32; 3] {
        let bounds = self.model().bounds();
        along(bounds.min, 0.5, sub(bounds.max, bounds.min))
    }

    /// The diagonal of the bounds.
    pub fn size(&self) -> f32 {
        let bounds = self.model().bounds();
        length(sub(bounds.max, bounds.min))
    }
}

/// Loads the file into its own memory.
pub fn load(compiled: &Compiled) -> LoadedModel {
    LoadedModel::read_from(&mut &*compiled.bytes).expect("a compiled file opens")
}
