//! Recognises common formats that bvhc does not read, by how their files begin.

/// How the files of a format begin, and its name.
const BEGINNINGS: [(&[u8], &str); 8] = [
    (b"Kaydara FBX Binary", "FBX"),
    (b"; FBX", "FBX"),
    (b"BLENDER", "Blender"),
    (b"PXR-USDC", "USD"),
    (b"#usda", "USD"),
    (b"DRACO", "Draco"),
    (b"PK\x03\x04", "zip (as 3MF and USDZ are)"),
    (b"\x1f\x8b", "gzip"),
];

/// The format that a file appears to have, if it is one of these.
pub(super) fn format_of(bytes: &[u8]) -> Option<&'static str> {
    let beginning = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
    let by_text = || {
        let text = bytes.trim_ascii_start();
        let is_xml = text.starts_with(b"<?xml") || text.starts_with(b"<COLLADA");
        is_xml.then_some("XML (as COLLADA is)")
    };
    beginning.map(|(_, format)| *format).or_else(by_text)
}

/// Whether a line of a text is one that begins a table of a world's manifest.
pub(super) fn is_of_manifest(line: &str) -> bool {
    ["[[mesh]]", "[[instance]]"].iter().any(|table| line.trim_start().starts_with(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named() {
        assert_eq!(format_of(b"<?xml version=\"1.0\"?>"), Some("XML (as COLLADA is)"));
    }

    #[test]
    fn obj_files_are_none_of_them() {
        for text in ["", "v 0 0 0\n", "# solid \n", "o solid \n", "g ply\n", "mtllib a.mtl\n", "solids"] {
            assert_eq!(format_of(text.as_bytes()), None, "{text}");
        }
    }
}
