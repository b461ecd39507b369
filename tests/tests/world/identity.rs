//! A world of one instance that is where its mesh is answers as the mesh does, bit for bit.

use std::ops::ControlFlow;

use bvhc::compile::{Layout, Options, Quality};
use bvhc_runtime::{Hit, Model, Overlap, Pair, Pose, VisitControl};
use bvhc_tests::support::answers::poses;
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::world::{Placed, compiled_world};
use bvhc_tests::support::{levels, scenes};

use super::with_world;

/// The bits of a hit.
fn bits(hit: &Hit) -> ([u32; 7], bool) {
    let [x, y, z] = hit.normal.map(f32::to_bits);
    ([hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.triangle, x, y, z], hit.back)
}

#[test]
fn answers_are_those_of_the_mesh() {
    for (scene, quality) in scenes(1).into_iter().zip([Quality::Default, Quality::Best].into_iter().cycle()) {
        let options = Options { quality, layout: Layout::Fast, ..Options::default() };
        let file = compiled_world(&[&scene.mesh], &[Placed::identity(0)], &options);
        for level in levels() {
            let model = Model::from_bytes(&file).expect("it opens").with_level(level);
            with_world(&file, level, |world| {
                let mut queries = Queries::new(&scene.mesh, 7);
                for _ in 0..300 {
                    let ray = queries.ray();
                    let (own, its) = (model.closest_hit(&ray), world.closest_hit(&ray));
                    assert_eq!(
                        its.as_ref().map(|it| bits(&it.hit)),
                        own.as_ref().map(bits),
                        "{}",
                        scene.name
                    );
                    assert_eq!(world.any_hit(&ray), model.any_hit(&ray));
                    let (mut own, mut its) = (Vec::new(), Vec::new());
                    model.all_hits(&ray, |hit| {
                        own.push(bits(hit));
                        VisitControl::Continue
                    });
                    world.all_hits(&ray, |hit| {
                        its.push(bits(&hit.hit));
                        VisitControl::Continue
                    });
                    assert_eq!(own, its);
                    let (point, most) = (queries.point(), queries.max_distance());
                    let (own, its) = (model.closest_point(point, most), world.closest_point(point, most));
                    assert_eq!(its.map(|it| it.local), own);
                    assert_eq!(its.map(|it| (it.distance, it.point)), own.map(|it| (it.distance, it.point)));
                    let query = queries.overlap_box();
                    let (mut own, mut its) = (Vec::<Overlap>::new(), Vec::new());
                    let _ = model.overlap_box(&query, |found| {
                        own.push(found);
                        ControlFlow::Continue(())
                    });
                    let _ = world.overlap_box(&query, |found| {
                        its.push(found.overlap);
                        ControlFlow::Continue(())
                    });
                    assert_eq!(own, its);
                    let (centre, radius) = queries.ball();
                    let (mut own, mut its) = (Vec::<Overlap>::new(), Vec::new());
                    let _ = model.overlap_sphere(centre, radius, |found| {
                        own.push(found);
                        ControlFlow::Continue(())
                    });
                    let _ = world.overlap_sphere(centre, radius, |found| {
                        its.push(found.overlap);
                        ControlFlow::Continue(())
                    });
                    assert_eq!(own, its);
                }
            });
        }
    }
}

#[test]
fn meshes_meet_it_as_they_meet_the_mesh() {
    for scene in scenes(1).into_iter().take(4) {
        let file = compiled_world(&[&scene.mesh], &[Placed::identity(0)], &Options::default());
        let model = Model::from_bytes(&file).expect("it opens");
        with_world(&file, model.level(), |world| {
            let away = Pose::from_translation([3.0, 4.0, -2.5]).expect("a pose");
            for pose in poses().into_iter().chain([away]) {
                let (mut own, mut its) = (Vec::<Pair>::new(), Vec::new());
                let _ = model.all_pairs(&model, &pose, |pair| {
                    own.push(pair);
                    ControlFlow::Continue(())
                });
                let all = world.all_pairs(&model, &pose, &mut (), |pair| {
                    its.push(pair.pair);
                    ControlFlow::Continue(())
                });
                assert_eq!((all, own), (Ok(ControlFlow::Continue(())), its));
                let own = model.distance(&model, &pose).expect("in time");
                let its = world.distance(&model, &pose, f64::INFINITY, &mut ()).expect("in time");
                assert_eq!(its.map(|it| it.distance), own);
                let first = world.first_pair(&model, &pose, &mut ()).expect("in time");
                assert_eq!(first.is_some(), model.collides(&model, &pose) == Ok(true));
            }
        });
    }
}
