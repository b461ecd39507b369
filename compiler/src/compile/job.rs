//! The inputs that the sections of a file are made from.

use std::cell::{OnceCell, RefCell, RefMut};
use std::time::Duration;

use bvhc_format::obb::{PairLeaf, PairRef};
use bvhc_runtime::Model;

use super::error::CompileError;
use super::options::{Layout, Options};
use super::stage::{Clock, Progress, Stage};
use crate::file::Bytes;
use crate::import::OtherInput;
use crate::layout::weld::Weld;
use crate::layout::{self, LeafTable, Packing, SolidRecords, WideTree};
use crate::mesh::Mesh;
use crate::pair::obb;
use crate::tree::wide::Weighed;

/// The AABB tree and its blocks as the file's records.
pub(crate) struct LaidOut {
    pub(crate) wide: WideTree,
    pub(crate) packing: Option<Packing>,
    /// Which positions in the blocks are equal.
    pub(crate) weld: Weld,
    /// How the triangles share their edges, and the boundary.
    pub(crate) solid: SolidRecords,
}

impl LaidOut {
    /// Lays out a tree. A small layout moves the mesh's vertices.
    pub(crate) fn of(
        tree: &Weighed,
        mesh: &mut Mesh,
        weld: Weld,
        layout: Layout,
    ) -> Result<Self, CompileError> {
        if layout == Layout::Fast {
            return Ok(Self::fast(tree, mesh, weld));
        }
        let fits = layout::fits(&tree.tree, mesh, &weld);
        let mut wide = layout::lay_out(tree, &fits, mesh, &weld);
        let mut packing = layout::pack(&mut wide, mesh, &weld).ok_or(CompileError::TooLargeToPack)?;
        mesh.positions = std::mem::take(&mut packing.positions);
        let weld = layout::weld::weld(&mesh.positions, &mesh.triangles);
        let solid = layout::lay_out_solid(mesh, &weld);
        Ok(Self { wide, packing: Some(packing), weld, solid })
    }

    /// Lays out a tree, and leaves the vertices as they are.
    pub(crate) fn fast(tree: &Weighed, mesh: &Mesh, weld: Weld) -> Self {
        // By all threads; then the edges by one thread, beside what one thread does of the tree.
        let fits = layout::fits(&tree.tree, mesh, &weld);
        let (solid, wide) =
            rayon::join(|| layout::lay_out_solid(mesh, &weld), || layout::lay_out(tree, &fits, mesh, &weld));
        Self { wide, packing: None, weld, solid }
    }

    /// Bytes of the blocks.
    pub(crate) fn block_bytes(&self) -> usize {
        self.packing.as_ref().map_or(size_of_val(&*self.wide.blocks), |packing| packing.bytes.len())
    }
}

/// Where a mesh comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) hash: blake3::Hash,
    pub(crate) length: u64,
    /// The other files that it was read from.
    pub(crate) inputs: &'a [OtherInput],
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
    leaves: RefCell<Option<LeafTable>>,
    intersecting: OnceCell<Vec<u32>>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        mesh: &'a Mesh,
        laid_out: &'a LaidOut,
        options: &'a Options,
        progress: &'a dyn Progress,
    ) -> Self {
        Self {
            mesh,
            laid_out,
            options,
            progress,
            oriented: OnceCell::new(),
            leaves: RefCell::default(),
            intersecting: OnceCell::new(),
        }
    }

    /// The corners of all triangles, as stored in the blocks.
    pub(crate) fn corners(&self) -> Vec<[[f32; 3]; 3]> {
        (0..self.mesh.triangles.len() as u32).map(|triangle| self.mesh.corners(triangle)).collect()
    }

    /// The leaves of the trees for pairs of models that have been laid out, for the next one to add its own.
    pub(crate) fn leaves(&self) -> Result<RefMut<'_, LeafTable>, CompileError> {
        let mut leaves = self.leaves.borrow_mut();
        if leaves.is_none() {
            *leaves = Some(LeafTable::new(self.addresses()?));
        }
        Ok(RefMut::map(leaves, Option::get_or_insert_default))
    }

    /// The leaves of all trees for pairs of models, after the last has been laid out.
    pub(crate) fn take_leaves(&self) -> Result<Vec<PairLeaf>, CompileError> {
        let leaves = self.leaves.take().map(LeafTable::into_leaves).unwrap_or_default();
        let fit = leaves.len() <= PairRef::MAX_LEAVES as usize;
        if fit { Ok(leaves) } else { Err(CompileError::TooLargeForObbs) }
    }

    /// The address of each triangle in the blocks.
    fn addresses(&self) -> Result<Vec<u32>, CompileError> {
        let LaidOut { wide, packing, .. } = self.laid_out;
        let count = self.mesh.triangles.len();
        let addresses = match packing {
            None => layout::addresses(wide, 0..wide.blocks.len() as u32, count),
            Some(packing) => layout::addresses(wide, packing.references.iter().copied(), count),
        };
        addresses.ok_or(CompileError::TooLargeForObbs)
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
            obb::build_with_budget(self.corners(), &self.options.obb.unwrap_or_default(), &watch)
        })
    }

    /// A file with the tree of axis-aligned boxes alone, for queries while others are made.
    pub(crate) fn bare_file(&self) -> Result<Bytes, CompileError> {
        super::bare_file_of(self.laid_out, self.mesh)
    }

    /// The triangles that intersect others.
    pub(crate) fn intersecting(&self) -> Result<&[u32], CompileError> {
        let bytes = self.bare_file()?;
        let model = Model::from_bytes(&bytes).expect("what the compiler makes can be opened");
        let found = layout::intersecting_triangles(&self.corners(), &model)
            .ok_or(CompileError::IntersectionsTooCostly)?;
        Ok(self.intersecting.get_or_init(|| found))
    }

    /// The same, if they have been looked for.
    pub(crate) fn known_intersecting(&self) -> Option<&[u32]> {
        self.intersecting.get().map(Vec::as_slice)
    }

    /// Frees that tree, which no further section needs.
    pub(crate) fn drop_oriented(&mut self) {
        self.oriented.take();
    }

    /// Builds that tree ahead of the sections that need it, as a separate stage.
    pub(crate) fn prepare_oriented(&self, clock: &mut Clock<'_>) {
        if self.oriented.get().is_none() {
            clock.time(Stage::OBB, self.mesh.triangles.len() as u64, || self.oriented());
        }
    }
}
