//! Dependencies as rules of Make, which Ninja reads, too.

use std::path::{Path, PathBuf};

use super::error::UsageError;

/// A compiled file, and all files that were read for it.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) target: PathBuf,
    pub(super) inputs: Vec<PathBuf>,
}

impl Rule {
    /// The rule as text.
    ///
    /// # Errors
    /// If a path has a line break: neither Make nor Ninja has a way to write one.
    pub(super) fn text(&self) -> Result<Vec<u8>, UsageError> {
        let mut text = escaped(&self.target)?;
        text.push(b':');
        for input in &self.inputs {
            text.extend_from_slice(b" \\\n  ");
            text.append(&mut escaped(input)?);
        }
        text.push(b'\n');
        Ok(text)
    }
}

/// A path as Make reads it: blanks, `#` and colons behind a backslash, `$` doubled, as GCC and Clang write them; backslashes
/// double only before these. The colon of a drive stays as it is. (Neither Make nor Ninja has a way to write all paths: `=`, `%`
/// and `;` stay, too.)
fn escaped(path: &Path) -> Result<Vec<u8>, UsageError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    let mut backslashes = 0;
    let drive = match bytes {
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => 1,
        _ => usize::MAX,
    };
    for (at, letter) in bytes.iter().enumerate() {
        match letter {
            b'\n' | b'\r' => return Err(UsageError::DepfileName { file: path.display().to_string() }),
            b' ' | b'\t' | b'#' | b':' if at != drive => {
                text.extend(std::iter::repeat_n(b'\\', backslashes + 1));
            }
            b'$' => text.push(b'$'),
            _ => {}
        }
        backslashes = if *letter == b'\\' { backslashes + 1 } else { 0 };
        text.push(*letter);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(path: &str) -> String {
        String::from_utf8(super::escaped(Path::new(path)).unwrap()).unwrap()
    }

    #[test]
    fn paths_read_back_in_make() {
        let rule = Rule { target: "out/a.bvh".into(), inputs: vec!["a.gltf".into(), "a.bin".into()] };
        assert_eq!(rule.text().unwrap(), b"out/a.bvh: \\\n  a.gltf \\\n  a.bin\n");
        assert_eq!(escaped("my file#1 $x.obj"), "my\\ file\\#1\\ $$x.obj");
        assert_eq!(escaped("a\\b\\ c"), "a\\b\\\\\\ c");
        assert_eq!(escaped("a:b.obj"), "a\\:b.obj");
        assert_eq!(escaped("C:/a b.obj"), "C:/a\\ b.obj");
    }

    #[test]
    fn line_breaks_are_refused() {
        let rule = Rule { target: "a.bvh".into(), inputs: vec!["a\n.obj".into()] };
        assert!(matches!(rule.text(), Err(UsageError::DepfileName { file }) if file == "a\n.obj"));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_stay_as_they_are() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a\xff .obj"));
        assert_eq!(super::escaped(path).unwrap(), b"a\xff\\ .obj");
    }
}
