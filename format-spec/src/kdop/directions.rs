//! The directions of k-DOPs.

/// The most directions of a k-DOP.
pub const MAX_DIRECTIONS: usize = 42;

/// The most pairs of opposite directions.
pub const MAX_SLABS: usize = MAX_DIRECTIONS / 2;

/// The size of arrays with one number per pair of opposite directions, in whole vectors of up to eight.
pub const SLAB_ROOM: usize = MAX_SLABS.next_multiple_of(8);

/// The size of arrays with the index of each direction's mirror image.
pub const IMAGES: usize = MAX_DIRECTIONS.next_power_of_two();

/// The most faces of the directions' hull in one octant.
const MAX_FACES: usize = 13;

/// The rings of a cone, counting the region outside; bits 1 to 31 of an occupancy table are the rings.
pub const REGIONS: usize = 32;

/// A set of k directions, which are unit vectors: direction i + k/2 is opposite to direction i.
///
/// For each direction the set contains all its mirror images in the coordinate planes.
#[derive(Debug)]
pub struct Directions {
    slabs: usize,
    units: [[f64; 3]; MAX_DIRECTIONS],
    /// The x, y and z of the first half of the directions, then zeros.
    pub half: [[f64; SLAB_ROOM]; 3],
    mirrored: [[u8; IMAGES]; 8],
    faces: [Face; MAX_FACES],
    face_count: usize,
    /// The aperture: the cosine of the largest angle between any vector and the nearest direction.
    pub aperture: f64,
    /// The sine of the aperture.
    pub aperture_sine: f64,
    /// The tangent of the largest angle in each ring, rounded up; 0 for ring 0, which is unused.
    pub ring_tangents: [f32; REGIONS],
}

/// Three directions that span a part of the positive octant, without another direction between them.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// The directions.
    pub directions: [u8; 3],
    /// The matrix from a vector to its weights, with which the three directions add up to the vector.
    pub weights: [[f64; 3]; 3],
}

/// All sets, by k.
static SETS: [Directions; 6] = [
    Directions::new(&[X, Y, Z], &[[0, 1, 2]]),
    Directions::new(&ICOSAHEDRON, &[[0, 2, 4], [0, 2, 9], [2, 4, 5], [0, 4, 7]]),
    Directions::new(
        &[X, Y, Z, CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[3]],
        &[[0, 3, 5], [0, 3, 4], [1, 3, 13], [2, 3, 13], [2, 3, 5], [1, 3, 4]],
    ),
    Directions::new(
        &[X, Y, Z, EDGES[0], EDGES[1], EDGES[2], EDGES[3], EDGES[4], EDGES[5]],
        &[[3, 5, 7], [2, 5, 7], [0, 3, 5], [1, 3, 7]],
    ),
    Directions::new(
        &[
            X, Y, Z, CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[3], EDGES[0], EDGES[1], EDGES[2], EDGES[3],
            EDGES[4], EDGES[5],
        ],
        &[[2, 3, 11], [0, 3, 7], [1, 3, 7], [0, 3, 9], [2, 3, 9], [1, 3, 11]],
    ),
    Directions::new(
        &[
            X,
            Y,
            Z,
            ICOSAHEDRON[0],
            ICOSAHEDRON[1],
            ICOSAHEDRON[2],
            ICOSAHEDRON[3],
            ICOSAHEDRON[4],
            ICOSAHEDRON[5],
            [1.0, GOLDEN + 1.0, GOLDEN],
            [1.0, GOLDEN + 1.0, -GOLDEN],
            [1.0, -GOLDEN - 1.0, GOLDEN],
            [1.0, -GOLDEN - 1.0, -GOLDEN],
            [GOLDEN, 1.0, GOLDEN + 1.0],
            [GOLDEN, 1.0, -GOLDEN - 1.0],
            [GOLDEN, -1.0, GOLDEN + 1.0],
            [GOLDEN, -1.0, -GOLDEN - 1.0],
            [GOLDEN + 1.0, GOLDEN, 1.0],
            [GOLDEN + 1.0, GOLDEN, -1.0],
            [GOLDEN + 1.0, -GOLDEN, 1.0],
            [GOLDEN + 1.0, -GOLDEN, -1.0],
        ],
        &[
            [9, 13, 17],
            [5, 9, 17],
            [0, 7, 17],
            [1, 5, 9],
            [2, 3, 13],
            [7, 13, 17],
            [3, 9, 13],
            [0, 17, 18],
            [2, 13, 15],
            [1, 9, 33],
            [5, 17, 18],
            [7, 13, 15],
            [3, 9, 33],
        ],
    ),
];

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];
const CORNERS: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]];
const EDGES: [[f64; 3]; 6] =
    [[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0]];
/// (1 + sqrt 5) / 2
const GOLDEN: f64 = 1.618_033_988_749_895;
const ICOSAHEDRON: [[f64; 3]; 6] = [
    [0.0, 1.0, GOLDEN],
    [0.0, 1.0, -GOLDEN],
    [1.0, GOLDEN, 0.0],
    [1.0, -GOLDEN, 0.0],
    [GOLDEN, 0.0, 1.0],
    [GOLDEN, 0.0, -1.0],
];

impl Directions {
    /// The values of k for which there are sets.
    pub const COUNTS: [u32; 6] = [6, 12, 14, 18, 26, 42];

    /// The set of k directions, if there is one.
    pub fn of(k: u32) -> Option<&'static Self> {
        SETS.iter().find(|set| set.count() == k as usize)
    }

    /// k
    #[inline]
    pub const fn count(&self) -> usize {
        2 * self.slabs
    }

    /// k / 2
    #[inline]
    pub const fn slabs(&self) -> usize {
        self.slabs
    }

    /// The directions, accurate to the last bit or two of f64.
    #[inline]
    pub fn units(&self) -> &[[f64; 3]] {
        &self.units[..self.count()]
    }

    /// The index of the opposite direction.
    #[inline]
    pub const fn opposite(&self, direction: usize) -> usize {
        (direction + self.slabs) % self.count()
    }

    /// The index of each direction's mirror image; bit a of `signs` mirrors axis a.
    #[inline]
    pub const fn images(&self, signs: usize) -> &[u8; IMAGES] {
        &self.mirrored[signs % 8]
    }

    /// The faces of the directions' hull in the positive octant, which they cover together.
    #[inline]
    pub fn faces(&self) -> &[Face] {
        &self.faces[..self.face_count]
    }

    /// Whether directions 0, 1 and 2 are the axes.
    #[inline]
    pub const fn has_axes(&self) -> bool {
        self.units[0][0] == 1.0
    }

    const fn new(half: &[[f64; 3]], triples: &[[u8; 3]]) -> Self {
        let slabs = half.len();
        let mut units = [[0.0; 3]; MAX_DIRECTIONS];
        let mut axes = [[0.0; SLAB_ROOM]; 3];
        let mut i = 0;
        while i < slabs {
            let length = square_root(dot(half[i], half[i]));
            units[i] = scaled(half[i], 1.0 / length);
            units[i + slabs] = scaled(half[i], -1.0 / length);
            axes[0][i] = units[i][0];
            axes[1][i] = units[i][1];
            axes[2][i] = units[i][2];
            i += 1;
        }
        let mut faces = [Face { directions: [0; 3], weights: [[0.0; 3]; 3] }; MAX_FACES];
        let mut aperture = 1.0;
        let mut f = 0;
        while f < triples.len() {
            let [a, b, c] = triples[f];
            let [a, b, c] = [units[a as usize], units[b as usize], units[c as usize]];
            let weights = inverse(a, b, c);
            faces[f] = Face { directions: triples[f], weights };
            // The vector whose dot product with all three is 1; scaled to length 1 it is the farthest from all three.
            let normal = [
                weights[0][0] + weights[1][0] + weights[2][0],
                weights[0][1] + weights[1][1] + weights[2][1],
                weights[0][2] + weights[1][2] + weights[2][2],
            ];
            let cosine = 1.0 / square_root(dot(normal, normal));
            aperture = if cosine < aperture { cosine } else { aperture };
            f += 1;
        }
        Self {
            slabs,
            units,
            half: axes,
            mirrored: mirror_images(&units, 2 * slabs),
            faces,
            face_count: triples.len(),
            aperture,
            aperture_sine: square_root(1.0 - aperture * aperture),
            ring_tangents: ring_tangents(aperture),
        }
    }
}

/// The cosine of the largest angle in a ring.
pub const fn ring_cosine(aperture: f64, ring: usize) -> f64 {
    1.0 - ring as f64 * ((1.0 - aperture) / (REGIONS - 1) as f64)
}

const fn ring_tangents(aperture: f64) -> [f32; REGIONS] {
    let mut tangents = [0.0; REGIONS];
    let mut ring = 1;
    while ring < REGIONS {
        let cosine = ring_cosine(aperture, ring);
        tangents[ring] = ((square_root(1.0 - cosine * cosine) / cosine) as f32).next_up();
        ring += 1;
    }
    tangents
}

/// The index of each direction's image, for each set of mirrored axes.
const fn mirror_images(units: &[[f64; 3]; MAX_DIRECTIONS], count: usize) -> [[u8; IMAGES]; 8] {
    let mut images = [[0; IMAGES]; 8];
    let mut signs = 0;
    while signs < 8 {
        let mut i = 0;
        while i < count {
            let [x, y, z] = units[i];
            let image = [
                if signs & 1 == 0 { x } else { -x },
                if signs & 2 == 0 { y } else { -y },
                if signs & 4 == 0 { z } else { -z },
            ];
            let mut j = 0;
            while j < count {
                let [x, y, z] = units[j];
                if image[0] == x && image[1] == y && image[2] == z {
                    images[signs][i] = j as u8;
                }
                j += 1;
            }
            i += 1;
        }
        signs += 1;
    }
    images
}

/// The inverse of the matrix with these columns.
const fn inverse(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [[f64; 3]; 3] {
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let scale = 1.0 / dot(a, rows[0]);
    [scaled(rows[0], scale), scaled(rows[1], scale), scaled(rows[2], scale)]
}

const fn scaled(a: [f64; 3], by: f64) -> [f64; 3] {
    [a[0] * by, a[1] * by, a[2] * by]
}

const fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

const fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// By Newton's method, for numbers from 0 to 32; `core` has no square root in constants.
const fn square_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut root = 8.0;
    let mut step = 0;
    while step < 64 {
        root = 0.5 * (root + x / root);
        step += 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fünzig and Fellner, "Easy realignment of k-DOP bounding volumes", 2003, table 1, whose 0.787539 for the 12-DOP
    /// is a misprint.
    #[test]
    fn apertures_are_the_papers() {
        let printed =
            [(6, 0.57735), (12, 0.794654), (14, 0.806898), (18, 0.816497), (26, 0.886452), (42, 0.934172)];
        for (k, aperture) in printed {
            let found = Directions::of(k).expect("there is such a set").aperture;
            assert!((found - aperture).abs() < 1e-6, "{k}: {found}");
        }
        assert!(Directions::COUNTS.iter().all(|k| Directions::of(*k).is_some()));
        assert!(Directions::of(8).is_none());
    }

    #[test]
    fn directions_are_units_with_opposites_and_mirror_images() {
        for set in &SETS {
            for (i, unit) in set.units().iter().enumerate() {
                assert!((dot(*unit, *unit) - 1.0).abs() < 4.0 * f64::EPSILON);
                assert!(set.units()[set.opposite(i)].iter().zip(unit).all(|(a, b)| *a == -b));
                for signs in 0..8 {
                    let image = set.units()[usize::from(set.images(signs)[i])];
                    for axis in 0..3 {
                        let wanted = if signs >> axis & 1 == 0 { unit[axis] } else { -unit[axis] };
                        assert!(image[axis] == wanted);
                    }
                }
            }
        }
    }

    /// Checks a grid of vectors of the octant: a face contains each, the face's directions are among the nearest, and
    /// none is farther than the aperture.
    #[test]
    fn faces_cover_the_octant() {
        const STEPS: i32 = 24;
        for set in &SETS {
            let mut farthest = 1.0f64;
            for (x, y, z) in
                (0..=STEPS).flat_map(|x| (0..=STEPS).flat_map(move |y| (0..=STEPS).map(move |z| (x, y, z))))
            {
                let vector = [f64::from(x), f64::from(y), f64::from(z)];
                let length = square_root(dot(vector, vector) / f64::from(3 * STEPS * STEPS));
                if length == 0.0 {
                    continue;
                }
                let vector = scaled(vector, 1.0 / (length * square_root(f64::from(3 * STEPS * STEPS))));
                let least = |face: &Face| {
                    face.weights.iter().map(|row| dot(*row, vector)).fold(f64::INFINITY, f64::min)
                };
                assert!(set.faces().iter().any(|face| least(face) > -1e-12), "{vector:?}");
                let nearest = set.units().iter().map(|unit| dot(*unit, vector)).fold(0.0, f64::max);
                farthest = farthest.min(nearest);
            }
            assert!(farthest >= set.aperture - 1e-12 && farthest < set.aperture + 0.02);
        }
    }

    #[test]
    fn weights_lead_back() {
        for set in &SETS {
            for face in set.faces() {
                let units = face.directions.map(|direction| set.units()[direction as usize]);
                for (row, weights) in face.weights.iter().enumerate() {
                    for (column, unit) in units.iter().enumerate() {
                        let wanted = if row == column { 1.0 } else { 0.0 };
                        assert!((dot(*weights, *unit) - wanted).abs() < 1e-14);
                    }
                }
            }
        }
    }
}
