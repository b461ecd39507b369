//! The distance walk: sixteen box pairs per step, the nearest first.
//!
//! Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999, and Johnson,
//! Cohen, "A Framework for Efficient Minimum Distance Computations", 1998 (bounds from both sides). Departures: both
//! nodes are opened at once; f32 bounds the distances of triangles, and f64 decides only among those that may be the
//! least.

use core::ops::ControlFlow;

use bvhc_format::obb::PAIR_WIDTH;

use super::beam::{Agenda, Item};
use super::{Links, With, most_steps};
use crate::math::vector::Map3;
use crate::pair::answers::{Distance, EXACT_STEPS, Exhausted, Tolerance, WorkBudget};
use crate::pair::leaf::{Leaf, LeafCache, LeafScratch, Triangles};
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::{
    ALL, PAIRS, column_of, columns, columns_of, first_pairs, lanes, row_of, rows, rows_of,
};
use crate::pair::tree::{Link, PairTree};
use crate::pair::triangle::bounds::bounds;
use crate::pair::triangle::distance::{Gap, gap};
use crate::pair::volumes::{LowerBounds, Opened, Volumes, WitnessBound};
use crate::simd::{Kernel, square_root};
use crate::stack::FixedStack;

/// What a walk is for.
pub(crate) enum Aim<'v> {
    /// The least distance, or one that exceeds it by no more than the tolerance.
    Nearest(Tolerance),
    /// Any pair within the limit.
    Any,
    /// All pairs within the limit.
    All(&'v mut dyn FnMut(&Distance) -> ControlFlow<()>),
    /// Pairs that exceed the least distance so far by no more than the tolerance, the nearest of all among them.
    Decreasing(Tolerance, &'v mut dyn FnMut(&Distance) -> ControlFlow<()>),
}

/// A triangle in a lane of a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    leaf: Leaf,
    lane: usize,
}

impl Spot {
    /// The triangle at a sample's address.
    #[inline(always)]
    fn at(address: u32) -> Self {
        let (leaf, lane) = Leaf::at(address);
        Self { leaf, lane }
    }

    /// Whether both are the same triangle, whatever count their leaves state.
    #[inline(always)]
    fn is(&self, other: &Self) -> bool {
        (self.leaf.id, self.lane) == (other.leaf.id, other.lane)
    }
}

/// Two triangles whose distance is still to be computed.
#[derive(Clone, Copy)]
struct Waiting {
    a: Spot,
    b: Spot,
    lower: f32,
}

/// Capacity for waiting triangle pairs.
const ROOM: usize = 64;

/// The nearest pair so far.
#[derive(Clone, Copy)]
pub(crate) struct BestPair {
    pub(crate) found: Distance,
    pub(crate) spots: [Spot; 2],
}

/// State of a walk.
pub(crate) struct Walk<'a, 'v, 'w, S: Kernel> {
    simd: S,
    a: PairTree<'a>,
    b: PairTree<'a>,
    pose: RelativePose,
    budget: &'w mut WorkBudget,
    /// What the budget has beyond the bound that ends walks in corrupt files: for steps that are no visits.
    beyond: u64,
    /// How many pairs may still be reported. More than there are triangles to pair are a sign of a corrupt file.
    reports: u64,
    is_exhausted: bool,
    aim: Aim<'v>,
    /// Triangle pairs up to this distance are wanted.
    limit: f64,
    /// Pruning distance: the limit or, with a tolerance, less; rounded up by more than all arithmetic errors.
    pruning_limit: f32,
    /// Its square.
    pruning_limit2: f32,
    best: Option<BestPair>,
    /// A pair known to be within the limit whose distance is not computed yet.
    first: Option<Waiting>,
    waiting: FixedStack<Waiting, ROOM>,
}

impl<'a, 'v, 'w, S: Kernel> Walk<'a, 'v, 'w, S> {
    #[inline(always)]
    pub(crate) fn new(
        simd: S,
        [a, b]: [PairTree<'a>; 2],
        pose: RelativePose,
        aim: Aim<'v>,
        limit: f64,
        budget: &'w mut WorkBudget,
    ) -> Self {
        let (pruning_limit, pruning_limit2) = (upwards(limit), square_upwards(upwards(limit)));
        Self {
            simd,
            a,
            b,
            pose,
            budget,
            beyond: 0,
            reports: a.triangle_count().saturating_mul(b.triangle_count()),
            is_exhausted: false,
            aim,
            limit,
            pruning_limit,
            pruning_limit2,
            best: None,
            first: None,
            waiting: FixedStack::new(),
        }
    }

    /// Walks the trees; `Break` if a visitor or an answer ended the walk early. The pair `warm_start` is decided first
    /// and can be the answer.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        volumes: &mut (impl Volumes<S> + ?Sized),
        warm_start: Option<[Spot; 2]>,
    ) -> Result<(ControlFlow<()>, Option<BestPair>), Exhausted> {
        self.beyond = self.budget.left.saturating_sub(most_steps(&self.a, &self.b));
        self.budget.left -= self.beyond;
        let pose = self.pose;
        let (mut of_a, mut of_b) = (LeafScratch::new(), LeafScratch::new());
        let mut caches = [LeafCache::of_a(&mut of_a), LeafCache::of_b(&mut of_b, &pose)];
        let mut end = match warm_start {
            Some(spots) => self.take(spots, &mut caches),
            None => ControlFlow::Continue(()),
        };
        if end.is_continue() {
            match self.descend(volumes, &mut caches) {
                Ok(flow) => end = flow,
                Err(Exhausted) => self.is_exhausted = true,
            }
        }
        if end.is_continue() && !self.is_exhausted {
            end = self.settle(&mut caches);
        }
        self.budget.left += self.beyond;
        if self.is_exhausted { Err(Exhausted) } else { Ok((end, self.best)) }
    }

    /// Decides a given pair of triangles, if both exist.
    #[cold]
    #[inline(never)]
    fn take(&mut self, [a, b]: [Spot; 2], [cache_a, cache_b]: &mut [LeafCache<'_>; 2]) -> ControlFlow<()> {
        match (
            self.a.known(self.simd, a.leaf, a.lane, cache_a),
            self.b.known(self.simd, b.leaf, b.lane, cache_b),
        ) {
            (Some(record_a), Some(record_b)) => self.decide((a, record_a), (b, record_b)),
            _ => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn descend(
        &mut self,
        volumes: &mut (impl Volumes<S> + ?Sized),
        caches: &mut [LeafCache<'_>; 2],
    ) -> Result<ControlFlow<()>, Exhausted> {
        let mut agenda = Agenda::new(matches!(self.aim, Aim::Nearest(_) | Aim::Decreasing(..)));
        let mut next = Some((self.a.root(), With { b: self.b.root(), mask: ALL }));
        while let Some((a, with)) = next {
            self.budget.spend()?;
            self.budget.node_pairs += 1;
            if self.open(volumes, a, with, caches, &mut agenda)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            next = agenda.pop(self.pruning_limit2);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Tests the leaf pairs among the children that may be near enough, and puts the others on the agenda, the nearest
    /// last.
    #[inline(always)]
    fn open(
        &mut self,
        volumes: &mut (impl Volumes<S> + ?Sized),
        a: u32,
        With { b, mask }: With,
        caches: &mut [LeafCache<'_>; 2],
        agenda: &mut Agenda,
    ) -> Result<ControlFlow<()>, Exhausted> {
        let (tree_a, tree_b) = (self.a, self.b);
        let opened =
            volumes.lower_bounds(self.simd, [a, b], &self.pose, u32::from(mask), self.pruning_limit2);
        let Some(Opened { children: [of_a, of_b], found }) = opened else {
            return Ok(ControlFlow::Continue(()));
        };
        let pairs = found.pairs;
        if pairs == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        if matches!(self.aim, Aim::Nearest(_) | Aim::Any)
            && let Some(witness) = volumes.witness(self.simd, [a, b], &self.pose, pairs, self.limit)
            && self.accept(witness, caches).is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        let keys = found.keys(self.simd);
        let links_a = Links::of(&tree_a, a, of_a);
        let links_b = Links::of(&tree_b, b, of_b);
        let (in_a, in_b) = (rows(links_a.leaves()), columns(links_b.leaves()));
        let both = pairs & in_a & in_b;
        if both != 0 {
            for &(lane, _) in Order::of(both, &keys).items() {
                let beyond = found.squares[lane] > self.pruning_limit2;
                if !beyond
                    && let (Link::Leaf(a), Link::Leaf(b)) =
                        (links_a.get(row_of(lane)), links_b.get(column_of(lane)))
                    && self.test_leaves(a, b, caches)?.is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        let pruning_limit2 = self.pruning_limit2;
        // The most promising pair is added last; sorting the others costs more than it saves.
        let mut last = Item { square: f32::INFINITY, key: f32::INFINITY, ..Item::NONE };
        let mut add = |a: u32, with: With, lane: usize| {
            let mut item = Item { a, with, square: found.squares[lane], key: keys[lane] };
            if item.key < last.key {
                core::mem::swap(&mut item, &mut last);
            }
            let beyond = item.square > pruning_limit2;
            if !beyond {
                agenda.push(item);
            }
        };
        for lane in lanes(pairs & !in_a & !in_b) {
            if let (Link::Node(a), Link::Node(b)) = (links_a.get(row_of(lane)), links_b.get(column_of(lane)))
            {
                add(a, With { b, mask: ALL }, lane);
            }
        }
        // Leaves continue as rows or columns of their parent: all those that may be near the same node, in one step.
        for slot in 0..PAIR_WIDTH {
            let same = pairs & in_a & !in_b & columns(1 << slot);
            if same != 0
                && let Link::Node(b) = links_b.get(slot)
            {
                add(a, With { b, mask: rows_of(same) }, nearest(same, &found));
            }
            let same = pairs & !in_a & in_b & rows(1 << slot);
            if same != 0
                && let Link::Node(a) = links_a.get(slot)
            {
                add(a, With { b, mask: columns_of(same) }, nearest(same, &found));
            }
        }
        // Infinity means that there is none.
        if last.square < f32::INFINITY && last.square <= pruning_limit2 {
            agenda.push(last);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Two triangles proven to be within the limit: they are the answer if any will do; else their bound becomes the
    /// limit.
    #[cold]
    #[inline(never)]
    fn accept(
        &mut self,
        WitnessBound { addresses, upper }: WitnessBound,
        caches: &mut [LeafCache<'_>; 2],
    ) -> ControlFlow<()> {
        let [a, b] = addresses.map(Spot::at);
        if matches!(self.aim, Aim::Any) {
            return self.take([a, b], caches);
        }
        self.first = Some(Waiting { a, b, lower: 0.0 });
        self.lower_limit(upper);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn test_leaves(
        &mut self,
        leaf_a: Leaf,
        leaf_b: Leaf,
        [cache_a, cache_b]: &mut [LeafCache<'_>; 2],
    ) -> Result<ControlFlow<()>, Exhausted> {
        self.budget.spend()?;
        self.budget.leaf_pairs += 1;
        let (Some(a), Some(b)) =
            (self.a.triangles(self.simd, leaf_a, cache_a), self.b.triangles(self.simd, leaf_b, cache_b))
        else {
            return Ok(ControlFlow::Continue(()));
        };
        let bounds = bounds(self.simd, a, b, &self.pose, self.pruning_limit);
        let used = first_pairs(leaf_a.triangles, leaf_b.triangles);
        let near = bounds.pairs & used;
        let pair = |lane: usize| Waiting {
            a: Spot { leaf: leaf_a, lane: lane / PAIR_WIDTH },
            b: Spot { leaf: leaf_b, lane: lane % PAIR_WIDTH },
            lower: bounds.lower[lane],
        };
        let waits = matches!(self.aim, Aim::Nearest(_));
        if waits {
            self.keep_least(bounds.bounded & used, &bounds.upper, pair);
        }
        for lane in lanes(near) {
            let pair = pair(lane);
            if pair.lower > self.pruning_limit {
                continue;
            }
            // Triangles that may meet, or that f32 cannot bound, are decided immediately.
            if waits && pair.lower > 0.0 && self.make_room() {
                self.waiting.push(pair);
            } else if self.decide((pair.a, a), (pair.b, b)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Lowers the limit to the least upper bound of these pairs.
    #[inline(always)]
    fn keep_least(&mut self, pairs: u32, upper: &[f32; PAIRS], pair: impl Fn(usize) -> Waiting) {
        let mut least = (f32::INFINITY, 0);
        for lane in lanes(pairs) {
            if upper[lane] < least.0 {
                least = (upper[lane], lane);
            }
        }
        let (least, lane) = (f64::from(least.0), least.1);
        if least < self.limit {
            // Others are decided immediately.
            self.first = Some(pair(lane)).filter(|pair| pair.lower > 0.0);
            self.lower_limit(least);
        }
    }

    /// Whether one more pair may wait; drops those that are too far away by now.
    #[inline(always)]
    fn make_room(&mut self) -> bool {
        if self.waiting.len() == ROOM {
            let pruning_limit = self.pruning_limit;
            self.waiting.retain(
                #[inline(always)]
                |pair| pair.lower <= pruning_limit,
            );
        }
        self.waiting.len() < ROOM
    }

    /// Decides the waiting pairs; first the one that set the limit.
    #[inline(always)]
    fn settle(&mut self, caches: &mut [LeafCache<'_>; 2]) -> ControlFlow<()> {
        let first = self.first;
        if let Some(first) = first {
            self.decide_waiting(&first, caches)?;
        }
        while let Some(pair) = self.waiting.pop() {
            let done = first.is_some_and(|first| first.a.is(&pair.a) && first.b.is(&pair.b));
            if !done && pair.lower <= self.pruning_limit {
                self.decide_waiting(&pair, caches)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn decide_waiting(
        &mut self,
        &Waiting { a, b, .. }: &Waiting,
        [cache_a, cache_b]: &mut [LeafCache<'_>; 2],
    ) -> ControlFlow<()> {
        match (self.a.triangles(self.simd, a.leaf, cache_a), self.b.triangles(self.simd, b.leaf, cache_b)) {
            (Some(record_a), Some(record_b)) => self.decide((a, record_a), (b, record_b)),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Computes the distance of two triangles, and applies it to the aim.
    #[inline(never)]
    fn decide(&mut self, a: (Spot, &Triangles), b: (Spot, &Triangles)) -> ControlFlow<()> {
        let (Some(corners_a), Some(corners_b)) =
            (self.a.corners(a.1, a.0.lane), self.b.corners(b.1, b.0.lane))
        else {
            return ControlFlow::Continue(());
        };
        let pose = self.pose.pose();
        let mut exact_tests = 0;
        let gap = gap(
            &corners_a.map3(|corner| corner.map3(f64::from)),
            &corners_b.map3(|corner| pose.apply(corner.map3(f64::from))),
            &mut exact_tests,
        );
        self.budget.triangle_pairs += 1;
        self.budget.exact_tests += exact_tests;
        let steps = 1 + EXACT_STEPS * exact_tests;
        self.charge(|walk| walk.budget.spend_beyond(steps, &mut walk.beyond))?;
        let (Some(number_a), Some(number_b)) = (self.a.number(a.1, a.0.lane), self.b.number(b.1, b.0.lane))
        else {
            return ControlFlow::Continue(());
        };
        let found = self.distance(&gap, number_a, number_b);
        if found.distance > self.limit {
            return ControlFlow::Continue(());
        }
        if matches!(self.aim, Aim::All(_) | Aim::Decreasing(..)) {
            let is_repeated = self.a.repeats() || self.b.repeats();
            if is_repeated && !self.charge(|walk| walk.are_first(&found, a, b))? {
                return ControlFlow::Continue(());
            }
            self.reports = self.charge(|walk| walk.reports.checked_sub(1).ok_or(Exhausted))?;
        }
        let nearer = self.best.is_none_or(|best| found.precedes(&best.found));
        if nearer {
            self.best = Some(BestPair { found, spots: [a.0, b.0] });
        }
        match &mut self.aim {
            Aim::All(visit) => return visit(&found),
            Aim::Any => return ControlFlow::Break(()),
            Aim::Decreasing(_, visit) => visit(&found)?,
            Aim::Nearest(_) if found.distance == 0.0 => return ControlFlow::Break(()),
            Aim::Nearest(_) => {}
        }
        self.lower_limit(found.distance);
        ControlFlow::Continue(())
    }

    /// Breaks, and is exhausted, where the budget ends.
    #[inline(always)]
    fn charge<T>(&mut self, spend: impl FnOnce(&mut Self) -> Result<T, Exhausted>) -> ControlFlow<(), T> {
        match spend(self) {
            Ok(result) => ControlFlow::Continue(result),
            Err(Exhausted) => {
                self.is_exhausted = true;
                ControlFlow::Break(())
            }
        }
    }

    #[inline(always)]
    fn distance(&self, gap: &Gap, a: u32, b: u32) -> Distance {
        let distance = square_root(self.simd, gap.square);
        let ([x, y, z], [nx, ny, nz]) = (gap.on_a, gap.normal);
        let direction = if distance > 0.0 { [nx / distance, ny / distance, nz / distance] } else { [0.0; 3] };
        Distance { distance, on_a: gap.on_a, on_b: [x + nx, y + ny, z + nz], direction, a, b }
    }

    /// Lowers the limit to a distance found, adjusted by the tolerance.
    #[inline(always)]
    fn lower_limit(&mut self, distance: f64) {
        match &self.aim {
            Aim::Nearest(allowance) => {
                if distance < self.limit {
                    self.limit = distance;
                    self.pruning_limit = upwards(allowance.before(distance));
                    self.pruning_limit2 = square_upwards(self.pruning_limit);
                }
            }
            Aim::Decreasing(allowance, _) => {
                let limit = allowance.beyond(distance);
                if limit < self.limit {
                    self.limit = limit;
                    self.pruning_limit = upwards(limit);
                    self.pruning_limit2 = square_upwards(self.pruning_limit);
                }
            }
            Aim::Any | Aim::All(_) => {}
        }
    }

    /// A split triangle is in several blocks, whose boxes each hold a part of it and together all of it. The walk finds
    /// the blocks whose parts hold the witness points, as long as these are within the limit. The first such blocks
    /// report the pair. A step for each part.
    #[cold]
    #[inline(never)]
    fn are_first(
        &mut self,
        found: &Distance,
        a: (Spot, &Triangles),
        b: (Spot, &Triangles),
    ) -> Result<bool, Exhausted> {
        let size = |v: [f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
        let pose = self.pose.pose();
        let slack = SLACK * (size(found.on_a) + size(found.on_b) + size(pose.translation()));
        let on_b = pose.inverse().apply(found.on_b);
        for (tree, (spot, record), point) in [(self.a, a, found.on_a), (self.b, b, on_b)] {
            if !tree.repeats() {
                continue;
            }
            for (block, part) in tree.parts_of(spot.leaf, record, spot.lane) {
                self.budget.part_tests += 1;
                self.budget.spend_beyond(1, &mut self.beyond)?;
                if part.is_around(point, slack) {
                    if block != tree.block_of(spot.leaf) {
                        return Ok(false);
                    }
                    break;
                }
            }
        }
        Ok(true)
    }
}

/// Error bound of the witness points, relative to their coordinates: about 256 f64 roundings.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;

/// A distance in f32, rounded up by more than the errors of f64 and of this conversion.
#[inline(always)]
fn upwards(distance: f64) -> f32 {
    const MARGIN: f32 = 1.0 + 1.0 / (1 << 22) as f32;
    (distance as f32 * MARGIN).next_up()
}

/// Upper bound of the squared limit, large enough that smaller squares are not lost to underflow.
#[inline(always)]
fn square_upwards(limit: f32) -> f32 {
    const MARGIN: f32 = 1.0 + 1.0 / (1 << 20) as f32;
    const LEAST: f32 = 1.0 / (1u128 << 100) as f32;
    let square = limit * limit * MARGIN;
    if square > LEAST { square } else { LEAST }
}

/// The pair whose boxes are nearest.
#[inline(always)]
fn nearest(pairs: u32, gaps: &LowerBounds) -> usize {
    let (mut best, mut least) = (pairs.trailing_zeros() as usize % PAIRS, f32::INFINITY);
    for lane in lanes(pairs) {
        // NaN counts as near.
        let beyond = gaps.squares[lane] >= least;
        if !beyond {
            (best, least) = (lane, gaps.squares[lane]);
        }
    }
    best
}

/// Pair lanes with their keys, the most promising first.
struct Order {
    items: [(usize, f32); PAIRS],
    count: usize,
}

impl Order {
    #[inline(always)]
    fn of(pairs: u32, keys: &[f32; PAIRS]) -> Self {
        let mut order = Self { items: [(0, 0.0); PAIRS], count: 0 };
        for lane in lanes(pairs) {
            let key = keys[lane];
            let mut index = order.count % PAIRS;
            while index > 0 && order.items[index - 1].1 > key {
                order.items[index] = order.items[index - 1];
                index -= 1;
            }
            order.items[index] = (lane, key);
            order.count += 1;
        }
        order
    }

    #[inline(always)]
    fn items(&self) -> &[(usize, f32)] {
        &self.items[..self.count.min(PAIRS)]
    }
}
