//! The genetic search of the paper, with its parameters.
//!
//! Based on: Ramirez, Navarro, Carmona, Dos Ramos, "Optimizing collision detection based on OBB trees generated with
//! a genetic algorithm", 2009. A chromosome is four times 16 bits: a vector (x, y, z) from -1 to 1 and an angle from
//! 0 to 360 degrees around it. The paper's text is understood like this: the crossover is a one-point crossover of all
//! 64 bits, with its probability, else the first parent is copied; the mutation flips each bit with its probability (as
//! in Goldberg, "Genetic algorithms in search, optimization and machine learning", 1989); the generation gap is the
//! share of a population, its worst, that children replace. A zero vector means no rotation.

use super::MAX_COUNT;
use super::cloud::Cloud;
use super::frame::{Frame, rotation};
use super::objective::Objective;
use super::random::Random;
use crate::math::vector::unit;

/// The parameters of the search; the default is the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Chromosomes in a generation, at least 2.
    pub population: usize,
    /// Generations after the first.
    pub generations: usize,
    /// The probability that a child has two parents.
    pub crossover: f64,
    /// The probability that a bit of a child is flipped.
    pub mutation: f64,
    /// The share of a population that children replace.
    pub gap: f64,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { population: 100, generations: 150, crossover: 0.8, mutation: 0.03, gap: 0.2, seed: 0 }
    }
}

impl Parameters {
    /// The same with more generations, so that `factor` times as many boxes are measured; [`MAX_COUNT`] at most.
    pub(super) fn longer(&self, factor: f64) -> Option<Self> {
        let (size, children) = (self.population as f64, self.children() as f64);
        let generations = ((size + self.generations as f64 * children) * factor - size) / children;
        let generations = (generations as usize).min(MAX_COUNT);
        (children > 0.0 && generations > self.generations).then_some(Self { generations, ..*self })
    }

    /// How many children a generation has.
    fn children(&self) -> usize {
        ((self.population as f64 * self.gap).round() as usize).min(self.population)
    }
}

/// A rotation, and the inverse of its box's measure.
#[derive(Clone, Copy, Debug)]
struct Individual {
    chromosome: u64,
    fitness: f64,
}

/// Reused memory of a search.
#[derive(Debug, Default)]
pub(super) struct Genetic {
    population: Vec<Individual>,
    /// The chromosomes that may have children, and the sums of the fitness up to each.
    wheel: Vec<(f64, u64)>,
    history: Vec<f64>,
}

impl Genetic {
    /// The frame of the best chromosome found.
    pub(super) fn fit(&mut self, cloud: &Cloud, objective: Objective, parameters: &Parameters) -> Frame {
        let mut random = Random::new(parameters.seed);
        let parameters = Parameters { population: parameters.population.max(2), ..*parameters };
        let (size, children) = (parameters.population, parameters.children());
        let score = |chromosome| {
            let measure = objective.measure(cloud.extents(&decode(chromosome)));
            // Rounding may make the measure zero; the fitness must stay finite.
            let fitness = 1.0 / measure.max(f64::MIN_POSITIVE);
            Individual { chromosome, fitness }
        };
        self.population.clear();
        self.population.extend((0..size).map(|_| score(random.bits())));
        self.history.clear();
        for _ in 0..parameters.generations {
            self.rank();
            self.spin_up();
            for index in size - children..size {
                let child = self.breed(&parameters, &mut random);
                self.population[index] = score(child);
            }
        }
        self.rank();
        decode(self.population[0].chromosome)
    }

    /// The best fitness of each generation of the last search, the first one's first: 1 / measure.
    pub(super) fn history(&self) -> &[f64] {
        &self.history
    }

    /// Sorts the best first, and records its fitness.
    fn rank(&mut self) {
        self.population.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        self.history.push(self.population[0].fitness);
    }

    /// Puts the current population on the roulette wheel: children of this generation are not selected as parents.
    fn spin_up(&mut self) {
        // Relative to the best, so that the sum is finite.
        let best = self.population[0].fitness;
        self.wheel.clear();
        let sums = self.population.iter().scan(0.0, |sum, individual| {
            *sum += individual.fitness / best;
            Some((*sum, individual.chromosome))
        });
        self.wheel.extend(sums);
    }

    fn breed(&self, parameters: &Parameters, random: &mut Random) -> u64 {
        let (first, second) = (self.select(random), self.select(random));
        let mut child = first;
        if random.unit() < parameters.crossover {
            let kept = u64::MAX << (1 + random.below(63));
            child = first & kept | second & !kept;
        }
        for bit in 0..64 {
            if random.unit() < parameters.mutation {
                child ^= 1 << bit;
            }
        }
        child
    }

    /// A chromosome, each with a probability in proportion to its fitness.
    fn select(&self, random: &mut Random) -> u64 {
        let last = self.wheel.len() - 1;
        let stop = random.unit() * self.wheel[last].0;
        let index = self.wheel.partition_point(|(sum, _)| *sum <= stop);
        self.wheel[index.min(last)].1
    }
}

/// The frame of a chromosome: x, y, z and the angle, from the lowest 16 bits up.
fn decode(chromosome: u64) -> Frame {
    let part = |index: usize| f64::from((chromosome >> (16 * index)) as u16) / 65536.0;
    let angle = part(3) * std::f64::consts::TAU;
    match unit([0, 1, 2].map(|index| 2.0 * part(index) - 1.0)) {
        Some(axis) => Frame::from_quaternion(rotation(axis, angle)),
        None => Frame::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_paper_decodes_as_printed() {
        // (44154, 48625, 47698) is (0.3475, 0.4839, 0.4556); the angle 22935 is printed as 262.0129 degrees,
        // which is that of 47698: by the formula it is 125.99.
        let chromosome = 44154 | 48625 << 16 | 47698 << 32 | 22935 << 48;
        let axis = unit([0.3475, 0.4839, 0.4556]).unwrap();
        let expected = Frame::from_quaternion(rotation(axis, 125.99f64.to_radians()));
        let found = decode(chromosome);
        for (a, b) in found.axes.as_flattened().iter().zip(expected.axes.as_flattened()) {
            assert!((a - b).abs() < 1e-3, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn the_best_never_gets_worse() {
        let mut random = Random::new(5);
        let points: Vec<_> = (0..20).map(|_| random.direction()).collect();
        let mut cloud = Cloud::default();
        cloud.fill(points.into_iter());
        let mut genetic = Genetic::default();
        let frame = genetic.fit(&cloud, Objective::Volume, &Parameters::default());
        assert_eq!(genetic.history().len(), 151);
        assert!(genetic.history().is_sorted());
        let best = genetic.history()[150];
        assert_eq!(best, 1.0 / Objective::Volume.measure(cloud.extents(&frame)));
    }
}
