//! The program gives the same digests at every level of this CPU: on the golden files, with few questions.

use std::process::Command;

fn output(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bvhc-cpus")).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("names and numbers")
}

#[test]
fn digests_are_equal() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../golden/");
    let files = ["quad.bvh", "quad-small.bvh", "quad-kdop-tables.bvh", "quad-hulls.bvh", "world.bvh"];
    let files = files.map(|name| format!("{folder}{name}"));
    let digests = |level: &str| {
        let mut arguments = vec![level, "2000", "200"];
        arguments.extend(files.iter().map(String::as_str));
        output(&arguments)
    };
    let levels = output(&["levels"]);
    let expected = digests(levels.lines().next().expect("a level"));
    assert!(expected.lines().count() > 150, "{expected}");
    // Every kind of query finds something.
    for query in [
        "closest_hit -",
        "any_hits coherent",
        "overlap hull",
        "all_pairs obb",
        "world all_hits",
        "world cast",
    ] {
        let found = expected.lines().find(|line| line.contains(query)).expect(query).split(' ').rev().nth(1);
        assert_ne!(found, Some("0"), "{query}");
    }
    for level in levels.lines().skip(1) {
        assert!(digests(level) == expected, "level {level} answers otherwise");
    }
}
