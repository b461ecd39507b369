//! Corrupt distance fields: whatever the nodes and numbers are, samples end.

use bvhc::FieldOptions;
use bvhc::compile::Options;
use bvhc::file::Bytes;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{InsideRule, Model};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::forge::{root, slice_at};
use bvhc_tests::support::{aligned, compiled_with, levels};

use super::{NUMBERS, survive, write, write_anything};

/// Bytes of the root.
const ROOT: usize = 128;

/// The offsets of the slices in it.
const SLICES: [usize; 3] = [80, 96, 112];

/// Bytes of a node, and of a value.
const ELEMENTS: [usize; 3] = [24, 24, 1];

fn good() -> Bytes {
    let field = Some(FieldOptions::new(24));
    compiled_with(&icosphere::displaced(3, 0.2, 1), &Options { field, obb: None, ..Options::default() })
}

/// Samples everywhere that the file says there are points.
fn sample(file: &Bytes) {
    let Ok(model) = Model::from_bytes(file) else { return };
    let field = model.field().expect("the section is there");
    let mut random = Random::new(3);
    for _ in 0..200 {
        let at = random.point([-1.6; 3], [1.6; 3]);
        std::hint::black_box((field.sample(at), model.contains(at, InsideRule::NonZero)));
        let index = [0, 1, 2].map(|_| random.below(9000));
        std::hint::black_box((field.value_at(index), field.value_at(index.map(|i| i % 70))));
    }
    std::hint::black_box(field.sample([f32::MAX, -0.0, f32::MIN_POSITIVE]));
}

#[test]
fn numbers_that_are_anything() {
    let good = good();
    let first = root(&good, SectionKind::DistanceField);
    for number in NUMBERS {
        for field in (0..SLICES[0]).step_by(4) {
            let mut forged = aligned(&good);
            write(&mut forged, first + field, number);
            sample(&forged);
        }
    }
    assert!(survive(&good, &levels()));
}

#[test]
fn mutated_records() {
    let good = good();
    let mut random = Random::new(23);
    for (slice, size) in SLICES.into_iter().zip(ELEMENTS) {
        let (first, count) = slice_at(&good, root(&good, SectionKind::DistanceField) + slice);
        assert!(count > 3);
        for _ in 0..60 {
            let mut forged = aligned(&good);
            write_anything(&mut forged, first, size * count, 100, &mut random);
            sample(&forged);
        }
    }
}

/// Slices that are too short, and a lattice that is far larger than they are.
#[test]
fn too_few_records() {
    let good = good();
    let first = root(&good, SectionKind::DistanceField);
    for slice in SLICES {
        for count in [0, 1] {
            let mut forged = aligned(&good);
            write(&mut forged, first + slice + 8, count);
            sample(&forged);
        }
    }
    let mut forged = aligned(&good);
    for axis in 0..3 {
        write(&mut forged, first + 40 + 4 * axis, u32::MAX);
    }
    sample(&forged);
    assert_eq!(ROOT, SectionKind::DistanceField.root().size);
}
