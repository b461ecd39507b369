//! Corrupt trees of k-DOPs, and queries for every pair of triangles.

use std::ops::ControlFlow;

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc::pair::kdop::Options;
use bvhc_format::kdop::{KdopLayout, KdopNumber, Spot, Tables};
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Level, Model, Realign, Volume, WorkBudget};
use bvhc_tests::random::Random;
use bvhc_tests::scene::soup;
use bvhc_tests::support::answers::poses;
use bvhc_tests::support::forge::{read_u64, root, with_bytes};
use bvhc_tests::support::{LAYOUTS, aligned, compiled_with_kdops, levels};

use super::{NUMBERS, PATIENCE, survive, write};

/// Two levels of nodes, and few enough triangles to query all pairs, whatever the file says.
pub(super) fn few(layout: Layout, k: u32, tables: Tables) -> Bytes {
    compiled_with_kdops(&soup::triangles(40, 0.6, 9), layout, Options { k, tables, ..Options::default() })
}

fn all_kinds() -> impl Iterator<Item = Bytes> {
    let kinds = [(6, Tables::None), (14, Tables::Occupancy), (26, Tables::Profile)];
    kinds
        .into_iter()
        .zip([LAYOUTS[0], LAYOUTS[1], LAYOUTS[0]])
        .map(|((k, tables), layout)| few(layout, k, tables))
}

/// As [`survive`], and all pairs of the model with itself by k-DOPs in every way; returns the largest number of pairs.
fn survive_pairs(bytes: &Bytes, levels: &[Level]) -> u64 {
    let start = std::time::Instant::now();
    let mut most = 0;
    if let Ok(model) = Model::from_bytes(bytes) {
        for (level, realign) in levels.iter().flat_map(|level| Realign::ALL.map(|way| (level, way))) {
            let model = model.with_level(*level);
            for pose in poses() {
                for steps in [1, 300, u64::MAX] {
                    let (mut count, mut budget) = (0, WorkBudget::of_steps(steps));
                    let _ = model
                        .against(&model, &pose)
                        .volume(Volume::Kdop(realign))
                        .budget(&mut budget)
                        .all_pairs(|_| {
                            count += 1;
                            ControlFlow::Continue(())
                        });
                    most = most.max(count);
                }
                let volume = Volume::Kdop(realign);
                std::hint::black_box(model.against(&model, &pose).volume(volume).first_pair().ok());
            }
        }
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    survive(bytes, levels);
    most
}

/// The offsets of the parts.
struct Offsets {
    layout: KdopLayout,
    rows: usize,
    nodes: usize,
    leaves: usize,
}

impl Offsets {
    fn of(file: &Bytes) -> Self {
        let model = Model::from_bytes(file).expect("it opens");
        let (tree, layout) =
            (model.sections().kdop_tree().expect("a tree"), model.sections().kdop_layout().expect("a tree"));
        let rows = tree.rows.get().as_ptr().addr() - file.as_ptr().addr();
        Self {
            layout,
            rows,
            nodes: tree.rows.len() / layout.rows(),
            leaves: model.sections().pair_leaves().len(),
        }
    }

    fn at(&self, node: usize, spot: Spot) -> usize {
        self.rows + 16 * (self.layout.rows() * node + spot.row) + 4 * spot.lane
    }
}

/// All k-DOPs unbounded, all children as `child` says for a slot.
fn with_children(good: &Bytes, child: impl Fn(usize, usize) -> u32) -> Bytes {
    let (mut forged, offsets) = (aligned(good), Offsets::of(good));
    for (node, slot) in (0..offsets.nodes).flat_map(|node| (0..4).map(move |slot| (node, slot))) {
        write(&mut forged, offsets.at(node, offsets.layout.child(slot)), child(node, slot));
        for direction in 0..offsets.layout.directions.count() {
            write(&mut forged, offsets.at(node, offsets.layout.extent(direction, slot)), 1e30f32.to_bits());
        }
    }
    forged
}

/// A reference to a leaf of four triangles.
const LEAF: u32 = 0xE000_0000;

#[test]
fn good_files_have_pairs() {
    for good in all_kinds() {
        assert!(survive_pairs(&good, &levels()) > 40);
        assert!(Offsets::of(&good).nodes > 2);
    }
}

#[test]
fn children_that_go_in_circles_or_nowhere() {
    for good in all_kinds() {
        let offsets = Offsets::of(&good);
        let (nodes, leaves) = (offsets.nodes as u32, offsets.leaves as u32);
        let ways: [&dyn Fn(usize, usize) -> u32; 9] = [
            &|node, _| node as u32,
            &|_, _| 0,
            &|_, _| nodes - 1,
            &|node, slot| (node as u32 + slot as u32) % nodes,
            &|node, slot| if slot == 0 { (node as u32 + 1) % nodes } else { LEAF | node as u32 },
            &|_, _| LEAF,
            &|_, _| LEAF | leaves,
            &|_, _| nodes,
            &|_, _| 0x7fff_ffff,
        ];
        for way in ways {
            survive_pairs(&with_children(&good, way), &levels());
        }
    }
}

/// A row of all nodes, or a field of the root.
#[test]
fn numbers_that_are_none() {
    for good in all_kinds() {
        let (levels, offsets) = (levels(), Offsets::of(&good));
        let root = root(&good, SectionKind::KdopTree);
        for number in NUMBERS {
            for row in (0..offsets.layout.rows()).step_by(5) {
                let mut forged = aligned(&good);
                for (node, lane) in (0..offsets.nodes).flat_map(|node| (0..4).map(move |lane| (node, lane))) {
                    write(&mut forged, offsets.at(node, Spot { row, lane }), number);
                }
                survive_pairs(&forged, &levels);
            }
            for field in (0..32).step_by(4) {
                survive_pairs(&with_bytes(&good, root + field, &number.to_le_bytes()), &levels);
            }
        }
        // Fewer rows than nodes refer to: whole nodes, or not.
        let count = read_u64(&good, root + 40);
        for fewer in [1, offsets.layout.rows() as u64, count] {
            survive_pairs(&with_bytes(&good, root + 40, &(count - fewer).to_le_bytes()), &levels);
        }
    }
}

/// Changes only the nodes, so that every file opens.
#[test]
fn mutated_trees() {
    let (levels, mut random) = (levels(), Random::new(4));
    for good in all_kinds() {
        let offsets = Offsets::of(&good);
        for _ in 0..150 {
            let mut forged = aligned(&good);
            for _ in 0..1 + random.below(12) {
                let (node, slot) = (random.below(offsets.nodes as u32) as usize, random.below(4) as usize);
                let link = random.below(2 * offsets.nodes as u32) | random.below(8) << 29;
                write(&mut forged, offsets.at(node, offsets.layout.child(slot)), link);
                let spot = Spot { row: random.below(offsets.layout.rows() as u32) as usize, lane: slot };
                if offsets.layout.number(spot).1 != KdopNumber::Child {
                    write(&mut forged, offsets.at(node, spot), NUMBERS[random.below(12) as usize]);
                }
            }
            survive_pairs(&forged, &levels);
        }
    }
}
