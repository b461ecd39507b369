//! Instances and boxes with a tree over them, wherever their records are: what all queries of worlds walk through.

use bvhc_format::NONE;
use bvhc_format::record::{NODE_WIDTH, WideNode};
use bvhc_format::world::{Instance, InstanceLeaf};
use rkyv::rend::u32_le;

use super::bounds_of;
use super::filter::WorldFilter;
use crate::bounds::Aabb;
use crate::level::Level;
use crate::model::Model;
use crate::ray::Extent;
use crate::similarity::Similarity;
use crate::walk::ROOT;

/// The records of a file's world, or of moving things in the caller's memory.
#[derive(Clone, Copy)]
pub(super) struct Things<'a> {
    pub(super) nodes: &'a [WideNode],
    /// For each node the layers of the instances below it.
    pub(super) node_layers: &'a [u32_le],
    /// Ascending by instance, then by slot.
    pub(super) leaves: &'a [InstanceLeaf],
    /// An instance of no mesh ([`NONE`]) is a box, in the world's space.
    pub(super) records: &'a [Instance],
    pub(super) models: &'a [Option<Model<'a>>],
    /// The leaf of a file's world of nothing but a mesh that is where it is in its own space: rays are asked of that mesh.
    pub(super) in_place: Option<&'a InstanceLeaf>,
    /// Of all boxes.
    pub(super) extent: Extent,
    /// The layers that queries see.
    pub(super) layers: u32,
    pub(super) level: Level,
}

/// What a leaf holds.
pub(super) enum Seen<'a> {
    Mesh(Part<'a>),
    /// The caller's box.
    Box(Aabb),
}

/// The part of an instance that a leaf holds.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) instance: u32,
    pub(super) model: &'a Model<'a>,
    /// Where the mesh's tree is entered.
    pub(super) child: u32,
    pub(super) record: &'a Instance,
}

impl Part<'_> {
    /// Where the instance is.
    #[inline(always)]
    pub(super) fn similarity(&self) -> Similarity {
        Similarity::of(self.record)
    }
}

/// The leaf of the world of these records, if it is nothing but a mesh that is not moved.
pub(super) fn in_place<'a>(leaves: &'a [InstanceLeaf], records: &[Instance]) -> Option<&'a InstanceLeaf> {
    let [leaf] = leaves else { return None };
    let record = records.get(leaf.instance as usize)?;
    let is_mesh = record.mesh != NONE && leaf.slot == NONE;
    (is_mesh && Similarity::of(record).is_identity()).then_some(leaf)
}

impl<'a> Things<'a> {
    pub(super) fn record(&self, number: u32) -> Option<&'a Instance> {
        self.records.get(number as usize)
    }

    pub(super) fn mesh(&self, mesh: u32) -> Option<&'a Model<'a>> {
        self.models.get(mesh as usize)?.as_ref()
    }

    /// A box around an instance.
    pub(super) fn bounds(&self, instance: u32) -> Option<Aabb> {
        Some(bounds_of(self.record(instance)?.bounds))
    }

    /// What a leaf holds, if queries with this filter see it; `None` too where a corrupt file refers to nothing.
    pub(super) fn seen(&self, leaf: &InstanceLeaf, filter: &mut dyn WorldFilter) -> Option<Seen<'a>> {
        self.seen_if(leaf, |instance| filter.accepts_instance(instance))
    }

    /// The same, if this accepts its instance.
    #[inline(always)]
    pub(super) fn seen_if(&self, leaf: &InstanceLeaf, accepts: impl FnOnce(u32) -> bool) -> Option<Seen<'a>> {
        self.seen_below(leaf.instance, leaf.slot, accepts)
    }

    /// An instance as a whole, likewise.
    pub(super) fn whole(&self, instance: u32, filter: &mut dyn WorldFilter) -> Option<Seen<'a>> {
        self.seen_below(instance, NONE, |instance| filter.accepts_instance(instance))
    }

    #[inline(always)]
    fn seen_below(&self, instance: u32, slot: u32, accepts: impl FnOnce(u32) -> bool) -> Option<Seen<'a>> {
        let record = self.record(instance).filter(|record| record.layers & self.layers != 0)?;
        if record.mesh == NONE {
            let bounds = bounds_of(record.bounds);
            // In a corrupt file an instance may pass itself off as a caller's box.
            return (bounds.is_within_limits() && accepts(instance)).then_some(Seen::Box(bounds));
        }
        self.part(instance, slot, record).filter(|_| accepts(instance)).map(Seen::Mesh)
    }

    /// As [`seen`](Self::seen), of meshes only.
    pub(super) fn seen_mesh(&self, leaf: &InstanceLeaf, filter: &mut dyn WorldFilter) -> Option<Part<'a>> {
        match self.seen(leaf, filter)? {
            Seen::Mesh(part) => Some(part),
            Seen::Box(_) => None,
        }
    }

    #[inline(always)]
    fn part(&self, instance: u32, slot: u32, record: &'a Instance) -> Option<Part<'a>> {
        let model = self.mesh(record.mesh)?;
        let child = match slot {
            NONE => ROOT,
            slot => {
                let node = model.sections().nodes().get(slot as usize / NODE_WIDTH)?;
                node.children[slot as usize % NODE_WIDTH]
            }
        };
        Some(Part { instance, model, child, record })
    }
}
