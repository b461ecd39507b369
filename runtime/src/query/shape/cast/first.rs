//! Which of several contacts is the first.

use core::cmp::Ordering;

use super::CastHit;
use super::walk::{Found, Plan};
use crate::shape::first_touch::{ContactNormal, Feature};

/// The first contact so far.
#[derive(Default)]
pub(super) struct First {
    best: Option<Held>,
}

struct Held {
    found: Found,
    /// Looked at only if the contact is from the start, or another one is as early.
    from: Option<ContactNormal>,
}

impl First {
    pub(super) fn offer(&mut self, found: &Found, plan: &Plan<'_>) {
        let mut other = Held { found: *found, from: None };
        if found.time.from_start {
            other.contact_normal(plan);
        }
        if self.best.as_mut().is_none_or(|held| other.compare(held, plan).is_lt()) {
            self.best = Some(other);
        }
    }

    /// How deep it is, if it is from the start.
    pub(super) fn depth(&self) -> Option<f32> {
        self.best.as_ref()?.depth()
    }

    pub(super) fn hit(self, plan: &Plan<'_>) -> Option<CastHit> {
        self.best.map(|mut held| {
            let from = held.contact_normal(plan);
            plan.describe(&held.found, from)
        })
    }
}

impl Held {
    fn contact_normal(&mut self, plan: &Plan<'_>) -> ContactNormal {
        *self
            .from
            .get_or_insert_with(|| plan.motion.mover.contact_normal(&self.found.exact, &self.found.time))
    }

    fn depth(&self) -> Option<f32> {
        Some(self.from?.depth? as f32)
    }

    /// The order of contacts: by what of them is touched only if nothing else tells.
    fn compare(&mut self, held: &mut Self, plan: &Plan<'_>) -> Ordering {
        let order = by_time_and_depth((self.found.time.t, self.depth()), (held.found.time.t, held.depth()));
        order.then_with(|| {
            let number = self.found.triangle.cmp(&held.found.triangle);
            let theirs = rank(held.contact_normal(plan).feature);
            // No rank is better than a face's.
            if number.is_ge() && theirs == 0 {
                return Ordering::Greater;
            }
            rank(self.contact_normal(plan).feature).cmp(&theirs).then(number)
        })
    }
}

/// The order of contacts, but for what is touched.
pub(crate) fn by_contact(a: &CastHit, b: &CastHit) -> Ordering {
    let by_feature = rank(a.feature).cmp(&rank(b.feature));
    by_time_and_depth((a.t, a.depth), (b.t, b.depth)).then(by_feature)
}

/// The earlier first, and of those at the start the deeper.
fn by_time_and_depth(a: (f64, Option<f32>), b: (f64, Option<f32>)) -> Ordering {
    let depth = |depth: Option<f32>| depth.unwrap_or(-1.0);
    a.0.total_cmp(&b.0).then(depth(b.1).total_cmp(&depth(a.1)))
}

/// Faces come before edges, and these before corners.
fn rank(feature: Feature) -> u8 {
    match feature {
        Feature::Face => 0,
        Feature::Edge(_) => 1,
        Feature::Vertex(_) => 2,
    }
}
