use super::*;
use crate::import::read as import;
use crate::mesh::Polygons;

const FACET: &str =
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n";

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn solid(facets: &str) -> String {
    format!("solid\n{facets}endsolid\n")
}

fn text(text: impl AsRef<[u8]>) -> Polygons {
    import(text.as_ref(), "a.stl").unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    import(bytes.as_ref(), "a.stl").unwrap_err().to_string()
}

/// A binary file with this header.
fn binary(header: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(80, 0);
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0xFF; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0x34, 0x12]);
    }
    bytes
}

#[test]
fn what_is_binary_by_its_length_may_begin_like_another_format() {
    for header in ["OFF 8 6 12", "ply\nformat ascii 1.0\n", "glTF", "{\"asset\":", "solid", "v 0 0 0"] {
        let imported = import(&binary(header, &[TRIANGLE]), "a.stl").unwrap();
        assert_eq!(imported.ends, [3], "{header}");
    }
}

#[test]
fn a_few_bytes_behind_the_last_triangle_are_ignored() {
    let read = |header: &str, more: usize| {
        let mut bytes = binary(header, &[TRIANGLE, TRIANGLE]);
        bytes.extend(std::iter::repeat_n(0xAB, more));
        super::super::read_all(&Input::new(&bytes, "a.stl"))
    };
    // Also if the header has the words of a text.
    let padded = format!("{:80}", "solid facet");
    for header in ["made by hand", "solid facet", "solid a\nendsolid", &padded] {
        for more in [0, 1, 49] {
            let imported = read(header, more).unwrap();
            assert_eq!(imported.polygons.ends, [3, 6], "{header}");
            let bytes = if more == 1 { "byte" } else { "bytes" };
            let warnings: &[String] = &[format!("ignored {more} {bytes} behind the last triangle")];
            assert_eq!(imported.notes.warnings, &warnings[..usize::from(more > 0)]);
        }
    }
    let refused = read("made by hand", 50).unwrap_err().to_string();
    assert_eq!(
        refused,
        "a.stl, byte 80: the number of triangles 2, where 3, by the length of the file, should be"
    );
}

/// As programs write that do not know the number before the end.
#[test]
fn triangles_that_are_not_counted_are_taken() {
    for claimed in [0, u32::MAX] {
        let mut bytes = binary("a stream", &[TRIANGLE; 3]);
        bytes[80..84].copy_from_slice(&claimed.to_le_bytes());
        let took = format!("the file claims {claimed} triangles; took the 3 that are there");
        let imported = super::super::read_all(&Input::new(&bytes, "a.stl")).unwrap();
        assert_eq!(imported.polygons.ends, [3, 6, 9]);
        assert_eq!(imported.notes.warnings, std::slice::from_ref(&took));
        bytes.extend([0; 7]);
        let imported = super::super::read_all(&Input::new(&bytes, "a.stl")).unwrap();
        assert_eq!(imported.notes.warnings, [&took, "ignored 7 bytes behind the last triangle"]);
        let other = bytes.iter().map(|byte| byte ^ 0x15).collect::<Vec<u8>>();
        assert!(!is_it(&other), "{claimed}");
        assert!(!is_it(&[0; 1024]), "{claimed}");
    }
}

#[test]
fn every_way_to_write_a_facet() {
    let plain = solid(FACET);
    for written in [
        plain.clone(),
        plain.to_uppercase(),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace('\n', "\n\n").replace(' ', "\t "),
        format!("\u{FEFF}\n {plain}"),
        plain.replace(" normal 0 0 1", ""),
        plain.replace("0 0 1", "nan -nan(ind) 1.#INF"),
        plain.replace("1 0 0", "+1.0E+00\n.0 0e5"),
        plain.trim_end().to_owned(),
    ] {
        let polygons = text(&written);
        assert_eq!(polygons.positions, TRIANGLE, "{written}");
        assert_eq!((&polygons.corners[..], &polygons.ends[..]), (&[0, 1, 2][..], &[3][..]), "{written}");
    }
}

#[test]
fn corners_at_the_same_position_are_one_vertex() {
    let other = FACET.replace("0 0 0", "-0 0 -0.0").replace("1 0 0", "1 0 1e-45");
    let polygons = text(solid(&format!("{FACET}{other}")));
    assert_eq!(polygons.corners, [0, 1, 2, 0, 3, 2]);
    assert_eq!((polygons.positions.len(), polygons.source_vertices), (4, 6));
    let [a, b, c] = TRIANGLE;
    let polygons = text(binary("", &[TRIANGLE, [c, b, [-0.0; 3]], [a, b, [1.0; 3]]]));
    assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 0, 0, 1, 3]);
    assert_eq!((polygons.positions.len(), polygons.source_vertices), (4, 9));
}

#[test]
fn solids_are_objects() {
    let names = ["solid", "solid  a b ", "SOLID facet", "solid caf\u{E9}"];
    let written: String = names.map(|name| format!("{name}\r\n{FACET}endsolid whatever solid\r\n")).concat();
    let polygons = text(written);
    assert_eq!(polygons.names.objects, ["a b", "facet", "caf\u{E9}"]);
    assert_eq!(polygons.face_runs.len(), 4);
    assert_eq!(polygons.ends, [3, 6, 9, 12]);
}

#[test]
fn a_binary_file_may_call_itself_a_solid() {
    for header in ["solid part", "solid\nfacet", "ply", "OFF", "", "{", "BLENDER"] {
        let polygons = text(binary(header, &[TRIANGLE, TRIANGLE]));
        assert_eq!((polygons.ends.len(), &polygons.positions[..]), (2, &TRIANGLE[..]), "{header}");
        assert!(polygons.names.objects.is_empty());
    }
}

#[test]
fn a_binary_file_without_its_end_is_recognised() {
    for header in ["solid part", "solid facet", "an exporter"] {
        let bytes = binary(header, &[TRIANGLE; 3]);
        assert_eq!(
            refusal(&bytes[..84 + 149]),
            "a.stl, triangle 2: the file ends where the rest of 3 triangles should be"
        );
        assert!(is_it(&bytes[..84 + 60]));
    }
}

#[test]
fn what_only_might_be_binary_is_something_else() {
    let [a, b, _] = TRIANGLE;
    let cut = |header: &str, triangle: [[f32; 3]; 3]| {
        let mut bytes = binary(header, &[triangle; 4]);
        bytes.truncate(84 + 199);
        bytes
    };
    assert!(is_it(&cut("", TRIANGLE)));
    for (header, corner) in [
        ("", [0.0, 0.0, f32::NAN]),
        ("", [2e18, 0.0, 0.0]),
        ("PK\x03\x04", [0.0; 3]),
        ("Kaydara FBX Binary", [0.0; 3]),
    ] {
        assert!(!is_it(&cut(header, [a, b, corner])), "{header}, {corner:?}");
    }
    let mut compiled = cut("", TRIANGLE);
    compiled[..MAGIC.len()].copy_from_slice(&MAGIC);
    assert!(!is_it(&compiled));
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".repeat(40);
    assert!(!is_it(obj.as_bytes()));
    for mark in [&b""[..], &[0xFF, 0xFE]] {
        let wide: Vec<u8> = obj.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(!is_it(&[mark, &wide].concat()));
        let wide: Vec<u8> = obj.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(!is_it(&[mark, &wide].concat()));
    }
    for text in ["", "solid", "solid facets\n", "solidfacet endsolid", "v 0 0 0\nsolid\nfacet"] {
        assert!(!is_it(text.as_bytes()), "{text}");
    }
    assert!(!is_it(format!("solid {} facet", "x".repeat(1024)).as_bytes()));
}

#[test]
fn faults_are_told_with_their_place() {
    let with = |from: &str, to: &str| refusal(solid(&format!("{FACET}{}", FACET.replacen(from, to, 1))));
    for (from, to, message) in [
        ("facet", "face", "line 9: `face`, where `facet` or `endsolid` should be"),
        ("outer", "inner", "line 10: `inner`, where `outer` should be"),
        ("0 0 1", "0 0 1 1", "line 9: `1`, where `outer` should be"),
        ("loop", "lop", "line 10: `lop`, where `loop` should be"),
        ("vertex 1 0 0", "corner", "line 12: `corner`, where `vertex` should be"),
        ("vertex 1 0 0", "vertex 1 x\n0", "line 12: `x`, where a number should be"),
        ("vertex 1 0 0", "vertex 1 0", "line 13: `vertex`, where a number should be"),
        ("vertex 1 0 0", "vertex 1 inf 0", "line 12: the coordinate inf is not a finite number"),
        (
            "vertex 1 0 0",
            "vertex 1 0 2e18",
            "line 12: the coordinate 2e18 is beyond the limit of 1.1529215e18",
        ),
        ("  vertex 1 0 0\n", "", "line 13: a facet of 2 corners; the facets of STL are triangles"),
        (
            "vertex 1 0 0",
            "vertex 1 0 0\nvertex 1 1 0",
            "line 14: a facet of more than three corners; the facets of STL are triangles",
        ),
        ("endloop", "end", "line 14: `end`, where `endloop` should be"),
        ("endfacet", "end", "line 15: `end`, where `endfacet` should be"),
    ] {
        assert_eq!(with(from, to), format!("a.stl, {message}"));
    }
    assert_eq!(refusal(solid(FACET) + "\nfacet"), "a.stl, line 11: `facet`, where `solid` should be");
    assert_eq!(
        refusal(format!("solid\n{FACET}facet\n outer")),
        "a.stl, line 10: the file ends where `loop` should be"
    );
    assert_eq!(
        refusal(format!("solid\n{FACET}facet")),
        "a.stl, line 9: the file ends where `outer loop` should be"
    );
    let [a, b, c] = TRIANGLE;
    let nan = binary("", &[TRIANGLE, [a, [0.0, f32::NAN, 0.0], b]]);
    assert_eq!(refusal(nan), "a.stl, triangle 1: the coordinate NaN is not a finite number");
    let far = binary("", &[TRIANGLE, [a, [0.0, 0.0, -2e18], c]]);
    let refused = refusal(far);
    assert!(refused.starts_with("a.stl, triangle 1: the coordinate -1.99999"), "{refused}");
}

#[test]
fn files_without_facets_have_no_triangle() {
    let expected =
        "a.stl: no triangles: the file has 0 vertices and 0 faces, none of them with three corners or more";
    assert_eq!(refusal(solid("")), expected);
    assert_eq!(refusal(binary("", &[])), expected);
}
