//! Where rays start: around an object, or within a scene.

use super::model::Scene;
use super::vector::{along, cross, sub, unit};

/// How a model is viewed.
#[derive(Clone, Copy)]
pub enum Stage {
    /// An object, y up, seen and lit from outside.
    Around,
    /// A scene, z up: two cameras' origins and targets, and a light.
    Within {
        /// Origins and targets.
        cameras: [[[f32; 3]; 2]; 2],
        /// The light.
        light: [f32; 3],
    },
}

/// The hall: from a corner along it, and back from under the beams; a lamp below the ceiling.
pub(super) const HALL: Stage = Stage::Within {
    cameras: [[[6.0, 6.0, 2.0], [150.0, 50.0, 8.0]], [[180.0, 70.0, 4.0], [40.0, 10.0, 15.0]]],
    light: [100.0, 40.0, 29.0],
};

/// The town: along a street, and from above; the sun.
pub(super) const TOWN: Stage = Stage::Within {
    cameras: [[[2.0, 123.0, 1.7], [200.0, 130.0, 3.0]], [[-20.0, -20.0, 60.0], [110.0, 130.0, 0.0]]],
    light: [400.0, -60.0, 350.0],
};

/// A pinhole camera.
pub struct Camera {
    origin: [f32; 3],
    /// To the right, up and ahead, of length 1.
    axes: [[f32; 3]; 3],
    /// Width of the image at a distance of 1.
    width: f32,
}

impl Stage {
    /// Two cameras; an object approximately fills their images.
    pub(super) fn cameras(&self, scene: &Scene) -> [Camera; 2] {
        let around = |view| {
            let origin = along(scene.centre(), 1.2 * scene.size(), unit(view));
            Camera::new(origin, scene.centre(), [0.0, 1.0, 0.0], 0.6)
        };
        match self {
            Self::Around => [[0.3, 0.4, 1.0], [-0.9, 0.2, -0.5]].map(around),
            Self::Within { cameras, .. } => {
                cameras.map(|[origin, target]| Camera::new(origin, target, [0.0, 0.0, 1.0], 1.2))
            }
        }
    }

    /// The position of the light.
    pub(super) fn light(&self, scene: &Scene) -> [f32; 3] {
        match self {
            Self::Around => along(scene.centre(), scene.size(), unit([1.0, 1.0, 0.2])),
            Self::Within { light, .. } => *light,
        }
    }
}

impl Camera {
    /// A camera that looks at a target; `width` is that of its image at a distance of 1.
    pub fn new(origin: [f32; 3], target: [f32; 3], up: [f32; 3], width: f32) -> Self {
        let ahead = unit(sub(target, origin));
        let right = unit(cross(ahead, up));
        Self { origin, axes: [right, cross(right, ahead), ahead], width }
    }

    /// The ray from the origin through the pixel at `x`, `y`, which run from 0 to 1 to the right and down.
    pub(super) fn ray(&self, x: f32, y: f32) -> bvhc_runtime::Ray {
        let [right, up, ahead] = self.axes;
        let across = along(ahead, self.width * (x - 0.5), right);
        bvhc_runtime::Ray::new(self.origin, unit(along(across, self.width * (0.5 - y), up)))
    }
}
