//! All triangles of a model, and where each is by its number.

use bvhc_format::record::{BLOCK_WIDTH, Block, ChildRef, NODE_WIDTH};

use crate::model::Model;
use crate::triangle::corners;

impl<'a> Model<'a> {
    /// Every triangle with its corners, each once, in the order of the file, which is not that of the numbers.
    ///
    /// The corners are in the source's winding; they are exact, but where the layout is small. Neither allocates nor panics.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
    /// let mut triangles: Vec<_> = model.triangles().collect();
    /// triangles.sort_by_key(|(number, _)| *number);
    /// assert_eq!(triangles[0], (0, [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn triangles(&self) -> impl Iterator<Item = (u32, [[f32; 3]; 3])> + use<'a> {
        let model = *self;
        model.addresses().map(move |(triangle, block, lane, _)| (triangle, corners(&block, lane)))
    }

    /// The number of every triangle, its block and lane, and the reference of the block.
    fn addresses(self) -> impl Iterator<Item = (u32, Block, usize, u32)> + use<'a> {
        self.sections().blocks().iter().flat_map(move |(reference, block)| {
            let lanes = 0..usize::from(block.triangles).min(BLOCK_WIDTH);
            lanes.filter_map(move |lane| {
                let triangle = self.triangle_at(block.first, lane)?;
                let split = u32::from(block.split) >> lane & 1 == 1;
                let reported = !split || self.is_first(triangle, reference);
                reported.then_some((triangle, block, lane, reference))
            })
        })
    }

    /// Whether a block is the first of those that hold a split triangle.
    fn is_first(&self, triangle: u32, reference: u32) -> bool {
        let first = self.slots_of(triangle).first().map(|address| address.to_native() as usize);
        let child = |address: usize| {
            Some(self.sections().nodes().get(address / NODE_WIDTH)?.children[address % NODE_WIDTH])
        };
        first.and_then(child).is_none_or(|child| child == reference | ChildRef::BLOCK_BIT)
    }
}

#[cfg(feature = "alloc")]
pub use table::TriangleTable;

#[cfg(feature = "alloc")]
mod table {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::Model;
    use crate::simd::dispatch;
    use crate::triangle::corners;
    use crate::triangle::ray::unit_normal;

    /// Where each triangle of a model is, by its number: for the corners and the normal of a triangle that a query named.
    ///
    /// Files do not hold this; making it reads all blocks once and allocates 8 bytes a triangle. Needs the feature `alloc`.
    ///
    /// ```
    /// use bvhc_runtime::{Model, Ray, TriangleTable, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
    /// let table = TriangleTable::new(model);
    /// let hit = model.closest_hit(&Ray::new([0.75, 0.25, 1.0], [0.0, 0.0, -1.0])).expect("it meets the quad");
    /// assert_eq!(table.corners(hit.triangle), Some([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]));
    /// assert_eq!(table.normal(hit.triangle), Some(hit.normal));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct TriangleTable<'a> {
        model: Model<'a>,
        /// The block's reference and the lane.
        addresses: Vec<(u32, u32)>,
    }

    /// A number that no triangle of the file has, which only a corrupt file may leave.
    const NOWHERE: (u32, u32) = (u32::MAX, 0);

    impl<'a> TriangleTable<'a> {
        /// The table of a model.
        pub fn new(model: Model<'a>) -> Self {
            // A corrupt file may count more triangles than it holds.
            let held = model.sections().geometry().triangles.len() as u64;
            let mut addresses = vec![NOWHERE; model.triangle_count().min(held) as usize];
            for (triangle, _, lane, reference) in model.addresses() {
                if let Some(address) = addresses.get_mut(triangle as usize) {
                    *address = (reference, lane as u32);
                }
            }
            Self { model, addresses }
        }

        /// The model.
        pub fn model(&self) -> Model<'a> {
            self.model
        }

        /// The corners of the triangle with this number, in the source's winding; `None` where there is no such number.
        pub fn corners(&self, triangle: u32) -> Option<[[f32; 3]; 3]> {
            let (reference, lane) = *self.addresses.get(triangle as usize)?;
            self.model.sections().blocks().get(reference).map(|block| corners(&block, lane as usize))
        }

        /// The unit normal of the triangle with this number, as in [`Hit`](crate::Hit).
        pub fn normal(&self, triangle: u32) -> Option<[f32; 3]> {
            let corners = self.corners(triangle)?;
            Some(dispatch!(self.model.level().inner(), simd => unit_normal(simd, &corners)))
        }
    }
}
