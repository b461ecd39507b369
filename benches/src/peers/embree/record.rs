//! Embree's records, with its order of fields and its alignment.

use bvhc_runtime as runtime;
use std::ffi::c_void;

/// `RTC_INVALID_GEOMETRY_ID`
const NOTHING: u32 = u32::MAX;

/// Rays of a packet.
pub(super) const LANES: usize = 16;

/// `RTCRay`
#[repr(C, align(16))]
pub(super) struct Ray {
    origin: [f32; 3],
    near: f32,
    direction: [f32; 3],
    time: f32,
    far: f32,
    mask: u32,
    id: u32,
    flags: u32,
}

/// `RTCHit`
#[repr(C, align(16))]
struct Hit {
    normal: [f32; 3],
    u: f32,
    v: f32,
    triangle: u32,
    geometry: u32,
    instance: u32,
    instance_primitive: u32,
}

/// `RTCRayHit`
#[repr(C)]
pub(super) struct RayHit {
    ray: Ray,
    hit: Hit,
}

impl From<&runtime::Ray> for Ray {
    fn from(ray: &runtime::Ray) -> Self {
        Self {
            origin: ray.origin,
            near: ray.t_min,
            direction: ray.direction,
            time: 0.0,
            far: ray.t_max,
            mask: u32::MAX,
            id: 0,
            flags: 0,
        }
    }
}

impl Ray {
    /// Whether the ray has hit, after the query.
    pub(super) fn is_occluded(&self) -> bool {
        self.far == f32::NEG_INFINITY
    }
}

impl From<&runtime::Ray> for RayHit {
    fn from(ray: &runtime::Ray) -> Self {
        let hit = Hit {
            normal: [0.0; 3],
            u: 0.0,
            v: 0.0,
            triangle: NOTHING,
            geometry: NOTHING,
            instance: NOTHING,
            instance_primitive: NOTHING,
        };
        Self { ray: ray.into(), hit }
    }
}

impl RayHit {
    /// `t` after the query; infinite for a miss.
    pub(super) fn t(&self) -> f32 {
        if self.hit.geometry == NOTHING { f32::INFINITY } else { self.ray.far }
    }
}

/// The active rays of a packet: -1 for these, 0 for others.
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [i32; LANES]);

impl Lanes {
    /// The first `count` rays.
    pub(super) fn first(count: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < count { -1 } else { 0 }))
    }
}

/// `RTCRay16`
#[repr(C, align(64))]
pub(super) struct Ray16 {
    origin: [[f32; LANES]; 3],
    near: [f32; LANES],
    direction: [[f32; LANES]; 3],
    time: [f32; LANES],
    far: [f32; LANES],
    mask: [u32; LANES],
    id: [u32; LANES],
    flags: [u32; LANES],
}

/// `RTCHit16`
#[repr(C, align(64))]
struct Hit16 {
    normal: [[f32; LANES]; 3],
    u: [f32; LANES],
    v: [f32; LANES],
    triangle: [u32; LANES],
    geometry: [u32; LANES],
    instance: [u32; LANES],
    instance_primitive: [u32; LANES],
}

/// `RTCRayHit16`
#[repr(C)]
pub(super) struct RayHit16 {
    ray: Ray16,
    hit: Hit16,
}

impl Ray16 {
    /// At most 16 rays, the missing ones zero.
    pub(super) fn new(rays: &[runtime::Ray]) -> Self {
        let (zeros, ones) = ([0.0; LANES], [u32::MAX; LANES]);
        let (id, flags) = ([0; LANES], [0; LANES]);
        let (origin, direction) = ([zeros; 3], [zeros; 3]);
        let mut packet =
            Self { origin, near: zeros, direction, time: zeros, far: zeros, mask: ones, id, flags };
        for (lane, ray) in rays.iter().enumerate() {
            for axis in 0..3 {
                packet.origin[axis][lane] = ray.origin[axis];
                packet.direction[axis][lane] = ray.direction[axis];
            }
            packet.near[lane] = ray.t_min;
            packet.far[lane] = ray.t_max;
        }
        packet
    }

    /// Whether the ray of this lane has hit, after the query.
    pub(super) fn is_occluded(&self, lane: usize) -> bool {
        self.far[lane] == f32::NEG_INFINITY
    }
}

impl RayHit16 {
    /// At most 16 rays, the missing ones zero.
    pub(super) fn new(rays: &[runtime::Ray]) -> Self {
        let (zeros, nothing) = ([0.0; LANES], [NOTHING; LANES]);
        let hit = Hit16 {
            normal: [zeros; 3],
            u: zeros,
            v: zeros,
            triangle: nothing,
            geometry: nothing,
            instance: nothing,
            instance_primitive: nothing,
        };
        Self { ray: Ray16::new(rays), hit }
    }

    /// `t` of this lane after the query; infinite for a miss.
    pub(super) fn t(&self, lane: usize) -> f32 {
        if self.hit.geometry[lane] == NOTHING { f32::INFINITY } else { self.ray.far[lane] }
    }
}

/// `RTCPointQuery`
#[repr(C, align(16))]
pub(super) struct PointQuery {
    pub(super) point: [f32; 3],
    pub(super) time: f32,
    pub(super) radius: f32,
}

/// `RTCPointQueryContext`, without instances: zeros mean this in libraries built with and without arrays of instances.
#[repr(C, align(16))]
#[derive(Default)]
pub(super) struct PointQueryContext {
    matrices: [[f32; 16]; 2],
    instance: u32,
    instance_primitive: u32,
    depth: u32,
}

/// `RTCPointQueryFunctionArguments`
#[repr(C, align(16))]
pub(super) struct PointQueryArguments {
    pub(super) query: *mut PointQuery,
    pub(super) user: *mut c_void,
    pub(super) triangle: u32,
    geometry: u32,
    context: *mut PointQueryContext,
    similarity_scale: f32,
}

const _: () = assert!(size_of::<Ray>() == 48 && size_of::<RayHit>() == 96);
const _: () = assert!(size_of::<Ray16>() == 12 * 64 && size_of::<RayHit16>() == 21 * 64);
