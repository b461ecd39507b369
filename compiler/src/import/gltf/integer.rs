//! The integers of a glTF document. Its specification lets them be written as `3`, as `3.0` and as `3e0`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Up to here every integer is an f64 of its own.
const MOST_EXACT: f64 = (1u64 << 53) as f64;

/// Reads one integer.
pub(super) fn one<'de, T: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Integer::deserialize(from).map(|Integer(value)| value)
}

/// Reads an integer that may be missing.
pub(super) fn optional<'de, T: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from).map(|integer| integer.map(|Integer(value)| value))
}

/// Reads a list of integers.
pub(super) fn list<'de, T: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Vec::deserialize(from).map(|integers| integers.into_iter().map(|Integer(value)| value).collect())
}

struct Integer<T>(T);

impl<'de, T: TryFrom<u64>> Deserialize<'de> for Integer<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_u64(Reader(PhantomData))
    }
}

/// Makes integers of what serde finds. It refuses the others, so that the error has their line and column.
struct Reader<T>(PhantomData<T>);

impl<T: TryFrom<u64>> Visitor<'_> for Reader<T> {
    type Value = Integer<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an integer that is not negative")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Integer<T>, E> {
        T::try_from(value).map(Integer).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Integer<T>, E> {
        if value.fract() == 0.0 && (0.0..=MOST_EXACT).contains(&value) {
            return self.visit_u64(value as u64);
        }
        Err(E::invalid_value(Unexpected::Float(value), &self))
    }
}
