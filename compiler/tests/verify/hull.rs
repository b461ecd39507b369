//! The convex hull.

use std::sync::LazyLock;

use bvhc::verify::VerifyError;
use bvhc_format::kdop::Tables;

use crate::breaks_in;
use crate::forge::{Forge, HULL, ONE_TRIANGLE, source};

/// The sheet with k-DOPs, and therefore with a hull.
fn forge() -> Forge {
    static FILE: LazyLock<Forge> = LazyLock::new(|| Forge::of_kdops(&source(), Tables::None));
    FILE.clone()
}

fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(), rule, forgery);
}

fn vertex(file: &Forge, index: usize) -> usize {
    file.slice(HULL, 0).0 + 16 * index
}

fn neighbour(file: &Forge, index: usize) -> usize {
    file.slice(HULL, 16).0 + 4 * index
}

fn start(file: &Forge, index: usize) -> usize {
    file.slice(HULL, 32).0 + 4 * index
}

fn swap(file: &mut Forge, at: usize, other: usize) {
    let [one, two] = [file.u32(at), file.u32(other)];
    file.put_u32(at, two);
    file.put_u32(other, one);
}

#[test]
fn hulls_are_within_the_rules() {
    let file = forge();
    file.verify().unwrap();
    assert!(
        file.slice(HULL, 0).1 > 8 && file.slice(HULL, 32).1 > 6,
        "the scene is too small for these tests"
    );
    let triangle = Forge::of_kdops(ONE_TRIANGLE, Tables::None);
    triangle.verify().unwrap();
    assert_eq!([0, 16, 32].map(|field| triangle.slice(HULL, field).1), [3, 6, 6]);
}

#[test]
fn what_cannot_be_opened() {
    // No vertex, and a number of starts that is not that of a cube.
    for (field, wrong) in [(8, 0), (40, 0), (40, 5), (40, 7), (40, 12)] {
        let mut file = forge();
        file.put_u32(file.root(HULL) + field, wrong);
        file.seal();
        assert!(matches!(file.verify(), Err(VerifyError::Open(_))), "{field}");
    }
}

#[test]
fn the_section_is_optional() {
    let mut file = forge();
    file.drop_section(HULL);
    file.seal();
    file.verify().unwrap();
    let mut file = forge();
    file.put(file.entry(HULL) + 6, &[1]);
    file.seal();
    file.verify().unwrap();
}

#[test]
fn vertices_are_the_extreme_points() {
    for coordinate in 0..3 {
        for index in [0, 7] {
            breaks("C2", |file| file.add(vertex(file, index) + 4 * coordinate, 1));
            breaks("C2", |file| file.put_f32(vertex(file, index) + 4 * coordinate, f32::NAN));
        }
    }
    // Two vertices swapped.
    breaks("C2", |file| {
        (0..12).step_by(4).for_each(|at| swap(file, vertex(file, 3) + at, vertex(file, 4) + at))
    });
}

#[test]
fn neighbours_are_at_the_other_ends_of_edges() {
    let last = forge().slice(HULL, 0).1 - 1;
    for index in [0, 1, last] {
        for by in [-1, 1] {
            breaks("C3", |file| file.add(vertex(file, index) + 12, by));
        }
    }
    for by in [-1, 1] {
        breaks("C3", |file| file.add(neighbour(file, 0), by));
    }
    breaks("C3", |file| swap(file, neighbour(file, 0), neighbour(file, 1)));
    // An edge removed.
    breaks("C3", |file| {
        let end = vertex(file, last) + 12;
        file.add(end, -1);
    });
}

#[test]
fn starts_are_the_farthest() {
    let (vertices, starts) = (forge().slice(HULL, 0).1 as u32, forge().slice(HULL, 32).1);
    for index in [0, starts / 2, starts - 1] {
        breaks("C4", |file| file.put_u32(start(file, index), vertices));
        breaks("C4", |file| file.put_u32(start(file, index), u32::MAX));
    }
    // The farthest vertex of the first cell is not that of the last.
    breaks("C4", |file| file.put_u32(start(file, starts - 1), file.u32(start(file, 0))));
}

/// A change to any byte of the section is detected, except in starts, where several vertices may be equally far.
#[test]
fn every_byte_counts() {
    let good = forge();
    let starts = start(&good, 0)..start(&good, good.slice(HULL, 32).1);
    for at in good.payload(HULL).filter(|at| !starts.contains(at)) {
        let mut file = good.clone();
        file.bytes[at] ^= 0x80;
        file.seal();
        assert!(file.verify().is_err(), "byte {at}");
    }
}
