//! Distance fields.

use bvhc::FieldOptions;
use bvhc::compile::{Options, compile};

use crate::breaks_in;
use crate::forge::{FIELD, Forge};

/// Offsets of the root's fields.
const VOXEL: usize = 24;
const STEP: usize = 32;
const TILE_COUNTS: usize = 40;
const BITS: usize = 52;
const SIGNS: usize = 56;
const EDGE_ERROR: usize = 60;
const POINT_ERROR: usize = 64;
const ACTIVE: usize = 72;
const TILES: usize = 80;
const BRICKS: usize = 96;
const VALUES: usize = 112;

/// Bytes of a node.
const NODE: usize = 24;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn forge() -> Forge {
    let options = Options { field: Some(FieldOptions::new(24)), obb: None, ..Options::default() };
    Forge { bytes: compile(TETRAHEDRON.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
}

/// Where a slice's elements begin, and how many there are.
fn slice(file: &Forge, at: usize) -> (usize, usize) {
    file.slice(FIELD, at)
}

fn put_root(file: &mut Forge, at: usize, bytes: &[u8]) {
    let root = file.root(FIELD);
    file.put(root + at, bytes);
}

/// The first node, of a level, that has a child that is stored.
fn parent(file: &Forge, level: usize) -> usize {
    let (first, count) = slice(file, level);
    let mut nodes = (0..count).map(|node| first + NODE * node);
    nodes.find(|at| file.u32(*at) != 0).expect("some are stored")
}

#[test]
fn fields_are_within_the_rules() {
    forge().verify().unwrap();
}

/// The lattice of a model that ends where coordinates do has points beyond, which have no distances.
#[test]
fn fields_at_the_end_of_coordinates() {
    let model = "v 0 0 0\nv 1.15e18 0 0\nv 0 1.15e18 0\nv 0 0 1.15e18\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let options = Options { field: Some(FieldOptions::new(24)), obb: None, ..Options::default() };
    let bytes = compile(model.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec();
    Forge { bytes }.verify().unwrap();
}

#[test]
fn numbers_of_the_root() {
    for (at, number) in [(VOXEL, 0.0), (VOXEL, f64::NAN), (STEP, -1.0), (STEP, f64::INFINITY), (0, f64::NAN)]
    {
        breaks_in(forge(), "F1", |file| put_root(file, at, &number.to_le_bytes()));
    }
    for (at, number) in [(TILE_COUNTS, 0u32), (TILE_COUNTS + 4, 257), (BITS, 12), (SIGNS, 1)] {
        breaks_in(forge(), "F1", |file| put_root(file, at, &number.to_le_bytes()));
    }
    breaks_in(forge(), "F4", |file| put_root(file, ACTIVE, &1u64.to_le_bytes()));
    breaks_in(forge(), "F5", |file| put_root(file, EDGE_ERROR, &f32::NAN.to_le_bytes()));
    for error in [-1.0, f64::NAN, f64::INFINITY] {
        breaks_in(forge(), "F5", |file| put_root(file, POINT_ERROR, &error.to_le_bytes()));
    }
    // A tenth of a step: less than values are rounded by.
    breaks_in(forge(), "F8", |file| {
        put_root(file, POINT_ERROR, &(0.1 * 3.0 / 24.0 / 127.0f64).to_le_bytes())
    });
    breaks_in(forge(), "F6", |file| put_root(file, 0, &0.5f64.to_le_bytes()));
}

#[test]
fn nodes() {
    for level in [TILES, BRICKS] {
        breaks_in(forge(), "F2", |file| {
            let at = parent(file, level);
            file.put_u32(at + 16, file.u32(at + 16) + 1);
        });
        breaks_in(forge(), "F3", |file| {
            let at = parent(file, level);
            let both = file.u32(at) | file.u32(at + 8);
            file.put_u32(at + 8, both);
        });
        breaks_in(forge(), "F5", |file| {
            let at = parent(file, level);
            file.put(at + 20, &(-1.0f32).to_le_bytes());
        });
    }
}

#[test]
fn values() {
    breaks_in(forge(), "F3", |file| {
        let (first, _) = slice(file, VALUES);
        file.put(first, &[127; 8]);
    });
    breaks_in(forge(), "F3", |file| {
        let (first, _) = slice(file, VALUES);
        file.put(first, &[0x80]);
    });
}

#[test]
fn samples() {
    breaks_in(forge(), "F7", |file| {
        let (first, count) = slice(file, BRICKS);
        for brick in 0..count {
            file.put(first + NODE * brick + 20, &1e-4f32.to_le_bytes());
        }
    });
}

#[test]
fn a_lattice_of_another_size() {
    for voxel in [0.5f64, 1e6, 1e300] {
        breaks_in(forge(), "F7", |file| put_root(file, VOXEL, &voxel.to_le_bytes()));
    }
}

/// A brick without values that is on the other side, be it deep inside or far outside.
#[test]
fn one_brick_on_the_other_side() {
    let options = Options { field: Some(FieldOptions::new(80)), obb: None, ..Options::default() };
    let file =
        Forge { bytes: compile(TETRAHEDRON.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() };
    let good = || Forge { bytes: file.bytes.clone() };
    let (first, count) = slice(&file, TILES);
    let mut flipped = [0; 2];
    for node in (0..count).map(|tile| first + NODE * tile) {
        let [stored, inside] =
            [node, node + 8].map(|at| u64::from_le_bytes(file.bytes[at..at + 8].try_into().unwrap()));
        for bit in (0..64).filter(|bit| stored >> bit & 1 == 0) {
            let side = (inside >> bit & 1) as usize;
            flipped[side] += 1;
            if side == 1 || flipped[side] % 97 == 0 {
                breaks_in(good(), "F8", |file| file.put(node + 8, &(inside ^ 1 << bit).to_le_bytes()));
            }
        }
    }
    assert!(flipped[0] > 300 && flipped[1] > 0, "{flipped:?}");
}

/// Every value is checked, not only some.
#[test]
fn one_value_on_the_other_side() {
    let good = forge();
    let (first, count) = slice(&good, VALUES);
    let far = (first..first + count).filter(|at| (90..127).contains(&(good.bytes[*at] as i8).unsigned_abs()));
    let far: Vec<usize> = far.collect();
    assert!(far.len() > 100);
    for at in far.iter().step_by(far.len() / 20) {
        let value = good.bytes[*at] as i8;
        breaks_in(forge(), "F8", |file| file.put(*at, &(-value).to_le_bytes()));
    }
}
