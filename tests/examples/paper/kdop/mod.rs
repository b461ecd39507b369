//! Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003: its figures 10 to 12, with bvhc's trees of four
//! children a node, the tree of oriented boxes in the place of RAPID, and the paper's realignment as it is right
//! (`runtime/src/volume/kdop/realign.rs`); and how tight each way to realign is.
//!
//! All volumes must find as many pairs. *Tests* are pairs of nodes, of sixteen pairs of volumes each; pairs of leaves,
//! of up to sixteen pairs of triangles each; and pairs of triangles that only exact arithmetic decides. A leaf against a
//! node, the paper's mixed test, is a part of a pair of nodes.

mod close;
mod sweep;
mod tightness;

use crate::Setting;
use crate::timing::Mean;

const PAPER: &str = "Fünzig, Fellner 2003";

pub(crate) fn show(setting: &Setting) {
    println!("\n## The realignment of k-DOPs of Fünzig and Fellner");
    tightness::show(setting);
    sweep::show(setting);
    close::show(setting);
}

fn tests(mean: &Mean) -> String {
    format!("{:.0} / {:.0} / {:.0}", mean.node_pairs, mean.leaf_pairs, mean.exact_tests)
}
