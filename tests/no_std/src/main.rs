//! Every query on files that are part of the program, one in each layout, without std and without alloc.
//!
//! Exits with 0 where all answers are as expected, else with the number of the first that is not: from 1 for the first
//! file, from 101 for the second.
#![no_std]
#![no_main]

use core::f64::consts::FRAC_1_SQRT_2;
use core::ops::ControlFlow;
use core::panic::PanicInfo;

use bvhc_runtime::{Aabb, WorkBudget, Model, Pair, Pose, Ray, VisitControl};

#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

static FILES: [&Aligned<[u8]>; 2] = [
    &Aligned(*include_bytes!("../../golden/quad.bvh")),
    &Aligned(*include_bytes!("../../golden/quad-small.bvh")),
];

// The C library, for the code that calls `main`.
#[link(name = "c")]
unsafe extern "C" {}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// The precompiled `core` refers to it, although nothing unwinds here.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() {}

/// What the C library's start code calls.
// SAFETY: no other function of this program is called `main`.
#[unsafe(no_mangle)]
pub extern "C" fn main(_: i32, _: *const *const u8) -> i32 {
    let wrong = |(base, file): (i32, &&Aligned<[u8]>)| match Model::from_bytes(&file.0) {
        Ok(model) => (base + 1..).zip(checks(&model)).find(|(_, right)| !right).map(|(number, _)| number),
        Err(_) => Some(base + 100),
    };
    [0, 100].into_iter().zip(&FILES).find_map(wrong).unwrap_or(0)
}

fn checks(model: &Model<'_>) -> [bool; 13] {
    let [hit, face, name, any, all, point, boxed, near] = checks_of_one(model);
    let [touching, apart, few, distance, within] = checks_of_two(model);
    [hit, face, name, any, all, point, boxed, near, touching, apart, few, distance, within]
}

/// The model against itself: its three triangles share an edge or a corner.
fn checks_of_two(model: &Model<'_>) -> [bool; 5] {
    let (mut pairs, mut budget) = ([Pair::default(); 9], WorkBudget::of_steps(0));
    let count = model.pairs_into(model, &Pose::IDENTITY, &mut pairs);
    let away = Pose::from_translation([0.0, 0.0, 1.0]);
    [
        count == Ok(9) && pairs.contains(&Pair { a: 2, b: 0 }),
        away.is_ok_and(|away| model.collides(model, &away) == Ok(false)),
        model.against(model, &Pose::IDENTITY).budget(&mut budget).first_pair().is_err(),
        away.is_ok_and(|away| {
            matches!(model.distance(model, &away), Ok(Some(found)) if found.distance == FRAC_1_SQRT_2)
        }),
        away.is_ok_and(|away| {
            [0.7072, 0.707].map(|limit| model.within(model, &away, limit)) == [Ok(true), Ok(false)]
        }),
    ]
}

fn checks_of_one(model: &Model<'_>) -> [bool; 8] {
    let down = Ray::new([1.5, 0.25, 9.0], [0.0, 0.0, -1.0]);
    let hit = model.closest_hit(&down);
    let source = hit.and_then(|hit| model.source_of(hit.triangle));
    let material = source.and_then(|source| source.material).and_then(|index| model.material_name(index));
    let nearest = model.closest_point([1.0, -3.0, 0.0], f32::INFINITY);
    let (mut hits, mut boxed, mut near) = (0, 0, 0);
    model.all_hits(&down, |_| {
        hits += 1;
        VisitControl::Continue
    });
    let all = Aabb::new([-1.0; 3], [3.0; 3]);
    let flow = model.overlap_box(&all, |_| {
        boxed += 1;
        ControlFlow::Continue(())
    });
    let _ = model.overlap_sphere([0.0, 0.0, 0.0], 0.5, |_| {
        near += 1;
        ControlFlow::Continue(())
    });
    [
        hit.is_some_and(|hit| hit.t == 9.0),
        source.is_some_and(|source| source.face == 0),
        material == Some("paint"),
        model.any_hit(&down),
        hits == 1,
        nearest.is_some_and(|nearest| nearest.distance == 3.0),
        boxed == 3 && flow.is_continue(),
        near == 2,
    ]
}
