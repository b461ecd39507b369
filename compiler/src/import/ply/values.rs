//! The values after the header, in text or binary.

use super::header::{Element, Property, Scalar};
use crate::count::counted;
use crate::import::DataFault;
use crate::import::text::{Lines, Words};

/// Reads values one after the other.
pub(super) trait Values: Clone {
    /// How many bytes a record with these properties takes at least, if a face has three corners; not 0.
    fn least(properties: &[Property]) -> u64;

    /// How many bytes are left.
    fn rest(&self) -> u64;

    /// Goes to the next record, which is this one of an element.
    fn begin(&mut self, element: &Element, number: u64) -> Result<(), DataFault>;

    /// The next value.
    fn number(&mut self, scalar: Scalar) -> Result<f64, DataFault>;

    /// The next value, of an integer type.
    fn integer(&mut self, scalar: Scalar) -> Result<i64, DataFault>;

    /// Goes past this many values.
    fn skip_values(&mut self, scalar: Scalar, count: u64) -> Result<(), DataFault>;

    /// Goes past all records of an element; `record` is the number of the last.
    fn skip_records(&mut self, element: &Element, record: &mut u64) -> Result<(), DataFault>;

    /// Ends a record.
    fn end(&mut self) -> Result<(), DataFault>;

    /// Where a record of this name is.
    fn place(&self, record: &str) -> String;

    /// What is left after the last record.
    fn unread(self) -> Option<String>;

    /// The length of a list.
    fn length(&mut self, property: &Property) -> Result<u64, DataFault> {
        let Some(scalar) = property.counted_by else { return Ok(1) };
        let length = self.integer(scalar)?;
        u64::try_from(length).map_err(|_| DataFault::Rule(format!("a list has a negative length, {length}")))
    }

    /// Goes past a property.
    fn skip(&mut self, property: &Property) -> Result<(), DataFault> {
        let count = self.length(property)?;
        self.skip_values(property.scalar, count)
    }
}

/// Each record is a line.
#[derive(Clone)]
pub(super) struct Text<'a> {
    lines: Lines<'a>,
    words: Words<'a>,
    /// How many lines there are before.
    before: u64,
}

impl<'a> Text<'a> {
    pub(super) fn new(lines: Lines<'a>, before: u64) -> Self {
        Self { lines, words: Words(b""), before }
    }

    /// Goes to the next line that is not blank.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.lines.next_line()?;
            if !line.is_empty() {
                return Some(line);
            }
        }
    }
}

impl Values for Text<'_> {
    fn least(properties: &[Property]) -> u64 {
        // A digit and a blank.
        let values = |property: &Property| 2 * (1 + property.least_corners());
        properties.iter().map(values).sum::<u64>().max(1)
    }

    fn rest(&self) -> u64 {
        self.lines.rest().len() as u64
    }

    fn begin(&mut self, element: &Element, number: u64) -> Result<(), DataFault> {
        self.words = Words(self.next_line().ok_or_else(|| ends(element, number))?);
        Ok(())
    }

    fn number(&mut self, _: Scalar) -> Result<f64, DataFault> {
        self.words.number()
    }

    fn integer(&mut self, _: Scalar) -> Result<i64, DataFault> {
        self.words.integer("an integer")
    }

    fn skip_values(&mut self, _: Scalar, count: u64) -> Result<(), DataFault> {
        for _ in 0..count {
            self.words.word("a number")?;
        }
        Ok(())
    }

    fn skip_records(&mut self, element: &Element, record: &mut u64) -> Result<(), DataFault> {
        for number in 0..element.count {
            *record = number;
            self.next_line().ok_or_else(|| ends(element, number))?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), DataFault> {
        self.words.end()
    }

    fn place(&self, record: &str) -> String {
        format!("line {}, {record}", self.before + self.lines.number())
    }

    fn unread(mut self) -> Option<String> {
        self.next_line()?;
        Some(format!("line {} and what follows", self.before + self.lines.number()))
    }
}

fn ends(element: &Element, number: u64) -> DataFault {
    DataFault::Ends { wanted: format!("{} {number} of {}", element.word(), element.count) }
}

/// Values follow each other without gaps.
#[derive(Clone)]
pub(super) struct Binary<'a, const IS_BIG: bool>(pub(super) &'a [u8]);

impl<const IS_BIG: bool> Binary<'_, IS_BIG> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], DataFault> {
        let Some((bytes, rest)) = self.0.split_first_chunk() else { return Err(no_value()) };
        self.0 = rest;
        let mut bytes = *bytes;
        if IS_BIG {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Goes past as many bytes, or to the end.
    fn pass(&mut self, bytes: Option<u64>) -> Result<(), DataFault> {
        let split = bytes.and_then(|bytes| self.0.split_at_checked(usize::try_from(bytes).ok()?));
        self.0 = split.ok_or_else(no_value)?.1;
        Ok(())
    }
}

fn no_value() -> DataFault {
    DataFault::Ends { wanted: "a value".to_owned() }
}

impl<const IS_BIG: bool> Values for Binary<'_, IS_BIG> {
    fn least(properties: &[Property]) -> u64 {
        let least = |property: &Property| {
            let first = property.counted_by.unwrap_or(property.scalar).size() as u64;
            first + property.least_corners() * property.scalar.size() as u64
        };
        properties.iter().map(least).sum::<u64>().max(1)
    }

    fn rest(&self) -> u64 {
        self.0.len() as u64
    }

    fn begin(&mut self, element: &Element, number: u64) -> Result<(), DataFault> {
        if self.0.is_empty() { Err(ends(element, number)) } else { Ok(()) }
    }

    fn number(&mut self, scalar: Scalar) -> Result<f64, DataFault> {
        Ok(match scalar {
            Scalar::F32 => f64::from(f32::from_le_bytes(self.bytes()?)),
            Scalar::F64 => f64::from_le_bytes(self.bytes()?),
            // At most 32 bits.
            _ => self.integer(scalar)? as f64,
        })
    }

    fn integer(&mut self, scalar: Scalar) -> Result<i64, DataFault> {
        Ok(match scalar {
            Scalar::I8 => i8::from_le_bytes(self.bytes()?).into(),
            Scalar::U8 => u8::from_le_bytes(self.bytes()?).into(),
            Scalar::I16 => i16::from_le_bytes(self.bytes()?).into(),
            Scalar::U16 => u16::from_le_bytes(self.bytes()?).into(),
            Scalar::I32 => i32::from_le_bytes(self.bytes()?).into(),
            Scalar::U32 => u32::from_le_bytes(self.bytes()?).into(),
            // The header has been refused if a length or an index is of these.
            Scalar::F32 | Scalar::F64 => self.number(scalar)? as i64,
        })
    }

    fn skip_values(&mut self, scalar: Scalar, count: u64) -> Result<(), DataFault> {
        self.pass(count.checked_mul(scalar.size() as u64))
    }

    fn skip_records(&mut self, element: &Element, record: &mut u64) -> Result<(), DataFault> {
        let has_lists = element.properties.iter().any(|property| property.counted_by.is_some());
        if !has_lists {
            // All have the least size.
            let size = Self::least(&element.properties);
            *record = self.rest() / size;
            return self.pass(element.count.checked_mul(size));
        }
        for number in 0..element.count {
            *record = number;
            self.begin(element, number)?;
            element.properties.iter().try_for_each(|property| self.skip(property))?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), DataFault> {
        Ok(())
    }

    fn place(&self, record: &str) -> String {
        record.to_owned()
    }

    fn unread(self) -> Option<String> {
        let is_blank = self.0.trim_ascii().is_empty();
        (!is_blank).then(|| format!("what is left of the file ({})", counted(self.0.len() as u64, "byte")))
    }
}
