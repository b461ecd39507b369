//! Ear clipping with exact predicates that uses every corner.
//!
//! Based on: Meisters, "Polygons Have Ears", 1975. Departure: no other corner may lie inside an ear or on its
//! boundary, so that corners in the middle of straight edges get a triangle of their own.

use super::{Point, turn};

/// Appends `points.len() - 2` triangles, all counter-clockwise; returns false if the polygon has no such ears, for
/// example because it intersects itself. O(n^2) for most polygons, O(n^3) in the worst case.
pub(super) fn clip(points: &[Point], triangles: &mut Vec<[u32; 3]>) -> bool {
    let mut ring: Vec<u32> = (0..points.len() as u32).collect();
    while ring.len() > 3 {
        let Some(ear) = (0..ring.len()).find(|&ear| is_ear(points, &ring, ear)) else {
            return false;
        };
        triangles.push(neighbours(&ring, ear));
        ring.remove(ear);
    }
    let last = [ring[0], ring[1], ring[2]];
    triangles.push(last);
    turn(points, last[0], last[1], last[2]) > 0.0
}

fn neighbours(ring: &[u32], at: usize) -> [u32; 3] {
    let count = ring.len();
    [ring[(at + count - 1) % count], ring[at], ring[(at + 1) % count]]
}

fn is_ear(points: &[Point], ring: &[u32], at: usize) -> bool {
    let [a, b, c] = neighbours(ring, at);
    if turn(points, a, b, c) <= 0.0 {
        return false;
    }
    // Bridges to holes visit a position twice; a corner at the same position as one of the ear's does not block the
    // ear.
    let own = [a, b, c].map(|k| points[k as usize]);
    let blocks = |&p: &u32| {
        !own.contains(&points[p as usize])
            && turn(points, a, b, p) >= 0.0
            && turn(points, b, c, p) >= 0.0
            && turn(points, c, a, p) >= 0.0
    };
    !ring.iter().any(blocks)
}
