//! Corrupt trees of convex hulls, and queries for every pair and every distance.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::hulls::HULL_VERTICES;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Level, Model, Volume};
use bvhc_tests::random::Random;
use bvhc_tests::scene::soup;
use bvhc_tests::support::forge::{root, slice_at, with_bytes};
use bvhc_tests::support::{LAYOUTS, aligned, compiled_with_hulls, levels};

use super::{NUMBERS, survive_volume, write};

/// The row of a node's radii; those before it have the vertices, the one after it the references.
const RADIUS: usize = 3 * HULL_VERTICES;
/// The row of the references, the last one.
const CHILDREN: usize = RADIUS + 1;

/// At least two levels of nodes, and few enough triangles to query all pairs, whatever the file says.
pub(super) fn few(layout: Layout) -> Bytes {
    compiled_with_hulls(&soup::triangles(40, 0.6, 9), layout)
}

fn survive_queries(bytes: &Bytes, levels: &[Level]) -> u64 {
    survive_volume(bytes, levels, |model| model.sections().hull_tree().map(|_| Volume::Hulls))
}

/// Where the nodes are, and how many.
struct Offsets {
    start: usize,
    nodes: usize,
}

impl Offsets {
    fn of(file: &Bytes) -> Self {
        let (start, nodes) = slice_at(file, root(file, SectionKind::HullTree) + 24);
        Self { start, nodes }
    }

    fn number(&self, node: usize, row: usize, slot: usize) -> usize {
        self.start + 16 * (CHILDREN + 1) * node + 16 * row + 4 * slot
    }

    fn slots(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let nodes = self.nodes;
        (0..nodes).flat_map(|node| (0..4).map(move |slot| (node, slot)))
    }
}

/// A reference to a leaf of four triangles.
const LEAF: u32 = 0xE000_0000;

#[test]
fn good_files_have_pairs() {
    for good in LAYOUTS.map(few) {
        assert!(survive_queries(&good, &levels()) > 40);
        assert!(Offsets::of(&good).nodes > 2);
    }
}

/// All hulls unbounded, and children that form cycles or lead nowhere.
#[test]
fn children_that_lead_anywhere() {
    for good in LAYOUTS.map(few) {
        let offsets = Offsets::of(&good);
        let leaves = Model::from_bytes(&good).expect("it opens").sections().pair_leaves().len() as u32;
        let nodes = offsets.nodes as u32;
        let ways: [&dyn Fn(u32, u32) -> u32; 8] = [
            &|node, _| node,
            &|_, _| 0,
            &|_, _| nodes - 1,
            &|node, slot| (node + slot) % nodes,
            &|node, slot| if slot == 0 { (node + 1) % nodes } else { LEAF | node },
            &|_, _| LEAF,
            &|_, _| LEAF | leaves,
            &|_, _| 0x7fff_ffff,
        ];
        for way in ways {
            let mut forged = aligned(&good);
            for (node, slot) in offsets.slots() {
                write(&mut forged, offsets.number(node, CHILDREN, slot), way(node as u32, slot as u32));
                write(&mut forged, offsets.number(node, RADIUS, slot), 1e30f32.to_bits());
            }
            survive_queries(&forged, &levels());
        }
    }
}

/// A row of all nodes, or a field of the root.
#[test]
fn numbers_that_are_none() {
    for good in LAYOUTS.map(few) {
        let (levels, offsets) = (levels(), Offsets::of(&good));
        let root = root(&good, SectionKind::HullTree);
        for number in NUMBERS.into_iter().step_by(3) {
            for rows in [0..1, 5..6, 0..RADIUS, RADIUS..CHILDREN] {
                let mut forged = aligned(&good);
                for (row, (node, slot)) in rows.flat_map(|row| offsets.slots().map(move |slot| (row, slot))) {
                    write(&mut forged, offsets.number(node, row, slot), number);
                }
                survive_queries(&forged, &levels);
            }
            for field in (0..24).step_by(4) {
                survive_queries(&with_bytes(&good, root + field, &number.to_le_bytes()), &levels);
            }
        }
        for fewer in [1, offsets.nodes as u64] {
            let count = (offsets.nodes as u64 - fewer).to_le_bytes();
            survive_queries(&with_bytes(&good, root + 32, &count), &levels);
        }
    }
}

/// Changes only the nodes, so that every file opens.
#[test]
fn mutated_trees() {
    let (levels, mut random) = (levels(), Random::new(4));
    for good in LAYOUTS.map(few) {
        let offsets = Offsets::of(&good);
        for _ in 0..100 {
            let mut forged = aligned(&good);
            for _ in 0..1 + random.below(12) {
                let nodes = offsets.nodes as u32;
                let (node, slot) = (random.below(nodes) as usize, random.below(4) as usize);
                let link = random.below(2 * nodes) | random.below(8) << 29;
                write(&mut forged, offsets.number(node, CHILDREN, slot), link);
                let row = random.below(CHILDREN as u32) as usize;
                write(&mut forged, offsets.number(node, row, slot), NUMBERS[random.below(12) as usize]);
            }
            survive_queries(&forged, &levels);
        }
    }
}
