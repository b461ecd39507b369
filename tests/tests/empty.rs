//! Empty and infinite arguments: one rule for all queries, as in the runtime's crate documentation.

use std::ops::ControlFlow;

use bvhc::compile::Quality;
use bvhc_runtime::{Aabb, Model, Ray, VisitControl};
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::answers::{in_ball, in_box};
use bvhc_tests::support::{LAYOUTS, compiled_as, levels};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Queries a sphere of radius 1 in every layout and on every level.
fn ask(check: impl Fn(&Model<'_>)) {
    let mesh = icosphere::displaced(3, 0.0, 1);
    for layout in LAYOUTS {
        let file = compiled_as(&mesh, Quality::Default, layout);
        let model = Model::from_bytes(&file).expect("it opens");
        for level in levels() {
            check(&model.with_level(level));
        }
    }
}

#[test]
fn boxes() {
    ask(|model| {
        let all = model.triangle_count() as usize;
        let count = |min, max| in_box(model, &Aabb { min, max }).len();
        assert_eq!(count([-INF; 3], [INF; 3]), all);
        assert_eq!(count([f32::MIN; 3], [f32::MAX; 3]), all);
        assert_eq!(count([-INF, -INF, 0.5], [INF; 3]), count([-9.0, -9.0, 0.5], [9.0; 3]));
        for (min, max) in [
            ([-9.0, -9.0, 1.0], [9.0, 9.0, -1.0]),
            ([INF; 3], [-INF; 3]),
            ([INF; 3], [INF; 3]),
            ([1e30; 3], [INF; 3]),
            ([-9.0, NAN, -9.0], [9.0; 3]),
            ([-9.0; 3], [9.0, 9.0, NAN]),
        ] {
            assert_eq!(count(min, max), 0, "{min:?} {max:?}");
        }
    });
}

#[test]
fn balls() {
    ask(|model| {
        let all = model.triangle_count() as usize;
        let count = |centre: [f32; 3], radius| in_ball(model, centre, radius).len();
        assert_eq!(count([0.0; 3], INF), all);
        assert_eq!(count([f32::MAX; 3], INF), all);
        assert_eq!(count([0.0; 3], f32::MAX), all);
        for radius in [-1.0, -INF, NAN, -f32::MIN_POSITIVE] {
            assert_eq!(count([0.0, 0.0, 1.0], radius), 0, "{radius}");
        }
        for centre in [[INF, 0.0, 0.0], [0.0, NAN, 0.0]] {
            assert_eq!(count(centre, INF), 0, "{centre:?}");
        }
    });
}

#[test]
fn points() {
    ask(|model| {
        assert!(model.closest_point([0.0; 3], INF).is_some());
        for max_distance in [-1.0, NAN, -INF] {
            assert_eq!(model.closest_point([0.0, 0.0, 1.0], max_distance), None);
        }
        for point in [[NAN, 0.0, 0.0], [0.0, INF, 0.0], [0.0, 0.0, 2e18]] {
            assert_eq!(model.closest_point(point, INF), None);
        }
    });
}

fn every_hit(model: &Model<'_>, ray: &Ray) -> [usize; 5] {
    let mut count = 0;
    model.all_hits(ray, |hit| {
        assert!(hit.t.is_finite());
        count += 1;
        VisitControl::Continue
    });
    let (mut hits, mut any) = ([None; 3], [false; 3]);
    model.closest_hits(&[*ray; 3], &mut hits);
    model.any_hits(&[*ray; 3], &mut any);
    let closest = model.closest_hit(ray);
    assert!(closest.is_none_or(|hit| hit.t.is_finite()));
    [
        count,
        usize::from(closest.is_some()),
        usize::from(model.any_hit(ray)),
        hits.iter().flatten().count(),
        any.iter().filter(|found| **found).count(),
    ]
}

#[test]
fn rays() {
    ask(|model| {
        let ray = Ray::new([0.1, 0.2, -5.0], [0.0, 0.0, 1.0]);
        assert_eq!(every_hit(model, &ray), [2, 1, 1, 3, 3]);
        assert_eq!(every_hit(model, &ray.with_range(-INF, INF)), [2, 1, 1, 3, 3]);
        for empty in [
            ray.with_range(1.0, 0.0),
            ray.with_range(NAN, INF),
            ray.with_range(0.0, NAN),
            ray.with_range(INF, -INF),
            Ray::new(ray.origin, [0.0, -0.0, 0.0]),
            Ray::new(ray.origin, [0.0, NAN, 1.0]),
            Ray::new(ray.origin, [0.0, 0.0, INF]),
            Ray::new([0.0, 0.0, -INF], ray.direction),
        ] {
            assert_eq!(every_hit(model, &empty), [0; 5], "{empty:?}");
        }
    });
}

/// With directions this short, `t` would not be finite; with slightly longer ones it is.
#[test]
fn no_hit_is_at_an_infinite_t() {
    ask(|model| {
        for (length, hits) in [(1e-42, 0), (1e-39, 0), (1e-37, 1), (1e-30, 1), (1e30, 1)] {
            for range in [(0.0, INF), (-INF, INF), (0.0, f32::MAX)] {
                let ray = Ray::new([0.1, 0.2, -5.0], [0.0, 0.0, length]).with_range(range.0, range.1);
                let expected = [2 * hits, hits, hits, 3 * hits, 3 * hits];
                assert_eq!(every_hit(model, &ray), expected, "{ray:?}");
            }
        }
    });
}

/// Each triangle is listed once, even if blocks share split ones, with the corners that queries return.
#[test]
fn everything_is_what_there_is() {
    ask(|model| {
        let mut all: Vec<_> = model.triangles().collect();
        all.sort_by_key(|(number, _)| *number);
        assert!(all.iter().map(|(number, _)| *number).eq(0..model.triangle_count() as u32));
        let _ = model.overlap_box(&Aabb::new([-INF; 3], [INF; 3]), |found| {
            assert_eq!(all[found.triangle as usize].1, found.corners);
            ControlFlow::Continue(())
        });
    });
}
