//! Moving things to which anything may happen, with what is known of them.

use bvhc_runtime::{Aabb, Handle, MovingError, MovingWorld};
use bvhc_tests::random::Random;
use bvhc_tests::support::world::Placed;

use super::moving::similarity;

/// What a thing is, and where.
#[derive(Clone, Copy)]
pub(super) enum Body {
    Box(Aabb),
    Instance(Placed),
}

impl Body {
    pub(super) fn add(
        &self,
        moving: &mut MovingWorld<'_>,
        layers: u32,
        user: u64,
    ) -> Result<Handle, MovingError> {
        match self {
            Self::Box(bounds) => moving.add_box(bounds, layers, user),
            Self::Instance(at) => moving.add_instance(at.mesh as u32, &similarity(at), layers, user),
        }
    }

    fn put(&self, moving: &mut MovingWorld<'_>, thing: Handle) {
        let done = match self {
            Self::Box(bounds) => moving.move_box(thing, bounds),
            Self::Instance(at) => moving.move_instance(thing, &similarity(at)),
        };
        assert_eq!(done, Ok(()));
    }

    fn shift(&mut self, by: [f32; 3]) {
        for (axis, by) in by.into_iter().enumerate() {
            match self {
                Self::Box(bounds) => {
                    bounds.min[axis] += by;
                    bounds.max[axis] += by;
                }
                Self::Instance(at) => at.position[axis] += f64::from(by),
            }
        }
    }

    /// Another place of the same thing.
    fn jump(&mut self, other: Self) {
        match (self, other) {
            (Self::Instance(own), Self::Instance(other)) => *own = Placed { mesh: own.mesh, ..other },
            (Self::Box(own), Self::Box(other)) => *own = other,
            (own, _) => own.shift([1.0, -2.0, 0.5]),
        }
    }
}

/// A thing that is there.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) handle: Handle,
    pub(super) body: Body,
    pub(super) layers: u32,
    pub(super) is_enabled: bool,
}

/// A world with what is known of its things.
pub(super) struct Changing<'a> {
    pub(super) moving: MovingWorld<'a>,
    pub(super) things: Vec<Known>,
}

impl<'a> Changing<'a> {
    pub(super) fn new(moving: MovingWorld<'a>) -> Self {
        Self { moving, things: Vec::new() }
    }

    /// The boxes of all that queries see.
    pub(super) fn boxes(&self) -> Vec<(Handle, Aabb)> {
        let seen = self.things.iter().filter(|thing| thing.is_enabled);
        seen.map(|it| (it.handle, self.moving.bounds(it.handle).expect("it is there"))).collect()
    }

    /// One change at random, with new things from `any`. Most are small moves.
    pub(super) fn change(&mut self, random: &mut Random, any: &mut dyn FnMut(&mut Random) -> Body) {
        let (moving, things) = (&mut self.moving, &mut self.things);
        let chosen = random.below(things.len().max(1) as u32) as usize;
        match (random.below(16), things.get_mut(chosen)) {
            (0, _) | (_, None) if moving.len() < moving.capacity() => {
                let (body, layers) = (any(random), 1 << random.below(3));
                let handle = body.add(moving, layers, random.u64()).expect("it fits");
                things.push(Known { handle, body, layers, is_enabled: true });
            }
            (1, Some(gone)) => {
                assert_eq!(moving.remove(gone.handle), Ok(()));
                assert!(!moving.contains(gone.handle));
                things.swap_remove(chosen);
            }
            (2 | 3, Some(thing)) => {
                thing.is_enabled = random.below(3) > 0;
                assert_eq!(moving.set_enabled(thing.handle, thing.is_enabled), Ok(()));
            }
            (4, _) => drop(moving.update()),
            (6, Some(thing)) => {
                thing.layers = 1 << random.below(3);
                assert_eq!(moving.set_layers(thing.handle, thing.layers), Ok(()));
            }
            (5, Some(thing)) => {
                thing.body.jump(any(random));
                thing.body.put(moving, thing.handle);
            }
            (_, Some(thing)) => {
                thing.body.shift([0; 3].map(|_| 0.25 * random.integer(-1, 1) as f32));
                thing.body.put(moving, thing.handle);
            }
            _ => {}
        }
    }
}
