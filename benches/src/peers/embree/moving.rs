//! Embree's tree over boxes that move (user geometry), and over instances that move.
#![allow(unsafe_code, reason = "Embree is a C library that is loaded at run time")]

use std::ffi::{c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use bvhc::mesh::Mesh;

use super::api::{Device, Handle, Scene};
use super::config;
use super::instances::{FLOAT3X4_COLUMN_MAJOR, INSTANCE};
use crate::peers::broad::{Box6, BroadPhase, Pair, touch};

const USER: c_uint = 120;
/// Scene flags.
const DYNAMIC: c_uint = 1;

/// How the tree over boxes is brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `RTC_BUILD_QUALITY_REFIT`: the tree stays, its boxes change.
    Refit,
    /// `RTC_BUILD_QUALITY_LOW`: a new tree along a Morton curve.
    Low,
    /// `RTC_BUILD_QUALITY_MEDIUM`: a new tree by the binned surface-area heuristic.
    Medium,
}

impl Way {
    /// The qualities of the geometry and of the scene.
    fn qualities(self) -> [c_uint; 2] {
        match self {
            Self::Refit => [3, 0],
            Self::Low => [0, 0],
            Self::Medium => [1, 1],
        }
    }
}

/// `RTCBounds`
#[repr(C, align(16))]
struct Bounds {
    lower: [f32; 4],
    upper: [f32; 4],
}

/// `RTCBoundsFunctionArguments`
#[repr(C)]
pub(super) struct BoundsArguments {
    user: *mut c_void,
    primitive: c_uint,
    time_step: c_uint,
    bounds: *mut Bounds,
}

/// `RTCCollision`
#[repr(C)]
pub(super) struct Collision {
    geometry_a: c_uint,
    primitive_a: c_uint,
    geometry_b: c_uint,
    primitive_b: c_uint,
}

/// A world of boxes, all of which may move.
pub struct MovingBoxes {
    device: Rc<Device>,
    scene: Handle,
    geometry: Handle,
    /// Read by [`bounds`]; its length and address stay.
    boxes: Box<[Box6]>,
}

extern "C" fn bounds(arguments: *const BoundsArguments) {
    // SAFETY: Embree gives arguments of its own.
    let arguments = unsafe { &*arguments };
    // SAFETY: the pointer is that of the boxes, and the primitive one of them.
    let of = unsafe { arguments.user.cast::<Box6>().add(arguments.primitive as usize) };
    // SAFETY: as above.
    let [a, b, c, d, e, f] = unsafe { *of };
    // SAFETY: Embree gives a place for the bounds.
    unsafe { *arguments.bounds = Bounds { lower: [a, b, c, 0.0], upper: [d, e, f, 0.0] } };
}

impl MovingBoxes {
    /// A world of boxes, if Embree is present.
    pub fn new(boxes: &[Box6], way: Way) -> Option<Self> {
        let device = Rc::new(Device::new(&config())?);
        let functions = device.functions;
        let boxes: Box<[Box6]> = boxes.into();
        let [quality, scene_quality] = way.qualities();
        // SAFETY: the device is live, as are the scene and the geometry below.
        let scene = unsafe { (functions.new_scene)(device.device) };
        // SAFETY: as above.
        let geometry = unsafe { (functions.new_geometry)(device.device, USER) };
        // SAFETY: as above.
        unsafe { (functions.set_flags)(scene, DYNAMIC) };
        // SAFETY: as above.
        unsafe { (functions.set_quality)(scene, scene_quality) };
        // SAFETY: as above.
        unsafe { (functions.set_geometry_quality)(geometry, quality) };
        // SAFETY: as above.
        unsafe { (functions.set_primitive_count)(geometry, boxes.len() as c_uint) };
        // SAFETY: the boxes live as long as the geometry.
        unsafe { (functions.set_user_data)(geometry, boxes.as_ptr().cast_mut().cast()) };
        // SAFETY: the function reads the boxes.
        unsafe { (functions.set_bounds_function)(geometry, bounds, ptr::null_mut()) };
        // SAFETY: both are of the same device.
        unsafe { (functions.attach_geometry)(scene, geometry) };
        let mut world = Self { device, scene, geometry, boxes };
        world.update();
        Some(world)
    }
}

extern "C" fn collect(user: *mut c_void, collisions: *const Collision, count: c_uint) {
    // SAFETY: this is the list of `MovingBoxes::pairs`, which waits for the query.
    let found = unsafe { &mut *user.cast::<Vec<Pair>>() };
    // SAFETY: Embree gives so many collisions.
    let collisions = unsafe { std::slice::from_raw_parts(collisions, count as usize) };
    found.extend(collisions.iter().map(|it| [it.primitive_a, it.primitive_b]));
}

impl BroadPhase for MovingBoxes {
    fn move_boxes(&mut self, moved: &[u32], boxes: &[Box6]) {
        for index in moved {
            self.boxes[*index as usize] = boxes[*index as usize];
        }
    }

    fn update(&mut self) {
        // SAFETY: the geometry is live.
        unsafe { (self.device.functions.commit_geometry)(self.geometry) };
        // SAFETY: the scene is live.
        unsafe { (self.device.functions.commit_scene)(self.scene) };
        // SAFETY: the device is live.
        let error = unsafe { (self.device.functions.device_error)(self.device.device) };
        assert_eq!(error, 0, "Embree's error code");
    }

    /// By `rtcCollide`, each once. Used for checks alone: it is not tuned.
    fn pairs(&mut self, pairs: &mut [Pair]) -> usize {
        let mut found: Vec<Pair> = Vec::new();
        let user = (&raw mut found).cast();
        // SAFETY: the scene is committed and has user geometry alone; `collect` casts the pointer back.
        unsafe { (self.device.functions.collide)(self.scene, self.scene, collect, user) };
        let are_near = |[a, b]: [u32; 2]| touch(&self.boxes[a as usize], &self.boxes[b as usize]);
        let mut found: Vec<Pair> = found
            .into_iter()
            .filter(|pair| pair[0] != pair[1])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .filter(|it| are_near(*it))
            .collect();
        found.sort_unstable();
        found.dedup();
        pairs[..found.len()].copy_from_slice(&found);
        found.len()
    }

    /// Its updates build a new tree, or none.
    fn rebuild(&mut self) -> bool {
        false
    }
}

impl Drop for MovingBoxes {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the scene.
        unsafe { (self.device.functions.release_scene)(self.scene) };
        // SAFETY: nobody else holds the geometry.
        unsafe { (self.device.functions.release_geometry)(self.geometry) };
    }
}

/// A world of instances of one mesh, all of which may move.
pub struct MovingInstances {
    device: Rc<Device>,
    scene: Handle,
    geometries: Vec<Handle>,
    _mesh: Scene<super::api::Shared>,
}

impl MovingInstances {
    /// Instances at these positions, in a scene of low quality, which is brought up to date by a new tree; `None` if Embree is absent.
    pub fn new(mesh: &Mesh, positions: &[[f32; 3]]) -> Option<Self> {
        let device = Rc::new(Device::new(&config())?);
        let functions = device.functions;
        let mesh = Scene::of_mesh(&device, mesh, 0);
        // SAFETY: the device is live, as are the scene and the geometries below.
        let scene = unsafe { (functions.new_scene)(device.device) };
        // SAFETY: as above.
        unsafe { (functions.set_flags)(scene, DYNAMIC) };
        // SAFETY: as above.
        unsafe { (functions.set_quality)(scene, 0) };
        let instance = |_: &[f32; 3]| {
            // SAFETY: as above.
            let geometry = unsafe { (functions.new_geometry)(device.device, INSTANCE) };
            // SAFETY: the mesh's scene is committed and is kept with this one.
            unsafe { (functions.set_instanced_scene)(geometry, mesh.scene) };
            // SAFETY: both are of the same device.
            unsafe { (functions.attach_geometry)(scene, geometry) };
            geometry
        };
        let geometries = positions.iter().map(instance).collect();
        let mut world = Self { device: Rc::clone(&device), scene, geometries, _mesh: mesh };
        world.place(positions);
        world.update();
        Some(world)
    }

    /// Moves all instances.
    pub fn place(&mut self, positions: &[[f32; 3]]) {
        let functions = self.device.functions;
        for (geometry, at) in self.geometries.iter().zip(positions) {
            let matrix = [[1.0f32, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], *at];
            let matrix = matrix.as_ptr().cast();
            // SAFETY: four columns of three numbers are read, during the call.
            unsafe { (functions.set_transform)(*geometry, 0, FLOAT3X4_COLUMN_MAJOR, matrix) };
            // SAFETY: the geometry is live.
            unsafe { (functions.commit_geometry)(*geometry) };
        }
    }

    /// Builds a new tree over the instances.
    pub fn update(&mut self) {
        // SAFETY: the scene is live.
        unsafe { (self.device.functions.commit_scene)(self.scene) };
        // SAFETY: the device is live.
        let error = unsafe { (self.device.functions.device_error)(self.device.device) };
        assert_eq!(error, 0, "Embree's error code");
    }

    /// The box around all: lower x, y, z, upper x, y, z.
    pub fn bounds(&self) -> Box6 {
        let mut bounds = Bounds { lower: [0.0; 4], upper: [0.0; 4] };
        // SAFETY: the scene is committed, and `Bounds` is `RTCBounds`.
        unsafe { (self.device.functions.scene_bounds)(self.scene, (&raw mut bounds).cast()) };
        let ([a, b, c, _], [d, e, f, _]) = (bounds.lower, bounds.upper);
        [a, b, c, d, e, f]
    }
}

impl Drop for MovingInstances {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the scene.
        unsafe { (self.device.functions.release_scene)(self.scene) };
        for geometry in &self.geometries {
            // SAFETY: nobody else holds the geometry.
            unsafe { (self.device.functions.release_geometry)(*geometry) };
        }
    }
}
