//! The part of Embree's C interface that rays and points need, declared from its documentation, behind safe methods.
#![allow(unsafe_code, reason = "Embree is a C library that is loaded at run time")]

use bvhc::mesh::Mesh;
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicIsize, Ordering};

use super::super::library;
use super::moving::{BoundsArguments, Collision};
use super::record::{
    Lanes, PointQuery, PointQueryArguments, PointQueryContext, Ray, Ray16, RayHit, RayHit16,
};

/// Scene flags.
pub(super) const ROBUST: c_uint = 1 << 2;
/// Query flags.
pub(super) const COHERENT: c_uint = 1 << 16;

const QUALITY_HIGH: c_uint = 2;
const TRIANGLES: c_uint = 0;
const INDEX_BUFFER: c_uint = 0;
const VERTEX_BUFFER: c_uint = 1;
const UINT3: c_uint = 0x5003;
const FLOAT3: c_uint = 0x9003;

/// Devices, scenes and geometries.
pub(super) type Handle = *mut c_void;
pub(super) type MemoryMonitor = extern "C" fn(*mut AtomicIsize, isize, bool) -> bool;
/// The callback for each triangle near a point; returns whether the query's radius has changed.
pub(super) type Visit = extern "C" fn(*mut PointQueryArguments) -> bool;

/// The callback that gives the bounds of a primitive.
pub(super) type BoundsFunction = extern "C" fn(*const BoundsArguments);
/// The callback for primitives whose bounds may meet.
pub(super) type Collide = extern "C" fn(*mut c_void, *const Collision, c_uint);

/// `RTCIntersectArguments` and `RTCOccludedArguments`, without callbacks.
#[repr(C)]
pub(super) struct Arguments {
    flags: c_uint,
    features: c_uint,
    callbacks: [*const c_void; 3],
    min_width_distance_factor: f32,
}

impl Arguments {
    fn new(flags: c_uint) -> Self {
        let callbacks = [ptr::null(); 3];
        Self { flags, features: c_uint::MAX, callbacks, min_width_distance_factor: 0.0 }
    }
}

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $answer:ty)?;)*) => {
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $answer)?,)*
            _library: Library,
        }

        impl Functions {
            fn new(library: Library) -> Self {
                // SAFETY: Embree's documentation gives these functions these types.
                $(let $name = unsafe { library::function(&library, $symbol) };)*
                Self { $($name,)* _library: library }
            }
        }
    };
}

functions! {
    new_device = "rtcNewDevice": fn(*const c_char) -> Handle;
    release_device = "rtcReleaseDevice": fn(Handle);
    set_memory_monitor = "rtcSetDeviceMemoryMonitorFunction": fn(Handle, MemoryMonitor, *const AtomicIsize);
    device_error = "rtcGetDeviceError": fn(Handle) -> c_uint;
    new_scene = "rtcNewScene": fn(Handle) -> Handle;
    release_scene = "rtcReleaseScene": fn(Handle);
    set_quality = "rtcSetSceneBuildQuality": fn(Handle, c_uint);
    set_flags = "rtcSetSceneFlags": fn(Handle, c_uint);
    commit_scene = "rtcCommitScene": fn(Handle);
    new_geometry = "rtcNewGeometry": fn(Handle, c_uint) -> Handle;
    release_geometry = "rtcReleaseGeometry": fn(Handle);
    set_buffer = "rtcSetSharedGeometryBuffer":
        fn(Handle, c_uint, c_uint, c_uint, *const c_void, usize, usize, usize);
    set_instanced_scene = "rtcSetGeometryInstancedScene": fn(Handle, Handle);
    set_transform = "rtcSetGeometryTransform": fn(Handle, c_uint, c_uint, *const c_void);
    set_geometry_quality = "rtcSetGeometryBuildQuality": fn(Handle, c_uint);
    set_primitive_count = "rtcSetGeometryUserPrimitiveCount": fn(Handle, c_uint);
    set_user_data = "rtcSetGeometryUserData": fn(Handle, *mut c_void);
    set_bounds_function = "rtcSetGeometryBoundsFunction": fn(Handle, BoundsFunction, *mut c_void);
    scene_bounds = "rtcGetSceneBounds": fn(Handle, *mut c_void);
    collide = "rtcCollide": fn(Handle, Handle, Collide, *mut c_void);
    commit_geometry = "rtcCommitGeometry": fn(Handle);
    attach_geometry = "rtcAttachGeometry": fn(Handle, Handle) -> c_uint;
    intersect = "rtcIntersect1": fn(Handle, *mut RayHit, *const Arguments);
    occluded = "rtcOccluded1": fn(Handle, *mut Ray, *const Arguments);
    intersect_16 = "rtcIntersect16": fn(*const c_int, Handle, *mut RayHit16, *const Arguments);
    occluded_16 = "rtcOccluded16": fn(*const c_int, Handle, *mut Ray16, *const Arguments);
    point_query = "rtcPointQuery":
        fn(Handle, *mut PointQuery, *mut PointQueryContext, Visit, *mut c_void) -> bool;
}

/// The library, if it is present.
fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    let open = || library::open("Embree", "BVHC_EMBREE", &["libembree4.so.4", "libembree4.so"]);
    FUNCTIONS.get_or_init(|| open().map(Functions::new)).as_ref()
}

/// A device, and the memory that it holds.
pub(super) struct Device {
    pub(super) functions: &'static Functions,
    pub(super) device: Handle,
    memory: Box<AtomicIsize>,
}

/// A tree, and what it is over: a mesh's buffers, or other scenes.
pub(super) struct Scene<T> {
    pub(super) scene: Handle,
    content: T,
    device: Rc<Device>,
}

/// The buffers that Embree reads in place.
pub(super) struct Shared {
    /// One more than the mesh has, because Embree reads 16 bytes for each.
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

extern "C" fn count_memory(memory: *mut AtomicIsize, bytes: isize, _done: bool) -> bool {
    // SAFETY: this is the counter that `Device::new` gave, which outlives the device.
    unsafe { &*memory }.fetch_add(bytes, Ordering::Relaxed);
    true
}

impl Device {
    /// A device, if Embree is present.
    pub(super) fn new(config: &str) -> Option<Self> {
        let functions = functions()?;
        let config = CString::new(config).expect("no zero byte");
        // SAFETY: the text ends in a zero byte.
        let device = unsafe { (functions.new_device)(config.as_ptr()) };
        assert!(!device.is_null(), "Embree makes no device of {config:?}");
        let memory = Box::default();
        // SAFETY: the counter is boxed and is dropped after the device.
        unsafe { (functions.set_memory_monitor)(device, count_memory, &raw const *memory) };
        Some(Self { functions, device, memory })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the device.
        unsafe { (self.functions.release_device)(self.device) };
    }
}

impl Scene<Shared> {
    /// Builds a tree of high quality on a device of its own; `None` if Embree is absent.
    pub(super) fn build(mesh: &Mesh, flags: c_uint, config: &str) -> Option<Self> {
        Some(Self::of_mesh(&Rc::new(Device::new(config)?), mesh, flags))
    }

    /// Builds a tree of high quality.
    pub(super) fn of_mesh(device: &Rc<Device>, mesh: &Mesh, flags: c_uint) -> Self {
        let positions = mesh.positions.iter().copied().chain([[0.0; 3]]).collect();
        let shared = Shared { positions, triangles: mesh.triangles.clone() };
        // SAFETY: the device is live.
        let geometry = unsafe { (device.functions.new_geometry)(device.device, TRIANGLES) };
        shared.set_on(device, geometry);
        Self::commit(device, flags, shared, &[geometry])
    }
}

impl Shared {
    /// Makes these the buffers of a geometry. Moving the vectors does not move what they hold.
    fn set_on(&self, device: &Device, geometry: Handle) {
        let Self { positions, triangles } = self;
        let set = device.functions.set_buffer;
        let (vertices, indices) = (positions.as_ptr().cast(), triangles.as_ptr().cast());
        // SAFETY: the vector holds that many vertices and 4 bytes more, and lives as long as the scene.
        unsafe { set(geometry, VERTEX_BUFFER, 0, FLOAT3, vertices, 0, 12, positions.len() - 1) };
        // SAFETY: the vector holds that many triangles and lives as long as the scene; a mesh's indices are in range.
        unsafe { set(geometry, INDEX_BUFFER, 0, UINT3, indices, 0, 12, triangles.len()) };
    }
}

impl<T> Scene<T> {
    /// The scene of new geometries that have all that they need.
    pub(super) fn commit(device: &Rc<Device>, flags: c_uint, content: T, geometries: &[Handle]) -> Self {
        let functions = device.functions;
        // SAFETY: the device is live.
        let scene = unsafe { (functions.new_scene)(device.device) };
        // SAFETY: the scene is this object's own and live, here and in the calls below.
        unsafe { (functions.set_flags)(scene, flags) };
        // SAFETY: as above.
        unsafe { (functions.set_quality)(scene, QUALITY_HIGH) };
        for &geometry in geometries {
            // SAFETY: the geometry has its buffers or its scene.
            unsafe { (functions.commit_geometry)(geometry) };
            // SAFETY: both are of the same device.
            unsafe { (functions.attach_geometry)(scene, geometry) };
            // SAFETY: the scene keeps the geometry; this gives up the reference of `new_geometry`.
            unsafe { (functions.release_geometry)(geometry) };
        }
        // SAFETY: the scene is complete.
        unsafe { (functions.commit_scene)(scene) };
        // SAFETY: the device is live.
        let error = unsafe { (functions.device_error)(device.device) };
        assert_eq!(error, 0, "Embree's error code");
        Self { scene, content, device: Rc::clone(device) }
    }

    /// Bytes that Embree holds for the device's scenes, without the meshes' buffers.
    pub(super) fn bytes(&self) -> usize {
        self.device.memory.load(Ordering::Relaxed).try_into().expect("more is allocated than freed")
    }

    /// Finds the closest hit of one ray.
    pub(super) fn intersect(&self, ray: &mut RayHit) {
        // SAFETY: the scene is committed; no arguments stand for the defaults.
        unsafe { (self.device.functions.intersect)(self.scene, ray, ptr::null()) };
    }

    /// Finds whether one ray hits.
    pub(super) fn occluded(&self, ray: &mut Ray) {
        // SAFETY: the scene is committed; no arguments stand for the defaults.
        unsafe { (self.device.functions.occluded)(self.scene, ray, ptr::null()) };
    }

    /// Finds the closest hits of those of 16 rays whose entry in `valid` is -1; the others' is 0.
    pub(super) fn intersect_16(&self, valid: &Lanes, rays: &mut RayHit16, flags: c_uint) {
        let arguments = Arguments::new(flags);
        // SAFETY: the scene is committed, `valid` is aligned as the rays are.
        unsafe {
            (self.device.functions.intersect_16)(valid.0.as_ptr(), self.scene, rays, &raw const arguments)
        };
    }

    /// Finds whether those of 16 rays hit whose entry in `valid` is -1; the others' is 0.
    pub(super) fn occluded_16(&self, valid: &Lanes, rays: &mut Ray16, flags: c_uint) {
        let arguments = Arguments::new(flags);
        // SAFETY: the scene is committed, `valid` is aligned as the rays are.
        unsafe {
            (self.device.functions.occluded_16)(valid.0.as_ptr(), self.scene, rays, &raw const arguments)
        };
    }
}

impl Scene<Shared> {
    /// The minimum of `square` over the triangles, where `square` is a triangle's squared distance from `point`.
    pub(super) fn nearest<F: Fn([[f32; 3]; 3]) -> f32>(&self, point: [f32; 3], square: F) -> f32 {
        let mut search = Search { mesh: &self.content, square, nearest: f32::INFINITY };
        let mut query = PointQuery { point, time: 0.0, radius: f32::INFINITY };
        let mut context = PointQueryContext::default();
        let user = (&raw mut search).cast();
        // SAFETY: the scene is committed; `visit` casts the pointer back to this very type of search.
        unsafe {
            (self.device.functions.point_query)(self.scene, &mut query, &mut context, visit::<F>, user)
        };
        search.nearest
    }
}

impl<T> Drop for Scene<T> {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the scene; other scenes that it is part of keep it.
        unsafe { (self.device.functions.release_scene)(self.scene) };
    }
}

/// A search for the nearest triangle.
struct Search<'a, F> {
    mesh: &'a Shared,
    square: F,
    nearest: f32,
}

extern "C" fn visit<F: Fn([[f32; 3]; 3]) -> f32>(arguments: *mut PointQueryArguments) -> bool {
    // SAFETY: Embree gives arguments of its own.
    let arguments = unsafe { &mut *arguments };
    // SAFETY: this is the search of `Scene::nearest`, which waits for the query.
    let search = unsafe { &mut *arguments.user.cast::<Search<'_, F>>() };
    let corners = search.mesh.triangles[arguments.triangle as usize];
    let square = (search.square)(corners.map(|corner| search.mesh.positions[corner as usize]));
    if square >= search.nearest {
        return false;
    }
    search.nearest = square;
    // SAFETY: Embree gives the query that is under way, whose radius may shrink.
    unsafe { (*arguments.query).radius = square.sqrt() };
    true
}
