//! F8: the values at all points of the lattice.
//!
//! At points of stored bricks distances are computed. Other bricks are divided until no surface is near the points of a part. Two points
//! that are together farther from the surface than from each other are on one side of it; winding numbers are computed where that says
//! nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use bvhc_format::field::{BRICK_POINTS, FIELD_WIDTH, FieldNode};
use bvhc_format::section::ArchivedDistanceField;
use bvhc_runtime::{Counters, Field, Model};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::{FieldFault, SAMPLES, has_distance};
use crate::field::{point_of, stored_bricks};

/// How many nodes and blocks closest points may visit together, for each byte of the field and of the model's tree. The
/// bunny takes 4, four thousand needles through one point 300.
const VISITS_OF_BYTE: u64 = 1 << 12;

/// How many at most: minutes of work.
const MOST_VISITS: u64 = 1 << 35;

/// The points of a brick.
const POINTS: usize = BRICK_POINTS * BRICK_POINTS * BRICK_POINTS;

/// Where a brick's point is among its points, after the one before it along each axis.
const STEPS: [usize; 3] = [1, BRICK_POINTS, BRICK_POINTS * BRICK_POINTS];

/// Of distances, which are rounded to f32.
const SHORTER: f64 = 1.0 - 1e-6;

/// A point of the lattice, by its index along each axis.
type Index = [usize; 3];

/// F8
pub(super) fn check(
    field: &Field<'_>,
    section: &ArchivedDistanceField<'_>,
    model: &Model<'_>,
) -> Result<(), FieldFault> {
    let sections = model.sections();
    let bytes = size_of_val::<[FieldNode]>(section.tiles.get())
        + size_of_val::<[FieldNode]>(section.bricks.get())
        + section.values.len()
        + size_of_val(sections.nodes())
        + sections.blocks().bytes();
    Check { field, section, model, visits: AtomicU64::new(0), most: most_visits(bytes as u64) }.all()
}

fn most_visits(bytes: u64) -> u64 {
    bytes.saturating_mul(VISITS_OF_BYTE).min(MOST_VISITS)
}

struct Check<'a, 's> {
    field: &'a Field<'a>,
    section: &'a ArchivedDistanceField<'s>,
    model: &'a Model<'a>,
    /// Nodes and blocks that closest points have visited, and how many they may.
    visits: AtomicU64,
    most: u64,
}

/// What is known of a point.
#[derive(Clone, Copy, Default)]
struct Known {
    position: [f64; 3],
    /// From the surface.
    distance: f64,
    value: f64,
}

impl Known {
    /// Whether the surface is not between this point and another one.
    fn is_beside(&self, other: &Self) -> bool {
        let square: f64 = (0..3).map(|axis| (self.position[axis] - other.position[axis]).powi(2)).sum();
        (self.distance + other.distance) * SHORTER > square.sqrt()
    }
}

impl Check<'_, '_> {
    fn all(&self) -> Result<(), FieldFault> {
        let of_stored = stored_bricks(self.section)
            .into_par_iter()
            .map(|brick| self.stored(brick))
            .collect::<Result<Vec<_>, _>>()?;
        let [_, rows, layers] = self.bricks();
        let of_others =
            (0..rows * layers).into_par_iter().map(|row| self.others(row)).collect::<Result<Vec<_>, _>>()?;
        let unknown: Vec<Index> = of_stored.into_iter().chain(of_others).flatten().collect();
        self.signs(&unknown)
    }

    /// Bricks along each axis.
    fn bricks(&self) -> Index {
        self.section.tile_counts.map(|count| count.to_native() as usize * FIELD_WIDTH)
    }

    /// A point in model units, rounded to f32; of fractions, what is between points.
    fn position(&self, at: [f64; 3]) -> [f32; 3] {
        [0, 1, 2].map(|axis| (self.field.origin()[axis] + at[axis] * self.field.voxel()) as f32)
    }

    fn position_of(&self, index: Index) -> [f32; 3] {
        self.position(index.map(|i| i as f64))
    }

    fn value(&self, index: Index) -> f64 {
        self.field.value_at(index.map(|i| i as u32)).into()
    }

    /// The distance of a position from the surface, at most this.
    fn distance(&self, position: [f32; 3], most: f64) -> Result<f64, FieldFault> {
        let mut counters = Counters::default();
        let nearest = self.model.closest_point_with(position, most as f32, &mut counters);
        let visits = counters.nodes + counters.blocks;
        if self.visits.fetch_add(visits, Ordering::Relaxed) > self.most {
            return Err(FieldFault::TooCostly);
        }
        Ok(nearest.map_or(most, |nearest| nearest.distance.into()))
    }

    /// What the error of a value may be at this distance, which was rounded to f32, as the value was.
    fn tolerance(&self, distance: f64) -> f64 {
        self.field.point_error() + (distance + f64::from(self.field.band())) / f64::from(1 << 23)
    }

    fn fault(&self, index: Index, expected: f64) -> FieldFault {
        FieldFault::Sample {
            position: self.position_of(index),
            found: self.value(index) as f32,
            error: self.field.point_error(),
            expected,
            rule: 8,
        }
    }

    /// Checks the distances in a stored brick, and that points which the surface does not separate are on one side. Returns the points
    /// whose sides that does not tell.
    fn stored(&self, brick: Index) -> Result<Vec<Index>, FieldFault> {
        let band = f64::from(self.field.band());
        let mut found = [Known::default(); POINTS];
        let mut unknown = Vec::new();
        for point in 0..POINTS {
            let within = point_of(point);
            let index = [0, 1, 2].map(|axis| brick[axis] * BRICK_POINTS + within[axis]);
            let position = self.position_of(index);
            let before = [0, 1, 2].map(|axis| (within[axis] > 0).then(|| found[point - STEPS[axis]]));
            // No point is farther from the surface than the one beside it, and the way there; beyond the band all count as one.
            let farther = 1.01 * self.field.voxel();
            if !has_distance(position) {
                found[point] =
                    Known { position: position.map(f64::from), distance: f64::INFINITY, value: 0.0 };
                continue;
            }
            let most = before.iter().flatten().fold(1.01 * band, |most, it| most.min(it.distance + farther));
            let distance = self.distance(position, most + self.field.point_error())?;
            let value = self.value(index);
            let (limited, tolerance) = (distance.min(band), self.tolerance(distance));
            if (value.abs() - limited).abs() > tolerance {
                return Err(self.fault(index, limited));
            }
            let here = Known { position: position.map(f64::from), distance, value };
            found[point] = here;
            // With another sign it would be within the error, too.
            if !self.field.signs_are_exact() || value.abs() + limited <= tolerance {
                continue;
            }
            match before.iter().flatten().find(|it| it.value != 0.0 && it.is_beside(&here)) {
                Some(it) if (it.value < 0.0) != (value < 0.0) => return Err(self.fault(index, -value)),
                Some(_) => {}
                None => unknown.push(index),
            }
        }
        Ok(unknown)
    }

    /// The same for the bricks of a row along x that are not stored.
    fn others(&self, row: usize) -> Result<Vec<Index>, FieldFault> {
        let [columns, rows, _] = self.bricks();
        let (mut unknown, mut before) = (Vec::new(), None);
        let least = f64::from(self.field.band()) - self.field.point_error();
        // From the last point of a brick to the first of the next, wherever f32 puts them.
        let are_linked = 2.0 * least * SHORTER > self.field.voxel() + 2.0 * self.field.point_error();
        for x in 0..columns {
            let brick = [x, row % rows, row / rows];
            if self.is_stored(brick) {
                before = None;
                continue;
            }
            let first = brick.map(|i| i * BRICK_POINTS);
            self.beyond(first, BRICK_POINTS, least)?;
            let is_inside = self.value(first) < 0.0;
            match before {
                Some(other) if other != is_inside => return Err(self.fault(first, -self.value(first))),
                Some(_) => {}
                None if self.field.signs_are_exact() => unknown.push(first),
                None => {}
            }
            before = Some(is_inside).filter(|_| are_linked && self.field.signs_are_exact());
        }
        Ok(unknown)
    }

    fn is_stored(&self, brick: Index) -> bool {
        let tile = brick.map(|i| i / FIELD_WIDTH);
        let [columns, rows, _] = self.section.tile_counts.map(|count| count.to_native() as usize);
        let node: &FieldNode = &self.section.tiles.get()[tile[0] + columns * (tile[1] + rows * tile[2])];
        let [x, y, z] = brick.map(|i| i % FIELD_WIDTH);
        node.child((x + FIELD_WIDTH * (y + FIELD_WIDTH * z)) as u32).is_some()
    }

    /// Checks that a cube of points is this far from the surface.
    fn beyond(&self, first: Index, width: usize, least: f64) -> Result<(), FieldFault> {
        let half = (width - 1) as f64 / 2.0;
        let middle = self.position(first.map(|i| i as f64 + half));
        let reach = least + half * 3f64.sqrt() * self.field.voxel();
        // Where f32 is rougher than the band is wide, nothing is claimed.
        if reach <= 0.0 {
            return Ok(());
        }
        let is_known = has_distance(middle);
        let distance = if is_known { self.distance(middle, reach * (1.0 + 1e-6))? } else { 0.0 };
        if distance + self.tolerance(distance) - self.field.point_error() >= reach {
            return Ok(());
        }
        if width == 1 {
            return if is_known { Err(self.fault(first, distance)) } else { Ok(()) };
        }
        (0..8).try_for_each(|part| {
            let step = [part & 1, part >> 1 & 1, part >> 2].map(|bit| bit * width / 2);
            self.beyond([0, 1, 2].map(|axis| first[axis] + step[axis]), width / 2, least)
        })
    }

    /// Checks on which sides of the surface points are: of some, if they are so many that walks through the whole tree would take too
    /// long.
    fn signs(&self, points: &[Index]) -> Result<(), FieldFault> {
        let sections = self.model.sections();
        let visits = sections.nodes().len() + sections.blocks().count();
        let most = (MOST_VISITS as usize / visits.max(1)).max(SAMPLES as usize);
        let check = |index: &Index| {
            let winding = self.model.winding(self.position_of(*index));
            let is_inside = winding.is_some_and(|winding| winding.value != 0.0);
            let value = self.value(*index);
            ((value < 0.0) != is_inside).then(|| self.fault(*index, -value))
        };
        let step = points.len().div_ceil(most).max(1);
        points.into_par_iter().step_by(step).find_map_first(check).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Options, compile};
    use crate::field::Options as FieldOptions;

    /// A field whose distances take longer than its bytes allow is refused.
    #[test]
    fn work_is_bounded() {
        let triangles = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        let options = Options { field: Some(FieldOptions::new(24)), obb: None, ..Options::default() };
        let compiled = compile(triangles.as_bytes(), "source", &options, &()).expect("it compiles");
        let model = Model::from_bytes(&compiled.bytes).expect("it opens");
        let (field, section) = (model.field().expect("a field"), model.sections().field().expect("a field"));
        let check =
            |most| Check { field: &field, section, model: &model, visits: AtomicU64::new(0), most }.all();
        assert_eq!(check(u64::MAX), Ok(()));
        assert_eq!(check(1000), Err(FieldFault::TooCostly));
        assert_eq!([most_visits(1), most_visits(u64::MAX)], [VISITS_OF_BYTE, MOST_VISITS]);
    }
}
