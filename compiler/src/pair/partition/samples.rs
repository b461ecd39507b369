//! The triangles of a set that are looked at before it is split.

use crate::math::vector::Vector;

use super::bounds::Bounds;

/// How many places a loop takes at once; compilers make vectors of it.
const LANES: usize = 8;

/// Triangles in the frame of their set's box.
#[derive(Debug, Default)]
pub(super) struct Samples {
    pub(super) bounds: Vec<Bounds>,
    /// Three times the centres, in space, one list a coordinate.
    centres: [Vec<f64>; 3],
}

impl Samples {
    pub(super) fn clear(&mut self) {
        self.bounds.clear();
        self.centres.iter_mut().for_each(Vec::clear);
    }

    /// Adds a triangle, given three times its centre.
    #[inline(always)]
    pub(super) fn push(&mut self, bounds: Bounds, centre: Vector) {
        self.bounds.push(bounds);
        for (list, x) in self.centres.iter_mut().zip(centre) {
            list.push(x);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Three times the centres.
    pub(super) fn centres(&self) -> impl Iterator<Item = Vector> + Clone {
        let [x, y, z] = &self.centres;
        x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z])
    }

    /// Lists the places of three times the centres along a direction, and returns the least and the greatest.
    #[inline(always)]
    pub(super) fn project(&self, direction: Vector, places: &mut Vec<f64>) -> [f64; 2] {
        let [x, y, z] = &self.centres;
        places.resize(self.len(), 0.0);
        for (place, ((x, y), z)) in places.iter_mut().zip(x.iter().zip(y).zip(z)) {
            *place = direction[0] * x + direction[1] * y + direction[2] * z;
        }
        range(places)
    }
}

/// The least and the greatest of some numbers.
#[inline(always)]
fn range(numbers: &[f64]) -> [f64; 2] {
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut last = [rest.first().copied().unwrap_or(f64::NAN); LANES];
    last[..rest.len()].copy_from_slice(rest);
    // Nothing is less or greater than what is no number.
    for chunk in chunks.iter().chain([&last]) {
        for lane in 0..LANES {
            low[lane] = if chunk[lane] < low[lane] { chunk[lane] } else { low[lane] };
            high[lane] = if chunk[lane] > high[lane] { chunk[lane] } else { high[lane] };
        }
    }
    [low.into_iter().fold(f64::INFINITY, f64::min), high.into_iter().fold(f64::NEG_INFINITY, f64::max)]
}
