//! B's pose in A's space where it is scaled, too, or mirrored.

use crate::pose::Pose;

/// B's pose in A's space, by which B shrinks or keeps its size: a point x of B lies at `rotation * (scale * x) + translation`,
/// with x's first coordinate negated first where it is mirrored.
///
/// B does not grow, so that all bounds of errors that are proven for rigid poses hold: none grows as B shrinks, and B's
/// volumes and triangles extend no farther than they do in its own space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledPose {
    /// The scale and the mirror are in its matrix: vertices are transformed by it.
    pub(crate) image: Pose,
    /// The rotation alone, which orients volumes.
    pub(crate) rotation: [[f64; 3]; 3],
    /// At most 1.
    pub(crate) scale: f64,
    pub(crate) mirrors: bool,
}

impl ScaledPose {
    /// A rigid pose after a scale of at most 1, after a mirror if so asked.
    pub(crate) fn new(pose: &Pose, scale: f64, mirrors: bool) -> Self {
        let rotation = pose.rotation();
        let scaled =
            rotation.map(|[x, y, z]| [if mirrors { -(scale * x) } else { scale * x }, scale * y, scale * z]);
        Self { image: Pose::of_parts(scaled, pose.translation()), rotation, scale, mirrors }
    }
}
