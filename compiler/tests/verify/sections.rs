//! Sections of other kinds, versions and meshes; user metadata; corners of faces.

use std::collections::BTreeMap;

use bvhc::compile::{CompileError, Layout, Options, UserMetadataError, compile};
use bvhc::file::{Bytes, Section, assemble, join};
use bvhc::verify::VerifyError;
use bvhc_format::NONE;
use bvhc_format::header::SectionEntry;
use bvhc_format::record::InputFile;
use bvhc_format::section::{Metadata, Names, SectionKind, VENDOR_KINDS};
use bvhc_runtime::{Level, LoadedModel, Model, OpenError, Ray, SectionFault};

use crate::forge::{Forge, GEOMETRY, METADATA, OBB, SAMPLES, TREE, source};
use crate::{breaks, breaks_in, expect};

const VENDOR: u32 = 0x8000_0001;

/// An entry for a section of an unknown or future kind.
fn entry(kind: u32, mesh: u32, flags: u16) -> SectionEntry {
    SectionEntry { kind, version: 1, flags, offset: 0, length: 0, alignment: 64, mesh, hash: [0; 32] }
}

fn with_section(entry: SectionEntry) -> Forge {
    let mut file = Forge::new();
    file.add_section(entry, b"anything at all");
    file.seal();
    file
}

fn open_error(file: &Forge) -> Option<OpenError> {
    Model::from_bytes(&file.aligned()).err()
}

fn fault(file: &Forge) -> Option<SectionFault> {
    match open_error(file)? {
        OpenError::Section { fault, .. } => Some(fault),
        other => panic!("{other}"),
    }
}

#[test]
fn sections_of_unknown_kinds_are_skipped_unless_required() {
    let plain = Forge::new().aligned();
    let ray = Ray::new([3.0, 3.0, 9.0], [0.1, 0.2, -1.0]);
    let expected = Model::from_bytes(&plain).unwrap().closest_hit(&ray);
    assert!(expected.is_some());
    for kind in [0, 15, 31, 34, 0x7fff_ffff, *VENDOR_KINDS.start(), VENDOR, *VENDOR_KINDS.end()] {
        for mesh in [0, NONE] {
            let file = with_section(entry(kind, mesh, 0));
            let bytes = file.aligned();
            let model = Model::from_bytes(&bytes).unwrap();
            assert_eq!(model.closest_hit(&ray), expected);
            assert!(
                model
                    .sections()
                    .entries()
                    .any(|(entry, bytes)| entry.kind == kind && bytes == b"anything at all")
            );
            // An unknown kind of tree would need statistics.
            assert_eq!(file.verify().is_ok(), kind != 31 || mesh == NONE, "{kind}");
            let required = with_section(entry(kind, mesh, 1));
            assert_eq!(fault(&required), Some(SectionFault::UnknownRequired));
        }
    }
    let mut file = with_section(entry(VENDOR, NONE, 0));
    let at = file.payload(VENDOR).start;
    file.bytes[at] ^= 1;
    expect("D10", &file);
    assert!(file.verify().unwrap_err().to_string().contains("(vendor-80000001)"));
}

#[test]
fn sections_of_newer_versions_are_skipped_unless_required() {
    let mut file = Forge::of_samples(&source(), Layout::Fast);
    file.put(file.entry(OBB) + 4, &[2]);
    file.seal();
    file.verify().unwrap();
    let bytes = file.aligned();
    let model = Model::from_bytes(&bytes).unwrap();
    assert!(model.sections().obb_tree().is_none() && model.sections().samples().is_none());
    file.put(file.entry(OBB) + 6, &[1]);
    assert_eq!(fault(&file), Some(SectionFault::Version { found: 2 }));
    assert!(open_error(&file).unwrap().to_string().contains("(obb-tree)"));
    // Samples without a tree of oriented boxes are invalid.
    let mut file = Forge::of_samples(&source(), Layout::Fast);
    file.drop_section(OBB);
    assert!(matches!(open_error(&file), Some(OpenError::Samples { .. })));
    assert!(file.has(SAMPLES));
}

#[test]
fn older_and_newer_files_are_refused_with_advice() {
    for (major, advice) in [(1, "recompile"), (2, "recompile"), (4, "update the runtime")] {
        let mut file = Forge::new();
        file.put(12, &[major]);
        let message = open_error(&file).unwrap().to_string();
        assert!(message.contains(&format!("version {major}.0")) && message.contains(advice), "{message}");
    }
}

#[test]
fn entries_ascend_by_mesh_and_kind() {
    for mesh in [1, 7, NONE - 1] {
        let file = with_section(entry(VENDOR, mesh, 0));
        let found = SectionFault::Mesh { found: mesh, most: 1 };
        // Mesh 1 is then a mesh with only an optional section; the other mesh is still readable.
        assert_eq!(fault(&file), (mesh > 1).then_some(found));
    }
    assert!(matches!(with_section(entry(VENDOR, 1, 0)).verify(), Err(VerifyError::Mesh { mesh: 1, .. })));
    let mut file = with_section(entry(VENDOR, 0, 0));
    file.put_u32(file.entry(VENDOR), TREE);
    assert_eq!(fault(&file), Some(SectionFault::Order));
    file.put_u32(file.entry(OBB), TREE);
    assert_eq!(fault(&file), Some(SectionFault::Duplicate));
    let mut file = Forge::new();
    file.put_u32(file.entry(METADATA) + 28, 1);
    assert_eq!(fault(&file), Some(SectionFault::Mesh { found: 1, most: 0 }));
}

/// The sheet, one triangle, and the sheet with packed blocks.
fn three_meshes() -> Forge {
    let files = [Forge::new(), Forge::of_one_triangle(), Forge::packed()].map(|file| file.aligned());
    Forge { bytes: join(&[&files[0], &files[1], &files[2]]).unwrap().to_vec() }
}

#[test]
fn a_file_of_several_meshes() {
    let alone = [Forge::new(), Forge::of_one_triangle(), Forge::packed()].map(|file| file.aligned());
    let file = three_meshes();
    file.verify().unwrap();
    let bytes = file.aligned();
    assert_eq!(Model::mesh_count(&bytes), Ok(3));
    assert_eq!(Model::mesh_count(&alone[0]), Ok(1));
    let ray = Ray::new([1.2, 2.3, 9.0], [0.0, 0.0, -1.0]);
    for (mesh, alone) in (0..).zip(&alone) {
        let (model, alone) =
            (Model::from_bytes_mesh(&bytes, mesh).unwrap(), Model::from_bytes(alone).unwrap());
        assert_eq!((model.mesh(), model.triangle_count()), (mesh, alone.triangle_count()));
        assert_eq!(model.bounds(), alone.bounds());
        assert_eq!(model.closest_hit(&ray), alone.closest_hit(&ray));
    }
    let loaded = LoadedModel::from_bytes(&bytes).unwrap();
    let first = loaded.model().with_level(Level::available().next().unwrap());
    assert_eq!((first.mesh(), first.meshes()), (0, 3));
    let second = first.open_mesh(1).unwrap();
    assert_eq!((second.mesh(), second.triangle_count(), second.level().name()), (1, 1, first.level().name()));
    assert_eq!(second.open_mesh(0).unwrap().bounds(), first.bounds());
    for mesh in [3, 4, NONE] {
        let error = Model::from_bytes_mesh(&bytes, mesh).err();
        assert_eq!(error, Some(OpenError::NoSuchMesh { mesh, count: 3 }));
        assert_eq!(first.open_mesh(mesh).err(), error);
    }
}

#[test]
fn each_mesh_is_verified() {
    let mut file = three_meshes();
    // The second metadata section: its count of vertices.
    let entry = (0..).map(|index| 64 + 64 * index).find(|at| file.u32(at + 28) == 1).unwrap();
    assert_eq!(file.u32(entry), METADATA);
    let root = (file.u64(entry + 8) + file.u64(entry + 16)) as usize - SectionKind::Metadata.root().size;
    file.add(root + 64, 1);
    file.seal();
    expect("M1", &file);
    assert!(file.verify().unwrap_err().to_string().starts_with("mesh 1: metadata"));
}

fn user(pairs: &[(&str, &str)]) -> Options {
    let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Options { user_metadata: pairs.iter().map(pair).collect(), ..Options::default() }
}

fn with_user(options: &Options) -> Forge {
    let bytes = compile(source().as_bytes(), "source", options, &()).unwrap().bytes;
    Forge { bytes: bytes.to_vec() }
}

#[test]
fn user_metadata_comes_back_in_order() {
    let pairs = [("b", ""), ("author", "Ä. Smith"), ("ab", "x=y\n")];
    let file = with_user(&user(&pairs));
    file.verify().unwrap();
    let bytes = file.aligned();
    let found: Vec<_> = Model::from_bytes(&bytes).unwrap().user_metadata().collect();
    assert_eq!(found, [("ab", "x=y\n"), ("author", "Ä. Smith"), ("b", "")]);
    // Nothing else depends on user metadata.
    let (text, other) = (file.slice(METADATA, 128), Forge::new());
    assert_eq!(file.bytes[text.0..][..text.1], other.bytes[other.slice(METADATA, 128).0..][..text.1]);
    assert_eq!(file.bytes[file.payload(OBB)], other.bytes[other.payload(OBB)]);
}

#[test]
fn user_metadata_has_limits() {
    let refused = |options: &Options| {
        let error = compile(source().as_bytes(), "source", options, &()).err();
        match error {
            Some(CompileError::UserMetadata(fault)) => fault,
            other => panic!("{:?}", other.map(|error| error.to_string())),
        }
    };
    assert!(matches!(refused(&user(&[("", "x")])), UserMetadataError::KeyLength { .. }));
    let long = "k".repeat(256);
    assert!(matches!(refused(&user(&[(&long, "x")])), UserMetadataError::KeyLength { .. }));
    with_user(&user(&[(&long[..255], "x")])).verify().unwrap();
    let much = "v".repeat(1 << 20);
    assert!(matches!(refused(&user(&[("k", &much)])), UserMetadataError::TooMuchText { .. }));
    with_user(&user(&[("k", &much[1..])])).verify().unwrap();
    let many = |count: u32| Options {
        user_metadata: (0..count).map(|key| (key.to_string(), String::new())).collect::<BTreeMap<_, _>>(),
        ..Options::default()
    };
    assert!(matches!(refused(&many(4097)), UserMetadataError::TooManyPairs { found: 4097 }));
    with_user(&many(4096)).verify().unwrap();
}

#[test]
fn user_metadata_keeps_its_rules() {
    let good = || with_user(&user(&[("key", "red"), ("kez", "green")]));
    let [keys, key_ends, values, value_ends] = [256, 272, 288, 304];
    breaks_in(good(), "M3", |file| file.add(file.slice(METADATA, value_ends).0, 100));
    breaks_in(good(), "M4", |file| file.put(file.slice(METADATA, values).0, &[0xff]));
    breaks_in(good(), "M4", |file| file.put(file.slice(METADATA, keys).0, &[0xff]));
    breaks_in(good(), "M7", |file| file.put(file.slice(METADATA, keys).0 + 2, b"z"));
    breaks_in(good(), "M8", |file| file.put_u32(file.slice(METADATA, key_ends).0, 0));
}

/// A file whose metadata name an input that they have no hash of: no change of bytes alone makes one.
#[test]
fn inputs_have_names_and_hashes() {
    let compiled = compile(source().as_bytes(), "source", &Options::default(), &()).unwrap().bytes;
    let model = Model::from_bytes(&compiled).unwrap();
    let found = model.sections().metadata();
    let none = Names { text: &[], ends: &[] };
    let lists = [&found.materials, &found.groups, &found.objects];
    let ends = lists.map(|list| list.ends.get().iter().map(|end| end.to_native()).collect::<Vec<u32>>());
    let names = |list: usize| Names { text: lists[list].text.get(), ends: &ends[list] };
    let of = |input_names, inputs: &[InputFile]| {
        Section::new(&Metadata {
            source_hash: found.source_hash,
            source_length: found.source_length.to_native(),
            source_faces: found.source_faces.to_native(),
            source_vertices: found.source_vertices.to_native(),
            triangles: found.triangles.to_native(),
            vertices: found.vertices.to_native(),
            dropped_triangles: found.dropped_triangles.to_native(),
            dropped_faces: found.dropped_faces.to_native(),
            bounds: found.bounds.map(|x| x.to_native()),
            compiler: found.compiler.get(),
            options: found.options.get(),
            materials: names(0),
            groups: names(1),
            objects: names(2),
            trees: found.trees.get(),
            keys: none,
            values: none,
            input_names,
            inputs,
        })
    };
    let file = |metadata: Section| {
        let mut sections = vec![metadata];
        for (entry, bytes) in model.sections().entries().filter(|(entry, _)| entry.kind != METADATA) {
            let mut payload = Bytes::new();
            payload.extend_from_slice(bytes);
            let SectionEntry { kind, version, flags, mesh, .. } = entry;
            sections.push(Section { kind, version, flags, mesh, payload });
        }
        Forge { bytes: assemble(sections).to_vec() }
    };
    let name = Names { text: b"a.bin", ends: &[5] };
    let input = [InputFile { hash: [7; 32], length: 9 }];
    file(of(name, &input)).verify().unwrap();
    expect("M9", &file(of(name, &[])));
    expect("M9", &file(of(none, &input)));
}

#[test]
fn corners_of_faces() {
    let corners = |file: &Forge| file.slice(GEOMETRY, 64);
    // The sheet's quads are split along the diagonal from corner 0.
    assert_eq!(corners(&Forge::new()).1, Forge::new().slice(GEOMETRY, 16).1);
    breaks("G13", |file| file.put(corners(file).0, &[0, 0]));
    breaks("G13", |file| {
        let (start, count) = corners(file);
        (0..count).for_each(|index| file.put(start + 2 * index, &(1u16 << 5 | 2 << 10).to_le_bytes()));
    });
    breaks("G14", |file| file.put(corners(file).0 + 1, &[0x88]));
    breaks("G14", |file| file.put(corners(file).0, &[0xff, 0xff]));
}
