//! Section obb-tree.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::flags::Flags;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::{Clock, Stage};
use crate::file::Section;
use crate::fit::{Method, genetic, memetic};
use crate::layout::{self, ObbForm, ObbRecords};
use crate::pair::obb;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::obb as rules;

pub(super) struct ObbTree;

impl Output for ObbTree {
    fn kind(&self) -> SectionKind {
        SectionKind::ObbTree
    }

    fn stage(&self) -> Stage {
        Stage::OBB
    }

    fn tree_names(&self) -> &'static [(&'static str, &'static str)] {
        &[("obb", "Oriented boxes: for mesh against mesh, several times faster than axis-aligned ones")]
    }

    fn request(&self, _name: &str, options: &mut Options) {
        options.obb = Some(options.quality.obb());
    }

    fn tree_name(&self, options: &Options) -> Option<&'static str> {
        options.obb.map(|_| "obb")
    }

    fn flags(&self, options: &Options, flags: &mut Flags<'_>) {
        if let Some(obb) = &options.obb {
            append(flags, obb, &options.quality.obb());
        }
    }

    fn prepare(&self, job: &Job<'_>, clock: &mut Clock<'_>) {
        job.prepare_oriented(clock);
    }

    fn is_of_pairs(&self) -> bool {
        true
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.obb.is_some()
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let (tree, packed) = (&job.oriented().0, job.laid_out.packing.is_some());
        let ObbRecords { origin, radius, depth, nodes, statistics } =
            layout::lay_out_obbs(tree, job.mesh, &mut *job.leaves()?, packed);
        let mut root = section::ObbTree { origin, radius, depth, ..section::ObbTree::EMPTY };
        match &nodes {
            ObbForm::Plain(nodes) => root.nodes = nodes,
            ObbForm::Packed(nodes) => root.packed_nodes = nodes,
        }
        Ok(Some(Made::tree(Section::new(&root), statistics)))
    }

    fn settle(&self, job: &Job<'_>, options: &mut Options) {
        options.obb = options.obb.map(|_| job.oriented().1);
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        Ok(rules::check(checked)?)
    }
}

fn append(flags: &mut Flags<'_>, options: &obb::Options, default: &obb::Options) {
    flags.flag("obb-fit", options.fit.name(), default.fit.name());
    match &options.fit {
        Method::Genetic(parameters) => append_genetic(flags, parameters),
        Method::Memetic(parameters) => append_memetic(flags, parameters),
        _ => {}
    }
    flags.flag("obb-objective", options.objective.name(), default.objective.name());
    flags.flag("obb-split", options.split.name(), default.split.name());
    flags.flag("leaf-size", options.leaf_size, default.leaf_size);
    if options.fit.is_random() {
        flags.flag("seed", options.seed, default.seed);
    }
}

/// The seed among the parameters is left out: the builder gives each fit a different one.
fn append_genetic(flags: &mut Flags<'_>, parameters: &genetic::Parameters) {
    let default = genetic::Parameters::default();
    flags.flag("ga-population", parameters.population, default.population);
    flags.flag("ga-generations", parameters.generations, default.generations);
    flags.flag("ga-crossover", parameters.crossover, default.crossover);
    flags.flag("ga-mutation", parameters.mutation, default.mutation);
    flags.flag("ga-gap", parameters.gap, default.gap);
}

fn append_memetic(flags: &mut Flags<'_>, parameters: &memetic::Parameters) {
    let default = memetic::Parameters::default();
    flags.flag("memetic-population", parameters.population, default.population);
    flags.flag("memetic-patience", parameters.patience, default.patience);
    flags.flag("memetic-widest", parameters.widest, default.widest);
    flags.flag("memetic-narrowest", parameters.narrowest, default.narrowest);
}
