//! A file as annotated hexadecimal text, for FORMAT.md.
//!
//! Roots are shown by their declarations, records as in FORMAT.md's tables. Every byte is shown once, in order; a gap
//! or an overlap is a panic.

mod volumes;

use std::fmt::Write;

use bvhc_format::describe::{Shape, Type};
use bvhc_format::header::{ENTRY_LENGTH, HEADER_LENGTH};
use bvhc_format::hulls::HULL_VERTICES;
use bvhc_format::obb::{PackedRotation, PackedStep, PairChild, PairRef};
use bvhc_format::record::{Child, ChildRef, FaceCorners};
use bvhc_format::section::SectionKind;

use super::forge::{read_u32, read_u64, slice_at};

/// Bytes on a line.
const LINE: usize = 16;

/// Zero bytes after the last packed block.
const PACKED_ZEROS: usize = 144;

/// How the bytes of a field are shown.
#[derive(Clone, Copy)]
enum Kind {
    Raw,
    Text,
    U8,
    U16,
    /// A rotation in 32 bits.
    Rotation,
    /// The upper half of the bits of an f32.
    Step,
    U32,
    U64,
    F32,
    Index,
    Hex,
    Child,
    /// A reference of an oriented tree.
    PairChild,
    /// The same of a hybrid of swept spheres.
    HybridChild,
    Slice,
    /// Two slots per byte, the lower four bits first.
    Slots,
    /// The counts of a packed block.
    Counts,
    /// The corners of a face that a triangle has.
    Corners,
}

/// The annotated dump of a good file.
///
/// Panics where the file does not have the layout that FORMAT.md describes.
pub fn annotate(file: &[u8]) -> String {
    let mut dump = Dump { file, at: 0, text: String::new(), untitled: false, root: 0 };
    dump.header();
    let sections = read_u32(file, 28) as usize;
    for index in 0..sections {
        dump.entry(index);
    }
    for index in 0..sections {
        dump.section(HEADER_LENGTH + ENTRY_LENGTH * index);
    }
    assert_eq!(dump.at, file.len(), "bytes are left over");
    dump.text
}

struct Dump<'a> {
    file: &'a [u8],
    /// The first byte that has not been shown.
    at: usize,
    text: String,
    /// Whether slices without records still need a title.
    untitled: bool,
    /// The root of the section.
    root: usize,
}

/// A slice of a payload: its name, its start and its number of elements.
struct Slice {
    name: String,
    start: usize,
    count: usize,
}

impl Dump<'_> {
    fn title(&mut self, title: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        writeln!(self.text, "{gap}{title}").expect("memory takes it");
    }

    /// `size` bytes, called `name`.
    fn field(&mut self, name: &str, size: usize, kind: Kind) {
        let bytes = &self.file[self.at..self.at + size];
        for (number, line) in bytes.chunks(LINE).enumerate() {
            let hex: Vec<_> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let values = values(line, kind, self.at + LINE * number);
            let text = match (number, values.is_empty()) {
                (0, true) => name.to_owned(),
                (0, false) => format!("{name} = {values}"),
                _ => values,
            };
            let line = format!("{:04x}  {:47}  {text}", self.at + LINE * number, hex.join(" "));
            writeln!(self.text, "{}", line.trim_end()).expect("memory takes it");
        }
        self.at += size;
    }

    fn fields(&mut self, fields: &[(&str, usize, Kind)]) {
        for &(name, size, kind) in fields {
            self.field(name, size, kind);
        }
    }

    /// Zeros up to an offset.
    fn padding(&mut self, end: usize) {
        assert!(self.file[self.at..end].iter().all(|byte| *byte == 0), "padding is zero");
        self.field("padding", end - self.at, Kind::Raw);
    }

    /// Padding, if there is a gap up to an offset.
    fn fill_up(&mut self, end: usize) {
        if self.at < end {
            self.padding(end);
        }
    }

    fn header(&mut self) {
        self.title("header");
        self.fields(&[
            ("magic", 12, Kind::Raw),
            ("major", 2, Kind::U16),
            ("minor", 2, Kind::U16),
            ("length", 8, Kind::U64),
            ("required_features", 4, Kind::U32),
            ("sections", 4, Kind::U32),
            ("hash", 32, Kind::Raw),
        ]);
    }

    fn entry(&mut self, index: usize) {
        let kind = read_u32(self.file, self.at);
        self.title(&format!("directory entry {index}: {}", section_kind(kind).name()));
        self.fields(&[
            ("kind", 4, Kind::U32),
            ("version", 2, Kind::U16),
            ("flags", 2, Kind::U16),
            ("offset", 8, Kind::U64),
            ("length", 8, Kind::U64),
            ("alignment", 4, Kind::U32),
            ("mesh", 4, Kind::Index),
            ("hash", 32, Kind::Raw),
        ]);
    }

    fn section(&mut self, entry: usize) {
        let kind = section_kind(read_u32(self.file, entry));
        let (start, length) = (read_u64(self.file, entry + 8), read_u64(self.file, entry + 16));
        let (start, end) = (start as usize, (start + length) as usize);
        assert_eq!(self.at, start, "a section starts where the one before it ends");
        let (root, fields) = (end - kind.root().size, root_fields(kind));
        self.untitled = true;
        self.root = root;
        for slice in self.slices(root, &fields) {
            self.slice(kind, &slice);
        }
        self.fill_up(root);
        self.title(&format!("{}: root", kind.name()));
        for (name, size, kind) in &fields {
            self.field(name, *size, *kind);
        }
        assert_eq!(self.at, end, "the root is at the end");
        self.fill_up(end.next_multiple_of(64));
    }

    /// The slices of a root, in the order of its fields.
    fn slices(&self, root: usize, fields: &[(String, usize, Kind)]) -> Vec<Slice> {
        let mut at = root;
        let mut slices = Vec::new();
        for (name, size, kind) in fields {
            if matches!(kind, Kind::Slice) {
                let (start, count) = slice_at(self.file, at);
                slices.push(Slice { name: name.clone(), start, count });
            }
            at += size;
        }
        slices
    }

    fn slice(&mut self, kind: SectionKind, slice: &Slice) {
        if slice.count == 0 {
            return;
        }
        self.fill_up(slice.start);
        assert_eq!(self.at, slice.start, "slices neither overlap nor leave holes");
        match slice.name.as_str() {
            "blocks" => self.records(slice, Self::block),
            "nodes" if kind == SectionKind::ObbTree => self.records(slice, Self::obb_node),
            "nodes" if kind == SectionKind::Samples => self.records(slice, Self::sample_node),
            "nodes" if kind == SectionKind::HullTree => self.records(slice, Self::hull_node),
            "nodes" => self.records(slice, Self::node),
            "pair_leaves" => self.records(slice, Self::pair_leaf),
            "packed_nodes" => self.records(slice, Self::packed_obb_node),
            "rows" if kind == SectionKind::KdopTree => self.kdop_nodes(slice.count),
            "rows" => self.swept_nodes(slice.count),
            "vertices" => self.records(slice, Self::hull_vertex),
            "triangles" if kind == SectionKind::Edges => self.records(slice, Self::triangle_edges),
            "boundary" => self.records(slice, Self::boundary_edges),
            "tiles" | "bricks" => self.records(slice, Self::field_node),
            "runs" => self.records(slice, Self::run),
            "trees" => self.records(slice, Self::statistics),
            "bytes" => self.packed_blocks(slice),
            "wide_corners" => self.records(slice, Self::wide_corners),
            "inputs" => self.records(slice, Self::input),
            name => self.numbers_or_text(kind, name, slice.count),
        }
    }

    fn wide_corners(&mut self) {
        self.fields(&[("triangle", 4, Kind::U32), ("corners", 12, Kind::U32)]);
    }

    fn boundary_edges(&mut self) {
        for row in ["from x", "from y", "from z", "to x", "to y", "to z"] {
            self.field(row, 32, Kind::F32);
        }
    }

    fn triangle_edges(&mut self) {
        self.fields(&[
            ("neighbours", 12, Kind::Index),
            ("convex", 12, Kind::U16),
            ("concave", 12, Kind::U16),
        ]);
    }

    fn field_node(&mut self) {
        self.fields(&[
            ("stored", 8, Kind::U64),
            ("inside", 8, Kind::U64),
            ("first", 4, Kind::U32),
            ("error", 4, Kind::F32),
        ]);
    }

    fn input(&mut self) {
        self.fields(&[("hash", 32, Kind::Raw), ("length", 8, Kind::U64)]);
    }

    fn numbers_or_text(&mut self, kind: SectionKind, name: &str, count: usize) {
        if self.untitled {
            self.title(&format!("{}: slices", kind.name()));
            self.untitled = false;
        }
        if name.ends_with("ends") || ["triangles", "faces", "slots", "neighbours", "starts"].contains(&name) {
            self.field(&format!("{name}[..]"), 4 * count, Kind::U32);
        } else if name == "values" && kind == SectionKind::DistanceField {
            self.field("values[..]", count, Kind::U8);
        } else if name == "corners" {
            self.field("corners[..]", 2 * count, Kind::Corners);
        } else {
            self.field(name, count, Kind::Text);
        }
    }

    fn records(&mut self, slice: &Slice, record: fn(&mut Self)) {
        for index in 0..slice.count {
            self.title(&format!("{}[{index}]", slice.name));
            record(self);
        }
        self.untitled = true;
    }

    fn block(&mut self) {
        self.fields(&[
            ("positions x", 64, Kind::F32),
            ("positions y", 64, Kind::F32),
            ("positions z", 64, Kind::F32),
            ("first corners", 16, Kind::U8),
            ("second corners", 16, Kind::U8),
            ("third corners", 16, Kind::U8),
            ("first", 4, Kind::U32),
            ("triangles", 1, Kind::U8),
            ("vertices", 1, Kind::U8),
            ("split", 2, Kind::U16),
            ("reserved", 8, Kind::Raw),
        ]);
    }

    /// Packed blocks, and the zeros after them.
    fn packed_blocks(&mut self, slice: &Slice) {
        let end = slice.start + slice.count;
        while self.at < end - PACKED_ZEROS {
            self.title(&format!("reference {}", (self.at - slice.start) / 8));
            self.packed_block();
            self.fill_up((self.at - slice.start).next_multiple_of(8) + slice.start);
        }
        self.title("behind the last block");
        self.padding(end);
        self.untitled = true;
    }

    fn packed_block(&mut self) {
        let counts = usize::from(self.file[self.at + 17]);
        let (row, vertices) = ((counts % 16 + 1).div_ceil(2), counts / 16 + 1);
        self.fields(&[
            ("origin", 12, Kind::F32),
            ("first", 4, Kind::U32),
            ("exponent", 1, Kind::U8),
            ("counts", 1, Kind::Counts),
            ("split", 2, Kind::U16),
            ("first corners", row, Kind::Slots),
            ("second corners", row, Kind::Slots),
            ("third corners", row, Kind::Slots),
            ("offsets x", 2 * vertices, Kind::U16),
            ("offsets y", 2 * vertices, Kind::U16),
            ("offsets z", 2 * vertices, Kind::U16),
        ]);
    }

    fn node(&mut self) {
        self.fields(&[
            ("lower x", 64, Kind::F32),
            ("upper x", 64, Kind::F32),
            ("lower y", 64, Kind::F32),
            ("upper y", 64, Kind::F32),
            ("lower z", 64, Kind::F32),
            ("upper z", 64, Kind::F32),
            ("children", 64, Kind::Child),
            ("order", 64, Kind::Hex),
        ]);
    }

    fn obb_node(&mut self) {
        for part in ["rotation x", "rotation y", "rotation z", "rotation w"] {
            self.field(part, 16, Kind::F32);
        }
        for row in ["centre x", "centre y", "centre z"] {
            self.field(row, 16, Kind::F32);
        }
        for axis in ["half_extents 0", "half_extents 1", "half_extents 2"] {
            self.field(axis, 16, Kind::F32);
        }
        self.fields(&[("children", 16, Kind::PairChild), ("reserved", 16, Kind::Raw)]);
    }

    fn packed_obb_node(&mut self) {
        self.field("rotation", 16, Kind::Rotation);
        for row in ["centre x", "centre y", "centre z", "half_extents 0", "half_extents 1", "half_extents 2"]
        {
            self.field(row, 8, Kind::U16);
        }
        self.fields(&[
            ("children", 16, Kind::PairChild),
            ("origin", 12, Kind::F32),
            ("centre_step", 2, Kind::Step),
            ("extent_step", 2, Kind::Step),
        ]);
    }

    fn pair_leaf(&mut self) {
        self.field("addresses", 16, Kind::U32);
    }

    fn sample_node(&mut self) {
        for axis in ["x", "y", "z"] {
            self.field(&format!("position {axis}"), 16, Kind::F32);
        }
        self.field("triangles", 16, Kind::U32);
    }

    fn hull_node(&mut self) {
        for (vertex, axis) in (0..HULL_VERTICES).flat_map(|vertex| ["x", "y", "z"].map(|axis| (vertex, axis)))
        {
            self.field(&format!("vertex {vertex} {axis}"), 16, Kind::F32);
        }
        self.fields(&[("radius", 16, Kind::F32), ("children", 16, Kind::PairChild)]);
    }

    fn hull_vertex(&mut self) {
        self.fields(&[("position", 12, Kind::F32), ("end", 4, Kind::U32)]);
    }

    fn run(&mut self) {
        self.fields(&[
            ("first_triangle", 4, Kind::U32),
            ("material", 4, Kind::Index),
            ("group", 4, Kind::Index),
            ("object", 4, Kind::Index),
        ]);
    }

    fn statistics(&mut self) {
        self.fields(&[
            ("kind", 4, Kind::U32),
            ("depth", 4, Kind::U32),
            ("nodes", 8, Kind::U64),
            ("leaves", 8, Kind::U64),
            ("references", 8, Kind::U64),
            ("sah_cost", 4, Kind::F32),
            ("node_fill", 4, Kind::F32),
            ("block_fill", 4, Kind::F32),
            ("reserved", 4, Kind::U32),
        ]);
    }
}

fn section_kind(number: u32) -> SectionKind {
    SectionKind::from_number(number).expect("a kind of version 3.0")
}

/// The fields of a section's root and of the records in it: name, size and kind.
fn root_fields(kind: SectionKind) -> Vec<(String, usize, Kind)> {
    let mut fields = Vec::new();
    gather(kind.root(), "", &mut fields);
    fields
}

fn gather(record: &Type, prefix: &str, fields: &mut Vec<(String, usize, Kind)>) {
    for field in record.fields() {
        let name = format!("{prefix}{}", field.name);
        match field.ty.shape {
            Shape::Record { .. } => gather(field.ty, &format!("{name}."), fields),
            Shape::Slice { .. } => fields.push((name, field.ty.size, Kind::Slice)),
            Shape::Number | Shape::Array { .. } => {
                let kind = match field.ty.name {
                    "u32" => Kind::U32,
                    "u64" => Kind::U64,
                    "f32" => Kind::F32,
                    _ => Kind::Raw,
                };
                fields.push((name, field.ty.size, kind));
            }
        }
    }
}

/// The values of a line's bytes, which start at offset `at`.
fn values(line: &[u8], kind: Kind, at: usize) -> String {
    let each = |size: usize, value: fn(u64) -> String| {
        let number =
            |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        line.chunks(size).map(|bytes| value(number(bytes))).collect::<Vec<_>>().join(" ")
    };
    match kind {
        Kind::Raw => String::new(),
        Kind::Text => format!("{:?}", String::from_utf8_lossy(line)),
        Kind::U8 => each(1, |value| value.to_string()),
        Kind::U16 => each(2, |value| value.to_string()),
        Kind::Rotation => each(4, |value| {
            let [x, y, z, w] = PackedRotation(value as u32).unpack();
            format!("({x:.4} {y:.4} {z:.4} {w:.4})")
        }),
        Kind::Step => each(2, |value| format!("{:?}", PackedStep(value as u16).get())),
        Kind::U32 => each(4, |value| value.to_string()),
        Kind::U64 => each(8, |value| value.to_string()),
        Kind::F32 => each(4, |value| format!("{:?}", f32::from_bits(value as u32))),
        Kind::Index => each(4, |value| if value == 0xffff_ffff { "NONE".into() } else { value.to_string() }),
        Kind::Hex => each(4, |value| format!("{value:08x}")),
        Kind::Child => each(4, |value| match ChildRef(value as u32).get() {
            Child::Empty => "empty".into(),
            Child::Node(index) => format!("node {index}"),
            Child::Block(index) => format!("block {index}"),
        }),
        Kind::PairChild => each(4, |value| obb_child(value, |index| format!("node {index}"))),
        Kind::HybridChild => {
            each(4, |value| obb_child(value, |link| format!("row {} of kind {}", link >> 2, link & 3)))
        }
        Kind::Corners => each(2, |value| match FaceCorners::unpack(value as u16) {
            _ if value == u64::from(FaceCorners::LISTED) => "listed".into(),
            [a, b, c] => format!("{a},{b},{c}"),
        }),
        Kind::Slots => each(1, |value| format!("{} {}", value & 15, value >> 4)),
        Kind::Counts => each(1, |value| format!("{} triangles, {} vertices", value % 16 + 1, value / 16 + 1)),
        Kind::Slice => {
            let (distance, count) = (read_u64(line, 0) as i64, read_u64(line, 8));
            let start = at.wrapping_add_signed(distance as isize);
            format!("{count} from {start:04x} on (distance {distance})")
        }
    }
}

fn obb_child(value: u64, node: fn(u32) -> String) -> String {
    match PairRef(value as u32).get() {
        PairChild::Empty => "empty".into(),
        PairChild::Node(reference) => node(reference),
        PairChild::Leaf(index, triangles) => format!("leaf {index} of {triangles}"),
    }
}
