//! `bvhc query pairs`: all pairs of instances of a world that are near each other.

use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::World;

use super::fields::push_quoted;
use super::world::name_of;
use crate::cli::args::PairsArgs;
use crate::cli::error::CliError;
use crate::cli::output;

/// Prints the pairs, sorted by name.
pub(super) fn run(world: &World<'_>, file: &str, args: &PairsArgs) -> Result<(), CliError> {
    let mut pairs = Vec::new();
    let asked = world.near_instances(args.margin, |found| {
        let [a, b] = [found.a, found.b].map(|instance| name_of(world, instance));
        pairs.push(if a <= b { (a, b, found.distance) } else { (b, a, found.distance) });
        ControlFlow::Continue(())
    });
    let _ = asked.map_err(|error| CliError::WorldPairs { file: file.to_owned(), error })?;
    pairs.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
    let mut text = "a,b,distance\n".to_owned();
    for (a, b, distance) in pairs {
        push_quoted(&mut text, &a);
        text.push(',');
        push_quoted(&mut text, &b);
        // Writing to a string cannot fail.
        let _ = writeln!(text, ",{distance}");
    }
    output::print(&text)
}
