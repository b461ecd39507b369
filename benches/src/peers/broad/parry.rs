//! parry3d's tree over all boxes, refitted and improved step by step in each frame, or built anew. All pairs are found in each frame:
//! change detection would leave out those of which neither box has moved.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use super::{Box6, BroadPhase, Pair};

/// A world of parry3d.
pub struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    still: u32,
    is_rebuilt: bool,
}

pub(super) fn aabb(of: &Box6) -> Aabb {
    Aabb::new(Vector::new(of[0], of[1], of[2]), Vector::new(of[3], of[4], of[5]))
}

impl Parry {
    /// A world of boxes, of which the first `still` never move; `is_rebuilt` says whether each update builds the tree anew.
    pub fn new(boxes: &[Box6], still: usize, is_rebuilt: bool) -> Self {
        let all: Vec<Aabb> = boxes.iter().map(aabb).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &all);
        Self { tree, workspace: BvhWorkspace::default(), still: still as u32, is_rebuilt }
    }
}

impl BroadPhase for Parry {
    fn move_boxes(&mut self, moved: &[u32], boxes: &[Box6]) {
        for index in moved {
            self.tree.insert_or_update_partially(aabb(&boxes[*index as usize]), self.still + *index, 0.0);
        }
    }

    fn update(&mut self) {
        if self.is_rebuilt {
            self.rebuild();
        } else {
            // In rapier's order. A new tree would have leaves twice that are in nodes which the optimizer has freed, if none
            // were refitted in between.
            self.tree.optimize_incremental(&mut self.workspace);
            self.tree.refit(&mut self.workspace);
        }
    }

    fn pairs(&mut self, pairs: &mut [Pair]) -> usize {
        let (still, mut count) = (self.still, 0);
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            if a >= still || b >= still {
                pairs[count] = [a.min(b), a.max(b)];
                count += 1;
            }
        });
        count
    }

    fn rebuild(&mut self) -> bool {
        self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
        true
    }
}
