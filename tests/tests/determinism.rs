//! The same source and options give the same bytes, whatever the number of threads or the source's name.

use std::num::NonZeroUsize;

use bvhc::compile::{Options, Quality, compile};
use bvhc::file::Bytes;
use bvhc_tests::scene::{hall, icosphere, join, soup, write_obj};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Default, Quality::Best];

/// Enough triangles that the builders split their work, with duplicates and equal centroids among them.
fn source() -> Vec<u8> {
    let mesh = join(&icosphere::displaced(50, 0.2, 1), &hall::hall(50, 100, 2));
    write_obj(&join(&mesh, &soup::duplicates(5000, 3)))
}

fn bytes(source: &[u8], name: &str, quality: Quality, threads: Option<usize>) -> Bytes {
    let options = Options { quality, threads: threads.and_then(NonZeroUsize::new), ..Options::default() };
    compile(source, name, &options, &()).expect("a scene compiles").bytes
}

/// 7 is more than most test machines have, and divides nothing evenly.
#[test]
fn threads_do_not_show() {
    let source = source();
    for quality in QUALITIES {
        let one = bytes(&source, "scene.obj", quality, Some(1));
        for threads in [Some(2), Some(7), None] {
            let other = bytes(&source, "scene.obj", quality, threads);
            assert!(other[..] == one[..], "{} with {threads:?} threads", quality.name());
        }
    }
}

#[test]
fn names_do_not_show() {
    let source = source();
    let here = bytes(&source, "scene.obj", Quality::Default, None);
    assert!(bytes(&source, "/elsewhere/another name.obj", Quality::Default, None)[..] == here[..]);
}

#[test]
fn qualities_show() {
    let source = source();
    let [fast, default, _] = QUALITIES.map(|quality| bytes(&source, "scene.obj", quality, None));
    assert!(fast[..] != default[..]);
}
