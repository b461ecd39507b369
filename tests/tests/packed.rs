//! How far a small layout moves vertices, on models where that is difficult.

use std::sync::LazyLock;

use bvhc::compile::{Layout, Quality};
use bvhc::file::Bytes;
use bvhc::import::Input;
use bvhc::mesh::Mesh;
use bvhc::verify::source::compare;
use bvhc::verify::verify;
use bvhc_format::record::Block;
use bvhc_runtime::Model;
use bvhc_tests::oracle::number::is_degenerate;
use bvhc_tests::scene::{hall, icosphere, soup, terrain, tips, write_obj};
use bvhc_tests::support::split::split;
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::{QUALITIES, compiled_as, far};

fn scaled(mut mesh: Mesh, by: f32) -> Mesh {
    mesh.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= by);
    mesh
}

/// Huge triangles beside tiny ones, models so far from the origin that f32 barely resolves them, and models of the
/// smallest and the largest sizes.
fn meshes() -> Vec<(&'static str, Mesh)> {
    vec![
        ("hall", hall::hall(30, 60, 1)),
        ("tips", tips::tips(100, 2)),
        ("soup", soup::triangles(800, 0.1, 3)),
        ("terrain", terrain::terrain(30, 30, 4)),
        ("far away", far(icosphere::displaced(8, 0.2, 5), 1e6)),
        ("tiny", scaled(hall::hall(10, 20, 6), 1e-30)),
        ("subnormal", scaled(icosphere::displaced(4, 0.2, 7), 1e-38)),
        ("large", scaled(tips::tips(50, 8), 2f32.powi(57))),
    ]
}

/// A mesh's files in the small layout.
fn files(mesh: &Mesh) -> Vec<Bytes> {
    let mut files: Vec<_> =
        QUALITIES.iter().map(|quality| compiled_as(mesh, *quality, Layout::Small)).collect();
    let longest = mesh.positions.as_flattened().iter().fold(0f32, |most, x| most.max(x.abs()));
    files.push(split(&write_obj(mesh), longest / 8.0, Layout::Small));
    files
}

/// All meshes with their files, compiled once for all tests.
static FILES: LazyLock<Vec<(&str, Mesh, Vec<Bytes>)>> =
    LazyLock::new(|| meshes().into_iter().map(|(name, mesh)| (name, mesh.clone(), files(&mesh))).collect());

#[test]
fn every_file_is_within_the_rules_and_near_its_source() {
    for (name, mesh, files) in FILES.iter() {
        for file in files {
            assert_eq!(verify(file), Ok(()), "{name}");
            let model = Model::from_bytes(file).expect("it opens");
            compare(&model, &Input::new(&write_obj(mesh), name)).expect(name);
        }
    }
}

/// How far each vertex of a triangle has moved at most on an axis.
fn moved(source: &Mesh, stored: &Mesh, triangle: u32) -> f64 {
    let pairs =
        source.corners(triangle).into_iter().flatten().zip(stored.corners(triangle).into_iter().flatten());
    pairs.map(|(a, b)| (f64::from(a) - f64::from(b)).abs()).fold(0.0, f64::max)
}

/// The reported error is the real one, rounded up: P4 requires no less, and more is not needed.
#[test]
fn the_error_is_what_vertices_moved_by() {
    for (name, mesh, files) in FILES.iter() {
        for file in files {
            let model = Model::from_bytes(file).expect("it opens");
            let stored = stored(&model);
            let count = mesh.triangles.len() as u32;
            let most = (0..count).map(|triangle| moved(mesh, &stored, triangle)).fold(0.0, f64::max);
            let found = model.sections().blocks().position_error();
            assert!(
                f64::from(found) >= most && f64::from(found.next_down()) < most,
                "{name}: {found} {most}"
            );
        }
    }
}

/// FORMAT.md's statements about bvhc's lattices: see there, "How far vertices move".
#[test]
fn vertices_move_by_a_fraction_of_their_blocks() {
    for (name, mesh, files) in FILES.iter() {
        for file in files {
            let model = Model::from_bytes(file).expect("it opens");
            let (stored, mut allowed) = (stored(&model), vec![0f64; mesh.positions.len()]);
            for (triangles, limit) in limits(&model, mesh) {
                for vertex in triangles.iter().flat_map(|triangle| mesh.triangles[*triangle as usize]) {
                    allowed[vertex as usize] = allowed[vertex as usize].max(limit);
                }
            }
            for triangle in 0..mesh.triangles.len() as u32 {
                let vertices = mesh.triangles[triangle as usize];
                let limit = vertices.map(|vertex| allowed[vertex as usize]).into_iter().fold(0.0, f64::max);
                assert!(moved(mesh, &stored, triangle) <= limit, "{name}: triangle {triangle}, {limit}");
            }
        }
    }
}

/// The triangles of each block, and the largest displacement that it allows for its vertices.
fn limits(model: &Model<'_>, mesh: &Mesh) -> Vec<(Vec<u32>, f64)> {
    let numbers = model.sections().geometry().triangles.get();
    let of_block = |(_, block): (u32, Block)| {
        let row = &numbers[block.first as usize..][..usize::from(block.triangles)];
        let triangles: Vec<u32> = row.iter().map(|number| number.to_native()).collect();
        let before: Vec<_> = triangles.iter().flat_map(|triangle| mesh.corners(*triangle)).collect();
        let after: Vec<_> = (0..16).map(|slot| block.positions.map(|axis| axis[slot])).collect();
        let extent = extent(&before).max(extent(&after));
        let farthest = before.as_flattened().iter().fold(0f64, |most, x| most.max(f64::from(*x).abs()));
        // 2^-15 of 65536 / 65535; half a step of 24-bit numbers; half of the smallest step.
        let limit = (extent / 32767.5).max(farthest * 2f64.powi(-23)).max(2f64.powi(-127));
        (triangles, limit)
    };
    model.sections().blocks().iter().map(of_block).collect()
}

fn extent(points: &[[f32; 3]]) -> f64 {
    let along = |axis: usize| {
        let bound =
            |pick: fn(f32, f32) -> f32| points.iter().map(|point| point[axis]).reduce(pick).expect("a point");
        f64::from(bound(f32::max)) - f64::from(bound(f32::min))
    };
    (0..3).map(along).fold(0.0, f64::max)
}

/// G8 exempts packed blocks; without flat triangles the suites would not test the consequences.
#[test]
fn tips_become_flat() {
    let file = compiled_as(&tips::tips(100, 2), Quality::Default, Layout::Small);
    let stored = stored(&Model::from_bytes(&file).expect("it opens"));
    let flat = (0..800).filter(|triangle| is_degenerate(stored.corners(*triangle))).count();
    assert!((20..400).contains(&flat), "{flat}");
}

#[test]
fn blocks_take_less_than_half_the_bytes() {
    let mesh = icosphere::displaced(20, 0.2, 1);
    let [fast, small] =
        [Layout::Fast, Layout::Small].map(|layout| compiled_as(&mesh, Quality::Default, layout));
    let bytes = |file| Model::from_bytes(file).expect("it opens").sections().blocks().bytes();
    assert!(2 * bytes(&small) < bytes(&fast), "{} {}", bytes(&small), bytes(&fast));
}
