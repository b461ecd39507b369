//! What is asked of rays: the same questions for one ray, for a packet and for interleaved walks.

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
    /// What is known of a ray during its walk.
    type Found: Copy;

    /// In which order boxes are visited.
    type Order: Order;

    /// What is known before the walk of a ray that ends at `t_max`.
    fn start(t_max: f32) -> Self::Found;

    /// Tests the ray against the triangles of a block. Returns up to which `t` the walk goes on, or `Break` where the answer
    /// is known.
    fn visit<S: Kernel>(
        simd: S,
        model: &Model<'_>,
        frame: &Frame,
        visit: Visit<'_>,
        found: &mut Self::Found,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), f32>;

    /// Takes one hit of a ray of a packet. Returns up to which `t` the ray goes on: [`NEVER`](Self::NEVER) where its answer
    /// is known.
    fn take(model: &Model<'_>, visit: Visit<'_>, hit: Candidate, found: &mut Self::Found) -> f32;

    /// A limit that no `t` is within.
    const NEVER: f32 = f32::NEG_INFINITY;
}
