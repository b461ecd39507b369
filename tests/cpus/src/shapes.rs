//! Boxes, spheres and other shapes: what they touch where they are, and what they touch when they move.

use core::ops::ControlFlow;

use bvhc_runtime::{
    Aabb, Ball, Capsule, ConvexHull, Cuboid, Cylinder, Model, Shape, ShapeCast, Sides, StartContact,
    TriangleShape,
};

use crate::digest::{Digest, Report, Set};
use crate::draw::Draw;

/// Kinds of shapes.
pub(crate) const SHAPES: usize = 6;

/// One shape of each kind is asked about for so many other questions: each is asked five, which take long.
pub(crate) const SHARE: u32 = 24;

const NAMES: [&str; SHAPES] = ["ball", "capsule", "cuboid", "cylinder", "triangle", "hull"];

pub(crate) fn ask(model: &Model<'_>, count: u32, report: &mut Report<'_>) {
    let (mut draw, mut digests) = (Draw::new(21, model.bounds()), [Digest::default(); 2]);
    for _ in 0..count {
        let (point, size) = (draw.point(0.125), 0.125 * draw.size());
        let half: [f32; 3] = [0; 3].map(|_| size * draw.unit());
        let low = [0, 1, 2].map(|axis| point[axis] - half[axis]);
        let high = [0, 1, 2].map(|axis| point[axis] + half[axis]);
        let (mut boxed, mut near) = (Set::default(), Set::default());
        let _ = model.overlap_box(&Aabb::new(low, high), |overlap| {
            boxed.add(|digest| digest.words([overlap.triangle]));
            ControlFlow::Continue(())
        });
        let _ = model.overlap_sphere(point, half[0], |overlap| {
            near.add(|digest| digest.words([overlap.triangle]));
            ControlFlow::Continue(())
        });
        digests[0].set(boxed);
        digests[1].set(near);
    }
    report("overlap_box", "-", &digests[0]);
    report("overlap_sphere", "-", &digests[1]);
    for (kind, name) in NAMES.iter().enumerate() {
        ask_shapes(model, kind, name, count.div_ceil(SHARE), report);
    }
}

/// Digests of overlap, overlaps, cast, cast_any and all_casts of a shape of this kind.
fn ask_shapes(model: &Model<'_>, kind: usize, name: &str, count: u32, report: &mut Report<'_>) {
    let (mut draw, mut digests) = (Draw::new(22 + kind as u64, model.bounds()), [Digest::default(); 5]);
    for _ in 0..count {
        with_drawn(&mut draw, kind, |shape, path, option| {
            ask_of(model, &shape, (path, option), &mut digests)
        });
    }
    let queries = ["overlap", "overlaps", "cast", "cast_any", "all_casts"];
    for (query, digest) in queries.iter().zip(&digests) {
        report(query, name, digest);
    }
}

/// Calls `ask` with a shape of this kind, a path, and a number below 9.
pub(crate) fn with_drawn(draw: &mut Draw, kind: usize, ask: impl FnOnce(&dyn Shape, [f32; 3], u32)) {
    let (a, size) = (draw.point(0.25), 0.125 * draw.size());
    let points: [[f32; 3]; 6] = core::array::from_fn(|_| {
        let aside = draw.vector(size);
        [0, 1, 2].map(|axis| a[axis] + aside[axis])
    });
    let (radius, b, c) = (size * draw.unit(), points[0], points[1]);
    let turned = draw.rotation().map(|row| row.map(|entry| entry as f32));
    let path = draw.vector(draw.size());
    let option = draw.below(9);
    match kind {
        0 => ask(&Ball::new(a, radius), path, option),
        1 => ask(&Capsule::new(a, b, radius), path, option),
        2 => {
            let half = [0, 1, 2].map(|axis| (b[axis] - a[axis]).abs());
            let cuboid = Cuboid::new(a, half).rotated(turned).expect("a rotation");
            ask(&cuboid, path, option);
        }
        3 => ask(&Cylinder::new(a, b, radius), path, option),
        4 => ask(&TriangleShape::new([a, b, c]), path, option),
        _ => ask(&ConvexHull::new(&points, 0.25 * radius), path, option),
    }
}

/// The cast of a shape along a path; `option`, below 9, chooses sides and the contacts at the start.
pub(crate) fn cast_of<'a, T: Shape>(shape: &'a T, path: [f32; 3], option: u32) -> ShapeCast<'a, T> {
    let sides = [Sides::Both, Sides::Front, Sides::Back][option as usize % 3];
    let start = [StartContact::Report, StartContact::IfClosing, StartContact::Ignore][option as usize / 3];
    ShapeCast::new(shape, path).with_sides(sides).with_start(start)
}

/// Asks about a shape where it is, and along a path.
fn ask_of<T: Shape>(
    model: &Model<'_>,
    shape: &T,
    (path, option): ([f32; 3], u32),
    digests: &mut [Digest; 5],
) {
    let [overlap, overlaps, cast, cast_any, all_casts] = digests;
    let mut touched = Set::default();
    let _ = model.overlap(shape, |found| {
        touched.add(|digest| digest.words([found.triangle]));
        ControlFlow::Continue(())
    });
    overlap.set(touched);
    overlaps.decision(model.overlaps(shape));

    let moving = cast_of(shape, path, option);
    cast.maybe(model.cast(&moving).as_ref(), Digest::cast_hit);
    cast_any.decision(model.cast_any(&moving));
    let mut hits = Set::default();
    let _ = model.all_casts(&moving, |hit| {
        hits.add(|digest| digest.cast_hit(hit));
        ControlFlow::Continue(())
    });
    all_casts.set(hits);
}
