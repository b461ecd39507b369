//! Files for each of the volumes that can find pairs.

use std::ops::ControlFlow;

use bvhc::compile::{Compiled, Options, compile};
use bvhc::mesh::Mesh;
use bvhc::pair::kdop;
use bvhc_format::kdop::Tables;
use bvhc_format::swept::Cores;
use bvhc_runtime::{Model, Pose, Realign, Volume, WorkBudget};

use crate::scene::write_obj;

/// The number of a k-DOP's directions, the tables of its nodes, and how it is realigned.
pub type Kdops = (u32, Tables, Realign);

/// The combinations compared; those of one file are consecutive.
pub const KDOPS: [Kdops; 16] = [
    (6, Tables::None, Realign::Axes),
    (14, Tables::None, Realign::Axes),
    (14, Tables::None, Realign::Triples),
    (14, Tables::None, Realign::Hull),
    (14, Tables::Occupancy, Realign::Occupancy),
    (14, Tables::Occupancy, Realign::Triples),
    (14, Tables::Profile, Realign::Profile),
    (18, Tables::None, Realign::Axes),
    (18, Tables::None, Realign::Triples),
    (18, Tables::Occupancy, Realign::Occupancy),
    (18, Tables::Profile, Realign::Profile),
    (26, Tables::None, Realign::Axes),
    (26, Tables::None, Realign::Triples),
    (26, Tables::Occupancy, Realign::Occupancy),
    (26, Tables::Profile, Realign::Profile),
    (42, Tables::None, Realign::Triples),
];

/// Calls `visit` with the name of each volume, the volume, and the meshes' files that have it: oriented boxes and
/// axis-aligned ones, convex hulls, then k-DOPs.
pub fn each(meshes: &[&Mesh], kdops: &[Kdops], visit: &mut dyn FnMut(&str, Volume, &[Compiled])) {
    each_split(meshes, kdops, kdop::Split::default(), visit);
}

/// The same, where the trees of k-DOPs are split by this rule.
pub fn each_split(
    meshes: &[&Mesh],
    kdops: &[Kdops],
    split: kdop::Split,
    visit: &mut dyn FnMut(&str, Volume, &[Compiled]),
) {
    let files = |options: Options| meshes.iter().map(|mesh| file(mesh, &options)).collect::<Vec<_>>();
    let boxes = files(Options::default());
    visit("OBB", Volume::Obb, &boxes);
    visit("AABB", Volume::Aabb, &boxes);
    visit("hulls", Volume::Hulls, &files(Options { hulls: true, ..Options::default() }));
    for same in kdops.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (k, tables, _) = same[0];
        let kdop = kdop::Options { k, tables, split };
        let files = files(Options { obb: None, kdop: Some(kdop), ..Options::default() });
        for (_, _, realign) in same {
            visit(&name(k, tables, *realign), Volume::Kdop(*realign), &files);
        }
    }
}

/// The name of a row of figures.
pub fn name(k: u32, tables: Tables, realign: Realign) -> String {
    let needs_none = !matches!(realign, Realign::Occupancy | Realign::Profile);
    let besides = if needs_none && tables != Tables::None { ", of a file with tables" } else { "" };
    format!("{k}-DOP, {}{besides}", realign.name())
}

/// The same with swept spheres, in files without boxes.
pub fn each_swept(meshes: &[&Mesh], visit: &mut dyn FnMut(&str, Volume, &[Compiled])) {
    for cores in Cores::ALL {
        let options = Options { obb: None, swept: Some(cores), ..Options::default() };
        let files: Vec<Compiled> = meshes.iter().map(|mesh| file(mesh, &options)).collect();
        visit(cores.name(), Volume::Swept(cores), &files);
    }
}

/// A mesh's file.
pub fn file(mesh: &Mesh, options: &Options) -> Compiled {
    compile(&write_obj(mesh), "mesh.obj", options, &()).expect("a mesh compiles")
}

/// How many pairs of triangles meet.
pub fn count(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume, budget: &mut WorkBudget) -> u64 {
    let mut count = 0;
    let end = a.against(b, pose).volume(volume).budget(budget).all_pairs(|_| {
        count += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    count
}
