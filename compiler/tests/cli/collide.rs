//! `bvhc query collide A B`

use serde_json::Value;

use crate::support::Sandbox;

const HEADER: &str = "collides,pairs\n";

/// The cube against itself, at these poses.
fn ask(args: &[&str], poses: &str) -> String {
    let collide = ["query", "collide", "cube.bvh", "cube.bvh"];
    Sandbox::with_cube().feed(&[&collide, args].concat(), poses.as_bytes()).ok().to_owned()
}

/// No rotation, and this translation.
fn shift(translation: &str) -> String {
    format!("1 0 0  0 1 0  0 0 1  {translation}\n")
}

#[test]
fn yes_and_no() {
    let poses = ["0.5 0.25 0.125", "2 0 0", "1 1 1", "1.0000001 0 0"].map(shift).concat();
    // A shared corner counts as contact; the pose is in double precision.
    assert_eq!(ask(&[], &poses), format!("{HEADER}1,\n0,\n1,\n0,\n"));
}

#[test]
fn pairs_are_counted() {
    // The quarter turn (x, y) -> (-y, x) takes the cube to x <= 0: two squares coincide.
    let poses = shift("1 1 1") + &shift("0 0 1.5") + "0 -1 0, 1 0 0, 0 0 1, 0 0 0\n";
    let rows = ask(&["--pairs"], &poses);
    let pairs: Vec<u64> =
        rows.lines().skip(1).map(|row| row.split_once(',').unwrap().1.parse().unwrap()).collect();
    assert!(rows.starts_with(HEADER) && rows.lines().count() == 4, "{rows}");
    // At the corner (1, 1, 1), 5 triangles of one cube meet 4 of the other; the numbers depend on the quads' diagonals.
    assert!((9..=36).contains(&pairs[0]), "{rows}");
    assert_eq!(pairs[1], 0);
    assert!(pairs[2] > 4 && pairs[2] < 144, "{rows}");
    assert!(rows.lines().nth(1).unwrap().starts_with("1,") && rows.lines().nth(2) == Some("0,0"), "{rows}");
}

#[test]
fn it_is_the_second_model_that_moves() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("far.obj", "v 3 0 0\nv 3 1 0\nv 3 0 1\nf 1 2 3\n");
    sandbox.run(&["far.obj", "-o", "far.bvh", "-q"]).is_silent();
    // Half a turn around z takes x = 3 to x = -3, and the translation then moves it into the cube.
    let pose = b"-1 0 0  0 -1 0  0 0 1  3.5 0.5 0\n";
    let far_moves = sandbox.feed(&["query", "collide", "cube.bvh", "far.bvh"], pose);
    assert_eq!(far_moves.ok(), format!("{HEADER}1,\n"));
    let pose = shift("3.5 0 0");
    let cube_moves = sandbox.feed(&["query", "collide", "cube.bvh", "far.bvh"], pose.as_bytes());
    assert_eq!(cube_moves.ok(), format!("{HEADER}0,\n"));
    let pose = shift("2.5 0 0");
    let cube_moves = sandbox.feed(&["query", "collide", "far.bvh", "cube.bvh"], pose.as_bytes());
    assert_eq!(cube_moves.ok(), format!("{HEADER}1,\n"));
}

#[test]
fn answers_are_the_same_without_oriented_boxes() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.obj", "-o", "plain.bvh", "-q", "--trees", "aabb"]).is_silent();
    let poses = ["0 0 0", "0.5 0.5 0.5", "1 0 0", "3 0 0"].map(shift).concat()
        + "0.36 0.48 -0.8 -0.8 0.6 0 0.48 0.64 0.6 1 0 0";
    let [both, first, none] = [["cube.bvh"; 2], ["cube.bvh", "plain.bvh"], ["plain.bvh"; 2]]
        .map(|[a, b]| sandbox.feed(&["query", "collide", a, b, "--pairs"], poses.as_bytes()).ok().to_owned());
    assert_eq!(both.lines().count(), 6);
    assert!(both == first && both == none, "{both}{first}{none}");
    let asked = ["query", "collide", "cube.bvh", "plain.bvh", "--volume", "obb"];
    sandbox.feed(&asked, poses.as_bytes()).fails_silently(1, &["cube.bvh, plain.bvh", "Oriented boxes"]);
}

#[test]
fn volumes_may_be_chosen() {
    let sandbox = Sandbox::with_cube();
    let trees = ["--trees", "aabb,obb,kdop", "--kdop-tables", "profile"];
    sandbox.run(&[&["cube.obj", "-o", "kdops.bvh", "-q"], &trees[..]].concat()).is_silent();
    let poses = ["0 0 0", "0.5 0.5 0.5", "1 0 0", "3 0 0"].map(shift).concat();
    let ask = |file: &str, volume: &str| {
        let args: Vec<_> = ["query", "collide", file, file, "--pairs"]
            .into_iter()
            .chain(volume.split_whitespace())
            .collect();
        sandbox.feed(&args, poses.as_bytes())
    };
    let expected = ask("cube.bvh", "").ok().to_owned();
    for volume in [
        "obb",
        "aabb",
        "kdop",
        "kdop --realign axes",
        "kdop --realign triples",
        "kdop --realign profile",
        "kdop --realign hull",
    ] {
        assert_eq!(ask("kdops.bvh", &format!("--volume {volume}")).ok(), expected, "{volume}");
    }
    ask("kdops.bvh", "--volume kdop --realign occupancy").fails_silently(1, &["kdops.bvh", "occupancy"]);
    ask("cube.bvh", "--volume kdop").fails_silently(1, &["cube.bvh", "k-DOPs", "triples"]);
    ask("kdops.bvh", "--realign axes").fails_silently(2, &["--realign is for --volume kdop"]);
    ask("kdops.bvh", "--volume sphere").fails_silently(2, &["--volume", "sphere"]);
}

#[test]
fn swept_spheres_may_be_chosen() {
    let sandbox = Sandbox::with_cube();
    // If several pairs meet, it is not specified which one is reported.
    let meeting = ["0 0 0", "0.5 0.5 0.5", "1 0 0", "3 0 0"].map(shift).concat();
    let apart = ["1.5 0 0", "2 3 4", "0.1 -5 0.2"].map(shift).concat();
    let ask = |query: &[&str]| {
        let poses = if query[0] == "collide" { &meeting } else { &apart };
        sandbox.feed(&[&["query"], query].concat(), poses.as_bytes())
    };
    for volume in ["rss", "lss", "pss", "hybrid"] {
        let trees = format!("aabb,obb,{volume}");
        sandbox.run(&["cube.obj", "-o", "swept.bvh", "-q", "--trees", &trees]).is_silent();
        assert!(sandbox.run(&["inspect", "swept.bvh"]).ok().contains("swept-tree"));
        let told: Value =
            serde_json::from_str(sandbox.run(&["inspect", "swept.bvh", "--json"]).ok()).unwrap();
        let (tree, of) = (&told["trees"][2], |core: &str| told["trees"][2]["cores"][core].as_u64().unwrap());
        assert_eq!(tree["nodes"], of("points") + of("lines") + of("rectangles"));
        if let Some(index) = ["pss", "lss", "rss"].iter().position(|same| *same == volume) {
            assert_eq!(tree["nodes"], of(["points", "lines", "rectangles"][index]));
        }
        assert_eq!(sandbox.run(&["verify", "swept.bvh"]).code, 0);
        for query in ["collide", "distance"] {
            let expected = ask(&[query, "swept.bvh", "swept.bvh"]).ok().to_owned();
            let found = ask(&[query, "swept.bvh", "swept.bvh", "--volume", volume]);
            assert_eq!(found.ok(), expected, "{query} {volume}");
            let none = ask(&[query, "cube.bvh", "swept.bvh", "--volume", volume]);
            none.fails_silently(1, &["cube.bvh", &format!("--trees {volume}")]);
        }
    }
    sandbox
        .run(&["cube.obj", "-o", "x.bvh", "--trees", "rss,hybrid"])
        .fails_silently(2, &["one of rss, lss, pss, hybrid"]);
}

#[test]
fn samples_may_be_chosen() {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.obj", "-o", "samples.bvh", "-q", "--trees", "aabb,obb,samples"]).is_silent();
    let inspected = sandbox.run(&["inspect", "samples.bvh"]).ok().to_owned();
    assert!(inspected.contains("\nsamples ") && inspected.contains("\n  samples     "), "{inspected}");
    let told: Value = serde_json::from_str(sandbox.run(&["inspect", "samples.bvh", "--json"]).ok()).unwrap();
    assert_eq!(told["trees"][1]["sample_bytes"], 64 * told["trees"][1]["nodes"].as_u64().unwrap());
    assert_eq!(sandbox.run(&["verify", "samples.bvh"]).code, 0);
    let poses = ["1.5 0 0", "2 3 4", "0.1 -5 0.2"].map(shift).concat();
    let ask = |query: &[&str]| sandbox.feed(&[&["query", "distance"], query].concat(), poses.as_bytes());
    let expected = ask(&["cube.bvh", "cube.bvh"]).ok().to_owned();
    assert_eq!(ask(&["samples.bvh", "samples.bvh", "--volume", "samples"]).ok(), expected);
    ask(&["cube.bvh", "samples.bvh", "--volume", "samples"])
        .fails_silently(1, &["cube.bvh", "--trees samples"]);
}

#[test]
fn poses_may_come_from_a_file() {
    let sandbox = Sandbox::with_cube();
    let comments = format!("\u{feff}# R, T\r\n\r\n{}1,0,0, 0,1,0, 0,0,1, 5,5,5 # away", shift("0 0 0.5"));
    sandbox.write("poses.txt", comments);
    let collide = ["query", "collide", "cube.bvh", "cube.bvh", "--poses"];
    let run = |file| sandbox.run(&[&collide[..], &[file]].concat());
    assert_eq!(run("poses.txt").ok(), format!("{HEADER}1,\n0,\n"));
    run("none.txt").fails_silently(3, &["none.txt", "cannot be read"]);
    let dash = sandbox.feed(&[&collide[..], &["-"]].concat(), shift("9 9 9").as_bytes());
    assert_eq!(dash.ok(), format!("{HEADER}0,\n"));
}

#[test]
fn a_malformed_pose_is_named_and_nothing_follows() {
    let sandbox = Sandbox::with_cube();
    let good = shift("0 0 0");
    for (bad, reason) in [
        ("1 0 0 0 1 0 0 0 1 0 0", "found 11 numbers, but a collide query takes 12"),
        ("1 0 0 0 1 0 0 0 1 0 0 0 0", "found 13 numbers"),
        ("1 0 0 0 x 0 0 0 1 0 0 0", "`x` is not a number"),
        ("1 0 0,,0 1 0 0 0 1 0 0 0", "comma"),
        ("1 0 0 0 1 nan 0 0 1 0 0 0", "r23 is NaN"),
        ("1 0 0 0 1 0 0 0 1 0 inf 0", "y is inf"),
        ("1 0 0 0 1 0 0 0 1 0 1e19 0", "translation reaches to 1e19"),
        ("1 0 0 0 1 0 0 0 1.001 0 0 0", "it scales, its rows have the lengths 1, 1 and 1.001"),
        ("-1 0 0 0 1 0 0 0 1 0 0 0", "it mirrors"),
        ("1 0 0 0.1 1 0 0 0 1 0 0 0", "it scales"),
    ] {
        sandbox.write("poses", format!("{good}# comment\n\n{bad}\n{good}"));
        let ran = sandbox.run(&["query", "collide", "cube.bvh", "cube.bvh", "--poses", "poses"]);
        ran.fails(1, &["poses, line 4", reason]);
        assert_eq!(ran.out, format!("{HEADER}1,\n"), "{bad}");
    }
    // A rotation with few digits is accepted.
    assert_eq!(ask(&[], "0.70711 -0.70711 0 0.70711 0.70711 0 0 0 1 0 0 0"), format!("{HEADER}1,\n"));
}

#[test]
fn either_file_is_named_where_it_is_none() {
    let sandbox = Sandbox::with_cube();
    let run = |a, b| sandbox.run(&["query", "collide", a, b]);
    run("cube.obj", "cube.bvh").fails_silently(1, &["cube.obj", "magic"]);
    run("cube.bvh", "cube.obj").fails_silently(1, &["cube.obj", "magic"]);
    run("cube.bvh", "none.bvh").fails_silently(3, &["none.bvh", "cannot be read"]);
}

#[test]
fn a_query_of_too_many_steps_says_so() {
    let pose = shift("0.5 0.25 0.125");
    for args in [&["--max-steps", "1"][..], &["--max-steps", "1", "--pairs"]] {
        assert_eq!(ask(args, &pose), format!("{HEADER}exhausted,\n"));
    }
    assert_eq!(ask(&["--max-steps", "1000"], &pose), format!("{HEADER}1,\n"));
    let distance = ["query", "distance", "cube.bvh", "cube.bvh", "--max-steps", "0"];
    let rows = Sandbox::with_cube().feed(&distance, pose.as_bytes()).ok().to_owned();
    assert_eq!(rows.lines().nth(1), Some("exhausted,,,,,,,,"));
}
