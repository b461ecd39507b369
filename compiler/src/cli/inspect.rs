//! `bvhc inspect FILE`

mod world;

use std::fmt::Write;

use bvhc_format::NONE;
use bvhc_format::header::SectionEntry;
use bvhc_format::record::TreeStatistics;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Blocks, CompiledFile, Model, ThinWorldFile, World, WorldFile};
use serde_json::{Map, Value, json};

use super::args::{InspectArgs, MeshesArgs};
use super::error::CliError;
use super::file;
use super::output;
use super::report;
use super::text::one_line;
use crate::archive;
use crate::count::{counted, grouped};
use crate::layout::EdgeCounts;
use crate::verify::count_cores;
use world::Facts;

pub(super) fn run(args: &InspectArgs) -> Result<(), CliError> {
    let file = match file::read_any(&args.file)? {
        CompiledFile::Thin(file) => return thin(args, &file),
        CompiledFile::Model(_) if args.meshes.is_given() => return Err(MeshesArgs::NO_EFFECT.into()),
        CompiledFile::Model(file) => file,
    };
    let (is_world, name) = (World::is_in(file.bytes()).unwrap_or(false), file::input_name(&args.file));
    if !is_world {
        let model = file.model();
        let share = share(model.sections().header().length, model.triangle_count());
        let text = match args.json {
            true => format!("{:#}\n", object(&model)),
            false => text(&name, &model, &format!(" ({share:.1} a triangle)")),
        };
        return output::print(&text);
    }
    let file = WorldFile::loaded(file).map_err(|error| CliError::OpenWorld { file: name.clone(), error })?;
    let (model, world) = (file.model(), file.world());
    let text = if args.json {
        let mut value = object(&model);
        value["world"] = world::object(&Facts::of(&world));
        format!("{value:#}\n")
    } else {
        text(&name, &model, ", a world; of its first mesh:") + &world::text(&Facts::of(&world))
    };
    output::print(&text)
}

/// A thin world, whose meshes are looked for but not read.
fn thin(args: &InspectArgs, file: &ThinWorldFile) -> Result<(), CliError> {
    let folders = args.meshes.folders_if_listed(&args.file)?;
    let (world, facts) = (file.thin(), Facts::of_thin(&file.thin(), &folders));
    let header = world.header();
    if args.json {
        let value = json!({
            "format": format!("{}.{}", header.major, header.minor),
            "bytes": header.length,
            "hash": hex(header.hash),
            "thin": true,
            "sections": world.entries().map(|(entry, _)| section(&entry)).collect::<Vec<_>>(),
            "world": world::object(&facts),
        });
        return output::print(&format!("{value:#}\n"));
    }
    let (major, minor, bytes) = (header.major, header.minor, counted(header.length, "byte"));
    let name = one_line(&file::input_name(&args.file));
    let mut text = format!("{name}: bvhc file, format {major}.{minor}, a thin world, {bytes}\n");
    text += &format!("hash       {}\n", hex(header.hash));
    // Writing to a string cannot fail.
    let _ = describe_sections(&mut text, world.entries().map(|(entry, _)| entry));
    output::print(&(text + &world::text(&facts)))
}

fn object(model: &Model<'_>) -> Value {
    let header = model.sections().header();
    let metadata = model.sections().metadata();
    let bounds = model.bounds();
    let other = |(name, bytes, hash)| json!({ "name": name, "bytes": bytes, "blake3": hash });
    let others: Vec<Value> = inputs(model).map(other).collect();
    let names = |names: &bvhc_format::section::ArchivedNames<'_>| names.len();
    json!({
        "format": format!("{}.{}", header.major, header.minor),
        "bytes": header.length,
        "hash": hex(header.hash),
        "compiler": String::from_utf8_lossy(metadata.compiler.get()),
        "options": String::from_utf8_lossy(metadata.options.get()),
        "source": {
            "blake3": hex(metadata.source_hash),
            "bytes": metadata.source_length.to_native(),
            "faces": metadata.source_faces.to_native(),
            "vertices": metadata.source_vertices.to_native(),
            "others": others,
        },
        "triangles": metadata.triangles.to_native(),
        "vertices": metadata.vertices.to_native(),
        "dropped": {
            "triangles": metadata.dropped_triangles.to_native(),
            "faces": metadata.dropped_faces.to_native(),
        },
        "bytes_per_triangle": share(header.length, model.triangle_count()),
        "position_error": model.sections().blocks().position_error(),
        "split_triangles": split_triangles(model),
        "hull_vertices": hull_vertices(model),
        "edges": edges(model).map(|edges| report::edges(&edges)),
        "intersecting_triangles": intersecting(model),
        "field": field(model),
        "bounds": { "min": bounds.min, "max": bounds.max },
        "names": {
            "materials": names(&metadata.materials),
            "groups": names(&metadata.groups),
            "objects": names(&metadata.objects),
        },
        "user_metadata": model.user_metadata().map(|(key, value)| (key.to_owned(), json!(value))).collect::<Map<_, _>>(),
        "meshes": model.meshes(),
        "sections": model.sections().entries().map(|(entry, _)| section(&entry)).collect::<Vec<_>>(),
        "trees": trees(model).map(|record| tree(model, record)).collect::<Vec<_>>(),
    })
}

/// The distance field: its lattice, its band, and what a point within the band takes.
fn field(model: &Model<'_>) -> Option<Value> {
    let (field, section) = (model.field()?, model.sections().field()?);
    let errors = section.bricks.get().iter().map(|brick| brick.error);
    let active = section.active.to_native();
    Some(json!({
        "points": field.points(),
        "voxel": field.voxel(),
        "band": field.band(),
        "bits": section.bits.to_native(),
        "exact_signs": field.signs_are_exact(),
        "active": active,
        "bytes_per_active": share(field_bytes(model), active),
        "greatest_error": errors.fold(0.0, f32::max),
        "edge_error": section.edge_error.to_native(),
        "point_error": field.point_error(),
    }))
}

/// Bytes of section field.
fn field_bytes(model: &Model<'_>) -> u64 {
    let kind = SectionKind::DistanceField as u32;
    let mut entries = model.sections().entries().map(|(entry, _)| entry);
    entries.find(|entry| entry.kind == kind && entry.mesh == model.mesh()).map_or(0, |entry| entry.length)
}

fn describe_field(text: &mut String, model: &Model<'_>) -> std::fmt::Result {
    let (Some(field), Some(section)) = (model.field(), model.sections().field()) else { return Ok(()) };
    let active = section.active.to_native();
    writeln!(
        text,
        "field      {} within {} of the surface, {} apart; {:.2} bytes a point, in {} bits",
        counted(active, "point"),
        field.band(),
        field.voxel(),
        share(field_bytes(model), active),
        section.bits.to_native(),
    )?;
    if !field.signs_are_exact() {
        writeln!(text, "           signs are of rounded winding numbers, as the surface is open")?;
    }
    Ok(())
}

/// The name, length and hash of each file that the source refers to.
fn inputs(model: &Model<'_>) -> impl Iterator<Item = (String, u64, String)> {
    let metadata = model.sections().metadata();
    let records = metadata.inputs.get().iter().enumerate();
    records.map(|(at, input)| {
        let name = metadata.input_names.get(at).unwrap_or_default();
        (name.to_owned(), input.length, hex(input.hash))
    })
}

fn tree(model: &Model<'_>, record: &TreeStatistics) -> Value {
    let mut tree = report::tree(record, tree_bytes(model, record.kind), model.triangle_count());
    if let Some([points, lines, rectangles]) = cores(model, record.kind) {
        tree["cores"] = json!({ "points": points, "lines": lines, "rectangles": rectangles });
    }
    if let Some(bytes) = sample_bytes(model, record.kind) {
        tree["sample_bytes"] = json!(bytes);
    }
    tree
}

/// The size in bytes of the samples beside the tree of this kind, if it is the tree of oriented boxes and has samples.
fn sample_bytes(model: &Model<'_>, kind: u32) -> Option<u64> {
    let samples = model.sections().samples().filter(|_| kind == SectionKind::ObbTree as u32)?;
    Some(size_of_val(samples) as u64)
}

/// For the tree of swept spheres, how many nodes have each kind of core; `None` for other kinds.
fn cores(model: &Model<'_>, kind: u32) -> Option<[u64; 3]> {
    if kind == SectionKind::SweptTree as u32 { count_cores(model) } else { None }
}

fn section(entry: &SectionEntry) -> Value {
    json!({
        "kind": entry.kind,
        "name": report::kind_name(entry.kind),
        "version": entry.version,
        "required": entry.is_required(),
        "mesh": Some(entry.mesh).filter(|mesh| *mesh != NONE),
        "offset": entry.offset,
        "length": entry.length,
        "hash": hex(entry.hash),
    })
}

fn split_triangles(model: &Model<'_>) -> u64 {
    model.sections().splits().map_or(0, |splits| splits.triangles.len() as u64)
}

fn hull_vertices(model: &Model<'_>) -> u64 {
    model.sections().hull().map_or(0, |hull| hull.vertices().len() as u64)
}

/// How triangles share their edges, if the file says it.
fn edges(model: &Model<'_>) -> Option<EdgeCounts> {
    model.sections().solid().map(|solid| EdgeCounts {
        edges: solid.edges.to_native(),
        open: solid.open_edges.to_native(),
        flipped: solid.flipped_edges.to_native(),
        branching: solid.branching_edges.to_native(),
        boundary: solid.boundary_edges.to_native(),
    })
}

/// How many triangles intersect others, if the file says it.
fn intersecting(model: &Model<'_>) -> Option<u64> {
    Some(model.intersecting_triangles()?.len() as u64)
}

fn trees<'a>(model: &Model<'a>) -> impl Iterator<Item = &'a TreeStatistics> {
    model.sections().metadata().trees.get().iter()
}

/// The size in bytes of a tree of this kind; the AABB tree includes the blocks, which other trees refer to.
fn tree_bytes(model: &Model<'_>, kind: u32) -> u64 {
    let is_it = |entry: &SectionEntry| entry.kind == kind && entry.mesh == model.mesh();
    let section = model.sections().entries().find(|(entry, _)| is_it(entry));
    section.map_or(0, |(_, payload)| archive::tree_bytes(kind, payload, model.sections().blocks().bytes()))
}

fn share(bytes: u64, triangles: u64) -> f64 {
    bytes as f64 / triangles.max(1) as f64
}

fn hex(hash: [u8; 32]) -> String {
    blake3::Hash::from_bytes(hash).to_hex().to_string()
}

/// `what` follows the first line.
fn text(name: &str, model: &Model<'_>, what: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = describe(&mut text, name, model, what)
        .and_then(|()| describe_sections(&mut text, model.sections().entries().map(|(entry, _)| entry)))
        .and_then(|()| describe_trees(&mut text, model));
    text
}

fn describe(text: &mut String, name: &str, model: &Model<'_>, what: &str) -> std::fmt::Result {
    let (header, metadata, bounds) = (model.sections().header(), model.sections().metadata(), model.bounds());
    let plain = |bytes: &[u8]| one_line(&String::from_utf8_lossy(bytes));
    writeln!(
        text,
        "{}: bvhc file, format {}.{}, {}{what}",
        one_line(name),
        header.major,
        header.minor,
        counted(header.length, "byte"),
    )?;
    writeln!(text, "hash       {}", hex(header.hash))?;
    writeln!(text, "compiler   {} {}", plain(metadata.compiler.get()), plain(metadata.options.get()))?;
    writeln!(text, "source     {}", hex(metadata.source_hash))?;
    writeln!(
        text,
        "           {}, {}, {}",
        counted(metadata.source_length.to_native(), "byte"),
        counted(metadata.source_faces.to_native(), "face"),
        counted(metadata.source_vertices.to_native(), "vertex"),
    )?;
    for (name, bytes, hash) in inputs(model) {
        writeln!(text, "           {} {}, {hash}", one_line(&name), counted(bytes, "byte"))?;
    }
    writeln!(text, "triangles  {}", grouped(metadata.triangles.to_native()))?;
    if model.sections().splits().is_some() {
        writeln!(text, "           {} of them in several blocks", grouped(split_triangles(model)))?;
    }
    writeln!(text, "vertices   {}", grouped(metadata.vertices.to_native()))?;
    if model.sections().hull().is_some() {
        writeln!(text, "           {} of them on the convex hull", grouped(hull_vertices(model)))?;
    }
    if matches!(model.sections().blocks(), Blocks::Packed(_)) {
        writeln!(
            text,
            "           up to {:e} from the source's on each axis",
            model.sections().blocks().position_error()
        )?;
    }
    if let Some(edges) = edges(model) {
        writeln!(text, "surface    {}", report::surface(&edges))?;
    }
    if let Some(triangles) = intersecting(model) {
        writeln!(text, "           {}", report::intersections(triangles))?;
    }
    describe_field(text, model)?;
    writeln!(
        text,
        "dropped    {} of zero area, {} of fewer than three corners",
        counted(metadata.dropped_triangles.to_native(), "triangle"),
        counted(metadata.dropped_faces.to_native(), "face"),
    )?;
    writeln!(
        text,
        "names      {}, {}, {}",
        counted(metadata.materials.len() as u64, "material"),
        counted(metadata.groups.len() as u64, "group"),
        counted(metadata.objects.len() as u64, "object"),
    )?;
    if model.meshes() > 1 {
        writeln!(text, "meshes     {}; what is said above and of trees is of the first", model.meshes())?;
    }
    for (key, value) in model.user_metadata() {
        writeln!(text, "meta       {}={}", one_line(key), one_line(value))?;
    }
    for (what, corner) in [("bounds", bounds.min), ("", bounds.max)] {
        writeln!(text, "{what:10} {} {} {}", corner[0], corner[1], corner[2])?;
    }
    Ok(())
}

fn describe_sections(text: &mut String, entries: impl Iterator<Item = SectionEntry>) -> std::fmt::Result {
    writeln!(
        text,
        "\n{:15} {:>4} {:>7} {:>12} {:>12}  hash",
        "section", "mesh", "version", "offset", "length"
    )?;
    for entry in entries {
        let SectionEntry { version, offset, length, .. } = entry;
        let mesh = if entry.mesh == NONE { "-".to_owned() } else { entry.mesh.to_string() };
        let (name, hash) = (report::kind_name(entry.kind), hex(entry.hash));
        writeln!(text, "{name:15} {mesh:>4} {version:>7} {offset:>12} {length:>12}  {hash}")?;
    }
    Ok(())
}

fn describe_trees(text: &mut String, model: &Model<'_>) -> std::fmt::Result {
    for tree in trees(model) {
        writeln!(
            text,
            "\n{}: {}, {}, {}",
            report::kind_name(tree.kind),
            counted(tree.nodes, "node"),
            counted(tree.depth.into(), "level"),
            counted(tree.leaves, report::leaf_noun(tree.kind)),
        )?;
        if let Some([points, lines, rectangles]) = cores(model, tree.kind) {
            writeln!(text, "  nodes with  points {points}, lines {lines}, rectangles {rectangles}")?;
        }
        writeln!(text, "  cost        {}", tree.sah_cost)?;
        writeln!(text, "  node fill   {:.1} %", tree.node_fill * 100.0)?;
        let filled = format!("{} fill", report::leaf_noun(tree.kind));
        writeln!(text, "  {filled:<12}{:.1} %", tree.block_fill * 100.0)?;
        let bytes = tree_bytes(model, tree.kind);
        let share = share(bytes, model.triangle_count());
        writeln!(text, "  size        {}, {share:.1} a triangle", counted(bytes, "byte"))?;
        if let Some(bytes) = sample_bytes(model, tree.kind) {
            writeln!(text, "  samples     {} more", counted(bytes, "byte"))?;
        }
    }
    Ok(())
}
