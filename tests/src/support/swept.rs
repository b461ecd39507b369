//! The nodes of trees of swept spheres.

use bvhc_format::kdop::LaneRow;
use bvhc_format::obb::{PairChild, PairRef};
use bvhc_format::swept::{Core, children};
use bvhc_runtime::Model;

/// The references to all nodes of a valid file, and their rows, in the order of the references; empty without a tree.
pub fn nodes<'a>(model: &Model<'a>) -> Vec<(u32, &'a [LaneRow])> {
    let Some((tree, layout)) = model.sections().swept_tree() else { return Vec::new() };
    let (mut nodes, mut left) = (Vec::new(), vec![layout.root()]);
    while let Some(reference) = left.pop() {
        let node = layout.node(tree.rows.get(), reference).expect("within the rules");
        nodes.push((reference, node));
        let links = children(node).into_iter().flatten().map(|link| PairRef(link).get());
        left.extend(links.filter_map(|link| match link {
            PairChild::Node(reference) => Some(reference),
            PairChild::Leaf(..) | PairChild::Empty => None,
        }));
    }
    nodes.sort_unstable_by_key(|(reference, _)| *reference);
    nodes
}

/// How many nodes have points, lines and rectangles as cores.
pub fn count_cores(model: &Model<'_>) -> [usize; 3] {
    let nodes = nodes(model);
    Core::ALL.map(|core| nodes.iter().filter(|(_, node)| node.len() == core.rows()).count())
}
