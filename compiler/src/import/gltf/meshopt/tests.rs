use super::*;
use known::{ATTRIBUTES, FILTERED, INDICES, TRIANGLES};

/// How many elements each of [`FILTERED`] has.
const FILTERED_COUNT: usize = 17;

#[derive(Clone, Copy, Debug)]
pub(super) enum Data {
    Shorts,
    Floats,
    Sparse,
    Noise,
    Mantissas,
}

impl Data {
    fn bytes(self, count: usize, stride: usize) -> Vec<u8> {
        let shorts =
            |element: usize| (0..stride / 2).map(move |lane| (1000 * lane + element * (lane + 1) / 4) as u16);
        let floats =
            |element: usize| (0..stride / 4).map(move |lane| (element / 8) as f32 * 0.375 - lane as f32);
        let sparse = |byte: usize| match byte % stride {
            5 => (byte / stride * 7) as u8,
            lane => lane as u8,
        };
        let mantissas = random_numbers().map(|number| 1.0 + (number >> 20) as f32 / 4096.0);
        let length = count * stride;
        match self {
            Self::Shorts => (0..count).flat_map(shorts).flat_map(u16::to_le_bytes).collect(),
            Self::Floats => (0..count).flat_map(floats).flat_map(f32::to_le_bytes).collect(),
            Self::Sparse => (0..length).map(sparse).collect(),
            Self::Noise => random_numbers().map(|number| (number >> 16) as u8).take(length).collect(),
            Self::Mantissas => mantissas.flat_map(f32::to_le_bytes).take(length).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Triangles {
    Rows,
    Twice,
    Fan,
    Spread,
    Strips,
    Near,
    Far,
}

impl Triangles {
    fn corners(self) -> Vec<u32> {
        match self {
            Self::Rows => grid(7, 7),
            Self::Twice => [grid(6, 2), grid(6, 2)].concat(),
            Self::Fan => (1..40).flat_map(|corner| [0, corner, corner + 1]).collect(),
            Self::Spread => grid(5, 5).iter().map(|corner| corner * 3 + corner % 2 * 100).collect(),
            Self::Strips => strip(500, u32::MAX).chain(strip(900, 1)).collect(),
            Self::Near => random_numbers().map(|number| number % 40).take(90).collect(),
            Self::Far => random_numbers().map(|number| number >> 1).take(30).collect(),
        }
    }
}

/// The same numbers on every machine.
fn random_numbers() -> impl Iterator<Item = u32> {
    let mut state = 0x2545_f491u32;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
}

/// Squares in bands, their vertices in order of first use.
fn grid(size: u32, band: u32) -> Vec<u32> {
    let mut numbers = std::collections::HashMap::new();
    let mut corners = Vec::new();
    for start in (0..size).step_by(band as usize) {
        for y in 0..size {
            for x in start..(start + band).min(size) {
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 0), (1, 1), (0, 1)] {
                    let new = numbers.len() as u32;
                    corners.push(*numbers.entry((x + dx, y + dy)).or_insert(new));
                }
            }
        }
    }
    corners
}

/// A strip whose vertices differ by `step`.
fn strip(start: u32, step: u32) -> impl Iterator<Item = u32> {
    (0..9).flat_map(move |first| {
        let [a, b, c] = [0, 1, 2].map(|next| start.wrapping_add(step.wrapping_mul(first + next)));
        if first % 2 == 0 { [a, b, c] } else { [b, a, c] }
    })
}

/// Each triangle from its least corner on: encoders choose the first one.
fn from_least_corner(corners: &[u32]) -> Vec<[u32; 3]> {
    let least = |&[a, b, c]: &[u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
    corners.as_chunks().0.iter().map(least).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.as_chunks().0.iter().map(|[high, low]| high << 4 | low).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn shorts(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks().0.iter().map(|&short| u16::from_le_bytes(short)).collect()
}

/// All that is known: code, count, stride, mode and filter.
fn known() -> Vec<(Vec<u8>, usize, usize, Mode, Filter)> {
    let attributes = ATTRIBUTES
        .iter()
        .map(|&(_, count, stride, code)| (unhex(code), count, stride, Mode::Attributes, Filter::None));
    let triangles = TRIANGLES
        .iter()
        .map(|&(triangles, code)| (unhex(code), triangles.corners().len(), 4, Mode::Triangles, Filter::None));
    let indices = INDICES
        .iter()
        .map(|&(triangles, code)| (unhex(code), triangles.corners().len(), 4, Mode::Indices, Filter::None));
    let filtered = FILTERED
        .iter()
        .map(|&(filter, stride, code, _)| (unhex(code), FILTERED_COUNT, stride, Mode::Attributes, filter));
    attributes.chain(triangles).chain(indices).chain(filtered).collect()
}

fn attributes(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    decode(bytes, count, stride, Mode::Attributes, Filter::None)
}

#[test]
fn attributes_are_what_was_encoded() {
    for &(data, count, stride, code) in ATTRIBUTES {
        let decoded = attributes(&unhex(code), count, stride);
        assert!(decoded == Ok(data.bytes(count, stride)), "{data:?}, {count} of {stride}");
    }
}

#[test]
fn triangles_are_what_was_encoded() {
    for &(triangles, code) in TRIANGLES {
        let corners = triangles.corners();
        let decode = |stride| decode(&unhex(code), corners.len(), stride, Mode::Triangles, Filter::None);
        let wide = words(&decode(4).unwrap());
        assert_eq!(from_least_corner(&wide), from_least_corner(&corners), "{triangles:?}");
        assert!(shorts(&decode(2).unwrap()).into_iter().eq(wide.iter().map(|&corner| corner as u16)));
    }
}

#[test]
fn indices_are_what_was_encoded() {
    for &(triangles, code) in INDICES {
        let corners = triangles.corners();
        let decode = |stride| decode(&unhex(code), corners.len(), stride, Mode::Indices, Filter::None);
        assert_eq!(words(&decode(4).unwrap()), corners, "{triangles:?}");
        assert!(shorts(&decode(2).unwrap()).into_iter().eq(corners.iter().map(|&corner| corner as u16)));
    }
}

#[test]
fn filters_differ_by_at_most_one_step() {
    for &(filter, stride, code, expected) in FILTERED {
        let decoded = decode(&unhex(code), FILTERED_COUNT, stride, Mode::Attributes, filter).unwrap();
        let expected = unhex(expected);
        let is_near = match (filter, stride) {
            (Filter::Exponential, _) => decoded == expected,
            (_, 4) => {
                let mut pairs = decoded.iter().zip(&expected);
                pairs.all(|(a, b)| a.cast_signed().abs_diff(b.cast_signed()) <= 1)
            }
            _ => {
                let mut pairs = shorts(&decoded).into_iter().zip(shorts(&expected));
                pairs.all(|(a, b)| a.cast_signed().abs_diff(b.cast_signed()) <= 1)
            }
        };
        assert!(is_near, "{filter:?} of {stride}: {decoded:?} for {expected:?}");
    }
}

#[test]
fn deltas_are_those_of_the_example_in_the_specification() {
    let mut code = vec![0xa0, 2, 0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0, 0x34, 0xb5, 0, 0, 0];
    code.resize(code.len() + 32, 0);
    let decoded = attributes(&code, 16, 4).unwrap();
    let mut value = 0i8;
    for (element, delta) in decoded.chunks(4).zip([-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0])
    {
        value = value.wrapping_add(delta);
        assert_eq!(element, [value.cast_unsigned(), 0, 0, 0]);
    }
}

#[test]
fn exponents_and_mantissas_are_numbers() {
    for (exponent, mantissa, number) in [
        (0i8, 0i32, 0.0f32),
        (0, 1, 1.0),
        (-1, -3, -1.5),
        (100, 0x7f_ffff, 8_388_607.0 * 2f32.powi(100)),
        (-100, -0x80_0000, -(2f32.powi(-77))),
        // Beyond what encoders write.
        (-128, 1, 2f32.powi(-128)),
        (-128, -0x80_0000, -(2f32.powi(-105))),
        (127, 1, 2f32.powi(127)),
        (127, 2, f32::INFINITY),
    ] {
        let mut element = (i32::from(exponent) << 24 | mantissa & 0xff_ffff).to_le_bytes();
        Filter::Exponential.apply(&mut element, 4);
        assert_eq!(f32::from_le_bytes(element), number, "{mantissa} * 2^{exponent}");
    }
}

#[test]
fn axes_stay_axes() {
    for (x, y, z) in [(127, 0, 0), (0, 127, 0), (0, 0, 127), (-127, 0, 0), (0, -127, 0)] {
        let mut element = [x, y, 127, 5].map(i8::cast_unsigned);
        Filter::Octahedral.apply(&mut element, 4);
        assert_eq!(element.map(u8::cast_signed), [x, y, z, 5]);
    }
    for greatest in 0..4u8 {
        let mut element = [0, 0, 0, 0, 0, 0, 0xfc | greatest, 0x7f];
        Filter::Quaternion.apply(&mut element, 8);
        let mut expected = [0; 4];
        expected[usize::from(greatest)] = 32767;
        assert_eq!(shorts(&element), expected);
    }
}

#[test]
fn filters_accept_any_bytes() {
    let extremes = [0u8, 1, 3, 0x7f, 0x80, 0xfc, 0xff];
    let bytes: Vec<u8> = (0..8 * 7usize.pow(4))
        .map(|place| {
            let number = place / 8;
            // Four independent halves of equal bytes.
            extremes[number / 7usize.pow((place % 8 / 2) as u32) % 7]
        })
        .collect();
    for (filter, stride) in
        [(Filter::Octahedral, 4), (Filter::Octahedral, 8), (Filter::Quaternion, 8), (Filter::Exponential, 4)]
    {
        filter.apply(&mut bytes.clone(), stride);
    }
}

#[test]
fn a_byte_less_or_more_is_an_error() {
    for (code, count, stride, mode, filter) in known() {
        for length in 0..code.len() {
            let decoded = decode(&code[..length], count, stride, mode, filter);
            assert!(decoded.is_err(), "{length} of {} bytes: {mode:?}, {count} of {stride}", code.len());
        }
        let longer = [&code[..], &[0]].concat();
        assert!(decode(&longer, count, stride, mode, filter).is_err());
        if mode != Mode::Attributes {
            assert!(decode(&code, count - 3, stride, mode, filter).is_err());
        }
    }
}

#[test]
fn no_changed_byte_panics() {
    for (mut code, count, stride, mode, filter) in known() {
        let changes = if code.len() < 100 { 1..=255 } else { 254..=255 };
        for place in 0..code.len() {
            for change in changes.clone().chain([1, 2, 4, 8, 16, 32, 64, 128]) {
                code[place] ^= change;
                if let Ok(decoded) = decode(&code, count, stride, mode, filter) {
                    assert_eq!(decoded.len(), count * stride);
                }
                code[place] ^= change;
            }
        }
    }
}

#[test]
fn counts_that_the_bytes_cannot_hold_are_refused() {
    for count in [1 << 20, usize::MAX / 1024, usize::MAX] {
        let count = count / 3 * 3;
        let ends = Err(MeshoptError::Ends { count });
        for header in [0xa0, 0xa1] {
            let mut code = vec![0; 1000];
            code[0] = header;
            assert_eq!(attributes(&code, count, 4), ends);
            assert_eq!(attributes(&code, count, 256), ends);
        }
        for stride in [2, 4] {
            assert_eq!(decode(&[0xe1; 1000], count, stride, Mode::Triangles, Filter::None), ends);
            assert_eq!(decode(&[0xd1; 1000], count, stride, Mode::Indices, Filter::None), ends);
        }
    }
}

#[test]
fn no_element_needs_no_more_than_head_and_tail() {
    let code = |header, length| {
        let mut code = vec![0; length];
        code[0] = header;
        code
    };
    for (header, length, stride, mode) in [
        (0xa0, 33, 4, Mode::Attributes),
        (0xa1, 25, 4, Mode::Attributes),
        (0xa0, 41, 40, Mode::Attributes),
        (0xa1, 51, 40, Mode::Attributes),
        (0xe1, 17, 2, Mode::Triangles),
        (0xd1, 5, 4, Mode::Indices),
    ] {
        assert_eq!(decode(&code(header, length), 0, stride, mode, Filter::None), Ok(Vec::new()));
        let rest = MeshoptError::Rest { bytes: 1, count: 0 };
        assert_eq!(decode(&code(header, length + 1), 0, stride, mode, Filter::None), Err(rest));
        assert_eq!(
            decode(&code(header, length - 1), 0, stride, mode, Filter::None),
            Err(MeshoptError::Ends { count: 0 })
        );
    }
}

#[test]
fn layouts_that_the_specification_forbids_are_refused() {
    for (count, stride, mode, filter, message) in [
        (
            1,
            0,
            Mode::Attributes,
            Filter::None,
            "compressed attributes have 0 bytes each, and not a multiple of 4 up to 256",
        ),
        (
            1,
            6,
            Mode::Attributes,
            Filter::None,
            "compressed attributes have 6 bytes each, and not a multiple of 4 up to 256",
        ),
        (
            1,
            260,
            Mode::Attributes,
            Filter::Exponential,
            "compressed attributes have 260 bytes each, and not a multiple of 4 up to 256",
        ),
        (
            1,
            12,
            Mode::Attributes,
            Filter::Octahedral,
            "the filter OCTAHEDRAL is used on 12 bytes, and not on 4 or 8",
        ),
        (
            1,
            4,
            Mode::Attributes,
            Filter::Quaternion,
            "the filter QUATERNION is used on 4 bytes, and not on 8",
        ),
        (3, 1, Mode::Triangles, Filter::None, "compressed indices have 1 bytes each, and not 2 or 4"),
        (3, 8, Mode::Indices, Filter::None, "compressed indices have 8 bytes each, and not 2 or 4"),
        (3, 4, Mode::Indices, Filter::Exponential, "a filter is used on compressed indices"),
        (
            4,
            4,
            Mode::Triangles,
            Filter::None,
            "compressed triangles have 4 corners, which is not a multiple of 3",
        ),
    ] {
        let error = decode(&[0; 100], count, stride, mode, filter).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn codes_without_meaning_are_refused() {
    let error = |code: &[u8], count, stride, mode| {
        decode(code, count, stride, mode, Filter::None).unwrap_err().to_string()
    };
    for (mode, wanted) in [
        (Mode::Attributes, "0xa0 or 0xa1"),
        (Mode::Triangles, "0xe1 or 0xe0"),
        (Mode::Indices, "0xd1 or 0xd0"),
    ] {
        for header in [0x00u8, 0xa2, 0xe2, 0xd2, 0xff] {
            let mut code = [0; 100];
            code[0] = header;
            let expected =
                format!("the compressed data starts with the byte {header:#04x}, where {wanted} should be");
            assert_eq!(error(&code, 3, 4, mode), expected);
        }
    }
    let table = [0; 16];
    let triangle = |codes: &[u8]| [&[0xe1], codes, &table].concat();
    let before = "a compressed triangle refers to a vertex or an edge before the first";
    assert_eq!(error(&triangle(&[0x00]), 3, 4, Mode::Triangles), before);
    // An edge, but too few vertices.
    assert_eq!(error(&triangle(&[0xf0, 0x05]), 6, 4, Mode::Triangles), before);
    assert_eq!(error(&triangle(&[0xfe, 0x10]), 3, 4, Mode::Triangles), before);
    let mut code = triangle(&[0xf0]);
    code[2] = 0x0f;
    assert_eq!(error(&code, 3, 4, Mode::Triangles), "the table of the compressed triangles has a 15");
    let long = [0xd1, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0, 0, 0, 0];
    assert_eq!(error(&long, 1, 4, Mode::Indices), "a number of the compressed data has more than five bytes");
    for mode in [3, 0x10, 0x11, 0x13, 0xff] {
        let mut code = [0; 26];
        (code[0], code[1], code[25]) = (0xa1, 0xaa, mode);
        let expected = "a channel of the compressed attributes has an unknown mode";
        assert_eq!(error(&code, 1, 4, Mode::Attributes), expected);
        code[25] = 2;
        assert_eq!(attributes(&code, 1, 4), Ok(vec![0; 4]));
    }
}

#[test]
fn numbers_have_up_to_five_bytes() {
    let decode = |code: &[u8], count| {
        let code = [&[0xd1], code, &[0; 4]].concat();
        words(&decode(&code, count, 4, Mode::Indices, Filter::None).unwrap())
    };
    // Two kinds of indices, in the lowest bit.
    assert_eq!(decode(&[4, 5, 4, 7, 2, 0], 6), [1, 1, 2, u32::MAX, 1, 1]);
    assert_eq!(decode(&[0x84, 0x01], 1), [33]);
    assert_eq!(decode(&[0xfc, 0xff, 0xff, 0xff, 0x0f], 1), [0x3fff_ffff]);
}
