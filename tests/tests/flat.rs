//! Triangles without area, which packed blocks may hold: for points and overlaps they equal their edges.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc_runtime::{Aabb, Model, Ray};
use bvhc_tests::oracle::number::is_degenerate;
use bvhc_tests::oracle::{overlap_box, overlap_sphere, point};
use bvhc_tests::random::Random;
use bvhc_tests::scene::mesh;
use bvhc_tests::support::answers::{all_hits, in_ball, in_box};
use bvhc_tests::support::levels;
use bvhc_tests::support::split::file_of;
use bvhc_tests::support::stored::stored;

/// Small integer coordinates: lattices hold them, and oracles and kernels compute with them exactly.
const EXTENT: i32 = 6;

/// Three collinear points, of which two or all three may coincide.
fn flat_corners(random: &mut Random) -> [[f32; 3]; 3] {
    let start = [0; 3].map(|_| random.integer(-EXTENT, EXTENT));
    let along = [0; 3].map(|_| random.integer(-2, 2));
    [0; 3].map(|_| {
        let steps = random.integer(-1, 1) * i32::from(random.below(8) != 0);
        [0, 1, 2].map(|axis| (start[axis] + steps * along[axis]) as f32)
    })
}

/// Segments and points, no two of them connected.
fn flat_mesh(count: u32, scale: f32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let corners = (0..count).flat_map(|_| flat_corners(&mut random)).map(|corner| corner.map(|x| x * scale));
    mesh(corners.collect(), (0..count).map(|triangle| [0, 1, 2].map(|k| 3 * triangle + k)).collect())
}

/// Files of flat triangles, whole and split, and their meshes.
fn files(scale: f32) -> Vec<(Mesh, Bytes)> {
    let slabs = [100.0, 1.5].map(|slab| {
        let mesh = flat_mesh(300, scale, 1);
        let file = file_of(mesh.clone(), b"", slab * scale, Layout::Small);
        assert_eq!(corners(&mesh), corners(&stored(&Model::from_bytes(&file).expect("it opens"))));
        (mesh, file)
    });
    slabs.into()
}

fn corners(mesh: &Mesh) -> Vec<[[f32; 3]; 3]> {
    (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)).collect()
}

/// 1; where squares underflow f32; and where they overflow.
const SCALES: [f32; 3] = [1.0, 1.0 / (1u128 << 100) as f32, (1u64 << 50) as f32];

fn on_every_level(scale: f32, mut check: impl FnMut(&Mesh, &Model<'_>)) {
    for (mesh, file) in files(scale) {
        assert!(corners(&mesh).into_iter().all(is_degenerate));
        for level in levels() {
            check(&mesh, &Model::from_bytes(&file).expect("it opens").with_level(level));
        }
    }
}

/// A point of half-integers, in and around the mesh.
fn half_integers(random: &mut Random, scale: f32) -> [f32; 3] {
    [0; 3].map(|_| random.integer(-2 * EXTENT - 4, 2 * EXTENT + 4) as f32 / 2.0 * scale)
}

#[test]
fn overlaps_are_exact() {
    for scale in SCALES {
        on_every_level(scale, |mesh, model| {
            let (mut random, mut found) = (Random::new(2), 0);
            for _ in 0..300 {
                let lower = half_integers(&mut random, scale);
                let upper = lower.map(|x| x + random.below(5) as f32 / 2.0 * scale);
                let boxed = overlap_box::all(mesh, lower, upper);
                assert_eq!(in_box(model, &Aabb::new(lower, upper)), boxed, "{lower:?} {upper:?}");
                let radius = random.below(7) as f32 / 2.0 * scale;
                let near = overlap_sphere::all(mesh, lower, radius);
                assert_eq!(in_ball(model, lower, radius), near, "{lower:?} {radius}");
                found += usize::from(!boxed.is_empty()) + usize::from(!near.is_empty());
            }
            assert!(found > 100, "only {found}");
        });
    }
}

#[test]
fn closest_points_are_on_edges() {
    for scale in SCALES {
        on_every_level(scale, |mesh, model| {
            let mut random = Random::new(3);
            for _ in 0..300 {
                let query = half_integers(&mut random, scale);
                let nearest = point::closest(mesh, query).expect("a mesh has triangles");
                let found = model.closest_point(query, f32::INFINITY).expect("no limit");
                let context = format!("{query:?} {found:?} {nearest:?}");
                assert!(nearest.ties.iter().any(|(triangle, _)| *triangle == found.triangle), "{context}");
                let error = (f64::from(found.distance) - nearest.distance).abs();
                assert!(error <= 1e-7 * nearest.distance, "{context}");
                let place = point::on_triangle(mesh.corners(found.triangle), query).1;
                for (found, place) in found.point.into_iter().zip(place) {
                    assert!((f64::from(found) - place).abs() <= 1e-6 * f64::from(scale), "{context}");
                }
            }
        });
    }
}

/// The rounding of the frame may give the image of a segment an area; then a hit is on the segment, and has no normal.
#[test]
fn rays_pass_or_hit_without_a_normal() {
    on_every_level(1.0, |mesh, model| {
        let mut random = Random::new(4);
        for _ in 0..3000 {
            let origin = random.point([-20.0; 3], [20.0; 3]);
            let [a, b, _] = mesh.corners(random.below(300));
            let target: [f32; 3] = [0, 1, 2].map(|axis| 0.5 * (a[axis] + b[axis]));
            let ray = Ray::new(origin, [0, 1, 2].map(|axis| target[axis] - origin[axis]));
            for hit in all_hits(model, &ray) {
                assert_eq!(hit.normal, [0.0; 3]);
                let place = [0, 1, 2].map(|axis| origin[axis] + hit.t * ray.direction[axis]);
                let (distance, _) = point::on_triangle(mesh.corners(hit.triangle), place);
                assert!(distance < 1e-4, "{hit:?} {distance}");
            }
        }
    });
}
