//! The edges, and the boundary that they leave.

use crate::breaks;
use crate::forge::{Forge, SOLID};

/// The offset of the boundary in the root.
const BOUNDARY: usize = 40;

/// Where the records begin, and how many edges there are.
fn boundary(file: &Forge) -> (usize, u64) {
    let (first, records) = file.slice(SOLID, BOUNDARY);
    let edges = u64::from(file.u32(file.root(SOLID) + 32));
    assert!(edges > 0 && !edges.is_multiple_of(8) && edges.div_ceil(8) == records as u64);
    (first, edges)
}

#[test]
fn counts() {
    for field in (0..BOUNDARY).step_by(8) {
        breaks("L1", |file| {
            let at = file.root(SOLID) + field;
            file.put_u32(at, file.u32(at) + 1);
        });
    }
}

#[test]
fn edges() {
    for (coordinate, end) in [(0, 0), (1, 0), (2, 0), (0, 96), (1, 96), (2, 96)] {
        breaks("L2", |file| {
            let at = boundary(file).0 + end + 32 * coordinate;
            file.put_f32(at, file.f32(at) + 0.5);
        });
    }
    // An edge the other way round.
    breaks("L2", |file| {
        let first = boundary(file).0;
        for at in (first..first + 96).step_by(32) {
            let (from, to) = (file.f32(at), file.f32(at + 96));
            file.put_f32(at, to);
            file.put_f32(at + 96, from);
        }
    });
}

#[test]
fn unused_lanes() {
    for end in [0, 96] {
        breaks("L3", |file| {
            let (first, edges) = boundary(file);
            let at = first + 192 * (edges / 8) as usize + end + 4 * 7;
            file.put_f32(at, file.f32(at) + 0.5);
        });
    }
}
