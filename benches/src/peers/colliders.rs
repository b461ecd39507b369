//! Mesh against mesh by C++ libraries, in f64: PQP (`BVHC_PQP`), FCL (`BVHC_FCL`) and FCL's fork coal (`BVHC_COAL`),
//! from shared libraries built from `pqp.cpp` and `fcl.cpp`; README.md has the commands.
#![allow(unsafe_code, reason = "these are C++ libraries that are loaded at run time")]

use std::ffi::c_void;

use bvhc::mesh::Mesh;
use bvhc_runtime::Pose;
use libloading::Library;

use super::library;

pub mod level;

/// The library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pqp,
    Coal,
    Fcl,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pqp, Self::Coal, Self::Fcl];

    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pqp => "PQP",
            Self::Coal => "coal",
            Self::Fcl => "FCL",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Self::Pqp => "BVHC_PQP",
            Self::Coal => "BVHC_COAL",
            Self::Fcl => "BVHC_FCL",
        }
    }
}

/// A rotation by rows, then a translation.
pub type Placed = [f64; 12];

/// A pose as these libraries take it.
pub fn placed(pose: &Pose) -> Placed {
    let ([a, b, c], t) = (pose.rotation(), pose.translation());
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], t[0], t[1], t[2]]
}

type Tree = *mut c_void;

type Distance = unsafe extern "C" fn(Tree, Tree, *const f64) -> f64;
type Within = unsafe extern "C" fn(Tree, Tree, *const f64, f64) -> bool;

/// The functions of `pqp.cpp` and of `fcl.cpp`.
struct Functions {
    build: unsafe extern "C" fn(*const f32, usize, *const u32, usize) -> Tree,
    free: unsafe extern "C" fn(Tree),
    distance: Distance,
    warm_distance: Option<Distance>,
    within: Option<Within>,
    collides: unsafe extern "C" fn(Tree, Tree, *const f64) -> bool,
    pairs: unsafe extern "C" fn(Tree, Tree, *const f64, *mut u32, usize) -> usize,
    library: Library,
}

impl Functions {
    fn new(kind: Kind, library: Library) -> Self {
        // SAFETY: both sources declare it so.
        let warm_distance = || unsafe { library::function(&library, "collider_warm_distance") };
        // SAFETY: both sources declare it so.
        let within = || unsafe { library::function(&library, "collider_within") };
        Self {
            // SAFETY: both sources declare it so.
            build: unsafe { library::function(&library, "collider_build") },
            // SAFETY: both sources declare it so.
            free: unsafe { library::function(&library, "collider_free") },
            // SAFETY: both sources declare it so.
            distance: unsafe { library::function(&library, "collider_distance") },
            warm_distance: (kind == Kind::Pqp).then(warm_distance),
            within: (kind != Kind::Fcl).then(within),
            // SAFETY: both sources declare it so.
            collides: unsafe { library::function(&library, "collider_collides") },
            // SAFETY: both sources declare it so.
            pairs: unsafe { library::function(&library, "collider_pairs") },
            library,
        }
    }

    /// The tree of a mesh, which is copied.
    fn build(&self, mesh: &Mesh) -> Tree {
        let (positions, corners) = (mesh.positions.as_flattened(), mesh.triangles.as_flattened());
        // SAFETY: positions and triangles have three numbers each.
        unsafe {
            (self.build)(positions.as_ptr(), mesh.positions.len(), corners.as_ptr(), mesh.triangles.len())
        }
    }
}

/// The trees of two models.
pub struct Collider {
    pub kind: Kind,
    functions: Functions,
    trees: [Tree; 2],
}

impl Collider {
    /// Builds the trees, with each of the libraries that are present.
    pub fn present(a: &Mesh, b: &Mesh) -> Vec<Self> {
        Kind::ALL.into_iter().filter_map(|kind| Self::build(kind, [a, b])).collect()
    }

    fn build(kind: Kind, meshes: [&Mesh; 2]) -> Option<Self> {
        let functions = Functions::new(kind, library::open(kind.name(), kind.variable(), &[])?);
        let trees = meshes.map(|mesh| functions.build(mesh));
        Some(Self { kind, functions, trees })
    }

    /// The distance of the models, independent of previous queries.
    pub fn distance(&self, pose: &Placed) -> f64 {
        // SAFETY: the trees are the library's own; the pose has twelve numbers.
        unsafe { (self.functions.distance)(self.trees[0], self.trees[1], pose.as_ptr()) }
    }

    /// The same, starting from the nearest triangles of the previous query; `None` if the library cannot do that.
    pub fn warm_distance(&self, pose: &Placed) -> Option<f64> {
        let distance = self.functions.warm_distance?;
        // SAFETY: as in `distance`.
        Some(unsafe { distance(self.trees[0], self.trees[1], pose.as_ptr()) })
    }

    /// Whether the models are within this distance; `None` if the library has no such query.
    pub fn within(&self, pose: &Placed, tolerance: f64) -> Option<bool> {
        let within = self.functions.within?;
        // SAFETY: as in `distance`.
        Some(unsafe { within(self.trees[0], self.trees[1], pose.as_ptr(), tolerance) })
    }

    /// Whether any triangles meet.
    pub fn collides(&self, pose: &Placed) -> bool {
        // SAFETY: as in `distance`.
        unsafe { (self.functions.collides)(self.trees[0], self.trees[1], pose.as_ptr()) }
    }

    /// How many pairs of triangles meet.
    pub fn count_pairs(&self, pose: &Placed) -> usize {
        self.pairs_into(pose, &mut [])
    }

    /// The pairs of triangles that meet, in any order.
    pub fn pairs(&self, pose: &Placed) -> Vec<(u32, u32)> {
        let mut found = vec![[0; 2]; self.count_pairs(pose)];
        assert_eq!(self.pairs_into(pose, &mut found), found.len(), "the same query has the same answer");
        found.into_iter().map(|[a, b]| (a, b)).collect()
    }

    fn pairs_into(&self, pose: &Placed, found: &mut [[u32; 2]]) -> usize {
        // SAFETY: as in `distance`; two numbers are written for each of at most so many pairs.
        unsafe {
            (self.functions.pairs)(
                self.trees[0],
                self.trees[1],
                pose.as_ptr(),
                found.as_mut_ptr().cast(),
                found.len(),
            )
        }
    }
}

impl Drop for Collider {
    fn drop(&mut self) {
        for tree in self.trees {
            // SAFETY: `build` gave the tree, and nobody else holds it.
            unsafe { (self.functions.free)(tree) };
        }
    }
}
