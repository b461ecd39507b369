//! Winding numbers.

use core::ops::ControlFlow;

use bvhc_format::record::Block;

use crate::bounds::Aabb;
use crate::model::Model;
use crate::query::boundary::{Turns, turns};
use crate::query::inside::{InsideRule, Place};
use crate::simd::{Kernel, dispatch};
use crate::stack::Stack;
use crate::triangle::corners;
use crate::triangle::crossing::{Crossing, HalfLine};
use crate::walk::duplicates::DuplicateElimination;
use crate::walk::interleaved::{INTERLEAVED, Walks, run};
use crate::walk::{ROOT, Visit, all, prefetch_child};

/// How often a surface winds around a point: its solid angle, seen from there, over 4 pi.
///
/// Inside a closed mesh with its front outside it is 1, outside it is 0. Where closed parts overlap, their numbers add up;
/// a mesh inside out counts -1. Near a hole the number changes gradually.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winding {
    /// The number; an integer if it is exact.
    pub value: f64,
    /// A bound of its error: 0 if the surface is closed, otherwise some 1e-13 for each edge of the boundary, for edges nearby times
    /// their length over their distance from the point; infinite if the file has no section solid.
    pub error: f64,
}

impl Winding {
    /// Of points outside, and of those that are no numbers or are infinitely far away.
    const OUTSIDE: Self = Self { value: 0.0, error: 0.0 };

    /// Whether the number is exact, as it is for closed surfaces.
    pub fn is_exact(&self) -> bool {
        self.error == 0.0
    }

    /// Where a point with this winding number is: in, out or unsure.
    ///
    /// ```
    /// use bvhc_runtime::{InsideRule, Place, Winding};
    ///
    /// let place = |value, error| Winding { value, error }.place(InsideRule::NonZero);
    /// assert_eq!([place(1.0, 0.0), place(0.4, 0.05)], [Place::In, Place::Out]);
    /// assert_eq!(place(0.46, 0.05), Place::Unsure);
    /// ```
    pub fn place(&self, rule: InsideRule) -> Place {
        // Most are exact, and need no rounding.
        if self.error == 0.0 && f64::from(self.value as i32) == self.value {
            return if rule.holds(self.value) { Place::In } else { Place::Out };
        }
        // The integers that the number may be nearest to; at a tie, both.
        let least = libm::ceil(self.value - self.error - 0.5);
        let most = libm::floor(self.value + self.error + 0.5);
        let is_in = rule.holds(least);
        let is_known = most - least <= 2.0 && rule.holds(least + 1.0) == is_in || most == least;
        match is_known && rule.holds(most) == is_in {
            false => Place::Unsure,
            true if is_in => Place::In,
            true => Place::Out,
        }
    }

    /// As [`place`](Self::place), of the value alone: never unsure.
    pub(super) fn is_likely_in(&self, rule: InsideRule) -> bool {
        rule.holds(libm::round(self.value))
    }
}

impl<'a> Model<'a> {
    /// Whether the file says that the surface has no boundary: along each edge as many triangles go one way as the other. It may
    /// intersect itself: [`intersecting_triangles`](Self::intersecting_triangles). Winding numbers are exact then.
    pub fn is_closed(&self) -> bool {
        self.sections().solid().is_some_and(|solid| solid.boundary.is_empty())
    }

    /// The numbers of the triangles that intersect others of the model, ascending; `None` if the file does not say it: it does on
    /// request (`bvhc --intersections`).
    ///
    /// Exact. Two triangles intersect if they have a point in common that is neither a corner of both nor on an edge between two
    /// corners of both, or if all their corners are the same. If there are none and the surface [is closed](Self::is_closed), it is the
    /// boundary of a region, whichever way it faces; parts of it may meet at common corners and edges.
    pub fn intersecting_triangles(&self) -> Option<impl ExactSizeIterator<Item = u32> + use<'a>> {
        let triangles = self.sections().intersections()?.triangles.get();
        Some(triangles.iter().map(|triangle| triangle.to_native()))
    }

    /// The winding number of the surface around a point; `None` on the surface, where it has none.
    ///
    /// Exact, an integer, if the surface is closed: if along each edge as many triangles go one way as the other
    /// ([`Sections::solid`](crate::Sections::solid) has no boundary). The triangles may intersect each other. Otherwise it
    /// has an error, which is bounded. Vertices are those in the file, which a small layout has moved: closed meshes stay
    /// closed. A point that is not finite has the number 0. Bit-identical on every CPU. Does not allocate or panic. Cost: the
    /// blocks along a half-line to the nearest side of the bounds, and some 10 ns for each edge of the boundary.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
    /// // An open surface of two by one: at first its front is far below, then its back is near above.
    /// let above = model.winding([1.0, 0.5, 10.0]).expect("not on the surface");
    /// let below = model.winding([1.0, 0.5, -0.01]).expect("not on the surface");
    /// assert!(above.value < 0.0 && above.value > -0.01 && below.value > 0.4);
    /// assert!(below.error < 1e-9 && !below.is_exact());
    /// assert_eq!(model.winding([1.0, 0.5, 0.0]), None);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn winding(&self, point: impl Into<[f32; 3]>) -> Option<Winding> {
        let point = point.into();
        dispatch!(self.level().inner(), simd => winding(simd, self, point))
    }

    /// The winding number around each of `points`, as [`winding`](Self::winding) gives it: `answers[i]` is of `points[i]`. If
    /// the slices differ in length, the rest of the longer one is ignored. In models of more than 24 MiB eight points are
    /// interleaved, up to 2.7 times as fast as one by one.
    pub fn windings(&self, points: &[[f32; 3]], answers: &mut [Option<Winding>]) {
        let points = &points[..points.len().min(answers.len())];
        self.windings_each(points, |number, winding| answers[number] = winding);
    }

    /// As [`windings`](Self::windings), but interleaved for any model size; for tests.
    #[doc(hidden)]
    pub fn windings_interleaved(&self, points: &[[f32; 3]], answers: &mut [Option<Winding>]) {
        let points = &points[..points.len().min(answers.len())];
        interleaved(self, points, &mut |number, winding| answers[number] = winding);
    }

    /// Calls `answer` with the number of each point, in any order, and its winding number. Where walks wait for memory, several are
    /// interleaved.
    pub(super) fn windings_each(&self, points: &[[f32; 3]], mut answer: impl FnMut(usize, Option<Winding>)) {
        if self.is_large() {
            return interleaved(self, points, &mut answer);
        }
        for (number, point) in points.iter().enumerate() {
            answer(number, self.winding(*point));
        }
    }
}

#[inline(always)]
fn winding<S: Kernel>(simd: S, model: &Model<'_>, point: [f32; 3]) -> Option<Winding> {
    if is_beside(model, point) {
        return Some(beside(simd, model, point));
    }
    let line = HalfLine::leaving(&model.bounds(), point);
    let crossings = crossings(simd, model, &line)?;
    Some(with_boundary(simd, model, &line, crossings))
}

/// Whether a half-line from a point meets no triangle. So it is if a coordinate is no number.
#[inline(always)]
fn is_beside(model: &Model<'_>, point: [f32; 3]) -> bool {
    let bounds = model.bounds();
    (0..3).any(|axis| !(point[axis] >= bounds.min[axis] && point[axis] <= bounds.max[axis]))
}

/// The winding number of a point beside the bounds: only a boundary turns around it.
#[inline(always)]
fn beside<S: Kernel>(simd: S, model: &Model<'_>, point: [f32; 3]) -> Winding {
    if model.is_closed() || !point.iter().all(|x| x.is_finite()) {
        return Winding::OUTSIDE;
    }
    with_boundary(simd, model, &HalfLine::leaving(&model.bounds(), point), 0)
}

/// The winding number of a point whose half-line crosses the surface so often.
#[inline(always)]
fn with_boundary<S: Kernel>(simd: S, model: &Model<'_>, line: &HalfLine, crossings: i64) -> Winding {
    let crossings = crossings as f64;
    let Some(solid) = model.sections().solid() else {
        return Winding { value: crossings, error: f64::INFINITY };
    };
    let boundary = solid.boundary.get();
    if boundary.is_empty() {
        return Winding { value: crossings, error: 0.0 };
    }
    let Turns { value, error } = turns(simd, boundary, line);
    let value = crossings + value;
    // Twice the rounding of the sum.
    Winding { value, error: error + f64::EPSILON * (crossings.abs() + value.abs()) }
}

/// How often a half-line crosses the surface outwards, more than inwards; `None` if its point is on the surface.
#[inline(always)]
fn crossings<S: Kernel>(simd: S, model: &Model<'_>, line: &HalfLine) -> Option<i64> {
    let mut duplicates = DuplicateElimination::new(model);
    let around = line.as_box();
    let mut count = 0;
    let walked = all::walk(
        simd,
        model,
        ROOT,
        &around,
        &mut (),
        #[inline(always)]
        |visit, sink| match crossings_of(simd, &visit, (line, &around), &mut duplicates, sink) {
            Some(of_block) => {
                count += of_block;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        },
    );
    walked.is_continue().then_some(count)
}

/// The same for the triangles of a block.
#[inline(always)]
fn crossings_of<S: Kernel>(
    simd: S,
    visit: &Visit<'_>,
    (line, around): (&HalfLine, &Aabb),
    duplicates: &mut DuplicateElimination<'_>,
    sink: &mut (),
) -> Option<i64> {
    let found = line.look_at(simd, visit.block);
    // A split triangle is counted in one of its blocks.
    let (sure, split) = (found.outwards | found.inwards, u32::from(visit.block.split));
    let mut count = i64::from((found.outwards & !split).count_ones());
    count -= i64::from((found.inwards & !split).count_ones());
    let mut left = found.unsure | sure & split;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        let step = match line.crossing(&corners(visit.block, lane)) {
            Crossing::Misses => continue,
            Crossing::On => return None,
            Crossing::Outwards => 1,
            Crossing::Inwards => -1,
        };
        if let Some(triangle) = visit.triangle(lane)
            && duplicates.reports(
                visit,
                lane,
                triangle,
                sink,
                #[inline(always)]
                |node| all::meets(simd, node, around),
            )
        {
            count += step;
        }
    }
    Some(count)
}

/// Takes the number of a point and its winding number. Called once a point, so one copy of the walk serves all.
type Answer<'a> = &'a mut dyn FnMut(usize, Option<Winding>);

/// Calls `answer` with the number of each point and its winding number.
fn interleaved(model: &Model<'_>, points: &[[f32; 3]], answer: Answer<'_>) {
    dispatch!(model.level().inner(), simd => {
        let stacks = [const { Stack::new() }; INTERLEAVED];
        let mut walks = Points { simd, model, points, next: 0, stacks, scratch: Block::EMPTY, answer };
        run(&mut walks, model);
    });
}

/// Walks for winding numbers that are interleaved.
struct Points<'a, S> {
    simd: S,
    model: &'a Model<'a>,
    points: &'a [[f32; 3]],
    /// The number of the next point to start.
    next: usize,
    stacks: [Stack; INTERLEAVED],
    scratch: Block,
    answer: Answer<'a>,
}

/// The state of a walk while others take their turns.
struct Paused<'a> {
    number: usize,
    line: HalfLine,
    around: Aabb,
    duplicates: DuplicateElimination<'a>,
    child: u32,
    /// `None` once the point is found to be on the surface.
    crossings: Option<i64>,
}

impl<'a, S: Kernel> Walks for Points<'a, S> {
    type Walker = Paused<'a>;

    #[inline(always)]
    fn start(&mut self, slot: usize) -> Option<Paused<'a>> {
        self.stacks[slot].clear();
        let model = self.model;
        while let Some(point) = self.points.get(self.next) {
            let number = self.next;
            self.next += 1;
            if is_beside(model, *point) {
                (self.answer)(number, Some(beside(self.simd, model, *point)));
                continue;
            }
            let line = HalfLine::leaving(&model.bounds(), *point);
            let (around, duplicates) = (line.as_box(), DuplicateElimination::new(model));
            return Some(Paused { number, line, around, duplicates, child: ROOT, crossings: Some(0) });
        }
        None
    }

    #[inline(always)]
    fn step(&mut self, slot: usize, paused: &mut Paused<'a>) -> bool {
        let Paused { line, around, duplicates, child, crossings, .. } = paused;
        let stack = &mut self.stacks[slot];
        let simd = self.simd;
        let made = all::step(
            simd,
            self.model,
            *child,
            around,
            (&mut *stack, &mut self.scratch),
            &mut (),
            #[inline(always)]
            |visit, sink| {
                let of_block = crossings_of(simd, &visit, (&*line, &*around), duplicates, sink);
                *crossings = crossings.zip(of_block).map(|(count, of_block)| count + of_block);
                if crossings.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        if made.is_break() {
            return false;
        }
        let Some((next, _)) = stack.pop() else { return false };
        prefetch_child(self.model, next);
        *child = next;
        true
    }

    #[inline(always)]
    fn finish(&mut self, paused: Paused<'a>) {
        let Paused { number, line, crossings, .. } = paused;
        let winding = crossings.map(|crossings| with_boundary(self.simd, self.model, &line, crossings));
        (self.answer)(number, winding);
    }
}
