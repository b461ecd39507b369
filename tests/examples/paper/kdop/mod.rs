//! Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003: its figures 10 to 12, with bvhc's trees of four
//! children per node, the tree of oriented boxes in RAPID's place, and the paper's realignment in its corrected form
//! (`runtime/src/pair/volume/kdop/realign.rs`); and how tight each realignment is.
//!
//! All volumes must find equally many pairs. *Tests* are pairs of nodes, of sixteen pairs of volumes each; pairs of
//! leaves, of up to sixteen pairs of triangles each; and pairs of triangles that only exact arithmetic decides. A leaf
//! against a node, the paper's mixed test, is a part of a pair of nodes.
//!
//! The figures are shown twice: with the compiler's default partition, and with the paper's (the midpoint of the
//! longest direction of the k-DOP).

mod close;
mod sweep;
mod tightness;

use bvhc::pair::kdop::Split;

use crate::Setting;
use crate::timing::Mean;

const PAPER: &str = "Fünzig, Fellner 2003";

const DIFFERENCES: &str = "\
Differences from the paper: the models; nodes of four children, collapsed from the binary tree, where the paper's are
binary; up to four triangles a leaf, of which all pairs are tested, where the paper's leaves have volumes of their own; a
corrected occupancy table (as printed, it is not conservative). OBB takes the place of RAPID, and OBB and AABB are the
compiler's default trees in both parts. Times are means over the poses of the least of several rounds. With
`longest-direction-midpoint`, the sets are split as in the paper.";

pub(crate) fn show(setting: &Setting) {
    println!("\n## The realignment of k-DOPs of Fünzig and Fellner");
    tightness::show(setting);
    println!("\n{DIFFERENCES}");
    for split in [Split::Kinematic, Split::LongestDirectionMidpoint] {
        println!("\n### Trees of k-DOPs by `--kdop-split {}`", split.name());
        sweep::show(setting, split);
        close::show(setting, split);
    }
}

/// The suffix of file names for k-DOPs with another than the default partition.
fn suffix(split: Split) -> String {
    if split == Split::default() { String::new() } else { format!("-{}", split.name()) }
}

fn tests(mean: &Mean) -> String {
    format!("{:.0} / {:.0} / {:.0}", mean.node_pairs, mean.leaf_pairs, mean.exact_tests)
}
