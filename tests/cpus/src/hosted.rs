//! Where there are files and arguments.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use bvhc_cpus::{Counts, Workload, ask};
use bvhc_runtime::{Level, LoadedModel};

const USAGE: &str = "usage: bvhc-cpus levels
       bvhc-cpus LEVEL COUNT PAIR_COUNT FILE...
       bvhc-cpus repeat LEVEL WORKLOAD BATCHES ROUNDS FILE";

pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [word] if word == "levels" => Level::available().for_each(|level| println!("{}", level.name())),
        [word, level, workload, batches, rounds, path] if word == "repeat" => {
            let found = Workload::ALL.into_iter().find(|(name, _)| name == workload);
            let (_, workload) = found.ok_or_else(|| format!("no workload is called {workload}"))?;
            let loaded = LoadedModel::read(path)?;
            let model = loaded.model().with_level(find(level)?);
            let start = Instant::now();
            let found = workload.run(&model, batches.parse()?, rounds.parse()?);
            println!("{found} found in {:.6} s", start.elapsed().as_secs_f64());
        }
        [level, one, two, files @ ..] => {
            let level = find(level)?;
            let counts = Counts { one: one.parse()?, two: two.parse()? };
            for file in files {
                digest(file, level, counts)?;
            }
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn find(name: &str) -> Result<Level, String> {
    let found = Level::available().find(|found| found.name() == name);
    found.ok_or_else(|| format!("this CPU, or this build, has no level {name}"))
}

/// Prints a line a query: the file's name, the query, what it was asked by, how many answers there are, and the digest.
/// What each took goes to the standard error output.
fn digest(path: &str, level: Level, counts: Counts) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    // Worlds are opened from the bytes, too: the loader gives them the alignment that files need.
    let loaded = LoadedModel::from_bytes(&bytes)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut start = Instant::now();
    ask(loaded.model().sections().bytes(), level, counts, &mut |query, by, digest| {
        println!("{name} {query} {by} {} {:016x}", digest.found, digest.state);
        eprintln!("{name} {query} {by} {} ms", start.elapsed().as_millis());
        start = Instant::now();
    })?;
    Ok(())
}
