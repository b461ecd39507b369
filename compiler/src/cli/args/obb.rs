//! The arguments of the tree of oriented boxes.

use clap::ValueEnum;
use clap::builder::RangedU64ValueParser;

use crate::cli::error::UsageError;
use crate::fit::{self, Method, Objective, genetic, memetic};
use crate::pair::obb::{self, Split};

/// How the tree of oriented boxes is built. Arguments that are not given take the defaults of the quality.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tree of oriented boxes")]
pub(in crate::cli) struct ObbArgs {
    /// How the orientations of boxes are found; with `--quality best`, the default is memetic [default: descent]
    #[arg(long, value_enum, value_name = "FIT")]
    obb_fit: Option<FitArg>,
    /// What the fits minimise [default: volume]
    #[arg(long, value_enum, value_name = "MEASURE")]
    obb_objective: Option<ObjectiveArg>,
    /// How sets of triangles are partitioned [default: kinematic]
    #[arg(long, value_enum, value_name = "SPLIT")]
    obb_split: Option<SplitArg>,
    /// The most triangles in a leaf, 1 to 4 [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    leaf_size: Option<u8>,
    /// With `--obb-fit genetic` or `memetic`: the seed of the random numbers [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    genetic: GeneticArgs,
    #[command(flatten)]
    memetic: MemeticArgs,
}

/// [`genetic::Parameters`] as arguments.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --obb-fit genetic")]
struct GeneticArgs {
    /// Chromosomes in a generation, at least 2 [default: 100]
    #[arg(long, value_name = "N", value_parser = count(2))]
    ga_population: Option<usize>,
    /// Generations after the first [default: 150]
    #[arg(long, value_name = "N", value_parser = count(0))]
    ga_generations: Option<usize>,
    /// The probability that a child has two parents [default: 0.8]
    #[arg(long, value_name = "P", value_parser = parse_part)]
    ga_crossover: Option<f64>,
    /// The probability that a bit of a child is flipped [default: 0.03]
    #[arg(long, value_name = "P", value_parser = parse_part)]
    ga_mutation: Option<f64>,
    /// The fraction of a population, its worst, that children replace [default: 0.2]
    #[arg(long, value_name = "PART", value_parser = parse_part)]
    ga_gap: Option<f64>,
}

/// [`memetic::Parameters`] as arguments.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --obb-fit memetic")]
struct MemeticArgs {
    /// Individuals, at least 2 [default: 8]
    #[arg(long, value_name = "N", value_parser = count(2))]
    memetic_population: Option<usize>,
    /// Children without a new best after which a search ends, plus the same number for every 512 vertices of the hull
    /// [default: 12]
    #[arg(long, value_name = "N", value_parser = count(0))]
    memetic_patience: Option<usize>,
    /// The angle of the mutation right after a new best, in degrees [default: 30]
    #[arg(long, value_name = "ANGLE", value_parser = parse_angle)]
    memetic_widest: Option<f64>,
    /// The angle of the mutation before a search ends, in degrees [default: 1]
    #[arg(long, value_name = "ANGLE", value_parser = parse_angle)]
    memetic_narrowest: Option<f64>,
}

/// [`Method`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FitArg {
    /// The principal axes of the corners: the fastest
    Covariance,
    /// The principal axes of the hull's surface
    HullCovariance,
    /// Larsson and Kallberg's tetrahedra among 14 extreme points
    Dito14,
    /// The same among 26 extreme points
    Dito26,
    /// The better of the local optima near what `dito26` and `covariance` find, of few points one of them: recommended for most uses
    Descent,
    /// The genetic search of Ramirez, Navarro, Carmona and Dos Ramos: slow
    Genetic,
    /// A genetic search among local optima: takes several times as long as `descent`, and saves a per cent of the steps of queries
    Memetic,
    /// The smallest box, proven to within one part in a million: the slowest, minutes for many triangles
    Exact,
}

/// [`Objective`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ObjectiveArg {
    /// The volume of a box
    Volume,
    /// How likely a box is to collide with a similar one
    Collision,
}

/// [`Split`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplitArg {
    /// At the median along the longest axis of the set's box
    LongestAxisMedian,
    /// At the mean along the longest axis of the set's box
    LongestAxisMean,
    /// At the median along the longest axis of the box that `--obb-fit` finds: one more fit for every set
    FittedAxisMedian,
    /// In the middle of the longest axis of that box, as in the papers
    FittedAxisMidpoint,
    /// Where the parts are least likely to collide with similar parts
    Kinematic,
}

/// The fitting methods for which a flag has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Tree,
    Random,
    Genetic,
    Memetic,
}

impl Scope {
    /// The argument that a flag requires.
    fn name(self) -> &'static str {
        match self {
            Self::Tree => "--trees aabb,obb",
            Self::Random => "--obb-fit genetic and --obb-fit memetic",
            Self::Genetic => "--obb-fit genetic",
            Self::Memetic => "--obb-fit memetic",
        }
    }

    fn includes(self, method: &Method) -> bool {
        match self {
            Self::Tree => true,
            Self::Random => method.is_random(),
            Self::Genetic => matches!(method, Method::Genetic(_)),
            Self::Memetic => matches!(method, Method::Memetic(_)),
        }
    }
}

impl ObbArgs {
    /// The options for building the tree, given those of the quality.
    pub(in crate::cli) fn over(&self, default: obb::Options) -> Result<obb::Options, UsageError> {
        let fit = self.method(default.fit);
        match self.given().find(|(_, scope)| !scope.includes(&fit)) {
            Some((flag, scope)) => Err(UsageError::NoEffect { flag, with: scope.name() }),
            None => Ok(obb::Options {
                fit,
                objective: self.obb_objective.map_or(default.objective, Objective::from),
                split: self.obb_split.map_or(default.split, Split::from),
                leaf_size: self.leaf_size.unwrap_or(default.leaf_size),
                seed: self.seed.unwrap_or(default.seed),
            }),
        }
    }

    /// Refuses all of these flags, for a file without such a tree.
    pub(in crate::cli) fn refuse(&self) -> Result<(), UsageError> {
        match self.given().next() {
            Some((flag, _)) => Err(UsageError::NoEffect { flag, with: Scope::Tree.name() }),
            None => Ok(()),
        }
    }

    fn method(&self, default: Method) -> Method {
        match self.obb_fit {
            Some(FitArg::Covariance) => Method::Covariance,
            Some(FitArg::HullCovariance) => Method::HullCovariance,
            Some(FitArg::Dito14) => Method::Dito14,
            Some(FitArg::Dito26) => Method::Dito26,
            Some(FitArg::Descent) => Method::Descent,
            Some(FitArg::Genetic) => Method::Genetic(self.genetic.over(genetic::Parameters::default())),
            Some(FitArg::Memetic) => Method::Memetic(self.memetic.over(memetic::Parameters::default())),
            Some(FitArg::Exact) => Method::Exact,
            None => match default {
                Method::Memetic(parameters) => Method::Memetic(self.memetic.over(parameters)),
                other => other,
            },
        }
    }

    /// The flags that were given.
    fn given(&self) -> impl Iterator<Item = (&'static str, Scope)> {
        let Self { genetic, memetic, .. } = self;
        let flags = [
            ("--obb-fit", self.obb_fit.is_some(), Scope::Tree),
            ("--obb-objective", self.obb_objective.is_some(), Scope::Tree),
            ("--obb-split", self.obb_split.is_some(), Scope::Tree),
            ("--leaf-size", self.leaf_size.is_some(), Scope::Tree),
            ("--seed", self.seed.is_some(), Scope::Random),
            ("--ga-population", genetic.ga_population.is_some(), Scope::Genetic),
            ("--ga-generations", genetic.ga_generations.is_some(), Scope::Genetic),
            ("--ga-crossover", genetic.ga_crossover.is_some(), Scope::Genetic),
            ("--ga-mutation", genetic.ga_mutation.is_some(), Scope::Genetic),
            ("--ga-gap", genetic.ga_gap.is_some(), Scope::Genetic),
            ("--memetic-population", memetic.memetic_population.is_some(), Scope::Memetic),
            ("--memetic-patience", memetic.memetic_patience.is_some(), Scope::Memetic),
            ("--memetic-widest", memetic.memetic_widest.is_some(), Scope::Memetic),
            ("--memetic-narrowest", memetic.memetic_narrowest.is_some(), Scope::Memetic),
        ];
        flags.into_iter().filter(|(_, is_given, _)| *is_given).map(|(flag, _, scope)| (flag, scope))
    }
}

impl GeneticArgs {
    fn over(&self, default: genetic::Parameters) -> genetic::Parameters {
        genetic::Parameters {
            population: self.ga_population.unwrap_or(default.population),
            generations: self.ga_generations.unwrap_or(default.generations),
            crossover: self.ga_crossover.unwrap_or(default.crossover),
            mutation: self.ga_mutation.unwrap_or(default.mutation),
            gap: self.ga_gap.unwrap_or(default.gap),
            // Each fit of a tree has its own seed.
            seed: default.seed,
        }
    }
}

impl MemeticArgs {
    fn over(&self, default: memetic::Parameters) -> memetic::Parameters {
        memetic::Parameters {
            population: self.memetic_population.unwrap_or(default.population),
            patience: self.memetic_patience.unwrap_or(default.patience),
            widest: self.memetic_widest.unwrap_or(default.widest),
            narrowest: self.memetic_narrowest.unwrap_or(default.narrowest),
            seed: default.seed,
        }
    }
}

impl From<ObjectiveArg> for Objective {
    fn from(objective: ObjectiveArg) -> Self {
        match objective {
            ObjectiveArg::Volume => Self::Volume,
            ObjectiveArg::Collision => Self::Collision,
        }
    }
}

impl From<SplitArg> for Split {
    fn from(split: SplitArg) -> Self {
        match split {
            SplitArg::LongestAxisMedian => Self::LongestAxisMedian,
            SplitArg::LongestAxisMean => Self::LongestAxisMean,
            SplitArg::FittedAxisMedian => Self::FittedAxisMedian,
            SplitArg::FittedAxisMidpoint => Self::FittedAxisMidpoint,
            SplitArg::Kinematic => Self::Kinematic,
        }
    }
}

fn count(least: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..=fit::MAX_COUNT as u64)
}

fn parse_part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "not a number from 0 to 1".to_owned())
}

fn parse_angle(text: &str) -> Result<f64, String> {
    let angle = text.parse().ok().filter(|angle| *angle > 0.0 && *angle <= 180.0);
    angle.ok_or_else(|| "not an angle above 0 and up to 180 degrees".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        obb: ObbArgs,
    }

    fn options(args: &str) -> Result<obb::Options, UsageError> {
        let args = std::iter::once("obb").chain(args.split_whitespace());
        Alone::try_parse_from(args).expect("clap takes them").obb.over(obb::Options::default())
    }

    #[test]
    fn nothing_given_is_the_default() {
        assert_eq!(options("").unwrap(), obb::Options::default());
        assert_eq!(options("--obb-fit descent").unwrap().fit, obb::Options::default().fit);
    }

    #[test]
    fn every_name_is_the_librarys() {
        for method in Method::all() {
            assert_eq!(options(&format!("--obb-fit {}", method.name())).unwrap().fit, method);
        }
        for objective in Objective::ALL {
            let found = options(&format!("--obb-objective {}", objective.name()));
            assert_eq!(found.unwrap().objective, objective);
        }
        for split in Split::ALL {
            assert_eq!(options(&format!("--obb-split {}", split.name())).unwrap().split, split);
        }
        assert_eq!(FitArg::value_variants().len(), Method::all().len());
        assert_eq!(SplitArg::value_variants().len(), Split::ALL.len());
    }

    #[test]
    fn every_parameter_arrives() {
        let genetic = "--obb-fit genetic --ga-population 3 --ga-generations 4 --ga-crossover 0.5 \
                       --ga-mutation 0.25 --ga-gap 1 --seed 9 --leaf-size 2";
        let found = options(genetic).unwrap();
        let wanted = genetic::Parameters {
            population: 3,
            generations: 4,
            crossover: 0.5,
            mutation: 0.25,
            gap: 1.0,
            ..Default::default()
        };
        assert_eq!((found.fit, found.seed, found.leaf_size), (Method::Genetic(wanted), 9, 2));
        let memetic = "--obb-fit memetic --memetic-population 2 --memetic-patience 0 --memetic-widest 180 --memetic-narrowest 0.5";
        let wanted =
            memetic::Parameters { population: 2, patience: 0, widest: 180.0, narrowest: 0.5, seed: 0 };
        assert_eq!(options(memetic).unwrap().fit, Method::Memetic(wanted));
    }

    #[test]
    fn the_help_tells_the_true_defaults() {
        use clap::CommandFactory;
        let help = Alone::command().render_long_help().to_string();
        let default = obb::Options::default();
        let (genetic, memetic) = (genetic::Parameters::default(), memetic::Parameters::default());
        for value in [
            default.fit.name().to_owned(),
            default.objective.name().to_owned(),
            default.split.name().to_owned(),
            default.leaf_size.to_string(),
            default.seed.to_string(),
            genetic.population.to_string(),
            genetic.generations.to_string(),
            genetic.crossover.to_string(),
            genetic.mutation.to_string(),
            genetic.gap.to_string(),
            memetic.population.to_string(),
            memetic.patience.to_string(),
            memetic.widest.to_string(),
            memetic.narrowest.to_string(),
        ] {
            assert!(help.contains(&format!("[default: {value}]")), "{value}: {help}");
        }
    }
}
