//! Numbers positions: bitwise equal positions get the same number.

use rayon::slice::ParallelSliceMut;

/// Which of the positions used by triangles are bitwise equal.
#[derive(Clone, Debug)]
pub struct Weld {
    /// The number of each vertex's position; 0 for unused vertices.
    pub numbers: Vec<u32>,
    /// How many distinct positions triangles use.
    pub count: u32,
}

/// Numbers the positions in an order that depends only on the positions. Cost: one sort.
pub fn weld(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Weld {
    let bits = |vertex: u32| positions[vertex as usize].map(f32::to_bits);
    let mut used = vec![false; positions.len()];
    for vertex in triangles.iter().flatten() {
        used[*vertex as usize] = true;
    }
    let mut order: Vec<u32> = (0..positions.len() as u32).filter(|v| used[*v as usize]).collect();
    order.par_sort_unstable_by_key(|vertex| (bits(*vertex), *vertex));
    let mut numbers = vec![0; positions.len()];
    let mut count = 0;
    for run in order.chunk_by(|a, b| bits(*a) == bits(*b)) {
        for vertex in run {
            numbers[*vertex as usize] = count;
        }
        count += 1;
    }
    Weld { numbers, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_share_a_number() {
        let positions = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0; 3]];
        let welded = weld(&positions, &[[0, 1, 2]]);
        assert_eq!(welded.count, 2, "the fourth is not used");
        assert_eq!(welded.numbers[0], welded.numbers[2]);
        assert_ne!(welded.numbers[0], welded.numbers[1]);
    }
}
