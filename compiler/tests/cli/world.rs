//! `bvhc world`, `--world`, and what other commands make of worlds.

use crate::support::{CUBE, Ran, Sandbox};

const LEVEL: &str = "\
# Two cubes in a row, one above them.
[[mesh]]
name = \"cube\"
file = \"props/cube.obj\"

[[mesh]]
name = \"the same\"
file = \"props/copy.obj\"

[[instance]]
name = \"cube.0\"
mesh = \"cube\"

[[instance]]
name = \"cube, \\\"one\\\"\"
mesh = \"the same\"
position = [3.0, 0.0, 0.0]
layers = 2

[[instance]]
name = \"above\"
mesh = \"cube\"
position = [0.0, 5.0, 0.0]
scale = 2.0
mirror = true
bake = true
";

/// With `level.toml` and its meshes.
fn level() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("props")).unwrap();
    sandbox.write("props/cube.obj", CUBE);
    sandbox.write("props/copy.obj", CUBE);
    sandbox.write("level.toml", LEVEL);
    sandbox
}

fn compiled() -> Sandbox {
    let sandbox = level();
    sandbox.run(&["world", "level.toml", "-o", "level.bvh", "--quiet"]).is_silent();
    sandbox
}

#[test]
fn a_manifest_becomes_a_file() {
    let sandbox = level();
    let ran = sandbox.run(&["world", "level.toml", "-o", "level.bvh", "--json", "--depfile", "level.d"]);
    let json: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!(json["instances"], 3);
    // The copy is stored once; what is baked is a mesh of its own.
    assert_eq!(json["meshes"].as_array().unwrap().len(), 2);
    assert_eq!(json["baked"], serde_json::json!(["above"]));
    let paths: Vec<&str> =
        json["inputs"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["level.toml", "props/cube.obj", "props/copy.obj"]);
    assert!(ran.err.contains("3 instances of 2 meshes") && ran.err.contains("instance above has a mesh"));
    let rule = String::from_utf8(sandbox.read("level.d")).unwrap();
    assert_eq!(rule, "level.bvh: \\\n  level.toml \\\n  props/cube.obj \\\n  props/copy.obj\n");
    let first = sandbox.read("level.bvh");
    sandbox.run(&["world", "level.toml", "-o", "again.bvh", "--threads", "1", "-q"]).is_silent();
    assert!(sandbox.read("again.bvh") == first);
    let verified = sandbox.run(&["verify", "level.bvh"]);
    assert!(verified.ok().is_empty() && verified.err.contains("perfect"), "{}", verified.err);
}

fn ask(sandbox: &Sandbox, args: &[&str], lines: &str) -> Vec<String> {
    let ran = sandbox.feed(&[&["query"], args].concat(), lines.as_bytes());
    ran.ok().lines().map(str::to_owned).collect()
}

#[test]
fn queries_name_the_instance() {
    let sandbox = compiled();
    let rows = ask(&sandbox, &["ray", "level.bvh"], "3.25 0.5 9 0 0 -1\n-1 6 9 0 0 -1\n9 9 9 1 0 0\n");
    assert_eq!(rows[0], "hit,t,u,v,instance,face,material,group,nx,ny,nz");
    assert!(rows[1].contains(",\"cube, \"\"one\"\"\",1,\"red, \"\"bright\"\"\",Box,0,0,1"), "{}", rows[1]);
    assert!(rows[2].starts_with("1,7,") && rows[2].contains(",above,1,"), "{}", rows[2]);
    assert_eq!(rows[3], "0,,,,,,,,,,");
    assert_eq!(ask(&sandbox, &["any", "level.bvh"], "3.25 0.5 9 0 0 -1\n"), ["hit", "1"]);
    let rows = ask(&sandbox, &["point", "level.bvh"], "2.5 0.5 0.5\n9 9 9 1\n");
    assert_eq!(
        rows,
        ["found,distance,x,y,z,instance,face", "1,0.5,3,0.5,0.5,\"cube, \"\"one\"\"\",5", "0,,,,,,"]
    );
    let rows = ask(&sandbox, &["box", "level.bvh"], "0.9 0.4 0.4 3.1 0.6 0.6\n");
    assert_eq!(rows, ["count,instance,faces", "2,\"cube.0;cube, \"\"one\"\"\",3;5"]);
    let rows = ask(&sandbox, &["sphere", "level.bvh"], "2 0.5 0.5 0.5\n2 0.5 0.5 1\n");
    assert_eq!(rows[1..], ["0,,".to_owned(), "2,\"cube.0;cube, \"\"one\"\"\",3;5".to_owned()]);
}

#[test]
fn shapes_and_insides_name_the_instance() {
    let sandbox = compiled();
    let rows =
        ask(&sandbox, &["overlap", "level.bvh"], "capsule 0.5 0.5 0.5 3.5 0.5 0.5 0.25\nball 9 9 9 1\n");
    assert_eq!(rows, ["count,instance,faces", "2,\"cube.0;cube, \"\"one\"\"\",3;5", "0,,"]);
    let rows = ask(&sandbox, &["cast", "level.bvh"], "ball 3.25 0.5 9 0.5 0 0 -15\nball 9 9 9 1 1 0 0\n");
    assert_eq!(rows[0], "hit,t,x,y,z,nx,ny,nz,instance,face,depth");
    assert!(
        rows[1].starts_with("1,0.4999999") && rows[1].ends_with(",\"cube, \"\"one\"\"\",1,0"),
        "{}",
        rows[1]
    );
    assert_eq!(rows[2], "0,,,,,,,,,,");
    let touching = "ball 2 0.5 0.5 1.03125\nball 2 0.5 0.5 0.5\n";
    let rows = ask(&sandbox, &["touches", "level.bvh", "--manifold"], touching);
    assert_eq!(rows[0], "count,instance,contacts");
    let contacts = "3/-0.03125/1/0.5/0.5/1/0/0;5/-0.03125/3/0.5/0.5/-1/0/0";
    assert_eq!(rows[1], format!("2,\"cube.0;cube, \"\"one\"\"\",{contacts}"));
    assert_eq!(rows[2], "0,,");
    let points = "0.5 0.25 0.5\n3 0.5 0.5\n2 0.5 0.5\n-0.5 6 0.5\n";
    let rows = ask(&sandbox, &["inside", "level.bvh"], points);
    let wanted =
        ["place,winding,instance", "in,1,cube.0", "on,,\"cube, \"\"one\"\"\"", "out,0,", "in,1,above"];
    assert_eq!(rows, wanted);
    let rows = ask(&sandbox, &["signed-distance", "level.bvh"], points);
    assert_eq!(rows[0], "distance,x,y,z,instance,face");
    assert!(rows[1].starts_with("-0.25,0.5,0,0.5,cube.0,"), "{}", rows[1]);
    assert_eq!(rows[3], "1,1,0.5,0.5,cube.0,3");
}

#[test]
fn meshes_are_asked_against_worlds() {
    let sandbox = compiled();
    sandbox.write("cube.obj", CUBE);
    sandbox.run(&["cube.obj", "-o", "cube.bvh", "-q"]).is_silent();
    let lines = "1 0 0 0 1 0 0 0 1 0.5 0.25 0.25\n1 0 0 0 1 0 0 0 1 0 0 9\n";
    let rows = ask(&sandbox, &["collide", "level.bvh", "cube.bvh", "--pairs"], lines);
    assert_eq!(rows[0], "collides,instance,pairs");
    assert!(rows[1].starts_with("1,cube.0,") && rows[2] == "0,,0", "{rows:?}");
    let rows = ask(&sandbox, &["distance", "level.bvh", "cube.bvh"], lines);
    assert_eq!(rows[0], "distance,ax,ay,az,bx,by,bz,instance,face_a,face_b");
    assert!(rows[2].starts_with("8,") && rows[2].ends_with(",cube.0,1,0"), "{}", rows[2]);
    let rows = ask(&sandbox, &["distance", "level.bvh", "cube.bvh", "--within", "2"], lines);
    assert_eq!(rows[2], ",,,,,,,,,");
    let rows = ask(&sandbox, &["pairs", "level.bvh", "--margin", "2.5"], "");
    assert_eq!(rows, ["a,b,distance", "\"cube, \"\"one\"\"\",cube.0,2"]);
    let refused = sandbox.run(&["query", "collide", "level.bvh", "cube.bvh", "--volume", "aabb"]);
    refused.fails_silently(2, &["--volume", "not for worlds"]);
}

#[test]
fn a_world_is_never_taken_for_its_first_mesh() {
    let sandbox = compiled();
    sandbox.write("cube.obj", CUBE);
    sandbox.run(&["cube.obj", "-o", "cube.bvh", "-q"]).is_silent();
    for query in ["collide", "distance"] {
        for first in ["cube.bvh", "level.bvh"] {
            let refused = sandbox.run(&["query", query, first, "level.bvh"]);
            refused.fails_silently(1, &["level.bvh", query, "must be a model"]);
        }
    }
    let pairs = sandbox.run(&["query", "pairs", "cube.bvh", "--margin", "1"]);
    pairs.fails_silently(1, &["cube.bvh: has no world", "query pairs"]);
}

/// An instance that is scaled answers as one whose mesh was.
#[test]
fn scaled_instances_answer_as_baked_ones() {
    let sandbox = compiled();
    sandbox.write("scaled.toml", LEVEL.replace("bake = true", ""));
    sandbox.run(&["world", "scaled.toml", "-o", "scaled.bvh", "-q"]).is_silent();
    sandbox.run(&["props/cube.obj", "-o", "cube.bvh", "-q"]).is_silent();
    let (meeting, apart) = ("1 0 0 0 1 0 0 0 1 -0.5 6 0.25\n", "1 0 0 0 1 0 0 0 1 -0.5 9 0.25\n");
    for (args, poses) in [
        (&["collide", "cube.bvh", "--pairs"][..], meeting),
        (&["distance", "cube.bvh"], apart),
        (&["pairs", "--margin", "9"], ""),
    ] {
        let [baked, scaled] = ["level.bvh", "scaled.bvh"]
            .map(|world| ask(&sandbox, &[&args[..1], &[world], &args[1..]].concat(), poses));
        assert_eq!(baked, scaled);
        assert!(baked.iter().any(|row| row.contains("above")), "{baked:?}");
    }
}

/// Distances for welding are in the units of the mesh's file, whether an instance has the scale or its vertices.
#[test]
fn vertices_are_welded_before_they_are_baked() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "plates.obj",
        "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 40\nv 100 0 40\nv 0 100 40\nf 1 2 3\nf 4 5 6\n",
    );
    let instance = |name: &str, more: &str| {
        format!("[[instance]]\nname = \"{name}\"\nmesh = \"plates\"\nscale = 0.01\n{more}\n")
    };
    let mesh = "[[mesh]]\nname = \"plates\"\nfile = \"plates.obj\"\n";
    let baked = instance("baked", "bake = true\nposition = [5, 0, 0]");
    sandbox.write("plates.toml", format!("{mesh}{}{baked}", instance("plain", "")));
    let rays = "0.2 0.2 9 0 0 -1\n5.2 0.2 9 0 0 -1\n";
    for (weld, height) in [("0.5", 8.6), ("50", 9.0f32)] {
        sandbox.run(&["world", "plates.toml", "-o", "plates.bvh", "--weld", weld, "-q"]).is_silent();
        let rows = ask(&sandbox, &["ray", "plates.bvh"], rays);
        let t = |row: &String| row.split(',').nth(1).map_or(f32::NAN, |t| t.parse().unwrap());
        assert!(rows[1..].iter().all(|row| (t(row) - height).abs() < 1e-4), "{rows:?}");
    }
}

#[test]
fn inspect_lists_meshes_and_instances() {
    let sandbox = compiled();
    let ran = sandbox.run(&["inspect", "level.bvh"]);
    for word in ["world: 3 instances", "props/cube.obj", "cube, \"one\"", "3 0 0, 1, cube, "] {
        assert!(ran.ok().contains(word), "{word}: {}", ran.out);
    }
    let ran = sandbox.run(&["inspect", "level.bvh", "--json"]);
    let json: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!(json["world"]["instances"][1]["position"], serde_json::json!([3.0, 0.0, 0.0]));
    assert_eq!(json["world"]["meshes"].as_array().unwrap().len(), 2);
}

#[test]
fn inspect_says_what_is_not_the_default() {
    let sandbox = level();
    let to = "rotation = [0, 0, 1, 0]\nuser = 7\nstatic = false";
    sandbox.write("level.toml", LEVEL.replacen("layers = 2", to, 1));
    sandbox.run(&["world", "level.toml", "-o", "level.bvh", "-q"]).is_silent();
    let ran = sandbox.run(&["inspect", "level.bvh"]);
    assert!(ran.ok().contains("3 0 0, 1, rotated, not static, user 7, cube, \"one\""), "{}", ran.out);
}

#[test]
fn worlds_have_the_limits_of_models() {
    let sandbox = level();
    let args = ["world", "level.toml", "-o", "level.bvh"];
    sandbox.run(&[&args[..], &["--hermetic", "-q"]].concat()).is_silent();
    let timed = ["--hermetic", "--quality", "best", "--time-budget", "1"];
    sandbox.run(&[&args[..], &timed].concat()).fails_silently(2, &["--time-budget"]);
    sandbox.run(&[&args[..], &["--memory-limit", "0"]].concat()).fails_silently(1, &["cube", "memory"]);
}

/// What a manifest with this in place of that is refused for.
fn refused(from: &str, to: &str) -> Ran {
    let sandbox = level();
    assert!(LEVEL.contains(from));
    sandbox.write("level.toml", LEVEL.replacen(from, to, 1));
    let ran = sandbox.run(&["world", "level.toml", "-o", "level.bvh"]);
    assert!(!sandbox.path("level.bvh").exists());
    ran
}

#[test]
fn errors_name_the_line() {
    refused("mesh = \"cube\"", "mesh = \"ball\"").fails(1, &["level.toml, line 12: ", "no mesh \"ball\""]);
    refused("name = \"the same\"", "name = \"cube\"").fails(1, &["line 7: ", "\"cube\" is taken"]);
    refused("name = \"above\"", "name = \"cube.0\"").fails(1, &["line 21: ", "\"cube.0\" is taken"]);
    refused("name = \"above\"", "name = \"\"").fails(1, &["line 21: ", "name is empty"]);
    refused("layers = 2", "layer = 2").fails(1, &["line 18: ", "unknown field `layer`"]);
    refused("layers = 2", "rotation = [0, 0, 0, 2]").fails(1, &["line 18: ", "normalise it"]);
    refused("scale = 2.0", "scale = 0").fails(1, &["line 24: ", "greater than 0"]);
    refused("scale = 2.0", "scale = -1").fails(1, &["line 24: "]);
    for scale in ["1.2e18", "1e25", "1e300"] {
        refused("scale = 2.0", &format!("scale = {scale}")).fails(1, &["level.toml: ", "\"above\"", "2^60"]);
    }
    refused("position = [3.0, 0.0, 0.0]", "position = [nan, 0.0, 0.0]").fails(1, &["line 17: ", "finite"]);
    refused("position = [3.0, 0.0, 0.0]", "position = [1e18, 2e18, 0.0]").fails(1, &["2^60"]);
    refused("position = [3.0, 0.0, 0.0]", "position = [3.0").fails(1, &["level.toml, line "]);
    let gone = refused("props/copy.obj", "props/gone.obj");
    gone.fails(3, &["line 8: ", "props/gone.obj"]);
    assert!(!gone.err.contains("os error"), "{}", gone.err);
    refused("props/copy.obj", "level.toml").fails(1, &["level.toml"]);
    let sandbox = level();
    // A mesh is named by a path that leads to it from where the command runs.
    sandbox.write("props/level.toml", LEVEL.replace("props/", ""));
    sandbox.write("props/copy.obj", CUBE.replace("v 1 1 1", "v 1 1 x"));
    let ran = sandbox.run(&["world", "props/level.toml", "-o", "level.bvh"]);
    let path = std::path::Path::new("props").join("copy.obj");
    ran.fails(1, &[&format!("bvhc: error: {}, line ", path.display()), "`x` is not a number"]);
    let mut text = LEVEL.as_bytes().to_vec();
    text[LEVEL.find("layers").unwrap()] = 0xFF;
    sandbox.write("level.toml", text);
    sandbox.run(&["world", "level.toml", "-o", "level.bvh"]).fails(1, &["line 18: ", "not UTF-8"]);
    // A scene that is given to the wrong command, as JSON or binary.
    for scene in [SCENE.as_bytes(), b"glTF\x02\0\0\0\x0c\0\0\0"] {
        sandbox.write("level.toml", scene);
        let told = ["level.toml, line 1: ", "a glTF file", "--world"];
        sandbox.run(&["world", "level.toml", "-o", "level.bvh"]).fails(1, &told);
    }
}

/// Compiles the level with a cache; also returns the report, and how many meshes came from the cache.
fn with_cache(sandbox: &Sandbox) -> (Vec<u8>, serde_json::Value, usize) {
    let ran = sandbox.run(&["world", "level.toml", "-o", "cached.bvh", "--cache", "cache", "--json"]);
    let report: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    let cached = report["meshes"].as_array().unwrap().iter().filter(|mesh| mesh["cached"] == true).count();
    assert_eq!(ran.err.contains("from the cache"), cached > 0, "{}", ran.err);
    (sandbox.read("cached.bvh"), report, cached)
}

#[test]
fn a_cache_has_the_meshes_that_did_not_change() {
    let sandbox = compiled();
    // A face without area, which the report counts.
    let with_sliver = format!("{CUBE}f 1 1 2\n");
    sandbox.write("props/copy.obj", &with_sliver);
    sandbox.run(&["world", "level.toml", "-o", "level.bvh", "--quiet"]).is_silent();
    let plain = sandbox.read("level.bvh");
    let (first, mut said, cached) = with_cache(&sandbox);
    assert!(first == plain && cached == 0);
    let (again, mut told, cached) = with_cache(&sandbox);
    assert!(again == plain && cached == 3);
    for report in [&mut said, &mut told] {
        report["seconds"].take();
        for mesh in report["meshes"].as_array_mut().unwrap() {
            mesh["cached"].take();
        }
    }
    assert_eq!(said, told);

    // Instances do not matter to meshes, but a baked scale does.
    sandbox.write("level.toml", LEVEL.replace("5.0", "6.0"));
    assert_eq!(with_cache(&sandbox).2, 3);
    sandbox.write("level.toml", LEVEL.replace("scale = 2.0", "scale = 4.0"));
    assert_eq!(with_cache(&sandbox).2, 2);
    // Meshes that differ in the sign of a zero alone have different sources.
    sandbox.write("props/copy.obj", with_sliver.replace("v 0 0 0", "v -0 0 0"));
    let (changed, _, cached) = with_cache(&sandbox);
    assert_eq!(cached, 2);
    sandbox.run(&["world", "level.toml", "-o", "level.bvh", "--quiet"]).is_silent();
    assert!(sandbox.read("level.bvh") == changed);

    // Damaged entries are compiled again.
    for folder in std::fs::read_dir(sandbox.path("cache")).unwrap() {
        for entry in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            std::fs::write(&path, bytes).unwrap();
        }
    }
    let (repaired, _, cached) = with_cache(&sandbox);
    assert!(repaired == changed && cached == 0);
    let world = ["world", "level.toml", "-o", "level.bvh", "--cache", "cache"];
    for (flags, told) in [
        (&["--thin"][..], "--thin"),
        (&["--hermetic"], "--hermetic"),
        (&["--quality", "best", "--time-budget", "1"], "clock"),
    ] {
        sandbox.run(&[&world, flags].concat()).fails_silently(2, &[told]);
    }
}

/// What is refused or told of a model is of a mesh of a world, whether it is compiled or comes from the cache.
#[test]
fn meshes_have_the_errors_and_warnings_of_models() {
    let sandbox = level();
    let key = format!("{}=v", "k".repeat(300));
    let world = ["world", "level.toml", "-o", "level.bvh"];
    for args in [&["props/cube.obj", "-o", "cube.bvh"][..], &world] {
        sandbox.run(&[args, &["--meta", &key]].concat()).fails_silently(1, &["300 bytes"]);
    }
    // So far away that distances in it are rounded.
    sandbox.write("props/cube.obj", CUBE.replace("v 0", "v 1000000").replace("v 1 ", "v 1000001 "));
    for _ in 0..2 {
        let ran = sandbox.run(&[&world[..], &["--field", "16", "--cache", "cache"]].concat());
        assert!(
            ran.ok().is_empty() && ran.err.contains("warning: level.toml: mesh \"cube\": "),
            "{}",
            ran.err
        );
        let strict = ["--field", "16", "--cache", "cache", "--warnings-as-errors"];
        sandbox.run(&[&world[..], &strict].concat()).fails_silently(1, &["mesh \"cube\": "]);
    }
}

#[test]
fn meshes_without_instances_are_kept() {
    let sandbox = level();
    sandbox.write("props/spare.obj", CUBE.replace("v 1 1 1", "v 1 1 2"));
    sandbox.write("level.toml", format!("{LEVEL}\n[[mesh]]\nname = \"spare\"\nfile = \"props/spare.obj\"\n"));
    let ran = sandbox.run(&["world", "level.toml", "-o", "level.bvh", "--json", "--warnings-as-errors"]);
    let json: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!((&json["instances"], &json["meshes"][2]["name"]), (&3.into(), &"spare".into()));
    sandbox.run(&["verify", "level.bvh"]).ok();
    // One that cannot be used is an error, whether or not there is an instance.
    sandbox.write("props/spare.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    let told = ["level.toml: mesh \"spare\": no triangles"];
    sandbox.run(&["world", "level.toml", "-o", "level.bvh"]).fails_silently(1, &told);
}

#[test]
fn manifests_and_models_are_told_apart() {
    let sandbox = level();
    sandbox.run(&["level.toml", "-o", "level.bvh"]).fails_silently(1, &["level.toml: ", "bvhc world"]);
    sandbox.run(&["props/cube.obj", "-o", "cube.bvh", "-q"]).is_silent();
    for (other, what) in [("props/cube.obj", "a model"), ("cube.bvh", "a compiled file")] {
        sandbox.run(&["world", other, "-o", "level.bvh"]).fails_silently(1, &[other, what, "no manifest"]);
    }
}

#[test]
fn inputs_are_not_written_over() {
    let sandbox = level();
    sandbox.run(&["world", "level.toml", "-o", "level.toml"]).fails_silently(2, &["level.toml"]);
    sandbox.run(&["world", "level.toml", "-o", "props/cube.obj"]).fails_silently(2, &["props/cube.obj"]);
    let args = ["world", "level.toml", "-o", "level.bvh", "--depfile", "props/copy.obj"];
    sandbox.run(&args).fails_silently(2, &["props/copy.obj"]);
    assert_eq!(sandbox.read("props/cube.obj"), CUBE.as_bytes());
    sandbox.run(&["world", "level.toml", "-o", "level.bvh", "--scale", "2"]).fails_silently(2, &["--scale"]);
    sandbox.write("empty.toml", "");
    sandbox.run(&["world", "empty.toml", "-o", "level.bvh"]).fails_silently(1, &["no instances"]);
    sandbox.run(&["props/cube.obj", "-o", "level.bvh", "--world"]).fails_silently(1, &["glTF"]);
    assert!(!sandbox.path("level.bvh").exists());
}

/// A triangle, shown by four nodes: as it is, turned and scaled, mirrored, and stretched.
const SCENE: &str = r#"{
  "asset": { "version": "2.0" },
  "scenes": [{ "nodes": [0, 1, 2, 3] }],
  "nodes": [
    { "name": "plain", "mesh": 0 },
    { "name": "turned", "mesh": 0, "translation": [10, 0, 0], "rotation": [0, 0, 1, 0], "scale": [2, 2, 2] },
    { "name": "plain", "mesh": 0, "translation": [20, 0, 0], "scale": [-1, 1, 1] },
    { "mesh": 0, "translation": [30, 0, 0], "scale": [1, 3, 1] }
  ],
  "meshes": [{ "name": "flag", "primitives": [{ "attributes": { "POSITION": 0 } }] }],
  "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
  "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
  "buffers": [{ "byteLength": 36, "uri": "flag.bin" }]
}"#;

#[test]
fn scenes_become_worlds() {
    let sandbox = Sandbox::new();
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    sandbox.write("flag.bin", corners.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    sandbox.write("scene.gltf", SCENE);
    let ran = sandbox.run(&["scene.gltf", "-o", "scene.bvh", "--world", "--json"]);
    let json: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!((&json["instances"], &json["baked"]), (&4.into(), &serde_json::json!(["node.3"])));
    assert_eq!(json["inputs"][1]["name"], "flag.bin");
    sandbox.run(&["verify", "scene.bvh"]).ok();
    let rays = "0.2 0.1 1 0 0 -1\n9.6 -0.2 1 0 0 -1\n19.8 0.1 1 0 0 -1\n30.2 2 1 0 0 -1\n";
    let rows = ask(&sandbox, &["ray", "scene.bvh"], rays);
    for (row, name) in rows[1..].iter().zip(["plain", "turned", "plain.2", "node.3"]) {
        assert!(row.starts_with("1,1,") && row.contains(&format!(",{name},0,,flag,")), "{row}");
        // Fronts stay fronts, also in a mirror.
        assert!(row.ends_with(",1"), "{row}");
    }
    for cached in [0, 2] {
        let ran = sandbox.run(&["scene.gltf", "-o", "again.bvh", "--world", "--cache", "cache"]);
        assert_eq!(ran.err.contains(&format!("({cached} from the cache)")), cached > 0, "{}", ran.err);
        assert!(sandbox.read("again.bvh") == sandbox.read("scene.bvh"));
    }
}

#[test]
fn nodes_beyond_the_limit_are_errors() {
    let sandbox = Sandbox::new();
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    sandbox.write("flag.bin", corners.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    for scale in ["[1, 1e19, 1]", "[1, 1e200, 1]"] {
        sandbox.write("scene.gltf", SCENE.replace("[1, 3, 1]", scale));
        let told = ["scene.gltf: ", "\"node.3\"", "2^60"];
        sandbox.run(&["scene.gltf", "-o", "scene.bvh", "--world"]).fails(1, &told);
    }
}

#[test]
fn nodes_that_show_nothing_are_left_out() {
    let sandbox = Sandbox::new();
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    sandbox.write("flag.bin", corners.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    sandbox.write("scene.gltf", SCENE.replace("[1, 3, 1]", "[0, 0, 0]"));
    let ran = sandbox.run(&["scene.gltf", "-o", "scene.bvh", "--world", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &json["instances"]), (0, &3.into()));
    assert!(json["warnings"][0].as_str().unwrap().contains("\"node.3\""), "{json}");
    sandbox.run(&["verify", "scene.bvh"]).ok();
    sandbox.write(
        "scene.gltf",
        SCENE
            .replace("\"mesh\": 0", "\"mesh\": 0, \"scale\": [0, 0, 0]")
            .replace(", \"scale\": [2, 2, 2]", "")
            .replace(", \"scale\": [-1, 1, 1]", "")
            .replace(", \"scale\": [1, 3, 1]", ""),
    );
    sandbox
        .run(&["scene.gltf", "-o", "none.bvh", "--world"])
        .fails_silently(1, &["scene.gltf: no instances", "\"plain\" is left out: it has no triangles"]);
    sandbox.write("scene.gltf", SCENE.replace("[0, 1, 2, 3]", "[]"));
    sandbox
        .run(&["scene.gltf", "-o", "none.bvh", "--world"])
        .fails_silently(1, &["scene.gltf: no instances", "; ignored 4 nodes outside the scene"]);
}
