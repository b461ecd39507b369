//! The triangles that intersect others.

use crate::breaks_in;
use crate::forge::{Forge, INTERSECTIONS, ONE_TRIANGLE, source};

/// The sheet, and two triangles that cross above it; the list only if it is asked.
fn crossing_with(list: bool) -> Forge {
    let cross =
        "v 0 0 9\nv 2 0 9\nv 0 2 9\nf -3 -2 -1\nv 0.5 0.5 8\nv 0.5 0.5 10\nv 0.75 0.5 10\nf -3 -2 -1\n";
    Forge::of_intersections(&(source() + cross), list)
}

fn crossing() -> Forge {
    crossing_with(true)
}

#[test]
fn lists_are_within_the_rules() {
    let file = crossing();
    file.verify().unwrap();
    assert_eq!(file.slice(INTERSECTIONS, 0).1, 2);
    let file = Forge::of_intersections(ONE_TRIANGLE, true);
    file.verify().unwrap();
    assert_eq!(file.slice(INTERSECTIONS, 0).1, 0);
}

#[test]
fn triangles_are_those_that_intersect() {
    for wrong in [0, u32::MAX] {
        breaks_in(crossing(), "I1", |file| {
            let (first, _) = file.slice(INTERSECTIONS, 0);
            file.put_u32(first, wrong);
        });
    }
    // Out of order.
    breaks_in(crossing(), "I1", |file| {
        let (first, _) = file.slice(INTERSECTIONS, 0);
        let [a, b] = [first, first + 4].map(|at| file.u32(at));
        file.put_u32(first, b);
        file.put_u32(first + 4, a);
    });
    // Of another mesh.
    let mut file = Forge::new();
    file.adopt(INTERSECTIONS, &crossing());
    breaks_in(file, "I1", |_| {});
    let mut file = crossing_with(false);
    file.adopt(INTERSECTIONS, &Forge::of_intersections(ONE_TRIANGLE, true));
    breaks_in(file, "I1", |_| {});
}
