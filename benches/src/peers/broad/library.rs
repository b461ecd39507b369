//! Broad phases in C++, from shared libraries built from the files beside this one; README.md has the commands. Bullet, FCL and coal
//! have a tree and sweep and prune, Jolt and Box3D trees.
#![allow(unsafe_code, reason = "these are C++ libraries that are loaded at run time")]

use std::ffi::c_void;

use bvhc::mesh::Mesh;
use libloading::Library;

use super::{Box6, BroadPhase, Pair};
use crate::peers::{colliders, library};

/// A library, the variable that names it, and what it has.
struct Peer {
    name: &'static str,
    variable: &'static str,
    has_sweep: bool,
    has_bodies: bool,
}

const PEERS: [Peer; 5] = [
    Peer { name: "Jolt", variable: "BVHC_JOLT_BROAD", has_sweep: false, has_bodies: false },
    Peer { name: "Box3D", variable: "BVHC_BOX3D_BROAD", has_sweep: false, has_bodies: false },
    Peer { name: "Bullet", variable: "BVHC_BULLET_BROAD", has_sweep: true, has_bodies: false },
    Peer { name: "FCL", variable: "BVHC_FCL_BROAD", has_sweep: true, has_bodies: true },
    Peer { name: "coal", variable: "BVHC_COAL_BROAD", has_sweep: true, has_bodies: true },
];

type Object = *mut c_void;

/// A library.
pub struct Broad {
    /// What reports call it.
    pub name: &'static str,
    /// Whether it has sweep and prune, too.
    pub has_sweep: bool,
    /// Whether it has a narrow phase for meshes.
    pub has_bodies: bool,
    library: Library,
}

impl Broad {
    /// All libraries that the environment names.
    pub fn all() -> Vec<Self> {
        let open = |Peer { name, variable, has_sweep, has_bodies }| {
            library::open(name, variable, &[]).map(|library| Self { name, has_sweep, has_bodies, library })
        };
        PEERS.into_iter().filter_map(open).collect()
    }

    /// A world of boxes, of which the first `still` never move.
    pub fn boxes(&self, boxes: &[Box6], still: usize, is_sweep: bool) -> Boxes<'_> {
        type New = unsafe extern "C" fn(*const f32, usize, usize, bool) -> Object;
        assert!(self.has_sweep || !is_sweep);
        // SAFETY: `broad.h` has the function with this type.
        let new: New = unsafe { library::function(&self.library, "broad_new") };
        // SAFETY: there are as many boxes; the library copies them.
        let world = unsafe { new(boxes.as_ptr().cast(), still, boxes.len(), is_sweep) };
        Boxes { of: self, world, moving: boxes.len() - still }
    }

    /// Copies of a mesh, if the library has a narrow phase for it.
    pub fn bodies(&self, mesh: &Mesh, count: usize) -> Option<Bodies<'_>> {
        type New = unsafe extern "C" fn(*const f32, usize, *const u32, usize, usize, bool) -> Object;
        if !self.has_bodies {
            return None;
        }
        // SAFETY: `fcl.cpp` has the function with this type.
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

impl BroadPhase for Boxes<'_> {
    fn move_boxes(&mut self, moved: &[u32], boxes: &[Box6]) {
        type Move = unsafe extern "C" fn(Object, *const u32, usize, *const f32);
        assert!(boxes.len() == self.moving && moved.iter().all(|it| (*it as usize) < self.moving));
        // SAFETY: `broad.h` has the function with this type.
        let take: Move = unsafe { library::function(&self.of.library, "broad_move") };
        // SAFETY: the world is alive, and the numbers are of boxes that are there.
        unsafe { take(self.world, moved.as_ptr(), moved.len(), boxes.as_ptr().cast()) };
    }

    fn update(&mut self) {
        // SAFETY: `broad.h` has the function with this type.
        let update: unsafe extern "C" fn(Object) =
            unsafe { library::function(&self.of.library, "broad_update") };
        // SAFETY: the world is alive.
        unsafe { update(self.world) };
    }

    fn pairs(&mut self, pairs: &mut [Pair]) -> usize {
        type Pairs = unsafe extern "C" fn(Object, *mut u32, usize) -> usize;
        // SAFETY: `broad.h` has the function with this type.
        let find: Pairs = unsafe { library::function(&self.of.library, "broad_pairs") };
        // SAFETY: the world is alive, and there are places for as many pairs.
        let count = unsafe { find(self.world, pairs.as_mut_ptr().cast(), pairs.len()) };
        assert!(count <= pairs.len(), "{}: no places for {count} pairs", self.of.name);
        count
    }

    fn rebuild(&mut self) -> bool {
        // SAFETY: `broad.h` has the function with this type.
        let rebuild: unsafe extern "C" fn(Object) -> bool =
            unsafe { library::function(&self.of.library, "broad_rebuild") };
        // SAFETY: the world is alive.
        unsafe { rebuild(self.world) }
    }
}

impl Drop for Boxes<'_> {
    fn drop(&mut self) {
        // SAFETY: `broad.h` has the function with this type.
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
    pub fn frame(&mut self, poses: &[colliders::Placed]) -> usize {
        assert_eq!(poses.len(), self.count);
        // SAFETY: `fcl.cpp` has the function with this type.
        let frame: unsafe extern "C" fn(Object, *const f64) -> usize =
            unsafe { library::function(&self.of.library, "bodies_frame") };
        // SAFETY: the world is alive and has as many bodies.
        unsafe { frame(self.world, poses.as_ptr().cast()) }
    }
}

impl Drop for Bodies<'_> {
    fn drop(&mut self) {
        // SAFETY: `fcl.cpp` has the function with this type.
        let free: unsafe extern "C" fn(Object) =
            unsafe { library::function(&self.of.library, "bodies_free") };
        // SAFETY: the world is alive, and nobody uses it any longer.
        unsafe { free(self.world) };
    }
}
