//! The free models, scaled to a diagonal of one, and the poses of a model that rotates in front of another.

use std::f64::consts::PI;

use bvhc::mesh::Mesh;
use bvhc_runtime::Pose;
use bvhc_tests::pose;
use bvhc_tests::scene::animal;
use bvhc_tests::support::sample;

/// A model whose box has a diagonal of one, around the origin.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) mesh: Mesh,
}

/// The models of the repository, the smaller ones first; two of them for a quick run.
pub(crate) fn all(quick: bool) -> Vec<Model> {
    let all = [("suzanne", "suzanne"), ("spot", "spot"), ("teapot", "teapot"), ("bunny", "stanford-bunny")];
    let wanted = if quick { &all[..2] } else { &all[..] };
    wanted.iter().map(|(name, file)| Model { name, mesh: unit(sample::model(file)) }).collect()
}

/// Pairs of the models, and two animals with as many triangles as the dinosaur and the horse of Fünzig and Fellner.
pub(crate) fn pairs(quick: bool) -> Vec<[Model; 2]> {
    let size = if quick { 500 } else { 20_000 };
    let animal = |name, seed| Model { name, mesh: unit(animal::animal(size, seed)) };
    let mut models = all(quick).into_iter();
    let mut pairs: Vec<_> = std::iter::from_fn(|| Some([models.next()?, models.next()?])).collect();
    pairs.push([animal("animal", 1), animal("another animal", 2)]);
    pairs
}

pub(crate) fn names([a, b]: &[Model; 2]) -> String {
    format!("{} and {}", a.name, b.name)
}

/// A full turn around the z axis, with the centre at this distance from the other model's.
///
/// Based on: Zachmann, "Rapid collision detection by dynamically aligned DOP-trees", 1998.
pub(crate) fn turn(distance: f64, steps: u32) -> Vec<Pose> {
    let step = |index: u32| {
        // Offset by a third of a step, so that no step takes axes to axes.
        let half_angle = PI * (f64::from(index) + 1.0 / 3.0) / f64::from(steps);
        let rotation = pose::around([0.0, 0.0, 1.0], half_angle.tan());
        Pose::from_rows(rotation, [distance, 0.0, 0.0]).expect("a rotation")
    };
    (0..steps).map(step).collect()
}

fn unit(mut mesh: Mesh) -> Mesh {
    let along = |axis: usize| mesh.positions.iter().map(move |position| f64::from(position[axis]));
    let ends = [0, 1, 2].map(|axis| {
        along(axis).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    });
    let size = ends.iter().map(|[low, high]| (high - low).powi(2)).sum::<f64>().sqrt();
    for position in &mut mesh.positions {
        for (x, [low, high]) in position.iter_mut().zip(ends) {
            *x = ((f64::from(*x) - 0.5 * (low + high)) / size) as f32;
        }
    }
    mesh
}
