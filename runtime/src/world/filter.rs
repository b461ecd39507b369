//! What a query of a world may see.

use crate::walk::probe::{Erased, Probe};

/// Decides which instances and triangles a query sees, beside their layers. `()` sees everything.
pub trait WorldFilter {
    /// Whether the query sees the instance. Asked at each leaf of the tree that the query reaches, before the instance's
    /// mesh is looked at.
    fn accepts_instance(&mut self, instance: u32) -> bool {
        let _ = instance;
        true
    }

    /// Whether [`accepts_triangle`](Self::accepts_triangle) may ever return false; queries are faster if not.
    fn filters_triangles(&self) -> bool {
        false
    }

    /// Whether the query sees the triangle of this instance.
    fn accepts_triangle(&mut self, instance: u32, triangle: u32) -> bool {
        let _ = (instance, triangle);
        true
    }
}

impl WorldFilter for () {}

/// Sees the instances for which the function returns true.
///
/// ```
/// use bvhc_runtime::{InstanceFilter, Ray, World, include_aligned};
///
/// let mut meshes = [None; 2];
/// let world = World::from_bytes(include_aligned!("../../../tests/golden/world.bvh"), &mut meshes)?;
/// let ray = Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0]);
/// assert!(world.closest_hit_with(&ray, &mut InstanceFilter(|instance| instance != 1)).is_none());
/// # Ok::<(), bvhc_runtime::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InstanceFilter<F>(pub F);

impl<F: FnMut(u32) -> bool> WorldFilter for InstanceFilter<F> {
    fn accepts_instance(&mut self, instance: u32) -> bool {
        (self.0)(instance)
    }
}

/// Sees the triangles for which the function of instance and triangle returns true.
#[derive(Clone, Copy, Debug)]
pub struct TriangleFilter<F>(pub F);

impl<F: FnMut(u32, u32) -> bool> WorldFilter for TriangleFilter<F> {
    fn filters_triangles(&self) -> bool {
        true
    }

    fn accepts_triangle(&mut self, instance: u32, triangle: u32) -> bool {
        (self.0)(instance, triangle)
    }
}

/// The triangles of one instance.
struct OfInstance<'f> {
    filter: &'f mut dyn WorldFilter,
    instance: u32,
}

impl Probe for OfInstance<'_> {
    const COUNTS: bool = false;

    fn accepts(&mut self, triangle: u32) -> bool {
        self.filter.accepts_triangle(self.instance, triangle)
    }
}

/// A filter, if there is one. Most rays have none; a method that is looked up costs more than its call where vectors are kept in
/// memory meanwhile.
pub(super) type MaybeFilter<'f> = Option<&'f mut dyn WorldFilter>;

/// Whether a query sees an instance.
#[inline(always)]
pub(super) fn accepts_instance(filter: &mut MaybeFilter<'_>, instance: u32) -> bool {
    filter.as_mut().is_none_or(|filter| filter.accepts_instance(instance))
}

/// Calls `ask` with the probe of one instance's triangles.
#[inline(always)]
pub(super) fn with_probe<R>(
    filter: &mut dyn WorldFilter,
    instance: u32,
    ask: impl FnOnce(&mut Erased<'_>) -> R,
) -> R {
    with_probe_if_any(&mut Some(filter), instance, ask)
}

/// The same, where there may be no filter.
#[inline(always)]
pub(super) fn with_probe_if_any<R>(
    filter: &mut MaybeFilter<'_>,
    instance: u32,
    ask: impl FnOnce(&mut Erased<'_>) -> R,
) -> R {
    let (mut idle, mut of_instance);
    // One call, which is inlined once.
    ask(&mut match filter {
        Some(filter) if filter.filters_triangles() => {
            of_instance = OfInstance { filter: *filter, instance };
            Erased::new(&mut of_instance)
        }
        _ => {
            idle = ();
            Erased::new(&mut idle)
        }
    })
}
