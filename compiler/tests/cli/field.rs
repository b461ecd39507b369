//! `--field`, `bvhc query field` and `bvhc export`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use bvhc_runtime::{Field, LoadedModel};

use crate::support::Sandbox;

fn with_field() -> Sandbox {
    let sandbox = Sandbox::with_cube();
    sandbox.run(&["cube.obj", "-o", "field.bvh", "--field", "20", "--band", "2", "--quiet"]).is_silent();
    sandbox
}

#[test]
fn samples_are_rows() {
    let rows =
        with_field().feed(&["query", "field", "field.bvh"], b"0.5 0.5 1.05\n0.5 0.5 0.5\n").ok().to_owned();
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0], ["distance", "gx", "gy", "gz", "error"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f32>().unwrap();
    assert!((number(1, 0) - 0.05).abs() <= number(1, 4) && number(1, 3) > 0.9, "{rows:?}");
    assert_eq!(number(2, 0), -0.1);
}

#[test]
fn options_are_told_and_reproduced() {
    let sandbox = with_field();
    let inspected = sandbox.run(&["inspect", "field.bvh"]);
    for word in ["--field 20 --band 2", "within 0.1 of the surface", "in 8 bits"] {
        assert!(inspected.ok().contains(word), "{word}: {}", inspected.ok());
    }
    sandbox.run(&["verify", "field.bvh"]).ok();
    for wrong in [["--field", "1"], ["--field", "99999"], ["--band", "3"]] {
        sandbox.run(&[&["cube.obj", "-o", "x.bvh"][..], &wrong].concat()).fails_silently(2, &["--field"]);
    }
}

#[test]
fn files_without_a_field_have_nothing_to_export() {
    let sandbox = Sandbox::with_cube();
    let reason = ["cube.bvh", "--field"];
    sandbox.run(&["export", "nanovdb", "cube.bvh", "-o", "cube.nvdb"]).fails_silently(1, &reason);
    sandbox.feed(&["query", "field", "cube.bvh"], b"").fails_silently(1, &reason);
    assert_eq!(sandbox.files(), ["cube.bvh", "cube.obj"]);
}

/// NanoVDB's own reader, if its headers are here, finds the grid valid and reads the same values.
#[test]
fn nanovdb_reads_the_grid() {
    let sandbox = with_field();
    sandbox.run(&["export", "nanovdb", "field.bvh", "-o", "field.nvdb"]).ok();
    let program = sandbox.path("reader");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cpp/nanovdb.cpp");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-w"]).arg(source).arg("-o").arg(&program);
    if !compiler.output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no g++, or there are no headers of NanoVDB (libnanovdb-dev)");
        return;
    }
    let model = LoadedModel::read(sandbox.path("field.bvh")).unwrap();
    let (model, mut questions) = (model.model(), String::new());
    let field = model.field().unwrap();
    let points = voxels(&field);
    points.iter().for_each(|[x, y, z]| questions += &format!("{x} {y} {z}\n"));
    let mut command = Command::new(program);
    command.arg(sandbox.path("field.nvdb")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut reader = command.spawn().unwrap();
    let mut input = reader.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(questions.as_bytes()));
    let output = reader.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let active = model.sections().field().unwrap().active.to_native();
    let (count, voxel) = text.lines().next().unwrap().split_once(' ').unwrap();
    assert_eq!((count.parse(), voxel.parse()), (Ok(active), Ok(field.voxel())));
    for (point, row) in points.iter().zip(text.lines().skip(1)) {
        let (value, is_active) = row.split_once(' ').unwrap();
        let expected = field.value_at(*point);
        assert_eq!(value.parse::<f32>().unwrap(), expected, "{point:?}");
        assert_eq!(is_active == "1", expected.abs() < field.band(), "{point:?}");
    }
    assert_eq!(text.lines().count(), points.len() + 1);
}

/// Some ten thousand voxels of the lattice, and a few beyond it.
fn voxels(field: &Field<'_>) -> Vec<[u32; 3]> {
    let [columns, rows, layers] = field.points();
    let all = (0..columns + 3).flat_map(|x| (0..rows).flat_map(move |y| (0..layers).map(move |z| [x, y, z])));
    all.step_by(3).collect()
}
