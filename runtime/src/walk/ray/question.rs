//! Questions about rays: the same for one ray, for a packet and for interleaved walks.

use core::ops::ControlFlow;

use super::Order;
use crate::model::Model;
use crate::ray::Frame;
use crate::simd::Kernel;
use crate::triangle::ray::Candidate;
use crate::walk::Visit;
use crate::walk::probe::Sink;

/// A question about a ray.
pub(crate) trait Question {
    /// The state of a ray during its walk.
    type Found: Copy;

    /// The order in which boxes are visited.
    type Order: Order;

    /// The initial state of a ray that ends at `t_max`.
    fn start(t_max: f32) -> Self::Found;

    /// Tests the ray against the triangles of a block. Returns the `t` up to which the walk continues, or `Break` if
    /// the answer is known.
    fn visit<S: Kernel>(
        simd: S,
        model: &Model<'_>,
        frame: &Frame,
        visit: Visit<'_>,
        found: &mut Self::Found,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), f32>;

    /// Takes one hit of a ray of a packet. Returns the `t` up to which the ray continues, or [`NEVER`](Self::NEVER) if
    /// its answer is known.
    fn take(model: &Model<'_>, visit: Visit<'_>, hit: Candidate, found: &mut Self::Found) -> f32;

    /// A limit that excludes every `t`.
    const NEVER: f32 = f32::NEG_INFINITY;
}
