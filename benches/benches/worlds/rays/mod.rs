//! Rays against worlds, beside two-level trees of Embree and tinybvh.
//!
//! In each pass every library answers every case once, by turns; the figure is the least over the passes (11, or `BVHC_ROUNDS`) of the
//! thread's own CPU time. Answers are checked first: [`check`].

mod check;

use bvhc::compile::Options;
use bvhc::file::Bytes;
use bvhc_benches::peers::{self, Placement, Question, Tracer, level};
use bvhc_benches::shared::model::quality;
use bvhc_benches::shared::rays::{Case, image};
use bvhc_benches::shared::stage::Camera;
use bvhc_benches::shared::vector::{along, sub, unit};
use bvhc_runtime::{InstanceFilter, Model, Ray, World};
use bvhc_tests::random::Random;
use bvhc_tests::support::world::compiled_world;
use cpu_time::ThreadTime;

use crate::scenes::{self, Scene};

/// Random rays of a case.
const COUNT: usize = 1 << 15;

/// Prints the table of the scenes that are wanted.
pub(super) fn report(is_wanted: impl Fn(&str) -> bool) {
    println!(
        "\n| ns a ray, {} | | instances | entered | hits | bvhc | Embree | tinybvh | x the better one |",
        level().name()
    );
    println!("{}|", "|---".repeat(9));
    for (name, make) in scenes::ALL {
        if is_wanted(name) {
            report_scene(name, &make());
        }
    }
}

fn report_scene(name: &str, scene: &Scene) {
    let file = compile(scene);
    let mut models = vec![None; scene.meshes.len()];
    let world = World::from_bytes_with_level(&file, level(), &mut models).expect("it opens");
    let placements = Placement::all(&world);
    let ours = peers::bvhc::Instances(world);
    let embree = peers::embree::Instances::high(&scene.meshes, &placements);
    let tinybvh = peers::tinybvh::Instances::build(&scene.meshes, &placements);
    let peers = [tracer(&embree), tracer(&tinybvh)];
    for case in cases(&world) {
        let hits = check::rays(&world, name, &case, &ours, &peers);
        let times = least_times(&case, &ours, &peers);
        let cell = |time: f64| if time.is_finite() { format!("{time:.0}") } else { "-".to_owned() };
        let [bvhc, embree, tinybvh] = times.map(cell);
        println!(
            "| {name} | {} | {} | {:.1} | {:.0} % | {bvhc} | {embree} | {tinybvh} | {:.2} |",
            case.name,
            placements.len(),
            entered(&world, &case),
            100.0 * hits,
            times[1].min(times[2]) / times[0]
        );
    }
}

fn tracer<T: Tracer>(peer: &Option<T>) -> Option<&dyn Tracer> {
    peer.as_ref().map(|peer| peer as &dyn Tracer)
}

fn compile(scene: &Scene) -> Bytes {
    let options = Options { obb: None, ..Options::of(quality()) };
    let file = compiled_world(&scene.meshes.iter().collect::<Vec<_>>(), &scene.placed, &options);
    assert_eq!(Model::mesh_count(&file), Ok(scene.meshes.len() as u32));
    file
}

/// Nanoseconds a ray; infinite for peers that are absent.
fn least_times(case: &Case, ours: &dyn Tracer, peers: &[Option<&dyn Tracer>; 2]) -> [f64; 3] {
    let passes =
        std::env::var("BVHC_ROUNDS").map_or(11, |rounds| rounds.parse().expect("BVHC_ROUNDS counts"));
    let (mut least, mut answers) = ([f64::INFINITY; 3], vec![0.0; case.rays.len()]);
    for _ in 0..passes {
        for (least, tracer) in least.iter_mut().zip([Some(ours), peers[0], peers[1]]) {
            let Some(tracer) = tracer else { continue };
            let start = ThreadTime::now();
            tracer.trace(case.question, &case.rays, &mut answers);
            *least = least.min(start.elapsed().as_secs_f64() * 1e9 / case.rays.len() as f64);
        }
    }
    least
}

/// How many leaves of the world's tree a ray enters, on the average.
fn entered(world: &World<'_>, case: &Case) -> f64 {
    let mut entered = 0u64;
    let mut count = InstanceFilter(|_| {
        entered += 1;
        true
    });
    for ray in &case.rays {
        match case.question {
            Question::ClosestHit => drop(world.closest_hit_with(ray, &mut count)),
            Question::AnyHit => drop(world.any_hit_with(ray, &mut count)),
        }
    }
    entered as f64 / case.rays.len() as f64
}

/// - `primary`: two pinhole images, from within the world and from above, in tiles of 8 x 8 pixels.
/// - `random`: from random points of the world's bounds towards others.
fn cases(world: &World<'_>) -> [Case; 4] {
    let [primary, random] = [primary(world), random(world)];
    let case = |name, question, rays: &Vec<Ray>| Case { name, question, rays: rays.clone() };
    [
        case("primary, closest hit", Question::ClosestHit, &primary),
        case("primary, any hit", Question::AnyHit, &primary),
        case("random, closest hit", Question::ClosestHit, &random),
        case("random, any hit", Question::AnyHit, &random),
    ]
}

fn primary(world: &World<'_>) -> Vec<Ray> {
    let bounds = world.bounds();
    let size = sub(bounds.max, bounds.min);
    let at = |parts: [f32; 3]| [0, 1, 2].map(|axis| bounds.min[axis] + parts[axis] * size[axis]);
    let middle = at([0.5; 3]);
    let above = along(middle, 0.9 * size[0], [-0.7, -0.6, 0.4]);
    let up = [0.0, 0.0, 1.0];
    let cameras = [
        Camera::new(at([0.05, 0.1, 0.25]), at([0.7, 0.8, 0.3]), up, 1.2),
        Camera::new(above, middle, up, 1.0),
    ];
    cameras.iter().flat_map(image).collect()
}

fn random(world: &World<'_>) -> Vec<Ray> {
    let (bounds, mut random) = (world.bounds(), Random::new(3));
    let mut ray = || {
        let [from, to] = [0; 2].map(|_| random.point(bounds.min, bounds.max));
        Ray::new(from, unit(sub(to, from)))
    };
    (0..COUNT).map(|_| ray()).collect()
}
