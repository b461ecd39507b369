//! What a compiled file depends on, besides the model.

use std::collections::BTreeMap;
use std::num::{NonZeroUsize, ParseIntError};
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::{KdopArgs, ObbArgs};
use crate::cli::error::UsageError;
use crate::compile::{Layout, Options, Quality};
use crate::field;
use crate::optimise::Stop;
use crate::placement::{Axes, Placement};
use crate::section;

/// How a model is compiled. The file depends on all of it but the number of threads.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RecipeArgs {
    /// How much compile time to spend for faster queries
    #[arg(long, value_enum, default_value_t = QualityArg::Default, hide_possible_values = false)]
    quality: QualityArg,
    /// Which axes of the model become x, y and z, each with a minus if its direction is the opposite: `x,z,-y` turns a model whose
    /// z points up into one whose y does
    #[arg(long, value_name = "AXES", default_value_t = Axes::default(), allow_hyphen_values = true)]
    axis: Axes,
    /// Multiply all coordinates by this number
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true, value_parser = parse_scale)]
    scale: f64,
    /// Make one of vertices that are at most this far apart, after `--scale` [default: vertices at the same position
    /// are the same]
    #[arg(long, value_name = "DISTANCE", allow_negative_numbers = true, value_parser = parse_distance)]
    weld: Option<f64>,
    /// How the triangles are stored in the file
    #[arg(long, value_enum, default_value_t = LayoutArg::Fast, hide_possible_values = false)]
    layout: LayoutArg,
    /// The trees to write, separated by commas; the tree of axis-aligned boxes is always written
    /// [default: aabb,obb; with `--quality fast` aabb]
    #[arg(long, value_parser = tree_names(), value_delimiter = ',', value_name = "TREES")]
    trees: Option<Vec<String>>,
    /// Store what is across the edges of each triangle, so that contacts on flat or hollow edges can have the normals of faces:
    /// 36 bytes a triangle
    #[arg(long)]
    edges: bool,
    /// Find the triangles that intersect others, exactly, and store their numbers: a surface that is closed and has none is the boundary of a
    /// region. Triangles that share a corner or an edge intersect if they have more than that in common
    #[arg(long)]
    intersections: bool,
    /// Store the distance from the surface at the points of a lattice with so many cells along the longest axis, 4 to 2048, in a
    /// band near the surface: about 1.4 bytes for each point within the band
    #[arg(long, value_name = "RESOLUTION", value_parser = clap::value_parser!(u32).range(in_clap(field::Options::RESOLUTIONS)))]
    field: Option<u32>,
    /// With `--field`: how far the band reaches to either side of the surface, in cells, 1 to 16 [default: 3]
    #[arg(long, value_name = "CELLS", requires = "field", value_parser = clap::value_parser!(u32).range(in_clap(field::Options::BANDS)))]
    band: Option<u32>,
    /// With `--field`: the bits of a distance [default: 8]
    #[arg(long, value_name = "BITS", requires = "field", value_parser = PossibleValuesParser::new(["8", "16"]))]
    field_bits: Option<String>,
    /// With `--quality best`: the number of steps for optimising the tree [default: 16]; the file records it
    #[arg(long, value_name = "N")]
    steps: Option<u32>,
    /// Spend about this many seconds, instead of a number of steps, on what improves with time: with `--quality best`
    /// on optimising the tree, with `--obb-fit descent`, `memetic` or `genetic` on longer searches for oriented boxes; half on
    /// each if both apply. The file records the steps and the length of the searches as flags that reproduce it. All
    /// other stages, and one search of the usual length, are not bounded
    #[arg(long, value_name = "SECONDS", conflicts_with = "steps", allow_negative_numbers = true, value_parser = parse_seconds)]
    time_budget: Option<Duration>,
    /// Store a key and a value in the file's metadata; may be given several times, with different keys. Nothing else in
    /// the file depends on it
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_pair)]
    meta: Vec<(String, String)>,
    /// How many threads to use [default: one per processor]; the file does not depend on it
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    obb: ObbArgs,
    #[command(flatten)]
    kdop: KdopArgs,
}

impl RecipeArgs {
    /// The options for the compiler.
    pub(in crate::cli) fn options(&self) -> Result<Options, UsageError> {
        let quality = Quality::from(self.quality);
        let by_default = if quality.has_obbs() { &["obb"][..] } else { &[] };
        let placement = Placement { axes: self.axis, scale: self.scale, weld: self.weld };
        let mut options = Options {
            quality,
            placement,
            layout: self.layout.into(),
            obb: None,
            edges: self.edges,
            intersections: self.intersections,
            field: self.field(),
            ..Options::default()
        };
        match &self.trees {
            Some(trees) => trees.iter().try_for_each(|name| request(name, &mut options))?,
            None => by_default.iter().try_for_each(|name| request(name, &mut options))?,
        }
        match &mut options.obb {
            Some(options) => *options = self.obb.over(*options)?,
            None => self.obb.refuse()?,
        }
        match &mut options.kdop {
            Some(options) => *options = self.kdop.options(),
            None => self.kdop.refuse()?,
        }
        if options.samples && options.obb.is_none() {
            return Err(UsageError::NoEffect { flag: "--trees samples", with: "--trees aabb,obb" });
        }
        let searches = options.obb.is_some_and(|options| options.fit.can_be_longer());
        (options.stop, options.obb_time) = self.stop(searches)?;
        Ok(Options { user_metadata: self.user_metadata()?, threads: self.threads, ..options })
    }

    fn field(&self) -> Option<field::Options> {
        let defaults = field::Options::new(self.field?);
        let bits = match self.field_bits.as_deref() {
            Some("16") => field::Bits::Sixteen,
            _ => field::Bits::Eight,
        };
        Some(field::Options { band: self.band.unwrap_or(defaults.band), bits, ..defaults })
    }

    /// Whether anything is given that decides how a model is compiled.
    pub(in crate::cli) fn is_given(&self) -> bool {
        let options = self.options().ok();
        let is_default = options.is_some_and(|options| options.text(None) == Options::default().text(None));
        !is_default || !self.meta.is_empty() || self.is_timed()
    }

    fn user_metadata(&self) -> Result<BTreeMap<String, String>, UsageError> {
        let mut pairs = BTreeMap::new();
        for (key, value) in &self.meta {
            if pairs.insert(key.clone(), value.clone()).is_some() {
                return Err(UsageError::KeyTwice { key: key.clone() });
            }
        }
        Ok(pairs)
    }

    /// When to stop optimising, and how long to search for boxes.
    fn stop(&self, searches: bool) -> Result<(Stop, Option<Duration>), UsageError> {
        let is_best = self.quality == QualityArg::Best;
        match (self.steps, self.time_budget) {
            (Some(steps), _) if is_best => Ok((Stop::Steps(steps), None)),
            (Some(_), _) => Err(UsageError::NoEffect { flag: "--steps", with: "--quality best" }),
            (None, Some(time)) => match (is_best, searches) {
                (true, true) => Ok((Stop::After(time / 2), Some(time / 2))),
                (true, false) => Ok((Stop::After(time), None)),
                (false, true) => Ok((Stop::default(), Some(time))),
                (false, false) => Err(UsageError::NoEffect { flag: "--time-budget", with: TIMED }),
            },
            (None, None) => Ok((Stop::default(), None)),
        }
    }

    /// Whether the file depends on how fast this machine is.
    pub(in crate::cli) fn is_timed(&self) -> bool {
        self.time_budget.is_some()
    }
}

/// A range as clap takes it.
fn in_clap(range: std::ops::RangeInclusive<u32>) -> std::ops::RangeInclusive<i64> {
    i64::from(*range.start())..=i64::from(*range.end())
}

/// [`Quality`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum QualityArg {
    /// The fastest build: no oriented boxes, unless `--trees` names them
    Fast,
    /// Recommended for most uses
    Default,
    /// The best tree, slow to build; may split triangles
    Best,
}

/// [`Layout`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LayoutArg {
    /// The fastest to query, with the exact coordinates of the model
    Fast,
    /// Little more than half of the bytes; vertices move by up to 2^-15 of the size of their block of triangles
    Small,
}

/// The values of `--trees`: the tree that is always written, and those of all sections that have names.
fn tree_names() -> PossibleValuesParser {
    let aabb = ("aabb", "Axis-aligned boxes: for rays, points and overlaps");
    let others = section::ALL.iter().flat_map(|section| section.tree_names());
    let value = |(name, help): &(&'static str, &'static str)| PossibleValue::new(*name).help(*help);
    PossibleValuesParser::new([aabb].iter().chain(others).map(value).collect::<Vec<_>>())
}

/// Requests a tree by its name, with default options.
fn request(name: &str, options: &mut Options) -> Result<(), UsageError> {
    let Some(section) = section::by_tree_name(name) else { return Ok(()) };
    if section.tree_name(options).is_some_and(|other| other != name) {
        return Err(UsageError::TwoTrees {
            names: section.tree_names().iter().map(|(name, _)| *name).collect(),
        });
    }
    section.request(name, options);
    Ok(())
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Fast => Self::Fast,
            LayoutArg::Small => Self::Small,
        }
    }
}

impl From<QualityArg> for Quality {
    fn from(quality: QualityArg) -> Self {
        match quality {
            QualityArg::Fast => Self::Fast,
            QualityArg::Default => Self::Default,
            QualityArg::Best => Self::Best,
        }
    }
}

/// The flags that make use of a time budget.
const TIMED: &str = "--quality best, --obb-fit descent, --obb-fit memetic and --obb-fit genetic";

/// The most threads that may be requested.
const MAX_THREADS: usize = 1024;

pub(super) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().and_then(NonZeroUsize::new).filter(|number| number.get() <= MAX_THREADS);
    number.ok_or_else(|| format!("not a number from 1 to {MAX_THREADS}"))
}

/// A number of MiB, in bytes; more than there are count as all.
pub(super) fn parse_mebibytes(text: &str) -> Result<u64, ParseIntError> {
    text.parse().map(|number: u64| number.saturating_mul(1 << 20))
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.map(|(key, value)| (key.to_owned(), value.to_owned())).ok_or_else(|| "not KEY=VALUE".to_owned())
}

fn parse_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale: &f64| scale.is_finite() && *scale > 0.0);
    scale.ok_or_else(|| "not a number greater than 0".to_owned())
}

fn parse_distance(text: &str) -> Result<f64, String> {
    let distance = text.parse().ok().filter(|distance: &f64| distance.is_finite() && *distance >= 0.0);
    distance.ok_or_else(|| "not a distance".to_owned())
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "not a number of seconds".to_owned())
}
