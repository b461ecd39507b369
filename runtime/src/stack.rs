//! The stack of a walk: references to visit, with the key below which a visit is worth it.
//!
//! Unsafe room: the entries are left uninitialised, since clearing them would cost as much as a query.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use bvhc_format::MAX_DEPTH;
use bvhc_format::record::NODE_WIDTH;

/// Each level leaves at most all siblings but one behind; a push writes a whole node's worth.
const CAPACITY: usize = (NODE_WIDTH - 1) * MAX_DEPTH as usize + NODE_WIDTH;

/// A stack of child references and keys. A push beyond the capacity, which only a corrupt file can
/// cause, is refused.
///
/// Aligned, since what is pushed is a vector as long as a line.
#[repr(C, align(64))]
pub(crate) struct Stack<K = f32, const N: usize = CAPACITY> {
    /// Entries `..len` are initialised in both arrays; `len <= N`.
    children: [MaybeUninit<u32>; N],
    keys: [MaybeUninit<K>; N],
    len: usize,
}

impl<K: Copy, const N: usize> Stack<K, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            len: 0,
            children: [const { MaybeUninit::uninit() }; N],
            keys: [const { MaybeUninit::uninit() }; N],
        }
    }

    /// Forgets all entries.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Pushes one entry.
    #[inline(always)]
    pub(crate) fn push(&mut self, child: u32, key: K) {
        if let (Some(child_place), Some(key_place)) =
            (self.children.get_mut(self.len), self.keys.get_mut(self.len))
        {
            child_place.write(child);
            key_place.write(key);
            self.len += 1;
        }
    }

    /// Pushes the first `count` entries, the last of which is popped first.
    #[inline(always)]
    pub(crate) fn push_many<const M: usize>(&mut self, children: [u32; M], keys: [K; M], count: usize) {
        let (Some(child_places), Some(key_places)) = (
            self.children.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut::<M>()),
            self.keys.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut::<M>()),
        ) else {
            return;
        };
        *child_places = children.map(MaybeUninit::new);
        *key_places = keys.map(MaybeUninit::new);
        self.len += count.min(M);
    }

    /// The child on top.
    #[inline(always)]
    pub(crate) fn top(&self) -> Option<u32> {
        let child = self.children.get(self.len.checked_sub(1)?)?;
        // SAFETY: entries below `len` are initialised: every push writes those it counts.
        Some(unsafe { child.assume_init() })
    }

    /// The entry on top, taken off.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, K)> {
        let top = self.len.checked_sub(1)?;
        let (child, key) = (self.children.get(top)?, self.keys.get(top)?);
        self.len = top;
        // SAFETY: entries below the former `len` are initialised: every push writes those it counts.
        let child = unsafe { child.assume_init() };
        // SAFETY: as above.
        let key = unsafe { key.assume_init() };
        Some((child, key))
    }
}

impl<const N: usize> Stack<f32, N> {
    /// Pushes one entry below those from `first` on that have lesser keys.
    #[inline(always)]
    pub(crate) fn push_sorted(&mut self, child: u32, key: f32, first: usize) {
        let mut place = self.len;
        self.push(child, key);
        let end = self.len;
        while place > first && place < end {
            // SAFETY: both places are below `len`, and so initialised.
            let lesser = unsafe { self.keys[place - 1].assume_init() } < key;
            if !lesser {
                break;
            }
            self.children.swap(place - 1, place);
            self.keys.swap(place - 1, place);
            place -= 1;
        }
    }

    /// How many entries there are.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// Up to `N` things, the last of which is taken first. One more, which only a corrupt file can cause, is refused.
pub(crate) struct Pile<T, const N: usize> {
    /// `things[..len]` are initialised; `len <= N`.
    len: usize,
    things: [MaybeUninit<T>; N],
}

impl<T: Copy, const N: usize> Pile<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { len: 0, things: [const { MaybeUninit::uninit() }; N] }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, thing: T) {
        if let Some(place) = self.things.get_mut(self.len) {
            place.write(thing);
            self.len += 1;
        }
    }

    /// Drops those that are not to be kept.
    #[inline(always)]
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let mut rest = Self::new();
        while let Some(thing) = self.pop() {
            if keep(&thing) {
                rest.push(thing);
            }
        }
        *self = rest;
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<T> {
        let top = self.len.checked_sub(1)?;
        let thing = self.things.get(top)?;
        self.len = top;
        // SAFETY: what is below the former `len` is initialised: every push writes what it counts.
        Some(unsafe { thing.assume_init() })
    }
}
