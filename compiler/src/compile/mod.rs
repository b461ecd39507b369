//! The whole way from a source's bytes to a file's bytes.

mod options;
mod serialise;
mod source;
mod stage;

pub use options::{Layout, Options, Quality};
pub use source::Source;
pub use stage::{Progress, Stage};

use std::num::NonZeroUsize;
use std::time::Duration;

use bvhc_format::kdop::KdopLayout;
use bvhc_format::record::TreeStatistics;
use bvhc_format::swept::Cores;
use bvhc_runtime::Model;

use crate::clean::{self, CleanError};
use crate::file::Bytes;
use crate::import::ImportError;
use crate::layout::{self, KdopRecords, Packing, SweptRecords, Triangles, WideTree};
use crate::mesh::{Dropped, Mesh};
use crate::optimise::{self, Stop};
use crate::pair::kdop;
use crate::pair::obb;
use crate::tree::binary::BinaryTree;
use crate::tree::build::spatial::{self, Limits};
use crate::tree::build::{self, Builder};
use crate::tree::wide::Weighed;
use serialise::{Origin, Parts, serialise};
use stage::Clock;

/// A compiled file and what there is to say about it.
pub struct Compiled {
    /// The file.
    pub bytes: Bytes,
    /// What happened.
    pub report: Report,
}

/// What a compilation did.
#[derive(Clone, Debug)]
pub struct Report {
    /// BLAKE3 of the source.
    pub source_hash: blake3::Hash,
    /// Length of the source in bytes.
    pub source_length: u64,
    /// Faces of the source.
    pub source_faces: u64,
    /// Vertices of the source.
    pub source_vertices: u64,
    /// Triangles in the file.
    pub triangles: u64,
    /// Distinct positions in the file.
    pub vertices: u64,
    /// What cleaning left out.
    pub dropped: Dropped,
    /// Figures of each tree.
    pub trees: Vec<TreeStatistics>,
    /// Bytes of each tree: of the AABB tree's nodes and the blocks, of other trees' nodes and leaves.
    pub tree_bytes: Vec<u64>,
    /// How many steps the optimiser made, where the quality has one.
    pub steps: Option<u32>,
    /// What makes the tree of oriented boxes, where there is one: as asked for, or searches that are longer because
    /// there was time.
    pub obb: Option<obb::Options>,
    /// How far at most a coordinate has moved, in the model's units; 0 in a fast layout.
    pub position_error: f32,
    /// How long each stage took.
    pub seconds: Vec<(Stage, Duration)>,
}

/// Why a source could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The source could not be read as a mesh.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Nothing was left to compile.
    #[error(transparent)]
    Clean(#[from] CleanError),
    /// The threads could not be started.
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The packed blocks take more bytes than references can count.
    #[error("the model is too large for a small layout: its packed blocks would take more than 16 GiB")]
    TooLargeToPack,
    /// There are more blocks than the leaves of a tree for two models can refer to.
    #[error("the model is too large for trees of other volumes: its blocks take more than 2^28 references")]
    TooLargeForObbs,
    /// There are more rows of nodes than a hybrid of swept spheres can refer to.
    #[error("the model is too large for a hybrid of swept spheres: its nodes take more than 2^29 rows")]
    TooLargeForHybrid,
    /// There is no set of so many directions.
    #[error("there are no k-DOPs of {k} directions")]
    NoSuchKdop {
        /// How many were asked for.
        k: u32,
    },
}

/// As [`compile_source`], of the bytes of a model file.
///
/// # Errors
/// [`CompileError`], which names the place in the source.
pub fn compile(
    source: &[u8],
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Compiled, CompileError> {
    compile_source(&Source::File(source), name, options, progress)
}

/// Compiles a source, called `name` in messages, into a file.
///
/// The bytes depend on the source's bytes and on the options, but on neither `name`, the number of threads
/// nor the machine.
///
/// # Errors
/// [`CompileError`], which names the place in the source.
pub fn compile_source(
    source: &Source<'_>,
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Compiled, CompileError> {
    let threads = options.threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| run(source, name, options, progress))
}

fn run(
    source: &Source<'_>,
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Compiled, CompileError> {
    let mut clock = Clock { progress, seconds: Vec::new() };
    let (polygons, source_hash) =
        clock.time(Stage::Import, 0, || rayon::join(|| source.polygons(name), || source.hash()));
    let polygons = polygons?;
    let mut mesh = clock.time(Stage::Clean, 0, || clean::mesh(polygons, name))?;
    let tree =
        clock.time(Stage::Build, mesh.triangles.len() as u64, || grow(&mesh, options.quality, progress));
    let origin = Origin { hash: source_hash, length: source.length(), options: *options, steps: None };
    let (tree, steps) = match options.quality {
        Quality::Fast | Quality::Default => (Weighed::by_area(tree), None),
        Quality::Best => {
            let (tree, steps) = optimise_watched(tree, &mesh, &origin, &mut clock);
            (tree, Some(steps))
        }
    };
    let origin = Origin { steps, ..origin };
    let laid_out = clock.time(Stage::Layout, 0, || lay_out(&tree, &mut mesh, options.layout))?;
    drop(tree);
    let grown = match (options.obb, options.swept) {
        (None, None) => None,
        (asked, _) => Some(clock.time(Stage::Obb, mesh.triangles.len() as u64, || {
            grow_obbs(&mesh, &asked.unwrap_or_default(), options.obb_time.unwrap_or_default(), progress)
        })),
    };
    let obbs = match (&grown, options.obb) {
        (Some((tree, _)), Some(_)) => {
            let places = places(&mesh, &laid_out)?;
            Some(layout::lay_out_obbs(tree, &mesh, &places, laid_out.packing.is_some()))
        }
        _ => None,
    };
    let samples = grown
        .as_ref()
        .filter(|_| options.samples && options.obb.is_some())
        .map(|(tree, _)| clock.time(Stage::Samples, 0, || layout::lay_out_samples(tree, &mesh)));
    let kdops = match &options.kdop {
        None => None,
        Some(options) => Some(clock.time(Stage::Kdop, 0, || fit_kdops(&mesh, &laid_out, options))?),
    };
    let hull = options.kdop.and_then(|_| clock.time(Stage::Hull, 0, || layout::lay_out_hull(&mesh)));
    let swept = match (&grown, options.swept) {
        (Some((tree, _)), Some(cores)) => {
            Some(clock.time(Stage::Swept, 0, || fit_swept(tree, &mesh, &laid_out, cores))?)
        }
        _ => None,
    };
    let LaidOut { wide, packing, vertices } = laid_out;
    let obb = options.obb.and(grown.map(|(_, found)| found));
    let origin = Origin { options: Options { obb, ..*options }, ..origin };
    let parts = Parts {
        wide: &wide,
        packing: packing.as_ref(),
        obbs: obbs.as_ref(),
        samples: samples.as_deref(),
        kdops: kdops.as_ref(),
        hull: hull.as_ref(),
        swept: swept.as_ref(),
        vertices,
    };
    let bytes = clock.time(Stage::Serialise, 0, || serialise(&mesh, &parts, &origin));
    let report = Report {
        source_hash,
        source_length: origin.length,
        source_faces: mesh.source_faces,
        source_vertices: mesh.source_vertices,
        triangles: mesh.triangles.len() as u64,
        vertices: u64::from(vertices),
        dropped: mesh.dropped,
        trees: parts.statistics(),
        tree_bytes: parts.tree_bytes(),
        steps,
        obb,
        position_error: packing.map_or(0.0, |packing| packing.position_error),
        seconds: clock.seconds,
    };
    Ok(Compiled { bytes, report })
}

/// Builds the binary tree.
fn grow(mesh: &Mesh, quality: Quality, progress: &dyn Progress) -> BinaryTree {
    let on_leaves = |leaves| progress.advance(leaves);
    let of_boxes = |builder| build::build(&layout::triangle_boxes(mesh), builder, &on_leaves);
    match quality {
        Quality::Fast => of_boxes(Builder::Binned),
        Quality::Default => of_boxes(Builder::Sweep),
        Quality::Best => {
            let count = mesh.triangles.len() as u32;
            spatial::build(count, &Triangles::new(mesh), &Limits::default(), &on_leaves)
        }
    }
}

/// Lets rays improve a tree; returns the steps made, too.
fn optimise_watched(tree: BinaryTree, mesh: &Mesh, origin: &Origin, clock: &mut Clock<'_>) -> (Weighed, u32) {
    let (stop, progress) = (origin.options.stop, clock.progress);
    let steps = match stop {
        Stop::Steps(steps) => steps.into(),
        Stop::After(_) => 0,
    };
    clock.time(Stage::Optimise, steps, || {
        let weld = layout::weld::weld(&mesh.positions, &mesh.triangles);
        let tree = Weighed::by_area(tree);
        let wide = layout::lay_out(&tree, mesh, &weld);
        let parts = Parts {
            wide: &wide,
            packing: None,
            obbs: None,
            kdops: None,
            samples: None,
            hull: None,
            swept: None,
            vertices: weld.count,
        };
        let bytes = serialise(mesh, &parts, origin);
        // Rays are traced in the file as it would be without this stage.
        let model = Model::from_bytes(&bytes).expect("what the compiler makes can be opened");
        let fits = |tree: &BinaryTree| layout::fits(tree, mesh, &weld);
        let job = optimise::Job { model: &model, fits: &fits, stop, on_step: &|| progress.advance(1) };
        optimise::optimise(tree.tree, &job)
    })
}

/// A tree in the form in which the file will hold it.
struct LaidOut {
    wide: WideTree,
    packing: Option<Packing>,
    /// Distinct positions.
    vertices: u32,
}

/// Lays a tree out; a small layout moves the mesh's vertices.
fn lay_out(tree: &Weighed, mesh: &mut Mesh, layout: Layout) -> Result<LaidOut, CompileError> {
    let weld = layout::weld::weld(&mesh.positions, &mesh.triangles);
    let mut wide = layout::lay_out(tree, mesh, &weld);
    if layout == Layout::Fast {
        return Ok(LaidOut { wide, packing: None, vertices: weld.count });
    }
    let mut packing = layout::pack(&mut wide, mesh, &weld).ok_or(CompileError::TooLargeToPack)?;
    mesh.positions = std::mem::take(&mut packing.positions);
    let vertices = layout::weld::weld(&mesh.positions, &mesh.triangles).count;
    Ok(LaidOut { wide, packing: Some(packing), vertices })
}

/// Builds the tree of oriented boxes over the triangles as the blocks have them, and tells what makes it.
fn grow_obbs(
    mesh: &Mesh,
    asked: &obb::Options,
    time: Duration,
    progress: &dyn Progress,
) -> (obb::Tree, obb::Options) {
    let watch = obb::TimeBudget {
        time,
        on_pass: &|| progress.begin(Stage::Obb, mesh.triangles.len() as u64),
        on_triangles: &|triangles| progress.advance(triangles),
    };
    obb::build_with_budget(&corners(mesh), asked, &watch)
}

/// Puts swept spheres around the parts of that tree.
fn fit_swept(
    tree: &obb::Tree,
    mesh: &Mesh,
    laid_out: &LaidOut,
    cores: Cores,
) -> Result<SweptRecords, CompileError> {
    let records = layout::lay_out_swept(tree, mesh, &places(mesh, laid_out)?, cores);
    records.ok_or(CompileError::TooLargeForHybrid)
}

/// Builds the tree of k-DOPs, likewise.
fn fit_kdops(mesh: &Mesh, laid_out: &LaidOut, options: &kdop::Options) -> Result<KdopRecords, CompileError> {
    let layout = KdopLayout::of(options.k, options.tables as u32);
    let layout = layout.ok_or(CompileError::NoSuchKdop { k: options.k })?;
    let places = places(mesh, laid_out)?;
    let tree = kdop::build(&corners(mesh), layout.directions, options.split);
    Ok(layout::lay_out_kdops(&tree, mesh, &places, layout))
}

fn corners(mesh: &Mesh) -> Vec<[[f32; 3]; 3]> {
    (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)).collect()
}

/// Where each triangle is found in the blocks.
fn places(mesh: &Mesh, LaidOut { wide, packing, .. }: &LaidOut) -> Result<Vec<u32>, CompileError> {
    let count = mesh.triangles.len();
    let places = match packing {
        None => layout::places(wide, 0..wide.blocks.len() as u32, count),
        Some(packing) => layout::places(wide, packing.references.iter().copied(), count),
    };
    places.ok_or(CompileError::TooLargeForObbs)
}
