use super::*;
use crate::import::Counted;
use crate::mesh::Names;
use bvhc_format::record::AttributeRun;
use bvhc_format::{MAX_COORDINATE, NONE};

/// An index that no integer type has.
const HUGE: &str = "99999999999999999999999";

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn import(text: impl AsRef<[u8]>) -> Polygons {
    crate::import::read(text.as_ref(), "a.obj").unwrap_or_else(|error| panic!("{error}"))
}

/// The faces with their corners' positions.
fn faces(polygons: &Polygons) -> Vec<Vec<[f32; 3]>> {
    let mut start = 0;
    let mut face = |&end: &u32| {
        let corners = &polygons.corners[start..end as usize];
        start = end as usize;
        corners.iter().map(|&corner| polygons.positions[corner as usize]).collect()
    };
    polygons.ends.iter().map(&mut face).collect()
}

fn fault(text: impl AsRef<[u8]>) -> (u64, LineFault) {
    match crate::import::read(text.as_ref(), "a.obj") {
        Err(ImportError::Line { file, line, fault }) => {
            assert_eq!(file, "a.obj");
            (line, fault)
        }
        other => panic!("{other:?}"),
    }
}

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];

#[test]
fn every_way_to_write_a_triangle() {
    for face in [
        "f 1 2 3",
        "  f\t1  2 \t 3 \t",
        "f 1/1 2/2 3/3",
        "f 1//1 2//2 3//3",
        "f 1/1/1 2/2/2 3/3/3",
        // Texture coordinates and normals are ignored.
        "f 1/99 2//-99 3/x",
        "f -4 -3 -2",
        "f -4//-1 2 -2/1/1",
        "f +1 2 3 # a comment",
        "f 1 2 3 #a comment \\",
        "f 1 \\\n 2 \\\r\n 3",
        "f 1 \\  \n2 3\\\n",
    ] {
        for end in ["\n", "\r\n", ""] {
            let polygons = import(format!("{SQUARE}vn 0 0 1\nvt 0 0\n{face}{end}"));
            assert_eq!(faces(&polygons), [TRIANGLE], "{face:?}");
        }
    }
}

#[test]
fn every_way_to_write_a_vertex() {
    for vertex in [
        "v 1 2 3",
        "\tv  1.0e0\t2. +3 ",
        "v 1 2 3 1",
        "v 2 4 6 2",
        "v -.5 -1 -1.5 -0.5",
        "v 1 2 3 0.5 0.25 1",
        "v 1 2 3 0.5 0.25 1 1",
        "v 1 2 3 0.5 0.25",
        "v 1 2 3 255 255 255 255 7 8",
        "v 1 2 3 # x y z",
        "v 1 2 3 #",
        "v 1 2\\\n3",
        "v 100000000000000000000e-20 0.2E+1 3e0",
    ] {
        let polygons = import(format!("{vertex}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
        assert_eq!(polygons.positions[0], [1.0, 2.0, 3.0], "{vertex:?}");
    }
}

#[test]
fn carriage_returns_alone_end_lines() {
    let polygons = import(format!("{SQUARE}f 1 2 3\n").replace('\n', "\r"));
    assert_eq!(faces(&polygons), [TRIANGLE]);
    assert_eq!(fault("v 0 0 0\rv 1 0 x\r").0, 2);
}

#[test]
fn carriage_returns_within_lines_are_refused() {
    for line in [
        "v 1 0 0\rv 5 5 5",
        "# a comment\rv 5 5 5",
        "f 1 2 3\rf 2 3 4",
        "o a\rb",
        "f 1 \\\r 2 3",
        "f 1 2\\\n3\r4",
    ] {
        for end in ["\n", "\r\n"] {
            let text = format!("{SQUARE}{line}{end}f 1 2 3{end}");
            assert_eq!(fault(&text), (5, LineFault::CarriageReturn), "{text:?}");
        }
    }
    let polygons = import(format!("\r{SQUARE}\r\n# a comment \r\r\nf 1 2 3 \\\r\n\r"));
    assert_eq!(faces(&polygons), [TRIANGLE]);
}

#[test]
fn faces_may_come_before_their_vertices() {
    let polygons = import(format!("f 1 2 3\n{SQUARE}"));
    assert_eq!(faces(&polygons), [TRIANGLE]);
    let polygons = import("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 9 9 9\nv 8 8 8\nf -5 -4 -3");
    assert_eq!(faces(&polygons), [TRIANGLE, TRIANGLE]);
}

#[test]
fn polygons_and_short_faces_keep_their_numbers() {
    let polygons =
        import(format!("f 1 2\n{SQUARE}f 1 2 3\nf 1\nf\nl 1 2\np 1\nf 1 2 3 4\nf 2 3\nf 2 3 4 1 2\nf 1 2"));
    let sizes: Vec<usize> = faces(&polygons).iter().map(Vec::len).collect();
    assert_eq!(sizes, [0, 3, 0, 0, 4, 0, 5, 0]);
    assert_eq!(faces(&polygons)[1], TRIANGLE);
    assert_eq!(polygons.source_vertices, 4);
    let triangles_only = import(format!("f 1 2\n{SQUARE}f 1 2 3\nf 4\nf 2 3 4"));
    assert_eq!(triangles_only.ends, [0, 3, 3, 6]);
}

#[test]
fn names_hold_for_the_faces_below_them() {
    let polygons = import(format!(
        "{SQUARE}o unused\nf 1 2 3\nusemtl a b\nusemtl red #1\no box\nf 1 2 3\nf 1 2 3\ng  left \t front\nf 1 2\n\
         usemtl blue\nf 1 2 3\nusemtl red #1\ng\nf 1 2 3\no\nusemtl\nf 1 2 3\n"
    ));
    let names = Names {
        materials: vec!["red #1".into(), "blue".into()],
        groups: vec!["left front".into()],
        objects: vec!["unused".into(), "box".into()],
    };
    assert_eq!(polygons.names, names);
    let run =
        |first_triangle, material, group, object| AttributeRun { first_triangle, material, group, object };
    let runs = [
        run(0, NONE, NONE, 0),
        run(1, 0, NONE, 1),
        run(3, 0, 0, 1),
        run(4, 1, 0, 1),
        run(5, 0, NONE, 1),
        run(6, NONE, NONE, NONE),
    ];
    assert_eq!(polygons.face_runs, runs);
}

#[test]
fn a_name_set_twice_starts_no_run() {
    let polygons = import(format!("{SQUARE}g a\nf 1 2 3\ng b\ng a\nf 1 2 3\n"));
    assert_eq!(polygons.face_runs.len(), 1);
    assert_eq!(polygons.names.groups, ["a"]);
}

#[test]
fn any_encoding_is_read() {
    let text = [
        b"# caf\xE9 \xFF\xFE\nmtllib \xE9.mtl\no caf\xE9\n".as_slice(),
        SQUARE.as_bytes(),
        b"f 1 2 3 # \xE9",
    ];
    let polygons = import(text.concat());
    assert_eq!(polygons.names.objects, ["caf\u{FFFD}"]);
    assert_eq!(faces(&polygons), [TRIANGLE]);
}

#[test]
fn other_lines_are_ignored() {
    let text = format!(
        "mtllib none.mtl\ns off\nvp 1\nKd 0.5\n\n#\n  \nwhatever 1 2\n#v x\n{SQUARE}s 1\nf 1 2 3\nend"
    );
    assert_eq!(faces(&import(text)), [TRIANGLE]);
}

#[test]
fn lines_of_unknown_keywords_are_counted() {
    let text = format!("F 1 2 3\n#f\nvn 0 0 1\ns off\n{SQUARE}f 1 2 3\nxf 1 2 4\n");
    // By the reader of common lines, and, as a line is continued, by tobj's.
    for text in [text.clone(), text.replace("s off", "s \\\noff")] {
        let imported = read(&Input::new(text.as_bytes(), "a.obj")).unwrap();
        assert_eq!(
            imported.notes.ignored.into_iter().collect::<Vec<_>>(),
            [("lines of unknown keywords", 2)]
        );
    }
}

#[test]
fn vertices_are_the_used_ones_in_order_of_use() {
    let polygons = import(format!("v 9 9 9\n{SQUARE}f 5 4 3\n"));
    assert_eq!(polygons.positions, [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
    assert_eq!(polygons.source_vertices, 5);
}

#[test]
fn a_coordinate_that_is_no_number_is_refused() {
    for found in ["x", "1.2.3", "--1", "1,5", "1e", "1e-", ".", "1.#QNAN", "nan(ind)", "0x10"] {
        let number = (3, LineFault::Number { found: found.into() });
        assert_eq!(fault(format!("# \n\nv 0 {found} 0\nf 1 1 1\n")), number);
        assert_eq!(fault(format!("v 0 0 0\n\nv 0 {found} 0 1\n")), number);
        assert_eq!(fault(format!("v 0 0 0\n\nv 0 0 0 {found}\n")), number);
        assert_eq!(fault(format!("v 0 0 0\n\nv 0 0 0 1 {found} 1 # colour\nf 1 1 1\n")), number);
    }
    assert_eq!(fault(b"v 0 0 \xFF").1, LineFault::Number { found: "\u{FFFD}".into() });
}

#[test]
fn a_vertex_needs_three_coordinates() {
    for (line, found) in [("v", 0), ("v 1", 1), ("v 1 2", 2), ("v 1 2 # 3", 2)] {
        assert_eq!(fault(format!("\n{line}\n")), (2, LineFault::Coordinates { found }));
    }
}

#[test]
fn coordinates_must_be_finite() {
    for found in ["nan", "NaN", "-inf", "Infinity", "1e39", "-1E+99", &"9".repeat(40)] {
        let expected = (5, LineFault::NotFinite { found: found.into() });
        assert_eq!(fault(format!("{SQUARE}v 0 0 {found}\nf 1 2 3\n")), expected);
        assert_eq!(fault(format!("{SQUARE}v {found} 0 0 2\nf 1 2 3\n")), expected);
    }
    assert!(matches!(fault("v 1 1 1 nan"), (1, LineFault::NotFinite { .. })));
    assert!(matches!(fault("v 1 1 1 1e-45"), (1, LineFault::NotFinite { .. })));
}

#[test]
fn coordinates_must_be_within_the_limit() {
    let fits = format!("v {MAX_COORDINATE} 0 0\nv 0 -{MAX_COORDINATE:e} 0\nv 0 0 0\nf 1 2 3");
    assert_eq!(import(fits).positions[1], [0.0, -MAX_COORDINATE, 0.0]);
    let found = MAX_COORDINATE.next_up();
    for text in [format!("v 0 {found} 0"), format!("v 0 {found:e} 0"), format!("v 0 {} 0 0.5", found / 2.0)] {
        assert_eq!(fault(format!("{SQUARE}{text}\nf 1 2 3\n")), (5, LineFault::TooLarge { found }));
    }
}

#[test]
fn a_weight_of_zero_is_refused() {
    for weight in ["0", "-0.0", "0e5", "1e-60"] {
        assert_eq!(fault(format!("v 1 2 3\nv 1 2 3 {weight}\n")), (2, LineFault::ZeroWeight));
    }
}

#[test]
fn an_index_must_be_an_integer() {
    for found in ["x", "1.0", "/1", "-", "1e2"] {
        let expected = (6, LineFault::Index { found: found.into() });
        assert_eq!(fault(format!("{SQUARE}f 1 2 3\nf 1 2 {found}\n")), expected);
    }
}

#[test]
fn an_index_must_be_that_of_a_vertex() {
    assert_eq!(fault(format!("{SQUARE}f 1 2 0\n")), (5, LineFault::IndexZero));
    for found in [5, 4294967297, i64::MAX] {
        let expected = LineFault::IndexOutOfRange { found: found.to_string(), vertices: 4 };
        assert_eq!(fault(format!("f 1 2 3\nf 1 2 {found} 9\nf 1 2 7\n{SQUARE}")), (2, expected.clone()));
        // Also in a face that is too short.
        assert_eq!(fault(format!("f 1 2 3\n{SQUARE}\nf {found}")), (7, expected));
    }
    for found in [-3, i64::MIN + 1] {
        let expected = LineFault::IndexOutOfRange { found: found.to_string(), vertices: 2 };
        assert_eq!(fault(format!("v 0 0 0\nv 1 0 0\nf -2 -1 {found}\n{SQUARE}")), (3, expected));
    }
    let expected = LineFault::IndexOutOfRange { found: HUGE.into(), vertices: 4 };
    assert_eq!(fault(format!("{SQUARE}f 1 2 {HUGE}\n")), (5, expected));
}

#[test]
fn the_line_at_fault_is_blamed_and_not_faces_that_refer_to_vertices_behind_it() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
    let number = (5, LineFault::Number { found: "1-2".into() });
    assert_eq!(fault(format!("{vertices}f 1 2 5\nv 0 1-2 0\nv 1 1 0\n")), number);
    assert_eq!(fault(format!("{vertices}f 1 2 9\nv 0 1-2 0\n")), number);
    for last in ["v 1 1 0", "v 1 1 x", "v 1 1 1-2"] {
        let expected = LineFault::IndexOutOfRange { found: HUGE.into(), vertices: 4 };
        assert_eq!(fault(format!("{vertices}f 1 2 4\nf 1 2 {HUGE}\n{last}\n")), (5, expected), "{last}");
    }
}

#[test]
fn a_file_without_a_triangle_is_refused() {
    for (text, vertices, faces) in
        [("", 0, 0), ("cube\nusemtl a\n", 0, 0), (SQUARE, 4, 0), ("v 1 1 1\nf 1 1\nf 1\nl 1 1 1\n", 1, 2)]
    {
        let file = "a.obj".to_owned();
        let expected = ImportError::NoTriangle { file, vertices, faces };
        assert_eq!(crate::import::read(text.as_bytes(), "a.obj"), Err(expected));
    }
}

#[test]
fn messages_name_file_line_and_reason() {
    let error = crate::import::read(format!("{SQUARE}f 1 2 -9").as_bytes(), "a.obj").unwrap_err();
    let expected = "a.obj, line 5: a face refers to vertex -9, but there are 4 vertices above this line";
    assert_eq!(error.to_string(), expected);
    let fault = LineFault::TooMany { counted: Counted::Faces, limit: 7 };
    assert_eq!(fault.to_string(), "more than 7 faces");
    let fault = LineFault::TooLarge { found: 2e18 };
    assert!(
        fault.to_string().ends_with("2000000000000000000 is beyond the limit of 1.1529215e18"),
        "{fault}"
    );
}
