//! Numbers positions: bitwise equal positions get the same number.

use rayon::slice::ParallelSliceMut;

/// Which of the positions used by triangles are bitwise equal.
#[derive(Clone, Debug)]
pub struct Weld {
    /// The number of each vertex's position; 0 for unused vertices.
    pub numbers: Vec<u32>,
    /// The lowest vertex at each position.
    pub firsts: Vec<u32>,
    /// How many distinct positions triangles use.
    pub count: u32,
}

/// Numbers the positions in an order that depends only on the positions. Cost: one sort.
pub fn weld(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Weld {
    let mut used = vec![false; positions.len()];
    for vertex in triangles.iter().flatten() {
        used[*vertex as usize] = true;
    }
    // The vertex is the lower quarter.
    let key = |(vertex, position): (u32, &[f32; 3])| {
        let bits = position.iter().fold(0, |bits, x| bits << 32 | u128::from(x.to_bits()));
        bits << 32 | u128::from(vertex)
    };
    let of_vertices = (0..).zip(positions).filter(|(vertex, _)| used[*vertex as usize]);
    let mut keys: Vec<u128> = of_vertices.map(key).collect();
    keys.par_sort_unstable();
    let mut numbers = vec![0; positions.len()];
    let mut firsts = Vec::with_capacity(keys.len());
    for run in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        for key in run {
            numbers[*key as u32 as usize] = firsts.len() as u32;
        }
        firsts.push(run[0] as u32);
    }
    let count = firsts.len() as u32;
    Weld { numbers, firsts, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_share_a_number() {
        let positions = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0; 3]];
        let welded = weld(&positions, &[[0, 1, 2]]);
        assert_eq!(welded.count, 2, "the fourth is not used");
        assert_eq!(welded.firsts, [1, 0]);
        assert_eq!(welded.numbers[0], welded.numbers[2]);
        assert_ne!(welded.numbers[0], welded.numbers[1]);
    }
}
