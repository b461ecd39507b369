//! `bvhc query KIND FILE`: a line in, a row of CSV out.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use bvhc_runtime::{Model, Overlap, Ray};

use super::args::{QueryArgs, QueryKind};
use super::error::{Action, CliError};
use super::file::{self, Compiled};
use super::output::STANDARD_OUTPUT;
use super::row::{Row, RowError};

/// Bytes read and written at a time.
const BUFFER: usize = 1 << 16;

pub(super) fn run(args: &QueryArgs) -> Result<(), CliError> {
    let file = Compiled::read(&args.file)?;
    let asker = Asker { kind: args.kind, model: file.model()? };
    let standard = Path::new("-");
    let path = args.input.as_deref().unwrap_or(standard);
    let name = file::input_name(path);
    let input: Box<dyn Read> = if file::is_standard(path) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| CliError::io(&name, Action::Read, error))?)
    };
    let out = io::BufWriter::with_capacity(BUFFER, io::stdout().lock());
    Session { asker, name, lines: BufReader::with_capacity(BUFFER, input), out }.run()
}

/// Lines in, rows out.
struct Session<'a, R, W> {
    asker: Asker<'a>,
    name: String,
    lines: BufReader<R>,
    out: W,
}

impl<R: Read, W: Write> Session<'_, R, W> {
    fn run(mut self) -> Result<(), CliError> {
        let mut row = format!("{}\n", self.asker.header());
        let mut line = Vec::new();
        let mut number = 0;
        self.put(&row)?;
        while self.next_line(&mut line)? {
            number += 1;
            row.clear();
            match self.asker.answer(&line, number, &mut row) {
                Ok(()) => self.put(&row)?,
                Err(error) => {
                    self.flush()?;
                    return Err(CliError::Query { input: self.name, line: number, error });
                }
            }
        }
        self.flush()
    }

    /// Reads a line without its end; `false` where there is none.
    fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool, CliError> {
        // Whoever asks a question and waits for the answer gets it before the next one is read.
        if !self.lines.buffer().contains(&b'\n') {
            self.flush()?;
        }
        line.clear();
        let read = self.lines.read_until(b'\n', line);
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

/// Answers lines of one kind.
struct Asker<'a> {
    kind: QueryKind,
    model: Model<'a>,
}

impl Asker<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            QueryKind::Ray => "hit,t,u,v,face,material,group,nx,ny,nz",
            QueryKind::Any => "hit",
            QueryKind::Point => "found,distance,x,y,z,face",
            QueryKind::Box | QueryKind::Sphere => "count,faces",
        }
    }

    /// Appends the row that answers a line, if the line asks anything.
    fn answer(&self, line: &[u8], number: u64, row: &mut String) -> Result<(), RowError> {
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let Some(query) = Row::parse(line)? else { return Ok(()) };
        // Writing to a string cannot fail.
        let _ = match self.kind {
            QueryKind::Ray => self.ray(&query.ray()?, row),
            QueryKind::Any => write!(row, "{}", u8::from(self.model.any_hit(&query.ray()?))),
            QueryKind::Point => self.point(query.point()?, row),
            QueryKind::Box => {
                let reach = query.aabb()?;
                self.overlap(row, |visit| self.model.overlap_box(&reach, visit))
            }
            QueryKind::Sphere => {
                let (centre, radius) = query.sphere()?;
                self.overlap(row, |visit| self.model.overlap_sphere(centre, radius, visit))
            }
        };
        row.push('\n');
        Ok(())
    }

    fn ray(&self, ray: &Ray, row: &mut String) -> std::fmt::Result {
        let Some(hit) = self.model.closest_hit(ray) else {
            row.push_str("0,,,,,,,,,");
            return Ok(());
        };
        write!(row, "1,{},{},{},", hit.t, hit.u, hit.v)?;
        let source = self.model.source_of(hit.triangle);
        if let Some(source) = source {
            write!(row, "{}", source.face)?;
        }
        row.push(',');
        let material = source.and_then(|s| s.material).and_then(|index| self.model.material_name(index));
        push_quoted(row, material.unwrap_or_default());
        row.push(',');
        let group = source.and_then(|s| s.group).and_then(|index| self.model.group_name(index));
        let object = source.and_then(|s| s.object).and_then(|index| self.model.object_name(index));
        push_quoted(row, group.or(object).unwrap_or_default());
        let [x, y, z] = hit.normal;
        write!(row, ",{x},{y},{z}")
    }

    fn point(&self, (point, max_distance): ([f32; 3], f32), row: &mut String) -> std::fmt::Result {
        let Some(nearest) = self.model.closest_point(point, max_distance) else {
            row.push_str("0,,,,,");
            return Ok(());
        };
        let [x, y, z] = nearest.point;
        write!(row, "1,{},{x},{y},{z},", nearest.distance)?;
        match self.model.source_of(nearest.triangle) {
            Some(source) => write!(row, "{}", source.face),
            None => Ok(()),
        }
    }

    /// A face of many triangles counts once.
    fn overlap(
        &self,
        row: &mut String,
        query: impl FnOnce(&mut dyn FnMut(Overlap) -> ControlFlow<()>) -> ControlFlow<()>,
    ) -> std::fmt::Result {
        let mut faces = Vec::new();
        let _ = query(&mut |overlap| {
            faces.extend(self.model.source_of(overlap.triangle).map(|source| source.face));
            ControlFlow::Continue(())
        });
        faces.sort_unstable();
        faces.dedup();
        write!(row, "{},", faces.len())?;
        for (index, face) in faces.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            write!(row, "{blank}{face}")?;
        }
        Ok(())
    }
}

/// Appends a field of CSV, in quotes where RFC 4180 asks for them.
fn push_quoted(row: &mut String, field: &str) {
    if !field.contains([',', '"', '\r', '\n']) {
        row.push_str(field);
        return;
    }
    row.push('"');
    row.push_str(&field.replace('"', "\"\""));
    row.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let fields = ["", "a b", "a,b", "say \"hi\"", "two\nlines"].map(|field| {
            let mut row = String::new();
            push_quoted(&mut row, field);
            row
        });
        assert_eq!(fields, ["", "a b", "\"a,b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\""]);
    }
}
