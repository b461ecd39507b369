//! The arguments of the tree of k-DOPs.

use bvhc_format::kdop::{Directions, Tables};
use clap::ValueEnum;

use crate::cli::error::UsageError;
use crate::pair::kdop;
use crate::pair::kdop::Split;

/// How the tree of k-DOPs is built. Arguments that are not given take the defaults of [`kdop::Options`].
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tree of k-DOPs, with --trees aabb,kdop")]
pub(in crate::cli) struct KdopArgs {
    /// The number of directions of k-DOPs: 6, 12, 14, 18, 26 or 42 [default: 14]
    #[arg(long, value_name = "K", value_parser = parse_k)]
    kdop_k: Option<u32>,
    /// What nodes store besides extents, for realignments that need it [default: none]
    #[arg(long, value_enum, value_name = "TABLES")]
    kdop_tables: Option<TablesArg>,
    /// How sets of triangles are partitioned [default: kinematic]
    #[arg(long, value_enum, value_name = "SPLIT")]
    kdop_split: Option<SplitArg>,
}

/// [`Split`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplitArg {
    /// At the median along the longest axis of a cheap box
    LongestAxisMedian,
    /// At the mean along the longest axis of a cheap box
    LongestAxisMean,
    /// At the midpoint along the longest of the directions
    LongestDirectionMidpoint,
    /// Where the parts are least likely to collide with similar parts
    Kinematic,
}

/// [`Tables`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TablesArg {
    /// Nothing: `query collide --realign triples` and `axes`
    None,
    /// Which rings around each direction hold corners: `--realign occupancy`
    Occupancy,
    /// How far corners extend along the edge of each direction's cone: `--realign profile`
    Profile,
}

impl KdopArgs {
    /// The options for building the tree.
    pub(in crate::cli) fn options(&self) -> kdop::Options {
        let default = kdop::Options::default();
        kdop::Options {
            k: self.kdop_k.unwrap_or(default.k),
            tables: self.kdop_tables.map_or(default.tables, Tables::from),
            split: self.kdop_split.map_or(default.split, Split::from),
        }
    }

    /// Refuses all of these flags, for a file without such a tree.
    pub(in crate::cli) fn refuse(&self) -> Result<(), UsageError> {
        let flags = [
            ("--kdop-k", self.kdop_k.is_some()),
            ("--kdop-tables", self.kdop_tables.is_some()),
            ("--kdop-split", self.kdop_split.is_some()),
        ];
        match flags.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(UsageError::NoEffect { flag, with: "--trees aabb,kdop" }),
            None => Ok(()),
        }
    }
}

impl From<TablesArg> for Tables {
    fn from(tables: TablesArg) -> Self {
        match tables {
            TablesArg::None => Self::None,
            TablesArg::Occupancy => Self::Occupancy,
            TablesArg::Profile => Self::Profile,
        }
    }
}

impl From<SplitArg> for Split {
    fn from(split: SplitArg) -> Self {
        match split {
            SplitArg::LongestAxisMedian => Self::LongestAxisMedian,
            SplitArg::LongestAxisMean => Self::LongestAxisMean,
            SplitArg::LongestDirectionMidpoint => Self::LongestDirectionMidpoint,
            SplitArg::Kinematic => Self::Kinematic,
        }
    }
}

fn parse_k(text: &str) -> Result<u32, String> {
    let k = text.parse().ok().filter(|k| Directions::COUNTS.contains(k));
    k.ok_or_else(|| "not one of 6, 12, 14, 18, 26 and 42".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        kdop: KdopArgs,
    }

    fn options(args: &str) -> kdop::Options {
        let args = std::iter::once("kdop").chain(args.split_whitespace());
        Alone::try_parse_from(args).expect("clap takes them").kdop.options()
    }

    #[test]
    fn every_argument_arrives() {
        assert_eq!(options(""), kdop::Options::default());
        for k in Directions::COUNTS {
            assert_eq!(options(&format!("--kdop-k {k}")).k, k);
        }
        for tables in Tables::ALL {
            assert_eq!(options(&format!("--kdop-tables {}", tables.name())).tables, tables);
        }
        for split in Split::ALL {
            assert_eq!(options(&format!("--kdop-split {}", split.name())).split, split);
        }
        assert!(Alone::try_parse_from(["kdop", "--kdop-k", "8"]).is_err());
    }

    #[test]
    fn the_help_tells_the_true_defaults() {
        let help = Alone::command().render_long_help().to_string();
        let default = kdop::Options::default();
        for value in [default.k.to_string(), default.tables.name().into(), default.split.name().into()] {
            assert!(help.contains(&format!("[default: {value}]")), "{value}: {help}");
        }
    }
}
