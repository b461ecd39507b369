//! Whether all lists of pairs are the same.

use bvhc_benches::peers::broad::{Box6, Pair};

use super::scenes::Frame;

/// Boxes that are as near to touching as this, relative to their coordinates, may be a pair for one and none for another: bvhc rounds
/// boxes outward once more, FCL, coal and Jolt have centres and sizes instead of corners.
const ROUNDOFF: f32 = 1e-6;

pub(crate) struct Check<'a> {
    still: &'a [Box6],
    frames: &'a [Frame],
    /// Those that came first.
    wanted: Vec<Vec<Pair>>,
}

impl<'a> Check<'a> {
    pub(crate) fn new(still: &'a [Box6], frames: &'a [Frame]) -> Self {
        Self { still, frames, wanted: Vec::new() }
    }

    /// The number of pairs of the last frame.
    pub(crate) fn last(&self) -> usize {
        self.wanted.last().map_or(0, Vec::len)
    }

    /// Compares the pairs of a frame, in any order, with those of whoever came first; bvhc is the first.
    pub(crate) fn frame(&mut self, name: &str, number: usize, pairs: &mut [Pair]) {
        pairs.sort_unstable();
        let twice = pairs.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if twice > 0 {
            eprintln!("  {name}, frame {number}: {twice} of {} pairs more than once", pairs.len());
        }
        if self.wanted.len() == number {
            self.wanted.push(pairs.to_vec());
        }
        let wanted = &self.wanted[number];
        let mut differ = 0;
        for pair in missing(wanted, pairs).chain(missing(pairs, wanted)) {
            differ += 1;
            let gap = self.gap(number, *pair);
            assert!(gap.abs() <= ROUNDOFF, "{name}: pair {pair:?} of frame {number}, relative gap {gap}");
        }
        if differ > 0 {
            eprintln!("  {name}, frame {number}: {differ} of {} pairs differ by roundoff", wanted.len());
        }
    }

    /// How far apart two boxes are along the axis where they are farthest, negative where they overlap, relative to the coordinates.
    fn gap(&self, number: usize, pair: Pair) -> f32 {
        let of = |index: u32| match (index as usize).checked_sub(self.still.len()) {
            Some(index) => self.frames[number].boxes[index],
            None => self.still[index as usize],
        };
        let (a, b) = (of(pair[0]), of(pair[1]));
        let gap = |axis: usize| (b[axis] - a[axis + 3]).max(a[axis] - b[axis + 3]);
        let largest = a.iter().chain(&b).fold(0.0f32, |most, x| most.max(x.abs()));
        gap(0).max(gap(1)).max(gap(2)) / largest
    }
}

/// Those of the first list that the second one does not have; both are sorted.
fn missing<'p>(of: &'p [Pair], from: &'p [Pair]) -> impl Iterator<Item = &'p Pair> {
    of.iter().filter(|pair| from.binary_search(pair).is_err())
}
