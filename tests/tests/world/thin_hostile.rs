//! Whatever the bytes of thin worlds and of meshes that are linked are: they are refused, or all ends well.

use bvhc::file::{Bytes, hash, header_hash};
use bvhc_format::header::{ENTRY_LENGTH, HASH_RANGE, HEADER_LENGTH};
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Model, ThinWorld, World};
use bvhc_tests::random::Random;
use bvhc_tests::support::forge::{read_u32, read_u64};

use super::hostile::{ask, mutated, payload};
use super::thin::Apart;

#[test]
fn mutated_thin_worlds() {
    let apart = Apart::new(true, 1);
    let (good, files) = (apart.thin().expect("it links"), apart.files());
    let mut random = Random::new(2);
    let ranges = [
        0..HEADER_LENGTH + 2 * ENTRY_LENGTH,
        payload(&good, SectionKind::LinkedMeshes),
        payload(&good, SectionKind::World),
    ];
    let mut linked = 0;
    for step in 0..600 {
        let forged = mutated(&good, &ranges[step % 3], &mut random);
        let Ok(thin) = ThinWorld::from_bytes(&forged) else { continue };
        assert!(thin.meshes().count() == thin.mesh_count() as usize && thin.instances().count() < 1 << 20);
        let mut models = [const { None }; 8];
        for (place, file) in models.iter_mut().zip(&files) {
            *place = Some(Model::from_bytes(file).expect("it opens"));
        }
        let Ok(world) = thin.link(&mut models) else { continue };
        linked += 1;
        ask(&world);
    }
    assert!(linked > 200, "{linked}");
}

#[test]
fn cut_thin_worlds_are_refused() {
    let good = Apart::new(true, 1).thin().expect("it links");
    for length in (0..good.len()).step_by(61) {
        assert!(ThinWorld::from_bytes(&bvhc_tests::support::aligned(&good[..length])).is_err());
    }
}

/// Sets the hashes of all sections, and of the header.
fn rehash(file: &mut [u8]) {
    let count = read_u32(file, 28) as usize;
    for entry in (0..count).map(|index| HEADER_LENGTH + ENTRY_LENGTH * index) {
        let (start, length) = (read_u64(file, entry + 8) as usize, read_u64(file, entry + 16) as usize);
        let Some(payload) = file.get(start..start.saturating_add(length)) else { return };
        let hash = hash(payload);
        file[entry + 32..entry + 64].copy_from_slice(hash.as_bytes());
    }
    let end = HEADER_LENGTH + ENTRY_LENGTH * count;
    let hash = header_hash(&file[..end]);
    file[HASH_RANGE].copy_from_slice(hash.as_bytes());
}

/// Meshes with right hashes and any content: what is linked from them can be asked, if it opens.
#[test]
fn mutated_meshes_are_refused_or_linked() {
    let mut apart = Apart::new(true, 3);
    let good = apart.files.0[1].1.clone();
    let tree = payload(&good, SectionKind::AabbTree);
    let ranges =
        [0..HEADER_LENGTH + 5 * ENTRY_LENGTH, tree.end - 48..tree.end, tree.start..tree.start + 4096];
    let (mut random, mut linked, mut damaged) = (Random::new(4), 0, 0);
    for step in 0..400 {
        let mut forged = mutated(&good, &ranges[step % 3], &mut random).to_vec();
        // Without this, nearly all are damaged.
        if step % 4 != 0 {
            rehash(&mut forged);
        }
        apart.files.0[1].1 = forged;
        let (whole, thin) = (apart.whole(), apart.thin());
        damaged += u32::from(whole.as_ref().is_err_and(|error| error.to_string().contains("damaged")));
        if let Ok(thin) = &thin {
            assert!(ThinWorld::from_bytes(thin).is_ok());
        }
        let Ok(whole) = whole else { continue };
        linked += u32::from(survives(&whole));
    }
    assert!(linked > 50 && damaged > 50, "{linked} {damaged}");
}

fn survives(file: &Bytes) -> bool {
    let mut meshes = [const { None }; 8];
    let Ok(world) = World::from_bytes(file, &mut meshes) else { return false };
    ask(&world);
    true
}
