//! The convex hulls in files: no corner of a triangle is farther along any direction than the vertex that a climb
//! finds, exactly. (`tests/kdop.rs` and the runtime's own tests check that the hull never separates models that meet.)

use std::cmp::Ordering;

use bvhc::pair::kdop::Options;
use bvhc_runtime::Model;
use bvhc_tests::oracle::number::{Exact, Number, difference, dot};
use bvhc_tests::random::Random;
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::{LAYOUTS, Scene, compiled_with_kdops, integer_scenes, scenes};

const DIRECTIONS: usize = 400;

/// Any direction, one of small integers, or one nearly perpendicular to an edge.
fn direction(random: &mut Random, positions: &[[f32; 3]]) -> [f32; 3] {
    match random.below(4) {
        0 => [0; 3].map(|_| random.integer(-2, 2) as f32),
        1 => {
            let [a, b] = [0; 2].map(|_| positions[random.below(positions.len() as u32) as usize]);
            [a[1] - b[1], b[0] - a[0], 0.0]
        }
        _ => random.direction(),
    }
}

/// Which of two points is farther along a direction.
fn compare(direction: &[f32; 3], a: &[f32; 3], b: &[f32; 3]) -> Ordering {
    let along: Exact = dot(&direction.map(Exact::new), &difference(*a, *b));
    along.sign().expect("it is exact")
}

#[test]
fn no_corner_is_farther() {
    let mut random = Random::new(1);
    for layout in LAYOUTS {
        for Scene { name, mesh } in scenes(1).into_iter().chain(integer_scenes()) {
            let file = compiled_with_kdops(&mesh, layout, Options::default());
            let model = Model::from_bytes(&file).expect("it opens");
            let (hull, mesh) = (model.sections().hull().expect("a hull"), stored(&model));
            let mut corners = mesh.positions.clone();
            corners.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite numbers"));
            corners.dedup();
            for vertex in hull.vertices() {
                assert!(corners.contains(&vertex.position), "{name}");
            }
            for _ in 0..DIRECTIONS {
                let direction = direction(&mut random, &mesh.positions);
                let found = hull.farthest(&direction).expect("a good file");
                let beyond = |point: &[f32; 3]| compare(&direction, point, &found).is_gt();
                assert!(!corners.iter().any(beyond), "{name}, {direction:?}");
            }
        }
    }
}
