//! `bvhc.h` and `bvhc.hexpat` declare what the Rust records declare: every field at its offset.
//!
//! Both are generated from the records' own tables. Where `BVHC_BLESS` is 1, they are rewritten instead.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use bvhc_format::describe::{Described, Field, Shape, Type};
use bvhc_format::header::{Header, MAGIC, SECTION_REQUIRED, SectionEntry};
use bvhc_format::packed::PackedHead;
use bvhc_format::record::ChildRef;
use bvhc_format::section::{ArchivedNames, Names, SectionKind, VENDOR_KINDS};
use bvhc_format::world::Instance;
use bvhc_format::{ALIGNMENT, MAX_DEPTH, NONE, VERSION_MAJOR, VERSION_MINOR};

/// All records: what the file begins with, the elements of slices, then the roots, each after what it is made of.
fn records() -> Vec<&'static Type> {
    let mut records = vec![Header::TYPE, SectionEntry::TYPE, PackedHead::TYPE, Names::TYPE];
    assert_eq!(Names::TYPE.size, size_of::<ArchivedNames<'_>>());
    let mut seen = BTreeSet::new();
    for kind in SectionKind::ALL {
        for (_, element) in kind.root().slices() {
            if !element.fields().is_empty() && seen.insert(element.name) {
                records.push(element);
            }
        }
    }
    records.extend(SectionKind::ALL.map(SectionKind::root));
    records
}

/// A field's number or record, and the lengths of the arrays around it.
fn peel(field: &Field) -> (&'static Type, Vec<usize>) {
    let (mut ty, mut lengths) = (field.ty, Vec::new());
    while let Shape::Array { element, length } = ty.shape {
        lengths.push(length);
        ty = element;
    }
    (ty, lengths)
}

/// `WideNode` as `wide_node`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index != 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn comment(record: &Type) -> String {
    let of_kind = SectionKind::ALL.into_iter().find(|kind| kind.root() == record);
    match of_kind {
        Some(kind) => format!("Root of section {} (kind {})", kind.name(), kind as u32),
        None => record.name.to_owned(),
    }
}

const C_HEAD: &str = "\
/* The records of bvhc files; FORMAT.md says what they mean. Generated from the Rust records by the test `declarations`
 * (BVHC_BLESS=1): change those. Files are little-endian, and so must be the machine. C11 or C++11. */
#ifndef BVHC_H
#define BVHC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BVHC_ASSERT(condition, text) static_assert(condition, text)
#else
#define BVHC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Element i of a slice is at `distance` + i * sizeof(element) from the first byte of this field. */
typedef struct bvhc_slice {
    int64_t distance;
    uint64_t count;
} bvhc_slice;
BVHC_ASSERT(sizeof(bvhc_slice) == 16, \"bvhc_slice\");

";

fn c_header() -> String {
    let mut text = C_HEAD.to_owned();
    let magic = MAGIC.map(|byte| format!("0x{byte:02X}")).join(", ");
    writeln!(text, "#define BVHC_MAGIC {{{magic}}}").unwrap();
    let constants = [
        ("VERSION_MAJOR", u64::from(VERSION_MAJOR)),
        ("VERSION_MINOR", u64::from(VERSION_MINOR)),
        ("ALIGNMENT", ALIGNMENT as u64),
        ("MAX_DEPTH", u64::from(MAX_DEPTH)),
    ];
    for (name, value) in constants {
        writeln!(text, "#define BVHC_{name} {value}").unwrap();
    }
    writeln!(text, "#define BVHC_NONE 0x{NONE:08X}u\n").unwrap();
    writeln!(text, "/* Kinds of sections. */").unwrap();
    for kind in SectionKind::ALL {
        let name = kind.name().replace('-', "_").to_uppercase();
        writeln!(text, "#define BVHC_KIND_{name} {}u", kind as u32).unwrap();
    }
    writeln!(text, "#define BVHC_KIND_VENDORS 0x{:08X}u /* and above */\n", VENDOR_KINDS.start()).unwrap();
    let bits = [
        ("SECTION_REQUIRED", u32::from(SECTION_REQUIRED), "in bvhc_section_entry.flags"),
        ("INSTANCE_MIRROR", Instance::MIRROR, "in bvhc_instance.flags: x becomes -x, before the scale"),
        ("INSTANCE_MOVABLE", Instance::MOVABLE, "in bvhc_instance.flags"),
        ("BLOCK_BIT", ChildRef::BLOCK_BIT, "in bvhc_wide_node.children: a block or a world's leaf"),
    ];
    writeln!(text, "/* Bits. */").unwrap();
    for (name, bit, place) in bits {
        writeln!(text, "#define BVHC_{name} 0x{bit:X}u /* {place} */").unwrap();
    }
    text.push('\n');
    records().into_iter().for_each(|record| c_record(&mut text, record));
    text + "#endif\n"
}

fn c_record(text: &mut String, record: &Type) {
    let name = format!("bvhc_{}", snake(record.name));
    writeln!(text, "/* {}: {} bytes, aligned to {}. */", comment(record), record.size, record.alignment)
        .unwrap();
    writeln!(text, "typedef struct {name} {{").unwrap();
    for field in record.fields() {
        let (ty, lengths) = peel(field);
        let c_type = match ty.name {
            "f32" => "float".to_owned(),
            "f64" => "double".to_owned(),
            "slice" => "bvhc_slice".to_owned(),
            "Names" => "bvhc_names".to_owned(),
            number => match number.split_at(1) {
                ("u", bits) => format!("uint{bits}_t"),
                ("i", bits) => format!("int{bits}_t"),
                _ => panic!("{number} is not a number"),
            },
        };
        let lengths: String = lengths.iter().map(|length| format!("[{length}]")).collect();
        let of = match ty.shape {
            Shape::Slice { element } => format!(" of {}", element.name),
            _ => String::new(),
        };
        writeln!(text, "    {c_type} {}{lengths}; /* {}{of} */", field.name, field.offset).unwrap();
    }
    writeln!(text, "}} {name};").unwrap();
    writeln!(text, "BVHC_ASSERT(sizeof({name}) == {}, \"{name}\");", record.size).unwrap();
    for Field { name: field, offset, .. } in record.fields() {
        writeln!(text, "BVHC_ASSERT(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");").unwrap();
    }
    text.push('\n');
}

const PATTERN_HEAD: &str = "\
// A pattern of bvhc files for the hex editor ImHex; FORMAT.md says what the fields mean. Generated from the Rust records
// by the test `declarations` (BVHC_BLESS=1): change those.
#pragma endian little
// By default arrays have at most 65536 elements, and files 2^20 fields.
#pragma array_limit 0x10000000
#pragma pattern_limit 0x10000000
#pragma magic [ AB 42 56 48 43 4F 4D BB 0D 0A 1A 0A ] @ 0x00

// Distance and count, and the elements that they refer to.
struct Slice<T> {
    s64 distance;
    u64 count;
    if (count > 0)
        T elements[count] @ addressof(distance) + distance;
};

";

/// Words of the pattern language, which no field may have as its name.
const PATTERN_WORDS: [&str; 38] = [
    "addressof",
    "as",
    "auto",
    "be",
    "bitfield",
    "bool",
    "break",
    "catch",
    "char",
    "char16",
    "const",
    "continue",
    "double",
    "else",
    "enum",
    "false",
    "float",
    "fn",
    "for",
    "from",
    "if",
    "import",
    "in",
    "le",
    "match",
    "namespace",
    "null",
    "out",
    "padding",
    "parent",
    "ref",
    "reference",
    "return",
    "sizeof",
    "struct",
    "this",
    "true",
    "while",
];

fn pattern() -> String {
    let mut text = PATTERN_HEAD.to_owned();
    text += "enum Kind : u32 {\n";
    for kind in SectionKind::ALL {
        writeln!(text, "    {} = {},", kind.name().replace('-', "_"), kind as u32).unwrap();
    }
    text += "};\n\n";
    for record in records() {
        pattern_record(&mut text, record);
    }
    text += "struct Section {\n    SectionEntry entry;\n";
    for (index, kind) in SectionKind::ALL.into_iter().enumerate() {
        let root = kind.root();
        let start = if index == 0 { "    if" } else { "    else if" };
        writeln!(text, "{start} (entry.kind == {} && entry.version == 1)", kind as u32).unwrap();
        writeln!(text, "        {0} root @ entry.offset + entry.length - {1};", root.name, root.size)
            .unwrap();
    }
    text + "    else\n        u8 payload[entry.length] @ entry.offset;\n};\n\nHeader header @ 0x00;\nSection sections[header.sections] @ 0x40;\n"
}

fn pattern_record(text: &mut String, record: &Type) {
    writeln!(text, "// {}: {} bytes.\nstruct {} {{", comment(record), record.size, record.name).unwrap();
    for field in record.fields() {
        let (ty, lengths) = peel(field);
        let name = match (ty.name, ty.shape) {
            (_, Shape::Slice { element }) => format!("Slice<{}>", float(element.name)),
            (name, _) => float(name).to_owned(),
        };
        // Patterns have arrays of one dimension.
        let all: usize = lengths.iter().product();
        let length = if lengths.is_empty() { String::new() } else { format!("[{all}]") };
        let underscore = if PATTERN_WORDS.contains(&field.name) { "_" } else { "" };
        writeln!(text, "    {name} {}{underscore}{length}; // {}", field.name, field.offset).unwrap();
    }
    text.push_str("};\n\n");
}

fn float(name: &str) -> &str {
    match name {
        "f32" => "float",
        "f64" => "double",
        name => name,
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn check(name: &str, expected: &str) {
    if env::var("BVHC_BLESS").is_ok_and(|value| value == "1") {
        fs::write(path(name), expected).unwrap();
    }
    let found = fs::read_to_string(path(name)).unwrap().replace("\r\n", "\n");
    assert_eq!(found, expected, "run this test with BVHC_BLESS=1 and look at the difference");
}

#[test]
fn the_c_header_declares_the_records() {
    check("bvhc.h", &c_header());
}

#[test]
fn the_pattern_declares_the_records() {
    check("bvhc.hexpat", &pattern());
}

/// FORMAT.md's tables have each kind, and the size of its root.
#[test]
fn the_specification_names_the_sections() {
    let text = fs::read_to_string(path("FORMAT.md")).expect("it is there");
    for kind in SectionKind::ALL {
        let (number, name, size) = (kind as u32, kind.name(), kind.root().size);
        assert!(text.contains(&format!("\n| {number} | {name} | {size} | 8 |\n")), "the root of {name}");
        let listed = text.lines().filter(|line| line.starts_with(&format!("| {number} | {name} |"))).count();
        assert_eq!(listed, 2, "{name}: among the kinds and among the roots");
    }
}

/// The header's assertions hold, in C and in C++.
#[test]
fn compilers_accept_the_header() {
    for (compiler, arguments) in
        [("gcc", ["-std=c11", "-xc"]), ("g++", ["-std=c++17", "-xc++"]), ("clang", ["-std=c11", "-xc"])]
    {
        let mut command = Command::new(compiler);
        command.args(arguments).args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]);
        match command.arg(path("bvhc.h")).output() {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr);
                // Of a header as the main file, clang and gcc only remark on that.
                assert!(output.status.success(), "{compiler}: {text}");
            }
            Err(_) => eprintln!("skipped: there is no {compiler}"),
        }
    }
}

/// Rules are cited by their ids.
#[test]
fn ids_of_rules_are_unique() {
    let page = include_str!("../FORMAT.md");
    let ids = page.lines().filter_map(|line| line.strip_prefix("- **[")?.split_once(']'));
    let mut seen = BTreeSet::new();
    for (id, _) in ids {
        assert!(seen.insert(id), "{id} is the id of two rules");
    }
    assert!(seen.len() > 100, "{}", seen.len());
}
