//! Each polygon is checked by signed areas: triangles that all have the polygon's winding, and use each of its edges
//! once and each inner edge twice, must tile it.

use super::*;
use crate::math::vector::dot;
use std::collections::HashMap;

fn triangulate(positions: &[[f32; 3]]) -> Vec<[u32; 3]> {
    let corners: Vec<u32> = (0..positions.len() as u32).collect();
    let mut triangles = Vec::new();
    Triangulator::default().polygon(positions, &corners, |triangle| triangles.push(triangle));
    triangles
}

fn area_vector(positions: &[[f32; 3]], corners: &[u32]) -> [f64; 3] {
    newell(corners.len(), |k| positions[corners[k] as usize].map(f64::from))
}

/// Asserts a tiling without T-junctions.
fn assert_tiled(positions: &[[f32; 3]], triangles: &[[u32; 3]]) {
    let count = positions.len() as u32;
    assert_eq!(triangles.len(), positions.len() - 2, "{positions:?} {triangles:?}");
    let normal = area_vector(positions, &Vec::from_iter(0..count));
    let mut edges = HashMap::new();
    for triangle @ &[a, b, c] in triangles {
        assert!(dot(area_vector(positions, triangle), normal) > 0.0, "{positions:?} {triangle:?}");
        for edge in [(a, b), (b, c), (c, a)] {
            assert!(edges.insert(edge, ()).is_none(), "{edge:?} twice");
        }
    }
    for &(a, b) in edges.keys() {
        let outer = b == (a + 1) % count;
        assert!(outer != edges.contains_key(&(b, a)), "{positions:?} {a}-{b}");
    }
}

/// All six axis-aligned placements of a planar polygon, one oblique placement, and any choice of first corner.
fn assert_tiled_everywhere(polygon: &[[f32; 2]]) {
    let lay: [fn([f32; 2]) -> [f32; 3]; 7] = [
        |[x, y]| [x, y, 7.0],
        |[x, y]| [y, x, -7.0],
        |[x, y]| [7.0, x, y],
        |[x, y]| [0.0, y, x],
        |[x, y]| [y, -3.0, x],
        |[x, y]| [x, 3.0, y],
        |[x, y]| [x, y, 2.0 * x - 3.0 * y],
    ];
    for lay in lay {
        let mut positions: Vec<[f32; 3]> = polygon.iter().copied().map(lay).collect();
        for _ in 0..positions.len() {
            positions.rotate_left(1);
            assert_tiled(&positions, &triangulate(&positions));
        }
    }
}

#[test]
fn convex_polygons_become_fans() {
    let hexagon = [[2.0, 0.0], [4.0, 1.0], [4.0, 3.0], [2.0, 4.0], [0.0, 3.0], [0.0, 1.0]];
    assert_tiled_everywhere(&hexagon);
    let fan = triangulate(&hexagon.map(|[x, y]| [x, y, 0.0]));
    assert_eq!(fan, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
}

#[test]
fn quads_split_along_the_diagonal_inside() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(triangulate(&square), [[0, 1, 2], [0, 2, 3]]);
    assert_tiled_everywhere(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]);
    // A corner in the middle of an edge.
    assert_tiled_everywhere(&[[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 4.0]]);
}

#[test]
fn quads_whose_edges_cross_are_fans() {
    let is_tiled = |corners: [[f32; 3]; 4]| Triangulator::default().polygon(&corners, &[0, 1, 2, 3], |_| ());
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    assert!(is_tiled([a, b, c, d]));
    assert!(!is_tiled([a, b, d, c]) && !is_tiled([a, c, d, b]));
    // Bow ties whose halves cancel each other, in three planes.
    for turn in 0..3 {
        let turned = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, y]| {
            let mut corner = [x as f32, y as f32, 2.0];
            corner.rotate_right(turn);
            corner
        });
        assert!(!is_tiled(turned), "{turn}");
    }
    // A corner twice.
    assert!(is_tiled([a, b, b, d]));
}

#[test]
fn concave_polygons_keep_area_and_winding() {
    // An L, an arrow, a comb, a spiral.
    assert_tiled_everywhere(&[[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]);
    assert_tiled_everywhere(&[[0.0, 0.0], [4.0, -3.0], [2.0, 0.0], [4.0, 3.0], [3.0, 4.0]]);
    let comb = (0..8).map(|x| [x as f32, if x % 2 == 0 { 9.0 } else { 1.0 }]);
    let comb: Vec<[f32; 2]> = [[7.0, 0.0], [0.0, 0.0]].into_iter().chain(comb).collect();
    assert_tiled_everywhere(&comb);
    let spiral = [
        [0, 0],
        [9, 0],
        [9, 9],
        [2, 9],
        [2, 3],
        [6, 3],
        [6, 6],
        [5, 6],
        [5, 4],
        [3, 4],
        [3, 8],
        [8, 8],
        [8, 1],
        [0, 1],
    ];
    assert_tiled_everywhere(&spiral.map(|[x, y]| [x as f32, y as f32]));
}

#[test]
fn corners_in_straight_edges_leave_no_t_junction() {
    // A square with two corners on each edge, and a cross on a grid, full of collinear corners.
    let square =
        [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [3, 2], [3, 3], [2, 3], [1, 3], [0, 3], [0, 2], [0, 1]];
    assert_tiled_everywhere(&square.map(|[x, y]| [x as f32, y as f32]));
    let cross =
        [[1, 0], [2, 0], [2, 1], [3, 1], [3, 2], [2, 2], [2, 3], [1, 3], [1, 2], [0, 2], [0, 1], [1, 1]];
    assert_tiled_everywhere(&cross.map(|[x, y]| [x as f32, y as f32]));
}

/// Stars on a grid, so that collinear corners are frequent; coarse enough that rounding makes no edges cross.
fn random_star(count: u32, random: &mut impl FnMut() -> f32) -> Vec<[f32; 3]> {
    let corner = |k| {
        let angle = std::f32::consts::TAU * k as f32 / count as f32;
        let radius = count as f32 * (1.0 + 2.0 * random());
        [(radius * angle.cos()).round(), 5.0, (radius * angle.sin()).round()]
    };
    (0..count).map(corner).collect()
}

fn random() -> impl FnMut() -> f32 {
    let mut state = 7u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    }
}

#[test]
fn random_stars_are_tiled() {
    let mut random = random();
    // Both sides of 80, where earcut switches to hashing.
    for count in [5, 6, 7, 9, 16, 40, 79, 80, 81, 300] {
        for _ in 0..50 {
            let star = random_star(count, &mut random);
            assert_tiled(&star, &triangulate(&star));
        }
    }
}

/// Outlines of `count` corners, as an artist or a program makes them.
fn outlines(count: usize) -> [(&'static str, Vec<[f32; 3]>); 4] {
    let turn = |k: usize| std::f32::consts::TAU * k as f32 / count as f32;
    let star = |k: usize| {
        let radius = if k.is_multiple_of(2) { 1000.0 } else { 300.0 };
        [radius * turn(k).cos(), radius * turn(k).sin(), 1.0]
    };
    let comb = |k: usize| match k {
        0 => [count as f32, -1.0, 0.0],
        1 => [0.0, -1.0, 0.0],
        k => [k as f32, if k % 2 == 0 { 100.0 } else { 0.0 }, 0.0],
    };
    // Out along a spiral, and back beside it.
    let spiral = |k: usize| {
        let (along, width) = if k < count / 2 { (k, 0.0) } else { (count - 1 - k, 0.4) };
        let angle = along as f32 * 0.05;
        [(angle + 4.0 + width) * angle.cos(), 2.0, (angle + 4.0 + width) * angle.sin()]
    };
    let coast = random_star(count as u32, &mut random());
    [
        ("star", (0..count).map(star).collect()),
        ("comb", (0..count).map(comb).collect()),
        ("spiral", (0..count).map(spiral).collect()),
        ("coast", coast),
    ]
}

#[test]
fn outlines_of_many_corners_are_tiled_in_bounded_work() {
    for count in [128, 130, 1000, 40_000] {
        for (name, outline) in outlines(count) {
            let points: Vec<Point> = {
                let mut points = Vec::new();
                project(&outline, &Vec::from_iter(0..count as u32), &mut points);
                points
            };
            let (mut ears, mut triangles) = (Ears::default(), Vec::new());
            assert!(ears.clip(&points, &mut triangles), "{name}, {count} corners, {} steps", ears.steps);
            assert_tiled(&outline, &triangles);
            let share = ears.steps as f64 / Ears::limit(count) as f64;
            assert!(share < 0.7, "{name}, {count} corners: {share} of the steps");
            assert_tiled(&outline, &triangulate(&outline));
        }
    }
}

/// Turned, the corners of a straight side are on no line any more, but in front of it or behind it by a rounding.
#[test]
fn straight_sides_of_many_corners_may_be_rounded() {
    let turned = |outline: &[[f32; 2]], angle: f64| -> Vec<[f32; 3]> {
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let turn = |[x, y]: [f64; 2]| [(x * cosine - y * sine) as f32, (x * sine + y * cosine) as f32, 0.0];
        outline.iter().map(|point| turn(point.map(f64::from))).collect()
    };
    for n in [40u16, 100, 200, 500] {
        let x = f32::from(n);
        let side: Vec<[f32; 2]> = (0..=n).map(|x| [f32::from(x), 0.0]).collect();
        let house = [&side[..], &[[x, 10.0], [0.5 * x, 3.0], [0.0, 10.0]]].concat();
        let comb = |k: u16| {
            let height = f32::from(2 + k % 2);
            [[f32::from(k + 1), height], [f32::from(k), height]]
        };
        let comb = [&side[..], (0..n).rev().flat_map(comb).collect::<Vec<_>>().as_slice()].concat();
        for outline in [house, comb] {
            for angle in [0.0, 0.3, 1.0, 2.2] {
                let positions = turned(&outline, angle);
                assert_tiled(&positions, &triangulate(&positions));
            }
        }
    }
}

/// Faces of a few kilobytes that took minutes.
#[test]
fn no_polygon_takes_more_than_its_steps() {
    let mut random = random();
    let three = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let scribble: Vec<_> = (0..30_000).map(|_| [random(), random(), 0.0]).collect();
    let on_grid: Vec<_> = scribble.iter().map(|point| point.map(|x| (x * 8.0).floor())).collect();
    let over: Vec<_> = (0..30_000).map(|k| three[k % 3]).collect();
    let back: Vec<_> = (0..30_000).map(|k| three[(k * k) % 3]).collect();
    for polygon in [scribble, on_grid, over, back] {
        let mut triangulator = Triangulator::default();
        let corners = Vec::from_iter(0..polygon.len() as u32);
        let mut count = 0;
        triangulator.polygon(&polygon, &corners, |_| count += 1);
        assert_eq!(count, polygon.len() - 2);
        // The last candidate may look at all corners once more.
        let most = Ears::limit(polygon.len()) + 9 * polygon.len() as u64;
        assert!(triangulator.ears.steps <= most, "{} steps", triangulator.ears.steps);
    }
}

#[test]
fn a_hole_joined_by_a_bridge_stays_open() {
    let outer = [[0, 0], [6, 0], [6, 6], [0, 6], [0, 0]];
    let hole = [[2, 2], [2, 4], [4, 4], [4, 2], [2, 2]];
    let polygon: Vec<[f32; 3]> =
        outer.into_iter().chain(hole).map(|[x, y]| [x as f32, y as f32, 0.0]).collect();
    let triangles = triangulate(&polygon);
    let areas = triangles.iter().map(|triangle| area_vector(&polygon, triangle)[2]);
    assert!(areas.clone().all(|area| area > 0.0));
    assert_eq!(areas.sum::<f64>(), 2.0 * (36.0 - 4.0));
}

#[test]
fn crossed_and_flat_polygons_do_not_disappear() {
    let pentagram =
        [[0.0, 3.0], [2.0, -3.0], [-3.0, 1.0], [3.0, 1.0], [-2.0, -3.0]].map(|[x, y]| [x, y, 0.0]);
    assert_eq!(triangulate(&pentagram).len(), 3);
    let line = [0.0, 3.0, 1.0, 4.0, 2.0].map(|x| [x, x, x]);
    assert_eq!(triangulate(&line), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    let bow_tie = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(triangulate(&bow_tie).len(), 2);
}

#[test]
fn repeated_corners_are_allowed() {
    let positions = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    for corners in [&[0, 1, 2, 2][..], &[0, 0, 1, 2], &[0, 1, 1, 2, 3], &[0, 1, 2, 3, 3, 0], &[1; 6]] {
        let mut area = 0.0;
        Triangulator::default().polygon(&positions, corners, |triangle| {
            area += area_vector(&positions, &triangle.map(|k| corners[k as usize]))[2];
        });
        assert_eq!(area, area_vector(&positions, corners)[2], "{corners:?}");
    }
}

#[test]
fn fewer_than_three_corners_make_nothing() {
    for corners in [&[][..], &[0], &[0, 1]] {
        Triangulator::default().polygon(&[[0.0; 3], [1.0; 3]], corners, |_| panic!());
    }
}
