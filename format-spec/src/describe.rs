//! The layouts of the format as data: names, offsets and types of all fields of records and section roots.
//!
//! The verifier, the tests' dump and the C header use these tables, so each field is declared once.

/// A type of the format: its name, its size and alignment in bytes, and its composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// The name in FORMAT.md; for an array, the name of the innermost element type.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes, within its section.
    pub alignment: usize,
    /// Its composition.
    pub shape: Shape,
}

/// The composition of a [`Type`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A single number.
    Number,
    /// An array without gaps.
    Array {
        /// The element type.
        element: &'static Type,
        /// The number of elements.
        length: usize,
    },
    /// 16 bytes, distance and count, that refer to elements elsewhere in the section.
    Slice {
        /// The element type.
        element: &'static Type,
    },
    /// A record without gaps.
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
    /// Offset in the record, in bytes.
    pub offset: usize,
    /// Its type.
    pub ty: &'static Type,
}

/// A type that these tables describe.
pub trait Described {
    /// Its description. For a type that rkyv archives, that of the archived form.
    const TYPE: &'static Type;
}

impl Type {
    /// The fields of a record; empty for any other type.
    pub const fn fields(&self) -> &'static [Field] {
        match self.shape {
            Shape::Record { fields } => fields,
            _ => &[],
        }
    }

    /// The slice fields of a record and of its nested records, in order of offset: the offset of each and its element
    /// type.
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

    /// Whether a record's fields follow each other without gaps.
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

/// The type of a field, from a function that borrows it.
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

numbers!(u8 i16 u16 u32 u64 f32 f64);

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
