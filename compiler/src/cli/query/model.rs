//! Queries on one model.

use std::fmt::Write;
use std::ops::ControlFlow;

use bvhc_runtime::{InsideRule, Model, Overlap, Place, Ray};

use super::Answer;
use crate::cli::row::{Row, RowError};

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ray,
    Any,
    Point,
    Box,
    Sphere,
    Inside,
    SignedDistance,
}

/// Answers queries of one kind.
pub(super) struct Handler<'a> {
    pub(super) kind: Kind,
    pub(super) model: Model<'a>,
}

impl Answer for Handler<'_> {
    fn header(&self) -> &'static str {
        match self.kind {
            Kind::Ray => "hit,t,u,v,face,material,group,nx,ny,nz",
            Kind::Any => "hit",
            Kind::Point => "found,distance,x,y,z,face",
            Kind::Box | Kind::Sphere => "count,faces",
            Kind::Inside => "place,winding",
            Kind::SignedDistance => "distance,x,y,z,face",
        }
    }

    fn answer(&self, line: &[u8], row: &mut String) -> Result<(), RowError> {
        let Some(query) = Row::parse(line)? else { return Ok(()) };
        // Writing to a string cannot fail.
        let _ = match self.kind {
            Kind::Ray => self.ray(&query.ray()?, row),
            Kind::Any => write!(row, "{}", u8::from(self.model.any_hit(&query.ray()?))),
            Kind::Point => self.point(query.point()?, row),
            Kind::Box => {
                let query_box = query.aabb()?;
                self.overlap(row, |visit| self.model.overlap_box(&query_box, visit))
            }
            Kind::Sphere => {
                let (centre, radius) = query.sphere()?;
                self.overlap(row, |visit| self.model.overlap_sphere(centre, radius, visit))
            }
            Kind::Inside => self.inside(query.position_only("inside")?, row),
            Kind::SignedDistance => self.signed_distance(query.position_only("signed-distance")?, row),
        };
        row.push('\n');
        Ok(())
    }
}

impl Handler<'_> {
    fn ray(&self, ray: &Ray, row: &mut String) -> std::fmt::Result {
        let Some(hit) = self.model.closest_hit(ray) else {
            row.push_str("0,,,,,,,,,");
            return Ok(());
        };
        write!(row, "1,{},{},{},", hit.t, hit.u, hit.v)?;
        let source = self.model.source_of(hit.triangle);
        if let Some(source) = source {
            write!(row, "{}", source.face)?;
        }
        row.push(',');
        let material = source.and_then(|s| s.material).and_then(|index| self.model.material_name(index));
        push_quoted(row, material.unwrap_or_default());
        row.push(',');
        let group = source.and_then(|s| s.group).and_then(|index| self.model.group_name(index));
        let object = source.and_then(|s| s.object).and_then(|index| self.model.object_name(index));
        push_quoted(row, group.or(object).unwrap_or_default());
        let [x, y, z] = hit.normal;
        write!(row, ",{x},{y},{z}")
    }

    fn point(&self, (point, max_distance): ([f32; 3], f32), row: &mut String) -> std::fmt::Result {
        let Some(nearest) = self.model.closest_point(point, max_distance) else {
            row.push_str("0,,,,,");
            return Ok(());
        };
        let [x, y, z] = nearest.point;
        write!(row, "1,{},{x},{y},{z},", nearest.distance)?;
        match self.model.source_of(nearest.triangle) {
            Some(source) => write!(row, "{}", source.face),
            None => Ok(()),
        }
    }

    fn inside(&self, point: [f32; 3], row: &mut String) -> std::fmt::Result {
        let Some(winding) = self.model.winding(point) else {
            row.push_str("on,");
            return Ok(());
        };
        let place = match winding.place(InsideRule::NonZero) {
            Place::In => "in",
            Place::Out => "out",
            Place::On => "on",
            Place::Unsure => "unsure",
        };
        write!(row, "{place},{}", winding.value)
    }

    fn signed_distance(&self, point: [f32; 3], row: &mut String) -> std::fmt::Result {
        let Some(found) = self.model.signed_distance(point, InsideRule::NonZero) else {
            row.push_str(",,,,");
            return Ok(());
        };
        let [x, y, z] = found.nearest.point;
        write!(row, "{},{x},{y},{z},", found.distance)?;
        match self.model.source_of(found.nearest.triangle) {
            Some(source) => write!(row, "{}", source.face),
            None => Ok(()),
        }
    }

    /// Lists the faces that overlap; a face of several triangles counts once.
    fn overlap(
        &self,
        row: &mut String,
        query: impl FnOnce(&mut dyn FnMut(Overlap) -> ControlFlow<()>) -> ControlFlow<()>,
    ) -> std::fmt::Result {
        let mut faces = Vec::new();
        let _ = query(&mut |overlap| {
            faces.extend(self.model.source_of(overlap.triangle).map(|source| source.face));
            ControlFlow::Continue(())
        });
        faces.sort_unstable();
        faces.dedup();
        write!(row, "{},", faces.len())?;
        for (index, face) in faces.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            write!(row, "{blank}{face}")?;
        }
        Ok(())
    }
}

/// Appends a CSV field, quoted if RFC 4180 requires it.
fn push_quoted(row: &mut String, field: &str) {
    if !field.contains([',', '"', '\r', '\n']) {
        row.push_str(field);
        return;
    }
    row.push('"');
    row.push_str(&field.replace('"', "\"\""));
    row.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let fields = ["", "a b", "a,b", "say \"hi\"", "two\nlines"].map(|field| {
            let mut row = String::new();
            push_quoted(&mut row, field);
            row
        });
        assert_eq!(fields, ["", "a b", "\"a,b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\""]);
    }
}
