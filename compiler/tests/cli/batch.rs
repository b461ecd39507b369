//! Several models at once, and what build systems ask for.

use std::path::MAIN_SEPARATOR;

use serde_json::Value;

use crate::support::{CUBE, Sandbox};

/// A tetrahedron in glTF, with its buffer in `shape.bin`.
fn with_gltf() -> Sandbox {
    let sandbox = Sandbox::with_cube();
    let positions = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut bytes: Vec<u8> = positions.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0u8, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]);
    std::fs::create_dir(sandbox.path("in put")).unwrap();
    sandbox.write("in put/shape.bin", &bytes);
    sandbox.write(
        "in put/shape.gltf",
        r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
            {"bufferView":1,"componentType":5121,"count":12,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}],
        "buffers":[{"uri":"shape.bin","byteLength":60}]}"#,
    );
    sandbox
}

/// A path as this system writes it.
fn in_folder(folder: &str, name: &str) -> String {
    format!("{folder}{MAIN_SEPARATOR}{name}")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn several_models_are_compiled_to_a_folder() {
    let sandbox = with_gltf();
    let args = ["cube.obj", "in put/shape.gltf", "--out-dir", "a/b", "--depfile", "all.d", "--json"];
    let ran = sandbox.run(&args);
    let reports = lines(ran.ok());
    assert_eq!(reports.len(), 2);
    for (report, name) in reports.iter().zip(["cube.bvh", "shape.bvh"]) {
        assert_eq!(report["output"], in_folder("a/b", name));
    }
    assert_eq!(reports[1]["inputs"][1]["path"], in_folder("in put", "shape.bin"));
    assert_eq!(reports[1]["inputs"][1]["name"], "shape.bin");
    assert_eq!(sandbox.read("a/b/cube.bvh"), sandbox.read("cube.bvh"));
    assert_eq!(
        String::from_utf8(sandbox.read("all.d")).unwrap(),
        format!(
            "{}: \\\n  cube.obj\n{}: \\\n  in\\ put/shape.gltf \\\n  {}\n",
            in_folder("a/b", "cube.bvh"),
            in_folder("a/b", "shape.bvh"),
            in_folder("in\\ put", "shape.bin"),
        )
    );
    // As a single model, and on one thread, it becomes the same file.
    sandbox.run(&["in put/shape.gltf", "-o", "one.bvh", "-q", "--threads", "1"]).is_silent();
    assert_eq!(sandbox.read("one.bvh"), sandbox.read("a/b/shape.bvh"));
    sandbox.run(&["verify", "one.bvh", "--against", "in put/shape.gltf"]).ok();
    let inspected = sandbox.run(&["inspect", "one.bvh"]);
    assert!(inspected.ok().contains("shape.bin 60 bytes"), "{}", inspected.out);
    let mut changed = sandbox.read("in put/shape.bin");
    changed[0] = 1;
    sandbox.write("in put/shape.bin", &changed);
    sandbox
        .run(&["verify", "one.bvh", "--against", "in put/shape.gltf"])
        .fails_silently(1, &["another version of `shape.bin`"]);
}

#[test]
fn a_model_that_fails_does_not_stop_the_others() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("bad.obj", "v 0 0 0\nf 1 1 x\n");
    let ran = sandbox.run(&["none.obj", "bad.obj", "cube.obj", "--out-dir", "out", "--json", "-j", "1"]);
    assert_eq!(ran.code, 3, "the exit code of the first that failed");
    let reports = lines(&ran.out);
    assert_eq!([&reports[0]["exit_code"], &reports[1]["exit_code"]], [3, 1]);
    assert!(reports[1]["error"].as_str().unwrap().contains("bad.obj, line 2"));
    assert_eq!(reports[2]["output"], in_folder("out", "cube.bvh"));
    assert!(ran.err.ends_with("bvhc: error: 2 of 3 models failed\n"), "{}", ran.err);
    assert_eq!(sandbox.read("out/cube.bvh"), sandbox.read("cube.bvh"));
    assert!(!sandbox.path("out/bad.bvh").exists());
}

#[test]
fn an_output_that_cannot_be_does_not_stop_the_others() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("bad.obj", CUBE);
    std::fs::create_dir_all(sandbox.path("out/bad.bvh")).unwrap();
    let ran = sandbox.run(&["bad.obj", "cube.obj", "--out-dir", "out", "--depfile", "all.d", "--json", "-q"]);
    assert_eq!(ran.code, 3);
    let reports = lines(&ran.out);
    assert!(reports[0]["error"].as_str().unwrap().contains(&in_folder("out", "bad.bvh: is a directory")));
    assert_eq!(sandbox.read("out/cube.bvh"), sandbox.read("cube.bvh"));
    let rule = format!("{}: \\\n  cube.obj\n", in_folder("out", "cube.bvh"));
    assert_eq!(sandbox.read("all.d"), rule.as_bytes());
}

/// A new output without its depfile would look up to date to Make.
#[cfg(unix)]
#[test]
fn no_output_is_written_without_its_depfile() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("a\nb.obj", CUBE);
    let args = ["a\nb.obj", "-o", "x.bvh", "--depfile", "x.d"];
    sandbox.run(&args).fails_silently(2, &["a\\nb.obj: has a line break in its name"]);
    #[cfg(target_os = "linux")]
    sandbox.run(&["cube.obj", "-o", "x.bvh", "--depfile", "/dev/full"]).fails_silently(3, &["/dev/full"]);
    let ran = sandbox.run(&["a\nb.obj", "cube.obj", "--out-dir", "out", "--depfile", "x.d", "-q"]);
    assert_eq!((ran.code, sandbox.read("x.d")), (2, b"out/cube.bvh: \\\n  cube.obj\n".to_vec()));
    assert!(!sandbox.path("x.bvh").exists() && !sandbox.path("out/a\nb.bvh").exists());
}

#[test]
fn many_models_take_all_threads_and_keep_their_order() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..40).map(|model| format!("m{model}.obj")).collect();
    for (model, name) in names.iter().enumerate() {
        sandbox.write(name, CUBE.replace("v 1 1 1", &format!("v {model} 1 1")));
    }
    let args: Vec<&str> =
        names.iter().map(String::as_str).chain(["--out-dir", "out", "--json", "-q"]).collect();
    let ran = sandbox.run(&args);
    for (model, report) in lines(ran.ok()).iter().enumerate() {
        assert_eq!(report["inputs"][0]["path"], format!("m{model}.obj"));
        sandbox.run(&[&names[model], "-o", "one.bvh", "-q"]).is_silent();
        assert_eq!(sandbox.read("one.bvh"), sandbox.read(&format!("out/m{model}.bvh")));
    }
}

#[test]
fn outputs_that_would_meet_are_refused_before_any_work() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.obj", "x/cube.stl", "--out-dir", "out"]).fails_silently(
        2,
        &["cube.obj and x/cube.stl would both be compiled to", &in_folder("out", "cube.bvh")],
    );
    sandbox.run(&["-", "--out-dir", "out"]).fails_silently(2, &["no file name", "-o"]);
    sandbox.run(&["cube.obj", "-o", "a.bvh", "--out-dir", "out"]).fails_silently(2, &["--out-dir"]);
    sandbox.run(&["cube.obj", "-o", "a.bvh", "-j", "2"]).fails_silently(2, &["--out-dir"]);
    sandbox.run(&["cube.obj", "-o", "-", "--depfile", "d"]).fails_silently(2, &["--depfile"]);
    sandbox
        .run(&["cube.obj", "-o", "a.bvh", "--depfile", "cube.obj"])
        .fails_silently(2, &["the model itself"]);
    sandbox
        .run(&["cube.obj", "-o", "a.bvh", "--depfile", "./a.bvh"])
        .fails_silently(2, &["the compiled file"]);
    assert_eq!(sandbox.files(), ["cube.bvh", "cube.obj"]);
    assert_eq!(sandbox.read("cube.obj"), CUBE.as_bytes());
}

/// A few bytes that refer to something endless, or claim a terabyte, end with an error.
#[cfg(unix)]
#[test]
fn endless_files_are_errors() {
    let sandbox = with_gltf();
    let text = String::from_utf8(sandbox.read("in put/shape.gltf")).unwrap();
    sandbox.write("in put/endless.gltf", text.replace("shape.bin", "../../../../../../../../dev/zero"));
    sandbox
        .run(&["in put/endless.gltf", "-o", "x.bvh"])
        .fails_silently(3, &["dev/zero", "not a regular file"]);
    let claimed = text.replace(r#""bufferView":0,"#, "").replace("\"count\":4", "\"count\":99999999999");
    sandbox
        .write("in put/claims.gltf", claimed.replace(r#""byteLength":60"#, r#""byteLength":999999999999"#));
    sandbox.run(&["in put/claims.gltf", "-o", "x.bvh"]).fails_silently(1, &["accessors[0]", "all zero"]);
    sandbox.run(&["@/dev/zero"]).fails_silently(3, &["/dev/zero", "more than 64 MiB"]);
    assert!(!sandbox.path("x.bvh").exists());
}

#[test]
fn arguments_may_come_from_a_file() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("my cube.obj", CUBE);
    sandbox.write("args", "'my cube.obj'\n-o \"out put.bvh\" -q\n");
    sandbox.run(&["@args"]).is_silent();
    assert_eq!(sandbox.read("out put.bvh"), sandbox.read("cube.bvh"));
    sandbox.run(&["@none"]).fails_silently(3, &["none: cannot be read"]);
    sandbox.write("open", "'my cube.obj");
    sandbox.run(&["@open"]).fails_silently(2, &["open: a quote"]);
    // A file that names itself is no endless loop: its words stand for themselves.
    sandbox.write("self", "@self -o x.bvh");
    sandbox.run(&["@self"]).fails_silently(3, &["@self: cannot be read"]);
}

fn key(sandbox: &Sandbox, args: &[&str]) -> String {
    let ran = sandbox.run(&[&["key"], args].concat());
    assert_eq!((ran.ok().len(), ran.err.as_str()), (65, ""));
    ran.out
}

#[test]
fn a_key_depends_on_what_the_file_depends_on() {
    let sandbox = with_gltf();
    let cube = key(&sandbox, &["cube.obj"]);
    sandbox.write("copy.obj", CUBE);
    for same in [&["copy.obj"][..], &["cube.obj", "--threads", "1"], &["cube.obj", "--quality", "default"]] {
        assert_eq!(key(&sandbox, same), cube, "{same:?}");
    }
    sandbox.write("other.obj", CUBE.replace("v 1 1 1", "v 1 1 2"));
    let others = [
        &["other.obj"][..],
        &["cube.obj", "--quality", "fast"],
        &["cube.obj", "--meta", "a=b"],
        &["cube.obj", "--scale", "2"],
        &["cube.obj", "--quality", "best"],
        &["cube.obj", "--quality", "best", "--steps", "3"],
    ];
    let mut keys: Vec<String> = others.map(|args| key(&sandbox, args)).into();
    keys.push(cube.clone());
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), others.len() + 1);
    let both = sandbox.run(&["key", "cube.obj", "other.obj"]);
    assert!(both.ok().starts_with(&format!("{}  cube.obj\n", cube.trim_end())), "{}", both.out);
    // The files that a model refers to count.
    let shape = key(&sandbox, &["in put/shape.gltf"]);
    let mut changed = sandbox.read("in put/shape.bin");
    changed[0] = 1;
    sandbox.write("in put/shape.bin", &changed);
    assert_ne!(key(&sandbox, &["in put/shape.gltf"]), shape);
    sandbox.run(&["key", "cube.obj", "--time-budget", "1"]).fails_silently(2, &["--time-budget", "clock"]);
    sandbox.run(&["key", "none.obj"]).fails_silently(3, &["none.obj"]);
    // What cannot be compiled has no key.
    sandbox.write("level.toml", "[[mesh]]\nname = \"a\"\nfile = \"cube.obj\"\n");
    sandbox.run(&["key", "level.toml"]).fails_silently(1, &["level.toml: this is a world's manifest"]);
    sandbox.run(&["cube.obj", "-o", "cube.bvh", "-q"]).is_silent();
    sandbox.run(&["key", "cube.bvh"]).fails_silently(1, &["cube.bvh: this is a compiled bvhc file"]);
}

#[test]
fn a_cache_gives_the_same_files() {
    let sandbox = with_gltf();
    let compile = |model: &str| {
        let ran = sandbox.run(&[model, "-o", "out.bvh", "--cache", "cache", "--json"]);
        let report: Value = serde_json::from_str(ran.ok()).unwrap();
        (report["cached"].as_bool().unwrap(), sandbox.read("out.bvh"), report)
    };
    let (is_cached, first, report) = compile("in put/shape.gltf");
    assert!(!is_cached && report["seconds"]["obb"].is_number());
    let (is_cached, again, cached) = compile("in put/shape.gltf");
    assert!(is_cached && again == first && cached["seconds"]["obb"].is_null());
    for field in ["inputs", "output", "bytes", "blake3", "options", "counts", "trees", "warnings", "obb"] {
        assert_eq!(report[field], cached[field], "{field}");
    }
    // Another folder's copy is the same model; the report has its own path.
    std::fs::create_dir(sandbox.path("copy")).unwrap();
    for name in ["shape.gltf", "shape.bin"] {
        sandbox.write(&format!("copy/{name}"), sandbox.read(&format!("in put/{name}")));
    }
    let (is_cached, again, cached) = compile("copy/shape.gltf");
    assert!(is_cached && again == first);
    assert_eq!(cached["inputs"][1]["path"], in_folder("copy", "shape.bin"));
    // An entry of another key is not believed.
    assert!(!compile("cube.obj").0);
    let entries: Vec<_> = std::fs::read_dir(sandbox.path("cache"))
        .unwrap()
        .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    let [one, other] = &entries[..] else { panic!("{entries:?}") };
    std::fs::copy(one, other).unwrap();
    let found = ["in put/shape.gltf", "cube.obj"].map(|model| compile(model).0);
    assert!(found == [true, false] || found == [false, true], "{found:?}");
    // A damaged entry is compiled again.
    for folder in std::fs::read_dir(sandbox.path("cache")).unwrap() {
        for entry in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            std::fs::write(path, bytes).unwrap();
        }
    }
    let (is_cached, again, _) = compile("in put/shape.gltf");
    assert!(!is_cached && again == first);
    assert!(compile("in put/shape.gltf").0);
    // A cache of no size keeps nothing.
    sandbox.run(&["cube.obj", "-o", "o.bvh", "-q", "--cache", "cache", "--cache-size", "0"]).is_silent();
    assert!(!compile("in put/shape.gltf").0);
    for args in [&["--hermetic", "--cache", "cache"][..], &["--hermetic", "--time-budget", "1"]] {
        sandbox.run(&[&["cube.obj", "-o", "o.bvh"], args].concat()).fails_silently(2, &["--hermetic"]);
    }
    let timed = ["cube.obj", "-o", "o.bvh", "--cache", "cache", "--time-budget", "1"];
    sandbox.run(&timed).fails_silently(2, &["--time-budget", "clock"]);
    sandbox.run(&["cube.obj", "-o", "o.bvh", "-q", "--hermetic"]).is_silent();
}

/// Whatever byte of an entry changes, it is compiled again or says the same.
#[test]
fn damaged_reports_in_a_cache_are_not_believed() {
    let sandbox = Sandbox::with_cube();
    let compile = || {
        let ran = sandbox.run(&["cube.obj", "-o", "out.bvh", "--cache", "cache", "--json"]);
        let mut report: Value = serde_json::from_str(ran.ok()).unwrap();
        let is_cached = report["cached"].take();
        report["seconds"].take();
        (is_cached == true, report)
    };
    let (_, said) = compile();
    let folder = std::fs::read_dir(sandbox.path("cache")).unwrap().next().unwrap().unwrap().path();
    let entry = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&entry).unwrap();
    let head = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for at in (0..=head).step_by(23) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&entry, damaged).unwrap();
        let (is_cached, found) = compile();
        assert!(!is_cached && found == said, "byte {at}");
    }
}

/// A cache may be in a folder with other things.
#[test]
fn a_cache_removes_nothing_but_its_own() {
    let sandbox = Sandbox::with_cube();
    let digits = "0".repeat(62);
    let others = ["assets/precious", "ab/notes", &format!("xy/{digits}"), &format!("ab/{}g", &digits[1..])];
    for other in others {
        std::fs::create_dir_all(sandbox.path(other).parent().unwrap()).unwrap();
        sandbox.write(other, [7; 5000]);
    }
    sandbox.run(&["cube.obj", "-o", "o.bvh", "-q", "--cache", ".", "--cache-size", "0"]).is_silent();
    assert!(others.iter().all(|other| sandbox.read(other) == [7; 5000]));
}

/// Nothing that a model was read from is replaced, by whatever name.
#[test]
fn buffers_are_not_replaced() {
    let sandbox = with_gltf();
    let buffer = sandbox.read("in put/shape.bin");
    let model = "in put/shape.gltf";
    for args in [
        &[model, "-o", "in put/shape.bin"][..],
        &[model, "-o", "in put/../in put/shape.bin", "--cache", "cache"],
        &[model, "-o", "in put/../in put/shape.bin", "--cache", "cache"],
        &[model, "-o", "new.bvh", "--depfile", "in put/shape.bin"],
    ] {
        sandbox.run(args).fails_silently(2, &["shape.bin", "would replace it"]);
        assert!(sandbox.read("in put/shape.bin") == buffer && !sandbox.path("new.bvh").exists(), "{args:?}");
    }
    // As part of a folder of outputs.
    let text = String::from_utf8(sandbox.read(model)).unwrap();
    sandbox.write("in put/other.gltf", text.replace("shape.bin", "other.bvh"));
    sandbox.write("in put/other.bvh", &buffer);
    let ran = sandbox.run(&["in put/other.gltf", "--out-dir", "in put", "-q"]);
    assert_eq!((ran.code, sandbox.read("in put/other.bvh")), (2, buffer.clone()), "{}", ran.err);
    let args = [model, "cube.obj", "--out-dir", "both", "--depfile", "in put/shape.bin", "-q"];
    let ran = sandbox.run(&args);
    assert_eq!((ran.code, sandbox.read("in put/shape.bin")), (2, buffer), "{}", ran.err);
    assert!(sandbox.path("both/cube.bvh").exists());
}

#[test]
fn depfiles_of_standard_input_name_the_other_files() {
    let sandbox = with_gltf();
    let model = sandbox.read("in put/shape.gltf");
    sandbox.write("shape.bin", sandbox.read("in put/shape.bin"));
    sandbox.feed(&["-", "-o", "s.bvh", "-q", "--depfile", "s.d"], &model).is_silent();
    assert_eq!(sandbox.read("s.d"), b"s.bvh: \\\n  shape.bin\n");
}

#[test]
fn only_one_thing_goes_to_standard_output() {
    let sandbox = Sandbox::with_cube();
    for args in [
        ["cube.obj", "-o", "-", "--json"].as_slice(),
        &["cube.obj", "-o", "x.bvh", "--depfile", "-", "--json"],
    ] {
        sandbox.run(args).fails_silently(2, &["--json", "standard output"]);
        assert!(!sandbox.path("x.bvh").exists());
    }
}

#[test]
fn arguments_may_be_in_files_of_windows() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("args", "\u{FEFF}cube.obj\r\n-o\r\nz.bvh\r\n-q\r\n");
    sandbox.run(&["@args"]).is_silent();
    assert_eq!(sandbox.read("z.bvh"), sandbox.read("cube.bvh"));
}

/// Processes that write the same entries at the same time do not disturb each other.
#[test]
fn a_cache_has_many_writers() {
    let sandbox = Sandbox::with_cube();
    let cube = sandbox.read("cube.bvh");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (sandbox, cube) = (&sandbox, &cube);
            scope.spawn(move || {
                for _ in 0..5 {
                    let out = format!("w{writer}.bvh");
                    let size = if writer == 0 { "0" } else { "64" };
                    sandbox
                        .run(&["cube.obj", "-o", &out, "-q", "--cache", "c", "--cache-size", size])
                        .is_silent();
                    assert_eq!(sandbox.read(&out), *cube);
                }
            });
        }
    });
}

#[test]
fn warnings_may_be_errors() {
    let sandbox = with_gltf();
    let text = String::from_utf8(sandbox.read("in put/shape.gltf")).unwrap();
    let text = text.replacen('{', r#"{"extensionsUsed":["ACME_cubes"],"#, 1);
    sandbox.write("in put/odd.gltf", text);
    let ran = sandbox.run(&["in put/odd.gltf", "-o", "odd.bvh"]);
    ran.ok();
    assert!(
        ran.err.starts_with("warning: in put/odd.gltf: the extension ACME_cubes is ignored\n"),
        "{}",
        ran.err
    );
    sandbox
        .run(&["in put/odd.gltf", "-o", "strict.bvh", "--warnings-as-errors"])
        .fails_silently(1, &["in put/odd.gltf", "ACME_cubes", "--warnings-as-errors"]);
    assert!(!sandbox.path("strict.bvh").exists());
    sandbox.run(&["cube.obj", "-o", "strict.bvh", "-q", "--warnings-as-errors"]).is_silent();
}

#[test]
fn too_little_memory_is_refused_early() {
    let sandbox = Sandbox::with_cube();
    let refused = ["cube.obj", "-o", "x.bvh", "--memory-limit", "0"];
    sandbox.run(&refused).fails_silently(1, &["cube.obj", "12 triangles", "the limit of 0 MiB"]);
    sandbox.run(&["cube.obj", "-o", "x.bvh", "-q", "--memory-limit", "64"]).is_silent();
}

#[test]
fn vertices_are_placed_as_asked() {
    let sandbox = Sandbox::with_cube();
    let args = ["cube.obj", "-o", "p.bvh", "--axis=x,z,-y", "--scale", "0.5", "--weld", "0.01", "--json"];
    let report: Value = serde_json::from_str(sandbox.run(&args).ok()).unwrap();
    assert_eq!(report["options"], "--quality default --axis x,z,-y --scale 0.5 --weld 0.01");
    assert_eq!(report["welded"], 0);
    sandbox.run(&["verify", "p.bvh", "--against", "cube.obj"]).ok();
    let json: Value = serde_json::from_str(sandbox.run(&["inspect", "p.bvh", "--json"]).ok()).unwrap();
    assert_eq!(json["bounds"]["min"], serde_json::json!([0.0, 0.0, -0.5]));
    assert_eq!(json["bounds"]["max"], serde_json::json!([0.5, 0.5, 0.0]));
    for (flag, words) in
        [("--axis=x,y,y", "axes"), ("--scale=0", "greater than 0"), ("--weld=-1", "distance")]
    {
        sandbox.run(&["cube.obj", "-o", "x.bvh", flag]).fails_silently(2, &[words]);
    }
    // A mirror image has its fronts outside: a ray from outside still meets a front.
    sandbox.run(&["cube.obj", "-o", "m.bvh", "-q", "--axis", "-x,y,z"]).is_silent();
    let ray = sandbox.feed(&["query", "ray", "m.bvh"], b"-0.3 0.4 5  0 0 -1\n");
    let plain = sandbox.feed(&["query", "ray", "cube.bvh"], b"0.3 0.4 5  0 0 -1\n");
    let normal = |line: &str| line.trim_end().rsplit(',').next().map(str::to_owned);
    assert_eq!(normal(ray.ok()), normal(plain.ok()));
}

#[test]
fn the_version_tells_build_systems_what_they_need() {
    let version: Value = serde_json::from_str(Sandbox::new().run(&["--version", "--json"]).ok()).unwrap();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["output_revision"], bvhc::OUTPUT_REVISION);
    assert!(version["format"].as_str().unwrap().starts_with("3."));
}

#[test]
fn shells_and_man_are_served() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(sandbox.run(&["completions", shell]).ok().contains("out-dir"), "{shell}");
    }
    sandbox.run(&["man", "pages"]).is_silent();
    let page = String::from_utf8(sandbox.read("pages/bvhc-compile.1")).unwrap();
    assert!(page.contains("out\\-dir"), "{page}");
}
