//! The exact convex hull of points by its vertices and edges, of any dimension.
//!
//! Vertices of a [`Hull`] may lie within edges or facets; those at three edges or more between faces in different planes
//! are kept. A second hull, of these alone, has the polytope's edges.

use std::cmp::Ordering;

use super::hull::{Hull, Shape};
use super::plane::Polygon;

/// A convex polytope, polygon, line or point.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// The extreme points, ascending by x, then y, then z.
    pub vertices: Vec<[f32; 3]>,
    /// Of each, the vertices at the other ends of its edges, ascending.
    pub neighbours: Vec<Vec<u32>>,
}

impl Polytope {
    /// Around at least one point, all finite.
    pub fn around(points: &[[f32; 3]]) -> Self {
        // Of points on a line, the first and the last are its ends.
        let points = sorted(points.to_vec());
        let mut hull = Hull::default();
        let vertices = match hull.build(&points) {
            Shape::Point(_) => points,
            Shape::Line(_) => [points[0], points[points.len() - 1]].to_vec(),
            Shape::Plane(base) => return Self::polygon(points, hull.axes_of_plane(base)),
            Shape::Solid => extreme(&points, &hull),
        };
        if let Shape::Solid = hull.build(&vertices) {
            return Self::with_edges(vertices, hull.edges().map(|edge| [edge.left[0], edge.left[1]]));
        }
        let line = (vertices.len() == 2).then_some([0, 1]);
        Self::with_edges(vertices, line.into_iter())
    }

    /// Of points in a plane, no two of which are one on these axes: there they are the same polygon.
    fn polygon(mut points: Vec<[f32; 3]>, [i, j]: [usize; 2]) -> Self {
        let flat = |point: &[f32; 3]| [point[i], point[j]].map(f64::from);
        let mut polygon = Polygon::default();
        polygon.enclose(&mut points.iter().map(flat).collect::<Vec<_>>());
        points.sort_unstable_by(|a, b| compare(&flat(a), &flat(b)));
        let of = |corner: &[f64; 2]| {
            let found = points.binary_search_by(|point| compare(&flat(point), corner));
            points[found.expect("a corner is one of the points")]
        };
        let around: Vec<[f32; 3]> = polygon.corners().iter().map(of).collect();
        let vertices = sorted(around.clone());
        let number = |vertex: &[f32; 3]| {
            vertices.binary_search_by(|other| compare(other, vertex)).expect("it is one of them") as u32
        };
        let edges: Vec<[u32; 2]> = (0..around.len())
            .map(|corner| [number(&around[corner]), number(&around[(corner + 1) % around.len()])])
            .collect();
        Self::with_edges(vertices, edges.into_iter())
    }

    fn with_edges(vertices: Vec<[f32; 3]>, edges: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut neighbours = vec![Vec::new(); vertices.len()];
        for [a, b] in edges {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        neighbours.iter_mut().for_each(|list| list.sort_unstable());
        Self { vertices, neighbours }
    }
}

/// The points at three edges or more between faces in different planes: a point within an edge has two, one within a facet
/// none.
fn extreme(points: &[[f32; 3]], hull: &Hull) -> Vec<[f32; 3]> {
    let mut edges = vec![0u32; points.len()];
    for edge in hull.edges() {
        edges[edge.left[0] as usize] += 1;
        edges[edge.left[1] as usize] += 1;
    }
    edges.iter().zip(points).filter(|(count, _)| **count >= 3).map(|(_, point)| *point).collect()
}

/// Each once, ascending by x, then y, then z.
fn sorted(mut points: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    points.sort_unstable_by(compare);
    points.dedup();
    points
}

fn compare<T: PartialOrd, const N: usize>(a: &[T; N], b: &[T; N]) -> Ordering {
    a.partial_cmp(b).expect("points are finite")
}

#[cfg(test)]
mod tests {
    use bvhc_runtime::compare_along;

    use super::*;
    use crate::fit::random::Random;
    use crate::fit::tests::sets;

    /// Every vertex is a point that some direction has for its farthest, and from any vertex edges lead up to one that is
    /// the farthest of all points, exactly.
    fn check(polytope: &Polytope, points: &[[f32; 3]], random: &mut Random, name: &str) {
        assert!(polytope.vertices.is_sorted_by(|a, b| a < b) && !polytope.vertices.is_empty(), "{name}");
        assert!(polytope.vertices.iter().all(|vertex| points.contains(vertex)), "{name}");
        for (vertex, neighbours) in (0..).zip(&polytope.neighbours) {
            assert!(neighbours.is_sorted_by(|a, b| a < b) && !neighbours.contains(&vertex), "{name}");
            assert!(
                neighbours.iter().all(|other| polytope.neighbours[*other as usize].contains(&vertex)),
                "{name}"
            );
        }
        for round in 0..40 {
            let direction = match round % 4 {
                0 => [0; 3].map(|_| random.below(3) as f32 - 1.0),
                // Perpendicular to the difference of two vertices, up to rounding.
                1 => {
                    let [a, b] = [0; 2].map(|_| polytope.vertices[random.below(polytope.vertices.len())]);
                    [a[1] - b[1], b[0] - a[0], 0.0]
                }
                _ => random.direction().map(|x| x as f32),
            };
            let farther = |a: &[f32; 3], b: &[f32; 3]| compare_along(&direction, a, b);
            let most = points.iter().copied().max_by(farther).expect("a point");
            let mut at = random.below(polytope.vertices.len());
            let position = |vertex: &u32| polytope.vertices[*vertex as usize];
            while let Some(higher) = polytope.neighbours[at]
                .iter()
                .find(|vertex| farther(&position(vertex), &polytope.vertices[at]).is_gt())
            {
                at = *higher as usize;
            }
            assert!(farther(&polytope.vertices[at], &most).is_eq(), "{name}, {direction:?}");
        }
    }

    #[test]
    fn edges_lead_up_to_the_farthest_point() {
        let mut random = Random::new(5);
        for set in sets(400) {
            check(&Polytope::around(&set.points), &set.points, &mut random, set.name);
        }
    }

    #[test]
    fn what_lies_within_edges_and_facets_is_no_vertex() {
        let steps = || (0..=4).map(|i| i as f32);
        let grid: Vec<_> =
            steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| [x, y, z]))).collect();
        let cube = Polytope::around(&grid);
        assert_eq!((cube.vertices.len(), cube.neighbours.concat().len()), (8, 24));
        let square: Vec<_> = grid.iter().filter(|point| point[0] == point[1]).copied().collect();
        let square = Polytope::around(&square);
        assert_eq!((square.vertices.len(), square.neighbours.concat().len()), (4, 8));
        let line: Vec<_> =
            grid.iter().filter(|point| point[0] == point[1] && point[2] == 4.0).copied().collect();
        let line = Polytope::around(&line);
        assert_eq!(
            (line.vertices, line.neighbours),
            (vec![[0.0, 0.0, 4.0], [4.0; 3]], vec![vec![1], vec![0]])
        );
        let point = Polytope::around(&grid[..1]);
        assert_eq!((point.vertices, point.neighbours), (vec![[0.0; 3]], vec![vec![]]));
    }
}
