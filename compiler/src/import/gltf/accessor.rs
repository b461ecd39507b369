//! The elements of accessors.

use super::buffers::Buffers;
use super::document::{Accessor, Document, Sparse};
use super::fail::Fail;
use crate::import::ImportError;
use crate::math::vector::Vector;

/// A type of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(number: u64) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// A component as a number; `bytes` are as many as it has.
    fn number(self, bytes: &[u8], is_normalized: bool) -> f64 {
        let scaled = |value: f64, most: f64| if is_normalized { (value / most).max(-1.0) } else { value };
        match (self, bytes) {
            (Self::I8, [a]) => scaled(f64::from(*a as i8), 127.0),
            (Self::U8, [a]) => scaled(f64::from(*a), 255.0),
            (Self::I16, [a, b]) => scaled(f64::from(i16::from_le_bytes([*a, *b])), 32767.0),
            (Self::U16, [a, b]) => scaled(f64::from(u16::from_le_bytes([*a, *b])), 65535.0),
            (Self::U32, [a, b, c, d]) => f64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            (Self::F32, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
            _ => f64::NAN,
        }
    }

    /// A component of an unsigned type as an index.
    fn index(self, bytes: &[u8]) -> u32 {
        match bytes {
            [a] => u32::from(*a),
            [a, b] => u32::from(u16::from_le_bytes([*a, *b])),
            [a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]),
            _ => u32::MAX,
        }
    }

    const fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }
}

/// So many elements that are all zero may be in any file.
const FEW: u64 = 1 << 12;

/// Reads accessors.
pub(super) struct Accessors<'a> {
    pub(super) document: &'a Document,
    pub(super) buffers: &'a Buffers<'a>,
    pub(super) fail: Fail<'a>,
}

impl Accessors<'_> {
    /// The accessor of this index, with `N` components of these types.
    fn get(
        &self,
        index: usize,
        shape: &str,
        allowed: &[Component],
    ) -> Result<(&Accessor, Component), ImportError> {
        let place = || format!("accessors[{index}]");
        let accessor =
            self.document.accessors.get(index).ok_or_else(|| self.fail.missing("a mesh or skin", place()))?;
        if accessor.shape != shape {
            let wanted = format!("the type is `{}`, where {shape} should be", accessor.shape);
            return Err(self.fail.rule(place(), wanted));
        }
        match Component::of(accessor.component_type).filter(|component| allowed.contains(component)) {
            Some(component) => Ok((accessor, component)),
            None => {
                let found = accessor.component_type;
                Err(self.fail.rule(place(), format!("components of type {found} are not allowed here")))
            }
        }
    }

    /// Positions, as f64.
    pub(super) fn positions(
        &self,
        index: usize,
    ) -> Result<Elements<'_, Vector, impl Fn(&[u8]) -> Vector>, ImportError> {
        use Component::{F32, I8, I16, U8, U16};
        let (accessor, component) = self.get(index, "VEC3", &[F32, I8, U8, I16, U16])?;
        let zero = [0.0; 3];
        self.elements(index, accessor, 3 * component.size(), zero, move |bytes: &[u8]| {
            let at = |axis: usize| &bytes[axis * component.size()..][..component.size()];
            [0, 1, 2].map(|axis| component.number(at(axis), accessor.normalized))
        })
    }

    /// Whether positions are no floats, which the core of glTF does not know.
    pub(super) fn is_quantized(&self, index: usize) -> bool {
        let component = |accessor: &Accessor| Component::of(accessor.component_type);
        self.document
            .accessors
            .get(index)
            .and_then(component)
            .is_some_and(|component| component != Component::F32)
    }

    /// Whether there are no bytes behind an accessor.
    pub(super) fn is_empty(&self, index: usize) -> bool {
        let is_empty = |accessor: &Accessor| accessor.buffer_view.is_none() && accessor.sparse.is_none();
        self.document.accessors.get(index).is_some_and(is_empty)
    }

    /// Indices of vertices.
    pub(super) fn indices(
        &self,
        index: usize,
    ) -> Result<Elements<'_, u32, impl Fn(&[u8]) -> u32>, ImportError> {
        use Component::{U8, U16, U32};
        let (accessor, component) = self.get(index, "SCALAR", &[U8, U16, U32])?;
        self.elements(index, accessor, component.size(), 0, move |bytes: &[u8]| component.index(bytes))
    }

    /// The first matrix of an accessor of 4 by 4 matrices, by columns.
    pub(super) fn first_matrix(&self, index: usize) -> Result<Option<[f64; 16]>, ImportError> {
        let (accessor, component) = self.get(index, "MAT4", &[Component::F32])?;
        let first =
            Accessor { count: accessor.count.min(1), sparse: None, shape: String::new(), ..*accessor };
        // The first may be any of the sparse elements, whose indices are checked against the number of all.
        let accessor = if accessor.sparse.is_none() { &first } else { accessor };
        let matrices = self.elements(index, accessor, 64, [0.0; 16], |bytes: &[u8]| {
            std::array::from_fn(|at| component.number(&bytes[4 * at..][..4], false))
        })?;
        Ok(matrices.iter().next())
    }

    /// All elements of an accessor, of `size` bytes each: those of its view, or else `zero`, with the sparse ones in their
    /// places.
    fn elements<T: Copy, F: Fn(&[u8]) -> T>(
        &self,
        index: usize,
        accessor: &Accessor,
        size: usize,
        zero: T,
        read: F,
    ) -> Result<Elements<'_, T, F>, ImportError> {
        let place = || format!("accessors[{index}]");
        let mut list = match accessor.buffer_view {
            Some(view) => {
                let stored = self.strided(view, accessor.byte_offset, accessor.count, size, &place())?;
                if accessor.sparse.is_none() {
                    return Ok(Elements { stored, list: Vec::new(), read });
                }
                (0..stored.count).map(|at| read(stored.get(at))).collect()
            }
            None => {
                // Not more than there are bytes: what a file merely claims must not fill the memory.
                let most = self.buffers.held().max(FEW);
                if accessor.count > most {
                    let count = accessor.count;
                    return Err(self
                        .fail
                        .rule(place(), format!("{count} elements, all zero, for no bytes at all")));
                }
                vec![zero; accessor.count as usize]
            }
        };
        if let Some(sparse) = &accessor.sparse {
            self.replace(&mut list, sparse, size, &place(), &read)?;
        }
        Ok(Elements { stored: Strided::default(), list, read })
    }

    /// Puts the elements of a sparse accessor in their places.
    fn replace<T>(
        &self,
        elements: &mut [T],
        sparse: &Sparse,
        size: usize,
        place: &str,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<(), ImportError> {
        let places = &sparse.indices;
        let Some(component) = Component::of(places.component_type).filter(|component| component.is_index())
        else {
            let found = places.component_type;
            return Err(self
                .fail
                .rule(place, format!("sparse indices of component type {found} are not allowed")));
        };
        let indices =
            self.strided(places.buffer_view, places.byte_offset, sparse.count, component.size(), place)?;
        let values =
            self.strided(sparse.values.buffer_view, sparse.values.byte_offset, sparse.count, size, place)?;
        for at in 0..indices.count {
            let index = component.index(indices.get(at));
            let Some(element) = elements.get_mut(index as usize) else {
                return Err(self
                    .fail
                    .rule(place, format!("its sparse index {index} is beyond its last element")));
            };
            *element = read(values.get(at));
        }
        Ok(())
    }

    /// The bytes of `count` elements of a view, `size` each, a stride apart.
    fn strided(
        &self,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
        place: &str,
    ) -> Result<Strided<'_>, ImportError> {
        let bytes = self.buffers.view(view)?;
        let stride = self.document.buffer_views[view].byte_stride.unwrap_or(size as u64);
        if stride < size as u64 {
            let fault = format!("its elements of {size} bytes are {stride} bytes apart");
            return Err(self.fail.rule(place, fault));
        }
        let end = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(offset)?.checked_add(size as u64));
        if end.is_none_or(|end| end > bytes.len() as u64) {
            let length = bytes.len();
            let fault =
                format!("its {count} elements are not in bufferViews[{view}], which has {length} bytes");
            return Err(self.fail.rule(place, fault));
        }
        // An offset behind the end is that of no elements.
        let bytes = bytes.get(offset as usize..).unwrap_or_default();
        Ok(Strided { bytes, stride: stride as usize, size, count: count as usize })
    }
}

/// The elements of an accessor. They are read where they lie, unless some are sparse.
pub(super) struct Elements<'a, T, F> {
    stored: Strided<'a>,
    /// Instead of those, if there are any here.
    list: Vec<T>,
    read: F,
}

impl<T: Copy, F: Fn(&[u8]) -> T> Elements<'_, T, F> {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.stored.count.max(self.list.len())
    }

    /// Panics if there are not so many.
    #[inline]
    pub(super) fn get(&self, at: usize) -> T {
        if self.list.is_empty() { (self.read)(self.stored.get(at)) } else { self.list[at] }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Elements of `size` bytes each, a stride apart.
#[derive(Default)]
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    #[inline]
    fn get(&self, at: usize) -> &'a [u8] {
        &self.bytes[at * self.stride..][..self.size]
    }
}
