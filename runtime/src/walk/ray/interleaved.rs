//! Interleaved walks of incoherent rays.

use core::ops::ControlFlow;

use bvhc_format::record::Block;

use super::question::Question;
use super::{Order, SlabTest, descend};
use crate::model::Model;
use crate::ray::{Class, Frame, Ray};
use crate::simd::Kernel;
use crate::stack::{NodeGroupScratch, NodeGroupStack};
use crate::walk::interleaved::{INTERLEAVED, Walks, run};
use crate::walk::probe::Sink;
use crate::walk::{Visit, as_block, prefetch_child};

/// The children of a node in a question's order.
type Group<'m, S, Q> = <<Q as Question>::Order as Order>::NodeGroup<'m, S>;

/// Traces each ray that has a class, as [`walk`](super::walk) does for one. `finish` gets a ray's index and what was
/// found.
#[inline(always)]
pub(crate) fn walk<'m, S: Kernel, Q: Question>(
    simd: S,
    model: &'m Model<'m>,
    rays: &[Ray],
    sink: &mut impl Sink,
    finish: impl FnMut(usize, &Q::Found),
) {
    let mut waiting: [NodeGroupScratch<Group<'m, S, Q>>; INTERLEAVED] =
        core::array::from_fn(|_| NodeGroupScratch::new());
    let stacks = waiting.each_mut().map(NodeGroupStack::new);
    let mut walks =
        Rays::<S, Q, _, _> { simd, model, rays, next: 0, stacks, scratch: Block::EMPTY, sink, finish };
    run(&mut walks, model);
}

struct Rays<'m, 'r, S: Kernel, Q: Question, P, F> {
    simd: S,
    model: &'m Model<'m>,
    rays: &'r [Ray],
    /// The index of the next ray to start.
    next: usize,
    stacks: [NodeGroupStack<'r, Group<'m, S, Q>>; INTERLEAVED],
    scratch: Block,
    sink: &'r mut P,
    finish: F,
}

/// The walk of a ray.
struct Walker<S: Kernel, T> {
    /// The ray's index.
    ray: usize,
    frame: Frame,
    boxes: SlabTest<S>,
    /// What is visited next.
    child: u32,
    limit: f32,
    found: T,
}

impl<'m, S: Kernel, Q: Question, P: Sink, F: FnMut(usize, &Q::Found)> Walks for Rays<'m, '_, S, Q, P, F> {
    type Walker = Walker<S, Q::Found>;

    #[inline(always)]
    fn start(&mut self, slot: usize) -> Option<Self::Walker> {
        self.stacks[slot].clear();
        while let Some(ray) = self.rays.get(self.next) {
            self.next += 1;
            if let Some(class) = Class::of(ray) {
                let frame = Frame::new(self.simd, ray, class, self.model.extent());
                let boxes = SlabTest::new(self.simd, &frame);
                let limit = boxes.limit(frame.t_max);
                let found = Q::start(ray.t_max);
                return Some(Walker { ray: self.next - 1, frame, boxes, child: 0, limit, found });
            }
        }
        None
    }

    #[inline(always)]
    fn step(&mut self, slot: usize, walker: &mut Self::Walker) -> bool {
        let (simd, model, stack) = (self.simd, self.model, &mut self.stacks[slot]);
        let mut next = None;
        if let Some(reference) = as_block(walker.child) {
            if let Some(block) = model.sections().blocks().fetch(simd, reference, &mut self.scratch) {
                let visit = Visit::new(model, reference, block, self.sink);
                match Q::visit(simd, model, &walker.frame, visit, &mut walker.found, self.sink) {
                    ControlFlow::Continue(closer) => walker.limit = walker.boxes.limit(closer),
                    ControlFlow::Break(()) => return false,
                }
            }
        } else if let Some(node) = model.sections().nodes().get(walker.child as usize) {
            self.sink.visits_node();
            next =
                descend::<S, Q::Order>(simd, &walker.boxes, node, walker.limit, stack).map(|next| next.child);
        }
        let Some(child) = next.or_else(
            #[inline(always)]
            || stack.take(simd, walker.limit.to_bits() as i32),
        ) else {
            return false;
        };
        walker.child = child;
        prefetch_child(model, child);
        true
    }

    #[inline(always)]
    fn finish(&mut self, walker: Self::Walker) {
        (self.finish)(walker.ray, &walker.found);
    }
}
