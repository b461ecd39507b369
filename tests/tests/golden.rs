//! The bytes of a small file are pinned, and FORMAT.md shows these very bytes.
//!
//! Where `BVHC_BLESS` is 1, both are rewritten instead.

use std::fs;
use std::path::{Path, PathBuf};

use bvhc::compile::{Options, compile};
use bvhc_runtime::{LoadedModel, MappedModel, Ray};
use bvhc_tests::support::dump::annotate;

/// Between these lines FORMAT.md has the dump.
const MARKS: [&str; 2] = ["<!-- golden: tests/golden/quad.bvh -->\n", "<!-- /golden -->"];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

fn blesses() -> bool {
    std::env::var("BVHC_BLESS").is_ok_and(|value| value == "1")
}

fn compiled() -> Vec<u8> {
    let source = fs::read(golden("quad.obj")).expect("the source is there");
    compile(&source, "quad.obj", &Options::default(), &()).expect("it compiles").bytes.to_vec()
}

#[test]
fn bytes_are_pinned() {
    let (path, bytes) = (golden("quad.bvh"), compiled());
    if blesses() {
        fs::write(&path, &bytes).expect("the file can be written");
    }
    let pinned = fs::read(&path).expect("the file is there");
    assert_eq!(annotate(&bytes), annotate(&pinned), "the format or the compiler has changed");
    assert!(bytes == pinned);
}

#[test]
fn format_md_shows_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../format-spec/FORMAT.md");
    let text = fs::read_to_string(&path).expect("FORMAT.md is there").replace("\r\n", "\n");
    let (before, rest) = text.split_once(MARKS[0]).expect("the dump's first mark");
    let (shown, after) = rest.split_once(MARKS[1]).expect("the dump's last mark");
    let expected = format!("```text\n{}```\n", annotate(&compiled()));
    if blesses() {
        let text = [before, MARKS[0], &expected, MARKS[1], after].concat();
        fs::write(&path, text).expect("FORMAT.md can be written");
    } else {
        assert_eq!(shown, expected, "run this test with BVHC_BLESS=1 and look at the difference");
    }
}

/// Every byte of the file stands in the dump once, in order.
#[test]
fn dump_is_complete() {
    let (bytes, mut shown) = (compiled(), Vec::new());
    for line in annotate(&bytes).lines().filter(|line| line.len() > 6 && line.get(4..6) == Some("  ")) {
        assert_eq!(usize::from_str_radix(&line[..4], 16), Ok(shown.len()), "{line}");
        let hex = line[6..line.len().min(6 + 47)].split_whitespace();
        shown.extend(hex.map(|byte| u8::from_str_radix(byte, 16).expect("a byte")));
    }
    assert_eq!(shown, bytes);
}

/// The artist's names come back by either way to open a file.
#[test]
fn file_answers() {
    if blesses() {
        return; // The file is being written.
    }
    let loaded = LoadedModel::read(golden("quad.bvh")).expect("it opens");
    // SAFETY: nothing changes the file while the tests run but a blessing, and then this line is not reached.
    #[allow(unsafe_code)]
    let mapped = unsafe { MappedModel::open(golden("quad.bvh")) }.expect("it opens");
    for model in [loaded.model(), mapped.model()] {
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
}
