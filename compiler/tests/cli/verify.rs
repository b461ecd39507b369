//! `bvhc verify FILE`; the library's tests check each rule.

use crate::support::{CUBE, Place};

#[test]
fn a_perfect_file_says_so_and_prints_nothing() {
    let place = Place::with_cube();
    let ran = place.run(&["verify", "cube.bvh"]);
    assert_eq!(ran.ok(), "");
    assert!(ran.err.contains("perfect"));
}

#[test]
fn any_changed_byte_is_found() {
    let place = Place::with_cube();
    let bytes = place.read("cube.bvh");
    for at in (0..bytes.len()).step_by(97) {
        let mut forged = bytes.clone();
        forged[at] ^= 0x10;
        place.write("forged.bvh", forged);
        place.run(&["verify", "forged.bvh"]).fails_silently(1, &["forged.bvh"]);
    }
    place.write("long.bvh", [bytes.as_slice(), &[0; 64]].concat());
    place.run(&["verify", "long.bvh"]).fails_silently(1, &["long.bvh", "bytes"]);
    place.write("short.bvh", &bytes[..bytes.len() - 1]);
    place.run(&["verify", "short.bvh"]).fails_silently(1, &["short.bvh", "bytes"]);
    place.write("none.bvh", "");
    place.run(&["verify", "none.bvh"]).fails_silently(1, &["none.bvh"]);
}

#[test]
fn the_source_must_be_the_source() {
    let place = Place::with_cube();
    place.run(&["verify", "cube.bvh", "--against", "cube.obj"]).ok();
    place.write("other.obj", CUBE.replace("v 1 1 1", "v 1 1 2"));
    let other = place.run(&["verify", "cube.bvh", "--against", "other.obj"]);
    other.fails_silently(1, &["cube.bvh", "other.obj", "hash"]);
    place.write("longer.obj", format!("{CUBE}#"));
    let longer = place.run(&["verify", "cube.bvh", "--against", "longer.obj"]);
    longer.fails_silently(1, &["cube.bvh", "longer.obj", "bytes"]);
    place.run(&["verify", "cube.bvh", "--against", "none.obj"]).fails_silently(3, &["none.obj"]);
    let piped = place.feed(&["verify", "cube.bvh", "--against", "-"], CUBE.as_bytes());
    piped.ok();
}
