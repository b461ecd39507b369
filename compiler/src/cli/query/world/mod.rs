//! Queries on worlds: those of models, with a column for the instance.

mod inside;
mod shape;

pub(super) use inside::Inside;
pub(super) use shape::{Shapes, TouchesShapes};

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::{Model, Ray, World, WorldOverlap, WorldPairError};

use super::Answer;
use super::fields::{face_of, push_distance, push_hit, push_point, push_quoted};
use super::model::Kind;
use crate::cli::row::{Row, RowError};

/// Answers queries of one kind.
pub(super) struct Handler<'a> {
    pub(super) kind: Kind,
    pub(super) world: World<'a>,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            Kind::Ray => "hit,t,u,v,instance,face,material,group,nx,ny,nz",
            Kind::Any => "hit",
            Kind::Point => "found,distance,x,y,z,instance,face",
            Kind::Box | Kind::Sphere => "count,instance,faces",
        }
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::parse(line)? else { return Ok(()) };
        // Writing to a string cannot fail.
        let _ = match self.kind {
            Kind::Ray => self.ray(&query.ray()?, row),
            Kind::Any => write!(row, "{}", u8::from(self.world.any_hit(&query.ray()?))),
            Kind::Point => self.point(query.point()?, row),
            Kind::Box => {
                let query_box = query.aabb()?;
                push_overlap(&self.world, row, |visit| self.world.overlap_box(&query_box, visit))
            }
            Kind::Sphere => {
                let (centre, radius) = query.sphere()?;
                push_overlap(&self.world, row, |visit| self.world.overlap_sphere(centre, radius, visit))
            }
        };
        Ok(())
    }
}

impl<'a> Handler<'a> {
    fn ray(&self, ray: &Ray, row: &mut String) -> std::fmt::Result {
        let Some(found) = self.world.closest_hit(ray) else {
            row.push_str("0,,,,,,,,,,");
            return Ok(());
        };
        let (instance, mesh) = named(&self.world, found.instance);
        push_hit(row, &found.hit, Some(&instance), mesh)
    }

    fn point(&self, (point, max_distance): ([f32; 3], f32), row: &mut String) -> std::fmt::Result {
        let Some(nearest) = self.world.closest_point(point, max_distance) else {
            row.push_str("0,,,,,,");
            return Ok(());
        };
        let (instance, mesh) = named(&self.world, nearest.instance);
        let face = face_of(mesh, nearest.local.triangle);
        push_point(row, nearest.distance, nearest.point, Some(&instance), &face)
    }
}

/// Lists the instances that overlap and the faces of each; a face of several triangles counts once.
fn push_overlap(
    world: &World<'_>,
    row: &mut String,
    query: impl FnOnce(&mut dyn FnMut(WorldOverlap) -> ControlFlow<()>) -> ControlFlow<()>,
) -> std::fmt::Result {
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let _ = query(&mut |found_one| {
        let source =
            mesh_of(world, found_one.instance).and_then(|mesh| mesh.source_of(found_one.overlap.triangle));
        found.entry(found_one.instance).or_default().extend(source.map(|source| source.face));
        ControlFlow::Continue(())
    });
    for faces in found.values_mut() {
        faces.sort_unstable();
        faces.dedup();
    }
    write!(row, "{},", found.values().map(Vec::len).sum::<usize>())?;
    push_names(world, row, found.keys().copied());
    row.push(',');
    let faces = found.values().map(|faces| joined(faces.iter().map(u32::to_string), " "));
    row.push_str(&joined(faces, ";"));
    Ok(())
}

/// Appends the names of instances, with semicolons between.
fn push_names(world: &World<'_>, row: &mut String, instances: impl Iterator<Item = u32>) {
    push_quoted(row, &joined(instances.map(|instance| name_of(world, instance)), ";"));
}

/// Answers whether a mesh at poses meets instances of the world.
pub(super) struct Collide<'a> {
    pub(super) world: World<'a>,
    pub(super) mesh: Model<'a>,
    /// Whether to count the pairs.
    pub(super) count: bool,
}

impl Answer for Collide<'_> {
    fn header(&self) -> &'static str {
        "collides,instance,pairs"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::<f64>::parse(line)? else { return Ok(()) };
        let pose = query.pose("collide")?;
        let mut found: BTreeMap<u32, u64> = BTreeMap::new();
        let asked = self.world.all_pairs(&self.mesh, &pose, &mut (), |pair| {
            *found.entry(pair.instance).or_default() += 1;
            ControlFlow::Continue(())
        });
        if let Err(error) = asked {
            row.push_str(word_of(&error));
            row.push_str(",,");
            return Ok(());
        }
        let _ = write!(row, "{},", u8::from(!found.is_empty()));
        push_names(&self.world, row, found.keys().copied());
        row.push(',');
        if self.count {
            let _ = write!(row, "{}", found.values().sum::<u64>());
        }
        Ok(())
    }
}

/// Answers how far a mesh at poses is from the world.
pub(super) struct Distance<'a> {
    pub(super) world: World<'a>,
    pub(super) mesh: Model<'a>,
    /// The limit beyond which nothing is found.
    pub(super) within: f64,
}

impl Answer for Distance<'_> {
    fn header(&self) -> &'static str {
        "distance,ax,ay,az,bx,by,bz,instance,face_a,face_b"
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::<f64>::parse(line)? else { return Ok(()) };
        let pose = query.pose("distance")?;
        let found = match self.world.distance(&self.mesh, &pose, self.within, &mut ()) {
            Ok(Some(found)) => found,
            Ok(None) => {
                row.push_str(",,,,,,,,,");
                return Ok(());
            }
            Err(error) => {
                row.push_str(word_of(&error));
                row.push_str(",,,,,,,,,");
                return Ok(());
            }
        };
        let (instance, mesh) = named(&self.world, found.instance);
        let faces = [face_of(mesh, found.distance.a), face_of(Some(&self.mesh), found.distance.b)];
        // Writing to a string cannot fail.
        let _ = push_distance(row, &found.distance, Some(&instance), faces.each_ref().map(String::as_str));
        Ok(())
    }
}

/// What a row says instead of an answer.
fn word_of(error: &WorldPairError) -> &'static str {
    match error {
        WorldPairError::Pair { .. } => "exhausted",
        _ => "too-far",
    }
}

/// The name of an instance.
pub(super) fn name_of(world: &World<'_>, instance: u32) -> String {
    world.instance(instance).map(|instance| instance.name().to_owned()).unwrap_or_default()
}

fn mesh_of<'a>(world: &World<'a>, instance: u32) -> Option<&'a Model<'a>> {
    world.mesh(world.instance(instance)?.mesh())
}

fn named<'a>(world: &World<'a>, instance: u32) -> (String, Option<&'a Model<'a>>) {
    (name_of(world, instance), mesh_of(world, instance))
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}
