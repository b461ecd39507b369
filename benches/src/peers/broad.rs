//! Broad phases in C++: FCL (`BVHC_FCL_BROAD`), its fork coal (`BVHC_COAL_BROAD`) and Bullet (`BVHC_BULLET_BROAD`), each by its tree
//! and by sweep and prune, from shared libraries built from `broad.cpp`; README.md has the commands.
#![allow(unsafe_code, reason = "these are C++ libraries that are loaded at run time")]

use std::ffi::c_void;

use bvhc::mesh::Mesh;
use libloading::Library;

use super::library;

/// The peers, and the variables that name their libraries.
pub const PEERS: [(&str, &str); 3] =
    [("Bullet", "BVHC_BULLET_BROAD"), ("FCL", "BVHC_FCL_BROAD"), ("coal", "BVHC_COAL_BROAD")];

/// A box: lower x, y, z, upper x, y, z.
pub type Box6 = [f32; 6];

type Object = *mut c_void;

/// A library.
pub struct Broad {
    /// What reports call it.
    pub name: &'static str,
    library: Library,
}

impl Broad {
    /// All libraries that the environment names.
    pub fn all() -> Vec<Self> {
        let open =
            |(name, variable)| library::open(name, variable, &[]).map(|library| Self { name, library });
        PEERS.into_iter().filter_map(open).collect()
    }

    /// A world of boxes, of which the first `still` never move.
    pub fn boxes(&self, boxes: &[Box6], still: usize, is_sweep: bool) -> Boxes<'_> {
        type New = unsafe extern "C" fn(*const f32, usize, usize, bool) -> Object;
        // SAFETY: `broad.cpp` has the function with this type.
        let new: New = unsafe { library::function(&self.library, "broad_new") };
        // SAFETY: there are as many boxes; the library copies them.
        let world = unsafe { new(boxes.as_ptr().cast(), still, boxes.len(), is_sweep) };
        Boxes { of: self, world, moving: boxes.len() - still }
    }

    /// Copies of a mesh, if the library has a narrow phase for it.
    pub fn bodies(&self, mesh: &Mesh, count: usize) -> Option<Bodies<'_>> {
        type New = unsafe extern "C" fn(*const f32, usize, *const u32, usize, usize, bool) -> Object;
        if self.name == "Bullet" {
            return None;
        }
        // SAFETY: `broad.cpp` has the function with this type.
        let new: New = unsafe { library::function(&self.library, "bodies_new") };
        let (positions, corners) = (mesh.positions.as_ptr().cast(), mesh.triangles.as_ptr().cast());
        // SAFETY: there are as many vertices and triangles; the library copies them.
        let world =
            unsafe { new(positions, mesh.positions.len(), corners, mesh.triangles.len(), count, false) };
        Some(Bodies { of: self, world, count })
    }
}

/// A world of boxes of a library.
pub struct Boxes<'b> {
    of: &'b Broad,
    world: Object,
    moving: usize,
}

impl Boxes<'_> {
    /// Takes the boxes of what has moved, of all that may, and counts the pairs.
    pub fn frame(&mut self, moved: &[u32], boxes: &[Box6]) -> usize {
        type Frame = unsafe extern "C" fn(Object, *const u32, usize, *const f32) -> usize;
        assert!(boxes.len() == self.moving && moved.iter().all(|it| (*it as usize) < self.moving));
        // SAFETY: `broad.cpp` has the function with this type.
        let frame: Frame = unsafe { library::function(&self.of.library, "broad_frame") };
        // SAFETY: the world is alive, and the numbers are of boxes that are there.
        unsafe { frame(self.world, moved.as_ptr(), moved.len(), boxes.as_ptr().cast()) }
    }
}

impl Drop for Boxes<'_> {
    fn drop(&mut self) {
        // SAFETY: `broad.cpp` has the function with this type.
        let free: unsafe extern "C" fn(Object) = unsafe { library::function(&self.of.library, "broad_free") };
        // SAFETY: the world is alive, and nobody uses it any longer.
        unsafe { free(self.world) };
    }
}

/// Copies of a mesh of a library.
pub struct Bodies<'b> {
    of: &'b Broad,
    world: Object,
    count: usize,
}

impl Bodies<'_> {
    /// Moves all bodies, and counts the pairs that meet.
    pub fn frame(&mut self, poses: &[super::colliders::Placed]) -> usize {
        assert_eq!(poses.len(), self.count);
        // SAFETY: `broad.cpp` has the function with this type.
        let frame: unsafe extern "C" fn(Object, *const f64) -> usize =
            unsafe { library::function(&self.of.library, "bodies_frame") };
        // SAFETY: the world is alive and has as many bodies.
        unsafe { frame(self.world, poses.as_ptr().cast()) }
    }
}

impl Drop for Bodies<'_> {
    fn drop(&mut self) {
        // SAFETY: `broad.cpp` has the function with this type.
        let free: unsafe extern "C" fn(Object) =
            unsafe { library::function(&self.of.library, "bodies_free") };
        // SAFETY: the world is alive, and nobody uses it any longer.
        unsafe { free(self.world) };
    }
}
