//! Which triangles intersect others: against an oracle that looks at all pairs, in exact arithmetic.

use bvhc::compile::{Layout, Options};
use bvhc::mesh::Mesh;
use bvhc_runtime::Model;
use bvhc_tests::oracle::meet::meet;
use bvhc_tests::oracle::number::is_degenerate;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{self, grid, icosphere, soup, tips};
use bvhc_tests::support::{LAYOUTS, compiled_with};

type Corners = [[f32; 3]; 3];

/// So much of a triangle next to a corner or an edge that another one has is left out: far less than what lattices and other scenes
/// here have in common elsewhere.
const CUT: f64 = 1.0 / (1u64 << 20) as f64;

fn options(layout: Layout) -> Options {
    Options { layout, obb: None, intersections: true, ..Options::default() }
}

/// What a file says of a mesh, and the triangles in the file.
fn told(mesh: &Mesh, layout: Layout) -> (Vec<u32>, Vec<Corners>) {
    let bytes = compiled_with(mesh, &options(layout));
    let model = Model::from_bytes(&bytes).expect("it opens");
    let told = model.intersecting_triangles().expect("it was asked").collect();
    let mut triangles: Vec<(u32, Corners)> = model.triangles().collect();
    triangles.sort_by_key(|(triangle, _)| *triangle);
    (told, triangles.into_iter().map(|(_, corners)| corners).collect())
}

/// By the definition: what is left of one where the corners and edges of both are cut off meets the other one.
fn intersect(a: &Corners, b: &Corners) -> bool {
    let exact = |corners: &Corners| corners.map(|corner| corner.map(f64::from));
    let towards = |from: [f64; 3], to: [f64; 3], share: f64| -> [f64; 3] {
        std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * share)
    };
    let shared = a.map(|corner| b.contains(&corner));
    let (a, b) = (exact(a), exact(b));
    let first = |which: bool| shared.iter().position(|shared| *shared == which).unwrap_or(0);
    let from = |first: usize| [a[first], a[(first + 1) % 3], a[(first + 2) % 3]];
    match shared.iter().filter(|shared| **shared).count() {
        0 => meet(a, b),
        1 => {
            let [corner, p, q] = from(first(true));
            let [r, s] = [p, q].map(|end| towards(corner, end, CUT));
            meet([p, q, r], b) || meet([q, r, s], b)
        }
        2 => {
            let [apex, p, q] = from(first(false));
            meet([apex, towards(p, apex, CUT), towards(q, apex, CUT)], b)
        }
        _ => true,
    }
}

fn expected(triangles: &[Corners]) -> Vec<u32> {
    let has_area = |index: &usize| !is_degenerate(triangles[*index]);
    let all = || (0..triangles.len()).filter(has_area);
    let intersects = |index: &usize| {
        all().any(|other| other != *index && intersect(&triangles[*index], &triangles[other]))
    };
    all().filter(intersects).map(|index| index as u32).collect()
}

/// Triangles between whole points, of which many share corners, edges and planes.
fn lattice(count: usize, size: u32, random: &mut Random) -> Mesh {
    let positions: Vec<[f32; 3]> =
        (0..count).map(|_| std::array::from_fn(|_| random.below(size) as f32)).collect();
    let corner = |random: &mut Random| random.below(count as u32);
    let triangles = (0..count).map(|_| std::array::from_fn(|_| corner(random)));
    let has_area = |triangle: &[u32; 3]| !is_degenerate(triangle.map(|corner| positions[corner as usize]));
    let triangles = triangles.filter(has_area).collect();
    scene::mesh(positions.clone(), triangles)
}

#[test]
fn lattices_against_all_pairs() {
    let mut random = Random::new(31);
    let (mut few, mut listed, mut all) = (0, 0, 0);
    for round in 0..1_500 {
        let (count, size) = [(4, 3), (6, 4), (8, 9), (24, 6), (40, 20)][round % 5];
        let mesh = lattice(count, size, &mut random);
        if mesh.triangles.len() < 2 {
            continue;
        }
        let (told, triangles) = told(&mesh, Layout::Fast);
        assert_eq!(told, expected(&triangles), "{triangles:?}");
        few += usize::from(!told.is_empty() && told.len() < triangles.len());
        (listed, all) = (listed + told.len(), all + triangles.len());
    }
    assert!(few > 200 && listed * 4 > all && listed < all, "{few}: {listed} of {all}");
}

#[test]
fn scenes_against_all_pairs() {
    let overlapping = scene::join(&icosphere::displaced(4, 0.1, 3), &icosphere::icosphere(3));
    let scenes = [
        (icosphere::displaced(6, 0.2, 1), Some(false)),
        (grid::cubes([3, 2, 2]), None),
        (grid::staircase(4), None),
        (tips::tips(12, 7), None),
        (soup::triangles(120, 0.3, 4), Some(true)),
        (soup::needles(80, 4), None),
        (soup::duplicates(60, 8), Some(true)),
        (overlapping, Some(true)),
    ];
    for (mesh, some) in scenes {
        for layout in LAYOUTS {
            let (told, triangles) = told(&mesh, layout);
            assert_eq!(told, expected(&triangles));
            assert!(some.is_none_or(|some| some != told.is_empty()), "{} listed", told.len());
        }
    }
}

/// Without the option a file says nothing; a surface that is closed and free of intersections says both.
#[test]
fn files_say_it_on_request() {
    let mesh = icosphere::displaced(4, 0.1, 1);
    let bytes = compiled_with(&mesh, &Options::default());
    assert!(Model::from_bytes(&bytes).expect("it opens").intersecting_triangles().is_none());
    let bytes = compiled_with(&mesh, &options(Layout::Fast));
    let model = Model::from_bytes(&bytes).expect("it opens");
    assert!(model.is_closed() && model.intersecting_triangles().is_some_and(|found| found.len() == 0));
}
