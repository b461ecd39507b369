//! Damaged downloads: `Model::verify_hashes` finds every flipped bit that opening does not detect.

use std::fs;
use std::path::Path;

use bvhc_runtime::{HashError, LoadedModel};

fn golden(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)).expect("a golden file")
}

#[test]
fn what_was_written_passes() {
    for name in [
        "quad.bvh",
        "quad-small.bvh",
        "quad-samples.bvh",
        "quad-kdop.bvh",
        "quad-hybrid.bvh",
        "quad-hulls.bvh",
    ] {
        let file = LoadedModel::from_bytes(&golden(name)).expect("it opens");
        assert_eq!(file.model().verify_hashes(), Ok(()), "{name}");
    }
}

/// Every bit of a file, not only a sample: the file has some 20,000.
#[test]
fn every_flipped_bit_is_found() {
    for name in ["quad.bvh", "quad-small.bvh"] {
        let bytes = golden(name);
        let (mut refused, mut found) = (0, 0);
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            match LoadedModel::from_bytes(&damaged) {
                Err(_) => refused += 1,
                Ok(file) => {
                    assert!(file.model().verify_hashes().is_err(), "{name}: bit {bit}");
                    found += 1;
                }
            }
        }
        assert!(refused > 100 && found > 1000, "{name}: {refused} {found}");
    }
}

#[test]
fn the_damaged_part_is_named() {
    let bytes = golden("quad.bvh");
    let whole = LoadedModel::from_bytes(&bytes).expect("it opens");
    let (entry, _) = whole.model().sections().entries().next().expect("a section");
    let result_of = |at: usize| {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        LoadedModel::from_bytes(&damaged).expect("it opens").model().verify_hashes()
    };
    // The header's hash, and a byte of the source's hash in the metadata.
    assert_eq!(result_of(32), Err(HashError::Header));
    let source_hash = whole.model().sections().metadata().source_hash;
    let place = bytes.windows(32).position(|window| window == source_hash).expect("it is in the file");
    assert!(place >= entry.offset as usize);
    assert!(matches!(result_of(place), Err(HashError::Section { index: 0, .. })));
}

/// Bytes as they come from a network: at any address.
#[test]
fn bytes_at_any_address_are_loaded() {
    let file = golden("quad.bvh");
    let mut bytes = vec![0; 64 + file.len()];
    for start in [0, 1, 7, 32, 63] {
        bytes[start..][..file.len()].copy_from_slice(&file);
        let loaded = LoadedModel::from_bytes(&bytes[start..][..file.len()]).expect("it opens");
        assert_eq!(loaded.model().triangle_count(), 3);
        assert!(format!("{loaded:?}").starts_with("LoadedModel(Model {"));
    }
    assert!(LoadedModel::from_bytes(&[]).is_err());
}
