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

/// A path as Make reads it: blanks and `#` behind a backslash, `$` doubled, as GCC writes them; backslashes double only
/// before a blank or `#`.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut backslashes = 0;
    for letter in path.chars() {
        match letter {
            ' ' | '\t' | '#' => {
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
    }
}
