//! A world with things that move: a compiled world, and instances and boxes in memory of the caller's.

#[cfg(feature = "pairs")]
mod against;
#[cfg(feature = "pairs")]
mod between;
mod build;
mod changes;
mod copy;
mod error;
mod facts;
mod fat;
mod inside;
mod join;
mod kept;
mod known;
mod memory;
#[cfg(feature = "pairs")]
mod motion;
mod newcomers;
mod order;
mod pairs;
#[cfg(feature = "pairs")]
mod schedule;
#[cfg(feature = "shapes")]
mod shape;
mod snapshot;
mod sweep;
mod tree;
#[cfg(feature = "pairs")]
mod warm;

#[cfg(feature = "pairs")]
pub use against::ThingPairError;
#[cfg(feature = "pairs")]
pub use between::{Between, BetweenError, Separation};
pub use error::MovingError;
pub use inside::{ThingPlace, ThingSignedDistance};
pub use kept::KeptPairs;
#[cfg(feature = "pairs")]
pub use motion::MotionBound;
pub use pairs::{Change, ThingPair};
#[cfg(feature = "pairs")]
pub use schedule::{ContactSchedule, ScheduledPair};
pub use snapshot::{Found, NearPoint, Snapshot, ThingFilter};
pub use sweep::{SweepAndPrune, Swept};
#[cfg(feature = "pairs")]
pub use warm::{KeptStart, WarmStarts};

use core::fmt;

use bvhc_format::world::{Instance, InstanceLeaf};
use bvhc_format::{MAX_COORDINATE, NONE};

use super::things::Things;
use super::{World, bounds_of};
use crate::bounds::Aabb;
use crate::level::Level;
use crate::model::Model;
use crate::ray::Extent;
use crate::similarity::Similarity;
use changes::Identity;
use fat::{Fatness, outward};
use memory::{DISABLED, ENABLED, Memory};
use tree::{Bounds, Tree};

/// An update builds a new tree where the cost of the tree for each thing has grown by this factor since it was built.
const REBUILD: f64 = 1.5;

/// What boxes are grown by, relative to the coordinates involved, as those of compiled worlds are (FORMAT.md, W9): 2^-17.
const GROWTH: f64 = 1.0 / (1u32 << 17) as f64;

/// A moving thing. It stays the same until the thing is removed; then no other thing of its world has it (until a number was given
/// away 2^32 times). It does not say of which world: another world may take it for a thing of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// Lower numbers come first where answers tie. Numbers of removed things are given away again, the last one first.
    pub number: u32,
    /// How often the number was given away before.
    pub generation: u32,
}

/// What a query found. Instances of the compiled world come before all that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// An instance of the compiled world.
    Still(u32),
    /// A moving instance or box.
    Moving(Handle),
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Still(number) => write!(f, "instance {number} of the file"),
            Self::Moving(handle) => write!(f, "moving thing {}", handle.number),
        }
    }
}

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updated {
    /// Whether the tree was built anew.
    pub is_rebuilt: bool,
    /// The nodes that were refitted before.
    pub refitted: u32,
}

/// A compiled world, which does not change, and moving things in memory of the caller's: instances of meshes at a
/// [`Similarity`], and boxes without a mesh for what has none (characters, bullets, triggers).
///
/// Queries are those of [`Snapshot`]. Each change is seen by all later ones: adding, moving and enabling widen the nodes above
/// a thing at once. [`update`](Self::update), once a frame, makes them tight again. Answers depend on the things and their
/// numbers, not on the tree, so neither on updates nor on the order of changes; but which pair
/// [`first_pair`](Snapshot::first_pair) finds, and the order of visits, may. Nothing allocates. The type is `Send` and `Sync`: many
/// threads may query while none changes anything.
///
/// ```
/// use bvhc_runtime::{Aabb, MovingWorld, Pose, Ray, Similarity, Thing, World, include_aligned};
///
/// let mut meshes = [None; 2];
/// let level = World::from_bytes(include_aligned!("../../../../tests/golden/world.bvh"), &mut meshes)?;
/// let mut memory = vec![0; MovingWorld::bytes_needed(100)];
/// let mut world = MovingWorld::new(level, 100, &mut memory)?;
/// let player = world.add_box(&Aabb::new([10.0, 0.0, 1.0], [11.0, 1.0, 2.0]), u32::MAX, 0)?;
/// let ray = Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0]);
/// let found = world.snapshot().closest_hit(&ray).expect("it meets the player");
/// assert_eq!((found.thing, found.answer.t), (Thing::Moving(player), 3.0));
///
/// world.move_box(player, &Aabb::new([20.0, 0.0, 1.0], [21.0, 1.0, 2.0]))?;
/// world.update();
/// assert_eq!(world.snapshot().closest_hit(&ray).map(|found| found.thing), Some(Thing::Still(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MovingWorld<'a> {
    still: Things<'a>,
    models: &'a [Option<Model<'a>>],
    tree: Tree<'a>,
    /// Of the tree's leaves.
    fatness: Fatness,
    /// The first of the free numbers, or `NONE`.
    free: u32,
    /// How many things there are, enabled or not.
    count: u32,
    identity: Identity,
    /// That of the world of which this one is a copy, or of which that is one, and so on; or its own.
    origin: Identity,
}

impl<'a> MovingWorld<'a> {
    /// The most things that one memory may hold.
    pub const MAX_CAPACITY: u32 = memory::MAX_CAPACITY;

    /// The bytes of memory for so many things, wherever they start: about 420 a thing.
    pub fn bytes_needed(capacity: u32) -> usize {
        memory::bytes_needed(capacity)
    }

    /// A compiled world, whose meshes moving instances may have, and no moving things yet. The memory is for `capacity`
    /// things; what it holds does not matter. Snapshots see the layers that the compiled world sees, until they are given others
    /// ([`Snapshot::with_layers`]).
    ///
    /// # Errors
    /// [`MovingError::Memory`], with the bytes needed: never if there are as many as [`bytes_needed`](Self::bytes_needed) says;
    /// [`MovingError::Capacity`] for more than 2^24 things.
    pub fn new(still: World<'a>, capacity: u32, memory: &'a mut [u8]) -> Result<Self, MovingError> {
        Self::of(still.things, still.meshes(), capacity, memory)
    }

    /// Without a compiled world; moving instances may have these meshes, by their place in the list.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_models(
        models: &'a [Option<Model<'a>>],
        level: Level,
        capacity: u32,
        memory: &'a mut [u8],
    ) -> Result<Self, MovingError> {
        let extent = Extent::of(&Aabb::new([0.0; 3], [0.0; 3]));
        let still = Things {
            nodes: &[],
            node_layers: &[],
            leaves: &[],
            records: &[],
            models,
            in_place: None,
            extent,
            layers: u32::MAX,
            level,
        };
        Self::of(still, models, capacity, memory)
    }

    fn of(
        still: Things<'a>,
        models: &'a [Option<Model<'a>>],
        capacity: u32,
        memory: &'a mut [u8],
    ) -> Result<Self, MovingError> {
        let tree = Tree::new(Memory::of(memory, capacity)?);
        let identity = Identity::new();
        Ok(Self {
            still,
            models,
            tree,
            fatness: Fatness::NONE,
            free: NONE,
            count: 0,
            identity,
            origin: identity,
        })
    }

    /// The number of moving things, enabled or not.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Whether nothing moves.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of moving things that the memory is for.
    pub fn capacity(&self) -> u32 {
        self.tree.memory.held.records().len() as u32
    }

    /// The boxes that a [`SweepAndPrune`] of this world needs memory for: the leaves of the compiled world, which has several of an
    /// instance that the compiler has opened, and one for each thing that this memory is for.
    pub fn box_capacity(&self) -> u32 {
        (self.still.leaves.len() as u32).saturating_add(self.capacity())
    }

    /// Adds an instance of a mesh, in these layers; `user` is whatever the caller likes. Cost: a walk down the tree;
    /// now and then a new tree over all things, some 20 to 30 ms for 100,000 of them, when its nodes are used up or it has become too
    /// deep. The same holds for enabling things and for changes of layers.
    ///
    /// # Errors
    /// [`MovingError::Full`], [`MovingError::NoSuchMesh`] or [`MovingError::Bounds`]; then nothing was changed.
    pub fn add_instance(
        &mut self,
        mesh: u32,
        place: &Similarity,
        layers: u32,
        user: u64,
    ) -> Result<Handle, MovingError> {
        let record = self.instance_record(mesh, place, layers, user)?;
        self.add(&record, record.bounds)
    }

    /// Adds a box without a mesh. For queries it is solid and closed.
    ///
    /// # Errors
    /// As [`add_instance`](Self::add_instance).
    pub fn add_box(&mut self, bounds: &Aabb, layers: u32, user: u64) -> Result<Handle, MovingError> {
        let (bounds, grown) = box_bounds(bounds)?;
        let record = Instance { user, layers, bounds, ..BOX };
        self.add(&record, grown)
    }

    fn add(&mut self, record: &Instance, tight: Bounds) -> Result<Handle, MovingError> {
        let capacity = self.capacity();
        let number = match self.free {
            NONE if self.tree.used as u32 == capacity => {
                let needed = Self::bytes_needed(capacity.saturating_add(1));
                return Err(MovingError::Full { capacity, needed });
            }
            NONE => {
                let new = self.tree.used;
                self.tree.used += 1;
                self.tree.memory.generations[new] = 0;
                new
            }
            free => {
                self.free = self.tree.memory.states[free as usize];
                let generation = &mut self.tree.memory.generations[free as usize];
                *generation = generation.wrapping_add(1);
                free as usize
            }
        };
        self.count += 1;
        let memory = &mut self.tree.memory;
        let bounds = self.fatness.around(&tight, &[0.0; 6]);
        let leaf = InstanceLeaf { bounds, instance: number as u32, slot: NONE };
        let (held_record, held_leaf) = memory.held.change(number);
        (*held_record, *held_leaf) = (*record, leaf);
        memory.layers[number] = record.layers;
        memory.states[number] = ENABLED;
        memory.addresses[number] = NONE;
        let generation = memory.generations[number];
        self.tree.insert(number);
        Ok(Handle { number: number as u32, generation })
    }

    /// Removes a thing. Its memory is used again.
    ///
    /// # Errors
    /// [`MovingError::NoSuchThing`].
    pub fn remove(&mut self, handle: Handle) -> Result<(), MovingError> {
        let number = self.number_of(handle)?;
        self.hide(number);
        self.tree.memory.states[number] = self.free;
        self.free = handle.number;
        self.count -= 1;
        Ok(())
    }

    /// Enables or disables a thing: queries see enabled ones only. A disabled one may be moved.
    ///
    /// # Errors
    /// [`MovingError::NoSuchThing`].
    pub fn set_enabled(&mut self, handle: Handle, is_enabled: bool) -> Result<(), MovingError> {
        let number = self.number_of(handle)?;
        match (self.tree.memory.states[number] == ENABLED, is_enabled) {
            (true, false) => {
                self.hide(number);
                self.tree.memory.states[number] = DISABLED;
            }
            (false, true) => {
                self.tree.memory.held.change(number).0.layers = self.tree.memory.layers[number];
                self.tree.memory.states[number] = ENABLED;
                self.tree.insert(number);
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes a thing out of the tree, if it is there.
    fn hide(&mut self, number: usize) {
        if self.tree.memory.states[number] == ENABLED {
            self.tree.remove(number);
        }
        self.tree.memory.held.change(number).0.layers = 0;
    }

    /// Moves an instance. Cost: a few nodes.
    ///
    /// # Errors
    /// [`MovingError::NoSuchThing`], [`MovingError::OtherKind`] or [`MovingError::Bounds`]; then nothing was changed.
    pub fn move_instance(&mut self, handle: Handle, place: &Similarity) -> Result<(), MovingError> {
        let number = self.number_of(handle)?;
        let held = &self.tree.memory.held.records()[number];
        if held.mesh == NONE {
            return Err(MovingError::OtherKind);
        }
        let record = self.instance_record(held.mesh, place, held.layers, held.user)?;
        let motion = outward(&held.bounds, &record.bounds);
        *self.tree.memory.held.change(number).0 = record;
        self.move_leaf(number, &record.bounds, &motion);
        Ok(())
    }

    /// Moves a box, or changes its size. Cost: a few nodes.
    ///
    /// # Errors
    /// As [`move_instance`](Self::move_instance).
    pub fn move_box(&mut self, handle: Handle, bounds: &Aabb) -> Result<(), MovingError> {
        let number = self.number_of(handle)?;
        let held = &self.tree.memory.held.records()[number];
        if held.mesh != NONE {
            return Err(MovingError::OtherKind);
        }
        let (bounds, grown) = box_bounds(bounds)?;
        let motion = outward(&held.bounds, &bounds);
        self.tree.memory.held.change(number).0.bounds = bounds;
        self.move_leaf(number, &grown, &motion);
        Ok(())
    }

    fn move_leaf(&mut self, number: usize, tight: &Bounds, motion: &Bounds) {
        let memory = &mut self.tree.memory;
        if self.fatness.keeps(&memory.held.leaves()[number].bounds, tight) {
            return;
        }
        memory.held.change(number).1.bounds = self.fatness.around(tight, motion);
        if memory.states[number] == ENABLED {
            self.tree.set_leaf(number);
        }
    }

    /// Makes the tree tight where things were moved or removed, from the bottom up, and builds a new one where its cost for each
    /// thing, by the surface-area heuristic, is more than 1.5 times that of the last one that was built.
    pub fn update(&mut self) -> Updated {
        let refitted = self.tree.refit();
        let is_rebuilt = self.tree.node_count > 1 && self.tree.cost() > REBUILD * self.tree.built_cost;
        if is_rebuilt {
            self.tree.rebuild();
        }
        Updated { is_rebuilt, refitted }
    }

    /// Builds a new tree, whatever the last one costs.
    pub fn rebuild(&mut self) {
        self.tree.rebuild();
    }

    /// All as it is now, to query.
    pub fn snapshot(&self) -> Snapshot<'_> {
        let (tree, memory) = (&self.tree, &self.tree.memory);
        let moving = Things {
            nodes: &memory.nodes[..tree.node_count],
            node_layers: &memory.node_layers[..tree.node_count],
            leaves: &memory.held.leaves()[..tree.used],
            records: &memory.held.records()[..tree.used],
            models: self.models,
            in_place: None,
            extent: Extent::of(&bounds_of(match tree.len {
                0 => [0.0; 6],
                _ => memory.node_bounds[0],
            })),
            layers: self.still.layers,
            level: self.still.level,
        };
        Snapshot {
            still: self.still,
            moving,
            generations: memory.generations,
            origin: self.origin,
            changes: memory.held.changes(self.identity, tree.used),
        }
    }

    fn instance_record(
        &self,
        mesh: u32,
        place: &Similarity,
        layers: u32,
        user: u64,
    ) -> Result<Instance, MovingError> {
        let model = self.models.get(mesh as usize).and_then(Option::as_ref);
        let model = model.ok_or(MovingError::NoSuchMesh { mesh })?;
        let root = model.sections().nodes().first().ok_or(MovingError::NoSuchMesh { mesh })?;
        let [a, b, c, d, e, f] = tree::node_bounds(root);
        let bounds = place.image_of_box(&Aabb::new([a, b, c], [d, e, f]), GROWTH);
        let bounds = checked(bounds).ok_or(MovingError::Bounds)?;
        Ok(Instance { bounds, mesh, layers, user, ..place.record() })
    }
}

/// The record of a box at no place.
const BOX: Instance = Instance {
    position: [0.0; 3],
    rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    scale: 1.0,
    id: 0,
    user: 0,
    mesh: NONE,
    layers: 0,
    flags: Instance::MOVABLE,
    reserved: 0,
    bounds: [0.0; 6],
};

/// A box as it is and as the tree has it.
fn box_bounds(bounds: &Aabb) -> Result<(Bounds, Bounds), MovingError> {
    let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
    let own = checked([a, b, c, d, e, f]).filter(|_| !bounds.is_empty()).ok_or(MovingError::Bounds)?;
    let largest = own.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    // A sixteenth more than GROWTH covers the rounding of sums, and the least normal number that of the product.
    let by = largest * (GROWTH * 1.0625) as f32 + f32::MIN_POSITIVE;
    let mut grown = own;
    for axis in 0..3 {
        (grown[axis], grown[axis + 3]) = (own[axis] - by, own[axis + 3] + by);
    }
    Ok((own, grown))
}

/// A box whose numbers are within 2^60.
fn checked(bounds: Bounds) -> Option<Bounds> {
    bounds.iter().fold(true, |all, x| all & (x.abs() <= MAX_COORDINATE)).then_some(bounds)
}

impl fmt::Debug for MovingWorld<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MovingWorld")
            .field("still", &self.still.records.len())
            .field("moving", &self.count)
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}
