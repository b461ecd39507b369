//! Corrupt trees of swept spheres, and queries for every pair and every distance.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::kdop::LaneRow;
use bvhc_format::section::SectionKind;
use bvhc_format::swept::{Core, Cores};
use bvhc_runtime::{Level, Model, Volume};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{shapes, soup};
use bvhc_tests::support::forge::{read_u64, root, with_bytes};
use bvhc_tests::support::swept::{count_cores, nodes};
use bvhc_tests::support::{LAYOUTS, aligned, compiled_with_swept, levels};

use super::{NUMBERS, survive_volume, write};

/// At least two levels of nodes, and few enough triangles to query all pairs, whatever the file says.
pub(super) fn few(layout: Layout, cores: Cores) -> Bytes {
    if cores != Cores::Hybrid {
        return compiled_with_swept(&soup::triangles(40, 0.6, 9), layout, cores);
    }
    // The first of these scenes whose tree has nodes of each core.
    let mut hybrids = (9..).map(|seed| compiled_with_swept(&shapes::shapes(2, seed), layout, cores));
    let has_all = |file: &Bytes| {
        let model = Model::from_bytes(file).expect("it opens");
        count_cores(&model).iter().all(|count| *count > 0)
    };
    hybrids.find(has_all).expect("some has")
}

fn all_kinds() -> impl Iterator<Item = Bytes> {
    Cores::ALL.into_iter().zip(LAYOUTS.into_iter().cycle()).map(|(cores, layout)| few(layout, cores))
}

/// As [`survive_volume`], by swept spheres.
fn survive_queries(bytes: &Bytes, levels: &[Level]) -> u64 {
    survive_volume(bytes, levels, |model| {
        model.sections().swept_tree().map(|(_, layout)| Volume::Swept(layout.cores))
    })
}

/// The offsets of the parts.
struct Offsets {
    /// For each node the offset of its rows, their number, and the reference to it.
    nodes: Vec<(usize, usize, u32)>,
    leaves: usize,
}

impl Offsets {
    fn of(file: &Bytes) -> Self {
        let model = Model::from_bytes(file).expect("it opens");
        let place = |(reference, rows): (u32, &[LaneRow])| {
            (rows.as_ptr().addr() - file.as_ptr().addr(), rows.len(), reference)
        };
        Self {
            nodes: nodes(&model).into_iter().map(place).collect(),
            leaves: model.sections().pair_leaves().len(),
        }
    }

    fn lane(&self, node: usize, row: usize, slot: usize) -> usize {
        self.nodes[node].0 + 16 * row + 4 * slot
    }

    /// How many rows a node has.
    fn rows(&self, node: usize) -> usize {
        self.nodes[node].1
    }

    /// The reference to a node, or to a missing one.
    fn link(&self, node: usize) -> u32 {
        self.nodes.get(node).map_or(0x7fff_ffff, |(.., reference)| *reference)
    }

    fn slots(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let nodes = self.nodes.len();
        (0..nodes).flat_map(|node| (0..4).map(move |slot| (node, slot)))
    }
}

/// A reference to a leaf of four triangles.
const LEAF: u32 = 0xE000_0000;

#[test]
fn good_files_have_pairs() {
    for good in all_kinds() {
        assert!(survive_queries(&good, &levels()) > 40);
        let model = Model::from_bytes(&good).expect("it opens");
        let is_mixed = count_cores(&model).iter().all(|count| *count > 0);
        assert_eq!(
            is_mixed,
            model.sections().swept_tree().is_some_and(|(_, layout)| layout.cores == Cores::Hybrid)
        );
        assert!(Offsets::of(&good).nodes.len() > 2);
    }
}

/// All spheres unbounded, and children that form cycles or lead nowhere.
#[test]
fn children_that_lead_anywhere() {
    for good in all_kinds() {
        let offsets = Offsets::of(&good);
        let (nodes, leaves) = (offsets.nodes.len(), offsets.leaves as u32);
        let ways: [&dyn Fn(usize, usize) -> u32; 10] = [
            &|node, _| offsets.link(node),
            &|_, _| offsets.link(nodes - 1),
            &|node, slot| offsets.link((node + slot) % nodes),
            &|node, slot| if slot == 0 { offsets.link((node + 1) % nodes) } else { LEAF | node as u32 },
            &|_, _| LEAF,
            &|_, _| LEAF | leaves,
            &|_, _| nodes as u32,
            &|_, _| 0x7fff_ffff,
            // In a hybrid: another core, and a row between the first rows of nodes.
            &|node, slot| offsets.link(node + slot) ^ ((slot as u32 + 1) & 3),
            &|node, slot| offsets.link(node) + 4 * slot as u32,
        ];
        for way in ways {
            let mut forged = aligned(&good);
            for (node, slot) in offsets.slots() {
                let child = way(node, slot);
                write(&mut forged, offsets.lane(node, Core::CHILDREN, slot), child);
                write(&mut forged, offsets.lane(node, Core::RADIUS, slot), 1e30f32.to_bits());
            }
            survive_queries(&forged, &levels());
        }
    }
}

/// A row of all nodes, or a field of the root.
#[test]
fn numbers_that_are_none() {
    for good in all_kinds() {
        let (levels, offsets) = (levels(), Offsets::of(&good));
        let root = root(&good, SectionKind::SweptTree);
        // Zero, NaN, infinity, and a number that is far too large; the mutations have the others.
        for number in NUMBERS.into_iter().step_by(3) {
            for row in [0, Core::RADIUS, 6, 10] {
                let mut forged = aligned(&good);
                for (node, slot) in offsets.slots().filter(|(node, _)| row < offsets.rows(*node)) {
                    write(&mut forged, offsets.lane(node, row, slot), number);
                }
                survive_queries(&forged, &levels);
            }
            for field in (0..24).step_by(4) {
                survive_queries(&with_bytes(&good, root + field, &number.to_le_bytes()), &levels);
            }
        }
        // Fewer rows than nodes refer to: whole nodes, or not.
        let count = read_u64(&good, root + 32);
        for fewer in [1, offsets.rows(0) as u64, count] {
            survive_queries(&with_bytes(&good, root + 32, &(count - fewer).to_le_bytes()), &levels);
        }
    }
}

/// Changes only the nodes, so that every file opens.
#[test]
fn mutated_trees() {
    let (levels, mut random) = (levels(), Random::new(4));
    for good in all_kinds() {
        let offsets = Offsets::of(&good);
        for _ in 0..60 {
            let mut forged = aligned(&good);
            for _ in 0..1 + random.below(12) {
                let nodes = offsets.nodes.len() as u32;
                let (node, slot) = (random.below(nodes) as usize, random.below(4) as usize);
                let last = offsets.link(nodes as usize - 1);
                let link = random.below(last + nodes) | random.below(8) << 29;
                write(&mut forged, offsets.lane(node, Core::CHILDREN, slot), link);
                let row = random.below(offsets.rows(node) as u32) as usize;
                if row != Core::CHILDREN {
                    write(&mut forged, offsets.lane(node, row, slot), NUMBERS[random.below(12) as usize]);
                }
            }
            survive_queries(&forged, &levels);
        }
    }
}
