//! Corrupt samples, and queries for every distance with them.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Level, Model, OpenError, Volume};
use bvhc_tests::random::Random;
use bvhc_tests::scene::soup;
use bvhc_tests::support::forge::{root, slice_at, with_bytes};
use bvhc_tests::support::{LAYOUTS, aligned, compiled_with_samples, levels};

use super::{NUMBERS, survive_volume, write};

/// Bytes of a node's samples.
const NODE: usize = 64;

/// Where their addresses begin.
const PLACES: usize = 48;

/// At least two levels of nodes, and few enough triangles to query all pairs.
pub(super) fn few(layout: Layout) -> Bytes {
    compiled_with_samples(&soup::triangles(40, 0.6, 9), layout)
}

fn survive_queries(bytes: &Bytes, levels: &[Level]) -> u64 {
    survive_volume(bytes, levels, |model| model.sections().samples().map(|_| Volume::Samples))
}

/// Where the samples begin, and the number of their nodes.
fn nodes(file: &Bytes) -> (usize, usize) {
    slice_at(file, root(file, SectionKind::Samples))
}

#[test]
fn good_files_have_pairs() {
    for good in LAYOUTS.map(few) {
        assert!(survive_queries(&good, &levels()) > 40);
        assert!(nodes(&good).1 > 2);
    }
}

/// No leaf, another leaf, an unused lane of a leaf, and all positions at once.
#[test]
fn numbers_that_are_anything() {
    for good in LAYOUTS.map(few) {
        let (first, count) = nodes(&good);
        let leaves = Model::from_bytes(&good).expect("it opens").sections().pair_leaves().len() as u32;
        for number in NUMBERS.into_iter().chain([3, 4 * leaves - 1, 4 * leaves]) {
            for fields in [PLACES..NODE, 0..PLACES, 0..NODE] {
                let mut forged = aligned(&good);
                for node in 0..count {
                    let fields = fields.clone().step_by(4);
                    fields.for_each(|field| write(&mut forged, first + NODE * node + field, number));
                }
                survive_queries(&forged, &levels());
            }
        }
    }
}

#[test]
fn as_many_as_nodes_or_none() {
    for good in LAYOUTS.map(few) {
        let (root, count) = (root(&good, SectionKind::Samples), nodes(&good).1 as u64);
        for found in [0, 1, count - 1] {
            let forged = with_bytes(&good, root + 8, &found.to_le_bytes());
            let refused = Model::from_bytes(&forged).err();
            assert_eq!(refused, Some(OpenError::Samples { found, expected: count }));
        }
    }
}

#[test]
fn mutated_samples() {
    let (levels, mut random) = (levels(), Random::new(12));
    for good in LAYOUTS.map(few) {
        let (first, count) = nodes(&good);
        for _ in 0..60 {
            let mut forged = aligned(&good);
            for _ in 0..1 + random.below(12) {
                let at = first + 4 * random.below((NODE * count) as u32 / 4) as usize;
                let number = match random.below(3) {
                    0 => NUMBERS[random.below(NUMBERS.len() as u32) as usize],
                    1 => random.below(200),
                    _ => random.u32(),
                };
                write(&mut forged, at, number);
            }
            survive_queries(&forged, &levels);
        }
    }
}
