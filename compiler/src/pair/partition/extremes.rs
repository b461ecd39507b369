//! The farthest points of a set along a few directions.

use fearless_simd::{Select, Simd, SimdBase, SimdFrom, f32x8};

use crate::fit::sort_and_dedup;

/// How many points are looked at at once.
const LANES: usize = 8;

/// Points, and reused memory.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    /// One list a coordinate, filled up to a multiple of [`LANES`] with the last point.
    coordinates: [Vec<f32>; 3],
}

impl Extremes {
    /// Lists the first point that is farthest along each of 13 directions and their opposites, each point once. The directions
    /// are the axes of space, and the diagonals of its cube and of the cube's faces.
    #[inline(always)]
    pub(super) fn find<'a>(
        &mut self,
        simd: impl Simd,
        triangles: impl Iterator<Item = &'a [[f32; 3]; 3]>,
        found: &mut Vec<[f32; 3]>,
    ) {
        self.fill(triangles);
        found.clear();
        self.ends(simd, |[x, _, _]| x, found);
        self.ends(simd, |[_, y, _]| y, found);
        self.ends(simd, |[_, _, z]| z, found);
        self.ends(simd, |[x, y, _]| x + y, found);
        self.ends(simd, |[x, y, _]| x - y, found);
        self.ends(simd, |[_, y, z]| y + z, found);
        self.ends(simd, |[_, y, z]| y - z, found);
        self.ends(simd, |[x, _, z]| z + x, found);
        self.ends(simd, |[x, _, z]| z - x, found);
        self.ends(simd, |[x, y, z]| x + y + z, found);
        self.ends(simd, |[x, y, z]| x + y - z, found);
        self.ends(simd, |[x, y, z]| x - y + z, found);
        self.ends(simd, |[x, y, z]| x - y - z, found);
        sort_and_dedup(found);
    }

    #[inline(always)]
    fn fill<'a>(&mut self, triangles: impl Iterator<Item = &'a [[f32; 3]; 3]>) {
        self.coordinates.iter_mut().for_each(Vec::clear);
        for triangle in triangles {
            for (axis, list) in self.coordinates.iter_mut().enumerate() {
                list.extend_from_slice(&[triangle[0][axis], triangle[1][axis], triangle[2][axis]]);
            }
        }
        for list in &mut self.coordinates {
            let last = list.last().copied().unwrap_or_default();
            list.resize(list.len().next_multiple_of(LANES), last);
        }
    }

    /// Adds the least and the greatest along a direction.
    #[inline(always)]
    fn ends<S: Simd>(&self, simd: S, along: impl Fn([f32x8<S>; 3]) -> f32x8<S>, found: &mut Vec<[f32; 3]>) {
        let [x, y, z] = self.coordinates.each_ref().map(|list| list.as_chunks::<LANES>().0);
        let one = f32x8::splat(simd, 1.0);
        let mut number = f32x8::splat(simd, 0.0);
        let (mut low, mut low_at) = (f32x8::splat(simd, f32::INFINITY), number);
        let (mut high, mut high_at) = (f32x8::splat(simd, f32::NEG_INFINITY), number);
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            let offset = along([x, y, z].map(|chunk| f32x8::simd_from(simd, *chunk)));
            let (is_lower, is_higher) = (offset.simd_lt(low), offset.simd_gt(high));
            low = is_lower.select(offset, low);
            low_at = is_lower.select(number, low_at);
            high = is_higher.select(offset, high);
            high_at = is_higher.select(number, high_at);
            number += one;
        }
        found.push(self.first(low.into(), low_at.into(), |a, b| a < b));
        found.push(self.first(high.into(), high_at.into(), |a, b| a > b));
    }

    /// The first of the points that are best in their lanes and best of all.
    #[inline(always)]
    fn first(
        &self,
        offsets: [f32; LANES],
        chunks: [f32; LANES],
        is_better: impl Fn(f32, f32) -> bool,
    ) -> [f32; 3] {
        let at = |lane: usize| chunks[lane] as usize * LANES + lane;
        let best = (1..LANES).fold(0, |best, lane| {
            let is_earlier = offsets[lane] == offsets[best] && at(lane) < at(best);
            if is_better(offsets[lane], offsets[best]) || is_earlier { lane } else { best }
        });
        self.coordinates.each_ref().map(|list| list[at(best)])
    }
}

#[cfg(test)]
mod tests {
    use crate::simd::dispatch;

    use super::*;
    use crate::fit::tests::sets;

    #[test]
    fn extremes_are_the_first_that_are_farthest() {
        let mut extremes = Extremes::default();
        for set in sets(100) {
            let triangles: Vec<[[f32; 3]; 3]> = set.points.as_chunks().0.to_vec();
            if triangles.is_empty() {
                continue;
            }
            let mut found = Vec::new();
            dispatch!(simd => extremes.find(simd, triangles.iter(), &mut found));
            let mut expected = Vec::new();
            for [i, j, k] in DIRECTIONS {
                for sign in [1.0, -1.0] {
                    let along = |[x, y, z]: [f32; 3]| sign * (x * i + y * j + z * k);
                    let points = triangles.as_flattened().iter().copied();
                    expected.extend(points.reduce(|a, b| if along(b) > along(a) { b } else { a }));
                }
            }
            sort_and_dedup(&mut expected);
            assert_eq!(found, expected, "{}", set.name);
        }
    }

    const DIRECTIONS: [[f32; 3]; 13] = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [1.0, -1.0, 0.0],
        [0.0, 1.0, 1.0],
        [0.0, 1.0, -1.0],
        [1.0, 0.0, 1.0],
        [-1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [1.0, 1.0, -1.0],
        [1.0, -1.0, 1.0],
        [1.0, -1.0, -1.0],
    ];
}
