//! A genetic search in which every individual is a local optimum, found by descent.
//!
//! The first population starts from the results of DiTO-26 and of the covariance, and from random rotations. A child is
//! an interpolation of two parents, turned by a random rotation whose angle shrinks while nothing better is found.
//! Rotations that differ by one of the 24 symmetries of the cube are the same box, so of the second parent the one
//! nearest to the first is taken.
//!
//! Based on: Chang, Gorissen, Melchior, "Fast oriented bounding box optimization on the rotation group SO(3, R)",
//! 2011 (a genetic search whose individuals improve), and Moscato, "On evolution, search, optimization, genetic
//! algorithms and martial arts: towards memetic algorithms", 1989. Departures from the former: individuals are
//! rotations, not simplices of them, and improve by descent (see `descent.rs`) rather than by Nelder-Mead.

use super::MAX_COUNT;
use super::cloud::Cloud;
use super::covariance;
use super::descent::{Candidate, Descent};
use super::dito::{Directions, Dito};
use super::frame::{Frame, nearest_symmetric, product, rotation, slerp};
use super::hull::Hull;
use super::objective::Objective;
use super::random::Random;

/// Measures that differ by less than this, relatively, are taken for the same box.
const SAME: f64 = 1e-9;

/// The patience of a search grows by itself for every so many vertices of the hull: boxes around that many are few, the
/// largest of their trees, and searches miss the least box more often there. (Measured: of 20 searches for the bunny's box, 1,502
/// vertices, two ended 2.7 % above the least with a patience of 12, and none 0.01 % above it with 32.)
const VERTICES: usize = 512;

/// The parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Individuals, at least 2.
    pub population: usize,
    /// Children without a new best after which the search ends; one time more for every 512 vertices of the hull.
    pub patience: usize,
    /// The angle of the mutation right after a new best, in degrees.
    pub widest: f64,
    /// The angle of the mutation before the search ends, in degrees.
    pub narrowest: f64,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters {
    /// The defaults.
    pub const DEFAULT: Self = Self { population: 8, patience: 12, widest: 30.0, narrowest: 1.0, seed: 0 };

    /// Descents from what DiTO-26 and the covariance find, and no more.
    pub(super) const SEEDS: Self = Self { population: 2, patience: 0, widest: 1.0, narrowest: 1.0, seed: 0 };

    /// A search with about `factor` times as many descents as [`Self::SEEDS`], if that suffices for a population.
    pub(super) fn longer_than_seeds(factor: f64) -> Option<Self> {
        let descents = (Self::SEEDS.population as f64 * factor) as usize;
        let patience = descents.saturating_sub(Self::DEFAULT.population).min(MAX_COUNT);
        (patience > 0).then_some(Self { patience, ..Self::DEFAULT })
    }

    /// The same with more patience, so that at least `factor` times as many individuals descend; [`MAX_COUNT`] at most.
    pub(super) fn longer(&self, factor: f64) -> Option<Self> {
        let descents = (self.population + self.patience) as f64 * factor;
        let patience = (descents as usize).saturating_sub(self.population).min(MAX_COUNT);
        (patience > self.patience).then_some(Self { patience, ..*self })
    }
}

/// Reused memory of a search.
#[derive(Debug, Default)]
pub(super) struct Memetic {
    descent: Descent,
    dito: Dito,
    /// The best first.
    population: Vec<Individual>,
}

/// A descended rotation.
#[derive(Clone, Copy, Debug)]
struct Individual {
    candidate: Candidate,
    quaternion: [f64; 4],
}

impl Memetic {
    /// The best box found around a solid hull's vertices, which are the cloud.
    pub(super) fn fit(
        &mut self,
        hull: &Hull,
        cloud: &Cloud,
        objective: Objective,
        parameters: &Parameters,
    ) -> Candidate {
        self.descent.prepare(hull);
        let patience = parameters.patience * (1 + cloud.points().len() / VERTICES);
        let parameters = &Parameters { patience, ..*parameters };
        let mut random = Random::new(parameters.seed);
        self.found(cloud, objective, parameters, &mut random);
        let mut since_best = 0;
        while since_best < parameters.patience {
            let start = self.breed(parameters, since_best, &mut random);
            let best = self.population[0].candidate.measure;
            self.settle(self.population.len(), cloud, objective, start);
            since_best += 1;
            if self.population[0].candidate.measure < best * (1.0 - SAME) {
                since_best = 0;
            }
        }
        self.population[0].candidate
    }

    /// The local optimum near a frame.
    pub(super) fn descend(
        &mut self,
        hull: &Hull,
        cloud: &Cloud,
        objective: Objective,
        start: Frame,
    ) -> Candidate {
        self.descent.prepare(hull);
        self.descent.run(cloud, objective, start, |_| false)
    }

    /// Fills the first population.
    fn found(&mut self, cloud: &Cloud, objective: Objective, parameters: &Parameters, random: &mut Random) {
        let size = parameters.population.max(2);
        let dito = self.dito.fit(cloud, objective, Directions::TwentySix);
        let covariance = covariance::of_points(cloud.points());
        self.population.clear();
        self.settle(size, cloud, objective, dito);
        self.settle(size, cloud, objective, covariance);
        for _ in 2..size {
            self.settle(size, cloud, objective, Frame::from_quaternion(random.rotation()));
        }
    }

    /// Descends from a frame and inserts the result, unless it is known; drops the worst beyond `size`.
    fn settle(&mut self, size: usize, cloud: &Cloud, objective: Objective, start: Frame) {
        // The end of a descent is known as soon as its measure is.
        let is_known = |measure: f64| {
            self.population.iter().any(|known| (known.candidate.measure - measure).abs() <= SAME * measure)
        };
        let candidate = self.descent.run(cloud, objective, start, is_known);
        if is_known(candidate.measure) {
            return;
        }
        let is_better = |other: &Individual| other.candidate.measure <= candidate.measure;
        let rank = self.population.partition_point(is_better);
        self.population.insert(rank, Individual { candidate, quaternion: candidate.frame.quaternion() });
        self.population.truncate(size);
    }

    /// Where a child starts.
    fn breed(&self, parameters: &Parameters, since_best: usize, random: &mut Random) -> Frame {
        let (first, second) = (self.select(random), self.select(random));
        let between = slerp(first, nearest_symmetric(first, second), random.unit());
        let progress = since_best as f64 / parameters.patience as f64;
        let angle = parameters.widest * libm::pow(parameters.narrowest / parameters.widest, progress);
        let turn = rotation(random.direction(), angle.to_radians());
        Frame::from_quaternion(product(turn, between)).squared()
    }

    /// The better of two individuals.
    fn select(&self, random: &mut Random) -> [f64; 4] {
        let size = self.population.len();
        // They are sorted.
        self.population[random.below(size).min(random.below(size))].quaternion
    }
}
