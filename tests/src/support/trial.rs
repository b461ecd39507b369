//! Files that must give the same answers to every query.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc_runtime::Model;

use super::split::split;
use super::stored::stored;
use super::{QUALITIES, Scene, compiled_as, levels};
use crate::scene::write_obj;

/// A mesh, and files with exactly its triangles.
pub struct Trial {
    /// The scene's name, for failures.
    pub name: &'static str,
    /// The layout of the files.
    pub layout: Layout,
    /// The triangles, as stored in the files.
    pub mesh: Mesh,
    /// Files that differ in their trees.
    pub files: Vec<Bytes>,
}

impl Trial {
    /// The files of a scene in every quality and layout, and with many splits: one trial of all in the fast layout, and
    /// one of each in the small one, as every tree rounds vertices differently.
    pub fn of(scene: &Scene) -> Vec<Self> {
        let (name, mesh) = (scene.name, scene.mesh.clone());
        let mut trials =
            vec![Self { name, layout: Layout::Fast, mesh, files: files(&scene.mesh, Layout::Fast) }];
        trials.extend(files(&scene.mesh, Layout::Small).into_iter().map(|file| Self {
            name,
            layout: Layout::Small,
            mesh: stored(&open(&file)),
            files: vec![file],
        }));
        trials
    }

    /// Each file's model on each level.
    pub fn models(&self) -> Vec<Model<'_>> {
        let on_levels = |file| levels().into_iter().map(move |level| open(file).with_level(level));
        self.files.iter().flat_map(on_levels).collect()
    }

    /// This trial's share of the queries: half of them go to the fast layout and half to all small files.
    pub fn share(&self, queries: u32) -> u32 {
        match self.layout {
            Layout::Fast => queries / 2,
            Layout::Small => queries / 2 / (QUALITIES.len() as u32 + 1),
        }
    }
}

fn files(mesh: &Mesh, layout: Layout) -> Vec<Bytes> {
    let mut files: Vec<_> = QUALITIES.iter().map(|quality| compiled_as(mesh, *quality, layout)).collect();
    files.push(split(&write_obj(mesh), size(mesh) / 16.0, layout));
    files
}

fn open(file: &Bytes) -> Model<'_> {
    Model::from_bytes(file).expect("the compiler's file opens")
}

/// The largest extent.
fn size(mesh: &Mesh) -> f32 {
    let extent = |axis: usize| {
        let along = mesh.positions.iter().map(|position| position[axis]);
        along.clone().fold(f32::MIN, f32::max) - along.fold(f32::MAX, f32::min)
    };
    (0..3).map(extent).fold(0.0, f32::max)
}
