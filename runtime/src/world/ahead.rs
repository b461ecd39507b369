//! Prefetches of instances' records, for walks along rays through worlds that are larger than caches.

use bvhc_format::world::{Instance, InstanceLeaf};

use super::things::Things;
use crate::prefetch;
use crate::walk::as_block;

/// From this many instances on, a walk looks ahead. The records of fewer, at most 640 kB, are mostly in second-level caches, and
/// there looking ahead costs up to 3 % of a ray's time; beyond, it saves up to 40 %.
const LARGE: usize = 4096;

/// The records that a walk may ask for next.
#[derive(Clone, Copy)]
pub(super) struct Ahead<'a> {
    leaves: &'a [InstanceLeaf],
    records: &'a [Instance],
    /// Whether each instance has one leaf, so that a leaf's place is its instance's number. Then a record is prefetched at the same
    /// time as its leaf, not after it.
    is_by_place: bool,
}

impl<'a> Ahead<'a> {
    /// `None` if looking ahead does not pay.
    pub(super) fn of(things: &Things<'a>) -> Option<Self> {
        let (leaves, records) = (things.leaves, things.records);
        let is_by_place = leaves.len() == records.len();
        (records.len() >= LARGE).then_some(Self { leaves, records, is_by_place })
    }

    /// For a child of which the leaf, if it is one, need not be in a cache: where the leaf tells the record, it is not waited for.
    #[inline(always)]
    pub(super) fn prefetch_by_place(&self, child: u32) {
        if self.is_by_place {
            self.prefetch(child);
        }
    }

    /// For a child of which the leaf was prefetched, if it is one.
    #[inline(always)]
    pub(super) fn prefetch(&self, child: u32) {
        let Some(place) = as_block(child) else { return };
        let place = place as usize;
        let instance = match self.is_by_place {
            true => Some(place),
            false => self.leaves.get(place).map(|leaf| leaf.instance as usize),
        };
        if let Some(record) = instance.and_then(|instance| self.records.get(instance)) {
            prefetch::instance(record);
        }
    }
}
