//! Shapes on every SIMD level, layout and tree, against tests of every triangle.
//!
//! Whether a shape touches a triangle is decided by [`Shape::touches`] and [`Shape::touches_during`], which the
//! runtime's own tests hold to integers; here it is whether queries find what these say.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use bvhc::compile::{Layout, Options};
use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Ball, Capsule, CastHit, ConvexHull, Cuboid, Cylinder, Displacement, Feature, Filter, Model, Shape,
    ShapeCast, Sides, StartContact, TriangleShape,
};
use bvhc_tests::oracle::number::is_degenerate;
use bvhc_tests::random::Random;
use bvhc_tests::scene::mesh;
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;
use bvhc_tests::support::{integer_scenes, scenes};

static TRIALS: LazyLock<Vec<Trial>> =
    LazyLock::new(|| scenes(1).iter().chain(&integer_scenes()).flat_map(Trial::of).collect());

/// For each scene, half of them for its small files.
const SHAPES: u32 = 100;

/// What a test asks of a shape of any kind.
trait Ask {
    fn ask(&mut self, shape: &impl Shape);
}

/// Calls `ask` with a shape of one of all kinds, near the mesh, and of a size from points to that of the mesh.
fn with_random_shape(queries: &mut Queries<'_>, random: &mut Random, kind: u32, ask: &mut impl Ask) {
    let start = queries.point();
    let size = queries.size() * [0.0, 1e-3, 0.05, 0.4][random.below(4) as usize];
    let mut near = || random.point(start.map(|x| x - size), start.map(|x| x + size));
    let (a, b, c) = (near(), near(), near());
    let points = [start, a, b, c, near(), near()];
    let extents = near();
    match kind % 6 {
        0 => ask.ask(&Ball::new(start, 0.5 * size)),
        1 => ask.ask(&Capsule::new(start, a, 0.3 * size)),
        2 => {
            let half: [f32; 3] = std::array::from_fn(|k| (extents[k] - start[k]).abs());
            let turned = [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]];
            ask.ask(&Cuboid::new(start, half).rotated(turned).expect("a rotation"));
        }
        // A cylinder has a length.
        3 if size > 0.0 => ask.ask(&Cylinder::new(start, a, 0.3 * size)),
        4 => ask.ask(&TriangleShape::new([start, a, b])),
        _ => ask.ask(&ConvexHull::new(&points, 0.1 * size)),
    }
}

fn corners(mesh: &Mesh, triangle: u32) -> [[f64; 3]; 3] {
    mesh.corners(triangle).map(|corner| corner.map(f64::from))
}

fn triangles(mesh: &Mesh) -> std::ops::Range<u32> {
    0..mesh.triangles.len() as u32
}

/// Overlaps of one shape in all models.
struct Overlaps<'a> {
    trial: &'a Trial,
    models: &'a [Model<'a>],
    found: usize,
}

impl Ask for Overlaps<'_> {
    fn ask(&mut self, shape: &impl Shape) {
        let mesh = &self.trial.mesh;
        let touched = |triangle: &u32| shape.touches(&corners(mesh, *triangle), &Displacement::NONE);
        let expected: Vec<u32> = triangles(mesh).filter(touched).collect();
        self.found += usize::from(!expected.is_empty());
        for model in self.models {
            let mut found = Vec::new();
            let _ = model.overlap(shape, |overlap| {
                found.push(overlap.triangle);
                ControlFlow::Continue(())
            });
            found.sort_unstable();
            assert_eq!(found, expected, "{} {}", self.trial.name, model.level().name());
            assert_eq!(model.overlaps(shape), !expected.is_empty());
            let odd = expected.iter().any(|triangle| triangle % 2 == 1);
            assert_eq!(model.overlaps_with(shape, &mut Filter(|triangle| triangle % 2 == 1)), odd);
        }
    }
}

#[test]
fn shapes_overlap_the_triangles_that_they_touch() {
    let mut found = 0;
    for (seed, trial) in TRIALS.iter().enumerate() {
        let models = trial.models();
        let (mut queries, mut random) = (Queries::new(&trial.mesh, 3), Random::new(seed as u64));
        for kind in 0..trial.share(SHAPES) {
            let mut ask = Overlaps { trial, models: &models, found };
            with_random_shape(&mut queries, &mut random, kind, &mut ask);
            found = ask.found;
        }
    }
    assert!(found > 150, "{found} found");
}

/// The casts of one shape in all models.
struct Casts<'a> {
    trial: &'a Trial,
    models: &'a [Model<'a>],
    displacement: [f32; 3],
    size: f32,
    /// How many casts met something, and how many of those from the start.
    met: [usize; 2],
}

impl Ask for Casts<'_> {
    fn ask(&mut self, shape: &impl Shape) {
        let cast = ShapeCast::new(shape, self.displacement);
        let first = self.models[0].cast(&cast);
        for model in self.models {
            assert_eq!(model.cast(&cast), first, "{} {}", self.trial.name, model.level().name());
            assert_eq!(model.cast_any(&cast), first.is_some());
            self.check_all(model, &cast, first.as_ref());
        }
        let is_sure = shape.touches_during(&[[0.0; 3]; 3], &Displacement::NONE).is_some();
        match &first {
            None => self.check_miss(shape, is_sure),
            Some(hit) => self.check_hit(shape, hit),
        }
        self.check_start(shape, first.as_ref());
    }
}

impl Casts<'_> {
    /// All casts are of different triangles, and the first is the best of them.
    fn check_all<T: Shape>(&self, model: &Model<'_>, cast: &ShapeCast<'_, T>, first: Option<&CastHit>) {
        let mut all: Vec<CastHit> = Vec::new();
        let _ = model.all_casts(cast, |hit| {
            all.push(*hit);
            ControlFlow::Continue(())
        });
        all.sort_by_key(|hit| hit.triangle);
        assert!(all.is_sorted_by(|a, b| a.triangle < b.triangle), "a triangle was reported twice");
        let least = all.iter().map(|hit| hit.t).reduce(f64::min);
        assert_eq!(least, first.map(|hit| hit.t), "{}", self.trial.name);
        assert!(first.is_none_or(|first| all.contains(first)));
    }

    fn check_miss(&self, shape: &impl Shape, is_sure: bool) {
        let all = Displacement::new(1.0, self.displacement);
        for triangle in triangles(&self.trial.mesh).filter(|_| is_sure) {
            let touched = shape.touches_during(&corners(&self.trial.mesh, triangle), &all);
            assert_eq!(touched, Some(false), "{} {triangle} was missed", self.trial.name);
        }
    }

    fn check_hit(&mut self, shape: &impl Shape, hit: &CastHit) {
        self.met[0] += 1;
        let mesh = &self.trial.mesh;
        assert_eq!(hit.corners, mesh.corners(hit.triangle));
        let at = Displacement::new(hit.t, self.displacement);
        let touched = |triangle| shape.touches(&corners(mesh, triangle), &at);
        if hit.depth.is_some() {
            self.met[1] += 1;
            assert!(hit.t == 0.0 && touched(hit.triangle));
            return;
        }
        assert!(!triangles(mesh).any(touched), "{} at {}: {hit:?}", self.trial.name, hit.t);
        // Something is touched when the shape moves on by less than a millionth of the model's size.
        let speed = self.displacement.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let closing: f64 = (0..3).map(|k| f64::from(-hit.normal[k] * self.displacement[k])).sum();
        if closing > 1e-3 * speed && hit.t < 0.999 {
            let later = hit.t + 1e-6 * f64::from(self.size) / closing;
            let during = Displacement::new(later.min(1.0), self.displacement);
            let touched = shape.touches(&corners(mesh, hit.triangle), &during);
            let grazed = shape.touches_during(&corners(mesh, hit.triangle), &during);
            assert!(touched || grazed == Some(true), "{} at {}: {hit:?}", self.trial.name, hit.t);
        }
    }

    /// The other choices for contacts at the start.
    fn check_start(&self, shape: &impl Shape, first: Option<&CastHit>) {
        let cast = ShapeCast::new(shape, self.displacement);
        let ignoring = self.models[0].cast(&cast.with_start(StartContact::Ignore));
        assert!(ignoring.is_none_or(|hit| hit.depth.is_none()));
        if first.is_none_or(|hit| hit.depth.is_none()) {
            assert_eq!(ignoring.as_ref(), first);
        }
        for model in self.models {
            assert_eq!(model.cast(&cast.with_start(StartContact::Ignore)), ignoring);
        }
        for sides in [Sides::Front, Sides::Back] {
            let hit = self.models[0].cast(&cast.with_sides(sides));
            let along = |hit: &CastHit| -> f32 {
                (0..3).map(|k| hit.face_normal[k] * self.displacement[k]).sum::<f32>()
            };
            let front = if sides == Sides::Front { 1.0 } else { -1.0 };
            assert!(hit.is_none_or(|hit| front * along(&hit) <= 1e-6 * self.size));
        }
    }
}

#[test]
fn casts_stop_before_they_touch_and_miss_nothing() {
    let mut met = [0; 2];
    for (seed, trial) in TRIALS.iter().enumerate() {
        let models = trial.models();
        let (mut queries, mut random) = (Queries::new(&trial.mesh, 4), Random::new(seed as u64));
        for kind in 0..trial.share(SHAPES) {
            let size = queries.size();
            let target = queries.on_surface();
            let displacement = match random.below(4) {
                0 => [size, 0.0, 0.0],
                1 => [0.0, 0.0, -0.5 * size],
                _ => {
                    let from = queries.point();
                    std::array::from_fn(|k| 1.5 * (target[k] - from[k]))
                }
            };
            let mut ask = Casts { trial, models: &models, displacement, size, met };
            with_random_shape(&mut queries, &mut random, kind, &mut ask);
            met = ask.met;
        }
    }
    assert!(met[0] > 150 && met[1] > 40, "{met:?}");
}

/// A cube and a ball above squares at two heights: contacts whose times, normals and depths are known.
#[test]
fn known_contacts() {
    let floor = bvhc_tests::scene::grid::checkerboard(4);
    let file = bvhc_tests::support::compiled(&floor, bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    let top = model.bounds().max[2];
    let cuboid = Cuboid::new([2.5, 1.5, top + 1.75], [0.25; 3]);
    let hit = model.cast(&ShapeCast::new(&cuboid, [0.0, 0.0, -3.0])).expect("it falls");
    assert!((hit.t - 0.5).abs() < 1e-6 && hit.t <= 0.5, "{hit:?}");
    assert_eq!(hit.normal, [0.0, 0.0, 1.0]);
    // It rests on the floor: it touches it, but does not move deeper into it.
    let resting = Cuboid::new([2.5, 1.5, top + 0.25], [0.25; 3]);
    let along = ShapeCast::new(&resting, [0.2, 0.0, 0.0]);
    assert_eq!(model.cast(&along).expect("it touches").depth, Some(0.0));
    assert_eq!(model.cast(&along.with_start(StartContact::IfClosing)), None);
    assert_eq!(model.cast(&along.with_start(StartContact::Ignore)), None);
    let down = ShapeCast::new(&resting, [0.0, 0.0, -1.0]).with_start(StartContact::IfClosing);
    assert_eq!(model.cast(&down).map(|hit| (hit.t, hit.normal)), Some((0.0, [0.0, 0.0, 1.0])));
    // A ball a quarter in the floor.
    let ball = Ball::new([2.5, 1.5, top + 0.75], 1.0);
    let hit = model.cast(&ShapeCast::new(&ball, [0.0; 3])).expect("it touches");
    assert_eq!((hit.depth, hit.normal), (Some(0.25), [0.0, 0.0, 1.0]));
}

/// A corner of the box is exactly on the triangle, of which f64 is not sure: whole numbers decide, whatever the range is.
#[test]
fn boxes_that_just_touch_do_so_from_the_start() {
    let corners = [
        [-13989.0, 353218.0, -927077.0],
        [-997475.0, -2264624.0, -1431475.0],
        [1076534.0, -179273.0, 3105699.0],
    ];
    let mesh = mesh(corners.to_vec(), vec![[0, 1, 2]]);
    let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    let cuboid = Cuboid::new([541311.0, -1439525.0, 180009.0], [519621.0, 742632.0, 69040.0]);
    assert!(model.overlaps(&cuboid));
    for t_max in [0.0, 1e-300, 1e-60, 1.0] {
        let cast = ShapeCast::new(&cuboid, [-1.0, 0.3, 0.7]).with_t_max(t_max);
        let hit = model.cast(&cast).expect("it touches");
        assert!(hit.t == 0.0 && hit.depth.is_some_and(|depth| depth.abs() < 1e-6), "{hit:?}");
        assert!(model.cast_any(&cast));
        assert_eq!(model.cast(&cast.with_start(StartContact::Ignore)), None);
    }
}

/// A tetrahedron of about size 1.
fn tetrahedron() -> Mesh {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.3], [0.3, 0.2, 1.0]];
    mesh(corners.to_vec(), vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 3]])
}

/// At its `t` a shape is apart from what it hits, which a shape that is larger by a radius of 1e-6 touches.
fn check_stop(model: &Model<'_>, [shape, larger]: [&impl Shape; 2], displacement: [f32; 3]) {
    let hit = model.cast(&ShapeCast::new(shape, displacement)).expect("it hits");
    let (corners, moved) =
        (hit.corners.map(|corner| corner.map(f64::from)), Displacement::new(hit.t, displacement));
    assert!(!shape.touches(&corners, &moved) && larger.touches(&corners, &moved), "{hit:?}");
}

/// Where a quadratic equation, or a point of a long edge, would lose the digits that matter.
#[test]
fn far_and_long_shapes_stop_next_to_what_they_touch() {
    let file = bvhc_tests::support::compiled(&tetrahedron(), bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    for (centre, displacement) in [
        ([8574.677, -99318.89, -7890.797], [-17147.836, 198637.48, 15782.936]),
        ([-59701.89, 59560.69, 287903.34], [119403.91, -119120.75, -575806.4]),
    ] {
        check_stop(
            &model,
            [0.3, 0.3 + 1e-6].map(|radius| Ball::new(centre, radius)).each_ref(),
            displacement,
        );
        let end = [centre[0] + 0.5, centre[1], centre[2] + 0.2];
        check_stop(
            &model,
            [0.3, 0.3 + 1e-6].map(|radius| Capsule::new(centre, end, radius)).each_ref(),
            displacement,
        );
    }
    let ends = [[2150.494, 9849.083, -514.86053], [-8515.924, -38933.133, 2039.195]];
    let long = [0.01, 0.01 + 1e-6].map(|radius| Capsule::new(ends[0], ends[1], radius));
    check_stop(&model, long.each_ref(), [5.7872534, -1.311845, -0.88699424]);
}

/// A triangle whose corners the small layout made collinear: the way out of it is across it.
#[test]
fn triangles_without_area_have_normals_of_contact() {
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1e-6, 0.0],
        [0.0, 0.0, -0.5],
        [1.0, 0.0, -0.5],
        [0.0, 1.0, -0.5],
    ];
    let options = Options { layout: Layout::Small, ..Options::default() };
    let file =
        bvhc_tests::support::compiled_with(&mesh(corners.to_vec(), vec![[0, 1, 2], [3, 4, 5]]), &options);
    let model = Model::from_bytes(&file).expect("it opens");
    let mut points = [[0.0; 3]; 8];
    for (index, point) in points.iter_mut().enumerate() {
        let side = |axis: usize, half: f32| if index >> axis & 1 == 1 { half } else { -half };
        *point = [0.5 + side(0, 0.1), side(1, 0.2), side(2, 0.2)];
    }
    let deep = |hit: Option<CastHit>| {
        let hit = hit.expect("it touches");
        assert_eq!((hit.t, hit.face_normal), (0.0, [0.0; 3]));
        let [x, y, z] = hit.normal;
        assert!(x.abs() < 1e-3 && (y * y + z * z - 1.0).abs() < 1e-5, "{hit:?}");
        assert!((hit.depth.expect("from the start") - 0.2).abs() < 1e-4, "{hit:?}");
    };
    let down = [0.0, 0.0, -0.1];
    deep(model.cast(&ShapeCast::new(&ConvexHull::new(&points, 0.0), down)));
    deep(model.cast(&ShapeCast::new(&Capsule::new([0.2, 0.0, 0.0], [0.8, 0.0, 0.0], 0.2), down)));
}

#[test]
fn triangles_along_the_displacement_have_no_side() {
    let mesh = mesh([[0.0, 0.0, 0.0], [2.0, 0.0, -4.0], [3.0, -5.0, -8.0]].to_vec(), vec![[0, 1, 2]]);
    let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    let ball = Ball::new([3.0, 5.0, -4.0], 0.5);
    let cast = ShapeCast::new(&ball, [-3.0, -5.0, 4.0]).with_t_max(2.0);
    assert!(model.cast(&cast).is_some());
    assert_eq!([Sides::Front, Sides::Back].map(|sides| model.cast(&cast.with_sides(sides))), [None, None]);
}

/// The integers of exact tests hold no such displacement.
#[test]
fn tiny_ranges_end_before_what_is_apart() {
    let mesh = mesh([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].to_vec(), vec![[0, 1, 2]]);
    let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    let capsule = Capsule::new([0.3, 0.2, 1e-25], [0.4, 0.3, 1.0], 0.0);
    for t_max in [0.0, 1e-60, 1e-130, 1e-300] {
        assert_eq!(model.cast(&ShapeCast::new(&capsule, [0.0, 0.0, -1.0]).with_t_max(t_max)), None);
    }
    assert!(model.cast(&ShapeCast::new(&capsule, [0.0, 0.0, -1.0])).is_some());
}

/// Whole coordinates, at which corners come to be exactly opposite rims and ends: a cylinder is where it was at no time after that of its
/// contact, and it has one if it touches at some time.
#[test]
fn cylinders_on_a_lattice_pass_through_nothing() {
    let mut random = Random::new(41);
    let mut whole = |least: i32, most: i32| (least + random.below((most - least + 1) as u32) as i32) as f32;
    let mut point = |most: i32| [whole(-most, most), whole(-most, most), whole(-most, most)];
    let mut soup: Vec<[f32; 3]> = Vec::new();
    while soup.len() < 120 {
        let corners = [point(4), point(4), point(4)];
        if !is_degenerate(corners) {
            soup.extend(corners);
        }
    }
    let mesh = mesh(soup, (0..40).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect());
    let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    let (mut hits, mut instants) = (0, 0);
    for case in 0..400usize {
        let (along, towards) = (case % 3, case / 3 % 3);
        let start = point(3);
        let end: [f32; 3] = std::array::from_fn(|axis| start[axis] + if axis == along { 2.0 } else { 0.0 });
        let displacement: [f32; 3] = std::array::from_fn(|axis| if axis == towards { 20.0 } else { 0.0 });
        let back =
            |at: [f32; 3]| -> [f32; 3] { std::array::from_fn(|axis| at[axis] - 0.5 * displacement[axis]) };
        let radius = [0.0, 0.5, 1.0, 1.5][case / 9 % 4];
        let cylinder = Cylinder::new(back(start), back(end), radius);
        let cast = ShapeCast::new(&cylinder, displacement);
        for triangle in triangles(&mesh) {
            let own = |number: u32| number == triangle;
            let hit = model.cast_with(&cast, &mut Filter(own));
            let corners = corners(&mesh, triangle);
            let touches = |t: f64| cylinder.touches(&corners, &Displacement::new(t, displacement));
            let first = (0..=64).map(|k| f64::from(k) / 64.0).find(|t| touches(*t));
            match (hit, first) {
                (Some(hit), Some(first)) => {
                    assert!(hit.t <= first && (hit.depth.is_some() || !touches(hit.t)), "{hit:?} {first}");
                    hits += 1;
                }
                // It may touch at no more than an instant.
                (None, Some(first)) => {
                    assert!(!touches(first - 1e-6) && !touches(first + 1e-6), "{case}, {corners:?}, {first}");
                    instants += 1;
                }
                (_, None) => {}
            }
        }
    }
    assert!(hits > 3_000 && instants < 200, "{hits} hits, {instants} instants");
}

/// Two contacts at the end of a cast: which is returned depends neither on their numbers nor on which is found first.
#[test]
fn contacts_at_the_end_of_a_cast_keep_their_order() {
    let edge = [[5.0, 1.0, 1.0], [6.0, 6.0, 1.0], [5.0, 4.0, -2.0]];
    let vertex = [[5.0, 6.0, 3.0], [0.0, 5.0, -2.0], [3.0, 6.0, 1.0]];
    let capsule = Capsule::new([7.0, 5.0, 3.0], [7.0, 5.0, 4.0], 1.0);
    for (first, second) in [(edge, vertex), (vertex, edge)] {
        let mesh = mesh([first, second].concat(), vec![[0, 1, 2], [3, 4, 5]]);
        let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Default);
        let model = Model::from_bytes(&file).expect("it opens");
        let cast = ShapeCast::new(&capsule, [-1.0, 1.0, -1.0]);
        let mut all = Vec::new();
        let _ = model.all_casts(&cast, |hit| {
            all.push(*hit);
            ControlFlow::Continue(())
        });
        assert!(all.len() == 2 && all[0].t == all[1].t && 1.0 - all[0].t < 1e-9, "{all:?}");
        let hit = model.cast(&cast).expect("it touches both");
        assert!(hit.corners == edge && hit.feature == Feature::Edge(0), "{hit:?}");
    }
}

/// A corner that slides along an edge from its first contact on is told of earlier than others are: by more than the time at which the
/// shape is near the model.
#[test]
fn early_contacts_leave_out_no_equal_one() {
    let edge = [[-2.0, -2.0, -2.0], [-2.0, 2.0, -2.0], [0.0, 0.0, -2.0f32]];
    let face = [[-2.0, -2.0, -2.0], [-2.0, -2.0, 2.0], [-2.0, 2.0, 2.0]];
    let points = [
        [-8.0, -3.0, -2.0],
        [-13.0, -5.0, -4.0],
        [-8.0, -7.0, -6.0],
        [-9.0, -3.0, -8.0],
        [-8.0, -2.0, -2.0],
        [-14.0, 0.0, -1.0],
        [-8.0, -2.0, -3.0],
        [-11.0, -4.0, -7.0],
    ];
    let hull = ConvexHull::new(&points, 0.0);
    for (first, second) in [(edge, face), (face, edge)] {
        let mesh = mesh([first, second].concat(), vec![[0, 1, 2], [3, 4, 5]]);
        let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Fast);
        let model = Model::from_bytes(&file).expect("it opens");
        let hit =
            model.cast(&ShapeCast::new(&hull, [4.0, 0.0, 0.0]).with_t_max(3.0)).expect("it touches both");
        assert!(hit.corners == face && hit.feature == Feature::Face, "{hit:?}");
    }
}

/// A triangle that is tilted against a cap by less than f64 sees of a cosine, and is below it only near the rim.
#[test]
fn caps_touch_what_is_nearly_parallel_to_them() {
    let corners: [[f32; 3]; 3] = [
        [1.8834069, -1.0, 4.2119026e-13],
        [1.8834069, 1.0, 4.2119026e-13],
        [-1.8834069, 0.1, -8.1619536e-13],
    ];
    let mesh = mesh(corners.to_vec(), vec![[0, 1, 2]]);
    let file = bvhc_tests::support::compiled(&mesh, bvhc::compile::Quality::Default);
    let model = Model::from_bytes(&file).expect("it opens");
    assert!(model.overlaps(&Cylinder::new([0.0; 3], [0.0, 0.0, 1.0], 1.0)));
    assert!(!model.overlaps(&Cylinder::new([0.0, 0.0, 1e-12], [0.0, 0.0, 1.0], 1.0)));
}
