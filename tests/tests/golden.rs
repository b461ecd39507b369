//! The bytes of small files are pinned, and FORMAT.md shows these bytes.
//!
//! If `BVHC_BLESS` is 1, both are rewritten instead.

use std::fs;
use std::path::{Path, PathBuf};

use bvhc::compile::{Layout, OUTPUT_REVISION, Options, Quality, compile};
use bvhc::optimise::Stop;
use bvhc::pair::kdop;
use bvhc::{Bytes, FieldOptions};
use bvhc_format::kdop::Tables;
use bvhc_format::swept::{Core, Cores};
use bvhc_runtime::{LoadedModel, MappedModel, Model, Ray};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere, shapes};
use bvhc_tests::support::compiled_with_swept;
use bvhc_tests::support::dump::annotate;
use bvhc_tests::support::world::{Placed, compiled_world};

/// The options of a file.
type Ask = fn() -> Options;

/// The files.
const FILES: [(&str, Ask); 10] = [
    ("quad.bvh", || of_layout(Layout::Fast)),
    ("quad-small.bvh", || of_layout(Layout::Small)),
    ("quad-samples.bvh", || Options { samples: true, ..Options::default() }),
    ("quad-kdop.bvh", || of_kdops(18, Tables::None)),
    ("quad-kdop-tables.bvh", || of_kdops(6, Tables::Occupancy)),
    ("quad-rss.bvh", || of_swept(Cores::Same(Core::Rectangle))),
    ("quad-hybrid.bvh", || of_swept(Cores::Hybrid)),
    ("quad-hulls.bvh", || Options { obb: None, hulls: true, ..Options::default() }),
    ("quad-edges.bvh", || Options { obb: None, edges: true, intersections: true, ..Options::default() }),
    ("quad-field.bvh", || Options { obb: None, field: Some(FieldOptions::new(8)), ..Options::default() }),
];

fn of_layout(layout: Layout) -> Options {
    Options { layout, ..Options::default() }
}

fn of_kdops(k: u32, tables: Tables) -> Options {
    Options { obb: None, kdop: Some(kdop::Options { k, tables, ..Default::default() }), ..Options::default() }
}

fn of_swept(cores: Cores) -> Options {
    Options { obb: None, swept: Some(cores), ..Options::default() }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

fn blesses() -> bool {
    std::env::var("BVHC_BLESS").is_ok_and(|value| value == "1")
}

fn compiled(options: Ask) -> Vec<u8> {
    let source = fs::read(golden("quad.obj")).expect("the source is there");
    compile(&source, "quad.obj", &options(), &()).expect("it compiles").bytes.to_vec()
}

/// What the output revision stands for: the hash of each golden file, and of a larger model compiled in several ways.
fn revision() -> String {
    let suzanne = fs::read(golden("../../models/suzanne.obj")).expect("the model is there");
    let larger: [(&str, Options); 4] = [
        ("default", Options::default()),
        ("fast", Options::of(Quality::Fast)),
        ("best", Options { stop: Stop::Steps(1), ..Options::of(Quality::Best) }),
        ("small", of_layout(Layout::Small)),
    ];
    let mut text = format!("revision {OUTPUT_REVISION}\n");
    let mut add = |bytes: &[u8], name: &str| text += &format!("{} {name}\n", blake3::hash(bytes).to_hex());
    for (name, options) in FILES {
        add(&compiled(options), name);
    }
    for (name, options) in larger {
        add(&compile(&suzanne, "suzanne.obj", &options, &()).expect("it compiles").bytes, name);
    }
    for (name, options) in [("turned", Options::default()), ("turned small", of_layout(Layout::Small))] {
        add(&compile(TURNED.as_bytes(), "turned.obj", &options, &()).expect("it compiles").bytes, name);
    }
    let best = Options { stop: Stop::Steps(1), ..Options::of(Quality::Best) };
    add(&compile(LATTICE.as_bytes(), "lattice.obj", &best, &()).expect("it compiles").bytes, "lattice");
    let pile = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", "f 1 2 3\n".repeat(1_000));
    add(&compile(pile.as_bytes(), "pile.obj", &best, &()).expect("it compiles").bytes, "pile");
    add(&world(), "world");
    text
}

/// A tetrahedron that was turned by a right angle: its coordinates differ much in size.
const TURNED: &str =
    "v 0 1 -6.1e-17\nv 0 0 0\nv 1 1 3e-27\nv 6.1e-17 -1 1\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n";

/// Two triangles whose hull has coplanar faces.
const LATTICE: &str = "v -2 -2 1\nv -2 -1 -2\nv -1 2 -2\nv -1 2 1\nv 0 2 0\nv 1 1 -2\nf 1 2 3\nf 4 5 6\n";

/// Turned instances, some of which overlap and are opened.
fn world() -> Bytes {
    let (sphere, diagonal) = (icosphere::displaced(4, 0.2, 1), grid::diagonal(12));
    let mut random = Random::new(1);
    let placed: Vec<Placed> =
        (0..20).map(|number| Placed::any(number % 2, 5.0, false, &mut random)).collect();
    compiled_world(&[&sphere, &diagonal], &placed, &Options::default())
}

/// Caches and build systems ask for the revision instead of comparing bytes.
#[test]
fn bytes_change_with_their_revision() {
    let (path, found) = (golden("revision.txt"), revision());
    let pinned = fs::read_to_string(&path).unwrap_or_default();
    if found == pinned {
        return;
    }
    assert_ne!(
        found.lines().next(),
        pinned.lines().next(),
        "the same models give other bytes than before: increase OUTPUT_REVISION in compiler/src/compile/key.rs"
    );
    assert!(blesses(), "the revision has changed: run the tests once with BVHC_BLESS=1");
    fs::write(&path, &found).expect("the file can be written");
    assert_ne!(
        found.lines().skip(1).collect::<Vec<_>>(),
        pinned.lines().skip(1).collect::<Vec<_>>(),
        "the revision has changed, the bytes have not"
    );
}

#[test]
fn bytes_are_pinned() {
    for (name, options) in FILES {
        let (path, bytes) = (golden(name), compiled(options));
        if blesses() {
            fs::write(&path, &bytes).expect("the file can be written");
        }
        let pinned = fs::read(&path).expect("the file is there");
        assert_eq!(annotate(&bytes), annotate(&pinned), "the format or the compiler has changed");
        assert!(bytes == pinned);
    }
}

#[test]
fn format_md_shows_the_files() {
    shows("tests/golden/quad.bvh", &annotate(&compiled(FILES[0].1)));
    let dump = annotate(&compiled(FILES[1].1));
    let start = dump.find("reference 0").expect("a packed block");
    let (block, _) = dump[start..].split_once("\nbehind the last block").expect("zeros after it");
    shows("tests/golden/quad-small.bvh, reference 0", block);
}

/// FORMAT.md has this text between the marks with this name.
fn shows(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../format-spec/FORMAT.md");
    let page = fs::read_to_string(&path).expect("FORMAT.md is there").replace("\r\n", "\n");
    let marks = [format!("<!-- golden: {name} -->\n"), "<!-- /golden -->".to_owned()];
    let (before, rest) = page.split_once(&marks[0]).expect("the dump's first mark");
    let (shown, after) = rest.split_once(&marks[1]).expect("the dump's last mark");
    let expected = format!("```text\n{text}```\n");
    if blesses() {
        fs::write(&path, [before, &marks[0], &expected, &marks[1], after].concat())
            .expect("it can be written");
    } else {
        assert_eq!(shown, expected, "run this test with BVHC_BLESS=1 and look at the difference");
    }
}

/// The dump shows every byte of a file once, in order.
#[test]
fn dump_is_complete() {
    let hybrid = compiled_with_swept(&shapes::shapes(2, 9), Layout::Small, Cores::Hybrid).to_vec();
    for bytes in FILES.map(|(_, options)| compiled(options)).into_iter().chain([hybrid]) {
        let mut shown = Vec::new();
        for line in annotate(&bytes).lines().filter(|line| line.len() > 6 && line.get(4..6) == Some("  ")) {
            assert_eq!(usize::from_str_radix(&line[..4], 16), Ok(shown.len()), "{line}");
            let hex = line[6..line.len().min(6 + 47)].split_whitespace();
            shown.extend(hex.map(|byte| u8::from_str_radix(byte, 16).expect("a byte")));
        }
        assert_eq!(shown, bytes);
    }
}

/// Both ways to open a file return the names in it.
#[test]
fn files_answer() {
    if blesses() {
        return; // The files are being written.
    }
    for (name, _) in FILES {
        let loaded = LoadedModel::read(golden(name)).expect("it opens");
        answers(loaded.model());
        // SAFETY: nothing changes the file while the tests run except a blessing, which does not reach this line.
        #[allow(unsafe_code)]
        let mapped = unsafe { MappedModel::open(golden(name)) }.expect("it opens");
        answers(mapped.model());
    }
}

fn answers(model: Model<'_>) {
    let down = |x: f32, y: f32| model.closest_hit(&Ray::new([x, y, 9.0], [0.0, 0.0, -1.0]));
    let hit = down(1.5, 0.25).expect("the board is there");
    assert_eq!((hit.t, hit.normal, hit.back), (9.0, [0.0, 0.0, 1.0], false));
    let source = model.source_of(hit.triangle).expect("it has a source");
    assert_eq!(source.face, 0);
    assert_eq!(source.material.and_then(|index| model.material_name(index)), Some("paint"));
    assert_eq!(source.group.and_then(|index| model.group_name(index)), Some("board"));
    assert_eq!(source.object.and_then(|index| model.object_name(index)), Some("sign"));
    let roof = down(1.0, 1.25).and_then(|hit| model.source_of(hit.triangle)).expect("the roof is there");
    assert_eq!(roof.face, 1);
    assert_eq!(roof.group.and_then(|index| model.group_name(index)), Some("roof"));
    assert_eq!(down(2.5, 0.5), None);
}
