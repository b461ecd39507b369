//! Good files, edited as any bytes say, and queried: however the trees lie, the work stays within its bounds.
#![no_main]

use bvhc_runtime::Model;
use bvhc_tests::support::edit::edited;
use bvhc_tests::support::levels;
use bvhc_tests::support::work::ask_bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((file, steps)) = edited(bytes) else { return };
    let Ok(model) = Model::from_bytes(&file) else { return };
    let levels = levels();
    ask_bounded(&model.with_level(levels[bytes.len() % levels.len()]), steps);
});
