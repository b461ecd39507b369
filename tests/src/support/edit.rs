//! Edits of good files as any bytes say, for fuzzing: mostly of the records that queries walk through, with values that are
//! mostly possible, so that edited files open and queries go far.

use std::mem::offset_of;
use std::sync::LazyLock;

use bvhc::compile::{Layout, Options};
use bvhc::file::Bytes;
use bvhc::pair::kdop;
use bvhc_format::kdop::Tables;
use bvhc_format::record::{Block, NODE_WIDTH};
use bvhc_format::section::SectionKind;
use bvhc_format::swept::Cores;

use super::forge::{self, BLOCK, Offsets};
use super::split::split;
use super::{aligned, compiled_with};
use crate::scene::{soup, write_obj};

/// A file to edit.
struct Base {
    file: Bytes,
    offsets: Offsets,
    /// The lists of section splits, if there is one: triangles, ends, slots; the offset and length of each.
    splits: [(usize, usize); 3],
}

/// Files that together have all sections, in both layouts.
static BASES: LazyLock<Vec<Base>> = LazyLock::new(|| {
    let mesh = soup::triangles(40, 0.6, 9);
    let kdop = |tables| Some(kdop::Options { k: 14, tables, ..kdop::Options::default() });
    let with = |layout, kdop, cores| {
        let options =
            Options { layout, kdop, swept: Some(cores), samples: true, hulls: true, ..Options::default() };
        compiled_with(&mesh, &options)
    };
    let source = write_obj(&mesh);
    let files = [
        split(&source, 0.1, Layout::Fast),
        split(&source, 0.1, Layout::Small),
        with(Layout::Fast, kdop(Tables::Profile), Cores::Hybrid),
        with(Layout::Small, kdop(Tables::None), Cores::ALL[0]),
    ];
    files.into_iter().map(Base::of).collect()
});

impl Base {
    fn of(file: Bytes) -> Self {
        let offsets = Offsets::of(&file);
        let has_splits =
            bvhc_runtime::Model::from_bytes(&file).is_ok_and(|model| model.sections().splits().is_some());
        let list = |field: usize| forge::slice_at(&file, forge::root(&file, SectionKind::Splits) + field);
        let splits = if has_splits { [0, 16, 32].map(list) } else { [(0, 0); 3] };
        Self { file, offsets, splits }
    }
}

/// An edited file, and how many steps queries of two models may take: the first bytes choose file and steps, then each eight
/// are an edit. `None` for fewer than ten bytes.
pub fn edited(bytes: &[u8]) -> Option<(Bytes, u64)> {
    let ([which, steps], edits) = bytes.split_first_chunk()?;
    let (edits, _) = edits.as_chunks::<8>();
    let base = &BASES[usize::from(*which) % BASES.len()];
    let mut file = aligned(&base.file);
    edits.iter().for_each(|edit| base.apply(edit, &mut file));
    (!edits.is_empty()).then_some((file, 1 << (steps % 12)))
}

impl Base {
    fn apply(&self, &[what, how, a, b, bits @ ..]: &[u8; 8], file: &mut Bytes) {
        let (place, value) = (usize::from(u16::from_le_bytes([a, b])), u32::from_le_bytes(bits));
        let offsets = &self.offsets;
        let (node, slot) = (place / NODE_WIDTH % offsets.node_count, place % NODE_WIDTH);
        // Some node, some block, or as it is.
        let reference = |nodes: usize, leaves: usize, leaf: u32| match how % 3 {
            0 => value % (nodes as u32 + 1),
            1 => leaf | (value % (leaves as u32 + 1)),
            _ => value,
        };
        let number =
            [value, 0, 1e30f32.to_bits(), (-1e30f32).to_bits(), f32::NAN.to_bits()][usize::from(how) % 5];
        let at = match what % 10 {
            0 | 1 => {
                let child = reference(offsets.node_count, offsets.block_count, 1 << 31);
                Some((offsets.child(node, slot), child))
            }
            2 => Some((offsets.plane(node, usize::from(how) % 6, slot), number)),
            3 => Some((offsets.order(node, slot), value)),
            4 | 5 if offsets.obb_node_count > 0 => {
                let (node, slot) = (place / 4 % offsets.obb_node_count, place % 4);
                let child = reference(offsets.obb_node_count, offsets.pair_leaf_count, 0xE000_0000);
                Some((offsets.obb_child(node, slot), child))
            }
            6 if offsets.obb_node_count > 0 => {
                let (node, slot) = (place / 4 % offsets.obb_node_count, place % 4);
                offsets.write_obb_number(file, node, usize::from(how) % 10, slot, number);
                None
            }
            4..7 => {
                let (start, count) = self.splits[usize::from(how) % 3];
                let most = (NODE_WIDTH * offsets.node_count) as u32;
                (count > 0)
                    .then(|| (start + 4 * (place % count), if how < 128 { value % most } else { value }))
            }
            7 if offsets.pair_leaf_count > 0 => {
                let at = offsets.obb_leaf(place / 4 % offsets.pair_leaf_count) + 4 * (place % 4);
                Some((at, if how < 128 { value % (16 * offsets.block_count as u32) } else { value }))
            }
            7 => {
                let marks = BLOCK * (place % offsets.block_count) + offset_of!(Block, split) - 2;
                Some((offsets.blocks + marks, value)).filter(|(at, _)| at + 4 <= file.len())
            }
            _ => Some((4 * ((usize::from(how) << 16 | place) % (file.len() / 4)), value)),
        };
        if let Some((at, value)) = at {
            file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
}
