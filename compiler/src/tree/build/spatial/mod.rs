//! Trees that may split primitives: each node is divided by the best of all splits by centre and of 32 planes on each
//! axis that clip the primitives they intersect.
//!
//! Based on: Stich, Friedrich, Dietrich, "Spatial splits in bounding volume hierarchies", 2009. Departures: splits by
//! centre are swept in full; the budget of duplicates is divided from the root downward, between the two sides of a
//! split by the areas of their references, so that threads do not compete for it.

mod object;
mod planes;

use bvhc_format::MAX_SPLIT_SLOTS;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{DEEPEST_CHOICE, OnLeaves, PARALLEL_SIZE};
use crate::tree::aabb::Aabb;
use crate::tree::binary::BinaryTree;
use crate::tree::partial::PartialTree;

/// How primitives are clipped.
pub trait Clip: Sync {
    /// The tight box of a primitive.
    fn whole(&self, primitive: u32) -> Aabb;

    /// Tight boxes of the two sides of `plane` of that part of a primitive which is in the box `part`. Each point of it
    /// must lie in one of them, and both must lie in `part`, on their side of the plane. Empty where there is nothing.
    fn halves(&self, primitive: u32, part: &Aabb, axis: usize, plane: f32) -> [Aabb; 2];

    /// The box that the tree holds for the part of a primitive in the box `part`.
    fn stored(&self, primitive: u32, part: &Aabb) -> Aabb;
}

/// Limits of splitting.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many more leaves than primitives there may be, relative to the primitives.
    pub duplicates: f64,
    /// Planes are tried where the halves of the best split by centre overlap by this share of the root's area.
    pub overlap: f64,
    /// How many parts a primitive may be split into, at least one.
    pub parts: u32,
}

impl Default for Limits {
    /// The overlap is the paper's. With as many duplicates as primitives, rays in a hall of long beams visit a quarter of
    /// the nodes and blocks that they visit without splits; with 0.4 of them, half. Scans hardly split at all.
    fn default() -> Self {
        Self { duplicates: 1.0, overlap: 1e-5, parts: MAX_SPLIT_SLOTS as u32 }
    }
}

/// Builds a tree over the primitives `0..count`, at least one. Runs in the current rayon pool.
///
/// `on_leaves` is called for every leaf.
pub fn build(count: u32, clip: &dyn Clip, limits: &Limits, on_leaves: OnLeaves<'_>) -> BinaryTree {
    let references: Vec<Reference> = (0..count)
        .into_par_iter()
        .map(|primitive| Reference { part: clip.whole(primitive), primitive, most: limits.parts })
        .collect();
    let bounds = references.iter().fold(Aabb::EMPTY, |all, reference| all.union(reference.part));
    let duplicates = (f64::from(count) * limits.duplicates) as u32;
    let spatial = Spatial { clip, least_overlap: bounds.half_area() * limits.overlap, on_leaves };
    spatial.build(Range { references, duplicates, depth: 0 }).finish()
}

/// A primitive, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reference {
    /// The box of the part.
    part: Aabb,
    primitive: u32,
    /// How many parts it may become, at least one.
    most: u32,
}

impl Reference {
    /// The references on either side of a plane. Two parts share the number of parts that they may become by their areas.
    fn divided(&self, sides: [Option<Aabb>; 2]) -> [Option<Self>; 2] {
        let [left, right] = sides.map(|side| side.map_or(0.0, |part| part.half_area()));
        let most = if sides.contains(&None) {
            [self.most; 2]
        } else {
            let on_left = (f64::from(self.most) * (left / (left + right))) as u32;
            let on_left = on_left.clamp(1, self.most - 1);
            [on_left, self.most - on_left]
        };
        [0, 1].map(|side| sides[side].map(|part| Self { part, most: most[side], ..*self }))
    }
}

/// The references on the two sides of a split.
struct Sides {
    left: Vec<Reference>,
    right: Vec<Reference>,
}

/// What a subtree is built from.
struct Range {
    /// Never two parts of one primitive.
    references: Vec<Reference>,
    /// How many more leaves than references the subtree may have.
    duplicates: u32,
    depth: u32,
}

impl Range {
    /// The ranges of two sides, which share the duplicates by the areas of the parts on them.
    fn of_sides(sides: Sides, duplicates: u32, depth: u32) -> (Self, Self) {
        let [left, right] = [sides.left, sides.right];
        let area = |side: &[Reference]| side.iter().map(|reference| reference.part.half_area()).sum::<f64>();
        let share = area(&left) / (area(&left) + area(&right));
        let to_left = if share.is_finite() { (f64::from(duplicates) * share) as u32 } else { duplicates / 2 };
        let range = |references, duplicates| Self { references, duplicates, depth };
        (range(left, to_left), range(right, duplicates - to_left))
    }
}

struct Spatial<'a> {
    clip: &'a dyn Clip,
    /// In half areas.
    least_overlap: f64,
    on_leaves: OnLeaves<'a>,
}

impl Spatial<'_> {
    fn build(&self, range: Range) -> PartialTree {
        let mut partial = PartialTree::default();
        self.build_into(range, &mut partial);
        partial
    }

    fn build_into(&self, range: Range, partial: &mut PartialTree) {
        if let [only] = range.references[..] {
            partial.leaf(only.primitive, self.clip.stored(only.primitive, &only.part));
            return;
        }
        let count = range.references.len();
        let opened = partial.open();
        let (left, right) = self.divide(range);
        self.report_finished(count, [&left, &right]);
        let right_child = if count >= PARALLEL_SIZE {
            let (left, right) = rayon::join(|| self.build(left), || self.build(right));
            partial.append(left);
            let right_child = partial.len();
            partial.append(right);
            right_child
        } else {
            self.build_into(left, partial);
            let right_child = partial.len();
            self.build_into(right, partial);
            right_child
        };
        partial.close(opened, right_child);
    }

    /// Divides at least two references; both sides have at least one.
    fn divide(&self, range: Range) -> (Range, Range) {
        let Range { mut references, duplicates, depth } = range;
        if depth >= DEEPEST_CHOICE {
            let right = references.split_off(references.len() / 2);
            return Range::of_sides(Sides { left: references, right }, duplicates, depth + 1);
        }
        let split = object::best(&mut references);
        if duplicates > 0 && split.overlap() > self.least_overlap {
            let plane = planes::best(self.clip, &references, duplicates, split.cost);
            let sides = plane.and_then(|plane| planes::divide(self.clip, &references, plane));
            let made = |sides: &Sides| (sides.left.len() + sides.right.len() - references.len()) as u32;
            if let Some(sides) = sides.filter(|sides| made(sides) <= duplicates) {
                let left_over = duplicates - made(&sides);
                return Range::of_sides(sides, left_over, depth + 1);
            }
        }
        Range::of_sides(object::divide(references, &split), duplicates, depth + 1)
    }

    /// Reports those sides of a large range that are small enough for one thread.
    fn report_finished(&self, count: usize, sides: [&Range; 2]) {
        for side in sides.map(|side| side.references.len()) {
            if count >= PARALLEL_SIZE && side < PARALLEL_SIZE {
                (self.on_leaves)(side as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests;
