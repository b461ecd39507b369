//! Dependencies as rules of Make, which Ninja reads, too.

/// A rule: `target` depends on `inputs`.
pub(super) fn rule(target: &str, inputs: &[String]) -> String {
    let mut text = format!("{}:", escaped(target));
    for input in inputs {
        text += " \\\n  ";
        text += &escaped(input);
    }
    text.push('\n');
    text
}

/// A path as Make reads it: blanks, `#` and colons behind a backslash, `$` doubled, as GCC and Clang write them; backslashes
/// double only before these. The colon of a drive stays as it is. (Neither Make nor Ninja has a way to write all paths: `=`, `%`
/// and `;` stay, too.)
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut backslashes = 0;
    let drive = match path.as_bytes() {
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => 1,
        _ => usize::MAX,
    };
    for (at, letter) in path.char_indices() {
        match letter {
            ' ' | '\t' | '#' | ':' if at != drive => {
                text.extend(std::iter::repeat_n('\\', backslashes + 1));
            }
            '$' => text.push('$'),
            _ => {}
        }
        backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_back_in_make() {
        assert_eq!(
            rule("out/a.bvh", &["a.gltf".into(), "a.bin".into()]),
            "out/a.bvh: \\\n  a.gltf \\\n  a.bin\n"
        );
        assert_eq!(escaped("my file#1 $x.obj"), "my\\ file\\#1\\ $$x.obj");
        assert_eq!(escaped("a\\b\\ c"), "a\\b\\\\\\ c");
        assert_eq!(escaped("a:b.obj"), "a\\:b.obj");
        assert_eq!(escaped("C:/a b.obj"), "C:/a\\ b.obj");
    }
}
