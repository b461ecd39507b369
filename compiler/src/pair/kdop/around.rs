//! The k-DOP around points, with its tables for realignment.

use bvhc_format::kdop::{Directions, KdopLayout, MAX_DIRECTIONS, REGIONS, Tables, ring_cosine};

use crate::math::vector::{Vector, add, cross, dot, round_up, subtract};

/// Cosines that differ by less than this count as equal, so that rounding cannot put a point into too narrow a ring.
const COSINE: f64 = 1.0 / (1u64 << 48) as f64;

/// The numbers of a slot of a node; the first k of each list are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdop {
    /// With tables, the centre of mass of the points; else the origin.
    pub centre: [f32; 3],
    /// The greatest values of the points along each direction, from there; with tables, never less than 0.
    pub extents: [f32; MAX_DIRECTIONS],
    /// With profiles: the greatest values along the shell of each direction's cone. With occupancy: the same over those
    /// points outside the cone that are farther from the centre than the extent.
    pub shells: [f32; MAX_DIRECTIONS],
    /// With occupancy: a bit for each ring that holds a point farther from the centre than the extent.
    pub rings: [u32; MAX_DIRECTIONS],
}

impl Kdop {
    /// Around at least one point.
    ///
    /// `slack` is added to all measured values before they are rounded up.
    pub fn around(points: impl Iterator<Item = Vector> + Clone, layout: &KdopLayout, slack: f64) -> Self {
        let centre = if layout.has_tables() { middle(points.clone()) } else { [0.0; 3] };
        let offsets = points.map(|point| subtract(point, centre.map(f64::from)));
        let mut kdop = Self {
            centre,
            extents: extents(offsets.clone(), layout, slack),
            shells: [0.0; MAX_DIRECTIONS],
            rings: [0; MAX_DIRECTIONS],
        };
        match layout.tables {
            Tables::None => {}
            Tables::Profile => kdop.profile(offsets, layout.directions, slack),
            Tables::Occupancy => kdop.occupy(offsets, layout.directions, slack),
        }
        kdop
    }

    fn profile(&mut self, offsets: impl Iterator<Item = Vector>, directions: &Directions, slack: f64) {
        let mut most = [0.0f64; MAX_DIRECTIONS];
        for offset in offsets {
            for (unit, most) in directions.units().iter().zip(&mut most) {
                *most = most.max(on_shell(directions, *unit, offset));
            }
        }
        self.shells = most.map(|most| round_up(most + slack));
    }

    fn occupy(&mut self, offsets: impl Iterator<Item = Vector>, directions: &Directions, slack: f64) {
        let mut most = [0.0f64; MAX_DIRECTIONS];
        for offset in offsets {
            let length = dot(offset, offset).sqrt();
            for (index, unit) in directions.units().iter().enumerate() {
                if length + slack <= f64::from(self.extents[index]) {
                    continue;
                }
                let cosine = dot(*unit, offset) / length;
                if cosine < directions.aperture {
                    most[index] = most[index].max(on_shell(directions, *unit, offset));
                } else {
                    self.rings[index] |= 1 << ring(directions.aperture, cosine);
                }
            }
        }
        self.shells = most.map(|most| round_up(most + slack));
    }
}

/// The centre of mass.
fn middle(points: impl Iterator<Item = Vector>) -> [f32; 3] {
    let (sum, count) = points.fold(([0.0; 3], 0usize), |(sum, count), point| (add(sum, point), count + 1));
    sum.map(|sum| (sum / count as f64) as f32)
}

/// The greatest values of points along each direction.
fn extents(offsets: impl Iterator<Item = Vector>, layout: &KdopLayout, slack: f64) -> [f32; MAX_DIRECTIONS] {
    let slabs = layout.directions.slabs();
    let least = if layout.has_tables() { 0.0 } else { f64::NEG_INFINITY };
    let mut most = [least; MAX_DIRECTIONS];
    for offset in offsets {
        for (slab, unit) in layout.directions.units()[..slabs].iter().enumerate() {
            let along = dot(*unit, offset);
            most[slab] = most[slab].max(along);
            most[slab + slabs] = most[slab + slabs].max(-along);
        }
    }
    most.map(|most| round_up(most + slack))
}

/// The length of a point's projection on the shell of a direction's cone, in the plane of the point and the direction.
fn on_shell(directions: &Directions, unit: Vector, offset: Vector) -> f64 {
    let across = cross(unit, offset);
    dot(unit, offset) * directions.aperture + dot(across, across).sqrt() * directions.aperture_sine
}

/// The ring with this cosine in it, the outer one of two.
fn ring(aperture: f64, cosine: f64) -> usize {
    (1..REGIONS - 1).find(|ring| ring_cosine(aperture, *ring) <= cosine - COSINE).unwrap_or(REGIONS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_point_has_no_extent() {
        let layout = KdopLayout::of(14, Tables::Occupancy as u32).unwrap();
        let kdop = Kdop::around([[1.0, 2.0, 3.0]; 3].into_iter(), &layout, 0.0);
        assert_eq!((kdop.centre, kdop.extents, kdop.rings), ([1.0, 2.0, 3.0], [0.0; 42], [0; 42]));
    }

    #[test]
    fn rings_are_between_their_cosines() {
        let aperture = Directions::of(14).unwrap().aperture;
        assert_eq!((ring(aperture, 1.0), ring(aperture, aperture)), (1, REGIONS - 1));
        for wanted in 1..REGIONS {
            let middle = 0.5 * (ring_cosine(aperture, wanted - 1) + ring_cosine(aperture, wanted));
            assert_eq!(ring(aperture, middle), wanted);
        }
    }
}
