//! Convex hulls of any points in space. All decisions are exact, so the result is right for every input.
//!
//! Based on: Barber, Dobkin, Huhdanpaa, "The quickhull algorithm for convex hulls", 1996, with the predicates of
//! Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997. Departures:
//! faces are triangles, and a point in the plane of a face does not see it. What a point sees strictly is a disc, so
//! no new face is flat; faces may lie in one plane, and a vertex of the result may lie within an edge or a facet
//! (it is a superset of the extreme points). A point that saw a removed face and is still outside sees a new face: the
//! plane of the new face at a horizon edge is between the planes of the two faces that met there.
//!
//! parry3d's hull is not used: it scales and merges by tolerances, and panics on some flat sets (parry issue 49).

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::math::vector::{Vector, cross, dot, length_squared, subtract};

const NONE: u32 = u32::MAX;

/// The dimension of the hull of a set of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All points are this one.
    Point(usize),
    /// All points are on the line of these two, exactly.
    Line([usize; 2]),
    /// All points are in the plane of these three, exactly.
    Plane([usize; 3]),
    /// The faces, edges and vertices are those of the hull.
    Solid,
}

/// A triangle of the hull; its corners are counter-clockwise from outside.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    /// The faces across the edges from each corner to the next.
    across: [u32; 3],
    /// The list of points that see this face, linked by `Hull::next`.
    outside: u32,
    /// The one of them that is farthest, and how far that is times twice the face's area.
    farthest: (u32, f64),
    is_alive: bool,
}

/// An edge between the last face that a new vertex sees and the first that it does not.
#[derive(Clone, Copy, Debug)]
struct Ridge {
    from: u32,
    to: u32,
    /// The face that stays.
    face: u32,
}

/// An edge of the hull between two faces that are not in one plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The corners of the face to the left, from outside; the edge goes from the first to the second.
    pub(super) left: [u32; 3],
    /// The corner of the face to the right that is not on the edge.
    pub(super) right: u32,
}

/// A hull, and reused memory for the next one.
#[derive(Debug, Default)]
pub(super) struct Hull {
    points: Vec<Vector>,
    faces: Vec<Face>,
    next: Vec<u32>,
    pending: Vec<u32>,
    visible: Vec<u32>,
    ridges: Vec<Ridge>,
    /// For each point, the new face whose first corner it is.
    face_from: Vec<u32>,
    vertices: Vec<u32>,
}

impl Hull {
    /// Makes this the hull of at least one point. Its vertices are then known, for any shape.
    pub(super) fn build(&mut self, points: &[[f32; 3]]) -> Shape {
        self.points.clear();
        self.points.extend(points.iter().map(|point| point.map(f64::from)));
        self.faces.clear();
        let shape = self.start();
        self.vertices.clear();
        if let Shape::Solid = shape {
            self.grow();
            self.collect_vertices();
        } else {
            self.vertices.extend(0..points.len() as u32);
        }
        shape
    }

    /// Every extreme point, by index, ascending; of a flat set, all points.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// All points, by index.
    pub(super) fn points(&self) -> &[Vector] {
        &self.points
    }

    /// The positions of all points.
    pub(super) fn corners(&self) -> impl ExactSizeIterator<Item = Vector> + Clone {
        self.vertices.iter().map(|vertex| self.points[*vertex as usize])
    }

    /// The corners of the faces, counter-clockwise from outside.
    pub(super) fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.faces.iter().filter(|face| face.is_alive).map(|face| face.corners)
    }

    /// The faces, each with its number, its corners, and the numbers of those across the edges from each corner to the next.
    /// Numbers are less than [`Self::face_limit`].
    pub(super) fn faces(&self) -> impl Iterator<Item = (u32, [u32; 3], [u32; 3])> {
        let alive = (0u32..).zip(&self.faces).filter(|(_, face)| face.is_alive);
        alive.map(|(number, face)| (number, face.corners, face.across))
    }

    /// What the numbers of faces are less than.
    pub(super) fn face_limit(&self) -> usize {
        self.faces.len()
    }

    /// The edges between faces that are not in one plane.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let alive = (0u32..).zip(&self.faces).filter(|(_, face)| face.is_alive);
        let edges = alive.flat_map(|(index, face)| (0..3).map(move |side| (index, face, side)));
        edges.filter(|(index, face, side)| *index < face.across[*side]).filter_map(|(_, face, side)| {
            let left = [0, 1, 2].map(|i| face.corners[(side + i) % 3]);
            let across = self.faces[face.across[side] as usize].corners;
            let right = across.into_iter().find(|corner| *corner != left[0] && *corner != left[1])?;
            (self.height(left, right) != 0.0).then_some(Edge { left, right })
        })
    }

    /// Two axes that the plane of three points, not on one line, can be projected on: no two of its points are one there.
    pub(super) fn axes_of_plane(&self, base: [usize; 3]) -> [usize; 2] {
        bent_axes(base.map(|point| self.points[point])).expect("the points are not on one line")
    }

    /// How far a point is above a triangle, times twice its area: the sign is exact.
    fn height(&self, [a, b, c]: [u32; 3], point: u32) -> f64 {
        let [a, b, c, d] = [a, b, c, point].map(|index| {
            let [x, y, z] = self.points[index as usize];
            Coord3D { x, y, z }
        });
        -orient3d(a, b, c, d)
    }

    /// Finds the shape, and makes the first four faces if it is solid.
    fn start(&mut self) -> Shape {
        let points = &self.points;
        let first = (1..points.len()).fold(0, |a, b| if points[b] < points[a] { b } else { a });
        let from = |index: usize| subtract(points[index], points[first]);
        let second = self.farthest(|i| length_squared(from(i)), |i| points[i] != points[first]);
        let Some(second) = second else {
            return Shape::Point(first);
        };
        let along = from(second);
        let third = self.farthest(
            |i| length_squared(cross(along, from(i))),
            |i| !is_line([points[first], points[second], points[i]]),
        );
        let Some(third) = third else {
            return Shape::Line([first, second]);
        };
        let normal = cross(along, from(third));
        let base = [first, second, third].map(|index| index as u32);
        let fourth = self.farthest(|i| dot(normal, from(i)).abs(), |i| self.height(base, i as u32) != 0.0);
        let Some(fourth) = fourth else {
            return Shape::Plane([first, second, third]);
        };
        self.add_tetrahedron(base, fourth as u32);
        Shape::Solid
    }

    /// Of the points for which `is_apart` holds, one that is far by a rounded measure; the first of equals.
    fn farthest(&self, far: impl Fn(usize) -> f64, is_apart: impl Fn(usize) -> bool) -> Option<usize> {
        let all = 0..self.points.len();
        let (best, _) = all.clone().fold((0, 0.0), |best, index| {
            let distance = far(index);
            if distance > best.1 { (index, distance) } else { best }
        });
        if is_apart(best) { Some(best) } else { all.into_iter().find(|index| is_apart(*index)) }
    }

    fn add_tetrahedron(&mut self, base: [u32; 3], top: u32) {
        // The base must face away from the top.
        let [a, b, c] = if self.height(base, top) > 0.0 { [base[0], base[2], base[1]] } else { base };
        self.add_face([a, b, c], [1, 2, 3]);
        self.add_face([b, a, top], [0, 3, 2]);
        self.add_face([c, b, top], [0, 1, 3]);
        self.add_face([a, c, top], [0, 2, 1]);
        self.next.clear();
        self.next.resize(self.points.len(), NONE);
        self.face_from.clear();
        self.face_from.resize(self.points.len(), NONE);
        // A corner sees no face, and predicates take longest to say so.
        for point in (0..self.points.len() as u32).filter(|point| ![a, b, c, top].contains(point)) {
            self.assign(point, 0);
        }
        self.pending.clear();
        self.pending.extend(0..4);
    }

    fn add_face(&mut self, corners: [u32; 3], across: [u32; 3]) {
        self.faces.push(Face { corners, across, outside: NONE, farthest: (NONE, 0.0), is_alive: true });
    }

    /// Lists a point at the first of the faces from `first_face` on that it sees, if there is one.
    fn assign(&mut self, point: u32, first_face: usize) {
        for index in first_face..self.faces.len() {
            let height = self.height(self.faces[index].corners, point);
            if height > 0.0 {
                let face = &mut self.faces[index];
                self.next[point as usize] = face.outside;
                face.outside = point;
                if height > face.farthest.1 {
                    face.farthest = (point, height);
                }
                return;
            }
        }
    }

    /// Adds the farthest point of a face until no face is seen by any.
    fn grow(&mut self) {
        while let Some(index) = self.pending.pop() {
            let face = self.faces[index as usize];
            if face.is_alive && face.outside != NONE {
                self.add_vertex(face.farthest.0, index);
            }
        }
    }

    fn add_vertex(&mut self, vertex: u32, seen: u32) {
        self.find_visible(vertex, seen);
        let first_new = self.faces.len();
        for index in 0..self.ridges.len() {
            let Ridge { from, to, face } = self.ridges[index];
            let new = self.faces.len() as u32;
            self.face_from[from as usize] = new;
            self.add_face([from, to, vertex], [face, NONE, NONE]);
            let outer = &mut self.faces[face as usize];
            let side = (0..3).find(|side| outer.corners[*side] == to).expect("a ridge is shared");
            outer.across[side] = new;
        }
        for new in first_new..self.faces.len() {
            let following = self.face_from[self.faces[new].corners[1] as usize];
            self.faces[new].across[1] = following;
            self.faces[following as usize].across[2] = new as u32;
        }
        self.reassign(vertex, first_new);
        self.pending.extend(first_new as u32..self.faces.len() as u32);
    }

    /// Removes the faces that a point sees, of which one is given, and lists their horizon.
    fn find_visible(&mut self, point: u32, seen: u32) {
        self.visible.clear();
        self.ridges.clear();
        self.visible.push(seen);
        self.faces[seen as usize].is_alive = false;
        let mut done = 0;
        while done < self.visible.len() {
            let Face { corners, across, .. } = self.faces[self.visible[done] as usize];
            done += 1;
            for side in 0..3 {
                let neighbour = across[side];
                let Face { corners: other, is_alive, .. } = self.faces[neighbour as usize];
                if !is_alive {
                    continue;
                }
                if self.height(other, point) > 0.0 {
                    self.faces[neighbour as usize].is_alive = false;
                    self.visible.push(neighbour);
                } else {
                    let (from, to) = (corners[side], corners[(side + 1) % 3]);
                    self.ridges.push(Ridge { from, to, face: neighbour });
                }
            }
        }
    }

    /// Moves the points that saw the removed faces to the new ones.
    fn reassign(&mut self, vertex: u32, first_new: usize) {
        for index in 0..self.visible.len() {
            let mut point = self.faces[self.visible[index] as usize].outside;
            while point != NONE {
                let next = self.next[point as usize];
                if point != vertex {
                    self.assign(point, first_new);
                }
                point = next;
            }
        }
    }

    fn collect_vertices(&mut self) {
        // Reused as a mark: 0 where a point is a vertex.
        self.face_from.fill(NONE);
        for face in self.faces.iter().filter(|face| face.is_alive) {
            for corner in face.corners {
                self.face_from[corner as usize] = 0;
            }
        }
        let marked = (0u32..).zip(&self.face_from).filter(|(_, mark)| **mark == 0);
        self.vertices.extend(marked.map(|(point, _)| point));
    }
}

/// Whether three points are on one line, exactly: their projections are, along each axis.
fn is_line(points: [Vector; 3]) -> bool {
    bent_axes(points).is_none()
}

/// Two axes on which the projections of three points are not on one line, exactly, if there are such.
fn bent_axes(points: [Vector; 3]) -> Option<[usize; 2]> {
    [[0, 1], [1, 2], [2, 0]].into_iter().find(|[i, j]| {
        let [a, b, c] = points.map(|point| Coord { x: point[*i], y: point[*j] });
        orient2d(a, b, c) != 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::tests::sets;

    /// Closed, of one piece by Euler's formula, and with no point outside, all exactly.
    fn check(hull: &Hull, name: &str) {
        let faces: Vec<_> = hull.triangles().collect();
        let mut sides: Vec<_> = faces.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]).collect();
        assert_eq!(hull.vertices().len() + faces.len(), 2 + sides.len() / 2, "{name}");
        let mut reversed: Vec<_> = sides.iter().map(|(a, b)| (*b, *a)).collect();
        sides.sort_unstable();
        reversed.sort_unstable();
        assert_eq!(sides, reversed, "{name}");
        for face in faces {
            assert!(!is_line(face.map(|corner| hull.points[corner as usize])), "{name}");
            for point in 0..hull.points.len() as u32 {
                assert!(hull.height(face, point) <= 0.0, "{name}");
            }
        }
    }

    #[test]
    fn hulls_of_any_sets_are_closed_and_hold_every_point() {
        let mut hull = Hull::default();
        for set in sets(400) {
            if hull.build(&set.points) == Shape::Solid {
                check(&hull, set.name);
            }
        }
    }

    #[test]
    fn shapes_are_told_exactly() {
        let mut hull = Hull::default();
        let ulp = f32::EPSILON;
        assert_eq!(hull.build(&[[1.0; 3]; 5]), Shape::Point(0));
        assert_eq!(hull.build(&[[3.0; 3], [1.0; 3], [1.5; 3]]), Shape::Line([1, 0]));
        let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert!(matches!(hull.build(&triangle), Shape::Plane(_)));
        assert!(matches!(hull.build(&[[0.0; 3], [1.0; 3], [3.0, 3.0, 3.0 + ulp * 2.0]]), Shape::Plane(_)));
        let bent = [triangle[0], triangle[1], triangle[2], [1.0, 1.0, f32::from_bits(1)]];
        assert_eq!(hull.build(&bent), Shape::Solid);
    }

    #[test]
    fn a_grid_on_a_cube_has_twelve_edges() {
        let steps = || (0..=4).map(|i| i as f32);
        let grid: Vec<_> =
            steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| [x, y, z]))).collect();
        let mut hull = Hull::default();
        assert_eq!(hull.build(&grid), Shape::Solid);
        check(&hull, "grid");
        // An edge may be in pieces.
        let mut directions: Vec<_> = hull.edges().map(|edge| [edge.left[0], edge.left[1]]).collect();
        directions.retain(|ends| ends.iter().any(|end| grid[*end as usize].iter().all(|x| *x % 4.0 == 0.0)));
        assert!((12..=24).contains(&directions.len()), "{}", directions.len());
    }
}
