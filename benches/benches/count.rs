//! One pass of one tracer over one case, for Callgrind, which counts only the instructions within [`counted`].
//!
//! `benches/callgrind` runs it: `count <model> <case> <tracer>`, which prints the number of rays, or an error if this
//! tracer is absent.

use bvhc_benches::peers::Tracer;
use bvhc_benches::shared::model::{Scene, Source};
use bvhc_benches::shared::{rays, roster};
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [model, case, tracer] = arguments.as_slice() else {
        eprintln!("count <model> <case> <tracer>: see benches/callgrind");
        return ExitCode::SUCCESS;
    };
    let source = Source::all().into_iter().find(|source| source.name == model).expect("a model");
    let scene = Scene::new(&source);
    let case = rays::cases(&scene).into_iter().find(|known| known.name == case).expect("a case");
    let Some(tracer) = roster::tracer(&scene, tracer) else {
        eprintln!("{tracer} is absent");
        return ExitCode::FAILURE;
    };
    let mut answers = vec![0.0; case.rays.len()];
    counted(&*tracer, &case, &mut answers);
    black_box(&answers);
    println!("{}", case.rays.len());
    ExitCode::SUCCESS
}

/// The code that is counted; Callgrind finds it by name.
#[inline(never)]
fn counted(tracer: &dyn Tracer, case: &rays::Case, answers: &mut [f32]) {
    tracer.trace(case.question, &case.rays, answers);
}
