//! The tables of a manifest, and the text that they are in.
//!
//! A TOML parser takes about twenty times the memory of the text, so a long manifest is parsed in parts, each of which begins
//! with the header of a table. If all parts are right, the whole is right, with the same tables; otherwise it is parsed as a
//! whole, for the error.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// The bytes of a part.
const PART: usize = 1 << 20;

/// A manifest as it is written.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    #[serde(default, deserialize_with = "list")]
    pub(super) mesh: Vec<MeshTable>,
    #[serde(default, deserialize_with = "list")]
    pub(super) instance: Vec<InstanceTable>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeshTable {
    pub(super) name: Spanned<String>,
    /// Relative to the manifest, with slashes.
    pub(super) file: Spanned<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstanceTable {
    pub(super) name: Spanned<String>,
    pub(super) mesh: Spanned<String>,
    #[serde(default = "no_translation", deserialize_with = "exactly")]
    pub(super) position: Spanned<[f64; 3]>,
    /// x, y, z, w.
    #[serde(default = "no_rotation", deserialize_with = "exactly")]
    pub(super) rotation: Spanned<[f64; 4]>,
    #[serde(default = "one")]
    pub(super) scale: Spanned<f64>,
    #[serde(default)]
    pub(super) mirror: bool,
    #[serde(default = "first_layer")]
    pub(super) layers: u32,
    #[serde(default)]
    pub(super) user: u64,
    #[serde(default = "yes", rename = "static")]
    pub(super) is_static: bool,
    /// Whether scale and mirror are applied to a copy of the mesh, so that mesh against mesh works.
    #[serde(default)]
    pub(super) bake: bool,
}

/// Tables with the same header. One in single brackets is no list, and the error says what to write.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(List(PhantomData))
}

struct List<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tables with double brackets, as `[[mesh]]` and `[[instance]]`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut tables: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(table) = tables.next_element()? {
            all.push(table);
        }
        Ok(all)
    }
}

/// So many numbers: arrays would take more, and leave out the rest.
fn exactly<'de, D, const N: usize>(deserializer: D) -> Result<Spanned<[f64; N]>, D::Error>
where
    D: Deserializer<'de>,
{
    let numbers = Spanned::<Vec<f64>>::deserialize(deserializer)?;
    let span = numbers.span();
    let wrong =
        |numbers: Vec<f64>| D::Error::custom(format_args!("{} numbers, but expected {N}", numbers.len()));
    Ok(Spanned::new(span, numbers.into_inner().try_into().map_err(wrong)?))
}

/// A default, which is nowhere in the text.
fn unwritten<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn no_translation() -> Spanned<[f64; 3]> {
    unwritten([0.0; 3])
}

fn no_rotation() -> Spanned<[f64; 4]> {
    unwritten([0.0, 0.0, 0.0, 1.0])
}

fn one() -> Spanned<f64> {
    unwritten(1.0)
}

fn first_layer() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// Parses a manifest.
pub(super) fn parse(text: &str) -> Result<Manifest, toml::de::Error> {
    let in_parts = if text.len() > PART { in_parts(text, PART) } else { None };
    in_parts.map_or_else(|| toml::from_str(text), Ok)
}

/// Parses a manifest in parts of a length; `None` if one is wrong, as it is where it begins within a text of several lines.
fn in_parts(text: &str, length: usize) -> Option<Manifest> {
    // What is before the first header could contradict what is in other parts.
    let mut lines = text.lines().map(str::trim_start);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).filter(|line| line.starts_with("[["))?;
    let (mut all, mut start) = (Manifest::default(), 0);
    while start < text.len() {
        let from = text.len().min(start + length);
        let header = text.as_bytes()[from..].windows(3).position(|bytes| bytes == b"\n[[");
        let end = header.map_or(text.len(), |at| from + at + 1);
        let mut part: Manifest = toml::from_str(&text[start..end]).ok()?;
        part.shift(start);
        all.mesh.append(&mut part.mesh);
        all.instance.append(&mut part.instance);
        start = end;
    }
    Some(all)
}

impl Manifest {
    /// Adds an offset to all places in the text.
    fn shift(&mut self, by: usize) {
        for MeshTable { name, file } in &mut self.mesh {
            shift(name, by);
            shift(file, by);
        }
        for table in &mut self.instance {
            shift(&mut table.name, by);
            shift(&mut table.mesh, by);
            shift(&mut table.position, by);
            shift(&mut table.rotation, by);
            shift(&mut table.scale, by);
        }
    }
}

/// Adds an offset to the place of what is in the text.
fn shift<T: Default>(value: &mut Spanned<T>, by: usize) {
    let span = value.span();
    if !span.is_empty() {
        *value = Spanned::new(span.start + by..span.end + by, std::mem::take(value.get_mut()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments, strings and arrays of several lines, and a text that looks like a header.
    const TEXT: &str = r#"# é [[mesh]]
[[mesh]]
name = "a"
file = "a.obj"

  [[mesh]] # b
name = '''b
[[mesh]]'''
file = 'b'
[[instance]]
name = "i"
mesh = "a"
position = [
1.0,
2.0, 3.0]
rotation = [0, 0, 1, 0]
[[instance]]
name = "\u00e9"
mesh = "b"
scale = 2
[[mesh]]
name = "c"
file = "#;

    #[test]
    fn parts_are_the_whole() {
        let text = &format!("{TEXT}\"\"");
        let whole: Manifest = toml::from_str(text).expect("it is right");
        assert_eq!((whole.mesh.len(), whole.instance.len()), (3, 2));
        let places = |manifest: &Manifest| {
            let of = |it: &InstanceTable| {
                let numbers = [it.position.span(), it.rotation.span(), it.scale.span()];
                (it.name.span(), it.mesh.span(), numbers)
            };
            manifest.instance.iter().map(of).collect::<Vec<_>>()
        };
        let mut right = 0;
        for length in 1..=text.len() {
            let Some(found) = in_parts(text, length) else { continue };
            right += 1;
            assert!(found == whole && places(&found) == places(&whole), "{length}");
        }
        // Not where a part would begin in the text that looks like a header.
        assert!(right > text.len() / 2 && right < text.len(), "{right}");
    }

    #[test]
    fn arrays_have_their_length() {
        let instance = |more: &str| parse(&format!("[[instance]]\nname = 'a'\nmesh = 'b'\n{more}"));
        assert_eq!(
            instance("position = [1, 2.5, 3]").unwrap().instance[0].position.get_ref(),
            &[1.0, 2.5, 3.0]
        );
        for (array, expected) in
            [("position = [1, 2, 3, 4]", 3), ("rotation = [0, 0, 1]", 4), ("position = []", 3)]
        {
            let error = instance(array).unwrap_err().to_string();
            assert!(error.contains(&format!("expected {expected}")), "{error}");
        }
    }

    #[test]
    fn single_brackets_are_told_from_double_ones() {
        let mesh = "[mesh]\nname = 'a'\nfile = 'b'\n";
        for text in [mesh, &format!("[{}", mesh.replace(']', "]]\n[instance]\nmesh = 'a'")), "instance = 1"] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains("expected tables with double brackets, as `[[mesh]]`"), "{error}");
        }
    }

    #[test]
    fn what_contradicts_other_parts_is_not_parsed_in_parts() {
        let mesh = "[[mesh]]\nname = ''\nfile = ''";
        for text in [format!("mesh = []\n{mesh}"), format!("x = 1\n{mesh}"), String::new()] {
            assert!(in_parts(&text, 1).is_none(), "{text}");
        }
        assert!(in_parts(&format!("{mesh}\n{mesh}"), 1).is_some());
        assert!(in_parts(&format!("{mesh}\n[[mesh]]\nname = 1"), 1).is_none());
    }
}
