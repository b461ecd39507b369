//! tinybvh's `BVH8_CPU` over its tree with spatial splits (`BuildHQ`), from a shared library (`BVHC_TINYBVH`) built
//! from `tinybvh.cpp` and its header; README.md has the command. Worlds are such trees below its binary tree over instances.
//!
//! The crate tinybvh-rs 0.1.0-beta.3 contains that header, but has no any-hit query, compiles this layout only if
//! everything is compiled for AVX2, and passes rays of 64 bytes to a library whose rays have 128.
#![allow(unsafe_code, reason = "tinybvh is a C++ library that is loaded at run time")]

use bvhc::mesh::Mesh;
use bvhc_runtime::Ray;
use libloading::Library;
use std::ffi::c_void;
use std::sync::OnceLock;

use super::{Placement, Tracer, library};

/// A tree of the library.
pub struct Tinybvh {
    functions: &'static Functions,
    tree: *mut c_void,
}

type Ask<T> = unsafe extern "C" fn(*const c_void, *const f32, *const f32, f32) -> T;

/// A tree over instances of trees.
pub struct Instances {
    meshes: Vec<Tinybvh>,
    functions: &'static Functions,
    world: *mut c_void,
    count: usize,
}

/// A corner of a triangle, and a number that is not read.
#[repr(C, align(16))]
struct Corner([f32; 3], f32);

/// The functions of `tinybvh.cpp`.
struct Functions {
    build: unsafe extern "C" fn(*const Corner, u32) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    bytes: unsafe extern "C" fn(*const c_void) -> usize,
    closest_hit: Ask<f32>,
    any_hit: Ask<bool>,
    world: unsafe extern "C" fn() -> *mut c_void,
    add_mesh: unsafe extern "C" fn(*mut c_void, *mut c_void),
    add_instance: unsafe extern "C" fn(*mut c_void, u32, *const f32),
    build_world: unsafe extern "C" fn(*mut c_void),
    free_world: unsafe extern "C" fn(*mut c_void),
    closest_hit_in_world: Ask<f32>,
    any_hit_in_world: Ask<bool>,
    _library: Library,
}

impl Functions {
    fn new(library: Library) -> Self {
        Self {
            // SAFETY: `tinybvh.cpp` declares it so.
            build: unsafe { library::function(&library, "tinybvh_build") },
            // SAFETY: `tinybvh.cpp` declares it so.
            free: unsafe { library::function(&library, "tinybvh_free") },
            // SAFETY: `tinybvh.cpp` declares it so.
            bytes: unsafe { library::function(&library, "tinybvh_bytes") },
            // SAFETY: `tinybvh.cpp` declares it so.
            closest_hit: unsafe { library::function(&library, "tinybvh_closest_hit") },
            // SAFETY: `tinybvh.cpp` declares it so.
            any_hit: unsafe { library::function(&library, "tinybvh_any_hit") },
            // SAFETY: `tinybvh.cpp` declares it so.
            world: unsafe { library::function(&library, "tinybvh_world") },
            // SAFETY: `tinybvh.cpp` declares it so.
            add_mesh: unsafe { library::function(&library, "tinybvh_world_add_mesh") },
            // SAFETY: `tinybvh.cpp` declares it so.
            add_instance: unsafe { library::function(&library, "tinybvh_world_add_instance") },
            // SAFETY: `tinybvh.cpp` declares it so.
            build_world: unsafe { library::function(&library, "tinybvh_world_build") },
            // SAFETY: `tinybvh.cpp` declares it so.
            free_world: unsafe { library::function(&library, "tinybvh_world_free") },
            // SAFETY: `tinybvh.cpp` declares it so.
            closest_hit_in_world: unsafe { library::function(&library, "tinybvh_world_closest_hit") },
            // SAFETY: `tinybvh.cpp` declares it so.
            any_hit_in_world: unsafe { library::function(&library, "tinybvh_world_any_hit") },
            _library: library,
        }
    }
}

/// The library, if it is present and the level has its instructions.
fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    let open = || {
        if !["avx2", "avx512"].contains(&super::level().name()) {
            eprintln!("tinybvh is left out: it needs AVX2");
            return None;
        }
        library::open("tinybvh", "BVHC_TINYBVH", &[]).map(Functions::new)
    };
    FUNCTIONS.get_or_init(open).as_ref()
}

impl Tinybvh {
    /// Builds the tree, if tinybvh is present.
    pub fn build(mesh: &Mesh) -> Option<Self> {
        let functions = functions()?;
        let triangles = mesh.triangles.len() as u32;
        let corners = (0..triangles).flat_map(|triangle| mesh.corners(triangle));
        let corners: Vec<_> = corners.map(|corner| Corner(corner, 0.0)).collect();
        // SAFETY: there are three corners for each triangle; they are read while the tree is built and no longer.
        let tree = unsafe { (functions.build)(corners.as_ptr(), triangles) };
        Some(Self { functions, tree })
    }

    fn ask<T>(&self, function: Ask<T>, ray: &Ray) -> T {
        // SAFETY: the tree is the library's own; both vectors have three numbers.
        unsafe { function(self.tree, ray.origin.as_ptr(), ray.direction.as_ptr(), ray.t_max) }
    }
}

impl Instances {
    /// Builds the trees, if tinybvh is present.
    pub fn build(meshes: &[Mesh], placements: &[Placement]) -> Option<Self> {
        let functions = functions()?;
        let meshes: Vec<Tinybvh> = meshes.iter().filter_map(Tinybvh::build).collect();
        // SAFETY: it needs nothing.
        let world = unsafe { (functions.world)() };
        for mesh in &meshes {
            // SAFETY: the world is alive, and the tree lives longer.
            unsafe { (functions.add_mesh)(world, mesh.tree) };
        }
        for placement in placements {
            assert!(placement.mesh < meshes.len(), "an instance of a mesh that is there");
            let columns = placement.columns.as_flattened();
            // SAFETY: the world is alive, the mesh is there, and there are twelve numbers.
            unsafe { (functions.add_instance)(world, placement.mesh as u32, columns.as_ptr()) };
        }
        // SAFETY: the world is alive and has all its instances.
        unsafe { (functions.build_world)(world) };
        Some(Self { meshes, functions, world, count: placements.len() })
    }

    fn ask<T>(&self, function: Ask<T>, ray: &Ray) -> T {
        // SAFETY: the world is built and alive; both vectors have three numbers.
        unsafe { function(self.world, ray.origin.as_ptr(), ray.direction.as_ptr(), ray.t_max) }
    }
}

impl Drop for Tinybvh {
    fn drop(&mut self) {
        // SAFETY: `build` gave the tree, and nobody else holds it.
        unsafe { (self.functions.free)(self.tree) };
    }
}

impl Tracer for Tinybvh {
    fn name(&self) -> &str {
        "tinybvh"
    }

    fn bytes(&self) -> usize {
        // SAFETY: the tree is the library's own.
        unsafe { (self.functions.bytes)(self.tree) }
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        self.ask(self.functions.closest_hit, ray)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.ask(self.functions.any_hit, ray)
    }
}

impl Drop for Instances {
    fn drop(&mut self) {
        // SAFETY: `build` made the world, and nobody else holds it; its meshes are dropped later.
        unsafe { (self.functions.free_world)(self.world) };
    }
}

impl Tracer for Instances {
    fn name(&self) -> &str {
        "tinybvh"
    }

    /// With 64 bytes of nodes and 256 of an instance.
    fn bytes(&self) -> usize {
        self.meshes.iter().map(Tracer::bytes).sum::<usize>() + self.count * (64 + 256)
    }

    fn closest_hit(&self, ray: &Ray) -> f32 {
        self.ask(self.functions.closest_hit_in_world, ray)
    }

    fn any_hit(&self, ray: &Ray) -> bool {
        self.ask(self.functions.any_hit_in_world, ray)
    }
}
