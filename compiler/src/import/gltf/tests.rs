//! Documents made by hand, each with one thing that glTF allows or forbids.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine;
use serde_json::{Value, json};

use super::super::{Files, ImportError, Imported, Input, NoFiles, read_all};
use crate::clean;
use crate::mesh::Mesh;

/// The corners of a unit square in the plane z = 0.
const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

fn bytes_of(positions: &[[f32; 3]]) -> Vec<u8> {
    positions.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn data_uri(bytes: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("data:application/octet-stream;base64,{text}")
}

/// A square of two triangles by indices of 16 bits; buffer, views and accessors are 0 for positions and 1 for indices.
fn square() -> Value {
    let indices: Vec<u8> = [0u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()).collect();
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "panel", "mesh": 0 }],
        "meshes": [{ "name": "square", "primitives": [
            { "attributes": { "POSITION": 0, "NORMAL": 7 }, "indices": 1, "material": 0 },
        ] }],
        "materials": [{ "name": "wood" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 },
            { "buffer": 1, "byteLength": 12 },
        ],
        "buffers": [
            { "byteLength": 48, "uri": data_uri(&bytes_of(&SQUARE)) },
            { "byteLength": 12, "uri": data_uri(&indices) },
        ],
    })
}

fn import(document: &Value) -> Result<Imported, ImportError> {
    read_all(&Input { bytes: document.to_string().as_bytes(), name: "a.gltf", files: &NoFiles })
}

fn mesh(document: &Value) -> Mesh {
    clean::mesh(import(document).unwrap().polygons, "a.gltf").unwrap()
}

fn corners(document: &Value) -> Vec<[[f32; 3]; 3]> {
    let mesh = mesh(document);
    (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)).collect()
}

fn refusal(document: &Value) -> String {
    import(document).unwrap_err().to_string()
}

/// The document after a change.
fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut document = square();
    change(&mut document);
    document
}

/// Replaces the indices by these, of one byte each.
fn set_indices(document: &mut Value, indices: &[u8]) {
    document["buffers"][1] = json!({ "byteLength": indices.len(), "uri": data_uri(indices) });
    document["bufferViews"][1]["byteLength"] = json!(indices.len());
    document["accessors"][1]["count"] = json!(indices.len());
    document["accessors"][1]["componentType"] = json!(5121);
}

const FIRST: [[f32; 3]; 3] = [SQUARE[0], SQUARE[1], SQUARE[2]];
const SECOND: [[f32; 3]; 3] = [SQUARE[0], SQUARE[2], SQUARE[3]];

#[test]
fn triangles_have_names_and_numbers() {
    let imported = import(&square()).unwrap();
    assert_eq!(imported.notes, Default::default());
    let names = &imported.polygons.names;
    assert_eq!(
        (&*names.objects, &*names.groups, &*names.materials),
        (&["panel".to_owned()][..], &["square".to_owned()][..], &["wood".to_owned()][..])
    );
    let mesh = mesh(&square());
    assert_eq!((&*mesh.faces, mesh.source_faces, mesh.source_vertices), (&[0, 1][..], 2, 4));
    assert_eq!(corners(&square()), [FIRST, SECOND]);
}

#[test]
fn modes_make_triangles() {
    let of = |mode: u64, indices: &[u8]| {
        corners(&with(|document| {
            document["meshes"][0]["primitives"][0]["mode"] = json!(mode);
            set_indices(document, indices);
        }))
    };
    assert_eq!(of(4, &[0, 1, 2, 0, 2, 3, 1]), [FIRST, SECOND]);
    // The second triangle of a strip has the same front as the first.
    assert_eq!(of(5, &[1, 2, 0, 3]), [[SQUARE[1], SQUARE[2], SQUARE[0]], [SQUARE[2], SQUARE[3], SQUARE[0]]]);
    assert_eq!(of(6, &[0, 1, 2, 3]), [[SQUARE[1], SQUARE[2], SQUARE[0]], [SQUARE[2], SQUARE[3], SQUARE[0]]]);
    let lines = with(|document| {
        let mut lines = document["meshes"][0]["primitives"][0].clone();
        lines["mode"] = json!(1);
        document["meshes"][0]["primitives"].as_array_mut().unwrap().push(lines);
        document["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({ "attributes": {} }));
    });
    let notes = import(&lines).unwrap().notes;
    assert_eq!(notes.ignored, [("primitives of lines", 1), ("primitives without positions", 1)].into());
    let unknown = with(|document| document["meshes"][0]["primitives"][0]["mode"] = json!(7));
    assert_eq!(refusal(&unknown), "a.gltf, meshes[0].primitives[0]: the mode 7 is unknown");
}

#[test]
fn left_over_vertices_are_counted() {
    let seven = with(|document| set_indices(document, &[0, 1, 2, 0, 2, 3, 1]));
    assert_eq!(import(&seven).unwrap().notes.ignored, [("vertices of incomplete triangles", 1)].into());
}

#[test]
fn vertices_need_no_indices() {
    let document = with(|document| {
        drop(document["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices"));
        document["meshes"][0]["primitives"][0]["mode"] = json!(6);
    });
    assert_eq!(mesh(&document).triangles.len(), 2);
}

#[test]
fn indices_have_every_width() {
    for (component, width) in [(5121, 1), (5123, 2), (5125, 4)] {
        let bytes: Vec<u8> =
            [0u32, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()[..width].to_vec()).collect();
        let document = with(|document| {
            document["accessors"][1]["componentType"] = json!(component);
            document["bufferViews"][1]["byteLength"] = json!(bytes.len());
            document["buffers"][1] = json!({ "byteLength": bytes.len(), "uri": data_uri(&bytes) });
        });
        assert_eq!(corners(&document), [FIRST, SECOND], "{component}");
    }
    let signed = with(|document| document["accessors"][1]["componentType"] = json!(5122));
    assert_eq!(refusal(&signed), "a.gltf, accessors[1]: components of type 5122 are not allowed here");
}

#[test]
fn views_may_have_a_stride_and_an_offset() {
    let mut bytes = vec![9; 8];
    for position in SQUARE {
        bytes.extend(bytes_of(&[position]));
        bytes.extend([7; 4]);
    }
    bytes.truncate(bytes.len() - 4);
    let document = with(|document| {
        document["buffers"][0] = json!({ "byteLength": bytes.len(), "uri": data_uri(&bytes) });
        document["bufferViews"][0] =
            json!({ "buffer": 0, "byteOffset": 4, "byteLength": bytes.len() - 4, "byteStride": 16 });
        document["accessors"][0]["byteOffset"] = json!(4);
    });
    assert_eq!(corners(&document), [FIRST, SECOND]);
    let narrow = with(|document| document["bufferViews"][0]["byteStride"] = json!(8));
    assert_eq!(refusal(&narrow), "a.gltf, accessors[0]: its elements of 12 bytes are 8 bytes apart");
}

#[test]
fn sparse_elements_replace_others() {
    let raised = bytes_of(&[[1.0, 1.0, 5.0]]);
    let document = with(|document| {
        document["buffers"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "byteLength": 12, "uri": data_uri(&raised) }));
        document["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 2, "byteLength": 12 }));
        // Index 2 is in the buffer of indices, at byte 4.
        document["accessors"][0]["sparse"] = json!({
            "count": 1,
            "indices": { "bufferView": 1, "byteOffset": 4, "componentType": 5123 },
            "values": { "bufferView": 2 },
        });
    });
    assert_eq!(corners(&document)[0], [SQUARE[0], SQUARE[1], [1.0, 1.0, 5.0]]);
    // Without a view, all others are zero.
    let mut zero = document.clone();
    drop(zero["accessors"][0].as_object_mut().unwrap().remove("bufferView"));
    let error = clean::mesh(import(&zero).unwrap().polygons, "a").unwrap_err().to_string();
    assert!(error.contains("zero area"), "{error}");
    zero["accessors"][0]["count"] = json!(1u64 << 40);
    assert!(refusal(&zero).contains("all zero"), "{}", refusal(&zero));
    // What a buffer claims, which nobody reads, does not count.
    zero["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 1u64 << 41, "uri": "none.bin" }));
    assert!(refusal(&zero).contains("all zero"), "{}", refusal(&zero));
    let mut beyond = document;
    beyond["accessors"][0]["sparse"]["indices"] =
        json!({ "bufferView": 1, "byteOffset": 8, "componentType": 5125 });
    assert!(refusal(&beyond).contains("sparse index"), "{}", refusal(&beyond));
}

#[test]
fn integer_positions_are_numbers() {
    let of = |component: u64, normalized: bool, bytes: &[u8]| {
        let stride = bytes.len() / 4;
        let document = with(|document| {
            document["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
            document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
            document["accessors"][0]["componentType"] = json!(component);
            document["accessors"][0]["normalized"] = json!(normalized);
            document["bufferViews"][0] =
                json!({ "buffer": 0, "byteLength": bytes.len(), "byteStride": stride });
            document["buffers"][0] = json!({ "byteLength": bytes.len(), "uri": data_uri(bytes) });
        });
        assert_eq!(import(&document).unwrap().notes, Default::default());
        corners(&document)[0]
    };
    let bytes = [0, 0, 0, 9, 127, 0, 0, 9, 127, 128, 0, 9, 0, 255, 0, 9];
    assert_eq!(of(5120, false, &bytes), [[0.0; 3], [127.0, 0.0, 0.0], [127.0, -128.0, 0.0]]);
    assert_eq!(of(5120, true, &bytes), [[0.0; 3], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0]]);
    assert_eq!(of(5121, false, &bytes), [[0.0; 3], [127.0, 0.0, 0.0], [127.0, 128.0, 0.0]]);
    assert_eq!(of(5121, true, &bytes)[2], [(127.0 / 255.0) as f32, (128.0 / 255.0) as f32, 0.0]);
    let words: Vec<u8> = [0i16, 0, 0, 9, 32767, 0, 0, 9, 32767, -32768, 0, 9, 0, -1, 0, 9]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(of(5122, true, &words), [[0.0; 3], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0]]);
    assert_eq!(of(5123, false, &words)[2], [32767.0, 32768.0, 0.0]);
}

#[test]
fn nodes_place_meshes() {
    let turned = with(|document| {
        // A quarter turn about z, twice as large, and moved; below a parent that moves by 10.
        document["nodes"] = json!([
            { "children": [1], "translation": [10.0, 0.0, 0.0] },
            { "mesh": 0, "rotation": [0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()], "scale": [2, 2, 2],
              "translation": [0, 0, 3] },
        ]);
    });
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    let [a, b, c] = corners(&turned)[0];
    assert!(
        near(a, [10.0, 0.0, 3.0]) && near(b, [10.0, 2.0, 3.0]) && near(c, [8.0, 2.0, 3.0]),
        "{a:?} {b:?} {c:?}"
    );
    let matrix = with(|document| {
        document["nodes"][0]["matrix"] = json!([2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]);
    });
    assert_eq!(corners(&matrix)[0], [[5.0, 6.0, 7.0], [7.0, 6.0, 7.0], [7.0, 9.0, 7.0]]);
    // Small steps far from the origin of a parent survive, since only the result is rounded.
    let far = with(|document| {
        document["nodes"] = json!([
            { "children": [1], "translation": [1e9, 0, 0] },
            { "mesh": 0, "translation": [-1e9 + 0.25, 0, 0] },
        ]);
    });
    assert_eq!(corners(&far)[0][0], [0.25, 0.0, 0.0]);
}

#[test]
fn mirrored_nodes_keep_their_fronts() {
    let document = with(|document| {
        document["nodes"] =
            json!([{ "mesh": 0, "scale": [-1, 1, 1] }, { "mesh": 0 }, { "mesh": 0, "scale": [1, -1, 1] }]);
        document["scenes"][0]["nodes"] = json!([0, 1, 2]);
    });
    let mesh = mesh(&document);
    assert_eq!(mesh.triangles.len(), 6);
    for triangle in 0..6 {
        let [a, b, c] = mesh.corners(triangle);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert!(area > 0.0, "triangle {triangle}");
    }
    assert_eq!(mesh.face_corners.get(0), [0, 2, 1]);
    assert_eq!(mesh.face_corners.get(2), [0, 1, 2]);
}

#[test]
fn only_the_scene_is_read() {
    let document = with(|document| {
        document["nodes"] = json!([{ "mesh": 0, "name": "a" }, { "mesh": 0, "name": "b", "camera": 0 }]);
        document["scenes"] = json!([{ "nodes": [0] }, { "nodes": [1] }]);
        document["scene"] = json!(1);
    });
    let imported = import(&document).unwrap();
    assert_eq!(imported.polygons.names.objects, ["b"]);
    assert_eq!(
        imported.notes.ignored,
        [("cameras", 1), ("nodes outside the scene", 1), ("other scenes", 1)].into()
    );
    let none = with(|document| {
        drop(document.as_object_mut().unwrap().remove("scenes"));
        drop(document.as_object_mut().unwrap().remove("scene"));
    });
    assert_eq!(corners(&none), [FIRST, SECOND]);
}

#[test]
fn skins_and_morphs_are_in_their_bind_pose() {
    let document = with(|document| {
        document["nodes"] = json!([
            { "mesh": 0, "skin": 0, "translation": [100, 0, 0] },
            { "scale": [0.5, 0.5, 0.5], "children": [2] },
            { "translation": [4, 0, 0] },
        ]);
        document["scenes"][0]["nodes"] = json!([0, 1]);
        // The bind pose of the joint undoes its translation, not its parent's scale.
        let inverse: Vec<u8> = [1.0f32, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -4., 0., 0., 1.]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        document["skins"] = json!([{ "joints": [2], "inverseBindMatrices": 2 }]);
        document["accessors"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "bufferView": 2, "componentType": 5126, "count": 1, "type": "MAT4" }));
        document["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 2, "byteLength": 64 }));
        document["buffers"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "byteLength": 64, "uri": data_uri(&inverse) }));
        document["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }]);
    });
    let warnings = import(&document).unwrap().notes.warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("bind pose") && warnings[1].contains("base shape"), "{warnings:?}");
    assert_eq!(corners(&document)[0], [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0]]);
    // The same matrix as the one sparse element: the first index of the buffer of indices is 0.
    let mut sparse = document.clone();
    sparse["accessors"][2] = json!({
        "componentType": 5126, "count": 2, "type": "MAT4",
        "sparse": {
            "count": 1,
            "indices": { "bufferView": 1, "componentType": 5123 },
            "values": { "bufferView": 2 },
        },
    });
    assert_eq!(corners(&sparse), corners(&document));
}

/// A GLB file of these chunks.
fn glb(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content) in chunks {
        let padded = content.len().next_multiple_of(4);
        bytes.extend((padded as u32).to_le_bytes());
        bytes.extend(*kind);
        bytes.extend(*content);
        bytes.resize(bytes.len() + padded - content.len(), if *kind == b"JSON" { b' ' } else { 0 });
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn binary() -> Vec<u8> {
    let document = with(|document| document["buffers"][0] = json!({ "byteLength": 48 }));
    glb(&[(b"JSON", document.to_string().as_bytes()), (b"BIN\0", &bytes_of(&SQUARE)), (b"EXTR", b"more")])
}

#[test]
fn glb_files_hold_their_first_buffer() {
    let polygons = super::super::read(&binary(), "a.glb").unwrap();
    assert_eq!(polygons, import(&square()).unwrap().polygons);
    let refusal = |bytes: &[u8]| super::super::read(bytes, "a.glb").unwrap_err().to_string();
    let mut old = binary();
    old[4] = 1;
    assert_eq!(refusal(&old), "a.glb, byte 4: this is GLB version 1; bvhc reads version 2");
    assert!(refusal(&binary()[..60]).starts_with("a.glb, byte 8: the header says "));
    assert_eq!(refusal(b"glTF"), "a.glb, byte 0: the file ends where the 12 bytes of a GLB header should be");
    assert_eq!(refusal(&glb(&[(b"BIN\0", b"")])), "a.glb, byte 12: the first chunk is not JSON");
}

/// However a file is cut or changed, reading it ends, and with an error or a mesh.
#[test]
fn damaged_files_are_errors() {
    let whole = binary();
    for length in 0..whole.len() {
        assert!(super::super::read(&whole[..length], "a.glb").is_err(), "{length}");
    }
    for at in 0..whole.len() {
        for change in [1, 0x10, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            let _ = super::super::read(&bytes, "a.glb");
        }
    }
}

#[derive(Debug)]
struct Map(HashMap<&'static str, Vec<u8>>);

impl Files for Map {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.0.get(name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[test]
fn buffers_may_be_files() {
    let files = Map([("my data/é.bin", bytes_of(&SQUARE))].into());
    let of = |uri: &str| {
        let document = with(|document| document["buffers"][0]["uri"] = json!(uri));
        read_all(&Input { bytes: document.to_string().as_bytes(), name: "a.gltf", files: &files })
    };
    let imported = of("my%20data/%C3%A9.bin").unwrap();
    assert_eq!(imported.polygons, import(&square()).unwrap().polygons);
    let [other] = &imported.inputs[..] else { panic!("{:?}", imported.inputs) };
    assert_eq!((&*other.name, other.length), ("my data/é.bin", 48));
    assert_eq!(other.hash, blake3::hash(&bytes_of(&SQUARE)));
    let missing = of("none.bin").unwrap_err().to_string();
    assert!(
        missing.starts_with("a.gltf: the file `none.bin`, which it refers to, cannot be read: "),
        "{missing}"
    );
    for uri in ["/etc/passwd", "http://a/b.bin", "C:/a.bin", "\\\\a\\b", "", "%ff"] {
        let fault = of(uri).unwrap_err().to_string();
        assert!(fault.contains("is not a relative path"), "{uri}: {fault}");
    }
}

#[test]
fn data_uris_come_in_any_dress() {
    let positions = bytes_of(&SQUARE);
    let base64 = base64::engine::general_purpose::STANDARD_NO_PAD.encode(&positions);
    let percent: String = positions.iter().map(|byte| format!("%{byte:02x}")).collect();
    for uri in [
        format!("data:;base64,{base64}"),
        format!("data:a/b;c=d;BASE64,{base64}"),
        format!("Data:a/b;Base64,{base64}"),
        format!("data:,{percent}"),
    ] {
        let document = with(|document| document["buffers"][0]["uri"] = json!(uri));
        assert_eq!(corners(&document), [FIRST, SECOND]);
    }
    for (uri, words) in
        [("data:;base64", "no comma"), ("data:;base64,!", "not base64"), ("data:,abc", "has 3 bytes")]
    {
        let document = with(|document| document["buffers"][0]["uri"] = json!(uri));
        assert!(refusal(&document).contains(words), "{}", refusal(&document));
    }
}

#[test]
fn rotations_may_have_any_length() {
    let of_length = |x: f64| {
        let mut document = square();
        document["nodes"][0]["rotation"] = json!([0.0, 0.0, x, x]);
        mesh(&document).positions
    };
    for length in [1e-200, 1e-3, 1e200] {
        assert_eq!(of_length(length), of_length(1.0), "{length}");
    }
}

/// The square with the first number of this key written otherwise.
fn rewritten(key: &str, number: &str) -> Result<Imported, ImportError> {
    let text = square().to_string();
    let start = text.find(key).unwrap() + key.len();
    let end = start + text[start..].find([',', '}', ']']).unwrap();
    let text = format!("{}\n{number}{}", &text[..start], &text[end..]);
    read_all(&Input::new(text.as_bytes(), "a.gltf"))
}

#[test]
fn integers_may_have_a_fraction_of_zeros_or_an_exponent() {
    for (key, numbers) in [
        ("\"scene\":", ["0.0", "-0", "0e3", "null"]),
        ("\"nodes\":[", ["0.0", "-0.0", "0e3", "0.000"]),
        ("\"indices\":", ["1.0", "1e0", "0.1e1", "10e-1"]),
        ("\"componentType\":", ["5126.0", "5.126e3", "5126", "512600e-2"]),
        ("\"byteLength\":", ["48.0", "4.8e1", "4.8E+1", "480e-1"]),
    ] {
        for number in numbers {
            assert_eq!(rewritten(key, number), import(&square()), "{key}{number}");
        }
    }
    for number in ["1.5", "-1", "-1.0", "1e300", "9007199254740994.0", "18446744073709551616", "\"1\"", "[1]"]
    {
        let error = rewritten("\"indices\":", number).unwrap_err().to_string();
        assert!(error.starts_with("a.gltf, line 2, column ") && error.contains("an integer"), "{error}");
    }
}

type Change = fn(&mut Value);

#[test]
fn faults_name_their_place() {
    let faults: [(Change, &str); 19] = [
        (|d| d["scene"] = json!(5), "scene: it refers to scenes[5], which does not exist"),
        (|d| d["scenes"][0]["nodes"] = json!([3]), "the scene: it refers to nodes[3], which"),
        (|d| d["scenes"][0]["nodes"] = json!([0, 0]), "nodes[0]: it is in the scene twice"),
        (
            |d| d["nodes"][0]["children"] = json!([0]),
            "nodes[0]: it is in the scene twice, or its own ancestor",
        ),
        (
            |d| {
                (d["scene"], d["scenes"]) = (Value::Null, json!([]));
                d["nodes"][0]["children"] = json!([0]);
            },
            "nodes[0]: it is its own ancestor",
        ),
        (|d| d["nodes"][0]["children"] = json!([9]), "nodes[0]: it refers to nodes[9]"),
        (|d| d["nodes"][0]["mesh"] = json!(2), "nodes[0]: it refers to meshes[2]"),
        (|d| d["nodes"][0]["skin"] = json!(0), "nodes[0]: it refers to skins[0]"),
        (
            |d| (d["nodes"][0]["skin"], d["skins"]) = (json!(0), json!([{ "joints": [7] }])),
            "skins[0]: it refers to nodes[7]",
        ),
        (
            |d| (d["nodes"][0]["skin"], d["skins"]) = (json!(0), json!([{ "joints": [] }])),
            "skins[0]: it has no joints",
        ),
        (|d| d["nodes"][0]["rotation"] = json!([0, 0, 0, 0]), "nodes[0]: its rotation is zero"),
        (
            |d| d["meshes"][0]["primitives"][0]["material"] = json!(4),
            "meshes[0].primitives[0]: it refers to materials[4]",
        ),
        (
            |d| d["accessors"][0]["type"] = json!("VEC2"),
            "accessors[0]: the type is `VEC2`, where VEC3 should be",
        ),
        (|d| d["accessors"][0]["count"] = json!(5), "accessors[0]: its 5 elements are not in bufferViews[0]"),
        (|d| d["accessors"][0]["count"] = json!(u64::MAX), "accessors[0]: its 18446744073709551615 elements"),
        (|d| d["accessors"][0]["bufferView"] = json!(8), "an accessor: it refers to bufferViews[8]"),
        (
            |d| d["bufferViews"][0]["byteOffset"] = json!(1),
            "bufferViews[0]: 48 bytes from 1 on are not in a buffer",
        ),
        (|d| d["buffers"][0]["byteLength"] = json!(99), "buffers[0]: byteLength is 99, but it has 48 bytes"),
        (|d| drop(d["buffers"][0].as_object_mut().unwrap().remove("uri")), "buffers[0]: it has no bytes"),
    ];
    for (change, words) in faults {
        let found = refusal(&with(change));
        assert!(found.starts_with("a.gltf, ") && found.contains(words), "{words}: {found}");
    }
    let beyond = with(|document| set_indices(document, &[0, 1, 4]));
    let text = "a.gltf, meshes[0].primitives[0]: a face refers to vertex 4, but there are 4 vertices, counted from 0";
    assert_eq!(refusal(&beyond), text);
    let nan = with(|document| {
        let positions = bytes_of(&[SQUARE[0], SQUARE[1], [f32::NAN; 3], SQUARE[3]]);
        document["buffers"][0]["uri"] = json!(data_uri(&positions));
    });
    assert_eq!(refusal(&nan), "a.gltf, accessors[0], element 2: the coordinate NaN is not a finite number");
    let broken = read_all(&Input::new(b"{\n \"asset\": [}", "a.gltf")).unwrap_err().to_string();
    assert!(broken.starts_with("a.gltf, line 2, column 12 of the JSON: "), "{broken}");
    let other = read_all(&Input::new(b"{ \"a\": 1 }", "a.gltf")).unwrap_err().to_string();
    assert!(other.contains("missing field `asset`"), "{other}");
    assert!(refusal(&with(|d| d["meshes"][0]["primitives"] = json!([]))).contains("no triangles"));
}

/// Many nodes that show a mesh whose primitives all show the same vertices.
#[test]
fn a_small_file_is_no_large_scene() {
    let document = with(|document| {
        let primitive = json!({ "attributes": { "POSITION": 0 } });
        document["accessors"][0] = json!({ "componentType": 5126, "count": 4096, "type": "VEC3" });
        document["meshes"][0]["primitives"] = json!(vec![primitive; 100]);
        document["nodes"] = json!(vec![json!({ "mesh": 0 }); 200]);
        document["scenes"][0]["nodes"] = json!((0..200).collect::<Vec<_>>());
    });
    let found = refusal(&document);
    let bytes = document.to_string().len();
    let words = format!("more than {} vertices and corners of faces, for {bytes} bytes", bytes << 12);
    assert!(found.contains(&words), "{found}");
}

#[test]
fn extensions_and_versions_that_matter_are_refused_by_name() {
    let required = |name: &str| with(|d| d["extensionsRequired"] = json!([name]));
    for name in ["KHR_draco_mesh_compression", "EXT_mesh_gpu_instancing", "ACME_cubes"] {
        let text = format!(
            "a.gltf, extensionsRequired: the file requires the extension {name}, which bvhc does not know"
        );
        assert_eq!(refusal(&required(name)), text);
    }
    assert_eq!(corners(&required("KHR_materials_unlit")), [FIRST, SECOND]);
    let used = with(|d| d["extensionsUsed"] = json!(["ACME_cubes", "KHR_materials_ior"]));
    assert_eq!(import(&used).unwrap().notes.warnings, ["the extension ACME_cubes is ignored"]);
    for (version, min, is_read) in [
        ("2.0", None, true),
        ("2.1", None, true),
        ("2.1", Some("2.0"), true),
        ("2.1", Some("2.1"), false),
        ("1.0", None, false),
    ] {
        let document = with(|d| d["asset"] = json!({ "version": version, "minVersion": min }));
        assert_eq!(import(&document).is_ok(), is_read, "{version} {min:?}");
    }
    let instanced = with(|d| d["nodes"][0]["extensions"] = json!({ "EXT_mesh_gpu_instancing": {} }));
    assert!(refusal(&instanced).contains("EXT_mesh_gpu_instancing"));
    let draco = with(|d| {
        d["meshes"][0]["primitives"][0]["extensions"] =
            json!({ "KHR_draco_mesh_compression": { "bufferView": 0 } });
    });
    assert_eq!(corners(&draco), [FIRST, SECOND]);
    let only_draco = {
        let mut document = draco;
        drop(document["accessors"][0].as_object_mut().unwrap().remove("bufferView"));
        document
    };
    assert!(refusal(&only_draco).contains("KHR_draco_mesh_compression"));
}

/// A file, perhaps one that is missing, and how often it was asked for.
#[derive(Debug, Default)]
struct Counted {
    bytes: Option<Vec<u8>>,
    reads: AtomicU32,
}

impl Counted {
    fn import(&self, document: &Value) -> Result<(Imported, u32), ImportError> {
        let text = document.to_string();
        let imported = read_all(&Input { bytes: text.as_bytes(), name: "a.gltf", files: self })?;
        Ok((imported, self.reads.load(Ordering::Relaxed)))
    }
}

impl Files for Counted {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.bytes.clone().ok_or_else(|| io::Error::other("gone"))
    }
}

#[test]
fn a_file_of_many_buffers_is_read_once() {
    let mut document = square();
    document["buffers"] = json!(vec![json!({ "byteLength": 48, "uri": "a.bin" }); 50]);
    document["bufferViews"] = (0..50).map(|buffer| json!({ "buffer": buffer, "byteLength": 48 })).collect();
    document["accessors"] = (0..50)
        .map(|view| json!({ "bufferView": view, "componentType": 5126, "count": 4, "type": "VEC3" }))
        .collect();
    let primitive = |accessor: u32| json!({ "attributes": { "POSITION": accessor }, "mode": 6 });
    document["meshes"][0]["primitives"] = (0..50).map(primitive).collect();
    let files = Counted { bytes: Some(bytes_of(&SQUARE)), ..Counted::default() };
    let (imported, reads) = files.import(&document).unwrap();
    assert_eq!((reads, imported.polygons.ends.len(), imported.inputs.len()), (1, 100, 1));
    // Each buffer has its own length of it.
    document["buffers"][9]["byteLength"] = json!(49);
    let error = files.import(&document).unwrap_err();
    assert!(error.to_string().contains("buffers[9]: byteLength is 49, but it has 48 bytes"), "{error}");
}

/// A buffer that cannot be read, and accessors that need none.
#[test]
fn a_buffer_that_fails_is_tried_once() {
    let mut document = square();
    document["buffers"] = json!([{ "byteLength": 48, "uri": "a.bin" }]);
    document["bufferViews"] = json!([]);
    document["accessors"] = json!(vec![json!({ "componentType": 5126, "count": 4, "type": "VEC3" }); 50]);
    let primitive = |accessor: u32| json!({ "attributes": { "POSITION": accessor }, "mode": 6 });
    document["meshes"][0]["primitives"] = (0..50).map(primitive).collect();
    let (imported, reads) = Counted::default().import(&document).unwrap();
    assert_eq!((reads, imported.polygons.ends.len()), (1, 100));
}

#[test]
fn schemes_of_uris_ignore_case() {
    let mut document = square();
    let uri = document["buffers"][0]["uri"].as_str().unwrap().replace("data:", "DATA:");
    document["buffers"][0]["uri"] = json!(uri);
    assert_eq!(corners(&document), corners(&square()));
    document["buffers"][0]["uri"] = json!(format!("c:{}", "x".repeat(1000)));
    let error = import(&document).unwrap_err().to_string();
    assert!(error.len() < 200 && error.contains("is not a relative path"), "{error}");
}

/// Zeros, compressed to a few bytes for each block of 256, which many views share.
#[test]
fn compressed_bytes_are_not_shared_by_many_views() {
    const BLOCKS: usize = 400;
    // A header; two bits for each byte of sixteen vertices of twelve bytes; the vertex before the first.
    let mut bytes = vec![0; 1 + BLOCKS * 48 + 32];
    bytes[0] = 0xA0;
    let count = 256 * BLOCKS;
    let import = |views: u32| {
        let mut document = square();
        let compression = json!({
            "buffer": 0, "byteLength": bytes.len(), "byteStride": 12, "count": count, "mode": "ATTRIBUTES",
        });
        let view = json!({
            "buffer": 0, "byteLength": 12 * count, "extensions": { "EXT_meshopt_compression": compression },
        });
        document["buffers"] = json!([{ "byteLength": bytes.len(), "uri": "a.bin" }]);
        document["bufferViews"] = (0..views).map(|_| view.clone()).collect();
        document["accessors"] = (0..views)
            .map(|view| json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3" }))
            .collect();
        let primitive = |accessor: u32| json!({ "attributes": { "POSITION": accessor } });
        document["meshes"][0]["primitives"] = (0..views).map(primitive).collect();
        Counted { bytes: Some(bytes.clone()), ..Counted::default() }.import(&document)
    };
    let (imported, _) = import(4).unwrap();
    assert_eq!(imported.polygons.ends.len(), 4);
    let error = import(12).unwrap_err().to_string();
    assert!(error.contains("bufferViews[") && error.contains("more than 4 times"), "{error}");
}
