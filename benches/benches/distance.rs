//! Distances of meshes: tables in Markdown, with all libraries in the same run.
//!
//! `cargo bench --bench distance [-- animals nested spheres twins giant]`. The figure of an encounter is the mean over
//! its separated poses, and over its approaching ones, of the minimum time of several rounds (5, or `BVHC_ROUNDS`),
//! building excluded; bvhc has one row for oriented boxes and one for boxes with samples. Every distance of bvhc is
//! checked against the exact oracle first; `BVHC_LEVEL` limits its SIMD level. PQP, coal and FCL take part if they are
//! present, PQP and coal also for tolerances; only PQP can start from the nearest triangles of the previous query.
//! parry3d, which takes up to seconds per query and is wrong about nested meshes, is timed at one pose where it is not
//! too slow.

use bvhc::compile::Options;
use bvhc_benches::peers::colliders::{self, Collider};
use bvhc_benches::peers::level;
use bvhc_benches::peers::parry::Parry;
use bvhc_benches::shared::encounters;
use bvhc_benches::shared::peer_times::PeerTimes;
use bvhc_benches::shared::table::geometric_mean;
use bvhc_runtime::{Model, Pose, Tolerance, Volume, WarmStart, WorkBudget};
use bvhc_tests::oracle::gap::{of_triangles, within};
use bvhc_tests::oracle::pairs::Surface;
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::Encounter;
use bvhc_tests::support::least::{least, mean, rounds};

/// parry3d is not timed with more triangles than this.
const TOO_MANY: usize = 25_000;

/// How much the limits of `within` differ from the distance, and the tolerance of approximate distances; both relative.
const SHARE: f64 = 0.05;

/// The relative error permitted in distances of the C++ libraries.
const ERROR: f64 = 1e-6;

/// The error permitted in parry3d's, which computes in f32: relative to models of about one unit.
const ERROR_OF_F32: f64 = 1e-4;

fn main() {
    println!(
        "\n| {}, us | distance | warm start | within: yes | within: no | 5 % | steps | precise |",
        level().name()
    );
    println!("{}|", "|---".repeat(8));
    let (mut theirs, mut gains) = (PeerTimes::of(&QUERIES), Vec::new());
    for (name, make) in encounters::chosen() {
        report(name, &make(), &mut theirs, &mut gains);
    }
    for (what, first) in [("a little before contact", 0), ("approaching", 1)] {
        let gains: Vec<f64> = gains.iter().skip(first).step_by(2).copied().collect();
        println!(
            "\nAn error of 5 %, {what}: {:.1} times as fast in the geometric mean",
            geometric_mean(&gains)
        );
    }
    theirs.print();
}

/// The queries for peers.
const QUERIES: [&str; 4] = ["distance", "warm start", "within: yes", "within: no"];

/// Prints our rows; adds those of the peers.
fn report(name: &str, encounter: &Encounter, theirs: &mut PeerTimes, gains: &mut Vec<f64>) {
    let files = encounters::files_by(encounter, &Options { samples: true, ..Options::default() });
    let models = [0, 1].map(|side: usize| files[side].model().with_level(level()));
    let approaching = format!("{name}, approaching");
    for (row, poses) in [(name, &encounter.separated), (&approaching, &encounter.approaching)] {
        gains.push(report_poses(row, encounter, &models, poses, theirs));
    }
}

/// What bvhc finds at some poses, and how long it takes.
struct Ours {
    distances: Vec<f64>,
    /// For the distance, the same with a warm start, `within` with both answers, and the approximate distance.
    seconds: [f64; 5],
    budget: WorkBudget,
}

impl Ours {
    fn measure([a, b]: [&Model<'_>; 2], poses: &[Pose], encounter: &Encounter, volume: Volume) -> Self {
        let still = Surface::of(&encounter.a);
        let mut budget = WorkBudget::unlimited();
        let distances: Vec<f64> = poses
            .iter()
            .map(|pose| {
                let moved = Surface::transformed(&encounter.b, &pose::Pose::of_query(pose));
                checked([a, b], pose, volume, [&still, &moved], &mut budget)
            })
            .collect();
        let distance = |pose: usize, allowance, warm_start: &mut WarmStart| {
            let mut budget = WorkBudget::unlimited();
            let found = a
                .against(b, &poses[pose])
                .volume(volume)
                .tolerance(allowance)
                .warm_start(warm_start)
                .budget(&mut budget)
                .distance();
            found.ok().flatten().map_or(0.0, |found| found.distance)
        };
        let within = |pose: usize, share: f64| {
            let tolerance = distances[pose] * (1.0 + share);
            a.against(b, &poses[pose]).volume(volume).within(tolerance).is_ok_and(|found| found)
        };
        let mut warm_starts = vec![WarmStart::default(); poses.len()];
        let seconds = [
            mean(poses.len(), |pose| distance(pose, Tolerance::NONE, &mut WarmStart::default())),
            mean(poses.len(), |pose| distance(pose, Tolerance::NONE, &mut warm_starts[pose])),
            mean(poses.len(), |pose| f64::from(u8::from(within(pose, SHARE)))),
            mean(poses.len(), |pose| f64::from(u8::from(within(pose, -SHARE)))),
            mean(poses.len(), |pose| distance(pose, Tolerance::Relative(SHARE), &mut WarmStart::default())),
        ];
        Self { distances, seconds, budget }
    }

    fn print(&self, row: &str) {
        let times = self.seconds.map(|seconds| format!("{:.2}", seconds * 1e6)).join(" | ");
        let each = |sum: u64| sum / self.distances.len() as u64;
        let steps = format!("{} + {}", each(self.budget.node_pairs), each(self.budget.leaf_pairs));
        println!("| {row} | {times} | {steps} | {} |", each(self.budget.exact_tests));
    }
}

/// Prints the rows called `row`, for some poses of the encounter, and adds those of the peers; returns the speed-up of
/// an approximate distance.
fn report_poses(
    row: &str,
    encounter: &Encounter,
    [a, b]: &[Model<'_>; 2],
    poses: &[pose::Pose],
    theirs: &mut PeerTimes,
) -> f64 {
    let poses: Vec<Pose> = poses.iter().map(pose::Pose::for_query).collect();
    let ours = Ours::measure([a, b], &poses, encounter, Volume::Obb);
    ours.print(row);
    Ours::measure([a, b], &poses, encounter, Volume::Samples).print(&format!("{row}, samples"));
    let Ours { distances, seconds, .. } = ours;
    let (asked, approximate) = (&seconds[..QUERIES.len()], seconds[QUERIES.len()]);
    for peer in Collider::present(&encounter.a, &encounter.b) {
        theirs.add(row, peer.kind.name(), &of_collider(&peer, &poses, &distances), asked);
    }
    if let Some(seconds) = of_parry(encounter, &poses[0], distances[0]) {
        theirs.add(row, "parry3d", &[Some(seconds), None, None, None], asked);
    }
    seconds[0] / approximate
}

/// Seconds of a C++ library, after its answers are checked.
fn of_collider(peer: &Collider, poses: &[Pose], distances: &[f64]) -> [Option<f64>; QUERIES.len()] {
    let placed: Vec<_> = poses.iter().map(colliders::placed).collect();
    let tolerances =
        |share: f64| distances.iter().map(|distance| distance * (1.0 + share)).collect::<Vec<_>>();
    let (beyond, below) = (tolerances(SHARE), tolerances(-SHARE));
    let has_within = peer.within(&placed[0], 0.0).is_some();
    let has_warm_start = peer.warm_distance(&placed[0]).is_some();
    for (index, pose) in placed.iter().enumerate() {
        check(peer.kind.name(), peer.distance(pose), distances[index], ERROR * distances[index]);
        if has_within {
            let answers = [&beyond, &below].map(|tolerances| peer.within(pose, tolerances[index]));
            assert_eq!(answers, [Some(true), Some(false)], "{}: {}", peer.kind.name(), distances[index]);
        }
    }
    let within = |tolerances: &[f64]| {
        has_within.then(|| mean(placed.len(), |pose| peer.within(&placed[pose], tolerances[pose])))
    };
    let distance = mean(placed.len(), |pose| peer.distance(&placed[pose]));
    // The rounds of a pose are consecutive: the triangles found last are those of the same query.
    let warm = has_warm_start.then(|| mean(placed.len(), |pose| peer.warm_distance(&placed[pose])));
    [Some(distance), warm, within(&beyond), within(&below)]
}

fn check(peer: &str, found: f64, expected: f64, error: f64) {
    assert!((found - expected).abs() <= error, "{peer}: {found}, {expected}");
}

/// The distance, which must be that of the triangles reported, and no larger than that of any others.
fn checked(
    [a, b]: [&Model<'_>; 2],
    pose: &Pose,
    volume: Volume,
    [still, moved]: [&Surface; 2],
    budget: &mut WorkBudget,
) -> f64 {
    let found = a.against(b, pose).volume(volume).budget(budget).distance();
    let found = found.expect("the files have the volumes").expect("there are triangles");
    let exact = of_triangles(still.triangles()[found.a as usize], moved.triangles()[found.b as usize]);
    assert!((found.distance - exact).abs() <= 1e-12 * exact, "{found:?} {exact}");
    assert_eq!(within(still, moved, exact * (1.0 - 2e-12)), [], "something is nearer than {found:?}");
    let within = |tolerance| a.against(b, pose).volume(volume).within(tolerance);
    assert_eq!([found.distance, found.distance.next_down()].map(within), [Ok(true), Ok(false)]);
    found.distance
}

/// Seconds of parry3d.
fn of_parry(encounter: &Encounter, pose: &Pose, expected: f64) -> Option<f64> {
    if encounter.name == "nested spheres" || encounter.a.triangles.len() > TOO_MANY {
        return None;
    }
    let theirs = [Parry::build(&encounter.a), Parry::build(&encounter.b)];
    let found = theirs[0].distance(&theirs[1], pose);
    check("parry3d", found, expected, ERROR_OF_F32 * (1.0 + expected));
    Some(least(rounds(), || theirs[0].distance(&theirs[1], pose)))
}
