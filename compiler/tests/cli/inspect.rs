//! `bvhc inspect FILE`

use serde_json::{Value, json};

use crate::support::{CUBE, Sandbox};

#[test]
fn json_holds_all_there_is_to_say() {
    let sandbox = Sandbox::with_cube();
    let ran = sandbox.run(&["inspect", "cube.bvh", "--json"]);
    let json: Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!(json["format"], "3.0");
    assert_eq!([&json["triangles"], &json["vertices"]], [12, 8]);
    assert_eq!(json["bounds"], json!({ "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 1.0] }));
    assert_eq!(json["source"]["blake3"], blake3::hash(CUBE.as_bytes()).to_hex().as_str());
    assert_eq!([&json["source"]["bytes"], &json["source"]["faces"]], [CUBE.len(), 8]);
    assert_eq!(json["dropped"], json!({ "triangles": 1, "faces": 1 }));
    assert_eq!(json["names"], json!({ "materials": 2, "groups": 1, "objects": 1 }));
    assert_eq!(json["options"], "--quality default");
    assert!(json["compiler"].as_str().unwrap().starts_with("bvhc "));
    let tree = &json["trees"][0];
    assert_eq!([&tree["nodes"], &tree["depth"], &tree["leaves"]], [1, 1, 1]);
    assert_eq!([&tree["node_fill"], &tree["block_fill"]], [0.0625, 0.75]);
    let share = tree["bytes_per_triangle"].as_f64().unwrap();
    // A node and a block.
    assert!((share * 12.0 - 768.0).abs() < 1e-6);
    assert!(tree["sah_cost"].as_f64().unwrap() > 1.0);
}

#[test]
fn json_tells_of_the_tree_of_oriented_boxes() {
    let sandbox = Sandbox::with_cube();
    let json: Value = serde_json::from_str(sandbox.run(&["inspect", "cube.bvh", "--json"]).ok()).unwrap();
    let names: Vec<_> = json["trees"].as_array().unwrap().iter().map(|tree| &tree["name"]).collect();
    assert_eq!(names, ["aabb-tree", "obb-tree"]);
    let tree = &json["trees"][1];
    // Twelve triangles need at least three leaves, and one or two levels of nodes.
    assert_eq!([&tree["kind"], &tree["references"]], [17, 12]);
    assert!((3..=12).contains(&tree["leaves"].as_u64().unwrap()), "{tree}");
    assert!((1..=2).contains(&tree["depth"].as_u64().unwrap()), "{tree}");
    assert!(tree["bytes"].as_u64().unwrap() > 0 && tree["sah_cost"].as_f64().unwrap() > 0.0);
    let section = json["sections"].as_array().unwrap().last().unwrap();
    // A reader that does not know the section may skip it.
    assert_eq!([&section["name"], &section["required"]], [&json!("obb-tree"), &json!(false)]);
}

#[test]
fn sections_are_where_json_says() {
    let sandbox = Sandbox::with_cube();
    let bytes = sandbox.read("cube.bvh");
    let json: Value = serde_json::from_str(sandbox.run(&["inspect", "cube.bvh", "--json"]).ok()).unwrap();
    assert_eq!(json["bytes"], bytes.len());
    let sections = json["sections"].as_array().unwrap();
    let kinds: Vec<_> = sections.iter().map(|section| section["kind"].as_u64().unwrap()).collect();
    assert_eq!(kinds, [1, 2, 7, 16, 17]);
    for section in sections {
        let number = |field: &str| section[field].as_u64().unwrap() as usize;
        let payload = &bytes[number("offset")..][..number("length")];
        assert_eq!(section["hash"], blake3::hash(payload).to_hex().as_str());
        assert_eq!(section["version"], 1);
        assert!(section["name"].is_string());
    }
}

#[test]
fn text_names_what_there_is() {
    let ran = Sandbox::with_cube().run(&["inspect", "cube.bvh"]);
    for word in [
        "cube.bvh",
        "format 3.0",
        "12",
        "geometry",
        "metadata",
        "aabb-tree",
        "obb-tree",
        "cost",
        "\n  block fill  75.0 %\n",
        "\n  leaf fill   100.0 %\n",
        "2 materials",
    ] {
        assert!(ran.ok().contains(word), "{word}");
    }
    assert_eq!(ran.err, "");
}

#[test]
fn users_keys_and_values_are_told() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.obj", "-o", "meta.bvh", "--meta", "b=c=d", "--meta", "author=me"]).ok();
    let ran = sandbox.run(&["inspect", "meta.bvh"]);
    assert!(ran.ok().contains("author=me\n") && ran.ok().contains("b=c=d\n"), "{}", ran.ok());
    let json: Value = serde_json::from_str(sandbox.run(&["inspect", "meta.bvh", "--json"]).ok()).unwrap();
    assert_eq!(json["user_metadata"], json!({ "author": "me", "b": "c=d" }));
    assert_eq!(json["meshes"], 1);
    let twice = ["cube.obj", "-o", "twice.bvh", "--meta", "a=1", "--meta", "a=2"];
    sandbox.run(&twice).fails_silently(2, &["--meta", "twice"]);
}

#[test]
fn what_is_no_file_of_ours_is_called_what_it_is() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("walk.bvh", "HIERARCHY\nROOT Hips\n");
    for command in [&["inspect"][..], &["verify"], &["query", "ray"]] {
        let run = |file| sandbox.run(&[command, &[file]].concat());
        run("walk.bvh").fails_silently(1, &["walk.bvh", "motion-capture"]);
        run("cube.obj").fails_silently(1, &["cube.obj", "magic"]);
        run("none.bvh").fails_silently(3, &["none.bvh", "cannot be read"]);
    }
}
