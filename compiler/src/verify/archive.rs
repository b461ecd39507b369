//! How a payload is packed: its slices, in order, with nothing between them but zeros for alignment.

use bvhc_format::section::{
    ArchivedAabbTree, ArchivedGeometry, ArchivedHull, ArchivedKdopTree, ArchivedMetadata, ArchivedNames,
    ArchivedObbTree, ArchivedPackedBlocks, ArchivedSamples, ArchivedSplits, ArchivedSweptTree, SectionKind,
};
use bvhc_runtime::{Blocks, Hull, Model};

use super::VerifyError;

/// What is wrong with the packing of a payload. Offsets count from the payload's start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveFault {
    /// A slice starts before the end of the one before.
    #[error("slice {slice} starts at byte {found}, before the end of the last one at {end} (A3)")]
    Order {
        /// The slice, counted from 0 in the order of the fields.
        slice: usize,
        /// Where it starts.
        found: usize,
        /// Where the last one ends.
        end: usize,
    },
    /// There is more room before a slice or the root than alignment asks for.
    #[error("there are {found} bytes between {end} and what follows; at most {most} are allowed (A4)")]
    Gap {
        /// Where the room begins.
        end: usize,
        /// Its bytes.
        found: usize,
        /// The most there may be.
        most: usize,
    },
    /// A byte that only fills up is not zero.
    #[error("byte {offset} fills up to an alignment and is {found:#04x} instead of zero (A4)")]
    Filling {
        /// Where it stands.
        offset: usize,
        /// What it is.
        found: u8,
    },
}

pub(super) fn check(model: &Model<'_>) -> Result<(), VerifyError> {
    for (entry, payload) in model.sections() {
        let Some(kind) = SectionKind::from_number(entry.kind) else { continue };
        let slices = match kind {
            SectionKind::Metadata => metadata(model.metadata()),
            SectionKind::Geometry => geometry(model.geometry()),
            SectionKind::Splits => splits(model),
            SectionKind::PackedBlocks => packed(model),
            SectionKind::Hull => hull(model),
            SectionKind::Samples => model.samples().map(Place::of).into_iter().collect(),
            SectionKind::AabbTree => vec![Place::of(model.nodes())],
            SectionKind::ObbTree => obb_tree(model),
            SectionKind::KdopTree => kdop_tree(model),
            SectionKind::SweptTree => swept_tree(model),
        };
        check_payload(payload, &slices, root_size(kind))
            .map_err(|fault| VerifyError::Archive { kind, fault })?;
    }
    Ok(())
}

/// Where a slice is in memory.
struct Place {
    address: usize,
    bytes: usize,
    alignment: usize,
}

impl Place {
    fn of<T>(slice: &[T]) -> Self {
        Self { address: slice.as_ptr().addr(), bytes: size_of_val(slice), alignment: align_of::<T>() }
    }
}

fn metadata(root: &ArchivedMetadata<'_>) -> Vec<Place> {
    let mut places = vec![Place::of(root.compiler.get()), Place::of(root.options.get())];
    let names = |names: &ArchivedNames<'_>| [Place::of(names.text.get()), Place::of(names.ends.get())];
    places.extend([&root.materials, &root.groups, &root.objects].into_iter().flat_map(names));
    places.push(Place::of(root.trees.get()));
    places
}

fn geometry(root: &ArchivedGeometry<'_>) -> Vec<Place> {
    vec![
        Place::of(root.blocks.get()),
        Place::of(root.triangles.get()),
        Place::of(root.faces.get()),
        Place::of(root.runs.get()),
    ]
}

fn splits(model: &Model<'_>) -> Vec<Place> {
    let slices = model.splits().map(|root| [&root.triangles, &root.ends, &root.places]);
    slices.into_iter().flatten().map(|slice| Place::of(slice.get())).collect()
}

fn packed(model: &Model<'_>) -> Vec<Place> {
    match model.blocks() {
        Blocks::Plain(_) => Vec::new(),
        Blocks::Packed(packed) => vec![Place::of(packed.as_bytes())],
    }
}

fn hull(model: &Model<'_>) -> Vec<Place> {
    let slices = |hull: Hull<'_>| {
        vec![Place::of(hull.vertices()), Place::of(hull.neighbours()), Place::of(hull.starts())]
    };
    model.hull().map(slices).unwrap_or_default()
}

fn obb_tree(model: &Model<'_>) -> Vec<Place> {
    let slices = |root: &ArchivedObbTree<'_>| {
        vec![
            Place::of(root.nodes.get()),
            Place::of(root.leaves.get()),
            Place::of(root.packed_nodes.get()),
            Place::of(root.packed_leaves.get()),
        ]
    };
    model.obb_tree().map(slices).unwrap_or_default()
}

fn kdop_tree(model: &Model<'_>) -> Vec<Place> {
    let slices = |root: &ArchivedKdopTree<'_>| vec![Place::of(root.rows.get()), Place::of(root.leaves.get())];
    model.kdop_tree().map(slices).unwrap_or_default()
}

fn swept_tree(model: &Model<'_>) -> Vec<Place> {
    let slices = |(root, _): (&ArchivedSweptTree<'_>, _)| {
        vec![Place::of(root.leaves.get()), Place::of(root.rows.get())]
    };
    model.swept_tree().map(slices).unwrap_or_default()
}

fn root_size(kind: SectionKind) -> usize {
    match kind {
        SectionKind::Metadata => size_of::<ArchivedMetadata<'_>>(),
        SectionKind::Geometry => size_of::<ArchivedGeometry<'_>>(),
        SectionKind::Splits => size_of::<ArchivedSplits<'_>>(),
        SectionKind::PackedBlocks => size_of::<ArchivedPackedBlocks<'_>>(),
        SectionKind::Hull => size_of::<ArchivedHull<'_>>(),
        SectionKind::Samples => size_of::<ArchivedSamples<'_>>(),
        SectionKind::AabbTree => size_of::<ArchivedAabbTree<'_>>(),
        SectionKind::ObbTree => size_of::<ArchivedObbTree<'_>>(),
        SectionKind::KdopTree => size_of::<ArchivedKdopTree<'_>>(),
        SectionKind::SweptTree => size_of::<ArchivedSweptTree<'_>>(),
    }
}

/// A4. A1 to A3 are the open's; A3 is checked again, since what is below counts on it.
fn check_payload(payload: &[u8], slices: &[Place], root_size: usize) -> Result<(), ArchiveFault> {
    let mut end = 0;
    for (slice, place) in slices.iter().enumerate() {
        let start = place.address.wrapping_sub(payload.as_ptr().addr());
        if start < end || start > payload.len() {
            return Err(ArchiveFault::Order { slice, found: start, end });
        }
        check_gap(payload, end, start, place.alignment)?;
        end = start + place.bytes;
    }
    let root = payload.len().saturating_sub(root_size);
    if root < end {
        return Err(ArchiveFault::Order { slice: slices.len(), found: root, end });
    }
    check_gap(payload, end, root, 8)
}

fn check_gap(payload: &[u8], end: usize, start: usize, alignment: usize) -> Result<(), ArchiveFault> {
    let found = start - end;
    if found >= alignment {
        return Err(ArchiveFault::Gap { end, found, most: alignment - 1 });
    }
    match (end..start).find(|offset| payload[*offset] != 0) {
        Some(offset) => Err(ArchiveFault::Filling { offset, found: payload[offset] }),
        None => Ok(()),
    }
}
