//! Convex shapes against a mesh in C++: Jolt (`BVHC_JOLT`), Box3D (`BVHC_BOX3D`) and PhysX (`BVHC_PHYSX`), from shared libraries built
//! from the files in `casts`; README.md has the commands.
#![allow(unsafe_code, reason = "these are C++ libraries that are loaded at run time")]

use std::ffi::c_void;

use bvhc::mesh::Mesh;
use libloading::Library;

use super::library;
use crate::shared::shapes::Any;

/// The peers, and the variables that name their libraries.
const PEERS: [(&str, &str); 3] = [("Jolt", "BVHC_JOLT"), ("Box3D", "BVHC_BOX3D"), ("PhysX", "BVHC_PHYSX")];

type Object = *mut c_void;

/// A library.
pub struct Casts {
    /// What reports call it.
    pub name: &'static str,
    build: unsafe extern "C" fn(*const f32, usize, *const u32, usize) -> Object,
    free: unsafe extern "C" fn(Object),
    place: unsafe extern "C" fn(i32, *const f32, usize, f32) -> Object,
    free_placed: unsafe extern "C" fn(Object),
    cast: unsafe extern "C" fn(Object, Object, *const f32) -> f32,
    overlaps: unsafe extern "C" fn(Object, Object) -> bool,
    _library: Library,
}

/// A mesh of a library.
pub struct Target<'a> {
    /// The library.
    pub of: &'a Casts,
    mesh: Object,
}

/// A shape of a library, and where it is.
pub struct Placed<'a> {
    of: &'a Target<'a>,
    shape: Object,
}

impl Casts {
    /// All libraries that the environment names.
    pub fn all() -> Vec<Self> {
        let open =
            |(name, variable)| library::open(name, variable, &[]).map(|library| Self::new(name, library));
        PEERS.into_iter().filter_map(open).collect()
    }

    fn new(name: &'static str, library: Library) -> Self {
        Self {
            name,
            // SAFETY: `casts.h` declares it so.
            build: unsafe { library::function(&library, "casts_build") },
            // SAFETY: `casts.h` declares it so.
            free: unsafe { library::function(&library, "casts_free") },
            // SAFETY: `casts.h` declares it so.
            place: unsafe { library::function(&library, "casts_place") },
            // SAFETY: `casts.h` declares it so.
            free_placed: unsafe { library::function(&library, "casts_free_placed") },
            // SAFETY: `casts.h` declares it so.
            cast: unsafe { library::function(&library, "casts_cast") },
            // SAFETY: `casts.h` declares it so.
            overlaps: unsafe { library::function(&library, "casts_overlaps") },
            _library: library,
        }
    }

    /// A mesh; `None` if the library refuses it.
    pub fn build(&self, mesh: &Mesh) -> Option<Target<'_>> {
        let (positions, corners) = (mesh.positions.as_ptr().cast(), mesh.triangles.as_ptr().cast());
        // SAFETY: there are as many vertices and triangles; the library copies them.
        let mesh = unsafe { (self.build)(positions, mesh.positions.len(), corners, mesh.triangles.len()) };
        (!mesh.is_null()).then_some(Target { of: self, mesh })
    }
}

impl Target<'_> {
    /// The same shape; `None` if the library refuses it.
    pub fn place(&self, shape: &Any) -> Option<Placed<'_>> {
        let (kind, points, radius) = match shape {
            Any::Ball { centre, radius } => (0, vec![*centre], *radius),
            Any::Capsule { a, b, radius } => (1, vec![*a, *b], *radius),
            Any::Box { centre, half } => (2, vec![*centre, *half], 0.0),
            Any::Hull { points } => (3, points.clone(), 0.0),
        };
        // SAFETY: there are as many points; the library copies them.
        let shape = unsafe { (self.of.place)(kind, points.as_ptr().cast(), points.len(), radius) };
        (!shape.is_null()).then_some(Placed { of: self, shape })
    }
}

impl Placed<'_> {
    /// The time of the first contact up to 1; infinity without one.
    pub fn cast(&self, displacement: [f32; 3]) -> f64 {
        // SAFETY: both were made by this library, and the displacement has three components.
        f64::from(unsafe { (self.of.of.cast)(self.of.mesh, self.shape, displacement.as_ptr()) })
    }

    /// Whether the shape and the mesh touch.
    pub fn overlaps(&self) -> bool {
        // SAFETY: both were made by this library.
        unsafe { (self.of.of.overlaps)(self.of.mesh, self.shape) }
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing else has it.
        unsafe { (self.of.free)(self.mesh) };
    }
}

impl Drop for Placed<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing else has it.
        unsafe { (self.of.of.free_placed)(self.shape) };
    }
}
