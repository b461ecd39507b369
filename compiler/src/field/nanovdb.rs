//! A distance field as a raw NanoVDB grid: a level set of floats, version 32.
//!
//! Based on: Museth, "NanoVDB: A GPU-Friendly and Portable VDB Data Structure For Real-Time Rendering And Simulation", 2021. The
//! tree has leaves of 8 x 8 x 8 voxels, which are the field's bricks, in nodes of 16 x 16 x 16 and of 32 x 32 x 32, in a root that is
//! a list. Grid, tree and root are followed by all upper nodes, all lower ones, and the leaves, each in order. Voxels within the
//! band are active; others have the band's half width as their value. The checksum is the one that stands for none.

use std::collections::BTreeMap;

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode};
use bvhc_format::section::ArchivedDistanceField;
use bvhc_runtime::Field;

/// Sizes of records in bytes.
const GRID: usize = 672;
const TREE: usize = 64;
const ROOT: usize = 64;
const ROOT_TILE: usize = 32;
const LEAF: usize = 2144;

/// The nodes between the root and the leaves.
#[derive(Clone, Copy)]
struct Level {
    /// The logarithm of children along an axis.
    width: u32,
    /// The logarithm of leaves along an axis of a child.
    child: u32,
}

const UPPER: Level = Level { width: 5, child: 4 };
const LOWER: Level = Level { width: 4, child: 0 };

impl Level {
    const fn children(self) -> usize {
        1 << (3 * self.width)
    }

    /// The offset of the numbers after the two masks.
    const fn statistics(self) -> usize {
        32 + 2 * self.children() / 8
    }

    /// The offset of the table.
    const fn table(self) -> usize {
        (self.statistics() + 16).next_multiple_of(32)
    }

    const fn size(self) -> usize {
        self.table() + 8 * self.children()
    }

    /// The node that a leaf is in.
    fn node(self, leaf: [u32; 3]) -> [u32; 3] {
        leaf.map(|i| i >> (self.width + self.child))
    }

    /// The child that a leaf is in: z changes first.
    fn index(self, leaf: [u32; 3]) -> usize {
        let [x, y, z] = leaf.map(|i| (i >> self.child & ((1 << self.width) - 1)) as usize);
        (x << (2 * self.width)) + (y << self.width) + z
    }
}

/// The box of the active voxels in a part of the grid, and their values.
#[derive(Clone, Copy)]
struct Active {
    min: [u32; 3],
    max: [u32; 3],
    least: f32,
    most: f32,
    count: u64,
}

impl Active {
    const NONE: Self =
        Self { min: [u32::MAX; 3], max: [0; 3], least: f32::INFINITY, most: f32::NEG_INFINITY, count: 0 };

    /// The corners of the box as a grid has them; of no voxel, those of an empty one.
    fn corners(&self) -> [i32; 6] {
        if self.count == 0 {
            return [i32::MAX, i32::MAX, i32::MAX, i32::MIN, i32::MIN, i32::MIN];
        }
        let ([a, b, c], [d, e, f]) = (self.min, self.max);
        [a, b, c, d, e, f].map(|i| i as i32)
    }

    /// The least and the greatest value; of no voxel, those that it may have.
    fn ends(&self, band: f32) -> [f32; 2] {
        if self.count == 0 { [-band, band] } else { [self.least, self.most] }
    }

    fn add(&mut self, other: &Self) {
        self.min = [0, 1, 2].map(|axis| self.min[axis].min(other.min[axis]));
        self.max = [0, 1, 2].map(|axis| self.max[axis].max(other.max[axis]));
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.count += other.count;
    }
}

/// The bytes of the grid.
pub(crate) fn grid(field: &Field<'_>, section: &ArchivedDistanceField<'_>) -> Vec<u8> {
    let mut leaves: Vec<[u32; 3]> =
        super::stored_bricks(section).iter().map(|brick| brick.map(|i| i as u32)).collect();
    leaves.sort_by_key(|leaf| (UPPER.node(*leaf), UPPER.index(*leaf), LOWER.node(*leaf), LOWER.index(*leaf)));
    let plan = Plan::of(field, section, &leaves);
    let mut grid = Grid { bytes: vec![0; plan.end], field, plan };
    grid.write(&leaves);
    grid.bytes
}

/// Which nodes there are, and where they begin.
struct Plan {
    /// Those of the upper nodes, by coordinates.
    uppers: BTreeMap<[u32; 3], usize>,
    /// Those of the lower nodes, by those of the upper one and the index there.
    lowers: BTreeMap<([u32; 3], usize), usize>,
    first: [usize; 3],
    end: usize,
}

impl Plan {
    fn of(field: &Field<'_>, section: &ArchivedDistanceField<'_>, leaves: &[[u32; 3]]) -> Self {
        // All that the lattice has, as they say what is inside.
        let counts = field.points().map(|points| (points / BRICK_POINTS as u32).div_ceil(1 << 9));
        let (mut uppers, mut lowers) = (BTreeMap::new(), BTreeMap::new());
        for x in 0..counts[0] {
            for y in 0..counts[1] {
                uppers.extend((0..counts[2]).map(|z| ([x, y, z], 0)));
            }
        }
        let needed = leaves.iter().copied().chain(on_both_sides(section));
        lowers.extend(needed.map(|leaf| ((UPPER.node(leaf), UPPER.index(leaf)), 0)));
        let mut end = GRID + TREE + ROOT + ROOT_TILE * uppers.len();
        let mut place = |size: usize| {
            end += size;
            end - size
        };
        let mut first = [0; 3];
        first[2] = place(0);
        uppers.values_mut().for_each(|at| *at = place(UPPER.size()));
        first[1] = place(0);
        lowers.values_mut().for_each(|at| *at = place(LOWER.size()));
        first[0] = place(LEAF * leaves.len());
        Self { uppers, lowers, first, end }
    }
}

/// The first leaves of lower nodes that hold points on both sides of the surface, although perhaps no leaf: signs of an open surface
/// change without it, and beyond the lattice all is outside.
fn on_both_sides(section: &ArchivedDistanceField<'_>) -> Vec<[u32; 3]> {
    /// Tiles of the field along an axis of a lower node.
    const TILES: usize = (1 << LOWER.width) / FIELD_WIDTH;
    let counts = section.tile_counts.map(|count| count.to_native() as usize);
    let tiles: &[FieldNode] = section.tiles.get();
    let sides = |[x, y, z]: [usize; 3]| {
        if x >= counts[0] || y >= counts[1] || z >= counts[2] {
            return [true, false];
        }
        let tile = &tiles[x + counts[0] * (y + counts[1] * z)];
        [tile.inside | tile.stored != u64::MAX, tile.inside != 0]
    };
    let is_on_both = |node: &[usize; 3]| {
        let mut seen = [false; 2];
        for tile in 0..TILES.pow(3) {
            let at = [tile % TILES, tile / TILES % TILES, tile / (TILES * TILES)];
            let [outside, inside] = sides([0, 1, 2].map(|axis| node[axis] * TILES + at[axis]));
            seen = [seen[0] | outside, seen[1] | inside];
        }
        seen == [true; 2]
    };
    let [columns, rows, layers] = counts.map(|count| count.div_ceil(TILES));
    let nodes = (0..columns * rows * layers)
        .map(|node| [node % columns, node / columns % rows, node / (columns * rows)]);
    nodes.filter(is_on_both).map(|node| node.map(|i| (i as u32) << LOWER.width)).collect()
}

struct Grid<'a> {
    bytes: Vec<u8>,
    field: &'a Field<'a>,
    plan: Plan,
}

impl Grid<'_> {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn put_all<const N: usize>(&mut self, at: usize, numbers: impl IntoIterator<Item = [u8; N]>) {
        for (index, bytes) in numbers.into_iter().enumerate() {
            self.put(at + N * index, &bytes);
        }
    }

    fn write(&mut self, leaves: &[[u32; 3]]) {
        let root = GRID + TREE;
        let uppers: Vec<_> = self.plan.uppers.iter().map(|(node, at)| (*node, *at)).collect();
        let lowers: Vec<_> = self.plan.lowers.iter().map(|(node, at)| (*node, *at)).collect();
        for (node, at) in &uppers {
            let first = node.map(|i| i << 9);
            self.fill_table(UPPER, *at, first);
        }
        for ((node, index), at) in &lowers {
            let slot = [index >> 10, index >> 5 & 31, index & 31];
            let first = [0, 1, 2].map(|axis| (node[axis] << 9) + ((slot[axis] as u32) << 4));
            self.fill_table(LOWER, *at, first);
        }
        let mut of_lowers: BTreeMap<_, Active> = BTreeMap::new();
        let mut of_uppers: BTreeMap<_, Active> = BTreeMap::new();
        let mut of_all = Active::NONE;
        for (index, leaf) in leaves.iter().enumerate() {
            let at = self.plan.first[0] + LEAF * index;
            let active = self.write_leaf(at, *leaf);
            let key = (UPPER.node(*leaf), UPPER.index(*leaf));
            let lower = self.plan.lowers[&key];
            self.link(LOWER, lower, LOWER.index(*leaf), at);
            of_lowers.entry(key).or_insert(Active::NONE).add(&active);
        }
        for ((node, index), at) in &lowers {
            let active = of_lowers.get(&(*node, *index)).copied().unwrap_or(Active::NONE);
            self.put_active(LOWER, *at, &active);
            self.link(UPPER, self.plan.uppers[node], *index, *at);
            of_uppers.entry(*node).or_insert(Active::NONE).add(&active);
        }
        for (index, (node, at)) in uppers.iter().enumerate() {
            let active = of_uppers.get(node).copied().unwrap_or(Active::NONE);
            self.put_active(UPPER, *at, &active);
            of_all.add(&active);
            let key = u64::from(node[2]) | u64::from(node[1]) << 21 | u64::from(node[0]) << 42;
            let tile = root + ROOT + ROOT_TILE * index;
            self.put_all(tile, [key.to_le_bytes(), ((at - root) as u64).to_le_bytes()]);
        }
        self.write_root(root, uppers.len(), &of_all);
        self.write_tree(leaves.len(), lowers.len(), uppers.len(), of_all.count);
        self.write_head(&of_all);
    }

    /// Gives all children of a node, from this leaf on, the values of bricks that are not stored.
    fn fill_table(&mut self, level: Level, at: usize, first: [u32; 3]) {
        for index in 0..level.children() {
            let slot = [index >> (2 * level.width), index >> level.width, index];
            let leaf = [0, 1, 2]
                .map(|axis| first[axis] + ((slot[axis] as u32 & ((1 << level.width) - 1)) << level.child));
            let value = self.field.value_at(leaf.map(|i| i * BRICK_POINTS as u32));
            let band = self.field.band().copysign(value);
            self.put(at + level.table() + 8 * index, &band.to_le_bytes());
        }
    }

    /// Makes a node the parent of the one at `child`.
    fn link(&mut self, level: Level, at: usize, index: usize, child: usize) {
        self.bytes[at + 32 + level.children() / 8 + index / 8] |= 1 << (index % 8);
        self.put(at + level.table() + 8 * index, &((child - at) as u64).to_le_bytes());
    }

    fn put_active(&mut self, level: Level, at: usize, active: &Active) {
        self.put_all(at, active.corners().map(i32::to_le_bytes));
        let ends = active.ends(self.field.band());
        self.put_all(at + level.statistics(), ends.map(f32::to_le_bytes));
    }

    fn write_leaf(&mut self, at: usize, leaf: [u32; 3]) -> Active {
        let (first, band) = (leaf.map(|i| i * BRICK_POINTS as u32), self.field.band());
        let mut active = Active::NONE;
        for index in 0..BRICK_POINTS.pow(3) {
            let step = [index >> 6, index >> 3 & 7, index & 7].map(|i| i as u32);
            let point = [0, 1, 2].map(|axis| first[axis] + step[axis]);
            let value = self.field.value_at(point);
            self.put(at + 96 + 4 * index, &value.to_le_bytes());
            if value.abs() < band {
                self.bytes[at + 16 + index / 8] |= 1 << (index % 8);
                active.add(&Active { min: point, max: point, least: value, most: value, count: 1 });
            }
        }
        // Open surfaces may have bricks without active voxels, hence without a box.
        let has_box = active.count > 0;
        let [min, max] = if has_box { [active.min, active.max] } else { [first; 2] };
        self.put_all(at, min.map(|i| (i as i32).to_le_bytes()));
        self.put(at + 12, &[0, 1, 2].map(|axis| (max[axis] - min[axis]) as u8));
        self.bytes[at + 15] = if has_box { 2 } else { 0 };
        self.put_all(at + 80, active.ends(band).map(f32::to_le_bytes));
        active
    }

    fn write_root(&mut self, at: usize, tiles: usize, active: &Active) {
        self.put_all(at, active.corners().map(i32::to_le_bytes));
        self.put(at + 24, &(tiles as u32).to_le_bytes());
        let (band, [least, most]) = (self.field.band(), active.ends(self.field.band()));
        self.put_all(at + 28, [band, least, most].map(f32::to_le_bytes));
    }

    fn write_tree(&mut self, leaves: usize, lowers: usize, uppers: usize, voxels: u64) {
        let [leaf, lower, upper] = self.plan.first.map(|at| at - GRID);
        self.put_all(GRID, [leaf, lower, upper, TREE].map(|at| (at as u64).to_le_bytes()));
        self.put_all(GRID + 32, [leaves, lowers, uppers].map(|count| (count as u32).to_le_bytes()));
        self.put(GRID + 56, &voxels.to_le_bytes());
    }

    fn write_head(&mut self, active: &Active) {
        let (voxel, origin) = (self.field.voxel(), self.field.origin());
        self.put(0, b"NanoVDB0");
        self.put(8, &u64::MAX.to_le_bytes());
        // Version 32.4.2; boxes, least and greatest values, nodes by levels; grid 0 of 1.
        let version = 32 << 21 | 4 << 10 | 2;
        self.put_all(16, [version, 0b10_0110, 0, 1u32].map(u32::to_le_bytes));
        self.put(32, &(self.plan.end as u64).to_le_bytes());
        self.put(40, b"distance");
        let diagonal = |x: f64| [x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x];
        let (matrix, inverse) = (diagonal(voxel), diagonal(1.0 / voxel));
        let map: Vec<f64> = [&matrix[..], &inverse, &origin, &[1.0]].concat();
        self.put_all(296, map.iter().map(|x| (*x as f32).to_le_bytes()));
        self.put_all(296 + 88, map.iter().map(|x| x.to_le_bytes()));
        let world = |at: [u32; 3], more: f64| {
            [0, 1, 2].map(|axis| origin[axis] + (f64::from(at[axis]) + more) * voxel)
        };
        let bounds = [world(active.min, 0.0), world(active.max, 1.0), [voxel; 3]];
        self.put_all(560, bounds.concat().iter().map(|x| x.to_le_bytes()));
        // A level set of floats.
        self.put_all(632, [1u32, 1].map(u32::to_le_bytes));
    }
}

#[cfg(test)]
mod tests {
    use bvhc_runtime::Model;

    use super::*;
    use crate::{FieldOptions, Options, compile_mesh};

    /// Follows the tree as NanoVDB's reader does.
    fn value(bytes: &[u8], point: [u32; 3]) -> f32 {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let root = GRID + word(GRID + 24) as usize;
        let tiles = u32::from_le_bytes(bytes[root + 24..root + 28].try_into().unwrap()) as usize;
        let [x, y, z] = point.map(|i| u64::from(i >> 12));
        let mut slots = (0..tiles).map(|tile| root + ROOT + ROOT_TILE * tile);
        let Some(tile) = slots.find(|tile| word(*tile) == z | y << 21 | x << 42) else {
            return float(root + 28);
        };
        let mut at = root + word(tile + 8) as usize;
        for level in [UPPER, LOWER] {
            let index = level.index(point.map(|i| i >> 3));
            let entry = at + level.table() + 8 * index;
            if bytes[at + 32 + level.children() / 8 + index / 8] >> (index % 8) & 1 == 0 {
                return float(entry);
            }
            at += word(entry) as usize;
        }
        let [x, y, z] = point.map(|i| (i & 7) as usize);
        float(at + 96 + 4 * (x * 64 + y * 8 + z))
    }

    #[test]
    fn sizes_are_those_of_the_format() {
        assert_eq!((UPPER.size(), LOWER.size()), (270_400, 33_856));
        assert_eq!((UPPER.table(), LOWER.table()), (8256, 1088));
    }

    /// The signs of an open surface change where there is no surface, and so where no brick is stored.
    #[test]
    fn open_surfaces_have_the_signs_of_the_field() {
        let corner = |bits: u32| [0, 1, 2].map(|axis| (bits >> axis & 1) as f32);
        let positions: Vec<[f32; 3]> = (0..8).map(corner).collect();
        // A cube without its side x = 1.
        let sides = [[0, 4, 6, 2], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<[u32; 3]> =
            sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let options = Options { field: Some(FieldOptions::new(200)), obb: None, ..Options::default() };
        let file = compile_mesh(&positions, &triangles, &options).unwrap().bytes;
        let model = Model::from_bytes(&file).unwrap();
        let (field, section) = (model.field().unwrap(), model.sections().field().unwrap());
        assert!(!field.signs_are_exact());
        let bytes = grid(&field, section);
        let [columns, rows, layers] = field.points().map(|points| (0..points + 140).step_by(5));
        let mut signs = [0; 2];
        for x in columns {
            for y in rows.clone() {
                for z in layers.clone() {
                    let expected = field.value_at([x, y, z]);
                    assert_eq!(value(&bytes, [x, y, z]), expected, "{x} {y} {z}");
                    signs[usize::from(expected < 0.0)] += 1;
                }
            }
        }
        assert!(signs[0] > 10_000 && signs[1] > 10_000, "{signs:?}");
    }

    #[test]
    fn the_grid_has_the_values_of_the_field() {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let options = Options { field: Some(FieldOptions::new(40)), obb: None, ..Options::default() };
        let file = compile_mesh(&positions, &triangles, &options).unwrap().bytes;
        let model = Model::from_bytes(&file).unwrap();
        let (field, section) = (model.field().unwrap(), model.sections().field().unwrap());
        let bytes = grid(&field, section);
        let [columns, rows, layers] = field.points();
        let mut inside = 0;
        for x in 0..columns + 9 {
            for y in (0..rows + 9).step_by(3) {
                for z in (0..layers).step_by(2) {
                    let expected = field.value_at([x, y, z]);
                    assert_eq!(value(&bytes, [x, y, z]), expected, "{x} {y} {z}");
                    inside += u32::from(expected == -field.band());
                }
            }
        }
        assert!(inside > 100, "{inside} points deep inside");
        let active = u64::from_le_bytes(bytes[GRID + 56..GRID + 64].try_into().unwrap());
        assert_eq!(active, section.active.to_native());
        assert_eq!(bytes.len() as u64, u64::from_le_bytes(bytes[32..40].try_into().unwrap()));
    }
}
