//! `bvhc verify FILE`; the library's tests check each rule.

use crate::support::{CUBE, Sandbox};

#[test]
fn a_perfect_file_says_so_and_prints_nothing() {
    let sandbox = Sandbox::with_cube();
    let ran = sandbox.run(&["verify", "cube.bvh"]);
    assert_eq!(ran.ok(), "");
    assert!(ran.err.contains("perfect"));
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let sandbox = Sandbox::with_cube();
    let bytes = sandbox.read("cube.bvh");
    let verified = sandbox.feed(&["verify", "-"], &bytes);
    assert!(verified.ok().is_empty() && verified.err.contains("standard input: perfect"), "{}", verified.err);
    sandbox
        .feed(&["verify", "-"], &bytes[..bytes.len() - 1])
        .fails_silently(1, &["standard input: ", "bytes"]);
    sandbox.feed(&["verify", "-"], b"").fails_silently(1, &["standard input: "]);
    let inspected = sandbox.feed(&["inspect", "-", "--json"], &bytes);
    assert_eq!(inspected.ok(), sandbox.run(&["inspect", "cube.bvh", "--json"]).ok());
    sandbox.feed(&["query", "ray", "-"], &bytes).fails_silently(2, &["by a path"]);
    sandbox.feed(&["query", "collide", "cube.bvh", "-"], &bytes).fails_silently(2, &["by a path"]);
}

#[test]
fn any_changed_byte_is_found() {
    let sandbox = Sandbox::with_cube();
    let bytes = sandbox.read("cube.bvh");
    for at in (0..bytes.len()).step_by(97) {
        let mut forged = bytes.clone();
        forged[at] ^= 0x10;
        sandbox.write("forged.bvh", forged);
        sandbox.run(&["verify", "forged.bvh"]).fails_silently(1, &["forged.bvh"]);
    }
    sandbox.write("long.bvh", [bytes.as_slice(), &[0; 64]].concat());
    sandbox.run(&["verify", "long.bvh"]).fails_silently(1, &["long.bvh", "bytes"]);
    sandbox.write("short.bvh", &bytes[..bytes.len() - 1]);
    sandbox.run(&["verify", "short.bvh"]).fails_silently(1, &["short.bvh", "bytes"]);
    sandbox.write("none.bvh", "");
    sandbox.run(&["verify", "none.bvh"]).fails_silently(1, &["none.bvh"]);
}

#[test]
fn the_source_must_be_the_source() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["verify", "cube.bvh", "--against", "cube.obj"]).ok();
    sandbox.write("other.obj", CUBE.replace("v 1 1 1", "v 1 1 2"));
    let other = sandbox.run(&["verify", "cube.bvh", "--against", "other.obj"]);
    other.fails_silently(1, &["cube.bvh", "other.obj", "hash"]);
    sandbox.write("longer.obj", format!("{CUBE}#"));
    let longer = sandbox.run(&["verify", "cube.bvh", "--against", "longer.obj"]);
    longer.fails_silently(1, &["cube.bvh", "longer.obj", "bytes"]);
    sandbox.run(&["verify", "cube.bvh", "--against", "none.obj"]).fails_silently(3, &["none.obj"]);
    let piped = sandbox.feed(&["verify", "cube.bvh", "--against", "-"], CUBE.as_bytes());
    piped.ok();
}
