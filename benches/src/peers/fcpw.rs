//! FCPW's vectorised tree, from a shared library (`BVHC_FCPW`) built from `fcpw.cpp` and its headers; README.md has the
//! command.
//!
//! Its SIMD level is that of its compilation; vectors of sixteen triangles were faster than of four or eight.
#![allow(unsafe_code, reason = "FCPW is a C++ library that is loaded at run time")]

use bvhc::mesh::Mesh;
use libloading::Library;
use std::ffi::c_void;
use std::sync::OnceLock;

use super::{Locator, library};

/// A scene of the library.
pub struct Fcpw {
    functions: &'static Functions,
    scene: *mut c_void,
}

/// The functions of `fcpw.cpp`.
struct Functions {
    build: unsafe extern "C" fn(*const f32, usize, *const u32, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    distance: unsafe extern "C" fn(*const c_void, *const f32) -> f32,
    _library: Library,
}

impl Functions {
    fn new(library: Library) -> Self {
        Self {
            // SAFETY: `fcpw.cpp` declares it so.
            build: unsafe { library::function(&library, "fcpw_build") },
            // SAFETY: `fcpw.cpp` declares it so.
            free: unsafe { library::function(&library, "fcpw_free") },
            // SAFETY: `fcpw.cpp` declares it so.
            distance: unsafe { library::function(&library, "fcpw_distance") },
            _library: library,
        }
    }
}

/// The library, if it is present.
fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| library::open("FCPW", "BVHC_FCPW", &[]).map(Functions::new)).as_ref()
}

impl Fcpw {
    /// Builds the tree, if FCPW is present.
    pub fn build(mesh: &Mesh) -> Option<Self> {
        let functions = functions()?;
        let (positions, triangles) = (mesh.positions.as_flattened(), mesh.triangles.as_flattened());
        // SAFETY: there are three numbers for each vertex and triangle; they are read only while the tree is built.
        let scene = unsafe {
            (functions.build)(
                positions.as_ptr(),
                mesh.positions.len(),
                triangles.as_ptr(),
                mesh.triangles.len(),
            )
        };
        Some(Self { functions, scene })
    }
}

impl Drop for Fcpw {
    fn drop(&mut self) {
        // SAFETY: `build` gave the scene, and nobody else holds it.
        unsafe { (self.functions.free)(self.scene) };
    }
}

impl Locator for Fcpw {
    fn name(&self) -> &str {
        "FCPW"
    }

    fn distance(&self, point: [f32; 3]) -> f32 {
        // SAFETY: the scene is the library's own; the point has three numbers.
        unsafe { (self.functions.distance)(self.scene, point.as_ptr()) }
    }
}
