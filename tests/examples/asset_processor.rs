//! Models in an asset pipeline of the kind that Bevy has: a processor compiles what changed, a loader opens what it wrote.
//!
//! The traits are Bevy's, cut down to what models need, so that nothing but bvhc is built here: no futures, and settings that
//! are values instead of meta files. Each names the item of `bevy::asset` that it stands for.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use bvhc::{Files, Options, Quality, Source};
use bvhc_runtime::{LoadedModel, Ray};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Stands for `io::AssetReader`.
trait AssetReader: Debug + Sync {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// Stands for `io::AssetWriter`.
trait AssetWriter {
    fn write(&mut self, path: &Path, bytes: &[u8]);
}

/// Stands for `AssetLoader`.
trait AssetLoader {
    type Asset;
    fn load(&self, bytes: &[u8]) -> Result<Self::Asset>;
}

/// Stands for `processor::Process`; `key` for the hash of an asset and its dependencies, by which Bevy finds what changed.
trait Process {
    type Settings: Default;
    type OutputLoader: AssetLoader;
    fn key(&self, context: &ProcessContext<'_>, settings: &Self::Settings) -> Result<String>;
    fn process(&self, context: &ProcessContext<'_>, settings: &Self::Settings) -> Result<Vec<u8>>;
}

/// Stands for `processor::ProcessContext`.
#[derive(Debug)]
struct ProcessContext<'a> {
    path: &'a Path,
    reader: &'a dyn AssetReader,
}

/// Stands for `processor::AssetProcessor`, with the keys of what was processed where Bevy has meta files.
#[derive(Default)]
struct AssetProcessor {
    keys: BTreeMap<PathBuf, String>,
}

impl AssetProcessor {
    /// Processes an asset unless nothing that it depends on changed; tells whether it did.
    fn run<P: Process>(
        &mut self,
        process: &P,
        context: &ProcessContext<'_>,
        settings: &P::Settings,
        writer: &mut impl AssetWriter,
    ) -> Result<bool> {
        let key = process.key(context, settings)?;
        if self.keys.get(context.path) == Some(&key) {
            return Ok(false);
        }
        writer.write(context.path, &process.process(context, settings)?);
        self.keys.insert(context.path.to_owned(), key);
        Ok(true)
    }
}

/// The files beside a model, by way of the asset reader.
impl Files for ProcessContext<'_> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.reader.read(&self.path.with_file_name(name))
    }
}

/// The processor of models.
struct CompileModel;

#[derive(Default)]
struct ModelSettings {
    quality: Quality,
}

impl CompileModel {
    fn options(settings: &ModelSettings) -> Options {
        Options::of(settings.quality)
    }
}

impl Process for CompileModel {
    type Settings = ModelSettings;
    type OutputLoader = ModelLoader;

    fn key(&self, context: &ProcessContext<'_>, settings: &ModelSettings) -> Result<String> {
        let bytes = context.reader.read(context.path)?;
        let source = Source::Files { bytes: &bytes, files: context };
        let key = bvhc::key(&source, &context.path.to_string_lossy(), &Self::options(settings))?;
        Ok(key.to_string())
    }

    fn process(&self, context: &ProcessContext<'_>, settings: &ModelSettings) -> Result<Vec<u8>> {
        let bytes = context.reader.read(context.path)?;
        let source = Source::Files { bytes: &bytes, files: context };
        let name = context.path.to_string_lossy();
        let compiled = bvhc::compile::compile_source(&source, &name, &Self::options(settings), &())?;
        Ok(compiled.bytes.to_vec())
    }
}

/// The loader that a game has, without the compiler.
struct ModelLoader;

impl AssetLoader for ModelLoader {
    type Asset = LoadedModel;

    fn load(&self, bytes: &[u8]) -> Result<LoadedModel> {
        Ok(LoadedModel::from_bytes(bytes)?)
    }
}

/// Files in memory.
#[derive(Debug, Default)]
struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl AssetReader for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl AssetWriter for Memory {
    fn write(&mut self, path: &Path, bytes: &[u8]) {
        self.0.insert(path.to_owned(), bytes.to_vec());
    }
}

/// A triangle in glTF, whose corners are in another file.
const SAIL: &str = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
    "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":"sail.bin","byteLength":36}]}"#;

fn corners(height: f32) -> Vec<u8> {
    let corners = [[0.0, 0.0, height], [1.0, 0.0, height], [0.0, 1.0, height]];
    corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn main() -> Result<()> {
    let mut assets = Memory::default();
    assets.write("ships/quad.obj".as_ref(), include_bytes!("../golden/quad.obj"));
    assets.write("ships/sail.gltf".as_ref(), SAIL.as_bytes());
    assets.write("ships/sail.bin".as_ref(), &corners(0.0));

    let mut processor = AssetProcessor::default();
    let mut processed = Memory::default();
    let mut process_all = |assets: &Memory, settings: &ModelSettings, processed: &mut Memory| {
        let mut count = 0;
        for path in ["ships/quad.obj", "ships/sail.gltf"] {
            let context = ProcessContext { path: path.as_ref(), reader: assets };
            count += u32::from(processor.run(&CompileModel, &context, settings, processed)?);
        }
        Result::Ok(count)
    };
    let settings = ModelSettings::default();
    assert_eq!(process_all(&assets, &settings, &mut processed)?, 2, "all is new");
    assert_eq!(process_all(&assets, &settings, &mut processed)?, 0, "nothing changed");
    assets.write("ships/sail.bin".as_ref(), &corners(0.5));
    assert_eq!(process_all(&assets, &settings, &mut processed)?, 1, "a file that a model refers to changed");
    let fast = ModelSettings { quality: Quality::Fast };
    assert_eq!(process_all(&assets, &fast, &mut processed)?, 2, "the settings changed");

    let sail = ModelLoader.load(&processed.read("ships/sail.gltf".as_ref())?)?;
    let hit = sail.model().closest_hit(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]));
    println!("the sail is hit at t = {}", hit.expect("the ray meets the sail").t);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_runs() {
        super::main().expect("the example runs");
    }
}
