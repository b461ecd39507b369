//! The bytes of a small world are pinned. If `BVHC_BLESS` is 1, they are rewritten instead.

use std::fs;
use std::path::{Path, PathBuf};

use bvhc::compile::Options;
use bvhc::verify::verify;
use bvhc::{Folder, world};
use bvhc_runtime::{LoadedModel, Model, Pose, Ray, WorldError, WorldFile};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

#[test]
fn bytes_are_pinned() {
    let manifest = fs::read(golden("world.toml")).expect("the manifest is there");
    let folder = Folder::of(&golden("world.toml"));
    let compiled = world::compile(&manifest, "world.toml", &folder, &Options::default(), &());
    let compiled = compiled.expect("it compiles");
    assert_eq!((compiled.report.meshes.len(), compiled.report.baked.len()), (2, 1));
    verify(&compiled.bytes).expect("it is valid");
    if std::env::var("BVHC_BLESS").is_ok_and(|value| value == "1") {
        fs::write(golden("world.bvh"), &compiled.bytes).expect("the file can be written");
    }
    let pinned = fs::read(golden("world.bvh")).expect("the file is there");
    assert!(compiled.bytes[..] == pinned[..], "the format or the compiler has changed");
}

#[test]
fn thin_bytes_are_pinned() {
    let manifest = fs::read(golden("thin.toml")).expect("the manifest is there");
    let (folder, options) = (Folder::of(&golden("thin.toml")), Options::default());
    let linked = world::link_thin(&manifest, "thin.toml", &folder, &options, &()).expect("it links");
    let mut bytes = bvhc::Bytes::new();
    linked.write_to(&mut bytes).expect("there is memory");
    verify(&bytes).expect("it is valid");
    if std::env::var("BVHC_BLESS").is_ok_and(|value| value == "1") {
        fs::write(golden("thin.bvh"), &bytes).expect("the file can be written");
    }
    let pinned = fs::read(golden("thin.bvh")).expect("the file is there");
    assert!(bytes[..] == pinned[..], "the format or the compiler has changed");
}

#[test]
fn the_file_answers() {
    if std::env::var("BVHC_BLESS").is_ok_and(|value| value == "1") {
        return; // The file is being written.
    }
    let path = golden("world.bvh");
    // SAFETY: nothing changes the file while the tests run except a blessing, which does not reach this line.
    #[allow(unsafe_code)]
    let mapped = unsafe { bvhc_runtime::MappedModel::open(&path) }.expect("it opens");
    let mapped = WorldFile::mapped(mapped).expect("it has a world");
    let loaded = WorldFile::loaded(LoadedModel::read(&path).expect("it opens")).expect("it has a world");
    // Owners can be moved, and shared between threads.
    let files = Box::new([mapped, loaded]);
    std::thread::scope(|scope| {
        for file in files.iter() {
            scope.spawn(move || {
                let world = file.world();
                let names: Vec<&str> = world.instances().map(|instance| instance.name()).collect();
                assert_eq!(names, ["board.0", "board.1", "board.2"]);
                let hit = world.closest_hit(&Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0])).expect("a board");
                assert_eq!((hit.instance, hit.hit.t, hit.hit.normal), (1, 5.0, [0.0, 0.0, 1.0]));
                let second = world.instance(1).expect("it is there");
                assert_eq!((second.layers(), second.user(), second.is_movable()), (2, 7, true));
                assert!(!world.with_layers(1).any_hit(&Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0])));
                // The third one is baked: it takes part in queries of two meshes.
                let board = *world.mesh(0).expect("a mesh");
                let pose = Pose::from_translation([0.0, 20.0, 0.5]).expect("a pose");
                let near = world.distance(&board, &pose, f64::INFINITY, &mut ()).expect("in time");
                assert_eq!(near.map(|it| it.instance), Some(2));
            });
        }
    });
}

#[test]
fn what_is_no_world_is_named() {
    let quad = fs::read(golden("quad.bvh")).expect("the file is there");
    let quad = LoadedModel::from_bytes(&quad).expect("it opens");
    assert!(matches!(WorldFile::loaded(quad), Err(WorldError::NoWorld)));
    let bytes = fs::read(golden("world.bvh")).expect("the file is there");
    let world = LoadedModel::from_bytes(&bytes).expect("its meshes open");
    assert_eq!((world.model().triangle_count(), Model::mesh_count(world.bytes())), (3, Ok(2)));
    let refused = bvhc_runtime::World::from_bytes(world.bytes(), &mut [None]).map(|_| ());
    assert_eq!(refused, Err(WorldError::Memory { needed: 2, found: 1 }));
}
