//! rapier3d's broad phase, around parry3d's tree: boxes have a margin, and events say which pairs of boxes with margins have begun and
//! ended. A frame does what rapier's pipeline does: `set_aabb` for each collider that has moved, then `update`.
//!
//! The pairs are kept here in a hash map, as rapier's narrow phase keeps them in a graph; those whose boxes touch without
//! margins are handed out.

use std::collections::HashMap;

use rapier3d::dynamics::{IntegrationParameters, RigidBodyBuilder, RigidBodySet};
use rapier3d::geometry::{BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderSet};
use rapier3d::math::Vector;
use rapier3d::prelude::ColliderPair;

use super::parry::aabb;
use super::{Box6, BroadPhase, Pair, touch};

/// A world of rapier3d.
pub struct Rapier {
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    broad_phase: BroadPhaseBvh,
    handles: Vec<ColliderHandle>,
    still: usize,
    boxes: Vec<Box6>,
    events: Vec<BroadPhasePairEvent>,
    kept: Vec<Pair>,
    places: HashMap<Pair, u32>,
}

impl Rapier {
    /// A world of boxes, of which the first `still` never move.
    pub fn new(boxes: &[Box6], still: usize) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let mut handles = Vec::new();
        for (index, of) in boxes.iter().enumerate() {
            let half = [0, 1, 2].map(|axis| (of[axis + 3] - of[axis]) / 2.0);
            let centre = [0, 1, 2].map(|axis| f32::midpoint(of[axis], of[axis + 3]));
            let collider = ColliderBuilder::cuboid(half[0], half[1], half[2]);
            let handle = if index < still {
                colliders.insert(collider.translation(Vector::from(centre)))
            } else {
                let body = bodies.insert(RigidBodyBuilder::dynamic().translation(Vector::from(centre)));
                colliders.insert_with_parent(collider, body, &mut bodies)
            };
            handles.push(handle);
        }
        let mut world = Self {
            parameters: IntegrationParameters::default(),
            bodies,
            colliders,
            broad_phase: BroadPhaseBvh::new(),
            handles,
            still,
            boxes: boxes.to_vec(),
            events: Vec::new(),
            kept: Vec::new(),
            places: HashMap::new(),
        };
        let all = world.handles.clone();
        world.find(&all);
        world
    }

    fn find(&mut self, modified: &[ColliderHandle]) {
        self.events.clear();
        let Self { broad_phase, parameters, colliders, bodies, events, .. } = self;
        broad_phase.update(parameters, colliders, bodies, modified, &[], events);
        for event in &self.events {
            match event {
                BroadPhasePairEvent::AddPair(pair) => {
                    let pair = indices(pair);
                    if self.places.insert(pair, self.kept.len() as u32).is_none() {
                        self.kept.push(pair);
                    }
                }
                BroadPhasePairEvent::DeletePair(pair) => {
                    let Some(place) = self.places.remove(&indices(pair)) else { continue };
                    self.kept.swap_remove(place as usize);
                    if let Some(moved) = self.kept.get(place as usize) {
                        self.places.insert(*moved, place);
                    }
                }
            }
        }
    }
}

/// Colliders are numbered in the order in which they were added.
fn indices(pair: &ColliderPair) -> Pair {
    let [a, b] = [pair.collider1, pair.collider2].map(|handle| handle.into_raw_parts().0);
    [a.min(b), a.max(b)]
}

impl BroadPhase for Rapier {
    fn move_boxes(&mut self, moved: &[u32], boxes: &[Box6]) {
        for index in moved {
            let (of, place) = (&boxes[*index as usize], self.still + *index as usize);
            self.boxes[place] = *of;
            self.broad_phase.set_aabb(&self.parameters, self.handles[place], aabb(of));
        }
    }

    fn update(&mut self) {
        self.find(&[]);
    }

    fn pairs(&mut self, pairs: &mut [Pair]) -> usize {
        let mut count = 0;
        for pair in &self.kept {
            if touch(&self.boxes[pair[0] as usize], &self.boxes[pair[1] as usize]) {
                pairs[count] = *pair;
                count += 1;
            }
        }
        count
    }

    fn rebuild(&mut self) -> bool {
        false
    }
}
