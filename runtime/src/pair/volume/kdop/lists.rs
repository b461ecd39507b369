//! Nodes with lists of bounds: one direction per lane.
//!
//! B's bounds along A's directions are weighted sums of three of B's bounds each, permuted to the lanes of A's: all
//! bounds of a child at once, without its centre. Sixteen child pairs are then sixteen comparisons. (Tried: one child
//! per lane takes three times the instructions.)
//!
//! # Why k-DOPs that touch are never separated
//!
//! u is 2^-24, h a bound, and M the sum of the trees' radii rA and rB (at least 2 |h|, by K5) and of the distance |T|
//! of their origins (the sum of its coordinates' magnitudes). For a direction D of A, a corner p in A's slot and a
//! corner q in B's at R q + T = p:
//!
//! - D p <= h of A's slot along D, and R^T D q >= - (a h_i + b h_j + c h_k) with the bounds of B's slot along the three
//!   directions chosen for -R^T D ([`realign`](super::realign)). So h of A >= D T - a h_i - b h_j - c h_k.
//! - The three directions' plane is at least the set's aperture away from the origin, which is no less than 1 / sqrt 3.
//!   So a + b + c is at most 1.74, and the sum of products at most 0.87 rB. Rounding the weights costs 0.87 u rB, the
//!   products as much, the three sums 3 u (|T| + 0.87 rB), and D T, from coordinates rounded once, 2 u |T|.
//!
//! That is 6 u M at most. [`SLACK`](super::SLACK) times M, which is subtracted and rounded with it, is five times as
//! much.
//!
//! # Why no lower bound of a distance is too great
//!
//! Directions have length 1: corners p and q are at least D (p - q) apart, for any direction D of A. The computed
//! excess over A's bound is less than that by the slack minus the rounding, so by 26 u M at least. Separations along
//! perpendicular directions, such as the axes, combine like coordinates: to the square root of the sum of their
//! squares. Differences, squares and sums are rounded by less than [`ROUNDED`] makes up for. Based on: Fünzig, Fellner,
//! section 5; departures: the axes combined, and the slack.

use bvhc_format::kdop::{KdopLayout, LaneRow, MAX_DIRECTIONS};
use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{SimdBase, SimdFloat, SimdMask, f32x4};

use super::realign::{Realign, Vectors};
use crate::math::{larger, smaller};
use crate::pair::sets::PAIRS;
use crate::pair::volumes::{LowerBounds, Overlaps, ROUNDED};
use crate::simd::Kernel;
use crate::simd::sixteen::Sixteen;

/// How many directions are compared together.
const CHUNK: usize = 16;
const CHUNKS: usize = MAX_DIRECTIONS.div_ceil(CHUNK);

/// A bit for each pair.
const ALL: u32 = (1 << PAIRS) - 1;

/// The rows of one chunk.
type Quad = [LaneRow; QUADS];
const QUADS: usize = CHUNK / PAIR_WIDTH;

/// Converts B's lists to lists along A's directions.
pub(crate) struct Lists {
    chunks: [Chunk; CHUNKS],
    /// Chunks in A's and in B's lists.
    sizes: [usize; 2],
    /// Slabs of A's and of B's directions.
    slabs: [usize; 2],
    /// Whether A's first three slabs are the axes.
    has_axes: bool,
    /// Whether overlap depths are wanted.
    ranks: bool,
}

/// Some of A's directions.
struct Chunk {
    /// B's origin along each direction, less the slack; minus infinity where there is no direction, so that nothing is
    /// separated along it.
    start: [f32; CHUNK],
    /// Which bounds of B to take, from two chunks.
    slots: [[u8; CHUNK]; 3],
    /// Negated weights of the bounds taken from B's first two chunks, and from the third; zero where the bound is in
    /// the other.
    weights: [[[f32; CHUNK]; 3]; 2],
}

impl Chunk {
    const NONE: Self =
        Self { start: [f32::NEG_INFINITY; CHUNK], slots: [[0; CHUNK]; 3], weights: [[[0.0; CHUNK]; 3]; 2] };
}

/// One for each of four children.
type Four<T> = [T; PAIR_WIDTH];

impl Lists {
    /// For A's directions rotated into B's space, and the offset of the origins along them.
    #[inline(always)]
    pub(super) fn new<S: Kernel>(
        simd: S,
        [of_a, of_b]: [&KdopLayout; 2],
        turned: &Vectors,
        along: &[f64],
        slack: f32,
        realign: Realign,
        ranks: bool,
    ) -> Self {
        let slabs = [of_a.directions.slabs(), of_b.directions.slabs()];
        let sizes = [of_a.child_rows() * PAIR_WIDTH / CHUNK, of_b.child_rows() * PAIR_WIDTH / CHUNK];
        let has_axes = of_a.directions.has_axes();
        let mut lists = Self { chunks: [Chunk::NONE; CHUNKS], sizes, slabs, has_axes, ranks };
        let triples = realign.triples(simd, of_b.directions, turned);
        for (slab, along) in along.iter().enumerate().take(slabs[0]) {
            let weights = triples.weights(slab);
            let [ahead, back] = triples.directions(slab);
            lists.put(slab, *along as f32 - slack, weights, back);
            lists.put(slab + slabs[0], -*along as f32 - slack, weights, ahead);
        }
        lists
    }

    #[inline(always)]
    fn put(&mut self, direction: usize, start: f32, weights: [f64; 3], three: [u8; 3]) {
        let (chunk, lane) = (&mut self.chunks[direction / CHUNK % CHUNKS], direction % CHUNK);
        chunk.start[lane] = start;
        for which in 0..3 {
            let of = usize::from(three[which]);
            chunk.slots[which][lane] = (of % (2 * CHUNK)) as u8;
            chunk.weights[of / (2 * CHUNK) % 2][which][lane] = -weights[which] as f32;
        }
    }

    /// Lower bounds of B's slots along each of A's directions: where one exceeds A's bound, the pair is separated.
    /// `None` if B lacks the slots, which does not happen. A separate call, compiled for the level.
    #[inline(always)]
    pub(super) fn realigned<S: Kernel>(
        &self,
        simd: S,
        b: &[LaneRow],
    ) -> Option<Four<[[f32; CHUNK]; CHUNKS]>> {
        simd.vectorize(
            #[inline(always)]
            || {
                let list = |slot| self.list(1, b, slot);
                let lists = [list(0)?, list(1)?, list(2)?, list(3)?];
                let mut found = [[[0.0; CHUNK]; CHUNKS]; PAIR_WIDTH];
                for (index, chunk) in self.chunks[..self.sizes[0]].iter().enumerate() {
                    for first in (0..CHUNK).step_by(lanes::<S>()) {
                        let sums = chunk.realigned(simd, &lists, first)?;
                        for (found, sum) in found.iter_mut().zip(&sums) {
                            sum.store_slice(&mut found[index][first..first + lanes::<S>()]);
                        }
                    }
                }
                Some(found)
            },
        )
    }

    #[inline(always)]
    pub(super) fn overlaps<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        b: &[LaneRow],
        pairs: u32,
    ) -> Option<Overlaps> {
        let of_b = self.realigned(simd, b)?;
        let apart = match self.sizes[0] {
            1 => self.apart::<S, 1>(simd, a, &of_b)?,
            2 => self.apart::<S, 2>(simd, a, &of_b)?,
            _ => self.apart::<S, CHUNKS>(simd, a, &of_b)?,
        };
        let mut found = Overlaps { pairs: pairs & !apart & ALL, ..Overlaps::NONE };
        if self.ranks && found.pairs & found.pairs.wrapping_sub(1) != 0 {
            self.rank(simd, a, &of_b, &mut found)?;
        }
        Some(found)
    }

    /// The pairs separated along one of the directions, for lists of `SIZE` chunks.
    #[inline(always)]
    fn apart<S: Kernel, const SIZE: usize>(
        &self,
        simd: S,
        a: &[LaneRow],
        of_b: &Four<[[f32; CHUNK]; CHUNKS]>,
    ) -> Option<u32> {
        let mut apart = 0;
        for i in 0..PAIR_WIDTH {
            let list: &[Quad; SIZE] = self.list(0, a, i)?.try_into().ok()?;
            for (j, of_b) in of_b.iter().enumerate() {
                let mut past = S::Lanes::splat(simd, 0.0).simd_gt(S::Lanes::splat(simd, 0.0));
                for (numbers, of_b) in list.iter().zip(of_b) {
                    let numbers: [f32; CHUNK] = numbers_of(simd, numbers).to_array();
                    for first in (0..CHUNK).step_by(lanes::<S>()) {
                        let of_a = S::Lanes::from_slice(simd, &numbers[first..first + lanes::<S>()]);
                        let of_b = S::Lanes::from_slice(simd, &of_b[first..first + lanes::<S>()]);
                        past |= of_b.simd_gt(of_a);
                    }
                }
                apart |= u32::from(past.any_true()) << (PAIR_WIDTH * i + j);
            }
        }
        Some(apart)
    }

    /// Overlap depths: the largest separation, which is not positive. (Tried: divided by the lesser of their sizes, it
    /// takes as many steps to find a pair.)
    #[inline(always)]
    fn rank<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        of_b: &Four<[[f32; CHUNK]; CHUNKS]>,
        found: &mut Overlaps,
    ) -> Option<()> {
        let mut left = found.pairs;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % PAIRS;
            let (i, j) = (lane / PAIR_WIDTH, lane % PAIR_WIDTH);
            found.depths[lane] = separations(simd, self.list(0, a, i)?, &of_b[j]).largest();
            left &= left - 1;
        }
        Some(())
    }

    /// Lower bounds of the distances of child pairs; see [`LowerBounds`].
    #[inline(always)]
    pub(super) fn lower_bounds<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        b: &[LaneRow],
        pairs: u32,
        limit2: f32,
    ) -> Option<LowerBounds> {
        let of_b = self.realigned(simd, b)?;
        let mut found = LowerBounds::NONE;
        let mut left = pairs & ALL;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % PAIRS;
            let (i, j) = (lane / PAIR_WIDTH, lane % PAIR_WIDTH);
            let (a, b) = (self.list(0, a, i)?, self.list(1, b, j)?);
            let free = separations(simd, a, &of_b[j]).largest();
            let along_axes = if self.has_axes { self.along_axes(a, &of_b[j])? } else { 0.0 };
            let square = larger(larger(free, 0.0) * larger(free, 0.0), along_axes) * ROUNDED;
            // NaN counts as near.
            let beyond = square > limit2;
            found.pairs |= u32::from(!beyond) << lane;
            found.squares[lane] = square;
            let between = larger(free + smaller(size(a, self.slabs[0])?, size(b, self.slabs[1])?), 0.0);
            found.centres[lane] = between * between;
            left &= left - 1;
        }
        Some(found)
    }

    /// The squared length of the vector of separations along the axes.
    #[inline(always)]
    fn along_axes(&self, a: &[Quad], of_b: &[[f32; CHUNK]; CHUNKS]) -> Option<f32> {
        let mut square = 0.0;
        for axis in 0..3 {
            let free =
                |direction| Some(of_b.as_flattened()[direction % MAX_DIRECTIONS] - bound(a, direction)?);
            let free = larger(larger(free(axis)?, free(axis + self.slabs[0])?), 0.0);
            square += free * free;
        }
        Some(square)
    }

    /// The list of a child of A's or B's node.
    #[inline(always)]
    fn list<'n>(&self, side: usize, node: &'n [LaneRow], slot: usize) -> Option<&'n [Quad]> {
        let rows = self.sizes[side] * QUADS;
        Some(node.get(slot * rows..)?.get(..rows)?.as_chunks().0)
    }
}

impl Chunk {
    /// Lower bounds of B's children along as many directions as a step handles.
    #[inline(always)]
    fn realigned<S: Kernel>(&self, simd: S, lists: &Four<&[Quad]>, first: usize) -> Option<Four<S::Lanes>> {
        let mut sums = [S::Lanes::from_slice(simd, &self.start[first..first + lanes::<S>()]); PAIR_WIDTH];
        for which in 0..3 {
            let slots = &self.slots[which];
            let weight = |of: usize| {
                let weights: &[f32; CHUNK] = &self.weights[of][which];
                &weights[first..first + lanes::<S>()]
            };
            let weight_of_first = S::Lanes::from_slice(simd, weight(0));
            for (sum, list) in sums.iter_mut().zip(lists) {
                let bounds = match list {
                    [only] => simd.look_up(simd.table(numbers_of(simd, only)), slots, first),
                    [lower, upper, ..] => {
                        let tables =
                            [simd.table(numbers_of(simd, lower)), simd.table(numbers_of(simd, upper))];
                        simd.look_up_in_two(tables, slots, first)
                    }
                    [] => return None,
                };
                *sum = weight_of_first.mul_add(bounds, *sum);
                if let [_, _, third] = list {
                    let bounds = simd.look_up(simd.table(numbers_of(simd, third)), slots, first);
                    *sum = S::Lanes::from_slice(simd, weight(1)).mul_add(bounds, *sum);
                }
            }
        }
        Some(sums)
    }
}

/// The largest separation of each lane's directions; minus infinity where there is none.
#[inline(always)]
fn separations<S: Kernel>(simd: S, a: &[Quad], of_b: &[[f32; CHUNK]; CHUNKS]) -> S::Sixteen {
    let none = S::Sixteen::splat(simd, f32::NEG_INFINITY);
    let mut apart = none;
    for (numbers, of_b) in a.iter().zip(of_b) {
        let (of_a, of_b) = (numbers_of(simd, numbers), S::Sixteen::load(simd, of_b));
        // Lanes without a bound hold minus infinity.
        apart = apart.max(of_b.choose_above(none, of_b - of_a, none));
    }
    apart
}

/// How many directions level `S` handles per step.
const fn lanes<S: Kernel>() -> usize {
    crate::simd::lanes::<S>()
}

#[inline(always)]
fn numbers_of<S: Kernel>(simd: S, [a, b, c, d]: &Quad) -> S::Sixteen {
    let quarter = |row: &LaneRow| f32x4::from_slice(simd, &row.lanes);
    S::Sixteen::of_quarters(simd, [quarter(a), quarter(b), quarter(c), quarter(d)])
}

/// The sum of the widths of the first three slabs.
#[inline(always)]
fn size(list: &[Quad], slabs: usize) -> Option<f32> {
    let ahead = bound(list, 0)? + bound(list, 1)? + bound(list, 2)?;
    Some(ahead + bound(list, slabs)? + bound(list, slabs + 1)? + bound(list, slabs + 2)?)
}

#[inline(always)]
fn bound(list: &[Quad], direction: usize) -> Option<f32> {
    Some(list.get(direction / CHUNK)?[direction / PAIR_WIDTH % QUADS].lanes[direction % PAIR_WIDTH])
}
