use super::*;
use crate::import::read as import_any;
use crate::mesh::Polygons;

const SQUARE: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

fn import(text: impl AsRef<[u8]>) -> Polygons {
    import_any(text.as_ref(), "a.off").unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: impl AsRef<[u8]>) -> String {
    import_any(text.as_ref(), "a.off").unwrap_err().to_string()
}

#[test]
fn every_way_to_begin() {
    for start in [
        "OFF\n4 1 0\n",
        "OFF 4 1 0\n",
        "OFF4 1 0\n",
        "OFF # a square\n# of one face\n\n 4 1 # vertices and faces\n",
        "# a square\n\n  OFF\n4 1 5\n",
        "\u{FEFF}OFF\n4 1 0\n",
        "OFF\n4 1 -1\n",
        "COFF\n4 1 0\n",
        "NOFF\n4 1 0\n",
        "CNOFF\n4 1 0\n",
        "STOFF\n4 1 0\n",
        "STCNOFF\n4 1 0\n",
        "STNOFF 4 1 0\n",
    ] {
        for end in ["\n", "\r\n", "\r"] {
            let polygons = import(format!("{start}{SQUARE}4 0 1 2 3").replace('\n', end));
            assert_eq!(polygons.corners, [0, 1, 2, 3], "{start}");
            assert_eq!((polygons.positions.len(), polygons.source_vertices), (4, 4), "{start}");
        }
    }
}

#[test]
fn other_beginnings_are_none_of_it() {
    for text in
        ["", "# a comment\n", "OFFSET 1\n", "off\n", "CSTOFF\n", "XOFF\n", "O\nFF", "v 0 0 0\nOFF\n", "BOFF"]
    {
        assert!(!is_it(text.as_bytes()), "{text}");
    }
}

#[test]
fn what_follows_positions_and_corners_is_not_read() {
    let polygons = import(
        "CNOFF\n3 2 3\n0 0 0 0 0 1 255 0 0 255 # red\n\n1 0 0  0 0 1  0.5 0.5 0.5 1\n0 1 0 0 0 1\n\
         3 0 1 2 255 0 0 # a colour\n# a comment\n3 2 1 0 17\n\n # the end\n",
    );
    assert_eq!(polygons.positions, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 0]);
}

#[test]
fn faces_of_few_corners_count() {
    let polygons =
        import(format!("OFF\n4 6 0\n{SQUARE}2 0 1\n3 0 1 2\n0\n1 3\n4 0 1 2 3 0.5\n5 0 1 2 3 0\n"));
    assert_eq!(polygons.ends, [0, 3, 3, 3, 7, 12]);
}

#[test]
fn lines_behind_the_last_face_are_told_of() {
    let text = format!("OFF\n4 1 0\n{SQUARE}3 0 1 2\n# more\n3 0 2 3\n3 1 2 3\n");
    let imported = read(&Input::new(text.as_bytes(), "a.off")).unwrap();
    assert_eq!(imported.polygons.ends, [3]);
    let warning = "ignored line 9 and what follows: the faces that the header counts end before it";
    assert_eq!(imported.notes.warnings, [warning]);
}

#[test]
fn faults_are_told_with_their_line() {
    let binary = "this is binary OFF, but bvhc reads only text: export the model as such";
    for (text, message) in [
        ("OFF", "line 1: the file ends where the numbers of vertices, faces and edges should be"),
        ("OFF\n# none\n\n", "line 3: the file ends where the numbers of vertices, faces and edges should be"),
        ("OFF\n4\n", "line 2: the end of the line, where the number of faces should be"),
        ("OFF\n-4 1 0\n", "line 2: `-4`, where the number of vertices should be"),
        ("OFF\n4 1.5 0\n", "line 2: `1.5`, where the number of faces should be"),
        ("OFF\n4 1 x\n", "line 2: `x`, where a number should be"),
        ("OFF 4 1 0 0 0 0\n", "line 1: `0`, where the end of the line should be"),
        ("OFF BINARY\n\0\0", &format!("line 1: {binary}")),
        ("# x\nSTCNOFF BINARY", &format!("line 2: {binary}")),
        ("4OFF\n", "line 1: vertices of four coordinates (4OFF), but bvhc reads those of three"),
        ("C4OFF\n", "line 1: vertices of four coordinates (4OFF), but bvhc reads those of three"),
        ("nOFF 3\n", "line 1: vertices of any number of coordinates (nOFF), but bvhc reads those of three"),
        ("ST4nOFF\n", "line 1: vertices of any number of coordinates (nOFF), but bvhc reads those of three"),
        ("OFF\n3 1 0\n0 0 0\n0 1\n", "line 4: the end of the line, where a number should be"),
        ("OFF\n3 1 0\n0 0 0\n0 1 z\n", "line 4: `z`, where a number should be"),
        ("OFF\n3 1 0\n0 0 0\n0 1 nan\n", "line 4: the coordinate NaN is not a finite number"),
        ("OFF\n3 1 0\n0 0 0\n", "line 3: the file ends where vertex 1 of 3 should be"),
        (
            "OFF\n1 9000000000000000000 0\n0 0 0\n",
            "line 3: the file ends where face 0 of 9000000000000000000 should be",
        ),
        (
            "OFF\n9000000000000000000 1 0\n0 0 0\n",
            "line 3: the file ends where vertex 1 of 9000000000000000000 should be",
        ),
        ("OFF\n1 1 0\n0 0 0\n3 0 0\n", "line 4: the end of the line, where the index of a vertex should be"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0 x\n", "line 4: `x`, where the index of a vertex should be"),
        ("OFF\n1 1 0\n0 0 0\nx 0 0\n", "line 4: `x`, where the number of the face's corners should be"),
        ("OFF\n1 1 0\n0 0 0\n-3 0 0\n", "line 4: `-3`, where the number of the face's corners should be"),
        (
            "OFF\n1 1 0\n0 0 0\n3 0 0 1\n",
            "line 4: a face refers to vertex 1, but there is 1 vertex, counted from 0",
        ),
        (
            "OFF\n1 1 0\n0 0 0\n2 0 -1\n",
            "line 4: a face refers to vertex -1, but there is 1 vertex, counted from 0",
        ),
    ] {
        assert_eq!(refusal(text), format!("a.off, {message}"), "{text}");
    }
    assert_eq!(
        refusal("OFF\n1 1 0\n0 0 0\n1 0\n"),
        "a.off: no triangles: the file has 1 vertex and 1 face, none of them with three corners or more"
    );
}
