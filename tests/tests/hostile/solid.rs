//! Corrupt boundaries: whatever the edges are, winding numbers end, and what cannot be known is unsure.

use bvhc::file::Bytes;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{InsideRule, Model, Place};
use bvhc_tests::random::Random;
use bvhc_tests::support::forge::{root, slice_at, with_bytes};
use bvhc_tests::support::{LAYOUTS, aligned, levels};

use super::{NUMBERS, small_as, splits_as, survive, write, write_anything};

/// Bytes of a record.
const RECORD: usize = 192;

/// The offset of the boundary in a root.
const BOUNDARY: usize = 40;

fn good() -> Vec<Bytes> {
    LAYOUTS.into_iter().flat_map(|layout| [small_as(layout), splits_as(layout)]).collect()
}

/// Where the records begin, and how many there are.
fn records(file: &Bytes) -> (usize, usize) {
    let records = slice_at(file, root(file, SectionKind::Solid) + BOUNDARY);
    assert!(records.1 > 0, "the model is open");
    records
}

#[test]
fn numbers_that_are_anything() {
    for good in good() {
        let (first, count) = records(&good);
        for number in NUMBERS {
            let mut forged = aligned(&good);
            for field in (0..count * RECORD).step_by(4) {
                write(&mut forged, first + field, number);
            }
            assert!(survive(&forged, &levels()));
        }
    }
}

#[test]
fn mutated_edges() {
    let mut random = Random::new(14);
    for good in good() {
        let (first, count) = records(&good);
        for _ in 0..60 {
            let mut forged = aligned(&good);
            write_anything(&mut forged, first, RECORD * count, 12, &mut random);
            assert!(survive(&forged, &levels()));
        }
    }
}

/// Edges that are no numbers make the number unknown.
#[test]
fn what_is_not_known_is_unsure() {
    let good = small_as(LAYOUTS[0]);
    let (first, _) = records(&good);
    let forged = with_bytes(&good, first, &f32::NAN.to_le_bytes());
    let model = Model::from_bytes(&forged).expect("it opens");
    for level in levels() {
        assert_eq!(model.with_level(level).contains([0.3, 0.4, 0.2], InsideRule::NonZero), Place::Unsure);
    }
}
