//! Worlds linked from meshes that were compiled apart: with the meshes in them, as if all were compiled at once, and thin ones,
//! which answer as those.

use std::fmt::Debug;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use bvhc::Files;
use bvhc::compile::{Options, Quality};
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc::verify::{verify, verify_linked};
use bvhc::world::{self, WorldCompileError};
use bvhc_format::header::SectionEntry;
use bvhc_runtime::{
    Ball, Cuboid, InsideRule, Level, LoadedModel, MappedModel, MeshFolder, Model, ModelFile, MovingWorldFile,
    Pose, ShapeCast, ThinWorld, ThinWorldFile, Touches, VisitControl, World, WorldError, WorldFile,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::world::{MemoryFiles, Placed, compiled_apart, compiled_world, manifest};
use bvhc_tests::support::{STOP, Scene, aligned, levels};

use super::with_world;

/// Compiled meshes, and instances of them that overlap.
pub(super) struct Apart {
    pub(super) files: MemoryFiles,
    pub(super) manifest: String,
    meshes: [Mesh; 2],
    placed: Vec<Placed>,
    pub(super) options: Options,
}

impl Apart {
    pub(super) fn new(is_rigid: bool, seed: u64) -> Self {
        let meshes = [grid::diagonal(12), icosphere::displaced(6, 0.2, 1)];
        let mut random = Random::new(seed);
        let placed: Vec<Placed> =
            (0..24).map(|number| Placed::any(number % 2, 5.0, is_rigid, &mut random)).collect();
        let options = Options { stop: STOP, threads: NonZeroUsize::new(1), ..Options::of(Quality::Default) };
        let manifest = manifest(2, &placed).replace(".obj", ".bvh");
        Self { files: compiled_apart(&meshes.each_ref(), &options), manifest, meshes, placed, options }
    }

    pub(super) fn whole(&self) -> Result<Bytes, WorldCompileError> {
        let compiled =
            world::compile(self.manifest.as_bytes(), "apart.toml", &self.files, &self.options, &())?;
        Ok(compiled.bytes)
    }

    pub(super) fn thin(&self) -> Result<Bytes, WorldCompileError> {
        let linked =
            world::link_thin(self.manifest.as_bytes(), "apart.toml", &self.files, &self.options, &())?;
        let mut bytes = Bytes::new();
        linked.write_to(&mut bytes).expect("there is memory");
        Ok(bytes)
    }

    pub(super) fn files(&self) -> Vec<Bytes> {
        self.files.0.iter().map(|(_, bytes)| aligned(bytes)).collect()
    }
}

/// Opens a thin world, links it on a level, and asks.
fn with_thin<R>(thin: &Bytes, files: &[Bytes], level: Level, ask: impl FnOnce(&World<'_>) -> R) -> R {
    let mut models: Vec<_> =
        files.iter().map(|file| Some(Model::from_bytes(file).expect("it opens"))).collect();
    let thin = ThinWorld::from_bytes(thin).expect("it opens");
    ask(&thin.link_with_level(level, &mut models).expect("it has its meshes"))
}

/// The sections of meshes, and all of the world but its source.
fn comparable(file: &Bytes) -> (Vec<(SectionEntry, Vec<u8>)>, Vec<String>) {
    let model = Model::from_bytes(file).expect("it opens");
    let meshes = model.sections().entries().filter(|(entry, _)| entry.mesh != bvhc_format::NONE);
    let meshes = meshes.map(|(entry, bytes)| (SectionEntry { offset: 0, ..entry }, bytes.to_vec())).collect();
    let parts = with_world(file, model.level(), |world| {
        let section = world.section();
        vec![
            format!("{:?} {:?}", section.nodes.get(), section.leaves.get()),
            format!("{:?} {:?}", section.instances.get(), section.node_layers.get()),
            format!("{:?} {:?} {:?}", section.by_id.get(), world.bounds(), section.depth),
            format!("{:?} {:?}", section.names.text.get(), section.options.get()),
        ]
    });
    (meshes, parts)
}

#[test]
fn compiled_apart_and_linked_is_compiled_together() {
    for (is_rigid, seed) in [(true, 1), (false, 2)] {
        let apart = Apart::new(is_rigid, seed);
        let together = compiled_world(&apart.meshes.each_ref(), &apart.placed, &apart.options);
        let linked = apart.whole().expect("it links");
        verify(&linked).expect("it is valid");
        assert!(comparable(&together) == comparable(&linked));
        // In leaves that open meshes, too.
        let leaves = with_world(&linked, levels()[0], |world| world.section().leaves.len());
        assert!(leaves > apart.placed.len(), "{leaves}");
    }
}

#[test]
fn files_do_not_depend_on_threads() {
    let mut apart = Apart::new(false, 3);
    let one = (apart.whole().expect("it links"), apart.thin().expect("it links"));
    apart.options.threads = NonZeroUsize::new(4);
    let four = (apart.whole().expect("it links"), apart.thin().expect("it links"));
    assert!(one.0[..] == four.0[..] && one.1[..] == four.1[..]);
}

#[test]
fn what_is_linked_can_be_mixed_with_what_is_compiled() {
    let mut apart = Apart::new(true, 4);
    let linked = apart.whole().expect("it links");
    let source = bvhc_tests::scene::write_obj(&apart.meshes[0]);
    apart.files.0.push(("m.0.obj".to_owned(), source));
    apart.manifest = apart.manifest.replacen("m.0.bvh", "m.0.obj", 1);
    let mixed = apart.whole().expect("it compiles and links");
    assert!(comparable(&mixed) == comparable(&linked));
    // The same mesh, compiled and linked, is stored once.
    apart.manifest = apart.manifest.replacen("m.1.bvh", "m.0.bvh", 1);
    let same = apart.whole().expect("it compiles and links");
    assert_eq!(Model::mesh_count(&same), Ok(1));
    let refused = apart.thin().expect_err("a mesh is not compiled").to_string();
    assert!(refused.starts_with("apart.toml: mesh \"m.0\" is not compiled"), "{refused}");
}

/// The answers to queries of all kinds, sorted where their order is not part of the answer.
fn answers(world: &World<'_>, mesh: &Mesh, seed: u64) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let scene = Scene::new("mesh", mesh.clone());
    let mut queries = Queries::new(&scene.mesh, seed);
    let mut random = Random::new(seed);
    for _ in 0..40 {
        let ray = queries.ray();
        let shift = [0; 3].map(|_| 5.0 * (2.0 * random.unit() as f32 - 1.0));
        let at = |point: [f32; 3]| [0, 1, 2].map(|axis| point[axis] + shift[axis]);
        let ray = bvhc_runtime::Ray { origin: at(ray.origin), ..ray };
        all.push(format!("{:?} {}", world.closest_hit(&ray), world.any_hit(&ray)));
        sorted(&mut all, |found| {
            world.all_hits(&ray, |hit| {
                let _ = found(&hit);
                VisitControl::Continue
            });
        });
        let (point, most) = (at(queries.point()), queries.max_distance());
        all.push(format!("{:?}", world.closest_point(point, most)));
        all.push(format!("{:?} {:?}", world.contains(point, InsideRule::NonZero), world.winding(point)));
        all.push(format!("{:?}", world.signed_distance(point, InsideRule::Odd)));
        let ball = Ball::new(point, 0.75);
        let cuboid = Cuboid::new(point, [0.5, 0.25, 1.0]);
        sorted(&mut all, |found| {
            let _ = world.overlap_sphere(point, 0.75, |it| found(&it));
        });
        sorted(&mut all, |found| {
            let _ = world.overlap(&cuboid, |it| found(&it));
        });
        sorted(&mut all, |found| {
            let _ = world.touches(&Touches::new(&ball, 0.25), |it| found(&it));
        });
        let cast = ShapeCast::new(&ball, [3.0, -2.0, 1.0]);
        all.push(format!("{:?} {}", world.cast(&cast), world.cast_any(&cast)));
    }
    all
}

fn sorted(all: &mut Vec<String>, list: impl FnOnce(&mut dyn FnMut(&dyn Debug) -> ControlFlow<()>)) {
    let mut found = Vec::new();
    list(&mut |it| {
        found.push(format!("{it:?}"));
        ControlFlow::Continue(())
    });
    found.sort();
    all.extend(found);
}

/// The answers of two meshes at a time.
fn pairs(world: &World<'_>, seed: u64) -> Vec<String> {
    let (mut all, mut random) = (Vec::new(), Random::new(seed));
    let mesh = world.mesh(0).expect("a mesh");
    for _ in 0..6 {
        let at = [0; 3].map(|_| 5.0 * (2.0 * random.unit() - 1.0));
        let pose = Pose::from_translation(at).expect("a pose");
        all.push(format!("{:?}", world.first_pair(mesh, &pose, &mut ()).map(|found| found.is_some())));
        all.push(format!("{:?}", world.distance(mesh, &pose, f64::INFINITY, &mut ())));
        all.push(format!("{:?}", world.within(mesh, &pose, 0.5, &mut ())));
        sorted(&mut all, |found| {
            let _ = world.all_pairs(mesh, &pose, &mut (), |pair| found(&pair));
        });
    }
    sorted(&mut all, |found| {
        let _ = world.near_instances(0.5, |pair| found(&pair));
    });
    all
}

#[test]
fn thin_worlds_answer_as_whole_ones() {
    for (is_rigid, seed) in [(true, 5), (false, 6)] {
        let apart = Apart::new(is_rigid, seed);
        let (whole, thin, files) =
            (apart.whole().expect("it links"), apart.thin().expect("it links"), apart.files());
        verify(&thin).expect("it is valid");
        let opened = ThinWorld::from_bytes(&thin).expect("it opens");
        for (mesh, file) in opened.meshes().zip(&files) {
            verify_linked(&mesh, &Model::from_bytes(file).expect("it opens")).expect("it is that mesh");
        }
        for level in levels() {
            let ask = |world: &World<'_>| (answers(world, &apart.meshes[1], seed), pairs(world, seed));
            let (own, its) = (with_world(&whole, level, ask), with_thin(&thin, &files, level, ask));
            assert_eq!(own, its);
            let answered = own.0.iter().filter(|it| !it.starts_with("None")).count();
            assert!(answered > 200, "{answered}");
        }
    }
}

#[test]
fn wrong_meshes_are_named() {
    let apart = Apart::new(true, 7);
    let (thin, files) = (apart.thin().expect("it links"), apart.files());
    let [first, second] = [0, 1].map(|mesh| Model::from_bytes(&files[mesh]).ok());
    let world = ThinWorld::from_bytes(&thin).expect("it opens");
    let hash = |model: &Option<Model<'_>>| model.as_ref().expect("a model").sections().header().hash;
    let link = |models: &mut [Option<Model<'_>>]| world.link(models).map(|_| ());
    assert_eq!(link(&mut [first, second]), Ok(()));
    assert_eq!(link(&mut [first]), Err(WorldError::Memory { needed: 2, found: 1 }));
    let missing = WorldError::MeshMissing { mesh: 1, expected: hash(&second) };
    assert_eq!(link(&mut [first, None]), Err(missing));
    assert!(missing.to_string().contains(&blake3::Hash::from(hash(&second)).to_hex().to_string()));
    let differs = WorldError::MeshDiffers { mesh: 0, found: hash(&second), expected: hash(&first) };
    assert_eq!(link(&mut [second, first]), Err(differs));
    // The same triangles with other options are another mesh.
    let other = Options { quality: Quality::Fast, ..apart.options.clone() };
    let fast = compiled_apart(&apart.meshes.each_ref(), &other);
    let fast = aligned(&fast.0[1].1);
    assert!(matches!(
        link(&mut [first, Model::from_bytes(&fast).ok()]),
        Err(WorldError::MeshDiffers { mesh: 1, .. })
    ));
    // What is cut has no model that could be handed over, and is not linked.
    for length in [0, 63, 64, 500, files[0].len() - 64] {
        assert!(Model::from_bytes(&aligned(&files[0][..length])).is_err());
        let mut cut = Apart::new(true, 7);
        cut.files.0[0].1.truncate(length);
        assert!(cut.whole().is_err() && cut.thin().is_err());
    }
    assert_eq!(World::from_bytes(&thin, &mut [None; 2]).map(|_| ()), Err(WorldError::Thin { meshes: 2 }));
    let whole = apart.whole().expect("it links");
    assert_eq!(ThinWorld::from_bytes(&whole).map(|_| ()), Err(WorldError::NotThin));
    assert_eq!(ThinWorld::from_bytes(&files[0]).map(|_| ()), Err(WorldError::NoWorld));
    let model = Model::from_bytes(&thin).expect_err("it has no mesh").to_string();
    assert!(model.contains("thin world"), "{model}");
}

#[test]
fn other_files_are_not_linked() {
    let mut apart = Apart::new(true, 8);
    let (whole, thin) = (apart.whole().expect("it links"), apart.thin().expect("it links"));
    let two: Vec<Bytes> = apart.files();
    let joined = bvhc::file::join(&[&two[0], &two[1]]).expect("they open");
    for (file, what) in [(whole, "a world"), (thin, "a world"), (joined, "2 meshes")] {
        apart.files.0[0].1 = file.to_vec();
        for error in [apart.whole().expect_err("refused"), apart.thin().expect_err("refused")] {
            let text = error.to_string();
            assert!(text.starts_with("apart.toml, line 3: ") && text.contains(what), "{text}");
        }
    }
}

/// Owners find meshes by hash in a folder, whatever their names are.
#[test]
fn files_are_found_by_hash() {
    let apart = Apart::new(true, 9);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("level.bvh"), apart.thin().expect("it links")).expect("it can be written");
    std::fs::write(path("some name.bvh"), &apart.files.0[0].1).expect("it can be written");
    std::fs::write(path("m.1.bvh"), b"v 0 0 0").expect("it can be written");
    let link = |thin: ThinWorldFile| -> Result<WorldFile, Box<dyn std::error::Error>> {
        let meshes = MeshFolder::open(folder.path())?;
        thin.link(|mesh| Ok(LoadedModel::read(meshes.find(mesh)?)?.into()))
    };
    let read = || ThinWorldFile::read(path("level.bvh")).expect("it opens");
    let error = link(read()).expect_err("a mesh is missing").to_string();
    assert!(error.starts_with("mesh 1 is missing"), "{error}");
    std::fs::write(path("m.1.bvh"), &apart.files.0[0].1).expect("it can be written");
    std::fs::remove_file(path("some name.bvh")).expect("it can be removed");
    let error = link(read()).map(|_| ()).expect_err("a mesh is missing").to_string();
    assert!(error.starts_with("mesh 1 is not the one"), "{error}");
    std::fs::write(path("second.bvh"), &apart.files.0[1].1).expect("it can be written");
    // A copy that was cut off does not hide it.
    std::fs::write(path("cut.bvh"), &apart.files.0[1].1[..1000]).expect("it can be written");
    // SAFETY: nothing changes the file while it is mapped.
    #[allow(unsafe_code)]
    let mapped = unsafe { ThinWorldFile::map(path("level.bvh")) }.expect("it opens");
    let copied = ThinWorldFile::from_bytes(&apart.thin().expect("it links")).expect("it opens");
    let whole = LoadedModel::from_bytes(&apart.whole().expect("it links")).expect("it opens");
    let expected = with_answers(&WorldFile::loaded(whole).expect("it has a world"), &apart);
    for thin in [read(), mapped, copied] {
        let file = link(thin).expect("all are there");
        assert_eq!(
            file.model().triangle_count(),
            Model::from_bytes(&apart.files()[0]).expect("it opens").triangle_count()
        );
        let found = std::thread::scope(|scope| scope.spawn(|| with_answers(&file, &apart)).join())
            .expect("it answers");
        assert_eq!(found, expected);
        // It moves as any world does.
        let mut moving = MovingWorldFile::new(file, 4).expect("there is memory");
        let place = bvhc_runtime::Similarity::new(Pose::IDENTITY, 1.0, false).expect("a place");
        moving.add_instance(1, &place, 1, 0).expect("there is memory");
        moving.update();
        assert_eq!(moving.file().world().instance_count(), 24);
    }
    std::fs::write(path("whole.bvh"), apart.whole().expect("it links")).expect("it can be written");
    // SAFETY: nothing changes the file while it is mapped.
    #[allow(unsafe_code)]
    let mapped = unsafe { WorldFile::map(path("whole.bvh")) };
    for file in [WorldFile::read(path("whole.bvh")), mapped] {
        assert_eq!(with_answers(&file.expect("it opens"), &apart), expected);
    }
    for other in ["level.bvh", "m.1.bvh", "none.bvh"] {
        let error = WorldFile::read(path(other)).expect_err("no world").to_string();
        assert!(error.contains(&format!("{other}: ")), "{error}");
    }
    assert!(ThinWorldFile::read(path("m.1.bvh")).expect_err("no world").to_string().contains("m.1.bvh: "));
    let error = MeshFolder::open(path("none")).expect_err("no folder").to_string();
    assert!(error.contains("none: "), "{error}");
    // SAFETY: nothing is mapped.
    #[allow(unsafe_code)]
    let error = unsafe { MappedModel::open(folder.path()) }.expect_err("a folder").to_string();
    assert!(error.ends_with(": not a regular file"), "{error}");
}

fn with_answers(file: &WorldFile, apart: &Apart) -> Vec<String> {
    answers(&file.world(), &apart.meshes[1], 1)
}

/// The files of meshes may be of any kind.
#[test]
fn model_files_are_what_they_hold() {
    let file = ModelFile::from(LoadedModel::from_bytes(&Apart::new(true, 1).files()[0]).expect("it opens"));
    assert_eq!(file.model().meshes(), 1);
}

/// Files of which one is written again once its head was read.
#[derive(Debug)]
struct Rewritten {
    files: MemoryFiles,
    opened: AtomicU32,
}

impl Files for Rewritten {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let is_first = self.opened.fetch_add(1, Ordering::Relaxed) < 2;
        self.files.read(if is_first { name } else { "m.1.bvh" })
    }
}

#[test]
fn meshes_that_change_while_they_are_linked_are_named() {
    let apart = Apart::new(true, 3);
    let files =
        Rewritten { files: compiled_apart(&apart.meshes.each_ref(), &apart.options), opened: 0.into() };
    let linked = world::compile(apart.manifest.as_bytes(), "apart.toml", &files, &apart.options, &());
    let message = linked.map(drop).unwrap_err().to_string();
    assert!(message.contains("m.0.bvh: it was changed while it was linked"), "{message}");
}
