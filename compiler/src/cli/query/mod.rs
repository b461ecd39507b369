//! `bvhc query KIND ...`: reads one query per line and writes one CSV row for each.

mod collide;
mod distance;
mod field;
mod fields;
mod inside;
mod model;
mod pairs;
mod shape;
mod touches;
mod world;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use bvhc_runtime::{Exhausted, OpenError, PairError, Pose, Tolerance, WorkBudget, World};

use super::args::{CollideArgs, DistanceArgs, ModelArgs, Query, QueryArgs};
use super::error::{Action, CliError};
use super::file::{self, Compiled, Opened};
use super::output::STANDARD_OUTPUT;
use super::row::RowError;
use model::Kind;

/// The size of the input and output buffers, in bytes.
const BUFFER: usize = 1 << 16;

pub(super) fn run(args: &QueryArgs) -> Result<(), CliError> {
    match &args.query {
        Query::Ray(args) => ask_model(Kind::Ray, args),
        Query::Any(args) => ask_model(Kind::Any, args),
        Query::Point(args) => ask_model(Kind::Point, args),
        Query::Box(args) => ask_model(Kind::Box, args),
        Query::Sphere(args) => ask_model(Kind::Sphere, args),
        Query::Overlap(args) => ask_shape(shape::Kind::Overlap, args),
        Query::Cast(args) => ask_shape(shape::Kind::Cast, args),
        Query::Touches(args) => ask_for_contacts(args.wanted(), &args.model),
        Query::Inside(args) => ask_inside(inside::Kind::Inside, args),
        Query::SignedDistance(args) => ask_inside(inside::Kind::SignedDistance, args),
        Query::Field(args) => ask_field(args),
        Query::Collide(args) => ask_whether_both_meet(args),
        Query::Distance(args) => ask_how_far(args),
        Query::Pairs(args) => {
            let name = args.file.display().to_string();
            match Opened::read(&args.file, &args.meshes)? {
                Opened::World(file) => pairs::run(&file.world(), &name, args),
                Opened::Model(_) => Err(CliError::NoPairs { file: name }),
            }
        }
    }
}

fn ask_model(kind: Kind, args: &ModelArgs) -> Result<(), CliError> {
    match Opened::read(&args.file, &args.meshes)? {
        Opened::World(file) => {
            answer_all(&world::Handler { kind, world: file.world() }, args.input.as_deref())
        }
        Opened::Model(file) => {
            answer_all(&model::Handler { kind, model: file.model.model() }, args.input.as_deref())
        }
    }
}

fn ask_inside(kind: inside::Kind, args: &ModelArgs) -> Result<(), CliError> {
    match Opened::read(&args.file, &args.meshes)? {
        Opened::World(file) => {
            answer_all(&world::Inside { kind, world: file.world() }, args.input.as_deref())
        }
        Opened::Model(file) => {
            answer_all(&inside::Handler { kind, model: file.model.model() }, args.input.as_deref())
        }
    }
}

/// The field is that of the file's first mesh, so a world has none.
fn ask_field(args: &ModelArgs) -> Result<(), CliError> {
    if let Opened::Model(file) = Opened::read(&args.file, &args.meshes)?
        && let Some(field) = file.model.model().field()
    {
        return answer_all(&field::Handler { field }, args.input.as_deref());
    }
    Err(CliError::NoField { file: args.file.display().to_string() })
}

fn ask_shape(kind: shape::Kind, args: &ModelArgs) -> Result<(), CliError> {
    match Opened::read(&args.file, &args.meshes)? {
        Opened::World(file) => {
            answer_all(&world::Shapes { kind, world: file.world() }, args.input.as_deref())
        }
        Opened::Model(file) => {
            answer_all(&shape::Handler { kind, model: file.model.model() }, args.input.as_deref())
        }
    }
}

fn ask_for_contacts(wanted: touches::Wanted, args: &ModelArgs) -> Result<(), CliError> {
    match Opened::read(&args.file, &args.meshes)? {
        Opened::World(file) => {
            let world = file.world();
            wanted.check(world.meshes().iter().flatten(), args)?;
            answer_all(&world::TouchesShapes { world, wanted }, args.input.as_deref())
        }
        Opened::Model(file) => {
            wanted.check([&file.model.model()].into_iter(), args)?;
            answer_all(&touches::Handler { model: file.model.model(), wanted }, args.input.as_deref())
        }
    }
}

/// The second file of a query of two, which must be a model, whatever the first one is.
fn second_model(path: &Path, query: &'static str) -> Result<Compiled, CliError> {
    match Compiled::read(path) {
        Ok(file) if World::is_in(file.model.bytes()) != Ok(true) => Ok(file),
        Ok(_) | Err(CliError::Open { error: OpenError::Thin, .. }) => {
            Err(CliError::WorldIsSecond { file: path.display().to_string(), query })
        }
        Err(error) => Err(error),
    }
}

fn ask_whether_both_meet(args: &CollideArgs) -> Result<(), CliError> {
    let (a, b) = (Opened::read(&args.a, &args.meshes)?, second_model(&args.b, "collide")?);
    let a = match a {
        Opened::Model(a) => a,
        Opened::World(a) => {
            args.volume.refuse()?;
            args.work.refuse()?;
            let handler = world::Collide { world: a.world(), mesh: b.model.model(), count: args.pairs };
            return answer_all(&handler, args.poses.as_deref());
        }
    };
    let (a, b, volume) = (a.model.model(), b.model.model(), args.volume.get()?);
    let budget = args.work.budget([&a, &b]);
    let found =
        a.against(&b, &Pose::IDENTITY).volume(volume).budget(&mut WorkBudget::of_steps(0)).first_pair();
    check_volume(args.volume.check([&a, &b]).and(found.map(drop)), [&args.a, &args.b])?;
    let handler = collide::Handler { a, b, count: args.pairs, volume, budget };
    answer_all(&handler, args.poses.as_deref())
}

fn ask_how_far(args: &DistanceArgs) -> Result<(), CliError> {
    let (a, b) = (Opened::read(&args.a, &args.meshes)?, second_model(&args.b, "distance")?);
    let a = match a {
        Opened::Model(a) => a,
        Opened::World(a) => {
            args.refuse_for_world()?;
            let within = args.within.unwrap_or(f64::INFINITY);
            let handler = world::Distance { world: a.world(), mesh: b.model.model(), within };
            return answer_all(&handler, args.poses.as_deref());
        }
    };
    let allowance = match (args.abs_error, args.rel_error) {
        (Some(by), _) => Tolerance::Absolute(by),
        (None, Some(share)) => Tolerance::Relative(share),
        (None, None) => Tolerance::NONE,
    };
    let (a, b, volume) = (a.model.model(), b.model.model(), args.volume.get()?);
    let budget = args.work.budget([&a, &b]);
    let found =
        a.against(&b, &Pose::IDENTITY).volume(volume).budget(&mut WorkBudget::of_steps(0)).within(0.0);
    check_volume(args.volume.check([&a, &b]).and(found.map(drop)), [&args.a, &args.b])?;
    let within = args.within.unwrap_or(f64::INFINITY);
    answer_all(&distance::Handler { a, b, volume, within, allowance, budget }, args.poses.as_deref())
}

/// Checks that the files have the volumes, from the result of a query with a budget of zero steps. That does not depend
/// on the pose.
fn check_volume(found: Result<(), PairError>, [a, b]: [&Path; 2]) -> Result<(), CliError> {
    match found {
        Ok(()) | Err(PairError::Exhausted(Exhausted)) => Ok(()),
        Err(error) => Err(CliError::Volume { file: format!("{}, {}", a.display(), b.display()), error }),
    }
}

/// Answers the lines of queries.
trait Answer {
    /// The names of a row's fields.
    fn header(&self) -> &'static str;

    /// Appends the fields that answer a line, without the line's end; none if the line has no query.
    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError>;
}

/// Answers the lines of a file, or of standard input.
fn answer_all(handler: &dyn Answer, input: Option<&Path>) -> Result<(), CliError> {
    let path = input.unwrap_or(Path::new("-"));
    let name = file::input_name(path);
    let input: Box<dyn Read> = if file::is_standard(path) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| CliError::io(&name, Action::Read, error))?)
    };
    let out = io::BufWriter::with_capacity(BUFFER, io::stdout().lock());
    Session { handler, name, lines: BufReader::with_capacity(BUFFER, input), out }.run()
}

/// Lines of more bytes are errors: they may be endless.
const MAX_LINE: u64 = 1 << 20;

/// Reads query lines and writes result rows.
struct Session<'a, R, W> {
    handler: &'a dyn Answer,
    name: String,
    lines: BufReader<R>,
    out: W,
}

impl<R: Read, W: Write> Session<'_, R, W> {
    fn run(mut self) -> Result<(), CliError> {
        let mut row = format!("{}\n", self.handler.header());
        let mut line = Vec::new();
        let mut number = 0;
        self.put(&row)?;
        while self.next_line(&mut line)? {
            number += 1;
            row.clear();
            let answered = if line.len() as u64 > MAX_LINE {
                Err(RowError::TooLong { most: MAX_LINE })
            } else {
                self.handler.answer(without_mark(&line, number), &mut row)
            };
            match answered {
                Ok(()) if row.is_empty() => {}
                Ok(()) => {
                    row.push('\n');
                    self.put(&row)?;
                }
                Err(error) => {
                    self.flush()?;
                    return Err(CliError::Query { input: self.name, line: number, error });
                }
            }
        }
        self.flush()
    }

    /// Reads a line without its terminator; `false` at the end of the input.
    fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool, CliError> {
        // Flush before a read that may block, so that an interactive client gets its answer before it sends the next
        // query.
        if !self.lines.buffer().contains(&b'\n') {
            self.flush()?;
        }
        line.clear();
        let read = self.lines.by_ref().take(MAX_LINE + 1).read_until(b'\n', line);
        let read = read.map_err(|error| CliError::io(&self.name, Action::Read, error))?;
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(read != 0)
    }

    fn put(&mut self, text: &str) -> Result<(), CliError> {
        wrote(self.out.write_all(text.as_bytes()))
    }

    fn flush(&mut self) -> Result<(), CliError> {
        wrote(self.out.flush())
    }
}

fn wrote(result: io::Result<()>) -> Result<(), CliError> {
    result.map_err(|error| CliError::io(STANDARD_OUTPUT, Action::Write, error))
}

/// Strips the byte order mark that a file may begin with.
fn without_mark(line: &[u8], number: u64) -> &[u8] {
    if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line }
}
