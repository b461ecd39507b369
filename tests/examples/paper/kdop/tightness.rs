//! How much wider k-DOPs become by each realignment than the exact k-DOPs of the rotated points: compares the runtime's
//! bounds with the points' extents.

use bvhc::layout::put_kdop;
use bvhc::pair::kdop::Kdop;
use bvhc_format::kdop::{KdopLayout, LaneRow};
use bvhc_format::obb::PAIR_WIDTH;
use bvhc_runtime::{Level, Realign};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::volumes::{self, KDOPS};

use crate::{Setting, table};

type Point = [f64; 3];

/// Nodes of four sets of points each, and rotations of each node.
const NODES: usize = 24;
const TURNS: usize = 24;

/// Points around which k-DOPs are fitted.
struct Shape {
    name: &'static str,
    points: fn(&mut Random) -> Vec<Point>,
}

const SHAPES: [Shape; 4] = [
    Shape { name: "sphere", points: |_| sphere() },
    Shape { name: "curved patch", points: patch },
    Shape { name: "triangle", points: triangle },
    Shape { name: "needle", points: needle },
];

pub(super) fn show(setting: &Setting) {
    let nodes = if setting.quick { 1 } else { NODES };
    // Realignment by the hull differs at the root only, where it is exact.
    let of_nodes = KDOPS.iter().filter(|(_, _, realign)| *realign != Realign::Hull);
    let rows = of_nodes.map(|&(k, tables, realign)| {
        let layout = KdopLayout::of(k, tables as u32).expect("there is such a layout");
        let mut cells = vec![(layout.rows() * size_of::<LaneRow>() / PAIR_WIDTH).to_string()];
        let excess = |shape: &Shape| format!("{:.2}", excess(&layout, realign, shape, nodes));
        cells.extend(SHAPES.iter().map(excess));
        (volumes::name(k, tables, realign), cells)
    });
    let columns: Vec<_> =
        std::iter::once("bytes a child").chain(SHAPES.iter().map(|shape| shape.name)).collect();
    table("Width, of the turned points' k-DOP", &columns, rows);
}

/// The ratio of the bounded width to the exact one, averaged over directions, rotations and sets.
fn excess(layout: &KdopLayout, realign: Realign, shape: &Shape, nodes: usize) -> f64 {
    let units = &layout.directions.units()[..layout.directions.slabs()];
    let (mut random, mut sum) = (Random::new(1), 0.0);
    for _ in 0..nodes {
        let sets = [(); PAIR_WIDTH].map(|()| (shape.points)(&mut random));
        let node = node(layout, &sets);
        for _ in 0..TURNS {
            let rotation = pose::any(&mut random);
            for unit in units {
                let turned = rotation.map(|row| dot(&row, unit));
                let extents = realign.extents(Level::detect().expect("a level"), layout, &node, turned);
                let [ahead, back] = extents.expect("the node has the tables");
                for (slot, set) in sets.iter().enumerate() {
                    sum += (f64::from(ahead[slot]) + f64::from(back[slot])) / width(set, &turned);
                }
            }
        }
    }
    sum / (nodes * TURNS * units.len() * PAIR_WIDTH) as f64
}

fn node(layout: &KdopLayout, sets: &[Vec<Point>; PAIR_WIDTH]) -> Vec<LaneRow> {
    let mut node = vec![LaneRow { lanes: [0.0; PAIR_WIDTH] }; layout.rows()];
    for (slot, points) in sets.iter().enumerate() {
        put_kdop(&Kdop::around(points.iter().copied(), layout, 0.0), layout, &mut node, slot);
    }
    node
}

fn width(points: &[Point], along: &Point) -> f64 {
    let extent =
        |sign: f64| points.iter().map(|point| sign * dot(point, along)).fold(f64::NEG_INFINITY, f64::max);
    extent(1.0) + extent(-1.0)
}

fn dot(a: &Point, b: &Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sphere() -> Vec<Point> {
    icosphere::icosphere(8).positions.iter().map(|position| position.map(f64::from)).collect()
}

/// The points of a sphere within 20 degrees of a direction.
fn patch(random: &mut Random) -> Vec<Point> {
    let middle = random.direction().map(f64::from);
    let mut points = sphere();
    points.retain(|point| dot(point, &middle) > 20f64.to_radians().cos());
    points
}

fn triangle(random: &mut Random) -> Vec<Point> {
    (0..3).map(|_| [(); 3].map(|()| random.unit())).collect()
}

/// A triangle whose shortest side is a tenth of the others.
fn needle(random: &mut Random) -> Vec<Point> {
    let [far, aside] = [(); 2].map(|()| random.direction().map(f64::from));
    vec![[0.0; 3], far, [0, 1, 2].map(|axis| far[axis] + 0.1 * aside[axis])]
}
