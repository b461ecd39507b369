//! `bvhc query distance A B`

use crate::support::Sandbox;

const HEADER: &str = "distance,ax,ay,az,bx,by,bz,face_a,face_b\n";

/// The cube against itself, at these poses.
fn ask(args: &[&str], poses: &str) -> String {
    let distance = ["query", "distance", "cube.bvh", "cube.bvh"];
    Sandbox::with_cube().feed(&[&distance, args].concat(), poses.as_bytes()).ok().to_owned()
}

/// No rotation, and this translation.
fn shift(translation: &str) -> String {
    format!("1 0 0  0 1 0  0 0 1  {translation}\n")
}

/// The numbers of a row.
fn numbers(row: &str) -> Vec<f64> {
    row.split(',').map(|field| field.parse().unwrap()).collect()
}

#[test]
fn distances_points_and_faces() {
    let rows = ask(&[], &["3 4.5 1", "4 5 -1"].map(shift).concat());
    assert!(rows.starts_with(HEADER) && rows.lines().count() == 3, "{rows}");
    // Corner against edge: the cubes extend from 0 to 1.
    let row = numbers(rows.lines().nth(1).unwrap());
    assert_eq!(row[0], (4.0f64 + 12.25).sqrt());
    assert_eq!((row[1], row[2], row[4], row[5]), (1.0, 1.0, 3.0, 4.5));
    assert!(row[3] == row[6] && row[7] < 6.0 && row[8] < 6.0);
    let row = numbers(rows.lines().nth(2).unwrap());
    assert_eq!(row[..7], [5.0, 1.0, 1.0, 0.0, 4.0, 5.0, 0.0]);
}

#[test]
fn what_meets_is_no_distance_apart() {
    let rows = ask(&[], &["0.5 0.25 0.125", "1 1 1"].map(shift).concat());
    let rows: Vec<_> = rows.lines().skip(1).map(numbers).collect();
    assert!(rows.iter().all(|row| row[0] == 0.0 && row[1..4] == row[4..7]));
    assert_eq!(rows[1][1..4], [1.0; 3]);
}

#[test]
fn a_limit_leaves_fields_empty() {
    let poses = ["1.5 0 0", "2 0 0", "2.000001 0 0"].map(shift).concat();
    let rows = ask(&["--within", "1"], &poses);
    let rows: Vec<_> = rows.lines().skip(1).collect();
    assert!(rows[0].starts_with("0.5,1,") && rows[1].starts_with("1,1,"), "{rows:?}");
    assert_eq!(rows[2], ",,,,,,,,");
}

#[test]
fn errors_that_are_allowed_are_kept() {
    let poses = ["2 3 4", "-2 0.5 0.25"].map(shift).concat();
    let exact: Vec<f64> = ask(&[], &poses).lines().skip(1).map(|row| numbers(row)[0]).collect();
    for (args, most) in [(["--abs-error", "0.5"], [0.5, 0.5]), (["--rel-error", "0.1"], [0.3, 0.1])] {
        let rows = ask(&args, &poses);
        let found: Vec<f64> = rows.lines().skip(1).map(|row| numbers(row)[0]).collect();
        assert_eq!(found.len(), 2);
        for index in 0..2 {
            let off = found[index] - exact[index];
            assert!((0.0..=most[index]).contains(&off), "{args:?}: {off}");
        }
    }
}

#[test]
fn volumes_may_be_chosen() {
    // If several pairs meet, it is not specified which one is reported.
    let poses = ["1.5 0 0", "3 0 0", "3 4.5 1"].map(shift).concat();
    let expected = ask(&[], &poses);
    for volume in ["obb", "aabb"] {
        assert_eq!(ask(&["--volume", volume], &poses), expected, "{volume}");
    }
    let sandbox = Sandbox::with_cube();
    let distance = ["query", "distance", "cube.bvh", "cube.bvh", "--volume"];
    let run = |volume| sandbox.feed(&[&distance[..], &[volume]].concat(), poses.as_bytes());
    run("kdop").fails_silently(1, &["cube.bvh", "k-DOPs"]);
    run("ball").fails_silently(2, &["--volume", "ball"]);
}

#[test]
fn wrong_arguments_and_poses_are_named() {
    let sandbox = Sandbox::with_cube();
    let run = |args: &[&str]| sandbox.run(&[&["query", "distance", "cube.bvh"], args].concat());
    run(&[]).fails_silently(2, &["<B>"]);
    for bad in ["-1", "nan", "x"] {
        let within = format!("--within={bad}");
        run(&["cube.bvh", &within]).fails_silently(2, &["--within"]);
    }
    run(&["cube.bvh", "--abs-error", "1", "--rel-error", "1"]).fails_silently(2, &["--rel-error"]);
    let ran = sandbox.feed(&["query", "distance", "cube.bvh", "cube.bvh"], b"1 2 3\n");
    ran.fails(1, &["line 1", "found 3 numbers, but a distance query takes 12"]);
    assert_eq!(ran.out, HEADER);
}
