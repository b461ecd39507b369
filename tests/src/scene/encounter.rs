//! Two models, and poses at which they are just apart or just meet.
//!
//! One model comes from far away in a straight line; the oracle finds where it first meets the other. Poses are shortly
//! before that, and shortly after it.

use super::{animal, icosphere};
use crate::oracle::pairs::{Surface, any};
use crate::pose::{self, Pose};
use crate::random::Random;
use bvhc::mesh::Mesh;

type Point = [f64; 3];

/// Two models and the poses of the second.
#[derive(Clone, Debug)]
pub struct Encounter {
    /// What reports call it.
    pub name: &'static str,
    /// The model that is fixed.
    pub a: Mesh,
    /// The model that the poses transform.
    pub b: Mesh,
    /// Poses at which no triangles meet.
    pub separated: Vec<Pose>,
    /// Poses at which some do.
    pub colliding: Vec<Pose>,
    /// Poses at which no triangles meet, from a diagonal of the smaller model before the first contact to a hundredth
    /// of it.
    pub approaching: Vec<Pose>,
}

/// How far before and after the first contact poses are, cyclically; in diagonals of the smaller model's box.
const GAPS: [f64; 4] = [0.1, 1e-2, 1e-3, 1e-4];
const DEPTHS: [f64; 4] = [3e-2, 1e-2, 3e-3, 1e-3];
const APPROACH: [f64; 8] = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125];

/// Every encounter at the size at which it is timed; the giant, of a million triangles, takes most of the time.
pub fn all(bunny: &Mesh, poses: usize) -> [Encounter; 5] {
    [
        animals(20_000, poses),
        nested(16, poses),
        spheres(16, poses),
        twins(bunny, poses),
        giant(bunny, 224, poses),
    ]
}

/// Two animals of about this many triangles: one rotates from pose to pose and approaches.
pub fn animals(triangles: u32, poses: usize) -> Encounter {
    let models = [animal::animal(triangles, 1), animal::animal(triangles, 2)];
    let turn = |_: &mut Random, index: usize| {
        let half_tangent = 6.0 * (index as f64 + 0.5) / poses as f64 - 3.0;
        Heading { rotation: pose::around([0.36, 0.48, 0.8], half_tangent), direction: [0.6, 0.8, 0.0] }
    };
    Course::from_outside(&models).encounter("animals", models.clone(), poses, turn)
}

/// A jittered sphere of 20 * `frequency`^2 triangles inside a slightly larger one with as many: close to it everywhere.
pub fn nested(frequency: u32, poses: usize) -> Encounter {
    let (outer, mut inner) = (icosphere::icosphere(frequency), icosphere::icosphere(frequency));
    let mut random = Random::new(1);
    // The square of this is about the depth to which a sphere's flat faces lie inside it.
    let sag = 0.65 / f64::from(frequency);
    for position in &mut inner.positions {
        let radius = 1.0 - sag * sag - sag * (0.02 + 0.1 * random.unit());
        *position = position.map(|x| (f64::from(x) * radius) as f32);
    }
    let models = [outer, inner];
    let course = Course { start: 0.0, end: 3.0 * sag, ..Course::from_outside(&models) };
    course.encounter("nested spheres", models.clone(), poses, anywhere)
}

/// Two spheres of 20 * `frequency`^2 triangles that touch, or nearly touch, in a few triangles.
pub fn spheres(frequency: u32, poses: usize) -> Encounter {
    let models = [icosphere::icosphere(frequency), icosphere::icosphere(frequency)];
    Course::from_outside(&models).encounter("touching spheres", models.clone(), poses, anywhere)
}

/// A model against itself.
pub fn twins(model: &Mesh, poses: usize) -> Encounter {
    let models = [model.clone(), model.clone()];
    Course::from_outside(&models).encounter("twins", models.clone(), poses, anywhere)
}

/// A displaced sphere of 20 * `frequency`^2 triangles, twice as large as the model, against it: a million with 224.
pub fn giant(model: &Mesh, frequency: u32, poses: usize) -> Encounter {
    let mut sphere = icosphere::displaced(frequency, 0.2, 1);
    let radius = Extent::of(model).size;
    sphere.positions.as_flattened_mut().iter_mut().for_each(|x| *x = (f64::from(*x) * radius) as f32);
    let models = [sphere, model.clone()];
    Course::from_outside(&models).encounter("giant", models.clone(), poses, anywhere)
}

/// The direction from which a model comes, and its rotation.
struct Heading {
    rotation: [[f64; 3]; 3],
    /// From the fixed model to the one that comes; a unit vector.
    direction: Point,
}

fn anywhere(random: &mut Random, _: usize) -> Heading {
    Heading { rotation: pose::any(random), direction: random.direction().map(f64::from) }
}

/// The centre and the diagonal of a mesh's box.
struct Extent {
    middle: Point,
    size: f64,
}

impl Extent {
    fn of(mesh: &Mesh) -> Self {
        let along = |axis: usize| mesh.positions.iter().map(move |position| f64::from(position[axis]));
        let [low, high]: [Point; 2] = [
            std::array::from_fn(|axis| along(axis).fold(f64::INFINITY, f64::min)),
            std::array::from_fn(|axis| along(axis).fold(f64::NEG_INFINITY, f64::max)),
        ];
        let middle = std::array::from_fn(|axis| (low[axis] + high[axis]) / 2.0);
        Self { middle, size: (0..3).map(|axis| (high[axis] - low[axis]).powi(2)).sum::<f64>().sqrt() }
    }
}

/// What a model does between `start` and `end`: distances of the boxes' centres.
struct Course<'a> {
    still: Surface,
    moving: &'a Mesh,
    middles: [Point; 2],
    size: f64,
    start: f64,
    end: f64,
}

impl<'a> Course<'a> {
    /// Steps in which the first contact is searched, and bisections of the step that contains it.
    const STEPS: u32 = 64;
    const HALVINGS: u32 = 20;

    /// From where the boxes are disjoint in any orientation to where their centres coincide.
    fn from_outside(models: &'a [Mesh; 2]) -> Self {
        let [a, b] = [0, 1].map(|index| Extent::of(&models[index]));
        Self {
            still: Surface::of(&models[0]),
            moving: &models[1],
            middles: [a.middle, b.middle],
            size: a.size.min(b.size),
            start: (a.size + b.size) / 2.0,
            end: 0.0,
        }
    }

    /// The models and their poses, one of each kind for each of the headings along which they meet.
    fn encounter(
        &self,
        name: &'static str,
        [a, b]: [Mesh; 2],
        poses: usize,
        mut heading: impl FnMut(&mut Random, usize) -> Heading,
    ) -> Encounter {
        let mut random = Random::new(2);
        let [mut separated, mut colliding, mut approaching] = [const { Vec::new() }; 3];
        while separated.len() < poses {
            let index = separated.len();
            let heading = heading(&mut random, index);
            let contact = self.contact(&heading).expect("the models meet along every heading");
            separated.push(self.near(&heading, contact, GAPS[index % 4], false));
            colliding.push(self.near(&heading, contact, DEPTHS[index % 4], true));
            approaching.push(self.near(&heading, contact, APPROACH[index % 8], false));
        }
        Encounter { name, a, b, separated, colliding, approaching }
    }

    fn pose(&self, heading: &Heading, distance: f64) -> Pose {
        let place = std::array::from_fn(|axis| self.middles[0][axis] + distance * heading.direction[axis]);
        Pose::taking(heading.rotation, self.middles[1], place)
    }

    fn meets(&self, pose: &Pose) -> bool {
        any(&self.still, &Surface::transformed(self.moving, pose))
    }

    /// Distances just before the first contact and just after it.
    fn contact(&self, heading: &Heading) -> Option<[f64; 2]> {
        let meets = |distance: f64| self.meets(&self.pose(heading, distance));
        let at = |step: u32| self.start + (self.end - self.start) * f64::from(step) / f64::from(Self::STEPS);
        let step = (1..=Self::STEPS).find(|&step| meets(at(step)))?;
        let (mut before, mut behind) = (at(step - 1), at(step));
        for _ in 0..Self::HALVINGS {
            let middle = (before + behind) / 2.0;
            *(if meets(middle) { &mut behind } else { &mut before }) = middle;
        }
        Some([before, behind])
    }

    /// A pose this far after the contact, or before it; nearer to it if the models behave otherwise at that distance.
    fn near(&self, heading: &Heading, [before, behind]: [f64; 2], step: f64, meeting: bool) -> Pose {
        let (from, to) = if meeting { (behind, self.end) } else { (before, self.start) };
        let mut step = (step * self.size).min((to - from).abs());
        loop {
            let pose = self.pose(heading, from + step.copysign(to - from));
            if self.meets(&pose) == meeting {
                return pose;
            }
            step = if step < 1e-9 * self.size { 0.0 } else { step / 2.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::pairs;
    use crate::support::sample;

    /// Numbers of meeting pairs, pose by pose.
    fn check(encounter: &Encounter) -> Vec<usize> {
        let still = Surface::of(&encounter.a);
        let count = |pose: &Pose| pairs::all(&still, &Surface::transformed(&encounter.b, pose)).len();
        let mut apart = encounter.separated.iter().chain(&encounter.approaching);
        assert!(apart.all(|pose| count(pose) == 0), "{}", encounter.name);
        let found: Vec<_> = encounter.colliding.iter().map(count).collect();
        assert!(found.iter().all(|&count| count > 0), "{}: {found:?}", encounter.name);
        found
    }

    #[test]
    fn poses_are_what_they_are_called() {
        for encounter in [animals(2000, 8), nested(6, 8), spheres(6, 8)] {
            assert_eq!((encounter.separated.len(), encounter.colliding.len()), (8, 8));
            check(&encounter);
        }
    }

    #[test]
    fn models_of_any_origin() {
        let bunny = sample::bunny();
        for encounter in [twins(&bunny, 2), giant(&bunny, 30, 2)] {
            check(&encounter);
        }
    }
}
