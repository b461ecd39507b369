//! The inputs that the sections of a file are made from.

use std::cell::OnceCell;
use std::time::Duration;

use super::error::CompileError;
use super::options::{Layout, Options};
use super::stage::{Clock, Progress, Stage};
use crate::layout::{self, Packing, WideTree};
use crate::mesh::Mesh;
use crate::pair::obb;
use crate::tree::wide::Weighed;

/// The AABB tree and its blocks as the file's records.
pub(crate) struct LaidOut {
    pub(crate) wide: WideTree,
    pub(crate) packing: Option<Packing>,
    /// Distinct positions.
    pub(crate) vertices: u32,
}

impl LaidOut {
    /// Lays out a tree. A small layout moves the mesh's vertices.
    pub(crate) fn of(tree: &Weighed, mesh: &mut Mesh, layout: Layout) -> Result<Self, CompileError> {
        let weld = layout::weld::weld(&mesh.positions, &mesh.triangles);
        let mut wide = layout::lay_out(tree, mesh, &weld);
        if layout == Layout::Fast {
            return Ok(Self { wide, packing: None, vertices: weld.count });
        }
        let mut packing = layout::pack(&mut wide, mesh, &weld).ok_or(CompileError::TooLargeToPack)?;
        mesh.positions = std::mem::take(&mut packing.positions);
        let vertices = layout::weld::weld(&mesh.positions, &mesh.triangles).count;
        Ok(Self { wide, packing: Some(packing), vertices })
    }

    /// Bytes of the blocks.
    pub(crate) fn block_bytes(&self) -> usize {
        self.packing.as_ref().map_or(size_of_val(&*self.wide.blocks), |packing| packing.bytes.len())
    }
}

/// Where a mesh comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) hash: blake3::Hash,
    pub(crate) length: u64,
    /// Steps that the optimiser made.
    pub(crate) steps: Option<u32>,
}

/// A mesh, its AABB tree and the options, with a cache of what several sections need.
pub(crate) struct Job<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) laid_out: &'a LaidOut,
    pub(crate) options: &'a Options,
    pub(crate) progress: &'a dyn Progress,
    oriented: OnceCell<(obb::Tree, obb::Options)>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        mesh: &'a Mesh,
        laid_out: &'a LaidOut,
        options: &'a Options,
        progress: &'a dyn Progress,
    ) -> Self {
        Self { mesh, laid_out, options, progress, oriented: OnceCell::new() }
    }

    /// The corners of all triangles, as stored in the blocks.
    pub(crate) fn corners(&self) -> Vec<[[f32; 3]; 3]> {
        (0..self.mesh.triangles.len() as u32).map(|triangle| self.mesh.corners(triangle)).collect()
    }

    /// The address of each triangle in the blocks.
    pub(crate) fn places(&self) -> Result<Vec<u32>, CompileError> {
        let LaidOut { wide, packing, .. } = self.laid_out;
        let count = self.mesh.triangles.len();
        let places = match packing {
            None => layout::places(wide, 0..wide.blocks.len() as u32, count),
            Some(packing) => layout::places(wide, packing.references.iter().copied(), count),
        };
        places.ok_or(CompileError::TooLargeForObbs)
    }

    /// The tree of oriented boxes over the triangles, and the options that reproduce it: those requested or else the
    /// defaults, with longer searches if the time budget allowed them.
    pub(crate) fn oriented(&self) -> &(obb::Tree, obb::Options) {
        self.oriented.get_or_init(|| {
            let triangles = self.mesh.triangles.len() as u64;
            let watch = obb::TimeBudget {
                time: self.options.obb_time.unwrap_or(Duration::ZERO),
                on_pass: &|| self.progress.begin(Stage::OBB, triangles),
                on_triangles: &|triangles| self.progress.advance(triangles),
            };
            obb::build_with_budget(&self.corners(), &self.options.obb.unwrap_or_default(), &watch)
        })
    }

    /// Builds that tree ahead of the sections that need it, as a separate stage.
    pub(crate) fn prepare_oriented(&self, clock: &mut Clock<'_>) {
        if self.oriented.get().is_none() {
            clock.time(Stage::OBB, self.mesh.triangles.len() as u64, || self.oriented());
        }
    }
}
