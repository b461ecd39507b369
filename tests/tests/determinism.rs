//! The same source and options give the same bytes, whatever the number of threads or the source's name.

use std::num::NonZeroUsize;

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::file::Bytes;
use bvhc::fit::Method;
use bvhc::pair::{kdop, obb};
use bvhc_format::kdop::Tables;
use bvhc_format::swept::Cores;
use bvhc_tests::scene::{hall, icosphere, join, soup, write_obj};
use bvhc_tests::support::{LAYOUTS, QUALITIES, STOP};

/// Enough triangles for the builders to split their work, with duplicates and equal centroids among them.
fn source() -> Vec<u8> {
    let mesh = join(&icosphere::displaced(50, 0.2, 1), &hall::hall(50, 100, 2));
    write_obj(&join(&mesh, &soup::duplicates(5000, 3)))
}

fn bytes(source: &[u8], name: &str, way: (Quality, Layout), threads: Option<usize>) -> Bytes {
    let (quality, layout) = way;
    let threads = threads.and_then(NonZeroUsize::new);
    // Trees of oriented boxes do not depend on the quality, and take most of the time.
    let obb = (quality == Quality::Default).then(obb::Options::default);
    let options = Options { quality, layout, stop: STOP, obb, threads, ..Options::default() };
    compile(source, name, &options, &()).expect("a scene compiles").bytes
}

/// 7 is more than most test machines have, and divides nothing evenly.
#[test]
fn threads_do_not_show() {
    let source = source();
    for way in QUALITIES.into_iter().flat_map(|quality| LAYOUTS.map(|layout| (quality, layout))) {
        let one = bytes(&source, "scene.obj", way, Some(1));
        for threads in [Some(2), Some(7), None] {
            let other = bytes(&source, "scene.obj", way, threads);
            assert!(other[..] == one[..], "{way:?} with {threads:?} threads");
        }
    }
}

/// Trees of k-DOPs, which files have only on request.
#[test]
fn threads_do_not_show_in_kdops() {
    let (source, layout) = (source(), Layout::Fast);
    let file = |tables, threads| {
        let kdop = Some(kdop::Options { tables, ..kdop::Options::default() });
        let threads = NonZeroUsize::new(threads);
        let options = Options { layout, obb: None, kdop, threads, ..Options::default() };
        compile(&source, "scene.obj", &options, &()).expect("a scene compiles").bytes
    };
    for tables in Tables::ALL {
        let one = file(tables, 1);
        for threads in [2, 7] {
            assert!(file(tables, threads)[..] == one[..], "{tables:?} with {threads} threads");
        }
    }
}

/// Trees of swept spheres and of hulls, and samples, on boxes that are fast to build.
#[test]
fn threads_do_not_show_around_the_parts_of_boxes() {
    let source = source();
    let file = |threads| {
        let obb = Some(obb::Options { fit: Method::Dito14, ..obb::Options::default() });
        let (swept, threads) = (Some(Cores::Hybrid), NonZeroUsize::new(threads));
        let options = Options { obb, swept, samples: true, hulls: true, threads, ..Options::default() };
        compile(&source, "scene.obj", &options, &()).expect("a scene compiles").bytes
    };
    assert!(file(1)[..] == file(7)[..]);
}

#[test]
fn names_do_not_show() {
    let source = source();
    let default = (Quality::Default, Layout::Fast);
    let here = bytes(&source, "scene.obj", default, None);
    assert!(bytes(&source, "/elsewhere/another name.obj", default, None)[..] == here[..]);
}

#[test]
fn qualities_show() {
    let source = source();
    let [fast, default] = [Quality::Fast, Quality::Default]
        .map(|quality| bytes(&source, "scene.obj", (quality, Layout::Fast), None));
    assert!(fast[..] != default[..]);
}
