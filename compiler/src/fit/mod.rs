//! Fits of oriented boxes to points: pure functions, independent of meshes, trees and bytes.
//!
//! [`fit`] computes the convex hull, fits sets without volume in closed form and all others by the given method, and
//! makes of the frame that was found a box that holds every point exactly. `enclose` is for parts of trees, of any size.
//!
//! All computations are in f64 in one fixed order, random numbers are seeded and ties go to the first, so a box depends
//! on the points, their order and the method only.

mod cloud;
mod covariance;
mod descent;
mod dito;
mod enclose;
mod exact;
mod few;
mod flat;
mod frame;
pub mod genetic;
mod hull;
pub mod memetic;
mod obb;
mod objective;
mod plane;
mod polytope;
mod random;
mod silhouette;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use covariance::of_points as principal_axes;
#[cfg(test)]
pub(crate) use enclose::MANY;
pub(crate) use enclose::{enclose, sort_and_dedup};
pub(crate) use frame::{Columns, LANES, greater, lesser};
pub use frame::{Frame, smallest_rotation};
pub use obb::Obb;
pub use objective::Objective;
pub use polytope::Polytope;

use cloud::Cloud;
use dito::{Directions, Dito};
use exact::Exact;
use genetic::Genetic;
use hull::{Hull, Shape};
use memetic::Memetic;

/// How a box's orientation is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// The principal axes of the points.
    Covariance,
    /// The principal axes of the surface of the hull.
    HullCovariance,
    /// The tetrahedra of Larsson and Kallberg among 14 extreme points.
    Dito14,
    /// The same among 26.
    Dito26,
    /// The better of the local optima near what DiTO-26 and the covariance find. Of a tree's boxes around few points, the
    /// local optimum near the better of two frames.
    #[default]
    Descent,
    /// The genetic search of Ramirez, Navarro, Carmona and Dos Ramos.
    Genetic(genetic::Parameters),
    /// A genetic search among local optima.
    Memetic(memetic::Parameters),
    /// The least box, proven to a part in a million; for up to a few hundred vertices of the hull.
    Exact,
}

impl Method {
    /// The memetic search with its default parameters: what the best quality takes.
    pub const MEMETIC: Self = Self::Memetic(memetic::Parameters::DEFAULT);

    /// Every method, those with parameters at their defaults.
    pub fn all() -> [Self; 8] {
        let genetic = genetic::Parameters::default();
        [
            Self::Covariance,
            Self::HullCovariance,
            Self::Dito14,
            Self::Dito26,
            Self::Descent,
            Self::Genetic(genetic),
            Self::MEMETIC,
            Self::Exact,
        ]
    }

    /// The method's name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Covariance => "covariance",
            Self::HullCovariance => "hull-covariance",
            Self::Dito14 => "dito14",
            Self::Dito26 => "dito26",
            Self::Descent => "descent",
            Self::Genetic(_) => "genetic",
            Self::Memetic(_) => "memetic",
            Self::Exact => "exact",
        }
    }

    /// The same search, but so much longer that it takes about `factor` times the time: a genetic one with more
    /// generations, a memetic one with more patience, which is also what a descent becomes. `None` where that would hardly
    /// be longer, where the limits do not allow it, and for methods that do not search.
    pub fn longer(&self, factor: f64) -> Option<Self> {
        match self {
            _ if factor < WORTHWHILE => None,
            Self::Descent => memetic::Parameters::longer_than_seeds(factor).map(Self::Memetic),
            Self::Genetic(parameters) => parameters.longer(factor).map(Self::Genetic),
            Self::Memetic(parameters) => parameters.longer(factor).map(Self::Memetic),
            _ => None,
        }
    }

    /// Whether there is a [`longer`](Self::longer) search.
    pub fn can_be_longer(&self) -> bool {
        matches!(self, Self::Descent | Self::Genetic(_) | Self::Memetic(_))
    }

    /// Whether the method draws random numbers, so that its boxes depend on a seed.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Genetic(_) | Self::Memetic(_))
    }
}

/// The limit of each count among the parameters of searches.
pub const MAX_COUNT: usize = 1_000_000;

/// A search is repeated only where it may be longer by at least this factor.
const WORTHWHILE: f64 = 1.5;

/// Reused memory of fits: a fit allocates only where it needs more than any before it.
#[derive(Debug, Default)]
pub struct Scratch {
    hull: Hull,
    cloud: Cloud,
    dito: Dito,
    genetic: Genetic,
    memetic: Memetic,
    exact: Exact,
}

impl Scratch {
    /// Of the points of the last fit, the indices of those that decide any box around them, ascending: the hull's
    /// vertices, or all if the set is flat. The hull of a union is that of the unions of these, so a tree can be fitted from its
    /// leaves up without looking at all points again.
    pub fn hull_vertices(&self) -> &[u32] {
        self.hull.vertices()
    }

    /// The best fitness of each generation of the last [`Method::Genetic`], the first one's first: 1 / measure.
    /// Flat sets need no generations and leave it as it is.
    pub fn genetic_history(&self) -> &[f64] {
        self.genetic.history()
    }
}

/// A box around points, of which there is at least one, all finite. Extents descend from the first axis to the last.
///
/// The box holds every point exactly (see [`Obb::around`]). Sets that are exactly on a line or in a plane are fitted
/// in closed form by every method.
pub fn fit(method: &Method, objective: Objective, points: &[[f32; 3]], scratch: &mut Scratch) -> Obb {
    around(points, objective, scratch, |scratch| solid(method, objective, scratch))
}

/// The same for a part of a tree: of these most are small, and descents around few points start once ([`few`]).
fn fit_part(method: &Method, objective: Objective, points: &[[f32; 3]], scratch: &mut Scratch) -> Obb {
    around(points, objective, scratch, |scratch| {
        let is_small = scratch.hull.vertices().len() <= few::FEW;
        if is_small && matches!(method, Method::Descent) {
            scratch.cloud.fill(scratch.hull.corners());
            let start = few::start(&scratch.hull, &scratch.cloud, objective);
            return scratch.memetic.descend(&scratch.hull, &scratch.cloud, objective, start).frame;
        }
        solid(method, objective, scratch)
    })
}

/// A box whose frame `of_solid` finds, unless the points are in one plane.
fn around(
    points: &[[f32; 3]],
    objective: Objective,
    scratch: &mut Scratch,
    of_solid: impl FnOnce(&mut Scratch) -> Frame,
) -> Obb {
    let frame = match scratch.hull.build(points) {
        Shape::Point(_) => Frame::IDENTITY,
        Shape::Line(ends) => flat::line(&scratch.hull, ends),
        Shape::Plane(corners) => flat::plane(&scratch.hull, corners, objective),
        Shape::Solid => of_solid(scratch),
    };
    Obb::around(&frame, scratch.hull.corners()).sorted()
}

/// Hulls of at most this many vertices, which are most of a tree's, are searched exactly by [`Method::Memetic`], too: it
/// takes no longer. (Measured: at 8 vertices the exact search takes half as long again.)
const FEW_VERTICES: usize = 6;

/// The frame of points that are not in one plane, of which the hull has been made.
fn solid(method: &Method, objective: Objective, scratch: &mut Scratch) -> Frame {
    let Scratch { hull, cloud, dito, genetic, memetic, exact } = scratch;
    cloud.fill(hull.corners());
    let has_few = hull.vertices().len() <= FEW_VERTICES;
    let found = match method {
        Method::Covariance => return covariance::of_points(hull.points().iter().copied()),
        Method::HullCovariance => return covariance::of_surface(hull),
        Method::Dito14 => return dito.fit(cloud, objective, Directions::Fourteen),
        Method::Dito26 => return dito.fit(cloud, objective, Directions::TwentySix),
        Method::Descent => return memetic.fit(hull, cloud, objective, &memetic::Parameters::SEEDS).frame,
        Method::Genetic(parameters) => return genetic.fit(cloud, objective, parameters),
        Method::Memetic(parameters) if !has_few => {
            return memetic.fit(hull, cloud, objective, parameters).frame;
        }
        Method::Exact if !has_few => memetic.fit(hull, cloud, objective, &memetic::Parameters::default()),
        Method::Memetic(_) | Method::Exact => {
            memetic.fit(hull, cloud, objective, &memetic::Parameters::SEEDS)
        }
    };
    exact.fit(hull, cloud, objective, found).frame
}
