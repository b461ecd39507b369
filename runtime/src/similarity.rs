//! Where an instance is: a rigid pose after a scale, perhaps mirrored.

use bvhc_format::world;
use fearless_simd::{SimdBase, SimdFrom, f64x4};

use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::pose::Pose;
use crate::ray::Ray;
use crate::simd::Kernel;

/// A similarity: a point x of the mesh lies at `pose(scale * x)` in the world, with x's first coordinate negated where it
/// mirrors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    pose: Pose,
    scale: f64,
    mirrors: bool,
    is_identity: bool,
}

/// Coordinates below this are taken as 0 where overlaps are decided, so that products of three do not underflow: 2^-300.
const SMALLEST_COORDINATE: f64 = f64::from_bits((1023 - 300) << 52);

/// Scales beyond this and its inverse are refused (FORMAT.md, W6): 2^40.
const LARGEST_SCALE: f64 = (1u64 << 40) as f64;

impl Similarity {
    /// Where a mesh is that is its own world.
    pub(crate) const IDENTITY: Self =
        Self { pose: Pose::IDENTITY, scale: 1.0, mirrors: false, is_identity: true };

    /// The similarity that the record of an instance describes.
    #[inline(always)]
    pub(crate) fn of(record: &world::Instance) -> Self {
        let pose = Pose::of_parts(record.rotation, record.position);
        let mirrors = record.flags & world::Instance::MIRROR != 0;
        Self { pose, scale: record.scale, mirrors, is_identity: is_identity(record) }
    }

    /// A pose after a scale, which comes after a mirror in x if so asked.
    ///
    /// `None` if the scale is not between 2^-40 and 2^40.
    ///
    /// ```
    /// use bvhc_runtime::{Pose, Similarity};
    ///
    /// let twice = Similarity::new(Pose::from_translation([10.0, 0.0, 0.0])?, 2.0, true).expect("2 is a scale");
    /// assert_eq!(twice.apply([1.0, 2.0, 3.0]), [8.0, 4.0, 6.0]);
    /// # Ok::<(), bvhc_runtime::PoseError>(())
    /// ```
    pub fn new(pose: Pose, scale: f64, mirrors: bool) -> Option<Self> {
        let is_identity = !mirrors && scale == 1.0 && pose == Pose::IDENTITY;
        let is_valid = (1.0 / LARGEST_SCALE..=LARGEST_SCALE).contains(&scale);
        is_valid.then_some(Self { pose, scale, mirrors, is_identity })
    }

    /// A pose.
    #[cfg(feature = "pairs")]
    pub(crate) fn rigid(pose: &Pose) -> Self {
        Self { pose: *pose, scale: 1.0, mirrors: false, is_identity: *pose == Pose::IDENTITY }
    }

    /// The record of an instance there, of no mesh.
    pub(crate) fn record(&self) -> world::Instance {
        world::Instance {
            position: self.pose.translation(),
            rotation: self.pose.rotation(),
            scale: self.scale,
            id: 0,
            user: 0,
            mesh: bvhc_format::NONE,
            layers: 0,
            flags: world::Instance::MOVABLE | if self.mirrors { world::Instance::MIRROR } else { 0 },
            reserved: 0,
            bounds: [0.0; 6],
        }
    }

    /// The box that the leaf of an instance of a mesh has, whose nodes are in this box (FORMAT.md, W9): around the images of its
    /// corners, grown by `growth` times the sum of the coordinates involved, rounded outward.
    pub(crate) fn image_of_box(&self, bounds: &Aabb, growth: f64) -> [f32; 6] {
        let ends = [bounds.min, bounds.max].map(|end| end.map3(f64::from));
        let [lower, upper] = self.image_of(&ends);
        let largest = ends.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let far: f64 = self.pose.translation().iter().map(|x| x.abs()).sum();
        let by = growth * (self.scale * largest + far);
        let ([a, b, c], [d, e, f]) = (
            lower.map3(|x| ((x - by).next_down() as f32).next_down()),
            upper.map3(|x| ((x + by).next_up() as f32).next_up()),
        );
        [a, b, c, d, e, f]
    }

    /// The box around the images of a box's corners, as [`apply`](Self::apply) computes them: rounding is monotonic, so the least sum
    /// is that of the least products.
    pub(crate) fn image_of(&self, ends: &[[f64; 3]; 2]) -> [[f64; 3]; 2] {
        let [from, to] = *ends;
        if self.is_identity {
            return [
                [0, 1, 2].map3(|axis| from[axis].min(to[axis])),
                [0, 1, 2].map3(|axis| from[axis].max(to[axis])),
            ];
        }
        let [from, to] = [from, to].map(|end| self.mirrored(end.map3(|x| self.scale * x)));
        let (rows, origin) = (self.pose.rotation(), self.pose.translation());
        let mut image = [[0.0; 3]; 2];
        for axis in 0..3 {
            let [x, y, z] = [0, 1, 2].map3(|k| {
                let [one, other] = [rows[axis][k] * from[k], rows[axis][k] * to[k]];
                [one.min(other), one.max(other)]
            });
            for end in 0..2 {
                image[end][axis] = ((x[end] + y[end]) + z[end]) + origin[axis];
            }
        }
        image
    }

    /// The rotation and the translation.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The scale, which comes before the rotation.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Whether x becomes -x before all else.
    pub fn mirrors(&self) -> bool {
        self.mirrors
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.is_identity
    }

    /// Whether it is a pose: neither scaled nor mirrored.
    pub fn is_rigid(&self) -> bool {
        self.scale == 1.0 && !self.mirrors
    }

    /// Transforms a point of the mesh into the world.
    ///
    /// Coordinates are multiplied by the scale, each rounded to f64, and then transformed as by [`Pose::apply`]. Queries use
    /// exactly this arithmetic.
    pub fn apply(&self, point: [f64; 3]) -> [f64; 3] {
        if self.is_identity { point } else { self.pose.apply(self.mirrored(point.map3(|x| self.scale * x))) }
    }

    /// Transforms a point of the world into the mesh's space.
    #[inline(always)]
    pub fn inverse_apply(&self, point: [f64; 3]) -> [f64; 3] {
        if self.is_identity {
            return point;
        }
        let origin = self.pose.translation();
        self.inverse_direction([0, 1, 2].map3(|axis| point[axis] - origin[axis]))
    }

    /// Transforms a ray of the world into the mesh's space: computed in f64 and rounded once to f32. `t` means the same in
    /// both spaces, since the direction is divided by the scale, too.
    #[inline(always)]
    pub fn inverse_transform_ray(&self, ray: &Ray) -> Ray {
        if self.is_identity {
            return *ray;
        }
        let origin = self.inverse_apply(ray.origin.map3(f64::from)).map3(|x| x as f32);
        let direction = self.inverse_direction(ray.direction.map3(f64::from)).map3(|x| x as f32);
        Ray { origin, direction, ..*ray }
    }

    /// Transforms a unit normal of the mesh into the world: it stays on the front, also where the mesh is mirrored.
    pub fn transform_normal(&self, normal: [f32; 3]) -> [f32; 3] {
        if self.is_identity {
            return normal;
        }
        self.pose.rotate(self.mirrored(normal.map3(f64::from))).map3(|x| x as f32)
    }

    /// Transforms a unit direction of the mesh's space into the world.
    #[cfg(feature = "pairs")]
    pub(crate) fn direction(&self, direction: [f64; 3]) -> [f64; 3] {
        if self.is_identity { direction } else { self.pose.rotate(self.mirrored(direction)) }
    }

    /// The corners of a triangle in the world, as overlaps with boxes are decided.
    pub(crate) fn corners(&self, corners: &[[f32; 3]; 3]) -> [[f64; 3]; 3] {
        let flushed = |x: f64| if x.abs() < SMALLEST_COORDINATE { 0.0 } else { x };
        corners.map3(|corner| self.apply(corner.map3(f64::from)).map3(flushed))
    }

    /// A box of the mesh's space around everything of the mesh that is in a box of the world.
    pub(crate) fn inverse_box(&self, query: &Aabb) -> Aabb {
        if self.is_identity {
            return *query;
        }
        // Each coordinate is a sum of three products, whose ends are those of the box, by the signs of the rotation.
        let (rotation, origin) = (self.pose.rotation(), self.pose.translation());
        let (mut min, mut max, mut size) = ([0.0; 3], [0.0; 3], 0.0);
        for axis in 0..3 {
            for of_world in 0..3 {
                let factor = rotation[of_world][axis] / self.scale;
                let ends = [query.min[of_world], query.max[of_world]];
                let [a, b] = ends.map(|end| factor * (f64::from(end) - origin[of_world]));
                let offset = factor * origin[of_world];
                (min[axis], max[axis]) = (min[axis] + a.min(b), max[axis] + a.max(b));
                size += a.abs() + b.abs() + offset.abs();
            }
        }
        // Far more than the roundings of these sums and of corners in the world, and more than the transpose of the rotation
        // differs from its inverse: by 3 * 2^-40 of the largest coordinate (FORMAT.md, W6).
        let slack = size * SLACK + f64::from(f32::MIN_POSITIVE);
        let (mut min, mut max) = (min.map3(|x| x - slack), max.map3(|x| x + slack));
        if self.mirrors {
            (min[0], max[0]) = (-max[0], -min[0]);
        }
        Aabb { min: min.map3(|x| (x as f32).next_down()), max: max.map3(|x| (x as f32).next_up()) }
    }

    /// Half the size, in the mesh's space, of the box around a box of the world of which half the size is this.
    pub(crate) fn inverse_half(&self, half: [f64; 3]) -> [f64; 3] {
        if self.is_identity {
            return half;
        }
        let rows = self.pose.rotation();
        [0, 1, 2].map3(|axis| {
            let part = |of_world: usize| rows[of_world][axis].abs() * half[of_world];
            (part(0) + part(1) + part(2)) / self.scale
        })
    }

    /// Transforms a direction of the world into the mesh's space.
    #[inline(always)]
    pub(crate) fn inverse_direction(&self, direction: [f64; 3]) -> [f64; 3] {
        if self.is_identity {
            return direction;
        }
        let [x, y, z] = direction;
        let [a, b, c] = self.pose.rotation();
        let turned = [0, 1, 2].map3(|axis| (a[axis] * x + b[axis] * y) + c[axis] * z);
        self.mirrored(turned.map3(|x| x / self.scale))
    }

    #[inline(always)]
    fn mirrored(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        if self.mirrors { [-x, y, z] } else { [x, y, z] }
    }
}

/// As [`Similarity::inverse_transform_ray`] of a record's similarity, the same bits, a lane an axis: rays ask this at each instance
/// that they enter.
#[inline(always)]
pub(crate) fn ray_in_instance<S: Kernel>(simd: S, record: &world::Instance, ray: &Ray) -> Ray {
    // Most are told by the first numbers.
    if record.rotation[0][0] == 1.0 && is_identity(record) {
        return *ray;
    }
    let ([ox, oy, oz], [dx, dy, dz], [px, py, pz]) = (ray.origin, ray.direction, record.position);
    let origin = [f64::from(ox) - px, f64::from(oy) - py, f64::from(oz) - pz];
    let direction = [f64::from(dx), f64::from(dy), f64::from(dz)];
    Ray {
        origin: direction_in_instance(simd, record, origin),
        direction: direction_in_instance(simd, record, direction),
        ..*ray
    }
}

/// As [`Similarity::inverse_direction`] of a record's similarity that is not the identity, rounded once.
#[inline(always)]
fn direction_in_instance<S: Kernel>(simd: S, record: &world::Instance, [x, y, z]: [f64; 3]) -> [f32; 3] {
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = record.rotation;
    let by_x = f64x4::simd_from(simd, [xx, xy, xz, 0.0]) * x;
    let by_y = f64x4::simd_from(simd, [yx, yy, yz, 0.0]) * y;
    let by_z = f64x4::simd_from(simd, [zx, zy, zz, 0.0]) * z;
    let mirror = if record.flags & world::Instance::MIRROR != 0 { -1.0 } else { 1.0 };
    let turned = ((by_x + by_y) + by_z) / f64x4::splat(simd, record.scale);
    let [x, y, z, _] = (turned * f64x4::simd_from(simd, [mirror, 1.0, 1.0, 1.0])).to_array();
    [x as f32, y as f32, z as f32]
}

/// Whether a record is one that changes nothing. Without a branch for each number: rays ask this at each instance.
#[inline(always)]
fn is_identity(record: &world::Instance) -> bool {
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = record.rotation.map(|row| row.map(f64::to_bits));
    let [x, y, z] = record.position.map(f64::to_bits);
    let one = 1f64.to_bits();
    // -0 is 0, too.
    let zeros = (x | y | z | xy | xz | yx | yz | zx | zy) << 1;
    let ones = (xx ^ one) | (yy ^ one) | (zz ^ one) | (record.scale.to_bits() ^ one);
    zeros | ones | u64::from(record.flags & world::Instance::MIRROR) == 0
}

/// Relative to the sum of all magnitudes involved, on all axes: 2^-38, some 2^15 roundings of f64.
const SLACK: f64 = 1.0 / (1u64 << 38) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    fn similarity(scale: f64, mirrors: bool) -> Similarity {
        let turn = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        Similarity { pose: Pose::of_parts(turn, [1.0, -2.0, 3.0]), scale, mirrors, is_identity: false }
    }

    #[test]
    fn the_inverse_leads_back() {
        for (scale, mirrors) in [(1.0, false), (0.01, true), (250.0, true), (3.0, false)] {
            let there = similarity(scale, mirrors);
            let back = there.inverse_apply(there.apply([5.0, 6.0, 7.0]));
            assert!(back.iter().zip([5.0, 6.0, 7.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-12));
        }
    }

    #[test]
    fn the_image_of_a_box_is_around_those_of_its_corners() {
        let mut random = Random(5);
        for round in 0..1_000 {
            let position = random.offset(3);
            let pose = random.pose(position);
            let there = Similarity {
                pose,
                scale: 0.25 + f64::from(round),
                mirrors: round % 2 == 0,
                is_identity: false,
            };
            let ends = [random.offset(2), random.offset(2)];
            for there in [there, Similarity::IDENTITY] {
                let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
                for corner in 0..8 {
                    let image = there.apply([0, 1, 2].map3(|axis| ends[corner >> axis & 1][axis]));
                    for axis in 0..3 {
                        (least[axis], most[axis]) =
                            (least[axis].min(image[axis]), most[axis].max(image[axis]));
                    }
                }
                assert_eq!(there.image_of(&ends), [least, most]);
            }
        }
    }

    #[test]
    fn rays_keep_their_t() {
        let there = similarity(2.0, true);
        let ray = Ray::new([4.0, 5.0, 6.0], [1.0, -1.0, 0.5]);
        let local = there.inverse_transform_ray(&ray);
        let at = |ray: &Ray, t: f64| {
            [0, 1, 2].map(|axis| f64::from(ray.origin[axis]) + t * f64::from(ray.direction[axis]))
        };
        let (found, wanted) = (there.apply(at(&local, 7.0)), at(&ray, 7.0));
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-5));
    }

    #[test]
    fn rays_are_the_same_on_all_levels() {
        let mut random = Random(11);
        for round in 0..2_000u32 {
            let position = random.offset(3);
            let mut pose = random.pose(position);
            if round % 4 == 0 {
                pose = Pose::of_parts(
                    Pose::IDENTITY.rotation(),
                    if round % 8 == 0 { [0.0; 3] } else { position },
                );
            }
            let scale = if round % 3 == 0 { 1.0 } else { 0.1 + random.centred().abs() };
            let at = Similarity::new(pose, scale, round % 5 == 0).expect("it is a scale");
            let [origin, direction] = [0, 1].map(|_| random.offset(4).map(|x| x as f32));
            let ray = Ray::new(origin, if round % 7 == 0 { [-0.0, 0.0, -1.0] } else { direction });
            let (record, bits) =
                (at.record(), |ray: &Ray| [ray.origin, ray.direction].map(|it| it.map(f32::to_bits)));
            for level in Level::available() {
                let local = dispatch!(level.inner(), simd => ray_in_instance(simd, &record, &ray));
                assert_eq!(bits(&local), bits(&at.inverse_transform_ray(&ray)));
            }
        }
    }

    #[test]
    fn boxes_of_the_mesh_hold_what_boxes_of_the_world_hold() {
        let there = similarity(0.5, true);
        let query = Aabb::new([-3.0, 1.0, 2.0], [5.0, 1.5, 9.0]);
        let local = there.inverse_box(&query);
        for corner in 0..8 {
            let corner = [0, 1, 2].map(|axis| {
                let ends = [query.min[axis], query.max[axis]];
                f64::from(ends[corner >> axis & 1])
            });
            let inside = there.inverse_apply(corner);
            assert!((0..3).all(|axis| {
                f64::from(local.min[axis]) <= inside[axis] && inside[axis] <= f64::from(local.max[axis])
            }));
        }
    }
}
