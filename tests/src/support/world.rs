//! Worlds of scenes, and the single meshes that they are when their instances' triangles are put together.

use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;

use bvhc::Files;
use bvhc::compile::Options;
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc_runtime::World;

use super::STOP;
use crate::random::Random;
use crate::scene::{mesh, write_obj};

/// An instance of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The index of the mesh.
    pub mesh: usize,
    /// Where the mesh's origin is.
    pub position: [f64; 3],
    /// A unit quaternion, x, y, z, w.
    pub rotation: [f64; 4],
    /// The scale.
    pub scale: f64,
    /// Whether x becomes -x.
    pub mirror: bool,
    /// The layers.
    pub layers: u32,
}

impl Placed {
    /// A mesh where it is.
    pub const fn identity(mesh: usize) -> Self {
        Self {
            mesh,
            position: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: 1.0,
            mirror: false,
            layers: 1,
        }
    }

    /// A mesh at a position with whole coordinates, turned by an exact rotation, and if so asked scaled by a power of two and
    /// mirrored: f32 holds the images of whole coordinates exactly.
    pub fn exact(mesh: usize, range: i32, is_rigid: bool, random: &mut Random) -> Self {
        let rotation = match random.below(12) {
            0 => [0.0, 0.0, 0.0, 1.0],
            axis @ 1..4 => [0, 1, 2, 3].map(|part| f64::from(u8::from(part + 1 == axis))),
            signs => [0, 1, 2, 3].map(|part| if (signs - 4) >> part & 1 == 1 { -0.5 } else { 0.5 }),
        };
        Self {
            mesh,
            position: [0; 3].map(|_| f64::from(random.integer(-range, range))),
            rotation,
            scale: if is_rigid { 1.0 } else { [0.5, 1.0, 2.0, 4.0][random.below(4) as usize] },
            mirror: !is_rigid && random.below(2) == 1,
            layers: 1 << random.below(3),
        }
    }

    /// A mesh anywhere in a range, at any rotation, at a scale of 0.1 to 10.
    pub fn any(mesh: usize, range: f64, is_rigid: bool, random: &mut Random) -> Self {
        let part = |random: &mut Random| 2.0 * random.unit() - 1.0;
        let quaternion = [0; 4].map(|_| part(random) + 1e-3);
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self {
            mesh,
            position: [0; 3].map(|_| range * part(random)),
            rotation: quaternion.map(|x| x / length),
            scale: if is_rigid { 1.0 } else { 10f64.powf(part(random)) },
            mirror: !is_rigid && random.below(2) == 1,
            layers: 1 << random.below(3),
        }
    }
}

/// Files in memory.
#[derive(Debug)]
pub struct MemoryFiles(pub Vec<(String, Vec<u8>)>);

impl Files for MemoryFiles {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let found = self.0.iter().find(|(its, _)| its == name);
        found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| ErrorKind::NotFound.into())
    }
}

/// Meshes `m.0.bvh`, `m.1.bvh` and so on, each compiled apart.
pub fn compiled_apart(meshes: &[&Mesh], options: &Options) -> MemoryFiles {
    let file = |(number, mesh): (usize, &&Mesh)| {
        let source = write_obj(mesh);
        let compiled = bvhc::compile(&source, &format!("m.{number}.obj"), options).expect("it compiles");
        (format!("m.{number}.bvh"), compiled.bytes.to_vec())
    };
    MemoryFiles(meshes.iter().enumerate().map(file).collect())
}

/// The manifest of instances `i.0`, `i.1` and so on, of meshes `m.0`, `m.1` and so on.
pub fn manifest(meshes: usize, placed: &[Placed]) -> String {
    let mut text = String::new();
    for mesh in 0..meshes {
        text += &format!("[[mesh]]\nname = \"m.{mesh}\"\nfile = \"m.{mesh}.obj\"\n");
    }
    for (number, it) in placed.iter().enumerate() {
        text += &format!(
            "[[instance]]\nname = \"i.{number}\"\nmesh = \"m.{}\"\nposition = {:?}\nrotation = {:?}\nscale = {:?}\n\
             mirror = {}\nlayers = {}\n",
            it.mesh, it.position, it.rotation, it.scale, it.mirror, it.layers
        );
    }
    text
}

/// The file of a world.
pub fn compiled_world(meshes: &[&Mesh], placed: &[Placed], options: &Options) -> Bytes {
    let file = |(number, mesh): (usize, &&Mesh)| (format!("m.{number}.obj"), write_obj(mesh));
    let files = MemoryFiles(meshes.iter().enumerate().map(file).collect());
    let options = Options { stop: STOP, threads: NonZeroUsize::new(1), ..options.clone() };
    let text = manifest(meshes.len(), placed);
    bvhc::world::compile(text.as_bytes(), "world.toml", &files, &options, &()).expect("it compiles").bytes
}

/// All triangles of a world as one mesh, and the instance and the number of each. Corners are rounded to f32.
pub fn flattened(world: &World<'_>, meshes: &[&Mesh]) -> (Mesh, Vec<(u32, u32)>) {
    let (mut positions, mut triangles, mut origins) = (Vec::new(), Vec::new(), Vec::new());
    for instance in world.instances() {
        let (similarity, source) = (instance.similarity(), meshes[instance.mesh() as usize]);
        let first = positions.len() as u32;
        let image = |position: &[f32; 3]| similarity.apply(position.map(f64::from)).map(|x| x as f32);
        positions.extend(source.positions.iter().map(image));
        triangles.extend(source.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        origins.extend((0..source.triangles.len() as u32).map(|triangle| (instance.number(), triangle)));
    }
    (mesh(positions, triangles), origins)
}
