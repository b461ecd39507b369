//! Convex shapes against models: casts and overlaps of bvhc, parry3d, Jolt, Box3D and PhysX.
//!
//! `cargo bench --bench shapes [-- bunny hall town sphere ball capsule box hull]`. Times are the minimum of several rounds (5, or
//! `BVHC_ROUNDS`) over 1,000 queries, in microseconds a query. A peer's answers are compared first: a wrong one is a
//! contact that is off by more than a hundredth of the shape's size, or a different yes or no, although bvhc's tests of
//! single triangles are exact. Peers have tolerances that are lengths: they see model and shapes enlarged by a power of two, so
//! that these measure half a metre at least. `BVHC_LEVEL` limits the SIMD level.

use bvhc_benches::peers::casts::{self, Casts};
use bvhc_benches::peers::level;
use bvhc_benches::peers::parry::{self, Parry};
use bvhc_benches::shared::model::{Scene, Source};
use bvhc_benches::shared::shapes::{self, Any, KINDS, Query, casts, enlargement, overlaps};
use bvhc_benches::shared::vector::length;
use bvhc_tests::support::least::{least, rounds};

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_chosen = |name: &str| chosen.iter().any(|chosen| chosen == name);
    let all_kinds = !KINDS.into_iter().any(is_chosen);
    let kinds: Vec<_> = (0..KINDS.len()).filter(|kind| all_kinds || is_chosen(KINDS[*kind])).collect();
    let sources = Source::all();
    let all_models = !sources.iter().any(|source| is_chosen(source.name));
    let libraries = Casts::all();
    let names = libraries.iter().map(|library| format!(" {} |", library.name)).collect::<String>();
    println!("{}\n", level().name());
    println!("| us a query (over bvhc; wrong answers) | bvhc | parry3d |{names}");
    println!("|---|---|---|{}", "---|".repeat(libraries.len()));
    for source in sources.iter().filter(|source| all_models || is_chosen(source.name)) {
        report(source, &kinds, &libraries);
    }
}

fn report(source: &Source, kinds: &[usize], libraries: &[Casts]) {
    let scene = &Scene::new(source);
    let factor = enlargement(scene);
    let mut mesh = source.mesh();
    for position in &mut mesh.positions {
        *position = position.map(|x| factor * x);
    }
    let parry = Parry::build(&mesh);
    let targets: Vec<_> = libraries.iter().map(|library| library.build(&mesh)).collect();
    for &kind in kinds {
        for (question, queries) in
            [(Question::Cast, casts(scene, kind)), (Question::Overlap, overlaps(scene, kind))]
        {
            let row = Row::new(scene, question, &queries);
            let of_parry = row.peer(|shape| parry.place(shape));
            let others = targets.iter().map(|target| match target {
                Some(target) => row.peer(|shape| target.place(shape)),
                None => "-".into(),
            });
            let cells: Vec<_> = [row.own(), of_parry].into_iter().chain(others).collect();
            println!("| {}, {}, {} | {} |", scene.name, KINDS[kind], question.name(), cells.join(" | "));
        }
    }
}

/// What is asked.
#[derive(Clone, Copy)]
enum Question {
    Cast,
    Overlap,
}

impl Question {
    fn name(self) -> &'static str {
        match self {
            Self::Cast => "cast",
            Self::Overlap => "overlap",
        }
    }
}

/// A shape of a peer, and where it is.
trait Placed {
    /// The time of the first contact up to 1; infinity without one.
    fn cast(&self, displacement: [f32; 3]) -> f64;

    /// Whether the shape and the mesh touch.
    fn overlaps(&self) -> bool;
}

impl Placed for parry::shapes::Placed<'_> {
    fn cast(&self, displacement: [f32; 3]) -> f64 {
        self.cast(displacement)
    }

    fn overlaps(&self) -> bool {
        self.overlaps()
    }
}

impl Placed for casts::Placed<'_> {
    fn cast(&self, displacement: [f32; 3]) -> f64 {
        self.cast(displacement)
    }

    fn overlaps(&self) -> bool {
        self.overlaps()
    }
}

/// Queries of one kind, and what bvhc answers and takes.
struct Row<'a> {
    question: Question,
    queries: &'a [Query],
    answers: Vec<f64>,
    /// Of one query.
    seconds: f64,
    /// How many times as large peers see everything.
    factor: f32,
    /// How far contacts may be apart, as they see it.
    slack: f64,
}

impl<'a> Row<'a> {
    fn new(scene: &Scene, question: Question, queries: &'a [Query]) -> Self {
        let model = scene.model().with_level(level());
        let placed: Vec<_> = queries.iter().map(Query::placed).collect();
        let answer = |placed: &shapes::Placed<'_>| match question {
            Question::Cast => placed.cast(&model),
            Question::Overlap => f64::from(u8::from(placed.overlaps(&model))),
        };
        let all = || placed.iter().map(|placed| answer(placed).min(2.0)).sum::<f64>();
        let answers = placed.iter().map(answer).collect();
        let seconds = least(rounds(), all) / queries.len() as f64;
        let factor = enlargement(scene);
        let slack = 1e-4 * f64::from(factor * scene.size());
        Self { question, queries, answers, seconds, factor, slack }
    }

    fn own(&self) -> String {
        format!("{:.2}", self.seconds * 1e6)
    }

    /// What a peer takes for the shapes that it has, and how many of its answers are wrong.
    fn peer<P: Placed>(&self, place: impl Fn(&Any) -> Option<P>) -> String {
        let queries: Vec<_> = self.queries.iter().map(|query| query.scaled(self.factor)).collect();
        let placed: Vec<_> = queries.iter().map(|query| place(&query.shape)).collect();
        let asked: Vec<_> = placed
            .iter()
            .zip(&queries)
            .zip(&self.answers)
            .filter_map(|((placed, query), answer)| Some((placed.as_ref()?, query, *answer)))
            .collect();
        let answer = |placed: &P, query: &Query| match self.question {
            Question::Cast => placed.cast(query.displacement),
            Question::Overlap => f64::from(u8::from(placed.overlaps())),
        };
        let is_wrong = |&&(placed, query, expected): &&(&P, &Query, f64)| {
            let found = answer(placed, query);
            let scale = match self.question {
                Question::Cast => f64::from(length(query.displacement)),
                Question::Overlap => f64::INFINITY,
            };
            found.is_finite() != expected.is_finite()
                || found.is_finite() && found != expected && (found - expected).abs() * scale > self.slack
        };
        let wrong = asked.iter().filter(is_wrong).count();
        let all = || asked.iter().map(|(placed, query, _)| answer(placed, query).min(2.0)).sum::<f64>();
        let seconds = least(rounds(), all) / asked.len() as f64;
        format!("{:.2} ({:.1}; {wrong} of {})", seconds * 1e6, seconds / self.seconds, asked.len())
    }
}
