//! The trees for pairs of models: all are optional.

use bvhc_format::kdop::KdopLayout;
use bvhc_format::obb::{MAX_OBB_DEPTH, SampleNode};
use bvhc_format::section::{
    ArchivedHullTree, ArchivedKdopTree, ArchivedObbTree, ArchivedSamples, ArchivedSweptTree, SectionKind,
};
use bvhc_format::swept::SweptLayout;

use super::{Sections, open_optional};
use crate::directory::Directory;
use crate::error::OpenError;

/// The trees for pairs of models that a file has.
#[derive(Clone, Copy)]
pub(super) struct PairTrees<'a> {
    obb: Option<&'a ArchivedObbTree<'static>>,
    samples: Option<&'a [SampleNode]>,
    kdop: Option<(&'a ArchivedKdopTree<'static>, KdopLayout)>,
    swept: Option<(&'a ArchivedSweptTree<'static>, SweptLayout)>,
    hulls: Option<&'a ArchivedHullTree<'static>>,
}

impl<'a> PairTrees<'a> {
    pub(super) fn open(directory: &Directory<'a>) -> Result<Self, OpenError> {
        let obb = open_obb_tree(directory)?;
        Ok(Self {
            obb,
            samples: open_samples(directory, obb)?,
            kdop: open_kdop_tree(directory)?,
            swept: open_swept_tree(directory)?,
            hulls: open_hull_tree(directory)?,
        })
    }
}

/// The trees for pairs of models.
impl<'a> Sections<'a> {
    /// The tree of oriented boxes, if the file has one.
    pub fn obb_tree(&self) -> Option<&'a ArchivedObbTree<'static>> {
        self.trees.obb
    }

    /// The sample vertices of each node of that tree, if the file has them.
    pub fn samples(&self) -> Option<&'a [SampleNode]> {
        self.trees.samples
    }

    /// The tree of k-DOPs, if the file has one.
    pub fn kdop_tree(&self) -> Option<&'a ArchivedKdopTree<'static>> {
        self.trees.kdop.map(|(tree, _)| tree)
    }

    /// The layout of that tree's rows.
    pub fn kdop_layout(&self) -> Option<KdopLayout> {
        self.trees.kdop.map(|(_, layout)| layout)
    }

    /// The tree of swept spheres, if the file has one, and the layout of its nodes.
    pub fn swept_tree(&self) -> Option<(&'a ArchivedSweptTree<'static>, SweptLayout)> {
        self.trees.swept
    }

    /// The tree of convex hulls, if the file has one.
    pub fn hull_tree(&self) -> Option<&'a ArchivedHullTree<'static>> {
        self.trees.hulls
    }
}

fn open_obb_tree<'a>(directory: &Directory<'a>) -> Result<Option<&'a ArchivedObbTree<'static>>, OpenError> {
    let tree: Option<&ArchivedObbTree<'static>> = open_optional(directory)?;
    check_depth(SectionKind::ObbTree, tree.map_or(0, |tree| tree.depth.to_native()))?;
    Ok(tree)
}

fn open_samples<'a>(
    directory: &Directory<'a>,
    tree: Option<&ArchivedObbTree<'_>>,
) -> Result<Option<&'a [SampleNode]>, OpenError> {
    let Some(section) = open_optional::<ArchivedSamples<'static>>(directory)? else { return Ok(None) };
    let (found, expected) = (section.nodes.len(), tree.map(ArchivedObbTree::node_count));
    if tree.is_none() && directory.has(SectionKind::ObbTree) {
        return Ok(None); // The tree is of a newer version, and skipped.
    }
    if expected == Some(found) {
        return Ok(Some(section.nodes.get()));
    }
    Err(OpenError::Samples { found: found as u64, expected: expected.unwrap_or(0) as u64 })
}

fn open_kdop_tree<'a>(
    directory: &Directory<'a>,
) -> Result<Option<(&'a ArchivedKdopTree<'static>, KdopLayout)>, OpenError> {
    let Some(tree) = open_optional::<ArchivedKdopTree<'static>>(directory)? else { return Ok(None) };
    check_depth(SectionKind::KdopTree, tree.depth.to_native())?;
    let (k, tables, rows) = (tree.k.to_native(), tree.tables.to_native(), tree.rows.len());
    let layout = KdopLayout::of(k, tables).filter(|layout| rows.is_multiple_of(layout.rows()));
    let wrong = OpenError::KdopTree { k, tables, rows: rows as u64 };
    layout.map(|layout| Some((tree, layout))).ok_or(wrong)
}

fn open_swept_tree<'a>(
    directory: &Directory<'a>,
) -> Result<Option<(&'a ArchivedSweptTree<'static>, SweptLayout)>, OpenError> {
    let Some(tree) = open_optional::<ArchivedSweptTree<'static>>(directory)? else { return Ok(None) };
    check_depth(SectionKind::SweptTree, tree.depth.to_native())?;
    let (core, rows) = (tree.core.to_native(), tree.rows.len());
    let wrong = OpenError::SweptTree { core, rows: rows as u64 };
    SweptLayout::of(core, rows).map(|layout| Some((tree, layout))).ok_or(wrong)
}

fn open_hull_tree<'a>(directory: &Directory<'a>) -> Result<Option<&'a ArchivedHullTree<'static>>, OpenError> {
    let tree: Option<&ArchivedHullTree<'static>> = open_optional(directory)?;
    check_depth(SectionKind::HullTree, tree.map_or(0, |tree| tree.depth.to_native()))?;
    Ok(tree)
}

/// For trees whose nodes have four children.
fn check_depth(kind: SectionKind, found: u32) -> Result<(), OpenError> {
    let most = MAX_OBB_DEPTH;
    if found > most { Err(OpenError::TooDeep { kind, found, most }) } else { Ok(()) }
}
