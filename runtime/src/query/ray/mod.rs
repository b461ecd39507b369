//! Ray queries: closest hit, any hit, all hits; for one ray or many.

mod all;
mod any;
mod batch;
mod closest;

pub use all::VisitControl;

use any::Any;
use closest::Closest;

use crate::model::Model;
use crate::ray::{Class, Frame, Hit, Ray, Scaled};
use crate::simd::{Kernel, dispatch_as_is};
use crate::walk::ROOT;
use crate::walk::probe::{Erased, Probe, Sink};
use crate::walk::ray::question::Question;
use crate::walk::ray::walk;

impl Model<'_> {
    /// The hit with the smallest `t`; among equals, the one with the lowest triangle number.
    ///
    /// A miss is `None`. Bit-identical on every CPU. Does not allocate or panic. Watertight: no ray passes between the
    /// triangles at an edge or a corner of a closed mesh. Cost: usually logarithmic in the number of triangles.
    pub fn closest_hit(&self, ray: &Ray) -> Option<Hit> {
        self.ask::<Closest>(ROOT, ray)
    }

    /// As [`closest_hit`](Self::closest_hit), among the triangles that `probe` accepts.
    pub fn closest_hit_with<P: Probe>(&self, ray: &Ray, probe: &mut P) -> Option<Hit> {
        self.ask_erased::<Closest>(ROOT, ray, &mut Erased::new(probe))
    }

    /// Whether the ray hits anything in its range. Faster than [`closest_hit`](Self::closest_hit).
    pub fn any_hit(&self, ray: &Ray) -> bool {
        self.ask::<Any>(ROOT, ray)
    }

    /// As [`any_hit`](Self::any_hit), among the triangles that `probe` accepts.
    pub fn any_hit_with<P: Probe>(&self, ray: &Ray, probe: &mut P) -> bool {
        self.ask_erased::<Any>(ROOT, ray, &mut Erased::new(probe))
    }

    /// As [`closest_hit_with`](Self::closest_hit_with), among the triangles below a child reference of the tree, by a walk for this
    /// level.
    #[inline(always)]
    pub(crate) fn closest_hit_below<S: Kernel>(
        &self,
        simd: S,
        child: u32,
        ray: &Ray,
        probe: &mut Erased<'_>,
    ) -> Option<Hit> {
        single_here::<_, Closest>(simd, self, child, ray, probe)
    }

    /// As [`any_hit_with`](Self::any_hit_with), likewise.
    #[inline(always)]
    pub(crate) fn any_hit_below<S: Kernel>(
        &self,
        simd: S,
        child: u32,
        ray: &Ray,
        probe: &mut Erased<'_>,
    ) -> bool {
        single_here::<_, Any>(simd, self, child, ray, probe)
    }

    fn ask<Q: Answer>(&self, child: u32, ray: &Ray) -> Q::Answer {
        dispatch_as_is!(self.level().inner(), simd => single::<_, Q>(simd, self, child, ray, &mut ()))
    }

    fn ask_erased<Q: Answer>(&self, child: u32, ray: &Ray, probe: &mut Erased<'_>) -> Q::Answer {
        dispatch_as_is!(self.level().inner(), simd => single::<_, Q>(simd, self, child, ray, probe))
    }

    /// The answer for a ray without a class, whose direction is very short or very long: traces a scaled ray.
    #[cold]
    #[inline(never)]
    fn ask_scaled<Q: Answer>(&self, child: u32, ray: &Ray, sink: &mut impl Sink) -> Q::Answer {
        match Scaled::of(ray) {
            Some(scaled) => {
                let ask = |probe: &mut Erased<'_>| self.ask_erased::<Q>(child, &scaled.ray, probe);
                Q::unscale(&scaled, sink.with_erased(ask))
            }
            None => Q::MISS,
        }
    }
}

/// The answer to a question.
trait Answer: Question {
    type Answer: Clone;

    /// The answer of a ray that hits nothing.
    const MISS: Self::Answer;

    /// The answer, once the walk is done.
    fn answer<S: Kernel>(simd: S, model: &Model<'_>, found: &Self::Found) -> Self::Answer;

    /// Converts the answer of a scaled ray to the original ray.
    fn unscale(scaled: &Scaled, answer: Self::Answer) -> Self::Answer;
}

/// As [`single`], for a caller that has just made the ray and is compiled for the level: the frame is made there, since a ray that is
/// stored by other pieces than it is loaded by is waited for.
#[inline(always)]
fn single_here<S: Kernel, Q: Answer>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    ray: &Ray,
    probe: &mut Erased<'_>,
) -> Q::Answer {
    let Some(class) = Class::of(ray) else {
        // A copy, so that only it is stored.
        let ray = *ray;
        return model.ask_scaled::<Q>(child, &ray, probe);
    };
    let frame = Frame::new(simd, ray, class, model.extent());
    // An idle probe costs nothing as `()`.
    if probe.is_idle() {
        simd.vectorize(
            #[inline(always)]
            || trace::<_, Q>(simd, model, child, &frame, &mut ()),
        )
    } else {
        simd.vectorize(
            #[inline(always)]
            || trace::<_, Q>(simd, model, child, &frame, probe),
        )
    }
}

/// One ray's answer, compiled for the level.
#[inline(always)]
fn single<S: Kernel, Q: Answer>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    ray: &Ray,
    sink: &mut impl Sink,
) -> Q::Answer {
    simd.vectorize(
        #[inline(always)]
        || {
            let Some(class) = Class::of(ray) else { return model.ask_scaled::<Q>(child, ray, sink) };
            let frame = Frame::new(simd, ray, class, model.extent());
            trace::<_, Q>(simd, model, child, &frame, sink)
        },
    )
}

/// The answer of a ray with this frame.
#[inline(always)]
fn trace<S: Kernel, Q: Answer>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    frame: &Frame,
    sink: &mut impl Sink,
) -> Q::Answer {
    let mut found = Q::start(frame.t_max);
    walk::<S, _, Q::Order>(
        simd,
        model,
        child,
        frame,
        sink,
        #[inline(always)]
        |visit, sink| Q::visit(simd, model, frame, visit, &mut found, sink),
    );
    Q::answer(simd, model, &found)
}
