//! What a fit minimises.

/// The measure of a box that fits compare.
///
/// Either is an increasing function of the extents x, y, z whose cube root is concave (its polynomial is
/// Lorentzian), and along a rotation around one axis the other two extents are sinusoids wherever the points that
/// bound them stay the same. So between two such changes a measure is least at an end, where a face is flush with
/// an edge of the hull: what O'Rourke proved for volumes ("Finding minimal enclosing boxes", 1985) holds for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The volume. For a flat set, the area; between areas that are equal to nine digits, the sum of the extents.
    #[default]
    Volume,
    /// How likely the box is to meet another like it, at a uniformly random pose: `2V + S * b`, with surface S and
    /// mean width b, by the principal kinematic formula. It does not vanish on flat sets.
    Collision,
}

impl Objective {
    /// Every objective.
    pub const ALL: [Self; 2] = [Self::Volume, Self::Collision];

    /// The objective's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::Collision => "collision",
        }
    }

    /// The measure of a box.
    #[inline]
    pub fn measure(self, [x, y, z]: [f64; 3]) -> f64 {
        let volume = x * y * z;
        match self {
            Self::Volume => volume,
            // S = 2(xy + yz + zx), b = (x + y + z) / 2
            Self::Collision => 2.0 * volume + (x * y + y * z + z * x) * (x + y + z),
        }
    }

    /// The measure of boxes without height.
    #[inline]
    pub(super) fn flat_measure(self, [x, y]: [f64; 2]) -> f64 {
        match self {
            Self::Volume => x * y,
            Self::Collision => x * y * (x + y),
        }
    }
}
