//! The leaves that trees for pairs of models share.

use bvhc::compile::{Options, compile};
use bvhc::pair::kdop;
use bvhc_format::section::TREE_KINDS;
use bvhc_format::swept::{Core, Cores};

use crate::forge::{Forge, HULL, KDOP, METADATA, OBB, source};
use crate::{breaks, breaks_in};

fn compiled(options: &Options) -> Forge {
    Forge { bytes: compile(source().as_bytes(), "source", options, &()).unwrap().bytes.to_vec() }
}

/// With oriented boxes and k-DOPs, which are not over the same leaves.
fn of_two_partitions() -> Forge {
    let split = kdop::Split::LongestDirectionMidpoint;
    compiled(&Options {
        kdop: Some(kdop::Options { split, ..kdop::Options::default() }),
        ..Options::default()
    })
}

#[test]
fn trees_over_one_partition_share_their_leaves() {
    let leaves = Forge::new().pair_leaves();
    let cores = Cores::Same(Core::Line);
    let file = compiled(&Options { swept: Some(cores), ..Options::default() });
    file.verify().unwrap();
    assert_eq!(file.pair_leaves(), leaves);
    let others = of_two_partitions();
    others.verify().unwrap();
    assert!(others.pair_leaves() > leaves);
    assert_eq!(compiled(&Options { obb: None, ..Options::default() }).pair_leaves(), 0);
}

#[test]
fn leaves_differ() {
    let copy = |file: &mut Forge, lanes: [usize; 4]| {
        let (from, to) = (file.pair_leaf(0), file.pair_leaf(1));
        (0..4).for_each(|lane| file.put_u32(to + 4 * lane, file.u32(from + 4 * lanes[lane])));
    };
    breaks("G15", |file| copy(file, [0, 1, 2, 3]));
    breaks("G15", |file| copy(file, [2, 3, 1, 0]));
}

/// Without the tree that refers to them, some leaves are unused. A tree of another version might refer to them.
#[test]
fn leaves_are_used() {
    let without_kdops = |file: &mut Forge| {
        [KDOP, HULL, METADATA].into_iter().for_each(|kind| file.drop_section(kind));
        file.adopt(METADATA, &Forge::new());
    };
    breaks_in(of_two_partitions(), "G16", without_kdops);
    let mut file = of_two_partitions();
    let (entry, record) = (file.entry(KDOP), file.slice(METADATA, 240).0 + 96);
    [entry, record].into_iter().for_each(|at| file.put_u32(at, *TREE_KINDS.end()));
    file.seal();
    file.verify().unwrap();
    let without_obbs = |file: &mut Forge| {
        [OBB, METADATA].into_iter().for_each(|kind| file.drop_section(kind));
        file.adopt(METADATA, &compiled(&Options { obb: None, ..Options::default() }));
    };
    breaks_in(of_two_partitions(), "B3", without_obbs);
}
