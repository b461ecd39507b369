//! The stacks of walks: references to visit, each with a key below which a visit is worthwhile.
//!
//! Unsafe code: entries are left uninitialised, since clearing them would cost as much as a query.
#![allow(unsafe_code)]

use core::hint::select_unpredictable;
use core::mem::MaybeUninit;
use core::ptr;

use bvhc_format::MAX_DEPTH;
use bvhc_format::record::{NODE_WIDTH, WideNode};

use crate::simd::sixteen::{Sixteen, Wide};

/// Each level leaves at most all siblings but one behind; a push writes a whole node's worth, and there may be as many
/// sentinels at the bottom.
const CAPACITY: usize = (NODE_WIDTH - 1) * MAX_DEPTH as usize + 2 * NODE_WIDTH;

/// A stack of child references and keys. A push beyond the capacity, which only a corrupt file can cause, is refused.
///
/// Aligned to cache lines, since pushes write vectors of that length.
#[repr(C, align(64))]
pub(crate) struct Stack<K = f32, const N: usize = CAPACITY> {
    /// Entries `..len` are initialised in both arrays; `len <= N`.
    children: [MaybeUninit<u32>; N],
    keys: [MaybeUninit<K>; N],
    len: usize,
}

impl<K: Copy, const N: usize> Stack<K, N> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self {
            len: 0,
            children: [const { MaybeUninit::uninit() }; N],
            keys: [const { MaybeUninit::uninit() }; N],
        }
    }

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
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
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

    /// Pops the top entry.
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
    /// Leaves sixteen sentinels that are never popped, so that sixteen entries can always be read. In place: a stack is
    /// 12 kB, and returning one by value copies it.
    #[inline(always)]
    pub(crate) fn reset_to_sentinels(&mut self) {
        self.len = 0;
        for _ in 0..NODE_WIDTH {
            self.push(0, f32::INFINITY);
        }
    }

    /// Pops the topmost entry whose key is at most `limit`, which is finite, and discards those above it. For stacks
    /// with sentinels.
    ///
    /// Does not branch on each discarded entry: their number is hard to predict. If it returns `None`, the stack must
    /// be reset before it is used again.
    #[inline(always)]
    pub(crate) fn pop_up_to<S: Wide>(&mut self, simd: S, limit: f32) -> Option<(u32, f32)> {
        loop {
            let start = self.len.checked_sub(NODE_WIDTH)?;
            let keys = self.keys.get(start..self.len)?.first_chunk::<NODE_WIDTH>()?;
            // SAFETY: entries below `len` are initialised: every push writes those it counts.
            let keys = unsafe { &*ptr::from_ref(keys).cast::<[f32; NODE_WIDTH]>() };
            let up_to = S::Sixteen::load(simd, keys).at_most(S::Sixteen::splat(simd, limit));
            if let Some(highest) = up_to.checked_ilog2() {
                let highest = highest as usize % NODE_WIDTH;
                self.len = start + highest;
                let child = self.children.get(self.len)?;
                // SAFETY: as above; it was below the former `len`.
                return Some((unsafe { child.assume_init() }, keys[highest]));
            }
            self.len = start;
        }
    }
}

/// Sixteen children of a node in an order, each with a key that is at most where the ray enters its box. They are
/// visited in that order, or as [`first`](Self::first) says.
pub(crate) trait NodeGroup<S>: Copy {
    /// Which of the waiting children, a bit each, is visited first.
    #[inline(always)]
    fn first(&self, waiting: u32) -> usize {
        waiting.trailing_zeros() as usize % NODE_WIDTH
    }

    /// The reference of the child at a position.
    fn child(&self, rank: usize) -> u32;

    /// Its key. Without keys, the least one.
    #[inline(always)]
    fn key(&self, _rank: usize) -> i32 {
        i32::MIN
    }

    /// The children whose key is at most `limit`, a bit each.
    #[inline(always)]
    fn up_to(&self, _simd: S, _limit: i32) -> u32 {
        u32::MAX
    }
}

/// The children of a node by slot, without keys.
impl<S> NodeGroup<S> for &WideNode {
    #[inline(always)]
    fn child(&self, rank: usize) -> u32 {
        self.children[rank % NODE_WIDTH]
    }
}

/// The memory of a [`NodeGroupStack`]: each level leaves at most one node group behind.
#[repr(C, align(64))]
pub(crate) struct NodeGroupScratch<T> {
    siblings: [MaybeUninit<T>; MAX_DEPTH as usize],
    /// Waiting children of the group below each group.
    below: [MaybeUninit<u32>; MAX_DEPTH as usize],
}

impl<T: Copy> NodeGroupScratch<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            siblings: [const { MaybeUninit::uninit() }; MAX_DEPTH as usize],
            below: [const { MaybeUninit::uninit() }; MAX_DEPTH as usize],
        }
    }
}

/// A stack of node groups, each with a bit for each child that waits. A push beyond the capacity, which only a corrupt
/// file can cause, is refused.
///
/// The state that changes with every step is kept outside the scratch memory, so that it stays in registers: a step
/// does not wait for the stores of another.
pub(crate) struct NodeGroupStack<'r, T> {
    /// Entries `..len` are initialised in both arrays; `len <= MAX_DEPTH`.
    room: &'r mut NodeGroupScratch<T>,
    len: usize,
    /// Waiting children of the top group; not zero unless the stack is empty.
    waiting: u32,
}

impl<'r, T: Copy> NodeGroupStack<'r, T> {
    /// An empty stack.
    #[inline(always)]
    pub(crate) fn new(room: &'r mut NodeGroupScratch<T>) -> Self {
        Self { room, len: 0, waiting: 0 }
    }

    /// Empties the stack.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        (self.len, self.waiting) = (0, 0);
    }

    /// Pushes a group if any of its children wait; returns the group in any case.
    #[inline(always)]
    pub(crate) fn push(&mut self, siblings: T, waiting: u32) -> Option<&T> {
        let entry = self.room.siblings.get_mut(self.len)?;
        self.room.below.get_mut(self.len)?.write(self.waiting);
        self.len += usize::from(waiting != 0);
        self.waiting = select_unpredictable(waiting != 0, waiting, self.waiting);
        Some(entry.write(siblings))
    }

    /// The two children that [`take`](Self::take) looks at next, of the top group; the same one twice where it has no other.
    #[inline(always)]
    pub(crate) fn peek<S>(&self) -> Option<[u32; 2]>
    where
        T: NodeGroup<S>,
    {
        let siblings = self.room.siblings.get(self.len.checked_sub(1)?)?;
        // SAFETY: entries below `len` are initialised: every push writes what it counts.
        let siblings = unsafe { siblings.assume_init_ref() };
        let first = siblings.first(self.waiting);
        let others = self.waiting & !(1 << first);
        let second = siblings.first(select_unpredictable(others == 0, self.waiting, others));
        Some([first, second].map(|rank| siblings.child(rank)))
    }

    /// Takes the first waiting child of the top group whose key is at most `limit`; discards children with greater keys
    /// that it finds on the way.
    #[inline(always)]
    pub(crate) fn take<S: Copy>(&mut self, simd: S, limit: i32) -> Option<u32>
    where
        T: NodeGroup<S>,
    {
        loop {
            let top = self.len.checked_sub(1)?;
            let (siblings, below) = (self.room.siblings.get(top)?, self.room.below.get(top)?);
            // SAFETY: entries below `len` are initialised: every push writes what it counts.
            let siblings = unsafe { siblings.assume_init_ref() };
            // SAFETY: as above.
            let below = unsafe { below.assume_init() };
            let rank = siblings.first(self.waiting);
            let waits = siblings.key(rank) <= limit;
            let others = self.waiting & !(1 << rank);
            let left = if waits { others } else { others & siblings.up_to(simd, limit) };
            self.len -= usize::from(left == 0);
            self.waiting = select_unpredictable(left == 0, below, left);
            if waits {
                return Some(siblings.child(rank));
            }
        }
    }
}

/// The uninitialised memory of a [`FixedCache`].
pub(crate) struct CacheScratch<T, const N: usize>([MaybeUninit<T>; N]);

impl<T, const N: usize> CacheScratch<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; N])
    }
}

/// Up to `N` records by number, each in a slot, which counts modulo `N`.
///
/// The records are elsewhere: next to the numbers, which are initialised, all of them would be copied.
pub(crate) struct FixedCache<'r, T, const N: usize> {
    /// Where this is the number of a record, the record is initialised.
    numbers: [u64; N],
    records: &'r mut [MaybeUninit<T>; N],
}

impl<'r, T, const N: usize> FixedCache<'r, T, N> {
    /// No number of a record.
    const NONE: u64 = u64::MAX;

    #[inline(always)]
    pub(crate) fn new(scratch: &'r mut CacheScratch<T, N>) -> Self {
        Self { numbers: [Self::NONE; N], records: &mut scratch.0 }
    }

    /// The record with this number in a slot. If it is not there, `fill` makes it from `empty` or from the slot's last
    /// record; `None` if that fails.
    #[inline(always)]
    pub(crate) fn get_or_fill(
        &mut self,
        slot: u64,
        number: u64,
        empty: T,
        fill: impl FnOnce(&mut T) -> bool,
    ) -> Option<&T> {
        let slot = slot as usize % N;
        let (held, record) = (&mut self.numbers[slot], &mut self.records[slot]);
        if *held != number || number == Self::NONE {
            let record = match *held {
                Self::NONE => record.write(empty),
                // SAFETY: the slot has a number, so the record was written before.
                _ => unsafe { record.assume_init_mut() },
            };
            if !fill(record) {
                *held = Self::NONE;
                return None;
            }
            *held = number;
        }
        // SAFETY: the slot has this number, so the record was written, now or before, and no later write has
        // invalidated it.
        Some(unsafe { record.assume_init_ref() })
    }
}

/// A stack of up to `N` values. A push beyond that, which only a corrupt file can cause, is refused.
pub(crate) struct FixedStack<T, const N: usize> {
    /// `things[..len]` are initialised; `len <= N`.
    len: usize,
    things: [MaybeUninit<T>; N],
}

impl<T: Copy, const N: usize> FixedStack<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { len: 0, things: [const { MaybeUninit::uninit() }; N] }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All values, the first pushed first.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[T] {
        let things = self.things.get(..self.len).unwrap_or(&[]);
        // SAFETY: what is below `len` is initialised: every push writes what it counts.
        unsafe { &*(ptr::from_ref(things) as *const [T]) }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, thing: T) {
        if let Some(entry) = self.things.get_mut(self.len) {
            entry.write(thing);
            self.len += 1;
        }
    }

    /// Drops the values that are not to be kept. Reverses the order of the rest.
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

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;
    use crate::level::Level;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    /// Equals popping entries one by one, in what is returned and in what is left.
    #[test]
    fn entries_up_to_a_limit_come_as_one_by_one() {
        fn check<S: Wide>(simd: S, random: &mut Random) {
            let (mut stack, mut list) = (Stack::<f32>::new(), Vec::new());
            stack.reset_to_sentinels();
            for child in 0..5_000 {
                if random.below(3) > 0 && list.len() < 300 {
                    let key = random.below(100) as f32;
                    stack.push(child, key);
                    list.push((child, key));
                } else {
                    let limit = random.below(100).min(random.below(100)) as f32;
                    while list.pop_if(|(_, key)| *key > limit).is_some() {}
                    assert_eq!(stack.pop_up_to(simd, limit), list.pop());
                    if list.is_empty() {
                        stack.reset_to_sentinels();
                    }
                }
            }
        }
        let mut random = Random(3);
        for level in Level::available() {
            dispatch!(level.inner(), simd => check(simd, &mut random));
        }
    }

    /// A node group with keys, visited in order.
    #[derive(Clone, Copy)]
    struct Keyed {
        children: [u32; NODE_WIDTH],
        keys: [i32; NODE_WIDTH],
    }

    impl NodeGroup<()> for Keyed {
        fn child(&self, rank: usize) -> u32 {
            self.children[rank]
        }

        fn key(&self, rank: usize) -> i32 {
            self.keys[rank]
        }

        fn up_to(&self, (): (), limit: i32) -> u32 {
            (0..NODE_WIDTH).fold(0, |bits, rank| bits | u32::from(self.keys[rank] <= limit) << rank)
        }
    }

    /// A reference implementation: for each node, its waiting children.
    type Lists = Vec<Vec<(u32, i32)>>;

    fn take(lists: &mut Lists, limit: i32) -> Option<u32> {
        while let Some(top) = lists.last_mut() {
            let (child, key) = top[0];
            if key <= limit {
                top.remove(0);
            } else {
                top.retain(|(_, key)| *key <= limit);
            }
            if top.is_empty() {
                lists.pop();
            }
            if key <= limit {
                return Some(child);
            }
        }
        None
    }

    #[test]
    fn siblings_come_as_from_lists() {
        let mut random = Random(5);
        let mut room = NodeGroupScratch::new();
        let mut stack = NodeGroupStack::new(&mut room);
        let mut lists = Lists::new();
        for round in 0..20_000u32 {
            if random.below(3) > 0 && lists.len() < MAX_DEPTH as usize {
                let children = core::array::from_fn(|slot| 16 * round + slot as u32);
                let keys = core::array::from_fn(|_| random.below(100) as i32);
                let waiting = random.below(1 << NODE_WIDTH) as u32 & random.below(1 << NODE_WIDTH) as u32;
                assert!(stack.push(Keyed { children, keys }, waiting).is_some());
                let slots = (0..NODE_WIDTH).filter(|slot| waiting & 1 << slot != 0);
                let list: Vec<_> = slots.map(|slot| (children[slot], keys[slot])).collect();
                lists.extend((!list.is_empty()).then_some(list));
            } else {
                let next = lists.last().map(|top| [top[0].0, top.get(1).unwrap_or(&top[0]).0]);
                assert_eq!(stack.peek::<()>(), next);
                let limit = random.below(120) as i32;
                assert_eq!(stack.take((), limit), take(&mut lists, limit));
            }
        }
    }

    #[test]
    fn a_push_beyond_the_capacity_is_refused() {
        let mut room = NodeGroupScratch::new();
        let mut stack = NodeGroupStack::new(&mut room);
        let siblings = |child| Keyed { children: [child; NODE_WIDTH], keys: [0; NODE_WIDTH] };
        for level in 0..MAX_DEPTH {
            assert!(stack.push(siblings(level), 1).is_some());
        }
        assert!(stack.push(siblings(MAX_DEPTH), 1).is_none());
        for level in (0..MAX_DEPTH).rev() {
            assert_eq!(stack.take((), 0), Some(level));
        }
        assert_eq!(stack.take((), 0), None);
    }
}
