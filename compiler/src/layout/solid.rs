//! Section solid: how triangles share their edges, and the edges that they leave over.

use bvhc_format::solid::{BoundaryEdges, EDGE_LANES};
use rayon::slice::ParallelSliceMut;

use super::weld::Weld;
use crate::mesh::Mesh;

/// The contents of section solid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidRecords {
    /// How many edges there are of each kind.
    pub counts: EdgeCounts,
    /// The boundary.
    pub boundary: Vec<BoundaryEdges>,
}

/// How many edges of each kind a mesh has. Vertices at equal positions are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// All edges, each counted once.
    pub edges: u64,
    /// Edges of a single triangle.
    pub open: u64,
    /// Edges of two triangles that go along it in the same direction.
    pub flipped: u64,
    /// Edges of more than two triangles.
    pub branching: u64,
    /// Edges of the boundary: one for each triangle that goes along an edge in one direction more than go in the other.
    pub boundary: u64,
}

impl EdgeCounts {
    /// Whether as many triangles go along each edge in one direction as in the other, so that winding numbers are exact.
    pub fn is_closed(&self) -> bool {
        self.boundary == 0
    }

    /// Counts an edge by how many triangles go along it in each direction, and returns the difference.
    fn add(&mut self, [forward, backward]: [u64; 2]) -> u64 {
        let difference = forward.abs_diff(backward);
        self.edges += 1;
        self.open += u64::from(forward + backward == 1);
        self.flipped += u64::from(forward + backward == 2 && difference == 2);
        self.branching += u64::from(forward + backward > 2);
        self.boundary += difference;
        difference
    }
}

/// Finds the boundary of a mesh. Edges without length, as small layouts may have, do not count.
///
/// Edges ascend by the number of their lower end's position, then of the other. Cost: a few passes over the triangles.
pub fn lay_out_solid(mesh: &Mesh, weld: &Weld) -> SolidRecords {
    // Positions go by the first vertex at each: triangles that are near each other in a file mostly have vertices that are, too,
    // whereas their positions' numbers are anywhere.
    let ends: Vec<u32> = weld.numbers.iter().map(|number| weld.firsts[*number as usize]).collect();
    let halves = HalfEdges::of(mesh, &ends);
    let mut counts = EdgeCounts::default();
    let mut edges = Vec::new();
    for low in 0..ends.len() as u32 {
        for run in halves.of_lower_end(low).chunk_by(|a, b| a >> 1 == b >> 1) {
            let forward = run.iter().filter(|half| *half & 1 == 0).count() as u64;
            let backward = run.len() as u64 - forward;
            let high = (run[0] >> 1) as u32;
            let edge = if forward > backward { [low, high] } else { [high, low] };
            edges.extend((0..counts.add([forward, backward])).map(|_| edge));
        }
    }
    edges.par_sort_by_cached_key(|edge| {
        let [from, to] = edge.map(|vertex| weld.numbers[vertex as usize]);
        [from.min(to), from.max(to)]
    });
    let mut boundary = Boundary::default();
    for edge in edges {
        boundary.push(edge.map(|vertex| mesh.positions[vertex as usize]));
    }
    SolidRecords { counts, boundary: boundary.records }
}

/// The directed edges of all triangles, by their lower ends.
struct HalfEdges {
    /// Where those of each lower end begin, and where the last ones end.
    starts: Vec<u32>,
    /// Twice the number of the higher end, plus 1 if the edge goes to the lower end.
    halves: Vec<u64>,
}

impl HalfEdges {
    /// A counting sort by the lower end, then a sort of each end's few edges. `ends` has the number of each vertex.
    fn of(mesh: &Mesh, ends: &[u32]) -> Self {
        let mut starts = vec![0u32; ends.len() + 1];
        edges(mesh, ends).for_each(|[a, b]| starts[a.min(b) as usize + 1] += 1);
        for end in 1..starts.len() {
            starts[end] += starts[end - 1];
        }
        let mut halves = vec![0; starts[ends.len()] as usize];
        let mut next = starts.clone();
        edges(mesh, ends).for_each(|[a, b]| {
            let slot = &mut next[a.min(b) as usize];
            halves[*slot as usize] = u64::from(a.max(b)) << 1 | u64::from(a > b);
            *slot += 1;
        });
        for end in 0..ends.len() {
            sort(&mut halves[starts[end] as usize..starts[end + 1] as usize]);
        }
        Self { starts, halves }
    }

    fn of_lower_end(&self, end: u32) -> &[u64] {
        &self.halves[self.starts[end as usize] as usize..self.starts[end as usize + 1] as usize]
    }
}

/// Edges of one end are sorted by insertion if they are at most this many: most are half a dozen, too few for anything else.
const FEW: usize = 16;

#[inline]
fn sort(halves: &mut [u64]) {
    if halves.len() > FEW {
        return halves.sort_unstable();
    }
    for end in 1..halves.len() {
        let half = halves[end];
        let mut at = end;
        while at > 0 && half < halves[at - 1] {
            halves[at] = halves[at - 1];
            at -= 1;
        }
        halves[at] = half;
    }
}

/// The directed edges of all triangles that have a length, by the numbers of their ends.
fn edges(mesh: &Mesh, ends: &[u32]) -> impl Iterator<Item = [u32; 2]> {
    let of_triangle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| ends[vertex as usize]);
        [[a, b], [b, c], [c, a]]
    };
    mesh.triangles.iter().flat_map(of_triangle).filter(|[a, b]| a != b)
}

/// Records that are being filled.
#[derive(Default)]
struct Boundary {
    records: Vec<BoundaryEdges>,
    /// How many lanes of the last one are in use; a full one counts as none.
    used: usize,
}

impl Boundary {
    fn push(&mut self, [from, to]: [[f32; 3]; 2]) {
        if self.used == 0 {
            let all = from.map(|x| [x; EDGE_LANES]);
            self.records.push(BoundaryEdges { from: all, to: all });
        }
        let Some(record) = self.records.last_mut() else { return };
        for axis in 0..3 {
            record.from[axis][self.used] = from[axis];
            record.to[axis][self.used] = to[axis];
        }
        self.used = (self.used + 1) % EDGE_LANES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::weld::weld;

    const CORNERS: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn solid(triangles: &[[u32; 3]]) -> SolidRecords {
        let mesh = Mesh { positions: CORNERS.to_vec(), triangles: triangles.to_vec(), ..Mesh::default() };
        lay_out_solid(&mesh, &weld(&mesh.positions, &mesh.triangles))
    }

    #[test]
    fn a_tetrahedron_has_no_boundary() {
        let solid = solid(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
        assert_eq!(solid.counts, EdgeCounts { edges: 6, ..EdgeCounts::default() });
        assert!(solid.counts.is_closed() && solid.boundary.is_empty());
    }

    #[test]
    fn an_open_one_has_the_edges_of_the_missing_triangle_reversed() {
        let solid = solid(&[[0, 2, 1], [0, 1, 3], [1, 2, 3]]);
        assert_eq!(solid.counts, EdgeCounts { edges: 6, open: 3, boundary: 3, ..EdgeCounts::default() });
        let [record] = solid.boundary.as_slice() else { panic!("one record") };
        let vertex = |of: &[[f32; 8]; 3], lane: usize| of.map(|axis| axis[lane]);
        let edges = [0, 1, 2].map(|lane| [vertex(&record.from, lane), vertex(&record.to, lane)]);
        for edge in [[0, 2], [2, 3], [3, 0]].map(|ends| ends.map(|end: usize| CORNERS[end])) {
            assert!(!edges.contains(&[edge[0], edge[1]]) || edges.contains(&edge));
            assert!(edges.contains(&[edge[0], edge[1]]) || edges.contains(&[edge[1], edge[0]]));
        }
        assert_eq!(record.from.map(|axis| axis[7]), record.to.map(|axis| axis[7]));
    }

    #[test]
    fn flipped_and_doubled_triangles_are_counted() {
        let counts = solid(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 2, 3]]).counts;
        assert_eq!(counts, EdgeCounts { edges: 6, flipped: 3, boundary: 6, ..EdgeCounts::default() });
        let counts = solid(&[[0, 1, 2], [0, 1, 2], [2, 1, 0]]).counts;
        assert_eq!(counts, EdgeCounts { edges: 3, branching: 3, boundary: 3, ..EdgeCounts::default() });
        let counts = solid(&[[0, 1, 2], [2, 1, 0]]).counts;
        assert_eq!(counts, EdgeCounts { edges: 3, ..EdgeCounts::default() });
    }
}
