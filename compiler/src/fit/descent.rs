//! Descent from a frame to one that no rotation around a single axis improves.
//!
//! One axis is fixed, the points are projected along it, and the other two axes turn to the best rectangle around
//! the projection: it is flush with an edge of the polygon's hull, so the step is exact. The axes are fixed in turn until
//! no step around any of them gains: the step that gained last need not be repeated.
//!
//! Based on: the inner step of Chang, Gorissen, Melchior, "Fast oriented bounding box optimization on the rotation
//! group SO(3, R)", 2011. Departure: there it follows a Nelder-Mead search; here it is the whole search.

use super::cloud::Cloud;
use super::frame::Frame;
use super::hull::Hull;
use super::objective::Objective;
use super::plane::{Polygon, Rectangle};
use super::silhouette::{self, Silhouette};
use crate::simd::dispatch;

/// A turn counts as progress where it lowers the measure by at least this share.
const PROGRESS: f64 = 1e-7;

/// Turns after which a descent stops though it still gains: some sets allow long chains of tiny steps.
const MAX_TURNS: usize = 64;

/// A frame, and the measure of the box along its axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) frame: Frame,
    pub(super) measure: f64,
}

/// Reused memory of a descent.
#[derive(Debug, Default)]
pub(super) struct Descent {
    projected: Vec<[f64; 2]>,
    polygon: Polygon,
    silhouette: Silhouette,
}

impl Descent {
    /// Makes this ready for clouds of the vertices of a solid hull.
    pub(super) fn prepare(&mut self, hull: &Hull) {
        if hull.vertices().len() <= silhouette::MAX_VERTICES {
            self.silhouette.fill(hull);
        }
    }

    /// The end of the descent that starts at `frame`, or where it comes to a measure for which `is_known` holds.
    pub(super) fn run(
        &mut self,
        cloud: &Cloud,
        objective: Objective,
        start: Frame,
        is_known: impl Fn(f64) -> bool,
    ) -> Candidate {
        // The same operations, and so the same bits, on every level.
        dispatch!(_ => self.run_on_level(cloud, objective, start, is_known))
    }

    #[inline(always)]
    fn run_on_level(
        &mut self,
        cloud: &Cloud,
        objective: Objective,
        mut frame: Frame,
        is_known: impl Fn(f64) -> bool,
    ) -> Candidate {
        let mut extents = cloud.extents(&frame);
        let mut measure = objective.measure(extents);
        // Turns that may yet gain before all three axes have been tried.
        let mut left = 3;
        for turn in 0..MAX_TURNS {
            let fixed = turn % 3;
            match self.turn(cloud, objective, &frame, (fixed, extents[fixed])) {
                Some(Rectangle { direction, extents: sides, .. }) => {
                    let mut turned = extents;
                    [turned[(fixed + 1) % 3], turned[(fixed + 2) % 3]] = sides;
                    let found = objective.measure(turned);
                    left -= 1;
                    if found < measure * (1.0 - PROGRESS) {
                        (extents, measure, left) = (turned, found, 2);
                        frame = frame.turned(fixed, direction);
                        if is_known(measure) {
                            break;
                        }
                    }
                }
                None => left -= 1,
            }
            if left == 0 {
                break;
            }
        }
        Candidate { frame: frame.squared(), measure }
    }

    /// The best rectangle around the points along the fixed axis, along which they have a height.
    #[inline(always)]
    fn turn(
        &mut self,
        cloud: &Cloud,
        objective: Objective,
        frame: &Frame,
        (fixed, height): (usize, f64),
    ) -> Option<Rectangle> {
        let [axis, i, j] = [frame.axes[fixed], frame.axes[(fixed + 1) % 3], frame.axes[(fixed + 2) % 3]];
        cloud.project([i, j], &mut self.projected);
        if self.projected.len() <= silhouette::MAX_VERTICES {
            return self.silhouette.best_rectangle(&self.projected, objective, [axis, i, j], height);
        }
        self.polygon.enclose_roughly(&mut self.projected);
        self.polygon.best_rectangle(Some(height), objective)
    }
}
