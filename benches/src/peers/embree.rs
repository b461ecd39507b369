//! Embree 4, from a shared library (`BVHC_EMBREE`), in C++ with run-time selection of the CPU's instructions: spatial
//! splits, eight children per node, four triangles per leaf.
//!
//! `HIGH` is its best tree; `ROBUST` the same quality with its watertight tests, for which it makes no spatial splits.
//! Single rays use its default, made for incoherent rays; packets of 16 rays are flagged as coherent.

mod api;
mod instances;
mod moving;
mod record;

use api::{COHERENT, ROBUST, Scene, Shared};
use bvhc::mesh::Mesh;
use bvhc_runtime::Ray;
use instances::Parts;
pub use moving::{MovingBoxes, MovingInstances, Way};
use record::{LANES, Lanes, Ray16, RayHit, RayHit16};

use super::{Locator, Placement, Question, Tracer, triangle};

/// A tree for single queries.
pub struct Embree {
    name: &'static str,
    scene: Scene<Shared>,
}

/// A tree for packets of 16 rays.
pub struct Packets(Scene<Shared>);

/// A tree over instances, each of a mesh that has a tree of its own.
pub struct Instances(Scene<Parts>);

/// One thread, and no higher SIMD level than bvhc's.
fn config() -> String {
    let level = match super::level().name() {
        "scalar" => "sse2",
        name => name,
    };
    format!("threads=1,max_isa={level}")
}

impl Embree {
    /// The fastest tree, if Embree is present.
    pub fn high(mesh: &Mesh) -> Option<Self> {
        Some(Self { name: "Embree HIGH", scene: Scene::build(mesh, 0, &config())? })
    }

    /// The watertight tree, if Embree is present.
    pub fn robust(mesh: &Mesh) -> Option<Self> {
        Some(Self { name: "Embree ROBUST", scene: Scene::build(mesh, ROBUST, &config())? })
    }
}

impl Packets {
    /// The fastest tree, if Embree is present.
    pub fn high(mesh: &Mesh) -> Option<Self> {
        Scene::build(mesh, 0, &config()).map(Self)
    }

    fn closest_hits(&self, rays: &[Ray], answers: &mut [f32]) {
        let mut packet = RayHit16::new(rays);
        self.0.intersect_16(&Lanes::first(rays.len()), &mut packet, COHERENT);
        for (lane, answer) in answers.iter_mut().enumerate() {
            *answer = packet.t(lane);
        }
    }

    fn any_hits(&self, rays: &[Ray], answers: &mut [f32]) {
        let mut packet = Ray16::new(rays);
        self.0.occluded_16(&Lanes::first(rays.len()), &mut packet, COHERENT);
        for (lane, answer) in answers.iter_mut().enumerate() {
            *answer = if packet.is_occluded(lane) { 0.0 } else { f32::INFINITY };
        }
    }
}

impl Instances {
    /// The fastest trees, if Embree is present.
    pub fn high(meshes: &[Mesh], placements: &[Placement]) -> Option<Self> {
        Scene::of_instances(meshes, placements, &config()).map(Self)
    }
}

impl<T> Scene<T> {
    fn closest_hit(&self, ray: &Ray) -> f32 {
        let mut ray = RayHit::from(ray);
        self.intersect(&mut ray);
        ray.t()
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        let mut ray = record::Ray::from(ray);
        self.occluded(&mut ray);
        ray.is_occluded()
    }
}

impl Tracer for Instances {
    fn name(&self) -> &str {
        "Embree"
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        self.0.closest_hit(ray)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.0.any_hit(ray)
    }
}

impl Tracer for Embree {
    fn name(&self) -> &str {
        self.name
    }

    fn bytes(&self) -> usize {
        self.scene.bytes()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        self.scene.closest_hit(ray)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.scene.any_hit(ray)
    }
}

impl Tracer for Packets {
    fn name(&self) -> &str {
        "Embree HIGH 16"
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        let mut answer = [0.0];
        self.closest_hits(std::slice::from_ref(ray), &mut answer);
        answer[0]
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        let mut answer = [0.0];
        self.any_hits(std::slice::from_ref(ray), &mut answer);
        answer[0].is_finite()
    }

    fn trace(&self, question: Question, rays: &[Ray], answers: &mut [f32]) {
        for (rays, answers) in rays.chunks(LANES).zip(answers.chunks_mut(LANES)) {
            match question {
                Question::ClosestHit => self.closest_hits(rays, answers),
                Question::AnyHit => self.any_hits(rays, answers),
            }
        }
    }
}

impl Locator for Embree {
    fn name(&self) -> &str {
        self.name
    }

    fn distance(&self, point: [f32; 3]) -> f32 {
        let target = point.into();
        let square =
            |corners: [[f32; 3]; 3]| triangle::offset(corners.map(Into::into), target).norm_squared();
        self.scene.nearest(point, square).sqrt()
    }
}
