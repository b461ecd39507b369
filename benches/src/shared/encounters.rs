//! The encounters for benchmarks of two models.

use bvhc::compile::{Options, compile};
use bvhc_runtime::LoadedModel;
use bvhc_tests::scene::encounter::{self, Encounter};
use bvhc_tests::scene::write_obj;
use bvhc_tests::support::sample::bunny;

/// Poses of each kind.
const POSES: usize = 16;

type Make = fn() -> Encounter;

/// Those that the command line names, or all, with the functions that make them.
pub fn chosen() -> impl Iterator<Item = (&'static str, Make)> {
    // Cargo passes `--bench`.
    let wanted: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let all: [(&str, Make); 5] = [
        ("animals", || encounter::animals(20_000, POSES)),
        ("nested", || encounter::nested(16, POSES)),
        ("spheres", || encounter::spheres(16, POSES)),
        ("twins", || encounter::twins(&bunny(), POSES)),
        ("giant", || encounter::giant(&bunny(), 224, POSES)),
    ];
    all.into_iter().filter(move |(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name))
}

/// The files of both models, compiled with default options.
pub fn files(encounter: &Encounter) -> [LoadedModel; 2] {
    files_by(encounter, &Options::default())
}

/// The files of both models.
pub fn files_by(encounter: &Encounter, options: &Options) -> [LoadedModel; 2] {
    [&encounter.a, &encounter.b].map(|mesh| {
        let compiled = compile(&write_obj(mesh), "encounter.obj", options, &());
        let bytes = compiled.expect("the model compiles").bytes;
        LoadedModel::read_from(&mut &*bytes).expect("a compiled file opens")
    })
}
