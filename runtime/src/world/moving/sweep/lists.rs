//! The sorted endpoints of three axes, and the pairs of boxes that overlap on all of them.
//!
//! On an axis two boxes overlap where the lower endpoint of each is before the upper one of the other. Only the exchange of two
//! neighbours changes the order of two endpoints, and so at most one of these facts, of one pair. So the pairs are right after each
//! exchange: those that overlap on all axes as the lists are then.

use super::super::known::{Full, Known, pair_of};
use super::endpoint::{box_of, endpoint, is_upper};
use super::memory::{Memory, NEW, SEEN};

impl Memory<'_> {
    /// Whether two boxes overlap.
    pub(super) fn overlap(&self, a: u32, b: u32) -> bool {
        self.overlap_beside(a, b, usize::MAX)
    }

    /// Whether two boxes overlap on all axes but one.
    #[inline(always)]
    fn overlap_beside(&self, a: u32, b: u32, beside: usize) -> bool {
        let (a, b) = (&self.places[a as usize], &self.places[b as usize]);
        (0..3).all(|axis| axis == beside || a[2 * axis] < b[2 * axis + 1] && b[2 * axis] < a[2 * axis + 1])
    }

    /// Whether a box has pairs.
    #[inline(always)]
    pub(super) fn is_active(&self, of: u32) -> bool {
        self.states[of as usize] & (SEEN | NEW) == SEEN
    }
}

/// The lists, in the caller's memory.
pub(super) struct Lists<'m> {
    pub(super) memory: Memory<'m>,
    pub(super) known: Known,
    /// The boxes that have endpoints.
    pub(super) count: usize,
    /// The exchanges of neighbours since it was last set to zero.
    pub(super) swaps: u64,
}

impl Lists<'_> {
    pub(super) fn are_seen(&self, a: u32, b: u32) -> bool {
        [a, b].iter().all(|of| self.memory.states.get(*of as usize).is_some_and(|state| state & SEEN != 0))
    }

    /// Notes a pair that overlaps and of which one at least is new.
    pub(super) fn begin(&mut self, a: u32, b: u32) -> Result<(), Full> {
        let Self { memory, known, .. } = self;
        let [Some(of_a), Some(of_b)] = [a, b].map(|of| memory.states.get(of as usize)) else { return Ok(()) };
        if of_a & of_b & SEEN == 0 || (of_a | of_b) & NEW == 0 || !memory.overlap(a, b) {
            return Ok(());
        }
        known.toggle(pair_of(a, b), memory.pairs, memory.scratch)
    }

    /// As [`begin`](Self::begin), of a new box; a pair of two new ones is noted when the lower one comes first.
    pub(super) fn begin_once(&mut self, of: u32, other: u32) -> Result<(), Full> {
        let is_new = self.memory.states.get(other as usize).is_some_and(|state| state & NEW != 0);
        if is_new && other <= of { Ok(()) } else { self.begin(of, other) }
    }

    /// Brings the endpoints of a box to where its keys are, by exchanges with their neighbours. First it shrinks on each axis, then
    /// it grows: so what it passes by does not begin.
    pub(super) fn shift(&mut self, of: u32) -> Result<(), Full> {
        let keys = self.memory.keys[of as usize];
        for axis in 0..3 {
            let ends = [false, true].map(|upper| endpoint(keys[2 * axis + usize::from(upper)], upper, of));
            let at = |lists: &Self, upper: usize| {
                lists.memory.axes[axis][lists.memory.places[of as usize][2 * axis + upper] as usize]
            };
            let (lower, upper) = (at(self, 0), at(self, 1));
            if ends[1] < upper {
                self.shift_end::<false>(axis, ends[1])?;
            }
            if ends[0] > lower {
                self.shift_end::<true>(axis, ends[0])?;
            }
            if ends[0] < lower {
                self.shift_end::<false>(axis, ends[0])?;
            }
            if ends[1] > upper {
                self.shift_end::<true>(axis, ends[1])?;
            }
        }
        Ok(())
    }

    /// Brings an endpoint of a box, which it replaces, to its place, up or down.
    #[inline(always)]
    fn shift_end<const UP: bool>(&mut self, axis: usize, end: u64) -> Result<(), Full> {
        let (own, is_own_upper) = (box_of(end), is_upper(end));
        let slot = 2 * axis + usize::from(is_own_upper);
        let mut at = self.memory.places[own as usize][slot] as usize;
        let mut outcome = Ok(());
        loop {
            let next = if UP { at + 1 } else { at.wrapping_sub(1) };
            let list = &mut self.memory.axes[axis][..2 * self.count];
            let Some(other) = list.get(next).copied().filter(|it| if UP { *it < end } else { *it > end })
            else {
                break;
            };
            list[at] = other;
            let (neighbour, is_other_upper) = (box_of(other), is_upper(other));
            self.memory.places[neighbour as usize][2 * axis + usize::from(is_other_upper)] = at as u32;
            at = next;
            self.swaps += 1;
            if is_own_upper != is_other_upper && self.has_changed(own, neighbour, axis, is_own_upper) {
                let Memory { pairs, scratch, .. } = &mut self.memory;
                let noted = self.known.toggle(pair_of(own, neighbour), pairs, scratch);
                outcome = outcome.and(noted);
            }
        }
        self.memory.axes[axis][at] = end;
        self.memory.places[own as usize][slot] = at as u32;
        outcome
    }

    /// Whether a pair begins or ends where the upper endpoint of one passes the lower one of the other: the lower one of the
    /// first is before the upper one of the second, and they overlap on the other axes.
    #[inline(always)]
    fn has_changed(&self, own: u32, other: u32, axis: usize, is_own_upper: bool) -> bool {
        let [first, second] = if is_own_upper { [own, other] } else { [other, own] };
        let places = &self.memory.places;
        own != other
            && places[first as usize][2 * axis] < places[second as usize][2 * axis + 1]
            && self.memory.overlap_beside(own, other, axis)
            && self.memory.is_active(other)
    }

    /// Places the endpoints of all new boxes by sorting them, and moves the others aside. There may be more boxes than before.
    /// Cost: linear, beside the sort.
    pub(super) fn place(&mut self, count: usize) {
        let before = self.count;
        self.count = count;
        for axis in 0..3 {
            self.place_on(axis, before);
        }
    }

    fn place_on(&mut self, axis: usize, before: usize) {
        let Memory { axes, scratch, places, keys, states, .. } = &mut self.memory;
        let (list, states) = (&mut axes[axis][..2 * self.count], &states[..self.count]);
        let is_new = |of: u32| states[of as usize] & NEW != 0;
        let mut kept = 0;
        for index in 0..2 * before {
            let held = list[index];
            list[kept] = held;
            kept += usize::from(!is_new(box_of(held)));
        }
        let mut added = 0;
        for of in (0..self.count as u32).filter(|of| is_new(*of)) {
            for upper in [false, true] {
                scratch[added] = endpoint(keys[of as usize][2 * axis + usize::from(upper)], upper, of);
                added += 1;
            }
        }
        scratch[..added].sort_unstable();
        for at in (0..list.len()).rev() {
            let is_added = added > 0 && (kept == 0 || scratch[added - 1] > list[kept - 1]);
            let from = if is_added { &mut added } else { &mut kept };
            *from -= 1;
            let end = if is_added { scratch[*from] } else { list[*from] };
            list[at] = end;
            places[box_of(end) as usize][2 * axis + usize::from(is_upper(end))] = at as u32;
        }
    }
}
