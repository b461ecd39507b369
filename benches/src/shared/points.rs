//! The points whose distance from the model is computed.

use bvhc_tests::random::Random;

use super::model::Scene;
use super::vector::{along, cross, sub, unit};

/// Points of one kind.
pub struct Case {
    /// What reports call it.
    pub name: &'static str,
    /// The points.
    pub points: Vec<[f32; 3]>,
}

/// Points of a case.
const COUNT: usize = 1 << 13;

/// The largest distance of points near the surface from it, relative to the model's size.
const REACH: f32 = 0.01;

/// All cases.
///
/// - `uniform`: anywhere in the model's bounds enlarged by 1.2.
/// - `near`: within a hundredth of the model's size of its surface.
pub fn cases(scene: &Scene) -> Vec<Case> {
    vec![Case { name: "uniform", points: uniform(scene) }, Case { name: "near", points: near(scene) }]
}

fn uniform(scene: &Scene) -> Vec<[f32; 3]> {
    let mut random = Random::new(3);
    let (bounds, centre) = (scene.model().bounds(), scene.centre());
    let enlarged = [bounds.min, bounds.max].map(|corner| along(centre, 1.2, sub(corner, centre)));
    (0..COUNT).map(|_| random.point(enlarged[0], enlarged[1])).collect()
}

fn near(scene: &Scene) -> Vec<[f32; 3]> {
    let mut random = Random::new(4);
    let reach = REACH * scene.size();
    let point = |_| {
        let [a, b, c] = scene.mesh.corners(random.below(scene.mesh.triangles.len() as u32));
        let (ab, ac) = (sub(b, a), sub(c, a));
        let inside = along(along(a, random.f32(0.0, 0.5), ab), random.f32(0.0, 0.5), ac);
        along(inside, random.f32(-reach, reach), unit(cross(ab, ac)))
    };
    (0..COUNT).map(point).collect()
}
