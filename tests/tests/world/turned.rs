//! Boxes of turned instances: they hold all vertices and little more, so that what is apart is not opened.

use bvhc::compile::{Options, Quality};
use bvhc::verify::verify;
use bvhc_format::NONE;
use bvhc_runtime::Level;
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::world::{Placed, compiled_world};

use super::with_world;

/// Spheres that reach to 1.2, whose boxes reach to 2.1 where they are turned by an eighth, in cells of 2.8.
fn placed() -> Vec<Placed> {
    let mut random = Random::new(7);
    let at = |number: usize| [number % 3, number / 3 % 3, number / 9].map(|x| 2.8 * x as f64);
    let any = |number: usize| Placed {
        position: at(number),
        scale: 1.0,
        ..Placed::any(0, 0.0, false, &mut random)
    };
    (0..27).map(any).collect()
}

#[test]
fn boxes_are_those_of_the_vertices() {
    let mesh = icosphere::displaced(8, 0.2, 1);
    let options = Options { obb: None, ..Options::of(Quality::Default) };
    let file = compiled_world(&[&mesh], &placed(), &options);
    verify(&file).expect("it is valid");
    let level = Level::detect().expect("the CPU has a level");
    with_world(&file, level, |world| {
        assert_eq!(world.section().leaves.len(), 27);
        assert!(world.section().leaves.get().iter().all(|leaf| leaf.slot == NONE));
        for instance in world.instances() {
            let (at, bounds) = (instance.similarity(), instance.bounds());
            for axis in 0..3 {
                let along = mesh.positions.iter().map(|x| at.apply(x.map(f64::from))[axis]);
                let (low, high) = along
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
                let (own_low, own_high) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
                assert!(own_low < low && high < own_high);
                // What is near nothing by the boxes of node 0 keeps those. The whole mesh's box would reach up to 0.9 farther.
                assert!(low - own_low < 0.3 && own_high - high < 0.3);
            }
        }
    });
}
