//! `v` lines.

use crate::import::LineFault;
use crate::import::text::Words;
use bvhc_format::MAX_COORDINATE;

/// Rewrites a vertex's numbers as a line that tobj reads: x, y, z and, if exactly one number follows, the weight that
/// tobj divides them by. Colours are dropped, but must be numbers.
pub(super) fn rewrite(numbers: &[u8], line: &mut Vec<u8>) -> Result<(), LineFault> {
    let mut numbers = Words(numbers).take_while(|word| !word.starts_with(b"#"));
    line.push(b'v');
    for found in 0..3 {
        let word = numbers.next().ok_or(LineFault::Coordinates { found })?;
        if !is_plain(word) {
            coordinate(word)?;
        }
        line.push(b' ');
        line.extend_from_slice(word);
    }
    let (mut more, mut weight) = (0, &b""[..]);
    for word in numbers {
        number(word)?;
        (more, weight) = (more + 1, word);
    }
    if more == 1 {
        check_weight(&line[1..], weight)?;
        line.push(b' ');
        line.extend_from_slice(weight);
    }
    line.push(b'\n');
    Ok(())
}

/// Why tobj refused a line that [`rewrite`] wrote, if a number in it is the cause.
pub(super) fn blame(line: &[u8]) -> Option<LineFault> {
    Words(line).skip(1).find_map(|word| coordinate(word).err())
}

/// Whether a word is certainly either a number within limits or not a number at all, which tobj will refuse.
fn is_plain(word: &[u8]) -> bool {
    let mantissa = word.iter().position(|&byte| byte.eq_ignore_ascii_case(&b'e'));
    let (mantissa, exponent) = word.split_at(mantissa.unwrap_or(word.len()));
    let integer = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    // 18 digits stay below 2^60. Letters may spell an infinity, and a positive exponent may overflow to one.
    integer <= 18
        && mantissa.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+'))
        && (exponent.is_empty() || exponent[1..].starts_with(b"-"))
}

fn coordinate(word: &[u8]) -> Result<f32, LineFault> {
    in_range(number(word)?, word)
}

pub(super) fn number(word: &[u8]) -> Result<f32, LineFault> {
    let parsed = str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| LineFault::Number { found: lossy(word) })
}

fn in_range(value: f32, word: &[u8]) -> Result<f32, LineFault> {
    if !value.is_finite() {
        return Err(LineFault::NotFinite { found: lossy(word) });
    }
    if value.abs() > MAX_COORDINATE {
        return Err(LineFault::TooLarge { found: value });
    }
    Ok(value)
}

fn check_weight(coordinates: &[u8], weight: &[u8]) -> Result<(), LineFault> {
    let divisor = number(weight)?;
    if divisor == 0.0 {
        return Err(LineFault::ZeroWeight);
    }
    if !divisor.is_finite() {
        return Err(LineFault::NotFinite { found: lossy(weight) });
    }
    for word in Words(coordinates) {
        in_range(number(word)? / divisor, word)?;
    }
    Ok(())
}

/// A word for a message, not all of a long one.
pub(super) fn lossy(word: &[u8]) -> String {
    const MOST: usize = 100;
    let start = String::from_utf8_lossy(&word[..word.len().min(MOST)]);
    format!("{start}{}", if word.len() > MOST { "..." } else { "" })
}
