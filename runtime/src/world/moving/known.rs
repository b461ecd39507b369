//! Pairs of boxes that are kept from frame to frame, and those that have begun or ended since they were last put in order.

use super::changes::Identity;
use super::snapshot::Snapshot;

/// What all kept pairs depend on, beside the boxes of moving things.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Frame {
    world: Identity,
    layers: [u32; 2],
    pub(super) margin: f32,
}

impl Frame {
    pub(super) fn of(now: &Snapshot<'_>, margin: f32) -> Self {
        let layers = [now.still.layers, now.moving.layers];
        Self { world: now.origin, layers, margin }
    }
}

/// There is no memory for so many pairs. What is known has no meaning then.
pub(super) struct Full;

/// Ascending pairs, in the front of the caller's memory, and a log of changes: each pair in it was known if it was not, and was
/// not if it was. So a pair that is there an even number of times has not changed.
pub(super) struct Known {
    len: usize,
    logged: usize,
}

/// The lower number of a pair of boxes, and the higher one.
pub(super) fn boxes_of(pair: u64) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}

pub(super) fn pair_of(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

impl Known {
    pub(super) const NONE: Self = Self { len: 0, logged: 0 };

    /// Those that are known.
    pub(super) fn of<'p>(&self, pairs: &'p [u64]) -> &'p [u64] {
        &pairs[..self.len]
    }

    /// The same, to be changed where their order stays as it is.
    pub(super) fn of_mut<'p>(&self, pairs: &'p mut [u64]) -> &'p mut [u64] {
        &mut pairs[..self.len]
    }

    /// Notes that a pair has begun or ended.
    #[inline(always)]
    pub(super) fn toggle(&mut self, pair: u64, pairs: &mut [u64], log: &mut [u64]) -> Result<(), Full> {
        if self.logged == log.len() {
            self.settle(pairs, log)?;
        }
        log[self.logged] = pair;
        self.logged += 1;
        Ok(())
    }

    /// Makes all changes that were noted.
    pub(super) fn settle(&mut self, pairs: &mut [u64], log: &mut [u64]) -> Result<(), Full> {
        let changed = &mut log[..self.logged];
        self.logged = 0;
        changed.sort_unstable();
        let count = odd_ones(changed);
        let begun = self.end(pairs, &mut changed[..count]);
        self.begin(pairs, &changed[..begun])
    }

    /// Removes pairs that have ended; those that have begun remain in front of `changed`. Returns how many they are.
    fn end(&mut self, pairs: &mut [u64], changed: &mut [u64]) -> usize {
        let (mut kept, mut read, mut begun) = (0, 0, 0);
        for next in 0..changed.len() {
            let pair = changed[next];
            let below = count_passed(self.len - read, |index| pairs[read + index] < pair);
            if kept < read {
                pairs.copy_within(read..read + below, kept);
            }
            (kept, read) = (kept + below, read + below);
            if read < self.len && pairs[read] == pair {
                read += 1;
            } else {
                changed[begun] = pair;
                begun += 1;
            }
        }
        pairs.copy_within(read..self.len, kept);
        self.len -= read - kept;
        begun
    }

    /// Adds pairs that were not known, from the last place on.
    fn begin(&mut self, pairs: &mut [u64], begun: &[u64]) -> Result<(), Full> {
        let (mut read, mut write) = (self.len, self.len + begun.len());
        if write > pairs.len() {
            return Err(Full);
        }
        self.len = write;
        for pair in begun.iter().rev() {
            let above = count_passed(read, |index| pairs[read - 1 - index] > *pair);
            pairs.copy_within(read - above..read, write - above);
            (read, write) = (read - above, write - above - 1);
            pairs[write] = *pair;
        }
        Ok(())
    }

    /// Forgets pairs. No changes may be noted.
    pub(super) fn retain(&mut self, pairs: &mut [u64], keeps: impl Fn(u64) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            let pair = pairs[index];
            pairs[kept] = pair;
            kept += usize::from(keeps(pair));
        }
        self.len = kept;
    }
}

/// How many of `len` places are passed: all those before the first that is not. Looks at few if these are few, by steps that double.
fn count_passed(len: usize, is_passed: impl Fn(usize) -> bool) -> usize {
    let mut step = 1;
    while step <= len && is_passed(step - 1) {
        step *= 2;
    }
    let (mut least, mut most) = (step / 2, len.min(step - 1));
    while least < most {
        let middle = least.midpoint(most);
        if is_passed(middle) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least
}

/// Moves one of each that is there an odd number of times to the front of a sorted list. Returns how many they are.
fn odd_ones(sorted: &mut [u64]) -> usize {
    let (mut count, mut start) = (0, 0);
    while start < sorted.len() {
        let own = sorted[start];
        let same = sorted[start..].iter().take_while(|other| **other == own).count();
        sorted[count] = own;
        count += same % 2;
        start += same;
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn changes_are_those_of_a_set() {
        let (mut pairs, mut log) = ([0; 40], [0; 7]);
        let (mut known, mut set) = (Known::NONE, BTreeSet::new());
        let mut state = 1u32;
        for step in 0..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let pair = u64::from(state >> 27);
            assert!(known.toggle(pair, &mut pairs, &mut log).is_ok());
            if !set.remove(&pair) {
                set.insert(pair);
            }
            if step % 5 == 0 {
                assert!(known.settle(&mut pairs, &mut log).is_ok());
                assert!(set.iter().eq(known.of(&pairs)));
            }
            if step % 50 == 0 {
                set.retain(|pair| pair % 3 == 0);
                known.retain(&mut pairs, |pair| pair % 3 == 0);
            }
        }
        let mut few = [0; 3];
        let mut known = Known::NONE;
        for pair in 0..4 {
            assert!(known.toggle(pair, &mut few, &mut log).is_ok());
        }
        assert!(known.settle(&mut few, &mut log).is_err());
    }
}
