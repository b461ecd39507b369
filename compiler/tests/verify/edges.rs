//! What is across the edges of triangles.

use crate::breaks_in;
use crate::forge::{EDGES, Forge, ONE_TRIANGLE, SIDE, source};

/// Bytes of a record.
const RECORD: usize = 36;

fn forge() -> Forge {
    Forge::of_edges(&source())
}

/// Where the records begin, and how many there are.
fn records(file: &Forge) -> (usize, usize) {
    file.slice(EDGES, 0)
}

/// A triangle and an edge that has a neighbour.
fn shared(file: &Forge) -> usize {
    let (first, count) = records(file);
    let mut edges =
        (0..count).flat_map(|triangle| (0..3).map(move |edge| first + RECORD * triangle + 4 * edge));
    edges.find(|at| file.u32(*at) != u32::MAX).expect("a shared edge")
}

#[test]
fn edges_are_within_the_rules() {
    let file = forge();
    file.verify().unwrap();
    assert_eq!(records(&file).1, 2 * SIDE * SIDE);
    Forge::of_edges(ONE_TRIANGLE).verify().unwrap();
}

#[test]
fn records_are_one_a_triangle() {
    // That of one triangle, in a file of many.
    let mut file = Forge::new();
    file.adopt(EDGES, &Forge::of_edges(ONE_TRIANGLE));
    breaks_in(file, "J1", |_| {});
}

#[test]
fn neighbours() {
    for wrong in [0, u32::MAX, 1_000_000] {
        breaks_in(forge(), "J2", |file| {
            let at = shared(file);
            assert_ne!(file.u32(at), wrong);
            file.put_u32(at, wrong);
        });
    }
}

#[test]
fn angles() {
    for slot in 0..12 {
        breaks_in(forge(), "J3", |file| {
            let at = records(file).0 + RECORD * (2 * SIDE * 5 + 11) + 12 + 2 * slot;
            let angle = u16::from_le_bytes([file.bytes[at], file.bytes[at + 1]]);
            file.put(at, &(angle ^ 0x100).to_le_bytes());
        });
    }
    // Less exact by a unit, or not told.
    let mut file = forge();
    let at = records(&file).0 + RECORD * (2 * SIDE * 5 + 11) + 12;
    for angle in (at..at + 12).step_by(2) {
        file.put(angle, &u16::MAX.to_le_bytes());
    }
    file.seal();
    file.verify().unwrap();
}
