//! Pairs of triangles for which it is hard to decide whether they meet.

mod contact;
mod near;

use crate::pose::Pose;
use crate::random::Random;

/// Two triangles, the second in a space of its own.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The corners of the first.
    pub a: [[f32; 3]; 3],
    /// The corners of the second before it is transformed.
    pub b: [[f32; 3]; 3],
    /// The pose of the second in the space of the first.
    pub pose: Pose,
}

impl Pair {
    /// The corners of the first triangle, as oracles take them.
    pub fn still(&self) -> [[f64; 3]; 3] {
        self.a.map(|corner| corner.map(f64::from))
    }

    /// The corners of the second triangle, transformed by the pose.
    pub fn transformed(&self) -> [[f64; 3]; 3] {
        self.pose.corners(self.b)
    }

    /// The pair, scaled by a power of two: the significands stay the same, unless numbers become subnormal or infinite.
    pub fn scaled(self, exponent: i32) -> Self {
        let factor = 2f64.powi(exponent);
        let larger =
            |corners: [[f32; 3]; 3]| corners.map(|corner| corner.map(|x| (f64::from(x) * factor) as f32));
        let translation = self.pose.translation.map(|x| x * factor);
        Self { a: larger(self.a), b: larger(self.b), pose: Pose { translation, ..self.pose } }
    }
}

/// A kind of pairs.
#[derive(Clone, Copy)]
pub struct Kind {
    /// What failures call it.
    pub name: &'static str,
    /// Whether its pairs meet, where all of them do or none does.
    pub meets: Option<bool>,
    /// Generates one.
    pub draw: fn(&mut Random) -> Pair,
}

pub(super) const fn kind(name: &'static str, meets: Option<bool>, draw: fn(&mut Random) -> Pair) -> Kind {
    Kind { name, meets, draw }
}

/// Every kind.
///
/// The contacts have integer coordinates that no step rounds, under poses that take axes to axes: disjoint triangles
/// are one unit apart. Under other poses they are as close as rounding permits, on either side.
pub const KINDS: &[Kind] = &[
    kind("vertex on vertex", Some(true), |random| contact::touching(random, 0, 0)),
    kind("vertex on edge", Some(true), |random| contact::touching(random, 0, 1)),
    kind("vertex on face", Some(true), |random| contact::touching(random, 0, 2)),
    kind("edge on edge", Some(true), |random| contact::touching(random, 1, 1)),
    kind("edge on face", Some(true), |random| contact::touching(random, 1, 2)),
    kind("face on face", Some(true), |random| contact::touching(random, 2, 2)),
    kind("edges on one line", Some(true), contact::on_one_line),
    kind("shared edge", Some(true), contact::sharing_edge),
    kind("shared vertex", Some(true), contact::sharing_vertex),
    kind("same", Some(true), contact::same),
    kind("edge through face", Some(true), contact::piercing),
    kind("edge across edge", Some(true), contact::crossing),
    kind("contained in one plane", Some(true), contact::contained),
    kind("touching in one plane", Some(true), contact::touching_in_plane),
    kind("a unit apart", Some(false), contact::apart),
    kind("a unit apart in one plane", Some(false), contact::apart_in_plane),
    kind("lattice", None, contact::lattice),
    kind("lattice in one plane", None, contact::lattice_in_plane),
    kind("random", None, near::random),
    kind("turned contact", None, near::turned),
    kind("slightly turned contact", None, near::slightly_turned),
    kind("turned around a vertex", None, near::around_vertex),
    kind("a ten-millionth apart", None, near::beside),
    kind("slivers", None, near::slivers),
    kind("different sizes", None, near::different_sizes),
    kind("far away", None, near::far_away),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::meet::meet;

    #[test]
    fn the_oracle_says_what_is_known() {
        for kind in KINDS {
            let mut random = Random::new(1);
            let pairs: Vec<_> = (0..1000).map(|_| (kind.draw)(&mut random)).collect();
            let met = pairs.iter().filter(|pair| meet(pair.still(), pair.transformed())).count();
            match kind.meets {
                Some(known) => assert_eq!(met, if known { 1000 } else { 0 }, "{}", kind.name),
                None => assert!((50..=950).contains(&met), "{}: {met}", kind.name),
            }
        }
    }

    #[test]
    fn contacts_survive_scaling() {
        for kind in KINDS.iter().filter(|kind| kind.meets.is_some()) {
            let mut random = Random::new(2);
            for exponent in [-70, -20, 20, 70] {
                let pair = (kind.draw)(&mut random).scaled(exponent);
                assert_eq!(Some(meet(pair.still(), pair.transformed())), kind.meets, "{}", kind.name);
            }
        }
    }
}
