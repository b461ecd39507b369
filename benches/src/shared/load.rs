//! Ways from a file, or from arrays in memory, to the first answer.

use bvhc::mesh::Mesh;
use bvhc_runtime::{LoadedModel, MappedModel, Ray};
use rkyv::util::AlignedVec;
use std::any::Any;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use super::model::Scene;
use super::vector::{along, sub, unit};
use crate::peers::Tracer;
use crate::peers::obvhs::{Binary, QUICK, Wide};
use crate::peers::parry::Parry;

/// A way to the first answer.
pub struct Way<'a> {
    /// What reports call it.
    pub name: &'static str,
    go: Box<dyn Fn(&Ray) -> First + 'a>,
}

/// The `t` of the first closest hit, and what must be dropped after timing.
pub type First = (f32, Box<dyn Any>);

impl Way<'_> {
    /// Goes from the file to the first answer.
    pub fn go(&self, ray: &Ray) -> First {
        (self.go)(ray)
    }
}

/// A model's files, warm in the page cache.
pub struct Files {
    _folder: TempDir,
    compiled: PathBuf,
    parry: Option<PathBuf>,
}

impl Files {
    /// Writes the files of bvhc and, for the models of reasonable size, of parry3d.
    pub fn write(scene: &Scene, with_peers: bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("a file can be written");
            path
        };
        let compiled = place("bvhc.bvh", &scene.compiled.bytes);
        let parry = with_peers.then(|| place("parry.rkyv", &Parry::build(&scene.mesh).archive()));
        Self { _folder: folder, compiled, parry }
    }

    /// bvhc's ways and, if there are files of peers, theirs.
    ///
    /// - `bvhc map`, `bvhc read`: the file mapped, or read into memory.
    /// - `parry3d rkyv`: its archive read, checked and deserialised.
    /// - `... rebuild`: the tree built from arrays that are in memory already, by the fastest preset.
    pub fn ways<'a>(&'a self, mesh: &'a Mesh) -> Vec<Way<'a>> {
        let way = |name, go| Way { name, go };
        let mut ways: Vec<Way<'a>> = vec![
            way("bvhc map", Box::new(|ray| map(&self.compiled, ray))),
            way("bvhc read", Box::new(|ray| read(&self.compiled, ray))),
        ];
        if let Some(archive) = &self.parry {
            ways.extend([
                way("parry3d rkyv", Box::new(|ray| first(ray, Parry::from_archive(&read_aligned(archive))))),
                way("parry3d rebuild", Box::new(|ray| first(ray, Parry::build(mesh)))),
                way("obvhs BVH2 rebuild", Box::new(|ray| first(ray, Binary::build(mesh, QUICK)))),
                way("obvhs CWBVH rebuild", Box::new(|ray| first(ray, Wide::build(mesh, QUICK)))),
            ]);
        }
        ways
    }
}

/// A ray from outside to the centre that hits.
pub fn ray(scene: &Scene) -> Ray {
    let origin = along(scene.centre(), scene.size(), unit([0.3, 0.4, 1.0]));
    Ray::new(origin, unit(sub(scene.centre(), origin)))
}

fn first(ray: &Ray, tracer: impl Tracer + 'static) -> First {
    (tracer.closest_hit(ray), Box::new(tracer))
}

#[allow(unsafe_code, reason = "`MappedModel::open` cannot know that nobody changes the file")]
fn map(path: &Path, ray: &Ray) -> First {
    // SAFETY: the file is in a temporary folder of this process, which writes it once, before this.
    let model = unsafe { MappedModel::open(path) }.expect("a compiled file opens");
    (t(model.model().closest_hit(ray)), Box::new(model))
}

fn read(path: &Path, ray: &Ray) -> First {
    let model = LoadedModel::read(path).expect("a compiled file opens");
    (t(model.model().closest_hit(ray)), Box::new(model))
}

fn t(hit: Option<bvhc_runtime::Hit>) -> f32 {
    hit.map_or(f32::INFINITY, |hit| hit.t)
}

fn read_aligned(path: &Path) -> AlignedVec {
    let mut file = File::open(path).expect("the archive opens");
    let length = file.metadata().expect("the archive has a length").len();
    let mut bytes = AlignedVec::with_capacity(length as usize);
    bytes.extend_from_reader(&mut file).expect("the archive can be read");
    bytes
}

/// Checks that all ways give the same answer.
pub fn check(ways: &[Way<'_>], ray: &Ray) {
    let answers = ways.iter().map(|way| (way.name, way.go(ray).0));
    let expected = ways[0].go(ray).0;
    assert!(expected.is_finite(), "the ray hits");
    for (name, t) in answers {
        assert!((t - expected).abs() <= 1e-4 * expected, "{name}: {t} is not {expected}");
    }
}
