//! Importers: they turn the bytes of a model file into [`Polygons`], and know nothing about trees.
//!
//! Each format is one source file and one entry of `IMPORTERS`.

#[cfg(test)]
mod agreement;
mod attributes;
mod builder;
mod error;
mod files;
mod foreign;
mod gltf;
mod imported;
mod limits;
mod mesh;
mod obj;
mod off;
mod ply;
mod stl;
mod text;

pub use error::{Counted, DataFault, ImportError, LineFault};
pub(crate) use files::reason;
pub use files::{Files, Folder, NoFiles, ReadSeek};
pub(crate) use gltf::is_it as is_gltf;
pub(crate) use gltf::{NodeOfScene, SceneOfMeshes, read_scene as gltf_scene};
pub use imported::{Imported, Input, Notes, OtherInput};
pub(crate) use limits::most_made;
pub use mesh::read as mesh;
pub use obj::{by_tobj as obj_by_tobj, common as common_obj};

use limits::{FORMATS, MAX_CORNERS, MAX_COUNT, TEXT_PROBE};
use text::without_mark;

use crate::mesh::Polygons;
use bvhc_format::header::MAGIC;

/// A format.
struct Importer {
    /// Whether bytes that begin so are a file of this format.
    is_it: fn(&[u8]) -> bool,
    read: fn(&Input<'_>) -> Result<Imported, ImportError>,
    /// Whether its files may refer to others.
    may_refer: bool,
}

/// All formats but OBJ, which has no signature.
const IMPORTERS: &[Importer] = &[
    // First: a binary STL file is one by its length, whatever it begins with.
    Importer { is_it: stl::is_complete, read: stl::read, may_refer: false },
    Importer { is_it: gltf::is_it, read: gltf::read, may_refer: true },
    Importer { is_it: ply::is_it, read: ply::read, may_refer: false },
    Importer { is_it: off::is_it, read: off::read, may_refer: false },
    // Last: other binary STL files have no signature, others are told from them by theirs.
    Importer { is_it: stl::is_it, read: stl::read, may_refer: false },
];

/// Reads a model in any format that bvhc knows.
///
/// All indices of the result are valid, all coordinates finite and at most
/// [`MAX_COORDINATE`](bvhc_format::MAX_COORDINATE) in magnitude, and at least one face has three corners.
pub fn read_all(input: &Input<'_>) -> Result<Imported, ImportError> {
    match recognise(input.bytes, input.name)? {
        Some(importer) => (importer.read)(input),
        None => obj::read(input),
    }
}

/// Whether a file may refer to others. Files of no format that bvhc knows are refused.
pub(crate) fn may_refer(bytes: &[u8], name: &str) -> Result<bool, ImportError> {
    Ok(recognise(bytes, name)?.is_some_and(|importer| importer.may_refer))
}

/// The format of a file, or `None` if it may be OBJ.
fn recognise(bytes: &[u8], name: &str) -> Result<Option<&'static Importer>, ImportError> {
    let found = IMPORTERS.iter().find(|importer| (importer.is_it)(bytes));
    if found.is_none() {
        check_start(bytes, name)?;
        if let Some((line, text)) = obj::first_strange_line(without_mark(bytes)) {
            let file = name.to_owned();
            return Err(match foreign::is_of_manifest(&text) {
                true => ImportError::Manifest { file },
                false => ImportError::NotObj { file, line, text },
            });
        }
    }
    Ok(found)
}

/// What a file is that should be a manifest of a world, if it is a model or a compiled file.
pub(crate) fn instead_of_manifest(bytes: &[u8]) -> Option<&'static str> {
    match recognise(bytes, "") {
        Ok(_) => Some("a model"),
        Err(ImportError::Compiled { .. }) => Some("a compiled file"),
        Err(_) => None,
    }
}

/// Like [`read_all`], for a model that refers to no other file. `name` is the file's name in messages.
pub fn read(bytes: &[u8], name: &str) -> Result<Polygons, ImportError> {
    Ok(read_all(&Input::new(bytes, name))?.polygons)
}

/// Whether bytes that begin so are certainly refused.
#[cfg(feature = "cli")]
pub(crate) fn is_foreign(start: &[u8]) -> bool {
    !IMPORTERS.iter().any(|importer| (importer.is_it)(start)) && check_start(start, "").is_err()
}

/// Refuses what is not a text that may be an OBJ file.
fn check_start(bytes: &[u8], name: &str) -> Result<(), ImportError> {
    let file = || name.to_owned();
    if bytes.starts_with(&MAGIC) {
        return Err(ImportError::Compiled { file: file() });
    }
    let text = without_mark(bytes);
    if is_motion_capture(text) {
        return Err(ImportError::MotionCapture { file: file() });
    }
    if let Some(format) = foreign::format_of(bytes) {
        return Err(ImportError::OtherFormat { file: file(), format });
    }
    let probe = &text[..text.len().min(TEXT_PROBE)];
    if let Some(offset) = probe.iter().position(|&byte| byte == 0) {
        return Err(ImportError::NotText { file: file(), offset: offset + bytes.len() - text.len() });
    }
    Ok(())
}

/// Whether this is a Biovision Hierarchy file, which shares our file extension.
fn is_motion_capture(text: &[u8]) -> bool {
    let rest = text.trim_ascii_start().strip_prefix(b"HIERARCHY");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> ImportError {
        read(bytes, "a.obj").unwrap_err()
    }

    #[test]
    fn motion_capture_is_recognised() {
        for text in ["HIERARCHY\nROOT Hips\n{\n", "\u{FEFF}\r\n HIERARCHY\r\n", "HIERARCHY"] {
            let error = refusal(text.as_bytes());
            assert!(matches!(error, ImportError::MotionCapture { .. }), "{error:?}");
            assert!(error.to_string().contains("motion-capture"));
        }
        assert!(matches!(refusal(b"HIERARCHYX\n"), ImportError::NotObj { line: 1, .. }));
    }

    #[test]
    fn a_compiled_file_is_recognised() {
        let error = refusal(&[&MAGIC[..], &[0; 64]].concat());
        assert!(matches!(error, ImportError::Compiled { .. }), "{error:?}");
    }

    #[test]
    fn a_manifest_is_recognised() {
        for text in ["# A level.\n\n[[mesh]]\nname = \"cube\"\n", "\u{FEFF} [[instance]] # one\r\n"] {
            assert_eq!(refusal(text.as_bytes()), ImportError::Manifest { file: "a.obj".into() });
        }
        assert!(matches!(refusal(b"[[meshes]]\n"), ImportError::NotObj { line: 1, .. }));
    }

    #[test]
    fn binary_data_is_refused_with_the_offset() {
        let error = refusal(b"v 0 0\0");
        assert_eq!(error, ImportError::NotText { file: "a.obj".into(), offset: 5 });
        let utf16 = refusal(b"\xEF\xBB\xBFv\0 \0");
        assert!(matches!(utf16, ImportError::NotText { offset: 4, .. }), "{utf16:?}");
    }

    #[test]
    fn texts_without_a_line_of_obj_are_refused_with_their_first_line() {
        let pointer = "# a comment\n\nversion https://git-lfs.github.com/spec/v1\nsize 12\n";
        let error = refusal(pointer.as_bytes());
        let text = "version https://git-lfs.github.com/spec/v1".to_owned();
        assert_eq!(error, ImportError::NotObj { file: "a.obj".into(), line: 3, text });
        for empty in ["", "# a comment\n", "v 0 0 0\nwhat is this\n", "what is this\nusemtl a\n"] {
            assert!(matches!(refusal(empty.as_bytes()), ImportError::NoTriangle { .. }), "{empty}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let text = "\u{FEFF}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
        assert_eq!(read(text.as_bytes(), "a.obj").unwrap().corners, [0, 1, 2]);
    }
}
