//! Turns corners into vertices: those at the same position become one.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use crate::import::attributes::Attribute;
use crate::import::builder::Builder;
use crate::import::{DataFault, ImportError};
use crate::mesh::Polygons;

/// The vertices so far, by their positions.
#[derive(Default)]
pub(super) struct Corners {
    builder: Builder,
    numbers: HashMap<Position, u32, Keys>,
}

impl Corners {
    /// Makes room for this many triangles, as far as there is memory for them.
    pub(super) fn reserve(&mut self, triangles: usize) {
        // A closed surface has about half as many vertices.
        self.builder.reserve(triangles / 2, 3 * triangles);
        let _ = self.numbers.try_reserve(triangles / 2);
    }

    /// The triangles from here on belong to this object, or to none if the name is empty.
    pub(super) fn object(&mut self, name: &str) {
        self.builder.name(Attribute::Object, name);
    }

    /// Adds a triangle between vertices.
    pub(super) fn triangle(&mut self, vertices: [u32; 3]) -> Result<(), DataFault> {
        self.builder.face(&vertices)
    }

    /// The vertex at a position.
    pub(super) fn vertex(&mut self, position: [f64; 3]) -> Result<u32, DataFault> {
        let key = Position::of(position);
        if let Some(vertex) = self.numbers.get(&key) {
            return Ok(*vertex);
        }
        let vertex = self.builder.vertices();
        self.builder.vertex(position)?;
        self.numbers.insert(key, vertex);
        Ok(vertex)
    }

    /// The polygons; `name` is the source's name in messages.
    pub(super) fn finish(mut self, name: &str) -> Result<Polygons, ImportError> {
        self.builder.set_source_vertices(3 * u64::from(self.builder.faces()));
        self.builder.finish(name)
    }
}

/// The bits of a position as it is stored, with +0 for -0.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Position([u32; 3]);

impl Position {
    fn of(position: [f64; 3]) -> Self {
        Self(position.map(|x| (x as f32 + 0.0).to_bits()))
    }
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [x, y, z] = self.0.map(u64::from);
        state.write_u64(x | y << 32);
        state.write_u64(z);
    }
}

/// The keys of a hash of positions. They are random, so that no file can be made to have many equal hashes. The standard
/// hash is random as well, but as slow as all else together.
#[derive(Clone)]
struct Keys([u64; 2]);

impl Default for Keys {
    fn default() -> Self {
        let random = RandomState::new();
        Self([0u64, 1].map(|key| random.hash_one(key)))
    }
}

impl BuildHasher for Keys {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        let [hash, key] = self.0;
        Folded { hash, key: key | 1 }
    }
}

/// Multiplies to twice the width and folds the halves.
struct Folded {
    hash: u64,
    key: u64,
}

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.hash ^ word) * u128::from(self.key);
        self.hash = product as u64 ^ (product >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}
