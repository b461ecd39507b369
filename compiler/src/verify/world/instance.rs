//! Checks the instances of a world.

use bvhc_format::MAX_COORDINATE;
use bvhc_format::world::{Instance, instance_id};

use super::leaves::outside;
use super::{Checked, InstanceFault};
use crate::world::place::Part;

/// How far R times its transpose may be from the identity: 2^-40.
const ROTATION_ERROR: f64 = 1.0 / (1u64 << 40) as f64;

impl Checked<'_> {
    /// W5 to W7 and W10
    pub(super) fn check_instance(&self, number: u32, instance: &Instance) -> Result<(), InstanceFault> {
        if instance.mesh as usize >= self.meshes.len() {
            return Err(InstanceFault::Mesh(instance.mesh));
        }
        let name = self.section.names.get(number as usize).unwrap_or_default();
        if name.is_empty() {
            return Err(InstanceFault::NoName);
        }
        let (found, expected) = (instance.id, instance_id(name));
        if found != expected {
            return Err(InstanceFault::Id { found, expected });
        }
        check_transform(instance)?;
        if instance.flags & !(Instance::MIRROR | Instance::MOVABLE) != 0 || instance.reserved != 0 {
            return Err(InstanceFault::Reserved);
        }
        let mesh = self.mesh(instance);
        let is_within = instance.bounds.iter().all(|x| x.abs() <= MAX_COORDINATE);
        match outside(&instance.bounds, instance, &Part::whole(mesh.root), mesh) {
            None if is_within => Ok(()),
            _ => Err(InstanceFault::Bounds),
        }
    }
}

/// W6
fn check_transform(instance: &Instance) -> Result<(), InstanceFault> {
    let is_plain = |x: &f64| x.is_finite() && !(*x == 0.0 && x.is_sign_negative());
    if !instance.position.iter().all(is_plain) {
        return Err(InstanceFault::Transform("position"));
    }
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let rows = instance.rotation;
    let is_rotation = (0..3).all(|i| {
        (0..3).all(|j| (dot(rows[i], rows[j]) - f64::from(u8::from(i == j))).abs() <= ROTATION_ERROR)
    });
    let [a, b, c] = rows;
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    if !(rows.as_flattened().iter().all(is_plain) && is_rotation && dot(cross, c) > 0.0) {
        return Err(InstanceFault::Transform("rotation"));
    }
    let largest = (1u64 << 40) as f64;
    let is_in_range = (1.0 / largest..=largest).contains(&instance.scale);
    if is_in_range { Ok(()) } else { Err(InstanceFault::Transform("scale")) }
}
