//! The rules of section linked-meshes.

use std::fmt::Debug;
use std::io;
use std::mem::offset_of;

use bvhc::verify::{LinkedFault, VerifyError, verify_linked};
use bvhc::{Files, Options, Quality};
use bvhc_format::section::SectionKind;
use bvhc_format::world::{Instance, InstanceLeaf, LinkedMesh};
use bvhc_runtime::{LoadedModel, ThinWorldFile};

use crate::breaks_in;
use crate::forge::{Forge, ONE_TRIANGLE, source};

const WORLD: u32 = SectionKind::World as u32;
const LINKED: u32 = SectionKind::LinkedMeshes as u32;

/// Offsets of the roots' fields.
const BOUNDS: usize = 40;
const INSTANCES: usize = 88;
const LEAVES: usize = 104;
const MESHES: usize = 0;
const NAME_TEXT: usize = 16;
const NAME_ENDS: usize = 32;

/// A sheet and a triangle, compiled.
#[derive(Debug)]
struct Compiled;

impl Compiled {
    fn file(name: &str) -> Vec<u8> {
        let options = Options { obb: None, ..Options::of(Quality::Default) };
        let source = if name == "sheet.bvh" { source() } else { ONE_TRIANGLE.to_owned() };
        bvhc::compile(source.as_bytes(), "a.obj", &options).unwrap().bytes.to_vec()
    }
}

impl Files for Compiled {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        Ok(Self::file(name))
    }
}

/// Two instances of each mesh.
fn good() -> Forge {
    let mut text = String::new();
    for mesh in ["sheet", "one"] {
        text += &format!("[[mesh]]\nname = \"{mesh}\"\nfile = \"{mesh}.bvh\"\n");
        for number in 0..2 {
            text += &format!("[[instance]]\nname = \"{mesh}.{number}\"\nmesh = \"{mesh}\"\n");
        }
    }
    let mut bytes = Vec::new();
    let linked =
        bvhc::world::link_thin(text.as_bytes(), "w.toml", &Compiled, &Options::default(), &()).unwrap();
    linked.write_to(&mut bytes).unwrap();
    Forge { bytes }
}

fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(good(), rule, forgery);
}

/// The offset of a field of a mesh.
fn of_mesh(file: &Forge, number: usize, field: usize) -> usize {
    file.slice(LINKED, MESHES).0 + size_of::<LinkedMesh>() * number + field
}

#[test]
fn good_thin_worlds_verify() {
    good().verify().unwrap();
}

/// What opening checks: X1 and X2.
#[test]
fn x1_x2_what_a_thin_world_has() {
    let refused = |forgery: &dyn Fn(&mut Forge)| {
        let mut file = good();
        forgery(&mut file);
        file.seal();
        ThinWorldFile::from_bytes(&file.bytes).map(|_| ()).unwrap_err().to_string()
    };
    // A kind that readers skip.
    assert!(refused(&|file| file.put_u32(file.entry(WORLD), 31)).contains("no world"));
    let none = |file: &mut Forge| {
        let root = file.root(LINKED);
        file.put(root + MESHES + 8, &0u64.to_le_bytes());
        file.put(root + NAME_ENDS + 8, &0u64.to_le_bytes());
    };
    assert!(refused(&none).contains("0 names for 0 meshes"));
    let fewer = |file: &mut Forge| file.put(file.root(LINKED) + NAME_ENDS + 8, &1u64.to_le_bytes());
    assert!(refused(&fewer).contains("1 names for 2 meshes"));
}

#[test]
fn x4_x5_x6_meshes_and_leaves() {
    for wrong in [f32::NAN, f32::INFINITY, 1e20] {
        breaks("X4", |file| file.put_f32(of_mesh(file, 1, offset_of!(LinkedMesh, bounds)), wrong));
    }
    breaks("X4", |file| file.put_f32(of_mesh(file, 1, offset_of!(LinkedMesh, bounds) + 12), -1e6));
    breaks("X5", |file| {
        let hash = file.bytes[of_mesh(file, 0, 0)..][..32].to_vec();
        file.put(of_mesh(file, 1, 0), &hash);
    });
    breaks("X5", |file| file.put_u32(file.slice(LINKED, NAME_ENDS).0, 0));
    breaks("X5", |file| file.put(file.slice(LINKED, NAME_TEXT).0, &[0xff]));
    breaks("X6", |file| {
        file.put_u32(file.slice(WORLD, LEAVES).0 + offset_of!(InstanceLeaf, slot), 0);
    });
}

/// The rules of the world hold, with the boxes that are said of meshes.
#[test]
fn worlds_keep_their_rules() {
    breaks("D7", |file| file.put(file.entry(LINKED) + 6, &[0]));
    breaks("W5", |file| {
        file.put_u32(file.slice(WORLD, INSTANCES).0 + offset_of!(Instance, mesh), 2);
    });
    // A larger mesh.
    breaks("W10", |file| file.put_f32(of_mesh(file, 0, offset_of!(LinkedMesh, bounds) + 12), 1e3));
    breaks("W11", |file| {
        for plane in 0..6 {
            file.put_f32(file.root(WORLD) + BOUNDS + 4 * plane, 0.0);
        }
    });
}

/// X3 is of the mesh that is handed over.
#[test]
fn x3_meshes() {
    let files = ["sheet.bvh", "one.bvh"].map(|name| LoadedModel::from_bytes(&Compiled::file(name)).unwrap());
    let check = |file: Forge| {
        let thin = ThinWorldFile::from_bytes(&file.bytes).unwrap();
        let meshes = thin.thin().meshes();
        meshes.zip(&files).try_for_each(|(mesh, file)| verify_linked(&mesh, &file.model()))
    };
    check(good()).unwrap();
    for (field, what) in [
        (offset_of!(LinkedMesh, length), "bytes"),
        (offset_of!(LinkedMesh, triangles), "triangles"),
        (offset_of!(LinkedMesh, bounds), "bounds"),
    ] {
        let mut file = good();
        let at = of_mesh(&file, 1, field);
        file.add(at, 1);
        let error = check(file).unwrap_err();
        assert!(error.to_string().contains(&format!("its {what} differ")), "{error}");
    }
    let mut file = good();
    let at = of_mesh(&file, 1, 0);
    file.add(at, 1);
    let VerifyError::Section { fault, .. } = check(file).unwrap_err() else { panic!("of a section") };
    assert!(matches!(fault.downcast_ref(), Some(LinkedFault::Other(_))));
}
