//! Whether there is any hit.

use core::ops::ControlFlow;

use super::Answer;
use crate::model::Model;
use crate::ray::{Frame, Scaled};
use crate::simd::Kernel;
use crate::triangle::ray::{Candidate, hits_in_block};
use crate::walk::Visit;
use crate::walk::probe::Sink;
use crate::walk::ray::AnyOrder;
use crate::walk::ray::question::Question;

pub(super) struct Any;

impl Question for Any {
    type Found = bool;
    type Order = AnyOrder;

    #[inline(always)]
    fn start(_: f32) -> bool {
        false
    }

    #[inline(always)]
    fn visit<S: Kernel>(
        simd: S,
        _: &Model<'_>,
        frame: &Frame,
        visit: Visit<'_>,
        found: &mut bool,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), f32> {
        hits_in_block::<S, false>(
            simd,
            visit.block,
            frame,
            frame.t_max,
            #[inline(always)]
            |hit| *found |= sink.accepts(&visit, hit.lane),
        );
        if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(frame.t_max) }
    }

    #[inline(always)]
    fn take(_: &Model<'_>, _: Visit<'_>, _: Candidate, found: &mut bool) -> f32 {
        *found = true;
        Self::NEVER
    }
}

impl Answer for Any {
    type Answer = bool;

    const MISS: bool = false;

    #[inline(always)]
    fn answer<S: Kernel>(_: S, _: &Model<'_>, found: &bool) -> bool {
        *found
    }

    fn unscale(_: &Scaled, found: bool) -> bool {
        found
    }
}
