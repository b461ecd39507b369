//! Packed blocks.

use std::ops::Range;

use bvhc::import::Input;
use bvhc::verify::source::compare;
use bvhc_format::packed::{PackedHead, UNIT};
use bvhc_runtime::Model;

use crate::breaks_in;
use crate::forge::{Forge, PACKED, TREE, packed_source};

/// Breaks a rule in the packed sheet.
fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(Forge::packed(), rule, forgery);
}

/// The offsets of the packed blocks, with their heads.
fn blocks(file: &Forge) -> Vec<(usize, PackedHead)> {
    let (mut at, count) = (file.slice(PACKED, 0).0, file.u32(file.root(PACKED) + 16));
    let next = (0..count).map(|_| {
        let head = PackedHead::read(file.bytes[at..].first_chunk().unwrap());
        at += head.size();
        (at - head.size(), head)
    });
    next.collect()
}

/// The bytes of vertex positions, which may be anything within the error, and of the error, which may be larger than
/// necessary.
pub(crate) fn positions(file: &Forge) -> Vec<Range<usize>> {
    if !file.has(PACKED) {
        return Vec::new();
    }
    let ranges = blocks(file).into_iter().flat_map(|(at, head)| {
        let origin_and_offsets = [0..12, head.offsets_at(0)..head.offsets_at(3)];
        origin_and_offsets.map(|range| at + range.start..at + range.end)
    });
    ranges.chain(std::iter::once(error(file)..error(file) + 4)).collect()
}

/// The first block for which `wanted` holds.
fn block(file: &Forge, wanted: impl Fn(&PackedHead) -> bool) -> (usize, PackedHead) {
    blocks(file).into_iter().find(|(_, head)| wanted(head)).unwrap()
}

fn error(file: &Forge) -> usize {
    file.root(PACKED) + 20
}

#[test]
fn packed_blocks_are_within_the_rules() {
    let file = Forge::packed();
    file.verify().unwrap();
    assert_eq!((file.blocks(), file.nodes() > 1, blocks(&file).len() > 8), (0, true, true));
    assert!(blocks(&file).iter().any(|(_, head)| head.triangles % 2 == 1));
    assert!(blocks(&file).iter().any(|(_, head)| head.offsets_at(3) % UNIT != 0));
    assert!(file.f32(error(&file)) > 0.0);
}

#[test]
fn blocks_are_packed_or_not() {
    let packed = Forge::packed();
    breaks_in(Forge::new(), "P1", |file| file.adopt(PACKED, &packed));
}

#[test]
fn blocks_follow_each_other() {
    for by in [-1, 1] {
        breaks("P2", |file| file.add(file.root(PACKED) + 16, by));
    }
    let behind = |file: &Forge| file.slice(PACKED, 0).0 + file.slice(PACKED, 0).1;
    for back in [1, 100, 144] {
        breaks("P2", |file| file.put(behind(file) - back, &[1]));
    }
    breaks("P2", |file| {
        let (at, head) = block(file, |head| head.offsets_at(3) != head.size());
        file.put(at + head.offsets_at(3), &[1]);
    });
    for row in 1..=3 {
        breaks("P2", |file| {
            let (at, head) = block(file, |head| head.triangles % 2 == 1);
            let last = at + 20 + row * head.corner_bytes() - 1;
            file.put(last, &[file.bytes[last] | 16]);
        });
    }
}

#[test]
fn lattices_are_exact() {
    for exponent in [0, 255] {
        breaks("P3", |file| file.put(blocks(file)[0].0 + 16, &[exponent]));
    }
    for axis in 0..3 {
        let put = |file: &mut Forge, at: usize, origin: f32| file.put_f32(at + 4 * axis, origin);
        breaks("P3", |file| {
            let (at, head) = blocks(file)[0];
            put(file, at, head.origin[axis] + head.step() / 2.0);
        });
        breaks("P3", |file| {
            let (at, head) = blocks(file)[0];
            put(file, at, head.step() * (1 << 25) as f32);
        });
        // The origin is the largest representable multiple; the vertices beyond it are too large.
        breaks("P3", |file| {
            let (at, head) = blocks(file)[0];
            put(file, at, head.step() * (1 << 24) as f32);
        });
    }
    breaks("P3", |file| {
        let (at, _) = block(file, |head| head.origin[2] == 0.0);
        file.put_f32(at + 8, -0.0);
    });
}

#[test]
fn the_position_error_is_a_number() {
    for number in [f32::NAN, f32::INFINITY, -1e-30] {
        breaks("P4", |file| file.put_f32(error(file), number));
    }
}

/// The message of `verify --against` for the packed sheet with a change.
fn against_source(forgery: impl FnOnce(&mut Forge)) -> String {
    let mut file = Forge::packed();
    forgery(&mut file);
    file.seal();
    let bytes = file.aligned();
    let compared =
        compare(&Model::from_bytes(&bytes).unwrap(), &Input::new(packed_source().as_bytes(), "sheet"));
    compared.map_or_else(|error| error.to_string(), |()| "fine".to_owned())
}

#[test]
fn no_vertex_is_farther_away_than_the_file_says() {
    assert_eq!(against_source(|_| ()), "fine");
    let message = against_source(|file| file.put_f32(error(file), file.f32(error(file)).next_down()));
    assert!(message.ends_with("(P4)"), "{message}");
    let message = against_source(|file| {
        let (at, head) = blocks(file)[0];
        let high = at + head.offsets_at(0) + 1;
        file.put(high, &[file.bytes[high] ^ 0x40]);
    });
    assert!(message.ends_with("(P4)"), "{message}");
}

/// Moves each vertex of one block by a step, which the enlarged error allows, but not the same vertices in neighbours.
#[test]
fn seams_stay_closed() {
    let message = against_source(|file| {
        file.put_f32(error(file), 1.0);
        let (at, head) = blocks(file)[1];
        for slot in 0..usize::from(head.vertices) {
            let at = at + head.offsets_at(0) + 2 * slot;
            let offset = u16::from_le_bytes([file.bytes[at], file.bytes[at + 1]]);
            file.put(at, &(offset ^ 1).to_le_bytes());
        }
    });
    assert!(message.ends_with("(P5)"), "{message}");
}

/// Rules on blocks also apply to unpacked packed blocks.
#[test]
fn what_they_describe_is_within_the_rules_of_blocks() {
    breaks("G2", |file| {
        let (at, _) = block(file, |head| head.vertices < 16);
        file.put(at + 20, &[file.bytes[at + 20] | 15]);
    });
    breaks("G5", |file| file.add(blocks(file)[1].0 + 12, 1));
    // A unit where no block starts.
    breaks("T7", |file| {
        let references = file.children().into_iter();
        let (at, _) = references.filter(|(_, child)| child >> 31 == 1 && *child != u32::MAX).nth(1).unwrap();
        file.add(at, 1);
    });
    breaks("T10", |file| {
        let plane = file.slice(TREE, 32).0;
        file.put_f32(plane, file.f32(plane) + 0.001);
    });
}
