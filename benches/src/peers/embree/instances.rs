//! Embree's two-level scenes: instances of committed scenes of triangles.
#![allow(unsafe_code, reason = "Embree is a C library that is loaded at run time")]

use std::ffi::c_uint;
use std::rc::Rc;

use bvhc::mesh::Mesh;

use super::api::{Device, Scene, Shared};
use crate::peers::Placement;

pub(super) const INSTANCE: c_uint = 121;
pub(super) const FLOAT3X4_COLUMN_MAJOR: c_uint = 0x9234;

/// The scenes that are placed.
pub(super) struct Parts {
    _meshes: Vec<Scene<Shared>>,
}

impl Scene<Parts> {
    /// Builds a tree for each mesh and one over the instances, all of high quality; `None` if Embree is absent.
    pub(super) fn of_instances(meshes: &[Mesh], placements: &[Placement], config: &str) -> Option<Self> {
        let device = Rc::new(Device::new(config)?);
        let meshes: Vec<Scene<Shared>> = meshes.iter().map(|mesh| Scene::of_mesh(&device, mesh, 0)).collect();
        let geometries: Vec<_> = placements
            .iter()
            .map(|placement| {
                let of = meshes[placement.mesh].scene;
                let functions = device.functions;
                // SAFETY: the device is live.
                let geometry = unsafe { (functions.new_geometry)(device.device, INSTANCE) };
                // SAFETY: both are of the same device; the scene is committed and is kept with the top scene.
                unsafe { (functions.set_instanced_scene)(geometry, of) };
                let matrix = placement.columns.as_ptr().cast();
                // SAFETY: four columns of three numbers are read, during the call.
                unsafe { (functions.set_transform)(geometry, 0, FLOAT3X4_COLUMN_MAJOR, matrix) };
                geometry
            })
            .collect();
        Some(Self::commit(&device, 0, Parts { _meshes: meshes }, &geometries))
    }
}
