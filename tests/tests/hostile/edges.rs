//! Corrupt edges: whatever they are, contacts and casts end, and normals are numbers.

use std::ops::ControlFlow;

use bvhc::compile::{Layout, Options};
use bvhc::file::Bytes;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Ball, Model, Touches};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::forge::{root, slice_at};
use bvhc_tests::support::{LAYOUTS, aligned, compiled_with, levels};

use super::{survive, write, write_anything};

/// Bytes of a record.
const RECORD: usize = 36;

/// With the list of triangles that intersect others, too.
pub(super) fn few(layout: Layout) -> Bytes {
    compiled_with(
        &icosphere::displaced(4, 0.2, 1),
        &Options { layout, edges: true, intersections: true, ..Options::default() },
    )
}

#[test]
fn mutated_edges() {
    let mut random = Random::new(21);
    for good in LAYOUTS.map(few) {
        let (first, count) = slice_at(&good, root(&good, SectionKind::Edges));
        assert!(count > 100);
        for _ in 0..60 {
            let mut forged = aligned(&good);
            write_anything(&mut forged, first, RECORD * count, 200, &mut random);
            assert!(survive(&forged, &levels()));
            check_normals(&forged);
        }
    }
}

/// A list that is too short leaves normals as they are.
#[test]
fn too_few_records() {
    for good in LAYOUTS.map(few) {
        for count in [0, 1] {
            let mut forged = aligned(&good);
            write(&mut forged, root(&good, SectionKind::Edges) + 8, count);
            survive(&forged, &levels());
        }
    }
}

fn check_normals(file: &Bytes) {
    let model = Model::from_bytes(file).expect("it opens");
    for angle in [0.0, 0.5, 4.0, f32::NAN, -1.0] {
        let ball = Ball::new([1.0, 0.2, 0.1], 0.4);
        let _ = model.touches(&Touches::new(&ball, 0.1).without_seams(angle), |contact| {
            let square: f32 = contact.normal.iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-3, "{contact:?}");
            ControlFlow::Continue(())
        });
    }
}
