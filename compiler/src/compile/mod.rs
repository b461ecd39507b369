//! The whole pipeline, from a source's bytes to a file's bytes.

pub(crate) mod error;
mod estimate;
pub(crate) mod flags;
pub(crate) mod job;
mod key;
pub(crate) mod options;
mod source;
pub(crate) mod stage;
mod text;
mod user;

pub use error::CompileError;
pub(crate) use key::key_of_imported;
pub use key::{OUTPUT_REVISION, key};
pub use options::{Layout, Options, Quality};
pub use source::Source;
pub use stage::{Progress, Stage};
pub use user::UserMetadataError;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use bvhc_format::record::TreeStatistics;
use bvhc_runtime::Model;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::archive;
use crate::clean;
use crate::file::{self, Bytes, Section};
#[cfg(feature = "cli")]
use crate::import::Files;
use crate::import::{Imported, Notes, OtherInput};
use crate::layout::weld::Weld;
use crate::layout::{self, EdgeCounts, Triangles};
use crate::mesh::{Dropped, Mesh, Polygons};
use crate::optimise::{self, Stop};
use crate::pair::obb;
use crate::section::{self, Made};
use crate::tree::binary::BinaryTree;
use crate::tree::build::spatial::{self, Limits};
use crate::tree::build::{self, Builder, Leaves};
use crate::tree::wide::Weighed;
use job::{Job, LaidOut, Origin};
use stage::Clock;

/// Bytes of each thread's stack. A thread that waits for a part of a tree takes up other parts, in a batch also other models, and
/// so on. (Measured with 64 threads: 128 KiB is enough for the default trees of ten million
/// triangles, 256 KiB for all trees of a million; rayon's usual 2 MiB is what a library's user has.)
const STACK: usize = 8 << 20;

/// A compiled file and its report.
pub struct Compiled {
    /// The file.
    pub bytes: Bytes,
    /// How it was made.
    pub report: Report,
}

/// What a compilation did.
#[derive(Clone, Debug)]
pub struct Report {
    /// BLAKE3 of the source.
    pub source_hash: blake3::Hash,
    /// Length of the source in bytes.
    pub source_length: u64,
    /// The other files that the source refers to and that were read.
    pub inputs: Vec<OtherInput>,
    /// How many things of each kind, named in the plural, were ignored as they are no faces.
    pub ignored: BTreeMap<&'static str, u64>,
    /// What may be other than the source's author expects.
    pub warnings: Vec<String>,
    /// How many vertices moved to another one, as the placement asks.
    pub welded: u64,
    /// Faces of the source.
    pub source_faces: u64,
    /// Vertices of the source.
    pub source_vertices: u64,
    /// Triangles in the file.
    pub triangles: u64,
    /// Distinct positions in the file.
    pub vertices: u64,
    /// How triangles share their edges, as they are in the file.
    pub edges: EdgeCounts,
    /// How many triangles intersect others, if that was asked.
    pub intersecting: Option<u64>,
    /// What cleaning dropped.
    pub dropped: Dropped,
    /// How many faces became fans of triangles that may overlap, as their edges cross or touch each other, or as finding
    /// anything better would have taken too long.
    pub fans: u64,
    /// The statistics of each tree.
    pub trees: Vec<TreeStatistics>,
    /// The size of each tree in bytes: nodes, and for the AABB tree blocks. The leaves of the others, which share them, are
    /// not included.
    pub tree_bytes: Vec<u64>,
    /// How many steps the optimiser made, if the quality uses it.
    pub steps: Option<u32>,
    /// The options that reproduce the tree of oriented boxes, if there is one: as requested, or with longer searches if
    /// the time budget allowed them.
    pub obb: Option<obb::Options>,
    /// The largest movement of a coordinate, in the model's units; 0 in a fast layout.
    pub position_error: f32,
    /// How long each stage took.
    pub seconds: Vec<(Stage, Duration)>,
}

/// Like [`compile_source`], for the bytes of a model file.
///
/// # Errors
/// [`CompileError`], which says where in the source the fault is.
pub fn compile(
    source: &[u8],
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Compiled, CompileError> {
    compile_source(&Source::File(source), name, options, progress)
}

/// Compiles a source into a file. Messages call the source `name`.
///
/// The bytes depend on the source's bytes and the options, but not on `name`, the number of threads or the machine. On a
/// thread of a rayon pool, and without a number of threads, that pool is used.
///
/// # Errors
/// [`CompileError`], which says where in the source the fault is.
pub fn compile_source(
    source: &Source<'_>,
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Compiled, CompileError> {
    on_threads(options, || Prepared::new(source, name, options, progress)?.into_bytes(options, progress))
}

/// Like [`compile_source`], for what was imported from a source of this hash and length, and is changed after its vertices have their
/// places.
pub(crate) fn compile_imported<E: From<CompileError> + Send>(
    imported: Imported,
    source: (blake3::Hash, u64),
    name: &str,
    options: &Options,
    progress: &dyn Progress,
    change: impl FnOnce(&mut Polygons) -> Result<(), E> + Send,
) -> Result<Compiled, E> {
    on_threads(options, || {
        let clock = Clock { progress, seconds: Vec::new() };
        let prepared = Prepared::of(imported, source, name, options, clock, change)?;
        Ok(prepared.into_bytes(options, progress)?)
    })
}

/// Like [`compile_source`] with [`Source::Files`], but gives the bytes of the model back before anything is built, and leaves
/// the sections apart until they are written.
#[cfg(feature = "cli")]
pub(crate) fn compile_and_drop(
    bytes: Vec<u8>,
    files: &dyn Files,
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(file::Hashed, Report), CompileError> {
    on_threads(options, || {
        let prepared = Prepared::new(&Source::Files { bytes: &bytes, files }, name, options, progress)?;
        drop(bytes);
        prepared.compile(options, progress, file::Hashed::of)
    })
}

/// Runs a compilation on the pool of the current thread, or else on a pool of its own.
pub(crate) fn on_threads<T: Send, E: From<CompileError> + Send>(
    options: &Options,
    run: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    if options.threads.is_none() && rayon::current_thread_index().is_some() {
        return run();
    }
    pool(options.threads)?.install(run)
}

/// So many threads, or one per processor.
pub(crate) fn pool(threads: Option<NonZeroUsize>) -> Result<ThreadPool, CompileError> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    Ok(ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?)
}

/// A mesh, ready for building, and what is known of its source.
struct Prepared {
    mesh: Mesh,
    hash: blake3::Hash,
    length: u64,
    inputs: Vec<OtherInput>,
    notes: Notes,
    welded: u64,
    seconds: Vec<(Stage, Duration)>,
}

impl Prepared {
    fn new(
        source: &Source<'_>,
        name: &str,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Self, CompileError> {
        let mut clock = Clock { progress, seconds: Vec::new() };
        let (imported, hash) =
            clock.time(Stage::IMPORT, 0, || rayon::join(|| source.import(name), || source.hash()));
        Self::of(imported?, (hash, source.length()), name, options, clock, |_| Ok(()))
    }

    /// Of what was imported from a source of this hash and length, and is changed once its vertices have their places.
    fn of<E: From<CompileError>>(
        imported: Imported,
        (hash, length): (blake3::Hash, u64),
        name: &str,
        options: &Options,
        mut clock: Clock<'_>,
        change: impl FnOnce(&mut Polygons) -> Result<(), E>,
    ) -> Result<Self, E> {
        user::check(&options.user_metadata).map_err(CompileError::from)?;
        let Imported { mut polygons, inputs, notes } = imported;
        let (mesh, welded) = clock.time(Stage::CLEAN, 0, || -> Result<_, E> {
            let welded = options.placement.apply(&mut polygons, name).map_err(CompileError::from)?;
            change(&mut polygons)?;
            Ok((clean::mesh(polygons, name).map_err(CompileError::from)?, welded))
        })?;
        estimate::check(name, length, &mesh, options)?;
        Ok(Self { mesh, hash, length, inputs, notes, welded, seconds: clock.seconds })
    }

    fn into_bytes(self, options: &Options, progress: &dyn Progress) -> Result<Compiled, CompileError> {
        let (bytes, report) = self.compile(options, progress, file::assemble)?;
        Ok(Compiled { bytes, report })
    }

    /// Makes the sections and lets them be joined.
    fn compile<T>(
        self,
        options: &Options,
        progress: &dyn Progress,
        join: impl FnOnce(Vec<Section>) -> T,
    ) -> Result<(T, Report), CompileError> {
        let Self { mut mesh, hash, length, inputs, notes, welded, seconds } = self;
        let mut clock = Clock { progress, seconds };
        let (tree, weld) = clock.time(Stage::BUILD, mesh.triangles.len() as u64, || {
            rayon::join(
                || build_tree(&mesh, options.quality, progress),
                || layout::weld::weld(&mesh.positions, &mesh.triangles),
            )
        });
        let origin = Origin { hash, length, inputs: &inputs, steps: None };
        let (tree, steps) = match options.quality {
            Quality::Fast | Quality::Default => (Weighed::by_area(tree), None),
            Quality::Best => {
                let (tree, steps) = optimise_watched(tree, &mesh, &weld, options, &mut clock)?;
                (tree, Some(steps))
            }
        };
        let laid_out =
            clock.time(Stage::LAYOUT, 0, || LaidOut::of(&tree, &mut mesh, weld, options.layout))?;
        drop(tree);
        let mut job = Job::new(&mesh, &laid_out, options, progress);
        let written = make_sections(&mut job, &Origin { steps, ..origin }, &mut clock)?;
        let mut report = Report {
            source_hash: hash,
            source_length: length,
            inputs: inputs.clone(),
            ignored: notes.ignored,
            warnings: [notes.warnings, written.warnings].concat(),
            welded,
            source_faces: mesh.source_faces,
            source_vertices: mesh.source_vertices,
            triangles: mesh.triangles.len() as u64,
            vertices: u64::from(laid_out.weld.count),
            edges: laid_out.solid.counts,
            intersecting: job.known_intersecting().map(|triangles| triangles.len() as u64),
            dropped: mesh.dropped,
            fans: mesh.fans,
            trees: written.trees,
            tree_bytes: written.tree_bytes,
            steps,
            obb: written.options.obb,
            position_error: laid_out.packing.as_ref().map_or(0.0, |packing| packing.position_error),
            seconds: Vec::new(),
        };
        // The sections hold all that the file needs.
        drop((laid_out, mesh));
        let joined = clock.time(Stage::SERIALISE, 0, || join(written.sections));
        report.seconds = clock.seconds;
        Ok((joined, report))
    }
}

/// The sections of a file, and what is in them.
struct Written {
    sections: Vec<Section>,
    trees: Vec<TreeStatistics>,
    tree_bytes: Vec<u64>,
    warnings: Vec<String>,
    /// The requested options, updated with what making the sections has determined.
    options: Options,
}

/// Makes all requested sections.
fn make_sections(
    job: &mut Job<'_>,
    origin: &Origin<'_>,
    clock: &mut Clock<'_>,
) -> Result<Written, CompileError> {
    let mut options = job.options.clone();
    let mut made = Vec::new();
    for sections in section::in_order_of_making() {
        for section in sections.iter().filter(|section| section.is_asked(job)) {
            section.prepare(job, clock);
            made.extend(clock.time(section.stage(), 0, || section.make(job))?);
            section.settle(job, &mut options);
        }
        job.drop_oriented();
    }
    made.sort_by_key(|made| made.section.kind);
    let mut sections = Vec::new();
    let (mut trees, mut tree_bytes) = (Vec::new(), Vec::new());
    let mut warnings = Vec::new();
    for Made { section, statistics, warning } in made {
        warnings.extend(warning);
        if let Some(statistics) = statistics {
            trees.push(statistics);
            tree_bytes.push(archive::tree_bytes(section.kind, &section.payload, job.laid_out.block_bytes()));
        }
        sections.push(section);
    }
    sections.push(section::metadata(job, origin, &options.text(origin.steps), &trees));
    Ok(Written { sections, trees, tree_bytes, warnings, options })
}

/// Builds the binary tree.
fn build_tree(mesh: &Mesh, quality: Quality, progress: &dyn Progress) -> BinaryTree {
    let on_leaves = |leaves| progress.advance(leaves);
    let of_boxes = |builder| {
        build::build(&layout::triangle_boxes(mesh), builder, Leaves::Small(layout::ALWAYS_FIT), &on_leaves)
    };
    match quality {
        Quality::Fast => of_boxes(Builder::Binned),
        Quality::Default => of_boxes(Builder::Sweep),
        Quality::Best => {
            let count = mesh.triangles.len() as u32;
            spatial::build(count, &Triangles::new(mesh), &Limits::default(), &on_leaves)
        }
    }
}

/// Optimises a tree with sample rays; also returns the number of steps made.
fn optimise_watched(
    tree: BinaryTree,
    mesh: &Mesh,
    weld: &Weld,
    options: &Options,
    clock: &mut Clock<'_>,
) -> Result<(Weighed, u32), CompileError> {
    let progress = clock.progress;
    let steps = match options.stop {
        Stop::Steps(steps) => steps.into(),
        Stop::After(_) => 0,
    };
    clock.time(Stage::OPTIMISE, steps, || {
        let tree = Weighed::by_area(tree);
        let bytes = bare_file(&tree, mesh, weld)?;
        // Rays are traced in the file that would result without this stage.
        let model = Model::from_bytes(&bytes).expect("what the compiler makes can be opened");
        let fits = |tree: &BinaryTree| layout::fits(tree, mesh, weld);
        let job = optimise::Job {
            model: &model,
            fits: &fits,
            stop: options.stop,
            on_step: &|| progress.advance(1),
        };
        Ok(optimise::optimise(tree.tree, &job))
    })
}

/// A file with only this tree.
fn bare_file(tree: &Weighed, mesh: &Mesh, weld: &Weld) -> Result<Bytes, CompileError> {
    bare_file_of(&LaidOut::fast(tree, mesh, weld.clone()), mesh)
}

/// A file with only this tree, laid out.
fn bare_file_of(laid_out: &LaidOut, mesh: &Mesh) -> Result<Bytes, CompileError> {
    let options = Options { obb: None, ..Options::default() };
    let origin = Origin { hash: file::hash(&[]), length: 0, inputs: &[], steps: None };
    let mut clock = Clock { progress: &(), seconds: Vec::new() };
    let made = make_sections(&mut Job::new(mesh, laid_out, &options, &()), &origin, &mut clock)?;
    Ok(file::assemble(made.sections))
}
