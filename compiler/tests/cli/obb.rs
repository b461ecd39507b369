//! `bvhc MODEL -o OUT --trees aabb,obb --obb-...`

use serde_json::{Value, json};

use crate::support::Sandbox;

/// A bowl of 12 by 12 quads: enough for the options to make a difference.
fn bowl() -> String {
    const SIDE: i32 = 12;
    let mut text = String::new();
    for (x, y) in (0..=SIDE).flat_map(|y| (0..=SIDE).map(move |x| (x, y))) {
        let height = f64::from((x - 5).pow(2) + (y - 7).pow(2)) / 20.0;
        text += &format!("v {x} {y} {height}\n");
    }
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let corner = y * (SIDE + 1) + x + 1;
        text += &format!("f {corner} {} {} {}\n", corner + 1, corner + SIDE + 2, corner + SIDE + 1);
    }
    text
}

fn with_bowl() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("bowl.obj", bowl());
    sandbox
}

/// Compiles the bowl and returns the report and the file.
fn compile(sandbox: &Sandbox, args: &[&str]) -> (Value, Vec<u8>) {
    let ran = sandbox.run(&[&["bowl.obj", "-o", "bowl.bvh", "--json"], args].concat());
    let report = serde_json::from_str(ran.ok()).expect("JSON");
    sandbox.run(&["verify", "bowl.bvh", "--against", "bowl.obj"]).ok();
    (report, sandbox.read("bowl.bvh"))
}

/// The options recorded in the file.
fn told(sandbox: &Sandbox) -> String {
    let json: Value = serde_json::from_str(sandbox.run(&["inspect", "bowl.bvh", "--json"]).ok()).unwrap();
    json["options"].as_str().expect("a text").to_owned()
}

#[test]
fn defaults_may_be_spelt_out_and_are_not_told() {
    let sandbox = with_bowl();
    let (report, plain) = compile(&sandbox, &[]);
    assert_eq!(told(&sandbox), "--quality default");
    let spelt =
        "--trees aabb,obb --obb-fit descent --obb-objective volume --obb-split kinematic --leaf-size 4";
    assert!(compile(&sandbox, &spelt.split_whitespace().collect::<Vec<_>>()).1 == plain);
    let wanted =
        json!({ "fit": "descent", "objective": "volume", "split": "kinematic", "leaf_size": 4, "seed": 0 });
    assert_eq!([&report["obb"], &report["options"]], [&wanted, &json!("--quality default")]);
    assert_eq!([&report["trees"][0]["kind"], &report["trees"][1]["kind"]], [16, 17]);
}

#[test]
fn what_a_file_tells_makes_the_same_file_again() {
    let sandbox = with_bowl();
    let plain = compile(&sandbox, &[]).1;
    for options in [
        "--trees aabb",
        "--obb-fit covariance",
        "--obb-fit hull-covariance --obb-objective collision",
        "--obb-fit dito14 --obb-split longest-axis-median",
        "--obb-fit dito26 --obb-split longest-axis-mean --leaf-size 1",
        "--obb-fit covariance --obb-split fitted-axis-median",
        "--obb-fit memetic --obb-objective collision --obb-split fitted-axis-midpoint --leaf-size 2 --seed 5",
        "--obb-objective collision --obb-split fitted-axis-midpoint --leaf-size 2",
        "--obb-fit genetic --ga-population 10 --ga-generations 3 --ga-crossover 0.25 --ga-mutation 0.1 \
         --ga-gap 0.7 --seed 18446744073709551615",
        "--obb-fit memetic --memetic-population 3 --memetic-patience 2 --memetic-widest 20.5 --memetic-narrowest 0.1 --seed 7",
        "--obb-fit exact --leaf-size 3",
    ] {
        let (report, bytes) = compile(&sandbox, &options.split_whitespace().collect::<Vec<_>>());
        let told = told(&sandbox);
        assert_eq!(told, format!("--quality default {options}"));
        assert_eq!(report["options"], told);
        assert!(bytes != plain, "{options}");
        assert!(compile(&sandbox, &told.split_whitespace().collect::<Vec<_>>()).1 == bytes, "{options}");
    }
}

#[test]
fn a_file_without_oriented_boxes_has_none() {
    let sandbox = with_bowl();
    let (report, _) = compile(&sandbox, &["--trees", "aabb"]);
    assert_eq!([&report["obb"], &report["seconds"]["obb"]], [&Value::Null; 2]);
    assert_eq!(report["trees"].as_array().unwrap().len(), 1);
    let text = sandbox.run(&["inspect", "bowl.bvh"]);
    assert!(text.ok().contains("aabb-tree") && !text.ok().contains("obb-tree:"));
}

#[test]
fn the_least_time_is_without_oriented_boxes() {
    let sandbox = with_bowl();
    let (report, plain) = compile(&sandbox, &["--quality", "fast"]);
    assert_eq!([&report["obb"], &report["options"]], [&Value::Null, &json!("--quality fast")]);
    assert!(compile(&sandbox, &["--quality", "fast", "--trees", "aabb"]).1 == plain);
    let asked = ["--quality", "fast", "--trees", "aabb,obb"];
    let (report, _) = compile(&sandbox, &asked);
    assert_eq!(report["options"], json!(asked.join(" ")));
    assert_eq!([&report["trees"][0]["kind"], &report["trees"][1]["kind"]], [16, 17]);
    sandbox
        .run(&["bowl.obj", "-o", "x.bvh", "--quality", "fast", "--obb-fit", "dito14"])
        .fails_silently(2, &["--obb-fit", "--trees aabb,obb"]);
}

/// The same for trees of k-DOPs.
#[test]
fn kdops_are_told_and_made_again() {
    let sandbox = with_bowl();
    for options in [
        "--trees aabb,kdop",
        "--trees aabb,kdop --kdop-k 26 --kdop-tables occupancy",
        "--trees aabb,obb,kdop --obb-fit dito14 --kdop-k 12 --kdop-tables profile",
        "--trees aabb,kdop --kdop-split longest-axis-median",
        "--trees aabb,kdop --kdop-split longest-direction-midpoint",
    ] {
        let (report, bytes) = compile(&sandbox, &options.split_whitespace().collect::<Vec<_>>());
        let told = told(&sandbox);
        assert_eq!(told, format!("--quality default {options}"));
        assert!(compile(&sandbox, &told.split_whitespace().collect::<Vec<_>>()).1 == bytes, "{options}");
        let k = if options.contains("26") {
            26
        } else if options.contains("12") {
            12
        } else {
            14
        };
        assert_eq!(report["kdop"]["k"], k);
        assert_eq!(report["trees"].as_array().unwrap().last().unwrap()["kind"], 18);
        assert!(sandbox.run(&["inspect", "bowl.bvh"]).ok().contains("kdop-tree"));
    }
    for flag in ["--kdop-k 14", "--kdop-tables none", "--kdop-split kinematic"] {
        let args: Vec<_> = ["bowl.obj", "-o", "x.bvh"].into_iter().chain(flag.split(' ')).collect();
        sandbox.run(&args).fails_silently(2, &[args[3], "is for --trees aabb,kdop"]);
    }
    sandbox
        .run(&["bowl.obj", "-o", "x.bvh", "--trees", "kdop", "--kdop-k", "8"])
        .fails_silently(2, &["--kdop-k", "8"]);
}

/// The same for trees of swept spheres, with and without the oriented boxes that they are made from.
#[test]
fn swept_spheres_are_told_and_made_again() {
    let sandbox = with_bowl();
    for options in [
        "--trees aabb,rss",
        "--trees aabb,obb,lss --obb-fit dito14",
        "--trees aabb,obb,kdop,pss",
        "--trees aabb,obb,hybrid",
    ] {
        let (report, bytes) = compile(&sandbox, &options.split_whitespace().collect::<Vec<_>>());
        let told = told(&sandbox);
        assert_eq!(told, format!("--quality default {options}"));
        assert!(compile(&sandbox, &told.split_whitespace().collect::<Vec<_>>()).1 == bytes, "{options}");
        assert!(options.contains(report["swept"].as_str().unwrap()));
        assert_eq!(report["trees"].as_array().unwrap().last().unwrap()["kind"], 19);
    }
}

/// The same for samples.
#[test]
fn samples_are_told_and_made_again() {
    let sandbox = with_bowl();
    for options in ["--trees aabb,obb,samples", "--trees aabb,obb,samples,kdop,pss --obb-fit dito14"] {
        for layout in ["", "--layout small "] {
            let options = format!("--quality default {layout}{options}");
            let (report, bytes) = compile(&sandbox, &options.split_whitespace().collect::<Vec<_>>());
            let told = told(&sandbox);
            assert_eq!(told, options);
            assert!(compile(&sandbox, &told.split_whitespace().collect::<Vec<_>>()).1 == bytes, "{options}");
            assert_eq!(report["samples"], true);
        }
    }
}

#[test]
fn flags_without_effect_are_refused() {
    let sandbox = with_bowl();
    let refuses = |args: &str, words: &[&str]| {
        let args: Vec<_> = ["bowl.obj", "-o", "x.bvh"].into_iter().chain(args.split_whitespace()).collect();
        sandbox.run(&args).fails_silently(2, words);
    };
    for flag in
        ["--obb-fit dito14", "--obb-objective volume", "--obb-split kinematic", "--leaf-size 4", "--seed 0"]
    {
        let (name, _) = flag.split_once(' ').unwrap();
        refuses(&format!("--trees aabb {flag}"), &[&format!("{name} is for --trees aabb,obb")]);
    }
    refuses("--trees aabb --ga-gap 0.5", &["--ga-gap is for --trees aabb,obb"]);
    refuses("--trees aabb,samples", &["--trees samples is for --trees aabb,obb"]);
    refuses("--seed 1 --obb-fit covariance", &["--seed is for --obb-fit genetic and --obb-fit memetic"]);
    for flag in ["population 9", "generations 9", "crossover 0.9", "mutation 0.9", "gap 0.9"] {
        refuses(&format!("--ga-{flag}"), &["--ga-", "is for --obb-fit genetic"]);
    }
    for flag in ["population 9", "patience 9", "widest 9", "narrowest 9"] {
        let wrong = format!("--obb-fit genetic --memetic-{flag}");
        refuses(&wrong, &["--memetic-", "is for --obb-fit memetic"]);
    }
    assert_eq!(sandbox.files(), ["bowl.obj"]);
}

#[test]
fn values_out_of_range_are_refused() {
    let sandbox = with_bowl();
    for (flag, value) in [
        ("--obb-fit", "sphere"),
        ("--obb-objective", "weight"),
        ("--obb-split", "random"),
        ("--leaf-size", "0"),
        ("--leaf-size", "5"),
        ("--seed", "-1"),
        ("--ga-population", "1"),
        ("--ga-generations", "many"),
        ("--ga-crossover", "1.5"),
        ("--ga-mutation", "nan"),
        ("--ga-gap", "-0.1"),
        ("--memetic-population", "1"),
        ("--memetic-patience", "2000000000000"),
        ("--memetic-widest", "0"),
        ("--memetic-narrowest", "181"),
    ] {
        let argument = format!("{flag}={value}");
        sandbox.run(&["bowl.obj", "-o", "x.bvh", &argument]).fails_silently(2, &[flag, value]);
    }
}
