//! Recognises common formats that bvhc does not read, by how their files begin.

/// How the files of a format begin, and its name.
const BEGINNINGS: [(&[u8], &str); 12] = [
    (b"ply\n", "PLY"),
    (b"ply\r", "PLY"),
    (b"solid ", "STL"),
    (b"Kaydara FBX Binary", "FBX"),
    (b"; FBX", "FBX"),
    (b"BLENDER", "Blender"),
    (b"PXR-USDC", "USD"),
    (b"#usda", "USD"),
    (b"DRACO", "Draco"),
    (b"OFF\n", "OFF"),
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
    beginning
        .map(|(_, format)| *format)
        .or_else(by_text)
        .or_else(|| is_binary_stl(bytes).then_some("binary STL"))
}

/// A binary STL file has 80 arbitrary bytes, the number of its triangles, and 50 bytes for each.
fn is_binary_stl(bytes: &[u8]) -> bool {
    let Some((_, [a, b, c, d, triangles @ ..])) = bytes.split_at_checked(80) else { return false };
    let count = u32::from_le_bytes([*a, *b, *c, *d]);
    count != 0 && triangles.len() as u64 == 50 * u64::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named() {
        assert_eq!(format_of(b"<?xml version=\"1.0\"?>"), Some("XML (as COLLADA is)"));
        let mut stl = vec![b' '; 84 + 2 * 50];
        stl[80..84].copy_from_slice(&2u32.to_le_bytes());
        assert_eq!(format_of(&stl), Some("binary STL"));
        stl.pop();
        assert_eq!(format_of(&stl), None);
    }

    #[test]
    fn obj_files_are_none_of_them() {
        for text in ["", "v 0 0 0\n", "# solid \n", "o solid \n", "g ply\n", "mtllib a.mtl\n", "solids"] {
            assert_eq!(format_of(text.as_bytes()), None, "{text}");
        }
    }
}
