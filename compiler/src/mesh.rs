//! The polygons that importers return and the triangle mesh that trees are built on.

use bvhc_format::record::{AttributeRun, FaceCorners};

/// Faces with any number of corners, as an importer read them.
///
/// Positions are in the model's units and space. The importer has checked that indices are valid and coordinates finite
/// and at most [`MAX_COORDINATE`](bvhc_format::MAX_COORDINATE) in magnitude.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Positions of the vertices. Some may be unused; of OBJ, only those that faces of three or more corners use are here, in
    /// order of first use.
    pub positions: Vec<[f32; 3]>,
    /// Vertices of the source, used or not.
    pub source_vertices: u64,
    /// Corners of all faces, one face after the other: indices into `positions`.
    pub corners: Vec<u32>,
    /// The end of each face's corners in `corners`; a face of one or two corners in the source has none here.
    pub ends: Vec<u32>,
    /// Names that `face_runs` refers to.
    pub names: Names,
    /// Like [`AttributeRun`], with `first_triangle` counting faces.
    pub face_runs: Vec<AttributeRun>,
    /// Numbers of faces, ascending. From the first on, the front of a face is where its corners go clockwise (a mirror image
    /// of what the source describes); from the second on counter-clockwise again, and so on.
    pub reversals: Vec<u32>,
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

/// Cleaned and numbered triangles; the input of the tree builders and the content of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, in the importer's order, without negative zeros; some may be unused.
    pub positions: Vec<[f32; 3]>,
    /// Corners of each triangle in the source's winding: indices into `positions`.
    /// The index in this list is the triangle's number.
    pub triangles: Vec<[u32; 3]>,
    /// The source face of each triangle, ascending.
    pub faces: Vec<u32>,
    /// Which corners of that face are the corners of each triangle.
    pub face_corners: FaceCornerList,
    /// Runs of triangles with the same material, group and object, ascending by triangle; the first run starts at 0.
    pub runs: Vec<AttributeRun>,
    /// Names that `runs` refers to.
    pub names: Names,
    /// Faces of the source, of any number of corners.
    pub source_faces: u64,
    /// Vertices of the source, used or not.
    pub source_vertices: u64,
    /// What cleaning dropped.
    pub dropped: Dropped,
    /// How many faces became fans that may overlap themselves: their edges cross or touch, or are too intricate.
    pub fans: u64,
}

/// For each triangle, which corners of its source face it has, in the file's encoding. If the list is empty, all
/// triangles have corners 0, 1 and 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceCornerList {
    /// For each triangle, [`FaceCorners::pack`] of its corners, or [`FaceCorners::LISTED`].
    pub packed: Vec<u16>,
    /// The corners of triangles that cannot be packed.
    pub listed: Vec<FaceCorners>,
}

impl FaceCornerList {
    /// Clears the list if all triangles have corners 0, 1 and 2, which is what an empty list means.
    pub fn simplify(&mut self) {
        let plain = FaceCorners::pack([0, 1, 2]);
        if self.packed.iter().all(|packed| Some(*packed) == plain) {
            self.packed = Vec::new();
        }
    }

    /// The face corners of a triangle.
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

/// How many triangles and faces cleaning dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Triangles whose three corners are exactly collinear.
    pub triangles: u64,
    /// Faces with fewer than three corners.
    pub faces: u64,
}

impl Mesh {
    /// The three corners of a triangle. Panics if `triangle` is out of range.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }
}
