//! The layouts of the format as data: names, offsets and types of all fields of records and roots.
//!
//! The verifier, the tests' dump and the C header read these tables, so that a field is declared once.

/// A type of the format: its name, its size and alignment in bytes, and what it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// The name in FORMAT.md; of an array, that of its innermost elements.
    pub name: &'static str,
    /// Bytes.
    pub size: usize,
    /// The multiple of bytes that it starts at, in its section.
    pub alignment: usize,
    /// What it consists of.
    pub shape: Shape,
}

/// What a [`Type`] consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A single number.
    Number,
    /// Values without gaps.
    Array {
        /// Each of them.
        element: &'static Type,
        /// How many there are.
        length: usize,
    },
    /// 16 bytes, distance and count, that refer to values elsewhere in the section.
    Slice {
        /// Each of the values.
        element: &'static Type,
    },
    /// Fields without gaps.
    Record {
        /// The fields, by offset.
        fields: &'static [Field],
    },
}

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in FORMAT.md.
    pub name: &'static str,
    /// Bytes from the start of the record.
    pub offset: usize,
    /// What it holds.
    pub ty: &'static Type,
}

/// A type with an entry in these tables.
pub trait Described {
    /// The entry. Of a type that rkyv archives, it describes the archived form.
    const TYPE: &'static Type;
}

impl Type {
    /// The fields of a record; none of any other type.
    pub const fn fields(&self) -> &'static [Field] {
        match self.shape {
            Shape::Record { fields } => fields,
            _ => &[],
        }
    }

    /// The slice fields of a record and of the records in it, in the order of their offsets: where they stand and what
    /// they refer to.
    pub fn slices(&'static self) -> impl Iterator<Item = (usize, &'static Type)> {
        self.fields().iter().flat_map(|field| {
            let nested = field.ty.fields().iter().map(|inner| (field.offset + inner.offset, inner.ty));
            core::iter::once((field.offset, field.ty)).chain(nested).filter_map(|(offset, ty)| {
                match ty.shape {
                    Shape::Slice { element } => Some((offset, element)),
                    _ => None,
                }
            })
        })
    }

    /// Whether the fields of a record follow each other without gaps.
    pub(crate) const fn is_gapless(&self) -> bool {
        let fields = self.fields();
        let (mut index, mut end) = (0, 0);
        while index < fields.len() {
            if fields[index].offset != end {
                return false;
            }
            end += fields[index].ty.size;
            index += 1;
        }
        end == self.size
    }
}

/// The type of a field, by a function that borrows it.
pub(crate) const fn type_of<R, T: Described>(_: fn(&R) -> &T) -> &'static Type {
    T::TYPE
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Described for $number {
            const TYPE: &'static Type = &Type {
                name: stringify!($number),
                size: size_of::<$number>(),
                alignment: size_of::<$number>(),
                shape: Shape::Number,
            };
        }
    )*};
}

numbers!(u8 i16 u16 u32 u64 f32);

impl<T: Described, const N: usize> Described for [T; N] {
    const TYPE: &'static Type = &Type {
        name: T::TYPE.name,
        size: N * T::TYPE.size,
        alignment: T::TYPE.alignment,
        shape: Shape::Array { element: T::TYPE, length: N },
    };
}

impl<T: Described> Described for &[T] {
    const TYPE: &'static Type =
        &Type { name: "slice", size: 16, alignment: 8, shape: Shape::Slice { element: T::TYPE } };
}
