//! Object File Format (OFF) of Geomview, in text. Each vertex and each face is a line.

#[cfg(test)]
mod tests;

use super::builder::Builder;
use super::text::{Lines, Words, number, unexpected};
use super::{DataFault, ImportError, Imported, Input, Notes, without_mark};

/// The least bytes that a vertex takes.
const VERTEX: usize = "0 0 0\n".len();

/// The least bytes that a face of three corners takes.
const FACE: usize = "3 0 0 0\n".len();

/// Whether bytes that begin so are OFF: the first word that is no comment says so.
pub(super) fn is_it(bytes: &[u8]) -> bool {
    Reader::new(bytes).next_line().is_some_and(|line| Header::of(line).is_some())
}

/// Reads an OFF file. Faces are numbered in order from 0. Of a vertex only the position is read, of a face only the
/// corners: what follows in their lines are normals, colours and texture coordinates.
pub(super) fn read(input: &Input<'_>) -> Result<Imported, ImportError> {
    let mut reader = Reader::new(input.bytes);
    let mut builder = Builder::default();
    let mut notes = Notes::default();
    reader.read(&mut builder).map_err(|fault| {
        // Without a line the fault is that there is none.
        let place = format!("line {}", reader.lines.number().max(1));
        ImportError::Data { file: input.name.to_owned(), place, fault }
    })?;
    if reader.next_line().is_some() {
        notes.warnings.push(format!(
            "ignored line {} and what follows: the faces that the header counts end before it",
            reader.lines.number()
        ));
    }
    Ok(Imported { polygons: builder.finish(input.name)?, inputs: Vec::new(), notes })
}

/// The first word, and what follows it in its line.
struct Header<'a> {
    /// What stands for the number of dimensions in the first word.
    dimensions: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Header<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let at = line.windows(3).take(LONGEST_PREFIX + 1).position(|word| word == b"OFF")?;
        let (prefix, rest) = (&line[..at], &line[at + 3..]);
        let mut dimensions = prefix;
        for letters in [&b"ST"[..], b"C", b"N"] {
            dimensions = dimensions.strip_prefix(letters).unwrap_or(dimensions);
        }
        let is_prefix = matches!(dimensions, b"" | b"4" | b"n" | b"4n");
        // Some files have the first number next to the word.
        let is_word = rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit());
        (is_prefix && is_word).then_some(Self { dimensions, rest })
    }

    /// Refuses what is no text, or not in three dimensions.
    fn check(&self) -> Result<(), DataFault> {
        let refuse = |what: &str| Err(DataFault::Rule(what.to_owned()));
        match self.dimensions {
            b"" => {}
            b"4" => return refuse("vertices of four coordinates (4OFF), but bvhc reads those of three"),
            _ => {
                return refuse("vertices of any number of coordinates (nOFF), but bvhc reads those of three");
            }
        }
        if Words(self.rest).next() == Some(b"BINARY") {
            return refuse("this is binary OFF, but bvhc reads only text: export the model as such");
        }
        Ok(())
    }
}

/// `STCN4n`
const LONGEST_PREFIX: usize = 6;

/// Reads lines that are more than comments.
struct Reader<'a> {
    lines: Lines<'a>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { lines: Lines::new(without_mark(bytes)) }
    }

    /// The next line that is neither blank nor a comment, without the comment at its end.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.lines.next_line()?;
            let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
            if !line[..end].trim_ascii().is_empty() {
                return Some(&line[..end]);
            }
        }
    }

    fn line(&mut self, wanted: impl Fn() -> String) -> Result<Words<'a>, DataFault> {
        Ok(Words(self.next_line().ok_or_else(|| DataFault::Ends { wanted: wanted() })?))
    }

    fn read(&mut self, builder: &mut Builder) -> Result<(), DataFault> {
        let [vertices, faces] = self.header()?;
        let bytes = self.lines.rest().len();
        let possible = |claimed: u64, least: usize| claimed.min((bytes / least) as u64) as usize;
        builder.reserve(possible(vertices, VERTEX), 3 * possible(faces, FACE));
        for vertex in 0..vertices {
            let mut words = self.line(|| format!("vertex {vertex} of {vertices}"))?;
            let position = [words.number()?, words.number()?, words.number()?];
            builder.vertex(position)?;
        }
        let mut corners = Vec::new();
        for face in 0..faces {
            let mut words = self.line(|| format!("face {face} of {faces}"))?;
            read_face(&mut words, builder, &mut corners)?;
        }
        Ok(())
    }

    /// The numbers of vertices and faces, in the line of the first word or in the next.
    fn header(&mut self) -> Result<[u64; 2], DataFault> {
        let line = self.next_line().unwrap_or_default();
        let header = Header::of(line).ok_or_else(|| unexpected("something else", "`OFF`"))?;
        header.check()?;
        let mut words = Words(header.rest.trim_ascii());
        if words.0.is_empty() {
            words = self.line(|| "the numbers of vertices, faces and edges".to_owned())?;
        }
        let counts =
            [count(&mut words, "the number of vertices")?, count(&mut words, "the number of faces")?];
        // Some files do without the number of edges, which is rarely right.
        words.next().map_or(Ok(0.0), number)?;
        words.end()?;
        Ok(counts)
    }
}

fn count(words: &mut Words<'_>, wanted: &str) -> Result<u64, DataFault> {
    let count = words.integer(wanted)?;
    u64::try_from(count).map_err(|_| unexpected(&format!("`{count}`"), wanted))
}

fn read_face(words: &mut Words<'_>, builder: &mut Builder, corners: &mut Vec<u32>) -> Result<(), DataFault> {
    corners.clear();
    for _ in 0..count(words, "the number of the face's corners")? {
        let index = words.integer("the index of a vertex")?;
        let vertices = u64::from(builder.vertices());
        corners.push(u32::try_from(index).map_err(|_| DataFault::Index { found: index, vertices })?);
    }
    builder.face(corners)
}
