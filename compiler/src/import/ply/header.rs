//! The header: a text that describes the elements of a file and their properties.

use crate::import::error::Fault;
use crate::import::text::{Lines, Words, shown, unexpected};
use crate::import::{DataFault, without_mark};

/// How the values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// How many bytes one takes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// What a property is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A coordinate.
    Axis(usize),
    /// The indices of vertices.
    Corners,
    /// Nothing that is read.
    Unused,
}

/// A value of each record of an element, or a list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) scalar: Scalar,
    /// The type of the length before a list.
    pub(super) counted_by: Option<Scalar>,
    pub(super) role: Role,
}

impl Property {
    /// How many indices its list has if the face has an area.
    pub(super) fn least_corners(&self) -> u64 {
        if self.role == Role::Corners { 3 } else { 0 }
    }
}

/// What the records of an element are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Vertices,
    Faces,
    /// Strips of triangles.
    Strips,
    Edges,
    Other,
}

/// Records with the same properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) kind: Kind,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    /// Its name in messages.
    name: String,
    /// Its line in the header.
    line: u64,
}

impl Element {
    /// What one of its records is called in messages.
    pub(super) fn word(&self) -> &str {
        match self.kind {
            Kind::Vertices => "vertex",
            Kind::Faces => "face",
            Kind::Strips => "strip",
            Kind::Edges => "edge",
            Kind::Other => &self.name,
        }
    }

    fn has(&self, role: Role) -> bool {
        self.properties.iter().any(|property| property.role == role)
    }

    /// Refuses an element without what is read of it.
    fn check(&self) -> Result<(), Fault> {
        let lacks = |what: &str| {
            let fault = DataFault::Rule(format!("the element {} has no {what}", self.name));
            Err((place(self.line), fault))
        };
        match self.kind {
            Kind::Vertices => match (0..3).find(|axis| !self.has(Role::Axis(*axis))) {
                Some(axis) => lacks(&format!("property `{}`", ["x", "y", "z"][axis])),
                None => Ok(()),
            },
            // The headers of clouds of points may have such an element without faces.
            Kind::Faces | Kind::Strips if self.count != 0 && !self.has(Role::Corners) => {
                lacks("list `vertex_indices`")
            }
            _ => Ok(()),
        }
    }
}

/// A header, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// How its lines end.
    pub(super) terminator: u8,
    /// How many lines it has.
    pub(super) lines: u64,
    pub(super) body: &'a [u8],
}

fn place(line: u64) -> String {
    format!("line {line}")
}

/// Whether the first line is the word `ply`.
pub(super) fn is_it(bytes: &[u8]) -> bool {
    let rest = without_mark(bytes).strip_prefix(b"ply").unwrap_or_default();
    let blanks = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    blanks.is_some_and(|end| matches!(rest[end], b'\n' | b'\r'))
}

/// How the first line ends, and so the others. Binary values may begin with the byte of a line's end: only this tells
/// whether one after a carriage return belongs to the header.
fn terminator(text: &[u8]) -> u8 {
    let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    match end.map(|end| &text[end..]) {
        Some([b'\r', b'\n', ..]) => b'\n',
        Some([b'\r', ..]) => b'\r',
        _ => b'\n',
    }
}

impl<'a> Header<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Fault> {
        let text = without_mark(bytes);
        let terminator = terminator(text);
        let mut lines = Lines::with_terminator(text, terminator);
        lines.next_line();
        let mut parser = Parser::default();
        loop {
            let Some(line) = lines.next_line() else {
                let wanted = "`end_header`".to_owned();
                return Err((place(lines.number()), DataFault::Ends { wanted }));
            };
            let is_end = parser.line(line, lines.number()).map_err(|fault| (place(lines.number()), fault))?;
            if is_end {
                break;
            }
        }
        let Some(encoding) = parser.encoding else {
            return Err((place(lines.number()), DataFault::Rule("the header has no `format`".to_owned())));
        };
        parser.elements.iter().try_for_each(Element::check)?;
        let (elements, body) = (parser.elements, lines.rest());
        Ok(Self { encoding, elements, terminator, lines: lines.number(), body })
    }
}

/// What the lines so far say.
#[derive(Default)]
struct Parser {
    encoding: Option<Encoding>,
    elements: Vec<Element>,
}

impl Parser {
    /// Takes a line in; whether it is the last.
    fn line(&mut self, line: &[u8], number: u64) -> Result<bool, DataFault> {
        let mut words = Words(line);
        match words.next() {
            Some(b"end_header") => return words.end().map(|()| true),
            Some(b"format") => self.format(&mut words)?,
            Some(b"element") => self.element(&mut words, number)?,
            Some(b"property") => self.property(&mut words)?,
            Some(b"comment" | b"obj_info") | None => {}
            Some(word) => {
                return Err(unexpected(&shown(word), "`element`, `property` or `end_header`"));
            }
        }
        Ok(false)
    }

    fn format(&mut self, words: &mut Words<'_>) -> Result<(), DataFault> {
        const WANTED: &str = "`ascii`, `binary_little_endian` or `binary_big_endian`";
        let encoding = match words.word(WANTED)? {
            b"ascii" => Encoding::Text,
            b"binary_little_endian" => Encoding::LittleEndian,
            b"binary_big_endian" => Encoding::BigEndian,
            word => return Err(unexpected(&shown(word), WANTED)),
        };
        let version = words.word("`1.0`")?;
        if version != b"1.0" {
            return Err(unexpected(&shown(version), "`1.0`"));
        }
        words.end()?;
        match self.encoding.replace(encoding) {
            Some(_) => Err(DataFault::Rule("a second `format`".to_owned())),
            None => Ok(()),
        }
    }

    fn element(&mut self, words: &mut Words<'_>, line: u64) -> Result<(), DataFault> {
        let name = words.word("the name of an element")?;
        let kind = match name {
            b"vertex" => Kind::Vertices,
            b"face" => Kind::Faces,
            b"tristrips" => Kind::Strips,
            b"edge" => Kind::Edges,
            _ => Kind::Other,
        };
        const WANTED: &str = "the number of the element's records";
        let count = words.integer(WANTED)?;
        let count = u64::try_from(count).map_err(|_| unexpected(&format!("`{count}`"), WANTED))?;
        words.end()?;
        if kind != Kind::Other && self.elements.iter().any(|element| element.kind == kind) {
            return Err(DataFault::Rule(format!("a second element {}", shown(name))));
        }
        self.elements.push(Element { kind, count, properties: Vec::new(), name: shown(name), line });
        Ok(())
    }

    fn property(&mut self, words: &mut Words<'_>) -> Result<(), DataFault> {
        const WANTED: &str = "the type of a property";
        let mut kind = words.word(WANTED)?;
        let mut counted_by = None;
        if kind == b"list" {
            counted_by = Some(integer(words.word("the type of a list's length")?, "a list's length")?);
            kind = words.word(WANTED)?;
        }
        let scalar = Scalar::of(kind).ok_or_else(|| unexpected(&shown(kind), WANTED))?;
        let name = words.word("the name of a property")?;
        words.end()?;
        let Some(element) = self.elements.last_mut() else {
            return Err(unexpected("a property", "an element"));
        };
        let role = role(element.kind, name, counted_by.is_some());
        if role == Role::Corners {
            integer(kind, "an index")?;
        }
        if role != Role::Unused && element.has(role) {
            return Err(DataFault::Rule(format!("a second property {}", shown(name))));
        }
        element.properties.push(Property { scalar, counted_by, role });
        Ok(())
    }
}

fn integer(word: &[u8], what: &str) -> Result<Scalar, DataFault> {
    Scalar::of(word)
        .filter(|scalar| scalar.is_integer())
        .ok_or_else(|| unexpected(&shown(word), &format!("the integer type of {what}")))
}

fn role(kind: Kind, name: &[u8], is_list: bool) -> Role {
    match (kind, is_list, name) {
        (Kind::Vertices, false, b"x") => Role::Axis(0),
        (Kind::Vertices, false, b"y") => Role::Axis(1),
        (Kind::Vertices, false, b"z") => Role::Axis(2),
        (Kind::Faces | Kind::Strips, true, b"vertex_indices" | b"vertex_index") => Role::Corners,
        _ => Role::Unused,
    }
}
