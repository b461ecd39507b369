//! B's pose as walks use it: between the origins of the two trees, in f32, with error bounds.

use super::scaled_pose::ScaledPose;
use crate::math::vector::Map3;
use crate::pose::Pose;
use crate::simd::{Kernel, square_root};

/// Slack of every axis, relative to the sum of the trees' radii and the distance of their origins: 128 u.
const SLACK_MAGNITUDE: f32 = 1.0 / (1 << 17) as f32;

/// B's pose in A's space, between the origins of their trees.
#[derive(Clone, Copy)]
pub(crate) struct RelativePose {
    pose: Pose,
    /// x, y, z and w.
    quaternion: [f32; 4],
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    /// Slack of every axis for the distances between boxes and origins, and for the pose's arithmetic.
    slack: f32,
    /// Bound on how far the pose's own f64 arithmetic can misplace a point, compared with exact arithmetic.
    noise: f32,
}

/// Origin that a tree's volumes are relative to, and the radius around it that contains them.
#[derive(Clone, Copy)]
pub(crate) struct TreeFrame {
    pub(crate) origin: [f32; 3],
    pub(crate) radius: f32,
}

impl RelativePose {
    #[inline(always)]
    pub(crate) fn new<S: Kernel>(simd: S, pose: &Pose, a: &TreeFrame, b: &TreeFrame) -> Self {
        Self::turned(simd, pose, &pose.rotation(), a, b)
    }

    /// Of a pose by which B shrinks: the quaternion is its rotation's, all else includes the scale and the mirror.
    #[inline(always)]
    pub(crate) fn scaled<S: Kernel>(simd: S, pose: &ScaledPose, a: &TreeFrame, b: &TreeFrame) -> Self {
        Self::turned(simd, &pose.image, &pose.rotation, a, b)
    }

    #[inline(always)]
    fn turned<S: Kernel>(simd: S, pose: &Pose, turn: &[[f64; 3]; 3], a: &TreeFrame, b: &TreeFrame) -> Self {
        let transformed = pose.apply(b.origin.map3(f64::from));
        let between = |axis: usize| transformed[axis] - f64::from(a.origin[axis]);
        let translation = [between(0), between(1), between(2)];
        let size = |point: [f64; 3]| point[0].abs() + point[1].abs() + point[2].abs();
        let magnitude = size(translation) + f64::from(a.radius) + f64::from(b.radius);
        let whole =
            size(pose.translation()) + size(a.origin.map3(f64::from)) + size(b.origin.map3(f64::from));
        let [x, y, z] = pose.rotation();
        // Of the smallest models it would underflow, as products of f32 do.
        let noise = (whole + magnitude) as f32 / (1u64 << 47) as f32 + f32::MIN_POSITIVE;
        Self {
            pose: *pose,
            quaternion: quaternion(simd, turn).map(|x| x as f32),
            rotation: [x.map3(|x| x as f32), y.map3(|x| x as f32), z.map3(|x| x as f32)],
            translation: translation.map3(|x| x as f32),
            slack: magnitude as f32 * SLACK_MAGNITUDE + noise,
            noise,
        }
    }

    /// The pose itself, between the models' spaces.
    pub(crate) fn pose(&self) -> &Pose {
        &self.pose
    }

    pub(crate) fn quaternion(&self) -> [f32; 4] {
        self.quaternion
    }

    pub(crate) fn translation(&self) -> &[f32; 3] {
        &self.translation
    }

    pub(crate) fn rotation(&self) -> &[[f32; 3]; 3] {
        &self.rotation
    }

    pub(crate) fn slack(&self) -> f32 {
        self.slack
    }

    pub(crate) fn noise(&self) -> f32 {
        self.noise
    }
}

/// Quaternion (x, y, z, w) of a rotation. Based on: Shepperd, "Quaternion from rotation matrix", 1978: the largest of
/// the four is computed from the diagonal, the others from it.
#[inline(always)]
fn quaternion<S: Kernel>(simd: S, [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]: &[[f64; 3]; 3]) -> [f64; 4] {
    let squares = [1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz];
    let mut largest = 0;
    for index in 1..4 {
        if squares[index] > squares[largest] {
            largest = index;
        }
    }
    let [x, y, z, w] = match largest {
        0 => [squares[0], yx + xy, zx + xz, zy - yz],
        1 => [yx + xy, squares[1], zy + yz, xz - zx],
        2 => [zx + xz, zy + yz, squares[2], yx - xy],
        _ => [zy - yz, xz - zx, yx - xy, squares[3]],
    };
    let scale = 0.5 / square_root(simd, squares[largest]);
    [x * scale, y * scale, z * scale, w * scale]
}
