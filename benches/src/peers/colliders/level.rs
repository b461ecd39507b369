//! One mesh against many that do not move, in the dynamic trees of FCL and coal.

use std::ffi::c_void;

use bvhc::mesh::Mesh;

use super::{Functions, Kind, Placed, Tree};
use crate::peers::library;

type Object = *mut c_void;

/// Meshes at poses, and the mesh that is asked about.
pub struct Level {
    kind: Kind,
    functions: Functions,
    trees: Vec<Tree>,
    level: Object,
}

impl Level {
    /// Builds the level with each library that is present. Of each instance, the number of its mesh and where it is.
    pub fn present(meshes: &[Mesh], instances: &[(u32, Placed)], probe: &Mesh) -> Vec<Self> {
        let kinds = [Kind::Coal, Kind::Fcl].into_iter();
        kinds.filter_map(|kind| Self::build(kind, meshes, instances, probe)).collect()
    }

    fn build(kind: Kind, meshes: &[Mesh], instances: &[(u32, Placed)], probe: &Mesh) -> Option<Self> {
        type Build = unsafe extern "C" fn(*const Tree, usize, *const u32, *const f64, usize, Tree) -> Object;
        let functions = Functions::new(kind, library::open(kind.name(), kind.variable(), &[])?);
        let trees: Vec<Tree> = meshes.iter().chain([probe]).map(|mesh| functions.build(mesh)).collect();
        let (mesh_of, poses): (Vec<u32>, Vec<Placed>) = instances.iter().copied().unzip();
        assert!(mesh_of.iter().all(|mesh| (*mesh as usize) < meshes.len()));
        // SAFETY: `fcl.cpp` declares it so.
        let build: Build = unsafe { library::function(&functions.library, "level_build") };
        let of_probe = trees[meshes.len()];
        // SAFETY: there are as many meshes and instances; the trees live as long as the level.
        let level = unsafe {
            build(
                trees.as_ptr(),
                meshes.len(),
                mesh_of.as_ptr(),
                poses.as_ptr().cast(),
                instances.len(),
                of_probe,
            )
        };
        Some(Self { kind, functions, trees, level })
    }

    /// What reports call the library.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Whether the mesh meets an instance.
    pub fn meets(&self, pose: &Placed) -> bool {
        // SAFETY: `fcl.cpp` declares it so.
        let meets: unsafe extern "C" fn(Object, *const f64) -> bool =
            unsafe { library::function(&self.functions.library, "level_meets") };
        // SAFETY: the level is the library's own; the pose has twelve numbers.
        unsafe { meets(self.level, pose.as_ptr()) }
    }

    /// How many pairs of triangles meet.
    pub fn count_pairs(&self, pose: &Placed) -> usize {
        // SAFETY: `fcl.cpp` declares it so.
        let pairs: unsafe extern "C" fn(Object, *const f64) -> usize =
            unsafe { library::function(&self.functions.library, "level_pairs") };
        // SAFETY: as in `meets`.
        unsafe { pairs(self.level, pose.as_ptr()) }
    }

    /// The distance of the nearest instance.
    pub fn distance(&self, pose: &Placed) -> f64 {
        // SAFETY: `fcl.cpp` declares it so.
        let distance: unsafe extern "C" fn(Object, *const f64) -> f64 =
            unsafe { library::function(&self.functions.library, "level_distance") };
        // SAFETY: as in `meets`.
        unsafe { distance(self.level, pose.as_ptr()) }
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        // SAFETY: `fcl.cpp` declares it so.
        let free: unsafe extern "C" fn(Object) =
            unsafe { library::function(&self.functions.library, "level_free") };
        // SAFETY: the level is the library's own, and nobody uses it any longer.
        unsafe { free(self.level) };
        for tree in &self.trees {
            // SAFETY: `build` gave the tree, and the level that held it is gone.
            unsafe { (self.functions.free)(*tree) };
        }
    }
}
