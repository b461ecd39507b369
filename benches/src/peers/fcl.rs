//! Mesh against mesh by FCL (`BVHC_FCL`) and by coal, which came of it (`BVHC_COAL`), in f64: shared libraries that
//! `fcl.cpp` makes around each; BENCHMARKS.md has the commands.
#![allow(unsafe_code, reason = "FCL and coal are C++ libraries that are loaded at run time")]

use std::ffi::c_void;

use bvhc::mesh::Mesh;
use bvhc_runtime::Pose;
use libloading::Library;

use super::library;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Fcl,
    Coal,
}

impl Kind {
    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fcl => "FCL",
            Self::Coal => "coal",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Self::Fcl => "BVHC_FCL",
            Self::Coal => "BVHC_COAL",
        }
    }
}

/// A rotation by rows, then a translation.
pub type Placed = [f64; 12];

/// A pose as these libraries are told it.
pub fn placed(pose: &Pose) -> Placed {
    let ([a, b, c], t) = (pose.rotation(), pose.translation());
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], t[0], t[1], t[2]]
}

type Tree = *mut c_void;

/// The functions of `fcl.cpp`.
struct Functions {
    build: unsafe extern "C" fn(*const f32, usize, *const u32, usize) -> Tree,
    free: unsafe extern "C" fn(Tree),
    distance: unsafe extern "C" fn(Tree, Tree, *const f64) -> f64,
    collides: unsafe extern "C" fn(Tree, Tree, *const f64, f64) -> bool,
    count_pairs: unsafe extern "C" fn(Tree, Tree, *const f64) -> usize,
    _library: Library,
}

impl Functions {
    fn new(library: Library) -> Self {
        Self {
            // SAFETY: `fcl.cpp` declares it so.
            build: unsafe { library::function(&library, "fcl_build") },
            // SAFETY: `fcl.cpp` declares it so.
            free: unsafe { library::function(&library, "fcl_free") },
            // SAFETY: `fcl.cpp` declares it so.
            distance: unsafe { library::function(&library, "fcl_distance") },
            // SAFETY: `fcl.cpp` declares it so.
            collides: unsafe { library::function(&library, "fcl_collides") },
            // SAFETY: `fcl.cpp` declares it so.
            count_pairs: unsafe { library::function(&library, "fcl_count_pairs") },
            _library: library,
        }
    }
}

/// The trees of two models.
pub struct Fcl {
    pub kind: Kind,
    functions: Functions,
    trees: [Tree; 2],
}

impl Fcl {
    /// Builds the trees, by each of the libraries that are there.
    pub fn present(a: &Mesh, b: &Mesh) -> Vec<Self> {
        [Kind::Coal, Kind::Fcl].into_iter().filter_map(|kind| Self::build(kind, [a, b])).collect()
    }

    fn build(kind: Kind, meshes: [&Mesh; 2]) -> Option<Self> {
        let functions = Functions::new(library::open(kind.name(), kind.variable(), &[])?);
        let trees = meshes.map(|mesh| {
            let (positions, corners) = (mesh.positions.as_flattened(), mesh.triangles.as_flattened());
            // SAFETY: positions and triangles have three numbers each; they are copied.
            unsafe {
                (functions.build)(
                    positions.as_ptr(),
                    mesh.positions.len(),
                    corners.as_ptr(),
                    mesh.triangles.len(),
                )
            }
        });
        Some(Self { kind, functions, trees })
    }

    /// How far the models are apart.
    pub fn distance(&self, pose: &Placed) -> f64 {
        // SAFETY: the trees are the library's own; the pose has twelve numbers.
        unsafe { (self.functions.distance)(self.trees[0], self.trees[1], pose.as_ptr()) }
    }

    /// Whether any triangles meet.
    pub fn collides(&self, pose: &Placed) -> bool {
        self.are_near(pose, 0.0)
    }

    /// Whether any triangles are this near; `None` where the library has no such query.
    pub fn within(&self, pose: &Placed, tolerance: f64) -> Option<bool> {
        (self.kind == Kind::Coal).then(|| self.are_near(pose, tolerance))
    }

    fn are_near(&self, pose: &Placed, margin: f64) -> bool {
        // SAFETY: as in `distance`.
        unsafe { (self.functions.collides)(self.trees[0], self.trees[1], pose.as_ptr(), margin) }
    }

    /// How many pairs of triangles meet.
    pub fn count_pairs(&self, pose: &Placed) -> usize {
        // SAFETY: as in `distance`.
        unsafe { (self.functions.count_pairs)(self.trees[0], self.trees[1], pose.as_ptr()) }
    }
}

impl Drop for Fcl {
    fn drop(&mut self) {
        for tree in self.trees {
            // SAFETY: `build` gave the tree, and nobody else holds it.
            unsafe { (self.functions.free)(tree) };
        }
    }
}
