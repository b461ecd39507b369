//! Node pairs of a distance walk still to open, and their order: first a beam search, which within a few steps a level
//! gets down to triangles almost as near as any; then depth first, from the pairs that the beam left behind.
//!
//! The limit found by the beam prunes most of the rest. Nothing is opened twice, so the beam costs only what it opens
//! in vain.

use super::{CAPACITY, With};
use crate::pair::sets::PAIRS;
use crate::stack::Stack;

/// Node pairs opened per level. (Tried: with two the gain is smaller, with eight no larger.)
const WIDTH: usize = 4;

/// Pairs that a beam may leave behind before it is abandoned; never reached in files written by the compiler.
const LEFT: usize = 1024;

/// A pair of nodes.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) a: u32,
    pub(super) with: With,
    /// Lower bound of their squared distance.
    pub(super) square: f32,
    /// Priority: the smallest is the most promising.
    pub(super) key: f32,
}

impl Item {
    pub(super) const NONE: Self = Self { a: 0, with: With { b: 0, mask: 0 }, square: 0.0, key: 0.0 };
}

/// Pairs of nodes still to open.
pub(super) struct Agenda {
    /// Whether the beam is still active.
    narrow: bool,
    /// The beam's current level, and the level below.
    level: BestItems,
    next: BestItems,
    left: usize,
    /// Capacity: what a depth-first walk needs, plus what the beam leaves behind, the pairs of its last step and the
    /// beam itself.
    stack: Stack<(With, f32), { LEFT + PAIRS + 2 * WIDTH + CAPACITY }>,
}

impl Agenda {
    /// An empty agenda; `narrow` enables the beam.
    #[inline(always)]
    pub(super) fn new(narrow: bool) -> Self {
        Self { narrow, level: BestItems::EMPTY, next: BestItems::EMPTY, left: 0, stack: Stack::new() }
    }

    /// Adds a pair. Without the beam, the last one added is the next one opened.
    #[inline(always)]
    pub(super) fn push(&mut self, item: Item) {
        let rest = if self.narrow { self.next.insert(item) } else { Some(item) };
        if let Some(item) = rest {
            self.leave(item);
        }
    }

    #[inline(always)]
    fn leave(&mut self, Item { a, with, square, .. }: Item) {
        self.left += 1;
        self.stack.push(a, (with, square));
    }

    /// The next pair to open whose boxes may be within the square root of `reach2`.
    #[inline(always)]
    pub(super) fn pop(&mut self, reach2: f32) -> Option<(u32, With)> {
        // NaN counts as near.
        while self.narrow {
            match self.take() {
                Some(item) if item.square > reach2 => {}
                Some(item) => return Some((item.a, item.with)),
                None => self.narrow = false,
            }
        }
        loop {
            match self.stack.pop()? {
                (_, (_, square)) if square > reach2 => {}
                (a, (with, _)) => return Some((a, with)),
            }
        }
    }

    /// The beam's next pair, if it goes on.
    #[inline(always)]
    fn take(&mut self) -> Option<Item> {
        if self.left >= LEFT {
            self.give_up();
        }
        if self.level.count == 0 {
            core::mem::swap(&mut self.level, &mut self.next);
        }
        self.level.take()
    }

    #[cold]
    fn give_up(&mut self) {
        while let Some(item) = self.next.take() {
            self.leave(item);
        }
        while let Some(item) = self.level.take() {
            self.leave(item);
        }
    }
}

/// The most promising pairs; the best one is last.
struct BestItems {
    items: [Item; WIDTH],
    count: usize,
}

impl BestItems {
    const EMPTY: Self = Self { items: [Item::NONE; WIDTH], count: 0 };

    /// Inserts a pair in order, and returns the one that no longer fits.
    #[inline(always)]
    fn insert(&mut self, item: Item) -> Option<Item> {
        if self.count < WIDTH {
            let mut index = self.count;
            while index > 0 && self.items[index - 1].key < item.key {
                self.items[index] = self.items[index - 1];
                index -= 1;
            }
            self.items[index] = item;
            self.count += 1;
            return None;
        }
        let worst = self.items[0];
        let nearer = item.key < worst.key;
        if !nearer {
            return Some(item);
        }
        let mut index = 0;
        while index < WIDTH - 1 && item.key < self.items[index + 1].key {
            self.items[index] = self.items[index + 1];
            index += 1;
        }
        self.items[index] = item;
        Some(worst)
    }

    #[inline(always)]
    fn take(&mut self) -> Option<Item> {
        self.count = self.count.checked_sub(1)?;
        Some(self.items[self.count % WIDTH])
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;
    use crate::triangle::testing::Random;

    /// Alternates pushes and pops until `most` pairs were pushed and all popped; returns the numbers of those popped.
    fn popped(narrow: bool, most: u32, random: &mut Random) -> Vec<u32> {
        let mut agenda = Agenda::new(narrow);
        let (mut pushed, mut popped) = (0, Vec::new());
        loop {
            for _ in 0..random.below(PAIRS as i128 + 1).min(i128::from(most - pushed)) {
                let key = random.centred().abs() as f32;
                agenda.push(Item { a: pushed, square: key / 2.0, key, ..Item::NONE });
                pushed += 1;
            }
            match agenda.pop(f32::INFINITY) {
                Some((a, _)) => popped.push(a),
                None if pushed == most => return popped,
                None => {}
            }
        }
    }

    #[test]
    fn nothing_is_lost() {
        let mut random = Random(41);
        for narrow in [false, true] {
            for most in [0, 3, 100, 3 * LEFT as u32] {
                let mut popped = popped(narrow, most, &mut random);
                popped.sort_unstable();
                assert_eq!(popped, (0..most).collect::<Vec<_>>(), "{narrow} {most}");
            }
        }
    }

    #[test]
    fn the_best_are_opened_first() {
        let mut agenda = Agenda::new(true);
        for key in [5.0, 1.0, 3.0, 9.0, 2.0, 4.0] {
            agenda.push(Item { a: key as u32, square: key, key, ..Item::NONE });
        }
        assert_eq!(agenda.pop(8.0).map(|(a, _)| a), Some(1));
        // The level below waits until this one is done.
        agenda.push(Item { a: 10, square: 0.0, key: 0.0, ..Item::NONE });
        let rest: Vec<u32> = core::iter::from_fn(|| agenda.pop(8.0).map(|(a, _)| a)).collect();
        assert_eq!(rest, [2, 3, 4, 10, 5], "all but what is beyond reach");
    }
}
