//! Buffer views that `EXT_meshopt_compression` compresses: attributes (versions 0 and 1), triangles (versions 0 and 1)
//! and sequences of indices (versions 0 and 1, which are the same), and the filters behind attributes.
//!
//! Memory is bounded by the input: a byte of it stands for at most 1024 of output, and a count that needs more is
//! refused first.

use thiserror::Error;

#[cfg(test)]
mod known;
#[cfg(test)]
mod tests;

/// Why compressed bytes cannot be decoded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum MeshoptError {
    /// The count, the stride, the mode and the filter do not fit together.
    #[error("{0}")]
    Layout(String),
    /// The first byte is not that of a known version of the mode.
    #[error("the compressed data starts with the byte {found:#04x}, where {wanted} should be")]
    Header {
        /// The first byte.
        found: u8,
        /// What it may be.
        wanted: &'static str,
    },
    /// There are too few bytes.
    #[error("the compressed data ends before the last of its {count} elements")]
    Ends {
        /// How many elements there should be.
        count: usize,
    },
    /// There are too many bytes.
    #[error("{bytes} bytes of compressed data are left behind the last of its {count} elements")]
    Rest {
        /// How many bytes are left.
        bytes: usize,
        /// How many elements there are.
        count: usize,
    },
    /// Something in the data means nothing.
    #[error("{0}")]
    Code(&'static str),
    /// There is no memory for the elements.
    #[error("there is no memory for {count} elements of {stride} bytes")]
    Memory {
        /// How many elements there are.
        count: usize,
        /// The bytes of one.
        stride: usize,
    },
}

/// What the elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Any elements, of a multiple of four bytes.
    Attributes,
    /// Three indices for each triangle.
    Triangles,
    /// Indices in any order.
    Indices,
}

/// What is computed from each attribute behind its decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Nothing.
    None,
    /// Unit vectors, from two coordinates on an octahedron.
    Octahedral,
    /// Unit quaternions, from their three smaller components.
    Quaternion,
    /// Floating-point numbers, from an exponent and a mantissa.
    Exponential,
}

/// Decodes `count` elements of `stride` bytes.
pub(super) fn decode(
    bytes: &[u8],
    count: usize,
    stride: usize,
    mode: Mode,
    filter: Filter,
) -> Result<Vec<u8>, MeshoptError> {
    check_layout(count, stride, mode, filter)?;
    let (&header, bytes) = bytes.split_first().ok_or(MeshoptError::Ends { count })?;
    match mode {
        Mode::Attributes => {
            let version = version(header, 0xa0, "0xa0 or 0xa1")?;
            let mut decoded = attributes(bytes, count, stride, version)?;
            filter.apply(&mut decoded, stride);
            Ok(decoded)
        }
        Mode::Triangles => {
            let version = version(header, 0xe0, "0xe1 or 0xe0")?;
            match stride {
                2 => triangles::<2>(bytes, count, version),
                _ => triangles::<4>(bytes, count, version),
            }
        }
        Mode::Indices => {
            // The library that defines the format writes 0xd0 if it is asked for version 0, and reads it like 0xd1.
            version(header, 0xd0, "0xd1 or 0xd0")?;
            match stride {
                2 => indices::<2>(bytes, count),
                _ => indices::<4>(bytes, count),
            }
        }
    }
}

/// Checks what the specification asks of a buffer view.
fn check_layout(count: usize, stride: usize, mode: Mode, filter: Filter) -> Result<(), MeshoptError> {
    let fault = |text: String| Err(MeshoptError::Layout(text));
    match (mode, filter) {
        (Mode::Attributes, _) if !(4..=256).contains(&stride) || !stride.is_multiple_of(4) => fault(format!(
            "compressed attributes have {stride} bytes each, and not a multiple of 4 up to 256"
        )),
        (Mode::Attributes, Filter::Octahedral) if !matches!(stride, 4 | 8) => {
            fault(format!("the filter OCTAHEDRAL is used on {stride} bytes, and not on 4 or 8"))
        }
        (Mode::Attributes, Filter::Quaternion) if stride != 8 => {
            fault(format!("the filter QUATERNION is used on {stride} bytes, and not on 8"))
        }
        (Mode::Attributes, _) => Ok(()),
        _ if !matches!(stride, 2 | 4) => {
            fault(format!("compressed indices have {stride} bytes each, and not 2 or 4"))
        }
        _ if filter != Filter::None => fault("a filter is used on compressed indices".to_owned()),
        (Mode::Triangles, _) if !count.is_multiple_of(3) => {
            fault(format!("compressed triangles have {count} corners, which is not a multiple of 3"))
        }
        _ => Ok(()),
    }
}

/// The version, 0 or 1, in a first byte.
fn version(header: u8, base: u8, wanted: &'static str) -> Result<u8, MeshoptError> {
    match header.wrapping_sub(base) {
        version @ (0 | 1) => Ok(version),
        _ => Err(MeshoptError::Header { found: header, wanted }),
    }
}

/// An empty vector with room for all elements, whose number was checked against the input.
fn room(count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    let fault = MeshoptError::Memory { count, stride };
    let Some(bytes) = count.checked_mul(stride) else { return Err(fault) };
    let mut decoded = Vec::new();
    decoded.try_reserve_exact(bytes).map_err(|_| fault)?;
    Ok(decoded)
}

/// The bytes still to read.
struct Reader<'a> {
    rest: &'a [u8],
    /// How many elements there should be, for errors.
    count: usize,
}

impl<'a> Reader<'a> {
    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], MeshoptError> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or(MeshoptError::Ends { count: self.count })?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], MeshoptError> {
        let (&taken, rest) = self.rest.split_first_chunk().ok_or(MeshoptError::Ends { count: self.count })?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number in groups of seven bits, the lowest first; the high bit of a byte says that another follows.
    #[inline]
    fn number(&mut self) -> Result<u32, MeshoptError> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let [byte] = self.take_array()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(MeshoptError::Code("a number of the compressed data has more than five bytes"))
    }

    fn finish(self) -> Result<(), MeshoptError> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(MeshoptError::Rest { bytes, count: self.count }),
        }
    }
}

/// The number whose absolute value grows with half of `value` and whose sign is its lowest bit.
#[inline]
fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ 0u32.wrapping_sub(value & 1)
}

// Attributes.

/// Elements are coded in blocks of at most so many.
const MAX_BLOCK: usize = 256;

/// And of at most so many bytes.
const MAX_BLOCK_BYTES: usize = 8192;

/// A block is coded in groups of so many elements.
const GROUP: usize = 16;

/// How four bytes of an element follow from those of the element before.
#[derive(Clone, Copy)]
enum Channel {
    /// Differences of bytes.
    Bytes,
    /// Differences of halves.
    Halves,
    /// Changed bits, rotated to the left by so many.
    Bits(u32),
}

impl Channel {
    fn new(code: u8) -> Result<Self, MeshoptError> {
        match code {
            0 => Ok(Self::Bytes),
            1 => Ok(Self::Halves),
            _ if code & 15 == 2 => Ok(Self::Bits(u32::from(code >> 4))),
            _ => Err(MeshoptError::Code("a channel of the compressed attributes has an unknown mode")),
        }
    }
}

fn attributes(bytes: &[u8], count: usize, stride: usize, version: u8) -> Result<Vec<u8>, MeshoptError> {
    // The data ends in an element to start from and, in version 1, the channels' modes.
    let channel_bytes = if version == 0 { 0 } else { stride / 4 };
    let tail = stride + channel_bytes;
    let padded = tail.max(if version == 0 { 32 } else { 24 });
    let ends = MeshoptError::Ends { count };
    let Some(body) = bytes.len().checked_sub(padded) else { return Err(ends) };
    let (first, channels) = bytes[bytes.len() - tail..].split_at(stride);
    let channels: Vec<_> = channels.iter().map(|&code| Channel::new(code)).collect::<Result<_, _>>()?;
    let mut input = Reader { rest: &bytes[..body], count };

    let block = ((MAX_BLOCK_BYTES / stride) & !(GROUP - 1)).min(MAX_BLOCK);
    // A block of version 0 has at least a byte for every 64 elements and each of their bytes; one of version 1 may
    // have no more than two bits for each byte of an element.
    let least = if version == 0 { stride } else { stride / 4 };
    if count.div_ceil(block) > body / least {
        return Err(ends);
    }
    let mut decoded = room(count, stride)?;

    let mut planes = [[0; MAX_BLOCK]; 4];
    let mut changes = [0; MAX_BLOCK];
    while decoded.len() < count * stride {
        let start = decoded.len();
        let elements = block.min(count - start / stride);
        let whole_groups = elements.next_multiple_of(GROUP);
        decoded.resize(start + elements * stride, 0);
        let (before, target) = decoded.split_at_mut(start);
        let before = before.rchunks_exact(stride).next().unwrap_or(first);
        let controls = input.take(channel_bytes)?;
        for word in 0..stride / 4 {
            let control = controls.get(word);
            for (number, plane) in planes.iter_mut().enumerate() {
                let plane = &mut plane[..whole_groups];
                match control.map(|control| (control >> (2 * number)) & 3) {
                    None => groups(&mut input, plane, [0, 2, 4, 8])?,
                    Some(0) => groups(&mut input, plane, [0, 1, 2, 4])?,
                    Some(1) => groups(&mut input, plane, [1, 2, 4, 8])?,
                    Some(2) => plane.fill(0),
                    Some(_) => plane[..elements].copy_from_slice(input.take(elements)?),
                }
            }
            interleave(&planes, &mut changes[..elements]);
            let channel = channels.get(word).copied().unwrap_or(Channel::Bytes);
            follow(channel, &changes, before, target, stride, 4 * word);
        }
    }
    input.finish()?;
    Ok(decoded)
}

/// Reads a byte for each element. Two bits for each group, ahead of all groups, choose from `widths`.
fn groups(input: &mut Reader<'_>, plane: &mut [u8], widths: [u8; 4]) -> Result<(), MeshoptError> {
    let groups = plane.len() / GROUP;
    let choices = input.take(groups.div_ceil(4))?;
    for (number, group) in plane.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        let choice = (choices[number / 4] >> (2 * (number % 4))) & 3;
        match widths[usize::from(choice)] {
            0 => group.fill(0),
            1 => {
                let [low, high] = input.take_array()?;
                escapes(input, group, [spread_bits(low), spread_bits(high)], 1)?;
            }
            2 => {
                // Here and below the first element is in the highest bits.
                let pairs = u32::from_be_bytes(input.take_array()?);
                let halves = [pairs >> 16, pairs & 0xffff];
                escapes(input, group, halves.map(|half| spread_pairs(half).swap_bytes()), 3)?;
            }
            4 => {
                let nibbles = u64::from_be_bytes(input.take_array()?);
                let halves = [nibbles >> 32, nibbles & 0xffff_ffff];
                escapes(input, group, halves.map(|half| spread_nibbles(half).swap_bytes()), 15)?;
            }
            _ => *group = input.take_array()?,
        }
    }
    Ok(())
}

/// The byte 1 eight times.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Writes a group whose narrow values are in the bytes of `halves`, the first in the lowest. For each that is
/// `escape`, the greatest of its width, a whole byte follows in the input.
#[inline]
fn escapes(
    input: &mut Reader<'_>,
    group: &mut [u8; GROUP],
    halves: [u64; 2],
    escape: u8,
) -> Result<(), MeshoptError> {
    // The high bit of each byte that is `escape`; none is greater.
    let marks = halves.map(|half| (half + ONES * u64::from(0x80 - escape)) & (ONES << 7));
    let counts = marks.map(|marks| ((marks >> 7).wrapping_mul(ONES) >> 56) as usize);
    let escaped = input.take(counts[0] + counts[1])?;
    let escaped = escaped.split_at(counts[0]);
    for (number, escaped) in [escaped.0, escaped.1].into_iter().enumerate() {
        let target = &mut group[8 * number..][..8];
        target.copy_from_slice(&halves[number].to_le_bytes());
        let mut marks = marks[number];
        for &value in escaped {
            target[marks.trailing_zeros() as usize / 8] = value;
            marks &= marks - 1;
        }
    }
    Ok(())
}

/// Eight bits as bytes, the lowest in the lowest.
#[inline]
fn spread_bits(bits: u8) -> u64 {
    let bits = u64::from(bits);
    let bits = (bits | (bits << 28)) & 0x0000_000f_0000_000f;
    let bits = (bits | (bits << 14)) & 0x0003_0003_0003_0003;
    (bits | (bits << 7)) & ONES
}

/// Eight pairs of bits as bytes, the lowest in the lowest.
#[inline]
fn spread_pairs(pairs: u32) -> u64 {
    let pairs = u64::from(pairs);
    let pairs = (pairs | (pairs << 24)) & 0x0000_00ff_0000_00ff;
    let pairs = (pairs | (pairs << 12)) & 0x000f_000f_000f_000f;
    (pairs | (pairs << 6)) & (ONES * 3)
}

/// Eight nibbles as bytes, the lowest in the lowest.
#[inline]
fn spread_nibbles(nibbles: u64) -> u64 {
    let nibbles = (nibbles | (nibbles << 16)) & 0x0000_ffff_0000_ffff;
    let nibbles = (nibbles | (nibbles << 8)) & 0x00ff_00ff_00ff_00ff;
    (nibbles | (nibbles << 4)) & (ONES * 15)
}

/// Joins the bytes of each element.
fn interleave(planes: &[[u8; MAX_BLOCK]; 4], changes: &mut [u32]) {
    let [a, b, c, d] = planes;
    for ((((change, a), b), c), d) in changes.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *change = u32::from_le_bytes([*a, *b, *c, *d]);
    }
}

/// Writes the four bytes at `offset` of each element of `target`.
fn follow(channel: Channel, changes: &[u32], before: &[u8], target: &mut [u8], stride: usize, offset: usize) {
    let mut last = [0; 4];
    last.copy_from_slice(&before[offset..][..4]);
    let mut last = u32::from_le_bytes(last);
    let elements = target.chunks_exact_mut(stride).zip(changes);
    match channel {
        Channel::Bytes => elements.for_each(|(element, &change)| {
            last = add_lanes(last, unzigzag_lanes(change, 0x0101_0101, 0xff), 0x8080_8080);
            element[offset..][..4].copy_from_slice(&last.to_le_bytes());
        }),
        Channel::Halves => elements.for_each(|(element, &change)| {
            last = add_lanes(last, unzigzag_lanes(change, 0x0001_0001, 0xffff), 0x8000_8000);
            element[offset..][..4].copy_from_slice(&last.to_le_bytes());
        }),
        Channel::Bits(rotation) => elements.for_each(|(element, &change)| {
            last ^= change.rotate_right(rotation);
            element[offset..][..4].copy_from_slice(&last.to_le_bytes());
        }),
    }
}

/// [`unzigzag`] in each lane: `lowest` has the lowest bit of each, `all` the bits of one.
#[inline]
fn unzigzag_lanes(values: u32, lowest: u32, all: u32) -> u32 {
    ((values >> 1) & !(lowest << (all.count_ones() - 1))) ^ ((values & lowest) * all)
}

/// Sums that wrap in each lane, `highest` has the highest bit of each.
#[inline]
fn add_lanes(a: u32, b: u32, highest: u32) -> u32 {
    // Without the highest bits nothing carries into the next lane.
    ((a & !highest) + (b & !highest)) ^ ((a ^ b) & highest)
}

// Indices.

/// The vertices and the edges of the last triangles.
struct Recent {
    vertices: [u32; 16],
    edges: [[u32; 2]; 16],
    /// How many vertices were pushed.
    pushed_vertices: usize,
    /// How many edges were pushed.
    pushed_edges: usize,
}

impl Recent {
    /// The vertex that was pushed `back` pushes before the last one.
    #[inline]
    fn vertex(&self, back: usize) -> Result<u32, MeshoptError> {
        let slot = self.pushed_vertices.checked_sub(back + 1);
        slot.map(|slot| self.vertices[slot & 15]).ok_or(UNKNOWN)
    }

    /// Likewise for edges.
    #[inline]
    fn edge(&self, back: usize) -> Result<[u32; 2], MeshoptError> {
        let slot = self.pushed_edges.checked_sub(back + 1);
        slot.map(|slot| self.edges[slot & 15]).ok_or(UNKNOWN)
    }

    /// Pushes a vertex unless it came from here.
    #[inline]
    fn push_vertex(&mut self, vertex: u32, is_new: bool) {
        // What this overwrites without need is the oldest vertex, which no code refers to.
        self.vertices[self.pushed_vertices & 15] = vertex;
        self.pushed_vertices += usize::from(is_new);
    }

    #[inline]
    fn push_edge(&mut self, edge: [u32; 2]) {
        self.edges[self.pushed_edges & 15] = edge;
        self.pushed_edges += 1;
    }
}

const UNKNOWN: MeshoptError =
    MeshoptError::Code("a compressed triangle refers to a vertex or an edge before the first");

fn triangles<const STRIDE: usize>(bytes: &[u8], count: usize, version: u8) -> Result<Vec<u8>, MeshoptError> {
    // A code for each triangle, what does not fit in the codes, a table.
    let ends = MeshoptError::Ends { count };
    let Some((bytes, table)) = bytes.split_last_chunk::<16>() else { return Err(ends) };
    let Some((codes, rest)) = bytes.split_at_checked(count / 3) else { return Err(ends) };
    let mut input = Reader { rest, count };
    let mut decoded = room(count, STRIDE)?;
    decoded.resize(count * STRIDE, 0);

    // From version 1 on, two codes of the third corner say that it is beside the last index.
    let recent_codes = if version == 0 { 15 } else { 13 };
    let mut recent = Recent { vertices: [0; 16], edges: [[0; 2]; 16], pushed_vertices: 0, pushed_edges: 0 };
    // The first vertex that was not used yet, if the vertices are in order of first use.
    let mut next = 0u32;
    // The last index that was stored as a difference.
    let mut last = 0u32;
    for (&code, triangle) in codes.iter().zip(decoded.chunks_exact_mut(3 * STRIDE)) {
        let (high, low) = (usize::from(code >> 4), code & 15);
        let corners = if high < 15 {
            let [a, b] = recent.edge(high)?;
            let (c, is_new) = if low == 0 {
                next = next.wrapping_add(1);
                (next.wrapping_sub(1), true)
            } else if low < recent_codes {
                (recent.vertex(low.into())?, false)
            } else {
                last = match low {
                    13 => last.wrapping_sub(1),
                    14 => last.wrapping_add(1),
                    _ => last.wrapping_add(unzigzag(input.number()?)),
                };
                (last, true)
            };
            recent.push_edge([c, b]);
            recent.push_edge([a, c]);
            recent.push_vertex(c, is_new);
            [a, b, c]
        } else {
            let is_explicit = code >= 0xfe;
            let pair = if is_explicit { input.take_array::<1>()?[0] } else { table[usize::from(low)] };
            if is_explicit && pair == 0 {
                next = 0;
            }
            let (second, third) = (pair >> 4, pair & 15);
            if !is_explicit && (second == 15 || third == 15) {
                return Err(MeshoptError::Code("the table of the compressed triangles has a 15"));
            }
            // All new corners are numbered before stored ones are read, and recent ones are those before the triangle.
            let mut corner = |code: u8| match code {
                0 => {
                    next = next.wrapping_add(1);
                    Ok(next.wrapping_sub(1))
                }
                15 => Ok(0),
                _ => recent.vertex(usize::from(code) - 1),
            };
            let mut corners = [corner(if code == 0xff { 15 } else { 0 })?, corner(second)?, corner(third)?];
            let is_stored = [code == 0xff, second == 15, third == 15];
            for (corner, _) in corners.iter_mut().zip(is_stored).filter(|(_, is_stored)| *is_stored) {
                last = last.wrapping_add(unzigzag(input.number()?));
                *corner = last;
            }
            let [a, b, c] = corners;
            recent.push_edge([b, a]);
            recent.push_edge([c, b]);
            recent.push_edge([a, c]);
            recent.push_vertex(a, true);
            recent.push_vertex(b, matches!(second, 0 | 15));
            recent.push_vertex(c, matches!(third, 0 | 15));
            corners
        };
        for (target, corner) in triangle.chunks_exact_mut(STRIDE).zip(corners) {
            target.copy_from_slice(&corner.to_le_bytes()[..STRIDE]);
        }
    }
    input.finish()?;
    Ok(decoded)
}

fn indices<const STRIDE: usize>(bytes: &[u8], count: usize) -> Result<Vec<u8>, MeshoptError> {
    // Behind the indices are four bytes without meaning.
    let ends = MeshoptError::Ends { count };
    let Some((rest, _)) = bytes.split_last_chunk::<4>() else { return Err(ends) };
    if count > rest.len() {
        return Err(ends);
    }
    let mut input = Reader { rest, count };
    let mut decoded = room(count, STRIDE)?;
    // Each index is stored as the difference to the last one of its kind.
    let mut last = [0u32; 2];
    for _ in 0..count {
        let number = input.number()?;
        let last = &mut last[(number & 1) as usize];
        *last = last.wrapping_add(unzigzag(number >> 1));
        decoded.extend_from_slice(&last.to_le_bytes()[..STRIDE]);
    }
    input.finish()?;
    Ok(decoded)
}

// Filters. The specification lets results differ by one step of an integer, but not the floating-point numbers.

impl Filter {
    fn apply(self, bytes: &mut [u8], stride: usize) {
        match (self, stride) {
            (Self::None, _) => {}
            (Self::Octahedral, 4) => bytes.as_chunks_mut().0.iter_mut().for_each(octahedral_bytes),
            (Self::Octahedral, _) => bytes.as_chunks_mut().0.iter_mut().for_each(octahedral_halves),
            (Self::Quaternion, _) => bytes.as_chunks_mut().0.iter_mut().for_each(quaternion),
            (Self::Exponential, _) => bytes.as_chunks_mut().0.iter_mut().for_each(exponential),
        }
    }
}

fn octahedral_bytes(element: &mut [u8; 4]) {
    let [x, y, one, other] = element.map(|byte| byte.cast_signed());
    let [x, y, z] = octahedral([x, y, one].map(f32::from)).map(|value| to_integer(value, 127.0) as i8);
    *element = [x, y, z, other].map(i8::cast_unsigned);
}

fn octahedral_halves(element: &mut [u8; 8]) {
    let [x, y, one, other] = halves(element);
    let [x, y, z] = octahedral([x, y, one].map(f32::from)).map(|value| to_integer(value, 32767.0));
    set_halves(element, [x, y, z, other]);
}

/// A unit vector from two coordinates on an octahedron and what 1 is in them.
#[inline]
fn octahedral([x, y, one]: [f32; 3]) -> [f32; 3] {
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    // The lower half is folded over the edges of the upper one.
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// A unit quaternion from its components but the greatest, and the number of that.
fn quaternion(element: &mut [u8; 8]) {
    let [x, y, z, last] = halves(element);
    // What 1 is in the components; the number is in its two lowest bits, which are set.
    let one = f32::from(last | 3);
    let greatest = usize::from(last.cast_unsigned() & 3);
    let [x, y, z] = [x, y, z].map(|component| f32::from(component) / one * std::f32::consts::FRAC_1_SQRT_2);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let mut components = [w, x, y, z].map(|value| to_integer(value, 32767.0));
    components.rotate_right(greatest);
    set_halves(element, components);
}

/// A number from an exponent of 8 bits and a mantissa of 24.
fn exponential(element: &mut [u8; 4]) {
    let bits = i32::from_le_bytes(*element);
    let (exponent, mantissa) = (bits >> 24, (bits << 8) >> 8);
    // The exponent has 8 bits: the power is a normal number, the product exact, and only the conversion may round.
    let power = f64::from_bits(((1023 + exponent) as u64) << 52);
    *element = ((f64::from(mantissa) * power) as f32).to_le_bytes();
}

/// The integer nearest to `value * one`. Values that are too large saturate, and NaN is 0: only data that the
/// specification leaves undefined has them.
#[inline]
fn to_integer(value: f32, one: f32) -> i16 {
    let scaled = value * one;
    (scaled + 0.5f32.copysign(scaled)) as i16
}

#[inline]
fn halves(element: &[u8; 8]) -> [i16; 4] {
    let &[a, b, c, d, e, f, g, h] = element;
    [[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes)
}

#[inline]
fn set_halves(element: &mut [u8; 8], values: [i16; 4]) {
    for (target, value) in element.as_chunks_mut().0.iter_mut().zip(values) {
        *target = value.to_le_bytes();
    }
}
