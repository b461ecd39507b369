//! The free models, each at the size of one unit.

use bvhc::mesh::Mesh;
use bvhc_tests::support::sample;

/// A model whose box has a diagonal of one, around the origin.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) mesh: Mesh,
}

/// The models of the repository, the smaller ones first; two of them where it is to be quick.
pub(crate) fn all(quick: bool) -> Vec<Model> {
    let all = [("suzanne", "suzanne"), ("spot", "spot"), ("teapot", "teapot"), ("bunny", "stanford-bunny")];
    let wanted = if quick { &all[..2] } else { &all[..] };
    wanted.iter().map(|(name, file)| Model { name, mesh: unit(sample::model(file)) }).collect()
}

/// The mesh so moved and scaled that its box has a diagonal of one, around the origin.
pub(crate) fn unit(mut mesh: Mesh) -> Mesh {
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
