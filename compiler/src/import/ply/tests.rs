use super::*;
use crate::import::read as import_any;
use crate::mesh::Polygons;

const POSITION: &str = "property float x\nproperty float y\nproperty float z\n";
const FACES: &str = "property list uchar int vertex_indices\n";
const SQUARE: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

fn import(bytes: impl AsRef<[u8]>) -> Polygons {
    import_any(bytes.as_ref(), "a.ply").unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    import_any(bytes.as_ref(), "a.ply").unwrap_err().to_string()
}

fn notes(text: &str) -> Notes {
    read(&Input::new(text.as_bytes(), "a.ply")).unwrap().notes
}

fn header(encoding: &str, elements: &str) -> String {
    format!("ply\nformat {encoding} 1.0\n{elements}end_header\n")
}

/// A square, and faces between its corners.
fn square(faces: usize, lines: &str) -> String {
    let elements = format!("element vertex 4\n{POSITION}element face {faces}\n{FACES}");
    header("ascii", &elements) + SQUARE + lines
}

/// A square, and strips of its corners.
fn strips(strips: &str) -> String {
    let elements = format!("element vertex 4\n{POSITION}element tristrips 1\n{FACES}");
    header("ascii", &elements) + SQUARE + strips
}

#[test]
fn headers_are_recognised() {
    for text in ["ply\n", "ply\r", "ply \t\r\n", "\u{FEFF}ply\n"] {
        assert!(is_it(text.as_bytes()), "{text:?}");
    }
    for text in ["", "ply", "ply ", "plyx\n", " ply\n", "g ply\n", "PLY\n", "ply x\n"] {
        assert!(!is_it(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn every_way_to_write_a_line() {
    let text = square(2, "3 0 1 2\n4 0 1 2 3\n")
        .replace("element face", "comment element face 7\nobj_info x\n\nelement face");
    for written in [
        text.clone(),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        text.replace('\n', " \n"),
        text.replace("0 0 0\n", "\n+0\t 0. .0e3\n\n"),
        text.replace("vertex_indices", "vertex_index"),
        text.trim_end().to_owned(),
        format!("\u{FEFF}{text}\n\n"),
    ] {
        let polygons = import(&written);
        assert_eq!(
            (&polygons.corners[..], &polygons.ends[..]),
            (&[0, 1, 2, 0, 1, 2, 3][..], &[3, 7][..]),
            "{written}"
        );
        assert_eq!((polygons.positions.len(), polygons.source_vertices), (4, 4), "{written}");
    }
}

/// A value as bytes, by the name of its type.
fn value(kind: &str, x: i32, is_big: bool) -> Vec<u8> {
    let mut bytes = match kind {
        "char" | "int8" | "uchar" | "uint8" => (x as u8).to_le_bytes().to_vec(),
        "short" | "int16" | "ushort" | "uint16" => (x as u16).to_le_bytes().to_vec(),
        "int" | "int32" | "uint" | "uint32" => x.to_le_bytes().to_vec(),
        "float" | "float32" => (x as f32).to_le_bytes().to_vec(),
        _ => f64::from(x).to_le_bytes().to_vec(),
    };
    if is_big {
        bytes.reverse();
    }
    bytes
}

const INTEGERS: [&str; 12] = [
    "char", "int8", "uchar", "uint8", "short", "int16", "ushort", "uint16", "int", "int32", "uint", "uint32",
];

const FLOATS: [&str; 4] = ["float", "float32", "double", "float64"];

/// With properties that are not read before, between and after.
#[test]
fn every_type_is_read_and_skipped() {
    for (at, kind) in INTEGERS.iter().chain(&FLOATS).copied().enumerate() {
        let (length, index) = (INTEGERS[at % 12], INTEGERS[(at * 5 + 3) % 12]);
        let elements = format!(
            "element camera 1\nproperty {kind} x\nproperty list {length} {kind} y\n\
             element vertex 3\nproperty {kind} nx\nproperty {kind} z\nproperty list {length} {kind} l\nproperty {kind} x\n\
             property {kind} y\nelement face 1\nproperty list {length} {kind} l\nproperty list {length} {index} \
             vertex_indices\nproperty {kind} flags\nelement edge 2\nproperty {index} vertex1\nproperty {index} vertex2\n"
        );
        for is_big in [false, true] {
            let encoding = if is_big { "binary_big_endian" } else { "binary_little_endian" };
            let mut bytes = header(encoding, &elements).into_bytes();
            let mut put = |kind: &str, values: &[i32]| {
                values.iter().for_each(|x| bytes.extend(value(kind, *x, is_big)));
            };
            put(kind, &[9]);
            put(length, &[2]);
            put(kind, &[8, 8]);
            for [x, y, z] in [[0, 0, 0], [10, 0, 127], [0, 3, 0]] {
                put(kind, &[9, z]);
                put(length, &[1]);
                put(kind, &[9, x, y]);
            }
            put(length, &[0]);
            put(length, &[3]);
            put(index, &[2, 0, 1]);
            put(kind, &[7]);
            put(index, &[0, 1, 1, 2]);
            let polygons = import(&bytes);
            assert_eq!(polygons.positions, [[0.0; 3], [10.0, 0.0, 127.0], [0.0, 3.0, 0.0]], "{kind}");
            assert_eq!(polygons.corners, [2, 0, 1], "{kind} {length} {index}");
        }
    }
    let text = header(
        "ascii",
        &format!(
            "element camera 2\nproperty int a\nelement vertex 3\nproperty list uchar uchar l\n{POSITION}element face 1\n\
             property double q\n{FACES}property list int float uv\n"
        ),
    );
    let polygons = import(text + "x\ny\n2 9 9 0 0 0\n0 1 0 0\n1 5 0 1 0\n0.5 3 0 1 2 2 0.1 0.2\n");
    assert_eq!((polygons.positions[2], &polygons.corners[..]), ([0.0, 1.0, 0.0], &[0, 1, 2][..]));
}

#[test]
fn signs_and_large_values_are_kept() {
    let elements = "element vertex 3\nproperty short x\nproperty uint y\nproperty char z\nelement face 1\n";
    let mut bytes = header("binary_little_endian", &format!("{elements}{FACES}")).into_bytes();
    for (x, y, z) in [(-2i16, u32::MAX, -128i8), (1, 0, 127), (i16::MIN, 1, 0)] {
        bytes.extend(x.to_le_bytes());
        bytes.extend(y.to_le_bytes());
        bytes.extend(z.to_le_bytes());
    }
    bytes.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let expected = [[-2.0, 4_294_967_296.0, -128.0], [1.0, 0.0, 127.0], [-32768.0, 1.0, 0.0]];
    assert_eq!(import(bytes).positions, expected);
}

/// The first value of a binary file may look like the end of a line.
#[test]
fn only_the_first_line_tells_how_lines_end() {
    for end in ["\n", "\r\n", "\r"] {
        for first in [b'\n', b'\r'] {
            let elements = format!(
                "element flag 1\nproperty uchar f\nelement vertex 3\n{POSITION}element face 1\n{FACES}"
            );
            let mut bytes = header("binary_little_endian", &elements).replace('\n', end).into_bytes();
            bytes.push(first);
            for x in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
                bytes.extend(x.to_le_bytes());
            }
            bytes.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
            assert_eq!(import(bytes).positions[1], [1.0, 0.0, 0.0], "{end:?}, {first}");
        }
    }
}

#[test]
fn faces_may_come_before_vertices() {
    let elements = format!(
        "element tristrips 1\n{FACES}element vertex 4\n{POSITION}element edge 1\nproperty int a\nelement face 2\n{FACES}"
    );
    let text = header("ascii", &elements) + "4 0 1 2 3\n" + SQUARE + "0\n3 0 2 3\n1 0\n";
    let polygons = import(&text);
    assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 3, 0, 2, 3]);
    assert_eq!(polygons.ends, [3, 6, 9, 9]);
    assert!(notes(&text).warnings.is_empty());
    let mut bytes =
        header("binary_little_endian", &format!("element face 1\n{FACES}element vertex 3\n{POSITION}"))
            .into_bytes();
    bytes.extend([3, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    bytes.extend([0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    assert_eq!(import(&bytes).corners, [2, 0, 1]);
}

#[test]
fn strips_alternate_and_restart() {
    let polygons = import(strips("5 0 1 2 3 0"));
    assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 3, 2, 3, 0]);
    let polygons = import(strips("10 0 1 -1 0 1 2 3 -1 -1 1"));
    assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 3]);
    // Degenerate triangles join strips, and count.
    let polygons = import(strips("6 0 1 2 2 3 1"));
    assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 2, 2, 2, 3, 3, 2, 1]);
    assert_eq!(polygons.ends, [3, 6, 9, 12]);
    assert_eq!(
        refusal(strips("3 0 1 -2")),
        "a.ply, line 14, strip 0: a face refers to vertex -2, but there are 4 vertices, counted from 0"
    );
    assert!(refusal(strips("2 0 4")).contains("strip 0: a face refers to vertex 4"));
}

#[test]
fn faces_of_few_corners_count() {
    let polygons = import(square(5, "0\n2 0 1\n3 0 1 2\n1 3\n6 0 1 2 3 0 1\n"));
    assert_eq!(polygons.ends, [0, 0, 3, 3, 9]);
}

#[test]
fn edges_and_what_is_left_are_told_of() {
    let text = square(1, "3 0 1 2\n") + "\n3 0 2 3\n";
    let rest = "line 16 and what follows: the elements that the header describes end before it";
    assert_eq!(notes(&text).warnings, [format!("ignored {rest}")]);
    let text = square(1, "3 0 1 2\n7 8\n")
        .replace("end_header", "element edge 1\nproperty int a\nproperty int b\nend_header");
    assert_eq!(notes(&text).ignored, [("edges", 1)].into());
    let elements = format!("element vertex 3\n{POSITION}element face 1\n{FACES}");
    let mut bytes = header("binary_little_endian", &elements).into_bytes();
    bytes.extend([0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, b'\n']);
    let warnings = |bytes: &[u8]| read(&Input::new(bytes, "a.ply")).unwrap().notes.warnings;
    assert!(warnings(&bytes).is_empty());
    bytes.push(7);
    let rest = "what is left of the file (2 bytes): the elements that the header describes end before it";
    assert_eq!(warnings(&bytes), [format!("ignored {rest}")]);
}

#[test]
fn faults_of_headers_are_told_with_their_line() {
    let ascii = "ply\nformat ascii 1.0\n";
    for (text, message) in [
        ("ply\n", "line 1: the file ends where `end_header` should be".to_owned()),
        ("ply\nend_header\n", "line 2: the header has no `format`".to_owned()),
        (
            "ply\nformat text 1.0\n",
            "line 2: `text`, where `ascii`, `binary_little_endian` or `binary_big_endian` should be"
                .to_owned(),
        ),
        ("ply\nformat ascii\n", "line 2: the end of the line, where `1.0` should be".to_owned()),
        ("ply\nformat ascii 2.0\n", "line 2: `2.0`, where `1.0` should be".to_owned()),
        ("ply\nformat ascii 1.0 x\n", "line 2: `x`, where the end of the line should be".to_owned()),
    ] {
        assert_eq!(refusal(text), format!("a.ply, {message}"), "{text}");
    }
    for (lines, message) in [
        ("format ascii 1.0", "line 3: a second `format`"),
        ("elements", "line 3: `elements`, where `element`, `property` or `end_header` should be"),
        ("end_header x", "line 3: `x`, where the end of the line should be"),
        ("element", "line 3: the end of the line, where the name of an element should be"),
        (
            "element vertex",
            "line 3: the end of the line, where the number of the element's records should be",
        ),
        ("element vertex -1", "line 3: `-1`, where the number of the element's records should be"),
        ("element vertex many", "line 3: `many`, where the number of the element's records should be"),
        ("element vertex 1 2", "line 3: `2`, where the end of the line should be"),
        ("element face 1\nelement face 2", "line 4: a second element `face`"),
        ("property float x", "line 3: a property, where an element should be"),
        ("element vertex 1\nproperty float x\nproperty int x", "line 5: a second property `x`"),
        ("element vertex 1\nproperty half x", "line 4: `half`, where the type of a property should be"),
        (
            "element vertex 1\nproperty float",
            "line 4: the end of the line, where the name of a property should be",
        ),
        (
            "element a 1\nproperty list float int b",
            "line 4: `float`, where the integer type of a list's length should be",
        ),
        (
            "element a 1\nproperty list int",
            "line 4: the end of the line, where the type of a property should be",
        ),
        (
            "element a 1\nproperty list",
            "line 4: the end of the line, where the type of a list's length should be",
        ),
        (
            "element face 1\nproperty list uchar float vertex_indices",
            "line 4: `float`, where the integer type of an index should be",
        ),
        (
            "element vertex 1\nproperty float x\nproperty float y\nend_header",
            "line 3: the element `vertex` has no property `z`",
        ),
        (
            "element vertex 0\nproperty list int int x\nend_header",
            "line 3: the element `vertex` has no property `x`",
        ),
        (
            "element face 1\nproperty int vertex_indices\nend_header",
            "line 3: the element `face` has no list `vertex_indices`",
        ),
        ("element tristrips 1\nend_header", "line 3: the element `tristrips` has no list `vertex_indices`"),
    ] {
        assert_eq!(refusal(format!("{ascii}{lines}\n")), format!("a.ply, {message}"), "{lines}");
    }
}

#[test]
fn faults_of_values_are_told_with_their_record() {
    for (face, message) in [
        ("3 0 1 4", "a face refers to vertex 4, but there are 4 vertices, counted from 0"),
        ("3 0 1 -1", "a face refers to vertex -1, but there are 4 vertices, counted from 0"),
        (
            "3 0 1 99999999999",
            "a face refers to vertex 99999999999, but there are 4 vertices, counted from 0",
        ),
        ("3 0 1 1.5", "`1.5`, where an integer should be"),
        ("3 0 1", "the end of the line, where an integer should be"),
        ("3 0 1 2 3", "`3`, where the end of the line should be"),
        ("-1", "a list has a negative length, -1"),
    ] {
        let text = square(2, &format!("3 0 1 2\n{face}\n"));
        assert_eq!(refusal(text), format!("a.ply, line 15, face 1: {message}"));
    }
    for (vertex, message) in [
        ("1 0", "the end of the line, where a number should be"),
        ("1 0 x", "`x`, where a number should be"),
        ("1 0 0 0", "`0`, where the end of the line should be"),
        ("1 0 inf", "the coordinate inf is not a finite number"),
        ("1 0 -3e18", "the coordinate -3e18 is beyond the limit of 1.1529215e18"),
    ] {
        let text = square(1, "3 0 1 2\n").replace("\n1 0 0\n", &format!("\n{vertex}\n"));
        assert_eq!(refusal(text), format!("a.ply, line 11, vertex 1: {message}"));
    }
    let elements =
        format!("element vertex 1\n{POSITION}element face 2\nproperty list char char vertex_index\n");
    let mut bytes = header("binary_little_endian", &elements).into_bytes();
    bytes.extend([0; 12]);
    let with = |values: &[u8]| refusal([&bytes[..], values].concat());
    assert_eq!(with(&[3, 0, 0, 0, 255]), "a.ply, face 1: a list has a negative length, -1");
    assert_eq!(
        with(&[3, 0, 0, 0, 1, 255]),
        "a.ply, face 1: a face refers to vertex -1, but there is 1 vertex, counted from 0"
    );
    assert_eq!(with(&[3, 0, 0, 0, 9, 0]), "a.ply, face 1: the file ends where a value should be");
}

/// Nothing is allocated or counted through that is not there.
#[test]
fn claims_without_bytes_are_refused_at_once() {
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let most = i64::MAX;
        let claims = format!("element vertex {most}\n{POSITION}element face {most}\n{FACES}");
        assert!(
            refusal(header(encoding, &claims)).contains(&format!("the file ends where vertex 0 of {most}"))
        );
        let skipped = format!("element a {most}\nproperty int b\nelement vertex 1\n{POSITION}");
        assert!(refusal(header(encoding, &skipped)).contains("`a` 0: the file ends"));
        let empty = format!("element a {most}\nelement vertex 0\n{POSITION}element face 0\n");
        assert!(
            refusal(header(encoding, &empty)).contains("no triangles: the file has 0 vertices and 0 faces")
        );
    }
    let list = "element a 1\nproperty list uint double b\n";
    let bytes = [header("binary_little_endian", list).as_bytes(), &[255; 12]].concat();
    assert_eq!(refusal(bytes), "a.ply, `a` 0: the file ends where a value should be");
}

#[test]
fn clouds_of_points_have_no_triangle() {
    let cloud = header("ascii", &format!("element vertex 4\n{POSITION}")) + SQUARE;
    assert_eq!(
        refusal(cloud),
        "a.ply: no triangles: the file has 4 vertices and 0 faces, none of them with three corners or more"
    );
    assert!(refusal(square(0, "")).contains("no triangles: the file has 4 vertices and 0 faces"));
    assert!(refusal(header("ascii", "")).contains("no triangles: the file has 0 vertices"));
}
