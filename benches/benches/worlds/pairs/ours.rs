//! bvhc's ways to find pairs, behind the peers' trait.

use bvhc_benches::peers::broad::{Box6, BroadPhase, Pair};
use bvhc_benches::peers::level;
use bvhc_runtime::{Aabb, Handle, KeptPairs, MovingWorld, SweepAndPrune, Thing, ThingPair, World};

/// Of the world whose pairs are kept: a few frames of motion.
const FATNESS: f32 = 0.1;
/// The most pairs, of boxes with margins.
pub(crate) const PLACES: usize = 400_000;

/// How pairs are found.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Trees,
    Sweep,
    /// Kept pairs, in a world with fat leaves.
    Kept,
}

/// What pairs are found by.
enum Finder<'m> {
    Trees,
    Sweep(SweepAndPrune<'m>),
    Kept(KeptPairs<'m>),
}

pub(crate) struct Ours<'m> {
    world: MovingWorld<'m>,
    finder: Finder<'m>,
    handles: Vec<Handle>,
    still: u32,
    found: Vec<ThingPair>,
    /// How many of these the last frame found.
    count: usize,
}

fn bounds(of: &Box6) -> Aabb {
    let [a, b, c, d, e, f] = *of;
    Aabb::new([a, b, c], [d, e, f])
}

/// The memory of a world and of what finds its pairs.
#[derive(Default)]
pub(crate) struct Memory {
    world: Vec<u8>,
    finder: Vec<u8>,
}

impl<'m> Ours<'m> {
    pub(crate) fn new(still: Option<&World<'m>>, boxes: &[Box6], way: Way, memory: &'m mut Memory) -> Self {
        let capacity = boxes.len() as u32;
        memory.world = vec![0; MovingWorld::bytes_needed(capacity)];
        let world = match still {
            Some(still) => MovingWorld::new(*still, capacity, &mut memory.world),
            None => MovingWorld::of_models(&[], level(), capacity, &mut memory.world),
        };
        let mut world = world.expect("there is memory");
        if way == Way::Kept {
            world.fatten(FATNESS).expect("a fatness");
        }
        let handles = boxes.iter().map(|of| world.add_box(&bounds(of), 1, 0).expect("it fits")).collect();
        world.rebuild();
        let finder = match way {
            Way::Trees => Finder::Trees,
            Way::Sweep => {
                let count = world.box_capacity();
                memory.finder = vec![0; SweepAndPrune::bytes_needed(count, PLACES)];
                Finder::Sweep(SweepAndPrune::new(count, PLACES, &mut memory.finder).expect("there is memory"))
            }
            Way::Kept => {
                memory.finder = vec![0; KeptPairs::bytes_needed(capacity, PLACES)];
                Finder::Kept(KeptPairs::new(capacity, PLACES, &mut memory.finder).expect("there is memory"))
            }
        };
        let nothing = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };
        let still = still.map_or(0, World::instance_count);
        Self { world, finder, handles, still, found: vec![nothing; PLACES], count: 0 }
    }

    fn index(&self, thing: Thing) -> u32 {
        match thing {
            Thing::Still(number) => number,
            Thing::Moving(handle) => self.still + handle.number,
        }
    }
}

impl BroadPhase for Ours<'_> {
    fn move_boxes(&mut self, moved: &[u32], boxes: &[Box6]) {
        for index in moved {
            let of = &boxes[*index as usize];
            self.world.move_box(self.handles[*index as usize], &bounds(of)).expect("it is there");
        }
    }

    fn update(&mut self) {
        self.world.update();
    }

    fn pairs(&mut self, _pairs: &mut [Pair]) -> usize {
        let now = self.world.snapshot();
        let found = match &mut self.finder {
            Finder::Trees => now.near_pairs_into(0.0, &mut self.found),
            Finder::Sweep(sweep) => sweep.near_pairs_into(&now, 0.0, &mut self.found),
            Finder::Kept(kept) => kept.near_pairs_into(&now, 0.0, &mut self.found),
        };
        self.count = found.expect("there are places");
        self.count
    }

    fn convert(&self, pairs: &mut [Pair]) {
        for (to, pair) in pairs.iter_mut().zip(&self.found[..self.count]) {
            *to = [self.index(pair.a), self.index(pair.b)];
        }
    }

    fn rebuild(&mut self) -> bool {
        self.world.rebuild();
        true
    }
}
