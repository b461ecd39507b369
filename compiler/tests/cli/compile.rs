//! `bvhc MODEL -o OUT`

use serde_json::{Value, json};

use crate::support::{CUBE, Sandbox};

#[test]
fn a_model_is_compiled_and_summed_up() {
    let sandbox = Sandbox::new();
    sandbox.write("cube.obj", CUBE);
    let ran = sandbox.run(&["cube.obj", "-o", "cube.bvh"]);
    assert_eq!(ran.ok(), "");
    for word in ["cube.obj", "8 faces", "12 triangles", "cube.bvh", "dropped 1 triangle", "dropped 1 face"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
    sandbox.run(&["verify", "cube.bvh", "--against", "cube.obj"]).ok();
}

#[test]
fn the_word_compile_changes_nothing() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["compile", "cube.obj", "-o", "other.bvh", "-q"]).is_silent();
    assert_eq!(sandbox.read("cube.bvh"), sandbox.read("other.bvh"));
}

#[test]
fn standard_input_and_output_do_as_well() {
    let sandbox = Sandbox::with_cube();
    let ran = sandbox.feed(&["-", "-o", "-", "--quiet"], CUBE.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(ran.bytes, sandbox.read("cube.bvh"));
    let verbose = sandbox.run(&["cube.obj", "-o", "-", "--verbose"]);
    assert_eq!(verbose.bytes, ran.bytes);
    for word in ["cost", "serialise", "aabb-tree", "obb-tree", "leaves"] {
        assert!(verbose.err.contains(word), "{word}: {}", verbose.err);
    }
    // The longest name of a stage stands in the column of the others.
    let verbose = sandbox.run(&["cube.obj", "-o", "-", "--verbose", "--intersections"]);
    let times = verbose.err.lines().filter(|line| line.ends_with(" s") && !line.contains("->"));
    let lengths: Vec<usize> = times.map(str::len).collect();
    assert!(lengths.len() > 5 && lengths.iter().all(|length| *length == lengths[0]), "{}", verbose.err);
    sandbox.feed(&["-", "-o", "x.bvh"], b"v 0 0 0\n").fails_silently(1, &["standard input", "no triangle"]);
}

#[test]
fn threads_do_not_change_the_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("waves.obj", waves());
    for options in ["--quality=fast", "--quality=default", "--quality=best", "--layout=small"] {
        let [one, two, seven] = ["1", "2", "7"].map(|threads| {
            let ran = sandbox.run(&["waves.obj", "-o", "-", "-q", "--threads", threads, options]);
            ran.ok();
            ran.bytes
        });
        assert!(one == two && one == seven, "{options}");
        sandbox.write("waves.bvh", &one);
        sandbox.run(&["verify", "waves.bvh", "--against", "waves.obj"]).ok();
    }
}

#[test]
fn what_a_budget_allowed_makes_the_same_file() {
    let sandbox = Sandbox::new();
    sandbox.write("waves.obj", waves());
    let compile = |options: &str| {
        let options: Vec<_> = options.split_whitespace().collect();
        let ran = sandbox.run(&[&["waves.obj", "-o", "w.bvh", "--json"], &options[..]].concat());
        let report: Value = serde_json::from_str(ran.ok()).expect("JSON");
        (report["options"].as_str().expect("text").to_owned(), sandbox.read("w.bvh"))
    };
    for options in [
        "--time-budget 0.5",
        // The first search takes almost no time.
        "--obb-fit genetic --ga-population 2 --ga-gap 1 --ga-generations 0 --time-budget 1",
        "--quality best --time-budget 0.5",
        "--quality best --obb-fit dito14 --time-budget 0.2",
        "--quality best --time-budget 0",
    ] {
        let (told, timed) = compile(options);
        let (again, untimed) = compile(&told);
        assert!(again == told && untimed == timed, "{options}: {told}; {again}");
    }
    let usage = |args: &[&str], words: &[&str]| {
        sandbox.run(&[&["waves.obj", "-o", "x.bvh"], args].concat()).fails_silently(2, words);
    };
    usage(&["--steps", "3"], &["--quality best"]);
    usage(&["--trees", "aabb", "--time-budget", "1"], &["--quality best"]);
    usage(&["--obb-fit", "exact", "--time-budget", "1"], &["--obb-fit descent", "--obb-fit memetic"]);
    usage(&["--quality", "best", "--steps", "3", "--time-budget", "1"], &["cannot be used with"]);
    usage(&["--quality", "best", "--time-budget", "soon"], &["not a number of seconds"]);
}

/// 60 by 60 quads: enough for a build to be split into several tasks.
fn waves() -> String {
    const SIDE: usize = 60;
    let mut text = String::new();
    for y in 0..=SIDE {
        for x in 0..=SIDE {
            text += &format!("v {x} {y} {}\n", (x * x + 3 * y) % 11);
        }
    }
    for y in 0..SIDE {
        for x in 0..SIDE {
            let corner = y * (SIDE + 1) + x + 1;
            text += &format!("f {corner} {} {} {}\n", corner + 1, corner + SIDE + 2, corner + SIDE + 1);
        }
    }
    text
}

#[test]
fn json_is_one_object_about_the_work() {
    let sandbox = Sandbox::new();
    sandbox.write("cube.obj", CUBE);
    let ran = sandbox.run(&["cube.obj", "-o", "cube.bvh", "--json", "--quiet"]);
    assert_eq!(ran.err, "");
    let json: Value = serde_json::from_str(ran.ok()).unwrap();
    let bytes = sandbox.read("cube.bvh");
    assert_eq!(json["inputs"][0]["path"], "cube.obj");
    assert_eq!(json["inputs"][0]["bytes"], CUBE.len());
    assert_eq!(json["inputs"][0]["blake3"], blake3::hash(CUBE.as_bytes()).to_hex().as_str());
    assert_eq!(json["output"], "cube.bvh");
    assert_eq!(json["bytes"], bytes.len());
    assert_eq!(json["blake3"], blake3::hash(&bytes).to_hex().as_str());
    let share = json["bytes_per_triangle"].as_f64().unwrap();
    assert!((share * 12.0 - bytes.len() as f64).abs() < 1e-6);
    let counts = &json["counts"];
    assert_eq!([&counts["faces"], &counts["vertices"], &counts["triangles"]], [8, 8, 12]);
    assert_eq!([&json["dropped"]["triangles"], &json["dropped"]["faces"]], [1, 1]);
    assert_eq!([&json["trees"][0]["nodes"], &json["trees"][0]["depth"]], [1, 1]);
    for stage in ["read", "import", "clean", "build", "layout", "obb", "serialise", "write", "total"] {
        assert!(json["seconds"][stage].as_f64().is_some_and(|seconds| seconds >= 0.0), "{stage}");
    }
}

/// A sheet whose coordinates are not on a lattice.
fn uneven() -> String {
    waves().replace("v ", "v 0.3")
}

#[test]
fn a_small_layout_is_smaller_and_says_how_far_vertices_moved() {
    let sandbox = Sandbox::new();
    sandbox.write("uneven.obj", uneven());
    let compile = |layout: &str| {
        let ran = sandbox.run(&["uneven.obj", "-o", "out.bvh", "--layout", layout, "--json"]);
        sandbox.run(&["verify", "out.bvh", "--against", "uneven.obj"]).ok();
        (serde_json::from_str::<Value>(ran.ok()).unwrap(), ran.err)
    };
    let (fast, told) = compile("fast");
    assert!(!told.contains("moved"), "{told}");
    assert_eq!([&fast["layout"], &fast["position_error"]], [&json!("fast"), &json!(0.0)]);
    let (small, told) = compile("small");
    let error = small["position_error"].as_f64().unwrap();
    // Blocks are less than 16 quads wide, and half a step is 2^-17 of up to twice that.
    assert!(error > 0.0 && error < 32.0 / 131_072.0, "{error}");
    assert!(told.contains("vertices moved by up to"), "{told}");
    assert_eq!(small["layout"], "small");
    // Compare the AABB tree with its blocks: sections other than these do not shrink as much.
    let blocks = |report: &Value| report["trees"][0]["bytes"].as_u64().unwrap();
    assert!(blocks(&small) * 3 < blocks(&fast) * 2);
    assert!(small["bytes"].as_u64() < fast["bytes"].as_u64());
    // Both record the options they were made with.
    let inspected = sandbox.run(&["inspect", "out.bvh"]);
    for word in ["--layout small", "packed-blocks", "from the source's on each axis"] {
        assert!(inspected.ok().contains(word), "{word}: {}", inspected.out);
    }
    let json: Value = serde_json::from_str(sandbox.run(&["inspect", "out.bvh", "--json"]).ok()).unwrap();
    assert_eq!(json["position_error"].as_f64(), Some(error));
    assert_eq!(json["split_triangles"], 0);
    let kinds: Vec<_> = json["sections"].as_array().unwrap().iter().map(|section| &section["kind"]).collect();
    assert_eq!(kinds, [1, 2, 4, 7, 16, 17]);
}

#[test]
fn bad_models_are_refused_with_place_and_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    sandbox.run(&["nan.obj", "-o", "x.bvh"]).fails_silently(1, &["nan.obj, line 2", "not a finite"]);
    sandbox.write("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    sandbox.run(&["range.obj", "-o", "x.bvh"]).fails_silently(1, &["range.obj, line 4", "vertex 4"]);
    sandbox.write("empty.obj", "");
    sandbox.run(&["empty.obj", "-o", "x.bvh"]).fails_silently(1, &["empty.obj", "no triangle"]);
    sandbox.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    sandbox.run(&["flat.obj", "-o", "x.bvh"]).fails_silently(1, &["flat.obj", "zero area"]);
    sandbox.write("walk.bvh", "HIERARCHY\nROOT Hips\n{\n}\n");
    sandbox.run(&["walk.bvh", "-o", "x.bvh"]).fails_silently(1, &["walk.bvh", "motion-capture"]);
    assert!(!sandbox.path("x.bvh").exists());
}

#[test]
fn a_compiled_file_is_no_model() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.bvh", "-o", "x.bvh"]).fails_silently(1, &["cube.bvh", "compiled bvhc file"]);
}

#[test]
fn a_missing_model_is_an_error_of_the_system() {
    let sandbox = Sandbox::new();
    sandbox.run(&["none.obj", "-o", "x.bvh"]).fails_silently(3, &["none.obj", "cannot be read"]);
    sandbox.run(&[".", "-o", "x.bvh"]).fails_silently(3, &[".: cannot be read"]);
}

/// Standard input is judged by its start, of which only the whole length would show that it is binary STL.
#[test]
fn formats_are_told_by_content() {
    let sandbox = Sandbox::new();
    sandbox.write("a.obj", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    sandbox.run(&["a.obj", "-o", "a.bvh", "-q"]).is_silent();
    sandbox.run(&["verify", "a.bvh", "--against", "a.obj"]).ok();
    let mut stl = b"solid by name only".to_vec();
    stl.resize(80, b' ');
    stl.extend(2000u32.to_le_bytes());
    for triangle in 0..2000u16 {
        let x = f32::from(triangle);
        stl.extend([0; 12]);
        stl.extend([x, 0.0, 0.0, x + 1.0, 0.0, 0.0, x, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
        stl.extend([0; 2]);
    }
    let ran = sandbox.feed(&["-", "-o", "stl.bvh", "--json"], &stl);
    let report: Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!([&report["counts"]["faces"], &report["counts"]["vertices"]], [2000, 4001]);
    let cut = sandbox.feed(&["-", "-o", "x.bvh"], &stl[..70_000]);
    cut.fails_silently(1, &["standard input, triangle 1398", "the rest of 2000 triangles"]);
}

#[test]
fn other_formats_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("a.fbx", "Kaydara FBX Binary\0");
    sandbox.run(&["a.fbx", "-o", "x.bvh"]).fails_silently(1, &["a.fbx", "this is FBX", "bvhc reads", "OBJ"]);
}

/// The library's `compile` returns the bytes that the command line writes.
#[test]
fn the_library_compiles_the_same_bytes() {
    use bvhc::{Options, Quality};
    let sandbox = Sandbox::with_cube();
    for (name, quality) in [("fast", Quality::Fast), ("default", Quality::Default)] {
        sandbox.run(&["cube.obj", "-o", "cube.bvh", "-q", "--quality", name]).is_silent();
        let compiled = bvhc::compile(CUBE.as_bytes(), "cube.obj", &Options::of(quality)).unwrap();
        assert_eq!(sandbox.read("cube.bvh"), compiled.bytes[..], "{name}");
    }
}

/// A mesh in memory gets the same trees as the same mesh in a file.
#[test]
fn a_mesh_in_memory_compiles_as_well() {
    use bvhc::{Options, Quality};
    use bvhc_runtime::Model;
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]];
    let source = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nf 1 2 3\nf 1 3 4\n";
    let options = Options::of(Quality::Fast);
    let of_mesh = bvhc::compile_mesh(&positions, &[[0, 1, 2], [0, 2, 3]], &options).unwrap();
    let of_file = bvhc::compile(source.as_bytes(), "a.obj", &options).unwrap();
    let [of_mesh, of_file] =
        [&of_mesh, &of_file].map(|compiled| Model::from_bytes(&compiled.bytes).expect("it opens"));
    bvhc::verify::verify(&bvhc::compile_mesh(&positions, &[[0, 1, 2]], &options).unwrap().bytes).unwrap();
    let triangles = |model: &Model<'_>| model.triangles().collect::<Vec<_>>();
    assert_eq!(triangles(&of_mesh), triangles(&of_file));
    assert_ne!(of_mesh.sections().metadata().source_hash, of_file.sections().metadata().source_hash);
}

#[test]
fn faces_that_cross_themselves_are_counted_and_kept() {
    let sandbox = Sandbox::new();
    let star = "v 0 3 0\nv 2 -3 0\nv -3 1 0\nv 3 1 0\nv -2 -3 0\nf 1 2 3 4 5\nf 1 2 3\n";
    // A face of many corners over three vertices, which took minutes.
    let over = format!("f{}\n", " 1 2 3".repeat(3000));
    sandbox.write("star.obj", format!("{star}{over}"));
    let ran = sandbox.run(&["star.obj", "-o", "star.bvh", "--json"]);
    let report: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!(report["fans"], 2, "{report}");
    assert!(ran.err.contains("2 faces with edges that cross or touch"), "{}", ran.err);
}
