//! Closed spikes with tips much smaller than their feet; in a small layout the tips become flat.

use super::Parts;
use crate::random::Random;
use bvhc::mesh::Mesh;

/// Closed spikes of 8 triangles each: a foot of about 1, a tip of 10^-5 to 10^-3. They may intersect.
pub fn tips(count: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut parts = Parts::default();
    for _ in 0..count {
        let foot = random.point([-2.0; 3], [2.0; 3]);
        let size = 10f32.powi(-random.integer(3, 5));
        spike(&mut parts, foot, size);
    }
    parts.finish()
}

/// One spike, upward from the origin, with a tip of this size.
pub fn tip(size: f32) -> Mesh {
    let mut parts = Parts::default();
    spike(&mut parts, [0.0; 3], size);
    parts.finish()
}

fn spike(parts: &mut Parts, [x, y, z]: [f32; 3], size: f32) {
    const RING: [[f32; 2]; 3] = [[1.0, 0.0], [-0.4, 0.9], [-0.6, -0.7]];
    let mut ring = |scale: f32, height: f32| {
        RING.map(|[u, v]| parts.vertex([x + 0.5 * scale * u, y + 0.5 * scale * v, z + height]))
    };
    let (foot, tip) = (ring(1.0, 0.0), ring(size, 1.0));
    parts.triangles.push([foot[0], foot[2], foot[1]]);
    parts.triangles.push(tip);
    for k in 0..3 {
        parts.quad([foot[k], foot[(k + 1) % 3], tip[(k + 1) % 3], tip[k]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::{is_closed, volume};

    #[test]
    fn spikes_are_closed() {
        let mesh = tips(9, 1);
        assert_eq!(mesh.triangles.len(), 72);
        assert!(is_closed(&mesh) && volume(&mesh) > 0.0);
    }
}
