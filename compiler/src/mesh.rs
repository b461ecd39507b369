//! The mesh that importers hand over and trees are built on.

use bvhc_format::record::{AttributeRun, FaceCorners};

/// Faces of any number of corners, as an importer found them.
///
/// Positions are in the model's units and space; indices are valid and coordinates finite, at most
/// [`MAX_COORDINATE`](bvhc_format::MAX_COORDINATE) in magnitude: the importer has refused anything else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Positions of the vertices that faces of three or more corners use, in order of first use.
    pub positions: Vec<[f32; 3]>,
    /// Vertices of the source, used or not.
    pub source_vertices: u64,
    /// Corners of all faces, one face after the other: indices into `positions`.
    pub corners: Vec<u32>,
    /// Where each face's corners end in `corners`; a face of one or two corners in the source has none here.
    pub ends: Vec<u32>,
    /// Names, and the faces they hold for.
    pub names: Names,
    /// Like [`AttributeRun`], with `first_triangle` counting faces.
    pub face_runs: Vec<AttributeRun>,
}

/// The names that attribute runs refer to by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// `usemtl`
    pub materials: Vec<String>,
    /// `g`
    pub groups: Vec<String>,
    /// `o`
    pub objects: Vec<String>,
}

/// Triangles, cleaned and numbered; what trees are built on and files hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, in order of first use by the source's faces, without negative zeros;
    /// some may be unused.
    pub positions: Vec<[f32; 3]>,
    /// Corners of each triangle in the source's winding: indices into `positions`.
    /// The index in this list is the triangle's number.
    pub triangles: Vec<[u32; 3]>,
    /// The source face of each triangle, ascending.
    pub faces: Vec<u32>,
    /// Which corners of that face each triangle has.
    pub face_corners: FaceCornerList,
    /// Materials, groups and objects, ascending by triangle number; the first run starts at 0.
    pub runs: Vec<AttributeRun>,
    /// Names that `runs` refers to.
    pub names: Names,
    /// Faces of the source, of any number of corners.
    pub source_faces: u64,
    /// Vertices of the source, used or not.
    pub source_vertices: u64,
    /// What cleaning dropped.
    pub dropped: Dropped,
}

/// Which corners of its source face each triangle has, as the file holds it. Where the list is empty, all triangles have
/// corners 0, 1 and 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceCornerList {
    /// Of each triangle, [`FaceCorners::pack`] of its corners, or [`FaceCorners::LISTED`].
    pub packed: Vec<u16>,
    /// The corners of triangles that cannot be packed.
    pub listed: Vec<FaceCorners>,
}

impl FaceCornerList {
    /// Appends the next triangle's.
    pub fn push(&mut self, corners: [u32; 3]) {
        let triangle = self.packed.len() as u32;
        let packed = FaceCorners::pack(corners).unwrap_or_else(|| {
            self.listed.push(FaceCorners { triangle, corners });
            FaceCorners::LISTED
        });
        self.packed.push(packed);
    }

    /// Empties the list where it says what an empty one says.
    pub fn simplify(&mut self) {
        let plain = FaceCorners::pack([0, 1, 2]);
        if self.packed.iter().all(|packed| Some(*packed) == plain) {
            self.packed = Vec::new();
        }
    }

    /// Those of a triangle.
    pub fn get(&self, triangle: u32) -> [u32; 3] {
        match self.packed.get(triangle as usize) {
            None => [0, 1, 2],
            Some(&FaceCorners::LISTED) => {
                let at = self.listed.partition_point(|listed| listed.triangle < triangle);
                self.listed[at].corners
            }
            Some(packed) => FaceCorners::unpack(*packed),
        }
    }
}

/// How much was left out of a mesh, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Triangles whose three corners lie on one line, exactly.
    pub triangles: u64,
    /// Faces with fewer than three corners.
    pub faces: u64,
}

impl Mesh {
    /// The three corners of a triangle. Panics where `triangle` is no triangle's number.
    pub fn corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }
}
