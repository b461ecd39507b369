//! Worlds linked from compiled meshes, thin or not, and what other commands make of them.

use crate::support::{CUBE, Sandbox};

const LEVEL: &str = "\
[[mesh]]
name = \"cube\"
file = \"build/cube.bvh\"

[[instance]]
name = \"cube.0\"
mesh = \"cube\"

[[instance]]
name = \"cube.1\"
mesh = \"cube\"
position = [3.0, 0.0, 0.0]
";

/// With `level.toml`, the mesh compiled apart, `level.bvh` with it and `thin.bvh` without.
fn linked() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("build")).unwrap();
    sandbox.write("cube.obj", CUBE);
    sandbox.write("level.toml", LEVEL);
    sandbox.run(&["cube.obj", "-o", "build/cube.bvh", "-q"]).is_silent();
    sandbox.run(&["world", "level.toml", "-o", "level.bvh", "-q"]).is_silent();
    sandbox.run(&["world", "level.toml", "-o", "thin.bvh", "--thin", "-q"]).is_silent();
    sandbox
}

#[test]
fn linking_is_compiling() {
    let sandbox = linked();
    sandbox.run(&["verify", "level.bvh"]).ok();
    sandbox.write("together.toml", LEVEL.replace("build/cube.bvh", "cube.obj"));
    sandbox.run(&["world", "together.toml", "-o", "together.bvh", "-q"]).is_silent();
    let meshes = |file: &str| {
        let ran = sandbox.run(&["inspect", file, "--json"]);
        let json: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
        let sections = json["sections"].as_array().unwrap().clone();
        sections
            .into_iter()
            .filter(|it| !it["mesh"].is_null())
            .map(|it| it["hash"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(meshes("level.bvh"), meshes("together.bvh"));
}

#[test]
fn options_for_what_is_compiled_already_are_warned_of() {
    let sandbox = linked();
    let args = ["world", "level.toml", "-o", "level.bvh", "--quality", "fast"];
    let ran = sandbox.run(&args);
    assert!(
        ran.ok().is_empty() && ran.err.contains("warning: level.toml: all meshes are compiled"),
        "{}",
        ran.err
    );
    sandbox.run(&[&args[..], &["--warnings-as-errors"]].concat()).fails_silently(1, &["have no effect"]);
    let threads = ["world", "level.toml", "-o", "level.bvh", "--threads", "1", "--warnings-as-errors", "-q"];
    sandbox.run(&threads).is_silent();
}

#[test]
fn what_is_linked_is_an_input() {
    let sandbox = linked();
    let args = ["world", "level.toml", "-o", "again.bvh", "--thin", "--json", "--depfile", "level.d"];
    let ran = sandbox.run(&args);
    let json: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    let rule = String::from_utf8(sandbox.read("level.d")).unwrap();
    assert_eq!(rule, "again.bvh: \\\n  level.toml \\\n  build/cube.bvh\n");
    assert_eq!((&json["thin"], &json["inputs"][1]["path"]), (&true.into(), &"build/cube.bvh".into()));
    let inspected = sandbox.run(&["inspect", "build/cube.bvh", "--json"]);
    let mesh: serde_json::Value = serde_json::from_str(inspected.ok()).unwrap();
    assert_eq!(json["inputs"][1]["hash"], mesh["hash"]);
    let file = sandbox.read("again.bvh");
    assert_eq!(json["blake3"], blake3::hash(&file).to_hex().to_string());
    assert!(file == sandbox.read("thin.bvh") && file.len() < sandbox.read("level.bvh").len());
    let args = ["world", "level.toml", "-o", "build/cube.bvh"];
    sandbox.run(&args).fails_silently(2, &["build/cube.bvh"]);
}

#[test]
fn thin_worlds_are_asked_with_their_meshes() {
    let sandbox = linked();
    let ask = |args: &[&str], lines: &str| sandbox.feed(&[&["query"], args].concat(), lines.as_bytes());
    let rays = "3.25 0.5 9 0 0 -1\n9 9 9 1 0 0\n";
    let whole = ask(&["ray", "level.bvh"], rays);
    assert_eq!(ask(&["ray", "thin.bvh", "--meshes", "build"], rays).ok(), whole.ok());
    let (points, shapes) = ("2 0.5 0.5\n", "ball 2 0.5 0.5 1.5\n");
    for (query, lines) in [
        ("point", points),
        ("sphere", "2 0.5 0.5 1\n"),
        ("inside", points),
        ("signed-distance", points),
        ("overlap", shapes),
        ("touches", shapes),
    ] {
        let whole = ask(&[query, "level.bvh"], lines);
        assert_eq!(ask(&[query, "thin.bvh", "--meshes", "build"], lines).ok(), whole.ok());
    }
    let pose = "1 0 0 0 1 0 0 0 1 0.5 0.25 0.25\n";
    for query in ["collide", "distance"] {
        let whole = ask(&[query, "level.bvh", "build/cube.bvh"], pose);
        let thin = ask(&[query, "thin.bvh", "build/cube.bvh", "--meshes", "build"], pose);
        assert_eq!(thin.ok(), whole.ok());
        let second = ask(&[query, "build/cube.bvh", "thin.bvh"], pose);
        second.fails_silently(1, &["thin.bvh", "must be a model"]);
    }
    let pairs = ask(&["pairs", "thin.bvh", "--margin", "2.5", "--meshes", "build"], "");
    assert_eq!(pairs.ok(), "a,b,distance\ncube.0,cube.1,2\n");
    // Beside the world, if nothing else is said.
    ask(&["ray", "thin.bvh"], rays)
        .fails_silently(1, &["mesh \"cube\"", "missing", "looked for in .", "--meshes"]);
    // A world that has the name of a mesh is not the mesh, compiled again.
    std::fs::create_dir(sandbox.path("worlds")).unwrap();
    std::fs::copy(sandbox.path("thin.bvh"), sandbox.path("worlds/cube.bvh")).unwrap();
    ask(&["ray", "thin.bvh", "--meshes", "worlds"], rays).fails_silently(1, &["mesh \"cube\"", "missing"]);
    std::fs::copy(sandbox.path("build/cube.bvh"), sandbox.path("any name.bvh")).unwrap();
    assert_eq!(ask(&["ray", "thin.bvh"], rays).ok(), whole.ok());
    ask(&["ray", "level.bvh", "--meshes", "build"], rays).fails_silently(2, &["--meshes", "thin worlds"]);
    ask(&["ray", "thin.bvh", "--meshes", "gone"], rays).fails_silently(3, &["gone"]);
}

#[test]
fn meshes_that_were_compiled_again_are_others() {
    let sandbox = linked();
    let verify = || sandbox.run(&["verify", "thin.bvh", "--meshes", "build"]);
    assert!(
        verify().ok().is_empty() && verify().err.contains("a thin world of 1 mesh\n"),
        "{}",
        verify().err
    );
    let alone = sandbox.run(&["verify", "thin.bvh"]);
    assert!(alone.ok().is_empty() && alone.err.contains("not checked (--meshes DIR)"), "{}", alone.err);
    let found = sandbox.run(&["inspect", "thin.bvh", "--meshes", "build"]);
    for word in ["a thin world", "world: 2 instances", "linked-meshes", "cube.bvh", "3 0 0, 1, cube.1"] {
        assert!(found.ok().contains(word), "{word}: {}", found.out);
    }
    let json: serde_json::Value =
        serde_json::from_str(sandbox.run(&["inspect", "thin.bvh", "--json"]).ok()).unwrap();
    let mesh = &json["world"]["meshes"][0]["file"];
    assert_eq!((&mesh["name"], &mesh["path"]), (&"cube".into(), &serde_json::Value::Null));
    sandbox.run(&["cube.obj", "-o", "build/cube.bvh", "-q", "--quality", "fast"]).is_silent();
    verify().fails_silently(1, &["thin.bvh: mesh \"cube\": mesh 0 is not the one", "compiled again"]);
    sandbox
        .feed(&["query", "any", "thin.bvh", "--meshes", "build"], b"")
        .fails_silently(1, &["compiled again"]);
}

#[test]
fn what_cannot_be_linked_is_named() {
    let sandbox = linked();
    let good = sandbox.read("build/cube.bvh");
    let link = || sandbox.run(&["world", "level.toml", "-o", "new.bvh"]);
    let thin = || sandbox.run(&["world", "level.toml", "-o", "new.bvh", "--thin"]);
    // Where the file is damaged: in its header, and in its last section, which a thin link does not read.
    for (at, is_seen_by_thin) in [(40, true), (good.len() - 65, false)] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        sandbox.write("build/cube.bvh", bad);
        link().fails_silently(1, &["build/cube.bvh", "damaged", "compile it again"]);
        assert_eq!(thin().code, i32::from(is_seen_by_thin));
        let _ = std::fs::remove_file(sandbox.path("new.bvh"));
    }
    sandbox.write("build/cube.bvh", &good[..good.len() - 64]);
    link().fails_silently(1, &["level.toml, line 3: ", "build/cube.bvh"]);
    sandbox.write("build/cube.bvh", sandbox.read("level.bvh"));
    link().fails_silently(1, &["level.toml, line 3: ", "a world"]);
    std::fs::remove_file(sandbox.path("build/cube.bvh")).unwrap();
    thin().fails_silently(3, &["level.toml, line 3: ", "build/cube.bvh"]);
    sandbox.write("build/cube.bvh", &good);
    let options = ["world", "level.toml", "-o", "new.bvh", "--thin", "--quality", "fast"];
    sandbox.run(&options).fails_silently(2, &["thin", "--threads"]);
    sandbox.write("level.toml", LEVEL.replace("build/cube.bvh", "cube.obj"));
    thin().fails_silently(1, &["mesh \"cube\" is not compiled", "bvhc MODEL -o FILE"]);
    sandbox.write("level.toml", format!("{LEVEL}scale = 2.0\nbake = true\n"));
    link().fails_silently(1, &["level.toml, line 10: ", "\"cube.1\" has `bake`"]);
    assert!(!sandbox.path("new.bvh").exists());
}

/// A pipe can be read but once.
#[cfg(unix)]
#[test]
fn thin_worlds_come_through_pipes() {
    let sandbox = linked();
    let thin = sandbox.read("thin.bvh");
    let ask = |args: &[&str]| sandbox.feed(args, &thin);
    let meshes = ["--meshes", "build"];
    assert!(ask(&["verify", "/dev/stdin"]).err.contains("perfect, a thin world of 1 mesh"));
    assert!(ask(&[&["inspect", "/dev/stdin"][..], &meshes].concat()).ok().contains("a thin world"));
    sandbox.write("rays.csv", "3.25 0.5 9 0 0 -1\n");
    let query = ["query", "ray", "/dev/stdin", "--input", "rays.csv"];
    assert!(ask(&[&query[..], &meshes].concat()).ok().contains("cube.1"));
    ask(&["export", "nanovdb", "/dev/stdin", "-o", "out.nvdb"])
        .fails_silently(1, &["no distance field", "--field"]);
}
