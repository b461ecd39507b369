//! A capsule that walks a level by casts: over stairs and slopes, and up to a wall.
//!
//! `cargo run -p bvhc-tests --example walk -- walk.svg` draws the way from the side. The controller moves by cast and slide:
//! it goes as far as a cast allows, less a skin, and continues along the surface that it met. Steps are climbed by going
//! up, ahead and down again.

use std::error::Error;
use std::path::Path;

use bvhc::Options;
use bvhc_runtime::{Capsule, CastHit, LoadedModel, Model, ShapeCast, Sides, StartContact};
use plotters::prelude::*;

/// The level from the side, x and z: a floor, five stairs, a platform, a slope, a floor, a wall.
const PROFILE: [[f32; 2]; 16] = [
    [-1.0, 0.0],
    [4.0, 0.0],
    [4.0, 0.2],
    [4.3, 0.2],
    [4.3, 0.4],
    [4.6, 0.4],
    [4.6, 0.6],
    [4.9, 0.6],
    [4.9, 0.8],
    [5.2, 0.8],
    [5.2, 1.0],
    [8.0, 1.0],
    [10.0, 0.0],
    [13.0, 0.0],
    [13.0, 3.0],
    [14.0, 3.0],
];

/// The walker: its radius, its height, what it climbs, and the distance that it keeps from surfaces.
const RADIUS: f32 = 0.3;
const HEIGHT: f32 = 1.8;
const STEP: f32 = 0.35;
const SKIN: f32 = 1e-3;

/// The steepest slope that is walked on, as the vertical part of its normal: 45 degrees.
const STEEPEST: f32 = 0.707;

type Point = [f32; 3];

fn main() -> Result<(), Box<dyn Error>> {
    let (positions, triangles) = level();
    let compiled = bvhc::compile_mesh(&positions, &triangles, &Options::default())?;
    let file = LoadedModel::from_bytes(&compiled.bytes)?;
    let way = walk(&file.model());
    let end = way.last().expect("it walks");
    println!("it ends at x = {:.3}, z = {:.3}", end[0], end[2]);
    if let Some(path) = std::env::args().nth(1) {
        draw(&way, Path::new(&path))?;
    }
    Ok(())
}

/// The profile, extruded along y.
fn level() -> (Vec<Point>, Vec<[u32; 3]>) {
    let positions = PROFILE.iter().flat_map(|[x, z]| [[*x, -2.0, *z], [*x, 2.0, *z]]).collect();
    let quads = (0..PROFILE.len() as u32 - 1).map(|k| 2 * k);
    let triangles = quads.flat_map(|k| [[k, k + 2, k + 1], [k + 1, k + 2, k + 3]]).collect();
    (positions, triangles)
}

/// The feet's positions over some seconds of walking in the direction of x.
fn walk(model: &Model<'_>) -> Vec<Point> {
    let mut feet = [0.0, 0.0, 0.5];
    let mut way = vec![feet];
    for _ in 0..600 {
        let ahead = slide(model, feet, [0.03, 0.0, 0.0]);
        let climbed = climb(model, feet, [0.03, 0.0, 0.0]);
        feet = if climbed[0] > ahead[0] + SKIN { climbed } else { ahead };
        feet = fall(model, feet, 0.1);
        assert!(!model.overlaps(&walker(feet)), "it never touches the level");
        way.push(feet);
    }
    way
}

/// The walker with its feet at a point.
fn walker([x, y, z]: Point) -> Capsule {
    Capsule::new([x, y, z + RADIUS], [x, y, z + HEIGHT - RADIUS], RADIUS)
}

/// As far as the walker gets, and what it meets. Only fronts count: at the edge of a stair, a walker that comes down meets the
/// tread and not the riser.
fn advance(model: &Model<'_>, feet: Point, by: Point) -> (Point, f32, Option<CastHit>) {
    let length = dot(by, by).sqrt();
    if length == 0.0 {
        return (feet, 1.0, None);
    }
    // As much farther as the skin is seen.
    let share = 1.0 + f64::from(SKIN / length);
    let shape = walker(feet);
    let cast = ShapeCast::new(&shape, by)
        .with_t_max(share)
        .with_sides(Sides::Front)
        .with_start(StartContact::IfClosing);
    let Some(hit) = model.cast(&cast) else { return (add(feet, by, 1.0), 1.0, None) };
    // The skin is kept across the surface, not along the way.
    let closing = (-dot(hit.normal, by) / length).max(0.1);
    let t = (hit.t as f32 - SKIN / (length * closing)).clamp(0.0, 1.0);
    (add(feet, by, t), t, Some(hit))
}

/// Goes as far as it gets, and on along what it meets.
fn slide(model: &Model<'_>, mut feet: Point, mut by: Point) -> Point {
    for _ in 0..4 {
        let (to, t, met) = advance(model, feet, by);
        feet = to;
        let Some(CastHit { normal, .. }) = met else { break };
        // A wall stops; it lifts nobody.
        let normal = if normal[2] < STEEPEST { unit([normal[0], normal[1], 0.0]) } else { normal };
        by = by.map(|x| x * (1.0 - t));
        by = add(by, normal, -dot(by, normal));
    }
    feet
}

/// Up, ahead, and down again.
fn climb(model: &Model<'_>, feet: Point, by: Point) -> Point {
    let (up, ..) = advance(model, feet, [0.0, 0.0, STEP]);
    let ahead = slide(model, up, by);
    let (down, _, met) = advance(model, ahead, [0.0, 0.0, feet[2] - up[2]]);
    // What is too steep to stand on is not climbed.
    if met.is_some_and(|hit| is_steep(&hit)) { feet } else { down }
}

/// Down, and along what is too steep to stand on.
fn fall(model: &Model<'_>, feet: Point, by: f32) -> Point {
    let (to, t, met) = advance(model, feet, [0.0, 0.0, -by]);
    match met {
        Some(hit) if is_steep(&hit) => {
            let normal = hit.normal;
            let rest = [0.0, 0.0, -by * (1.0 - t)];
            slide(model, to, add(rest, normal, -dot(rest, normal)))
        }
        _ => to,
    }
}

/// Whether nobody stands on a face. The contact's normal would say so of each edge.
fn is_steep(hit: &CastHit) -> bool {
    hit.face_normal[2] < STEEPEST
}

fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add(a: Point, b: Point, scale: f32) -> Point {
    [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]]
}

fn unit(a: Point) -> Point {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|x| x / length) } else { a }
}

fn draw(way: &[Point], path: &Path) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (1000, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area).margin(10).build_cartesian_2d(-1.0f32..14.0, -0.5f32..3.5)?;
    chart.draw_series(LineSeries::new(PROFILE.iter().map(|[x, z]| (*x, *z)), BLACK.stroke_width(2)))?;
    chart.draw_series(LineSeries::new(way.iter().map(|[x, _, z]| (*x, *z)), BLUE.stroke_width(2)))?;
    for [x, _, z] in way.iter().step_by(40) {
        // Half a circle above, half a circle below.
        let halves = [(0..=12, HEIGHT - RADIUS), (12..=24, RADIUS)];
        let outline = halves.into_iter().flat_map(|(half, middle)| half.map(move |k| (k, middle))).map(
            |(k, middle)| {
                let angle = k as f32 / 12.0 * std::f32::consts::PI;
                (x + RADIUS * angle.cos(), z + middle + RADIUS * angle.sin())
            },
        );
        let first = (x + RADIUS, z + HEIGHT - RADIUS);
        let points: Vec<_> = outline.chain([first]).collect();
        chart.draw_series(std::iter::once(PathElement::new(points, BLUE.mix(0.4))))?;
    }
    area.present()?;
    Ok(())
}

#[test]
fn it_climbs_the_stairs_and_stops_at_the_wall() {
    let (positions, triangles) = level();
    let compiled = bvhc::compile_mesh(&positions, &triangles, &Options::default()).expect("it compiles");
    let file = LoadedModel::from_bytes(&compiled.bytes).expect("it opens");
    let way = walk(&file.model());
    let on_platform = way.iter().filter(|feet| (6.0..7.5).contains(&feet[0]));
    assert!(
        on_platform.clone().count() > 20 && on_platform.into_iter().all(|feet| (feet[2] - 1.0).abs() < 0.01)
    );
    let end = way.last().expect("it walks");
    assert!((end[0] - (13.0 - RADIUS)).abs() < 0.01 && end[2].abs() < 0.01, "{end:?}");
    assert!(way.iter().all(|feet| feet[1].abs() < 1e-3), "it keeps its course");
}
