//! Corrupt slices and names.

use bvhc::file::Bytes;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Model, OpenError};
use bvhc_tests::support::forge::{self, with_bytes};
use bvhc_tests::support::levels;

use super::{small, small_and_splits, survive};

/// The section, the offset and the elements' size of every slice of a file.
fn slices(file: &Bytes) -> Vec<(SectionKind, usize, usize)> {
    let model = Model::from_bytes(file).expect("a good file opens");
    let kinds = model
        .sections()
        .entries()
        .map(|(entry, _)| SectionKind::from_number(entry.kind).expect("a known kind"));
    let slices = kinds.flat_map(|kind| forge::slices(kind).into_iter().map(move |slice| (kind, slice)));
    slices.map(|(kind, (field, size))| (kind, forge::root(file, kind) + field, size)).collect()
}

#[test]
fn slices_that_lead_nowhere_are_refused() {
    for good in small_and_splits() {
        for (kind, place, size) in slices(&good) {
            for distance in [i64::MIN, -(1 << 40), 1 << 20, i64::MAX] {
                let forged = with_bytes(&good, place, &distance.to_le_bytes());
                assert_eq!(Model::from_bytes(&forged).err(), Some(OpenError::Archive(kind)), "{distance}");
            }
            let overflow = (u64::MAX / size as u64).saturating_add(1);
            for count in [1 << 20, 1 << 32, 1 << 58, overflow, 1 << 63, u64::MAX] {
                let forged = with_bytes(&good, place + 8, &count.to_le_bytes());
                assert_eq!(Model::from_bytes(&forged).err(), Some(OpenError::Archive(kind)), "{count}");
            }
        }
    }
}

#[test]
fn slices_that_lead_elsewhere_do_no_harm() {
    let levels = levels();
    for good in small_and_splits() {
        for (_, place, _) in slices(&good) {
            for change in -600..=600 {
                let distance = forge::read_u64(&good, place).wrapping_add_signed(change);
                survive(&with_bytes(&good, place, &distance.to_le_bytes()), &levels);
            }
            for count in 0..=300u64 {
                survive(&with_bytes(&good, place + 8, &count.to_le_bytes()), &levels);
            }
        }
    }
}

#[test]
fn names_that_do_not_end_where_they_should() {
    let good = small();
    let root = forge::root(&good, SectionKind::Metadata);
    for field in [144, 176, 208, 256, 288] {
        let ends = root + field + 16;
        let (first, count) = forge::slice_at(&good, ends);
        for number in [0, 1, 7, 1000, u32::MAX] {
            for index in 0..count {
                let forged = with_bytes(&good, first + 4 * index, &u32::to_le_bytes(number));
                assert!(survive(&forged, &levels()));
            }
        }
        let text = root + field;
        let start = text.wrapping_add(forge::read_u64(&good, text) as usize);
        let forged = with_bytes(&good, start, &[0xff]);
        let model = Model::from_bytes(&forged).expect("text is verify's business");
        let names = [model.material_name(0), model.group_name(0), model.object_name(0)];
        // The last two fields are users' keys and values, which are no names.
        let broken = usize::from(field < 256);
        assert_eq!(names.iter().filter(|name| name.is_none()).count(), broken, "one name is no UTF-8");
        std::hint::black_box(model.user_metadata().count());
    }
}
