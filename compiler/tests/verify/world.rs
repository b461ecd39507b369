//! The rules of section world.

use std::fmt::Debug;
use std::io;
use std::mem::offset_of;

use bvhc::{Files, Options, Quality};
use bvhc_format::record::WideNode;
use bvhc_format::section::SectionKind;
use bvhc_format::world::{Instance, InstanceLeaf};

use crate::breaks_in;
use crate::forge::{Forge, METADATA};

const WORLD: u32 = SectionKind::World as u32;

/// Offsets of the root's fields.
const BOUNDS: usize = 40;
const DEPTH: usize = 64;
const RESERVED: usize = 68;
const NODES: usize = 72;
const INSTANCES: usize = 88;
const LEAVES: usize = 104;
const BY_ID: usize = 136;
const NODE_LAYERS: usize = 152;
const NAME_TEXT: usize = 168;
const OPTIONS: usize = 248;

/// Squares along the diagonal, whatever the name.
#[derive(Debug)]
struct Squares;

impl Files for Squares {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        for i in 0..20 {
            let (low, high) = (f64::from(i) / 2.0, f64::from(i + 1) / 2.0);
            for (x, y) in [(low, low), (high, low), (high, high), (low, high)] {
                text += &format!("v {x:?} {y:?} {low:?}\n");
            }
            text += "f -4 -3 -2 -1\n";
        }
        Ok(text.into_bytes())
    }
}

/// Twenty of these meshes in two levels of nodes; the first two are at the same place, and opened.
fn good() -> Forge {
    let mut text = "[[mesh]]\nname = \"squares\"\nfile = \"squares.obj\"\n".to_owned();
    for number in 0..20 {
        let at = if number < 2 { 0.5 } else { 40.0 * f64::from(number) };
        text += &format!(
            "[[instance]]\nname = \"s{number}\"\nmesh = \"squares\"\nposition = [{at:?}, 1.0, 2.0]\nlayers = {}\n",
            1 << (number % 4)
        );
    }
    let options = Options { obb: None, ..Options::of(Quality::Default) };
    let compiled = bvhc::world::compile(text.as_bytes(), "w.toml", &Squares, &options, &()).unwrap();
    let forge = Forge { bytes: compiled.bytes.to_vec() };
    assert!(forge.slice(WORLD, LEAVES).1 > 20 && forge.slice(WORLD, NODES).1 > 1);
    forge
}

fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(good(), rule, forgery);
}

/// The offset of a field of an instance.
fn of_instance(file: &Forge, number: usize, field: usize) -> usize {
    file.slice(WORLD, INSTANCES).0 + size_of::<Instance>() * number + field
}

fn of_leaf(file: &Forge, number: usize, field: usize) -> usize {
    file.slice(WORLD, LEAVES).0 + size_of::<InstanceLeaf>() * number + field
}

fn of_node(file: &Forge, number: usize, field: usize) -> usize {
    file.slice(WORLD, NODES).0 + size_of::<WideNode>() * number + field
}

#[test]
fn good_worlds_verify() {
    good().verify().unwrap();
}

#[test]
fn w4_w5_what_is_named() {
    // The section of a mesh: it is the last one, and of the greatest kind.
    breaks("W4", |file| file.put_u32(file.entry(WORLD) + 28, 0));
    breaks("W5", |file| file.put_u32(of_instance(file, 3, offset_of!(Instance, mesh)), 1));
    breaks("W5", |file| file.add(of_instance(file, 3, offset_of!(Instance, id)), 1));
    breaks("W5", |file| {
        let at = file.slice(WORLD, BY_ID).0;
        let (one, other) = (file.u32(at), file.u32(at + 4));
        file.put_u32(at, other);
        file.put_u32(at + 4, one);
    });
    breaks("W5", |file| file.put_u32(file.slice(WORLD, BY_ID).0 + 8, 20));
}

#[test]
fn w6_w7_transforms() {
    let put = |file: &mut Forge, field: usize, number: f64| {
        file.put(of_instance(file, 2, field), &number.to_bits().to_le_bytes());
    };
    for wrong in [f64::NAN, f64::INFINITY, -0.0] {
        breaks("W6", |file| put(file, offset_of!(Instance, position), wrong));
        breaks("W6", |file| put(file, offset_of!(Instance, rotation) + 8, wrong));
    }
    breaks("W6", |file| put(file, offset_of!(Instance, rotation), 1.0 + 1e-9));
    breaks("W6", |file| put(file, offset_of!(Instance, rotation), -1.0));
    for wrong in [0.0, -1.0, f64::NAN, 1e13, 1e-13] {
        breaks("W6", |file| put(file, offset_of!(Instance, scale), wrong));
    }
    breaks("W7", |file| file.put_u32(of_instance(file, 2, offset_of!(Instance, flags)), 4));
    breaks("W7", |file| file.put_u32(of_instance(file, 2, offset_of!(Instance, reserved)), 1));
    breaks("W7", |file| file.put_u32(file.root(WORLD) + RESERVED, 1));
}

#[test]
fn w8_w9_w10_leaves() {
    breaks("W8", |file| file.add(of_leaf(file, 1, offset_of!(InstanceLeaf, slot)), -1));
    let last = |file: &Forge| file.slice(WORLD, LEAVES).1 - 1;
    breaks("W8", |file| file.put_u32(of_leaf(file, last(file), offset_of!(InstanceLeaf, instance)), 20));
    // Only a part of the mesh.
    breaks("W8", |file| file.put_u32(of_leaf(file, last(file), offset_of!(InstanceLeaf, slot)), 0));
    for plane in 0..6 {
        let by = if plane < 3 { 1e-2 } else { -1e-2 };
        let nudge = |file: &mut Forge, at: usize| file.put_f32(at + 4 * plane, file.f32(at + 4 * plane) + by);
        breaks("W9", |file| nudge(file, of_leaf(file, 0, 0)));
        breaks("W9", |file| nudge(file, of_leaf(file, last(file), 0)));
        breaks("W10", |file| nudge(file, of_instance(file, 4, offset_of!(Instance, bounds))));
    }
    breaks("W10", |file| file.put_f32(of_instance(file, 4, offset_of!(Instance, bounds)), -1e20));
}

#[test]
fn w2_w11_w12_the_tree() {
    breaks("W2", |file| file.add(file.root(WORLD) + DEPTH, 1));
    breaks("W11", |file| {
        let at = of_node(file, 0, 0);
        file.put_f32(at, file.f32(at) + 1.0);
    });
    breaks("W11", |file| {
        let at = file.root(WORLD) + BOUNDS;
        file.put_f32(at, file.f32(at) + 1.0);
    });
    breaks("W11", |file| {
        let last = file.slice(WORLD, NODES).1 - 1;
        let at = of_node(file, last, offset_of!(WideNode, children));
        file.put_u32(at + 4, file.u32(at));
    });
    breaks("T7", |file| {
        let last = file.slice(WORLD, NODES).1 - 1;
        file.put_u32(of_node(file, last, offset_of!(WideNode, children)), 0x8000_ffff);
    });
    breaks("T11", |file| file.put_u32(of_node(file, 0, offset_of!(WideNode, order)), 0x3333_3333));
    breaks("W12", |file| file.put_u32(file.slice(WORLD, NODE_LAYERS).0, 7));
}

#[test]
fn w13_texts() {
    breaks("W13", |file| file.put(file.slice(WORLD, OPTIONS).0, &[0xff]));
    breaks("M4", |file| file.put(file.slice(WORLD, NAME_TEXT).0, &[0xff]));
}

/// What opening a world refuses, verifying does, too.
#[test]
fn w1_w3_what_cannot_be_opened() {
    let refused = |forgery: &dyn Fn(&mut Forge)| {
        let mut file = good();
        forgery(&mut file);
        file.seal();
        file.verify().unwrap_err().to_string()
    };
    assert!(refused(&|file| file.put_f32(file.root(WORLD) + BOUNDS, 1e30)).contains("2^60"));
    assert!(refused(&|file| file.put_u32(file.root(WORLD) + DEPTH, 97)).contains("97 levels"));
    assert!(refused(&|file| file.add(file.root(WORLD) + NODE_LAYERS + 8, -1)).contains("layers of"));
    // Readers that skip the section still read the meshes.
    let mut file = good();
    file.put(file.entry(WORLD) + 4, &[9]);
    file.seal();
    file.verify().unwrap();
    assert!(file.has(METADATA));
}
