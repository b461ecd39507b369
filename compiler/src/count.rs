//! Numbers of things in messages.

/// A number with a comma between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index != 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with a noun, in the plural unless the number is 1.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let plural = match (number, thing) {
        (1, _) => thing.to_owned(),
        (_, "vertex") => "vertices".to_owned(),
        (_, "leaf") => "leaves".to_owned(),
        (_, "mesh") => "meshes".to_owned(),
        _ => format!("{thing}s"),
    };
    format!("{} {plural}", grouped(number))
}

/// A number with a name that is in the plural, such as `nodes outside the scene`: in the singular if the number is 1.
pub(crate) fn counted_plural(number: u64, things: &str) -> String {
    if number != 1 {
        return format!("{} {things}", grouped(number));
    }
    let mut words: Vec<&str> = things.split(' ').collect();
    if let Some(noun) = words.iter_mut().find(|word| word.ends_with('s')) {
        *noun = if *noun == "vertices" { "vertex" } else { &noun[..noun.len() - 1] };
    }
    format!("1 {}", words.join(" "))
}

/// That there are so many of something.
pub(crate) fn there_are(number: u64, thing: &str) -> String {
    format!("there {} {}", if number == 1 { "is" } else { "are" }, counted(number, thing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn plurals_follow_the_number() {
        assert_eq!(counted(1, "vertex"), "1 vertex");
        assert_eq!(counted(2, "vertex"), "2 vertices");
        assert_eq!(counted(0, "face"), "0 faces");
        assert_eq!(there_are(1, "mesh"), "there is 1 mesh");
        assert_eq!(there_are(2000, "mesh"), "there are 2,000 meshes");
        assert_eq!(counted_plural(1, "other scenes"), "1 other scene");
        assert_eq!(counted_plural(1, "nodes outside the scene"), "1 node outside the scene");
        assert_eq!(counted_plural(1, "vertices of incomplete triangles"), "1 vertex of incomplete triangles");
        assert_eq!(counted_plural(2000, "cameras"), "2,000 cameras");
    }
}
