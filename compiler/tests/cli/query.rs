//! `bvhc query KIND FILE`

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::Sandbox;

fn ask(kind: &str, input: &str) -> String {
    Sandbox::with_cube().feed(&["query", kind, "cube.bvh"], input.as_bytes()).ok().to_owned()
}

#[test]
fn rays() {
    let rows = ask("ray", "0.25 0.5 5 0 0 -2\n0.5,0.5,-1, 0,0,1\n5 .25 .5 -1 0 0 # right\n9 9 9 1 0 0\n");
    assert!(rows.starts_with("hit,t,u,v,face,material,group,nx,ny,nz\n1,2,"), "{rows}");
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[1].ends_with(",1,\"red, \"\"bright\"\"\",Box,0,0,1"), "{rows}");
    assert!(lines[2].starts_with("1,1,") && lines[2].ends_with(",Box,0,0,-1"), "{rows}");
    assert!(lines[3].starts_with("1,4,") && lines[3].ends_with(",3,blue,side,1,0,0"), "{rows}");
    assert_eq!(lines[4], "0,,,,,,,,,");
}

#[test]
fn a_range_limits_a_ray() {
    let rays =
        "0.5 0.25 5 0 0 -1 4.5\n0.5 0.25 5 0 0 -1 0 3.5\n0.5 0.25 5 0 0 -1 0 inf\n0.5 0.25 5 0 0 -1 4 4\n";
    assert_eq!(ask("any", rays), "hit\n1\n0\n1\n1\n");
    let rows = ask("ray", rays);
    let ts: Vec<&str> = rows.lines().skip(1).map(|row| row.split(',').nth(1).unwrap()).collect();
    assert_eq!(ts, ["5", "", "4", "4"]);
}

#[test]
fn points() {
    let rows = ask("point", "0.5 0.25 3\n0.5 0.25 3 1.5\n0.5 0.25 3, 2\n");
    assert_eq!(rows, "found,distance,x,y,z,face\n1,2,0.5,0.25,1,1\n0,,,,,\n1,2,0.5,0.25,1,1\n");
}

#[test]
fn boxes_and_balls_list_each_face_once() {
    let rows = ask(
        "box",
        "-1 -1 -1 2 2 2\n0.2 0.2 0.9 0.8 0.8 1.1\n5 5 5 6 6 6\n2 2 2 1 1 1\n1 1 1 2 2 2\n-inf -inf -inf inf inf inf\n",
    );
    assert_eq!(rows, "count,faces\n6,0 1 2 3 4 5\n1,1\n0,\n0,\n3,1 3 4\n6,0 1 2 3 4 5\n");
    let rows =
        ask("sphere", "0.5 0.5 0.5 0.5\n0.5 0.5 0.5 0.49\n0.5 0.25 2 1\n0 0 0 0\n0 0 0 -1\n9 9 9 inf\n");
    assert_eq!(rows, "count,faces\n6,0 1 2 3 4 5\n0,\n1,1\n3,0 2 5\n0,\n6,0 1 2 3 4 5\n");
}

/// The cube is closed: numbers are integers.
#[test]
fn insides_and_signed_distances() {
    let points = "0.5 0.25 0.75\n0.5 0.25 3\n1 0.25 0.75\n";
    assert_eq!(ask("inside", points), "place,winding\nin,1\nout,0\non,\n");
    let rows = ask("signed-distance", points);
    assert_eq!(rows, "distance,x,y,z,face\n-0.25,0.5,0.25,1,1\n2,0.5,0.25,1,1\n0,1,0.25,0.75,3\n");
}

/// A quad is open: its number has a fraction, and far away it is outside.
#[test]
fn insides_of_open_models() {
    let sandbox = Sandbox::new();
    sandbox.write("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    sandbox.run(&["quad.obj", "-o", "quad.bvh", "-q"]).is_silent();
    let rows = sandbox.feed(&["query", "inside", "quad.bvh"], b"0.5 0.5 -0.5\n0.5 0.5 0").ok().to_owned();
    let (place, winding) = rows.lines().nth(1).unwrap().split_once(',').unwrap();
    // From the middle of a cube each side takes a sixth.
    assert!(place == "out" && (winding.parse::<f64>().unwrap() - 1.0 / 6.0).abs() < 1e-12, "{rows}");
    assert_eq!(rows.lines().nth(2), Some("on,"));
    let told = sandbox.run(&["inspect", "quad.bvh"]).ok().to_owned();
    assert!(told.contains("open, with a boundary of 4 edges; 4 edges of one triangle"), "{told}");
}

#[test]
fn floats_read_back_to_the_same_bits() {
    let sandbox = Sandbox::new();
    sandbox.write("thin.obj", "v 0.1 0 0\nv 0.3 0 1e-7\nv 0.1 0.7 3e-9\nf 1 2 3\n");
    sandbox.run(&["thin.obj", "-o", "thin.bvh", "-q"]).is_silent();
    let rows = sandbox.feed(&["query", "point", "thin.bvh"], b"0.123456789 0.234567891 1e-3").ok().to_owned();
    let model = bvhc_runtime::LoadedModel::read(sandbox.path("thin.bvh")).unwrap();
    let nearest = model.model().closest_point([0.123_456_79, 0.234_567_9, 1e-3], f32::INFINITY).unwrap();
    let row = rows.lines().nth(1).unwrap();
    let read: Vec<u32> =
        row.split(',').skip(1).map(|field| field.parse::<f32>().unwrap().to_bits()).collect();
    let [x, y, z] = nearest.point.map(f32::to_bits);
    assert_eq!(read[..4], [nearest.distance.to_bits(), x, y, z]);
}

#[test]
fn comments_blank_lines_and_line_ends() {
    let rows = ask("any", "\u{feff}# header\r\n\r\n  \t\n0.5 0.25 5 0 0 -1\r\n#\n0.5\t0.25 , 5 0 0 1 # away");
    assert_eq!(rows, "hit\n1\n0\n");
    assert_eq!(ask("any", ""), "hit\n");
}

#[test]
fn queries_may_come_from_a_file() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("rays.txt", "0.5 0.25 5 0 0 -1\n");
    assert_eq!(sandbox.run(&["query", "any", "cube.bvh", "--input", "rays.txt"]).ok(), "hit\n1\n");
    let dash = sandbox.feed(&["query", "any", "cube.bvh", "--input", "-"], b"0 0 5 1 0 0\n");
    assert_eq!(dash.ok(), "hit\n0\n");
    let none = sandbox.run(&["query", "any", "cube.bvh", "--input", "none.txt"]);
    none.fails_silently(3, &["none.txt", "cannot be read"]);
}

#[test]
fn a_malformed_line_is_named_and_nothing_follows() {
    let sandbox = Sandbox::with_cube();
    let good = "0.5 0.25 5 0 0 -1\n";
    for (bad, reason) in [
        ("1 2 3 4 5", "found 5 numbers"),
        ("1 2 3 4 5 6 7 8 9", "found 9 numbers"),
        ("a b c d e f", "`a` is not a number"),
        ("0 0 0,,0 0 1", "comma"),
        ("0 0 0 0 0 0", "direction is zero"),
        ("nan 0 0 0 0 1", "ox is NaN"),
        ("0 0 0 0 inf 1", "dy is inf"),
        ("0 1e40 0 0 0 1", "oy is inf"),
        ("0 0 0 0 0 1 nan", "t_min is NaN"),
    ] {
        let input = format!("{good}# comment\n\n{bad}\n{good}");
        let ran = sandbox.feed(&["query", "any", "cube.bvh"], input.as_bytes());
        ran.fails(1, &["standard input, line 4", reason]);
        assert_eq!(ran.out, "hit\n1\n", "{bad}");
    }
    sandbox.write("points", "0 0\n");
    let ran = sandbox.run(&["query", "point", "cube.bvh", "--input", "points"]);
    ran.fails(1, &["points, line 1", "point", "3 or 4"]);
    let ran = sandbox.feed(&["query", "sphere", "cube.bvh"], b"0 0 0 \xFF\n");
    ran.fails(1, &["line 1", "UTF-8"]);
}

#[test]
fn each_answer_comes_before_the_next_question() {
    let sandbox = Sandbox::with_cube();
    let mut child = sandbox
        .command(&["query", "any", "cube.bvh"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || answers.next().unwrap().unwrap();
    assert_eq!(next(), "hit");
    for (ray, hit) in [("0.5 0.25 5 0 0 -1", "1"), ("0.5 0.25 5 0 0 1", "0")] {
        writeln!(questions, "{ray}").unwrap();
        assert_eq!(next(), hit);
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

/// Each of these ended the process, or took all memory.
#[cfg(unix)]
#[test]
fn endless_and_sparse_inputs_are_errors() {
    let sandbox = Sandbox::with_cube();
    std::fs::File::create(sandbox.path("sparse.bvh")).unwrap().set_len(1 << 40).unwrap();
    let cube = sandbox.read("cube.bvh");
    sandbox.write("long.bvh", &cube);
    std::fs::File::options().write(true).open(sandbox.path("long.bvh")).unwrap().set_len(1 << 40).unwrap();
    for file in ["sparse.bvh", "long.bvh", "/dev/zero"] {
        sandbox.run(&["inspect", file]).fails_silently(1, &[file]);
        sandbox.run(&["verify", file]).fails_silently(1, &[file]);
        sandbox.run(&["query", "any", file]).fails_silently(1, &[file]);
    }
    sandbox.run(&["/dev/zero", "-o", "x.bvh"]).fails_silently(1, &["/dev/zero", "byte 0 is zero"]);
    let ran = sandbox.run(&["query", "any", "cube.bvh", "--input", "/dev/zero"]);
    ran.fails(1, &["/dev/zero, line 1", "longer than 1048576 bytes"]);
}

#[test]
fn shapes_overlap_faces() {
    let rows = ask(
        "overlap",
        "ball 0.5 0.5 1.5 0.5\nball 0.5 0.5 1.5 0.49\ncapsule 0.5 0.5 3 0.5 0.5 1.25 0.25\nbox 0.5 0.5 2 .1 .1 1\n\
         cylinder 0.5 0.5 1 0.5 0.5 2 0.25\ntriangle 2 0 0 2 1 0 1 .5 .5\npoints 1 0.5 0.5 0.5 0.5 # inside\nball 0 0 0 -1\n",
    );
    assert_eq!(rows, "count,faces\n1,1\n0,\n1,1\n1,1\n1,1\n1,3\n6,0 1 2 3 4 5\n0,\n");
}

#[test]
fn shapes_have_contacts() {
    let rows = ask("touches", "ball 0.25 0.5 1.25 0.5\nball 0.25 0.5 2 0.5\nball 0 0 0 -1\n");
    // The other half of the top, on the diagonal, and the side, at its upper edge.
    assert_eq!(
        rows,
        "count,contacts\n3,1/-0.25/0.25/0.5/1/0/0/1 1/-0.19381379/0.375/0.375/1/-0.4082483/0.4082483/0.8164966 \
         5/-0.14644662/0/0.5/1/0.70710677/0/0.70710677\n0,\n0,\n"
    );
    let sandbox = Sandbox::with_cube();
    let near = ["query", "touches", "cube.bvh", "--margin", "0.2", "--manifold", "--edge-angle", "1"];
    sandbox.feed(&near, b"").fails_silently(1, &["cube.bvh: has no edges", "--edges"]);
    sandbox.run(&["cube.obj", "-o", "cube.bvh", "--edges", "--quiet"]).is_silent();
    let ran = sandbox.feed(&near, b"ball 0.25 0.5 1.6875 0.5\nbox .5 .5 1.25 .25 .25 .125\n");
    assert!(
        ran.out.starts_with("count,contacts\n1,1/0.1875/0.25/0.5/1/0/0/1\n4,1/0.125/0.25/0.25/1/0/0/1 "),
        "{}",
        ran.out
    );
    sandbox
        .feed(&["query", "touches", "cube.bvh", "--margin", "-1"], b"")
        .fails(2, &["--margin", "negative"]);
    let few = sandbox.feed(&["query", "touches", "cube.bvh"], b"ball 0 0 0\n");
    few.fails(1, &["line 1", "3 numbers", "bvhc query touches --help"]);
}

#[test]
fn shapes_stop_before_they_touch() {
    let rows =
        ask("cast", "ball 0.5 0.5 3 0.5 0 0 -3\nbox .5 .5 9 .1 .1 .1 0 0 -1\nball .5 .5 1.25 .5 0 0 -1\n");
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines[0], "hit,t,x,y,z,nx,ny,nz,face,depth");
    let fields: Vec<f64> = lines[1].split(',').map(|field| field.parse().unwrap()).collect();
    assert!(fields[1] <= 0.5 && fields[1] > 0.5 - 1e-6, "{rows}");
    assert_eq!([0, 2, 3, 4, 5, 6, 7, 8, 9].map(|k| fields[k]), [1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(lines[2], "0,,,,,,,,,");
    assert_eq!(lines[3], "1,0,0.5,0.5,1,0,0,1,1,0.25");
}
