//! The order in which rays visit the children of a node.

use bvhc_format::record::NODE_WIDTH;

/// The octants that are sorted: the opposite ones have the reverse of their orders.
const OCTANTS: usize = 4;

/// The bits of a key that are its slot instead.
const SLOT_BITS: u32 = NODE_WIDTH as u32 - 1;

/// What a comparison of keys exchanges, Batcher's odd-even merge sort of sixteen: Knuth, "The Art of Computer Programming",
/// volume 3, 5.2.2, algorithm M.
const NETWORK: [(u8, u8); 63] = {
    let mut network = [(0, 0); 63];
    let mut count = 0;
    let mut merged = 1;
    while merged < NODE_WIDTH {
        let mut distance = merged;
        while distance > 0 {
            let mut start = distance % merged;
            while start + distance < NODE_WIDTH {
                let mut slot = start;
                while slot < start + distance && slot + distance < NODE_WIDTH {
                    if slot / (2 * merged) == (slot + distance) / (2 * merged) {
                        network[count] = (slot as u8, (slot + distance) as u8);
                        count += 1;
                    }
                    slot += 1;
                }
                start += 2 * distance;
            }
            distance /= 2;
        }
        merged *= 2;
    }
    assert!(count == network.len());
    network
};

/// The order words of a node: its slots by their centres along each octant's diagonal, as the compiler orders them, up to 2^-19
/// of the centre. The place of empty slots has no meaning, as no ray hits them.
pub(super) fn visiting_order(planes: &[[f32; NODE_WIDTH]; 6]) -> [u32; NODE_WIDTH] {
    let mut keys = [[0.0f32; OCTANTS]; NODE_WIDTH];
    for (slot, keys) in keys.iter_mut().enumerate() {
        let [x, y, z] = [0, 2, 4].map(|plane: usize| planes[plane][slot] + planes[plane + 1][slot]);
        for (key, sum) in keys.iter_mut().zip([z + x + y, z - x + y, z + x - y, z - x - y]) {
            *key = f32::from_bits(sum.to_bits() & !SLOT_BITS | slot as u32);
        }
    }
    for (a, b) in NETWORK {
        let (a, b) = (usize::from(a), usize::from(b));
        let (ones, others) = (keys[a], keys[b]);
        for (octant, (one, other)) in ones.into_iter().zip(others).enumerate() {
            keys[a][octant] = if one < other { one } else { other };
            keys[b][octant] = if one < other { other } else { one };
        }
    }
    let mut words = [0; NODE_WIDTH];
    for (rank, keys) in keys.iter().enumerate() {
        for (octant, key) in keys.iter().enumerate() {
            let slot = key.to_bits() & SLOT_BITS;
            words[rank] |= slot << (4 * octant);
            words[NODE_WIDTH - 1 - rank] |= slot << (4 * (7 - octant));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations_by_the_centres() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        for case in 0..1000 {
            let mut planes = [[0.0; NODE_WIDTH]; 6];
            for slot in 0..NODE_WIDTH {
                for plane in &mut planes {
                    plane[slot] = match case % 4 {
                        0 => random(),
                        1 => 2.0f32.powi(60) * random(),
                        2 => (2.0 * random()).round(),
                        _ => 0.0,
                    };
                }
            }
            let words = visiting_order(&planes);
            for octant in 0..8 {
                let slots = words.map(|word| (word >> (4 * octant) & SLOT_BITS) as usize);
                assert_eq!(slots.iter().fold(0, |all, slot| all | 1 << slot), 0xFFFF, "{slots:?}");
                let along = |slot: usize, signs: u32| -> f64 {
                    (0..3)
                        .map(|axis| {
                            let sum =
                                f64::from(planes[2 * axis][slot]) + f64::from(planes[2 * axis + 1][slot]);
                            if signs >> axis & 1 == 0 { sum } else { -sum }
                        })
                        .sum()
                };
                let most = slots.iter().map(|slot| along(*slot, octant).abs()).fold(0.0, f64::max);
                let largest = planes.iter().flatten().fold(0.0, |most, x| f64::max(most, f64::from(x.abs())));
                for pair in slots.windows(2) {
                    let error = 2.0f64.powi(-19) * most + 2.0f64.powi(-20) * largest;
                    assert!(along(pair[0], octant) <= along(pair[1], octant) + error);
                }
            }
        }
    }
}
