//! Contacts against distances of every triangle, in exact fractions, and what a manifold must be.

use std::ops::ControlFlow;

use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Aabb, Ball, Capsule, Contact, ConvexHull, Cuboid, Displacement, Feature, Filter, Model, Shape,
    TooManyContacts, Touches, TriangleShape,
};
use bvhc_tests::oracle::{gap, point};
use bvhc_tests::random::Random;
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;
use bvhc_tests::support::{integer_scenes, scenes};

/// For each scene, half of them for its small files.
const SHAPES: u32 = 60;

const ROOM: usize = 1 << 16;

/// All contacts, ascending.
fn contacts<T: Shape>(model: &Model<'_>, touches: &Touches<'_, T>) -> Vec<Contact> {
    let mut contacts = vec![Contact::NONE; ROOM];
    let count = model.contacts(touches, &mut contacts).expect("there is room");
    contacts.truncate(count);
    contacts
}

/// The bounds of points.
fn bounds(points: &[[f32; 3]]) -> Aabb {
    let end = |of: fn(f32, f32) -> f32| {
        std::array::from_fn(|axis| points.iter().map(|point| point[axis]).reduce(of).expect("points"))
    };
    Aabb::new(end(f32::min), end(f32::max))
}

/// A shape, with triangles that bound its core.
struct Known<'a> {
    shape: &'a dyn Shape,
    /// Of the core.
    bounds: Aabb,
    core: Vec<[[f32; 3]; 3]>,
}

impl Known<'_> {
    /// Whether even the boxes around the core and a triangle are farther apart than the radius and this.
    fn is_beyond(&self, reach: f64, corners: &[[f32; 3]; 3]) -> bool {
        let (own, other) = (&self.bounds, bounds(corners));
        let gap = |from: f32, to: f32| f64::from(from) - f64::from(to);
        (0..3).any(|axis| {
            let gap = gap(other.min[axis], own.max[axis]).max(gap(own.min[axis], other.max[axis]));
            gap > self.shape.radius() + reach
        })
    }

    /// Its distance from a triangle, negative only if it is within the radius of the core.
    fn distance(&self, corners: [[f32; 3]; 3]) -> f64 {
        let exact = |corners: [[f32; 3]; 3]| corners.map(|corner| corner.map(f64::from));
        let distances = self.core.iter().map(|of| match of {
            [a, b, c] if a == b && b == c => point::on_triangle(corners, *a).0,
            of => gap::of_triangles(exact(*of), exact(corners)),
        });
        distances.fold(f64::INFINITY, f64::min) - self.shape.radius()
    }
}

/// The triangles between all points.
fn between(points: &[[f32; 3]]) -> Vec<[[f32; 3]; 3]> {
    let count = points.len();
    let all =
        (0..count).flat_map(|i| (i + 1..count).flat_map(move |j| (j + 1..count).map(move |k| [i, j, k])));
    all.map(|corners| corners.map(|k| points[k])).collect()
}

/// Calls `ask` with a shape of one of five kinds near the mesh.
fn with_shape(queries: &mut Queries<'_>, random: &mut Random, kind: u32, mut ask: impl FnMut(&Known<'_>)) {
    let start = queries.point();
    let size = queries.size() * [1e-2, 0.1, 0.3][random.below(3) as usize];
    let mut near = || random.point(start.map(|x| x - size), start.map(|x| x + size));
    let points = [start, near(), near(), near()];
    let [a, b, c, _] = points;
    let mut known = |shape: &dyn Shape, core: Vec<[[f32; 3]; 3]>| {
        ask(&Known { shape, bounds: bounds(core.as_flattened()), core })
    };
    match kind % 5 {
        0 => known(&Ball::new(a, 0.5 * size), vec![[a; 3]]),
        1 => known(&Capsule::new(a, b, 0.3 * size), vec![[a, b, b]]),
        2 => known(&TriangleShape::new([a, b, c]), vec![[a, b, c]]),
        3 => {
            // Sixteenths of powers of two, so that corners are not rounded.
            let unit = f64::from(size).log2().floor().exp2() as f32 / 16.0;
            let on_grid = |p: [f32; 3]| p.map(|x| (x / unit).round() * unit);
            let (centre, half) = (on_grid(a), [3.0, 5.0, 8.0].map(|x| x * unit));
            let corner = |k: usize| {
                std::array::from_fn(|axis| {
                    if k >> axis & 1 == 0 { centre[axis] - half[axis] } else { centre[axis] + half[axis] }
                })
            };
            let corners: Vec<[f32; 3]> = (0..8).map(corner).collect();
            known(&Cuboid::new(centre, half), between(&corners));
        }
        _ => known(&ConvexHull::new(&points, 0.1 * size), between(&points)),
    }
}

#[test]
fn contacts_are_at_the_distances_of_triangles() {
    let mut found = [0; 2];
    for (seed, scene) in scenes(1).iter().chain(&integer_scenes()).enumerate() {
        for trial in Trial::of(scene) {
            let models = trial.models();
            let (mut queries, mut random) = (Queries::new(&trial.mesh, 5), Random::new(seed as u64));
            for kind in 0..trial.share(SHAPES) {
                let size = queries.size();
                let margin = [0.0, 0.01, 0.1][kind as usize / 5 % 3] * size;
                with_shape(&mut queries, &mut random, kind, |known| {
                    let first = contacts(&models[0], &Touches::new(&known.shape, margin));
                    for model in &models {
                        let again = contacts(model, &Touches::new(&known.shape, margin));
                        assert_eq!(again, first, "{} {}", trial.name, model.level().name());
                    }
                    found[0] += usize::from(first.iter().any(|contact| contact.gap > 0.0));
                    found[1] += usize::from(first.iter().any(|contact| contact.gap <= 0.0));
                    check(&trial.mesh, known, margin, &first, size);
                });
            }
        }
    }
    assert!(found[0] > 50 && found[1] > 50, "{found:?}");
}

/// The contacts are those of the triangles within the margin, with their distances.
fn check(mesh: &Mesh, known: &Known<'_>, margin: f32, contacts: &[Contact], size: f32) {
    let slack = 1e-6 * f64::from(size);
    for triangle in 0..mesh.triangles.len() as u32 {
        let corners = mesh.corners(triangle);
        let of_triangle: Vec<_> = contacts.iter().filter(|contact| contact.triangle == triangle).collect();
        if of_triangle.is_empty() && known.is_beyond(f64::from(margin), &corners) {
            continue;
        }
        let distance = known.distance(corners);
        assert!(!of_triangle.is_empty() || distance > f64::from(margin) - slack, "{triangle} at {distance}");
        assert!(of_triangle.is_empty() || distance < f64::from(margin) + slack, "{triangle} at {distance}");
        let Some(least) = of_triangle.iter().map(|contact| contact.gap).reduce(f32::min) else { continue };
        let exact = corners.map(|corner| corner.map(f64::from));
        assert_eq!(least <= 0.0, known.shape.touches(&exact, &Displacement::NONE), "{triangle}");
        // Parts that are clipped away may be the nearest by rounding only.
        if distance > slack {
            assert!((f64::from(least) - distance).abs() < 10.0 * slack, "{triangle}: {least} {distance}");
        }
        for contact in of_triangle {
            let off = point::on_triangle(corners, contact.point).0;
            // The point is rounded to f32.
            let largest = contact.point.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            assert!(off < slack + 2e-7 * f64::from(largest), "{contact:?} is {off} from its triangle");
            let length: f32 = contact.normal.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5 || contact.normal == [0.0; 3], "{contact:?}");
            check_way(known, contact, &exact, slack);
        }
    }
}

/// Moved along its normal by its depth, the shape does not touch the triangle any more.
fn check_way(known: &Known<'_>, contact: &Contact, corners: &[[f64; 3]; 3], slack: f64) {
    if contact.gap > 0.0 || contact.normal == [0.0; 3] || contact.feature == Feature::Face {
        return;
    }
    let out = Displacement::new(-f64::from(contact.gap) + 10.0 * slack, contact.normal);
    assert!(!known.shape.touches(corners, &out), "{contact:?}");
}

/// A box on a floor has contacts at its corners, whatever the floor's triangles are.
#[test]
fn a_box_stands_on_four_points() {
    for cells in [1u32, 7] {
        let file = floor(cells);
        let model = Model::from_bytes(&file).expect("it opens");
        let cuboid = Cuboid::new([3.25, 4.0, 1.0], [0.75, 0.5, 1.0]);
        let mut found = vec![Contact::NONE; 1000];
        let count = model.manifold(&Touches::new(&cuboid, 0.01), &mut found).expect("there is room");
        let mut points: Vec<[f32; 3]> = found[..count].iter().map(|contact| contact.point).collect();
        points.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        assert_eq!(points, [[2.5, 3.5, 0.0], [2.5, 4.5, 0.0], [4.0, 3.5, 0.0], [4.0, 4.5, 0.0]]);
        assert!(found[..count].iter().all(|it| it.gap == 0.0 && it.normal == [0.0, 0.0, 1.0]));
        // A capsule that lies on it, a little above.
        let capsule = Capsule::new([2.0, 3.0, 0.5], [5.0, 4.0, 0.5], 0.4375);
        let count = model.manifold(&Touches::new(&capsule, 0.1), &mut found).expect("there is room");
        let mut points: Vec<[f32; 3]> = found[..count].iter().map(|contact| contact.point).collect();
        points.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        // Along a unit normal, which is rounded, onto the floor.
        assert_eq!(points.len(), 2);
        for (point, expected) in points.iter().zip([[2.0, 3.0, 0.0], [5.0, 4.0, 0.0]]) {
            assert!((0..3).all(|k| (point[k] - expected[k]).abs() < 1e-12), "{points:?}");
        }
    }
}

fn floor(cells: u32) -> bvhc::file::Bytes {
    let at = |k: u32| 7.0 * k as f32 / cells as f32;
    let quads = (0..cells * cells).map(|k| (k % cells, k / cells));
    let triangles = quads.flat_map(|(x, y)| {
        let corner = |i: u32, j: u32| [at(x + i), at(y + j), 0.0];
        [[corner(0, 0), corner(1, 0), corner(1, 1)], [corner(0, 0), corner(1, 1), corner(0, 1)]]
    });
    bvhc_tests::support::compiled_triangles(triangles).expect("it compiles")
}

/// All of a sliver is about equally far along any direction across it, and yet its face is not what a ball beside it touches.
#[test]
fn contacts_with_slivers_are_across_them() {
    for width in [1e-3, 2e-6, 5e-7, 1e-12] {
        let sliver = [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, width, 0.0]];
        let file = bvhc_tests::support::compiled_triangles([sliver].into_iter()).expect("it compiles");
        let model = Model::from_bytes(&file).expect("it opens");
        for height in [1e-3, -1e-3] {
            for radius in [0.85, 0.999] {
                let ball = Ball::new([0.0, -0.9, height], radius);
                let found = contacts(&model, &Touches::new(&ball, 0.1));
                let [contact] = found[..] else { panic!("one contact, not {found:?}") };
                assert!(contact.normal[1] < -0.999, "{contact:?}");
                assert!((contact.gap - (0.9 - radius)).abs() < 1e-5, "{contact:?}");
                assert_eq!(contact.feature, Feature::Edge(0), "{contact:?}");
            }
        }
    }
}

#[test]
fn manifolds_of_small_models_are_those_of_large_ones() {
    for scale in [1.0, 2f32.powi(-40), 2f32.powi(-80)] {
        let at = |x: f32, y: f32| [x * scale, y * scale, 0.0];
        let triangles =
            [[at(0.0, 0.0), at(10.0, 0.0), at(10.0, 10.0)], [at(0.0, 0.0), at(10.0, 10.0), at(0.0, 10.0)]];
        let file = bvhc_tests::support::compiled_triangles(triangles.into_iter()).expect("it compiles");
        let model = Model::from_bytes(&file).expect("it opens");
        let cuboid = Cuboid::new([5.0, 5.5, 0.875].map(|x| x * scale), [scale; 3]);
        let mut found = vec![Contact::NONE; 100];
        let count = model.manifold(&Touches::new(&cuboid, 0.01 * scale), &mut found);
        assert_eq!(count, Ok(4), "{scale:e}");
    }
}

#[test]
fn nothing_is_lost_in_silence() {
    let file = floor(7);
    let model = Model::from_bytes(&file).expect("it opens");
    let ball = Ball::new([3.5, 3.5, 0.5], 1.0);
    let touches = Touches::new(&ball, 0.0);
    let all = contacts(&model, &touches);
    let mut short = vec![Contact::NONE; all.len() - 1];
    let needed = TooManyContacts { needed: all.len() };
    assert_eq!(model.contacts(&touches, &mut short), Err(needed));
    assert_eq!(model.manifold(&touches, &mut short), Err(needed));
    assert_eq!(model.contacts(&touches, &mut []), Err(needed));
    assert_eq!(model.contacts(&Touches::new(&ball, -1.0), &mut []), Ok(0));
    assert_eq!(model.contacts(&Touches::new(&ball, f32::NAN), &mut []), Ok(0));
    assert_eq!(model.contacts(&Touches::new(&Ball::new([0.0; 3], -1.0), 1.0), &mut []), Ok(0));
    assert!(contacts(&model, &Touches::new(&ball, f32::INFINITY)).len() >= 98);
    // Filters and ends.
    let mut seen = 0;
    let _ = model.touches_with(&touches, &mut Filter(|triangle| triangle == all[0].triangle), |contact| {
        assert_eq!(contact.triangle, all[0].triangle);
        seen += 1;
        ControlFlow::Continue(())
    });
    assert!(seen > 0 && model.touches(&touches, |_| ControlFlow::Break(())).is_break());
}

/// At most four of each normal, of which one is the first of them all.
#[test]
fn manifolds_are_few() {
    for (seed, scene) in scenes(1).iter().enumerate() {
        for trial in Trial::of(scene) {
            let models = trial.models();
            let (mut queries, mut random) = (Queries::new(&trial.mesh, 6), Random::new(seed as u64));
            for kind in 0..10 {
                let margin = 0.05 * queries.size();
                with_shape(&mut queries, &mut random, kind, |known| {
                    let touches = Touches::new(&known.shape, margin);
                    let all = contacts(&models[0], &touches);
                    let mut reduced = vec![Contact::NONE; ROOM];
                    let count = models[0].manifold(&touches, &mut reduced).expect("there is room");
                    reduced.truncate(count);
                    assert_eq!(reduced.first(), all.first());
                    assert!(reduced.iter().all(|contact| all.contains(contact)));
                    for contact in &all {
                        let along = |other: &&Contact| {
                            (0..3).map(|k| other.normal[k] * contact.normal[k]).sum::<f32>() > 0.995
                        };
                        let is_held = reduced.iter().any(|other| along(&other) && other.gap <= contact.gap);
                        assert!(is_held || contact.normal == [0.0; 3], "{contact:?}");
                    }
                });
            }
        }
    }
}
