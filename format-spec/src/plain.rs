//! Plain records: types that are their own archived form.
//!
//! Unsafe code is allowed here only for the impls of rkyv's unsafe marker traits, and for records in a caller's bytes, which
//! rest on the same properties.

use core::slice;

use rkyv::rend::u32_le;

/// Types of which every bit pattern is a value, without padding, references or interior mutability.
///
/// # Safety
/// An implementation promises that.
#[allow(unsafe_code)]
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: all bit patterns are numbers.
#[allow(unsafe_code)]
unsafe impl Plain for u32 {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Plain for u64 {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Plain for u32_le {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Plain for f32 {}
// SAFETY: an array has no padding between its elements.
#[allow(unsafe_code)]
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Takes the first `count` records off bytes; `None` if there are fewer, or if they do not start at a multiple of the records'
/// alignment.
#[allow(unsafe_code)]
pub fn split_records<T: Plain>(bytes: &mut [u8], count: usize) -> Option<(&mut [T], &mut [u8])> {
    let (own, rest) = bytes.split_at_mut_checked(count.checked_mul(size_of::<T>())?)?;
    let start = own.as_mut_ptr().cast::<T>();
    if !start.is_aligned() {
        return None;
    }
    // SAFETY: the bytes are as many as the records have, aligned as checked above, initialised, and borrowed for as long as the
    // records are. Each bit pattern is a record, and a record has no padding, so bytes stay initialised when it is written.
    let records = unsafe { slice::from_raw_parts_mut(start, count) };
    Some((records, rest))
}

/// Records as bytes, for example to hold other records while these are not used.
#[allow(unsafe_code)]
pub fn bytes_of_records<T: Plain>(records: &mut [T]) -> &mut [u8] {
    // SAFETY: the records have that many bytes, initialised, as there is no padding, and borrowed for as long as the bytes are.
    // Each bit pattern is a record, so whatever is written leaves records.
    unsafe { slice::from_raw_parts_mut(records.as_mut_ptr().cast(), size_of_val(records)) }
}

/// Makes a `repr(C)` struct of fixed-width little-endian numbers its own archived form.
///
/// All fields are listed in order, for [`describe`](crate::describe); the absence of padding is asserted. Every bit
/// pattern must be a valid value of the struct, so that checking a slice of any length costs nothing.
macro_rules! plain_record {
    ($record:ident, $size:literal, $align:literal, [$($field:ident),* $(,)?]) => {
        impl crate::describe::Described for $record {
            const TYPE: &'static crate::describe::Type = &crate::describe::Type {
                name: stringify!($record),
                size: size_of::<$record>(),
                alignment: align_of::<$record>(),
                shape: crate::describe::Shape::Record {
                    fields: &[$(crate::describe::Field {
                        name: stringify!($field),
                        offset: core::mem::offset_of!($record, $field),
                        ty: crate::describe::type_of(|record: &$record| &record.$field),
                    }),*],
                },
            };
        }

        #[allow(unsafe_code)]
        const _: () = {
            assert!(size_of::<$record>() == $size);
            assert!(align_of::<$record>() == $align);
            assert!(<$record as crate::describe::Described>::TYPE.is_gapless());

            // SAFETY: the record is `repr(C)` and consists of fixed-width numbers and arrays of them, and this crate
            // compiles only for little-endian targets, so its layout is the same everywhere.
            unsafe impl rkyv::Portable for $record {}

            // SAFETY: the fields follow each other without gaps up to the record's size, as asserted above, so there is
            // no padding.
            unsafe impl rkyv::traits::NoUndef for $record {}

            // SAFETY: every bit pattern of the fields is a valid value, and there is no padding, as asserted above.
            unsafe impl crate::plain::Plain for $record {}

            impl rkyv::Archive for $record {
                const COPY_OPTIMIZATION: rkyv::traits::CopyOptimization<Self> = {
                    // SAFETY: the archived type is the type itself.
                    unsafe { rkyv::traits::CopyOptimization::enable() }
                };

                type Archived = Self;
                type Resolver = ();

                fn resolve(&self, (): (), out: rkyv::Place<Self>) {
                    out.write(*self);
                }
            }

            impl<S: rkyv::rancor::Fallible + ?Sized> rkyv::Serialize<S> for $record {
                fn serialize(&self, _: &mut S) -> Result<(), S::Error> {
                    Ok(())
                }
            }

            // SAFETY: every bit pattern of the fields is a valid value, so there is nothing to check.
            unsafe impl<C: rkyv::rancor::Fallible + ?Sized> rkyv::bytecheck::CheckBytes<C> for $record {
                #[inline(always)]
                unsafe fn check_bytes(_: *const Self, _: &mut C) -> Result<(), C::Error> {
                    Ok(())
                }
            }
        };
    };
}

pub(crate) use plain_record;
