//! The parts of a triangle cover it for any sequence of cuts.

use super::*;
use crate::mesh::Mesh;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A multiple of 2^-10 from 0 to below 1.
    fn coarse(&mut self) -> f32 {
        (self.bits() >> 54) as f32 / 1024.0
    }
}

/// Well-shaped triangles, needles, axis-aligned ones, and small ones far from the origin.
fn triangle(random: &mut Random, kind: u64) -> [[f32; 3]; 3] {
    let mut corner = || [0; 3].map(|_| random.coarse() * 8.0 - 4.0);
    let mut corners = [corner(), corner(), corner()];
    match kind % 4 {
        1 => {
            corners[2] = [0, 1, 2].map(|axis| corners[0][axis] * 0.5 + corners[1][axis] * 0.5 + 1.0 / 1024.0)
        }
        2 => (0..3).for_each(|k| corners[k][(kind / 4) as usize % 3] = 0.3),
        3 => corners = corners.map(|corner| corner.map(|x| 30_000.0 + x / 16.0)),
        _ => {}
    }
    corners
}

/// Cuts a triangle at `cuts` planes, each through a randomly chosen part.
fn parts(random: &mut Random, corners: [[f32; 3]; 3], cuts: usize) -> Vec<Aabb> {
    let mesh = Mesh { positions: corners.to_vec(), triangles: vec![[0, 1, 2]], ..Mesh::default() };
    let triangles = Triangles::new(&mesh);
    let mut parts = vec![triangles.whole(0)];
    for _ in 0..cuts {
        let chosen = random.bits() as usize % parts.len();
        let axis = random.bits() as usize % 3;
        let part = parts[chosen];
        let plane = part.lower[axis] + (part.upper[axis] - part.lower[axis]) * random.coarse();
        if part.lower[axis] < plane && plane < part.upper[axis] {
            let halves = triangles.halves(0, &part, axis, plane);
            assert!(halves[0].is_empty() || halves[0].upper[axis] <= plane);
            assert!(halves[1].is_empty() || halves[1].lower[axis] >= plane);
            assert!(halves.iter().all(|half| half.is_empty() || half.union(part) == part));
            parts.swap_remove(chosen);
            parts.extend(halves.into_iter().filter(|half| !half.is_empty()));
        }
    }
    parts
}

/// Whether a box contains the point with these weights, in 64ths; all products and sums are exact in f64.
fn holds(part: &Aabb, corners: [[f32; 3]; 3], weights: [u32; 3]) -> bool {
    (0..3).all(|axis| {
        let x: f64 = (0..3).map(|k| f64::from(weights[k]) * f64::from(corners[k][axis])).sum();
        f64::from(part.lower[axis]) * 64.0 <= x && x <= f64::from(part.upper[axis]) * 64.0
    })
}

#[test]
fn every_point_lies_in_some_part() {
    let mut random = Random(1);
    for kind in 0..400 {
        let corners = triangle(&mut random, kind);
        let cuts = [1, 2, 5, 40][random.bits() as usize % 4];
        let parts = parts(&mut random, corners, cuts);
        for a in 0..=64 {
            for b in 0..=64 - a {
                let weights = [a, b, 64 - a - b];
                let covered = parts.iter().any(|part| holds(part, corners, weights));
                assert!(covered, "{corners:?} {weights:?} {parts:?}");
            }
        }
    }
}

#[test]
fn planes_through_corners_and_points_leave_nothing_out() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.25, 0.5], [0.25, 1.0, 0.75]];
    let mesh = Mesh { positions: corners.to_vec(), triangles: vec![[0, 1, 2]], ..Mesh::default() };
    let triangles = Triangles::new(&mesh);
    for axis in 0..3 {
        for step in 1..64u8 {
            let halves = triangles.halves(0, &triangles.whole(0), axis, f32::from(step) / 64.0);
            for weights in (0..=64u32).flat_map(|a| (0..=64 - a).map(move |b| [a, b, 64 - a - b])) {
                assert!(halves.iter().any(|half| holds(half, corners, weights)));
            }
        }
    }
}

#[test]
fn parts_are_tight() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [4.0, 0.0, 0.0]];
    let mesh = Mesh { positions: corners.to_vec(), triangles: vec![[0, 1, 2]], ..Mesh::default() };
    let [left, right] = Triangles::new(&mesh).halves(0, &Aabb::around(corners), 0, 1.0);
    assert_eq!((left.lower, right.lower), ([0.0; 3], [1.0, 0.0, 0.0]));
    assert!(left.upper[1] >= 1.0 && left.upper[1] <= 1.0f32.next_up());
    assert_eq!(right.upper, [4.0, 4.0, 0.0]);
}

#[test]
fn what_a_part_does_not_reach_is_empty() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [4.0, 0.0, 0.0]];
    let mesh = Mesh { positions: corners.to_vec(), triangles: vec![[0, 1, 2]], ..Mesh::default() };
    let above = Aabb { lower: [0.0, 3.0, 0.0], upper: [4.0, 4.0, 0.0] };
    let [left, right] = Triangles::new(&mesh).halves(0, &above, 0, 2.0);
    assert!(left.is_empty() && !right.is_empty());
}
