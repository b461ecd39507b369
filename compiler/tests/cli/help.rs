//! Help, version, usage.

use std::env::consts::EXE_SUFFIX;

use crate::support::Sandbox;

#[test]
fn help_tells_a_newcomer_enough() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]);
    for word in [
        "bunny.obj -o bunny.bvh",
        "Exit codes",
        "Examples",
        "--quality",
        "--layout",
        "bounding volume",
        "query",
        "mesh against mesh",
        "Tree of oriented boxes",
        "--obb-fit",
        "With --obb-fit genetic",
        "longest axis, 4 to 2048",
        "in cells, 1 to 16",
    ] {
        assert!(help.ok().contains(word), "{word}");
    }
    assert_eq!(help.err, "");
    for kind in ["compile", "inspect", "verify", "query"] {
        assert!(sandbox.run(&[kind, "--help"]).ok().contains(&format!("Usage: bvhc{EXE_SUFFIX} ")));
    }
    for kind in ["--help", "ray", "any", "point", "box", "sphere", "inside", "signed-distance", "field"] {
        let help = sandbox.run(&["query", kind, "--help"]);
        assert!(help.ok().contains("hit,t,u,v,face,material,group,nx,ny,nz"), "{kind}");
    }
    let collide = sandbox.run(&["query", "collide", "--help"]);
    let usage = format!("Usage: bvhc{EXE_SUFFIX} query collide [OPTIONS] <A> <B>");
    for word in [&usage, "--poses", "--pairs", "R x + T"] {
        assert!(collide.ok().contains(word), "{word}");
    }
    let distance = sandbox.run(&["query", "distance", "--help"]);
    for word in ["--poses", "--within", "--abs-error", "--rel-error", "R x + T"] {
        assert!(distance.ok().contains(word), "{word}");
    }
}

/// What a world refuses is not in its help.
#[test]
fn a_worlds_help_has_its_own_options() {
    let help = Sandbox::new().run(&["world", "--help"]);
    assert!(help.ok().contains("--quality <") && help.ok().contains("--weld <"));
    assert!(!help.ok().contains("--axis <AXES>") && !help.ok().contains("--scale <FACTOR>"));
    assert!(!help.ok().contains("after `--scale`"));
}

/// Help that nobody can read is an error.
#[cfg(target_os = "linux")]
#[test]
fn help_on_a_full_disk_is_an_error() {
    for kind in ["--help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_bvhc")).arg(kind).stdout(full).status();
        assert_eq!(status.unwrap().code(), Some(3), "{kind}");
    }
}

#[test]
fn version_is_the_crates() {
    let version = Sandbox::new().run(&["--version"]);
    assert_eq!(version.ok(), concat!("bvhc ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_wrong_command_line_is_an_error_of_its_own() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.obj"]).fails_silently(2, &["--output"]);
    sandbox.run(&["-o", "out.bvh"]).fails_silently(2, &["MODEL"]);
    sandbox.run(&["cube.obj", "-o", "out.bvh", "--quality", "finest"]).fails_silently(2, &["finest"]);
    sandbox.run(&["cube.obj", "-o", "out.bvh", "--layout", "tiny"]).fails_silently(2, &["tiny"]);
    for threads in ["0", "x", "1000000"] {
        sandbox.run(&["cube.obj", "-o", "out.bvh", "--threads", threads]).fails_silently(2, &["--threads"]);
    }
    sandbox.run(&["cube.obj", "-o", "out.bvh", "--quiet", "--verbose"]).fails_silently(2, &["--verbose"]);
    for models in [["cube.obj", "b.obj", "-o", "out.bvh"], ["-o", "out.bvh", "cube.obj", "b.obj"]] {
        sandbox.run(&models).fails_silently(2, &["`b.obj` is a second model", "--out-dir"]);
    }
    sandbox.run(&["cube.obj", "inspect", "-o", "out.bvh"]).fails_silently(2, &["inspect"]);
    sandbox.run(&["query", "cone", "cube.bvh"]).fails_silently(2, &["cone"]);
    sandbox.run(&["query", "ray"]).fails_silently(2, &["FILE"]);
    sandbox.run(&["query", "ray", "cube.bvh", "--pairs"]).fails_silently(2, &["--pairs"]);
    sandbox.run(&["query", "collide", "cube.bvh"]).fails_silently(2, &["<B>"]);
    sandbox.run(&["inspect"]).fails_silently(2, &["FILE"]);
    sandbox.run(&["cube.obj", "-o", "-", "--json"]).fails_silently(2, &["--json", "-o -"]);
    assert_eq!(sandbox.files(), ["cube.bvh", "cube.obj"]);
}

#[test]
fn no_arguments_show_the_help() {
    let ran = Sandbox::new().run(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("Usage: bvhc [OPTIONS] MODEL -o OUT") && ran.out.is_empty());
}
