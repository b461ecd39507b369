//! Queries on one model.

use std::fmt::Write;

use bvhc_runtime::{Model, Ray};

use super::Answer;
use super::fields::{face_of, list_faces, push_hit, push_point};
use crate::cli::row::{Row, RowError};

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ray,
    Any,
    Point,
    Box,
    Sphere,
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
                list_faces(&self.model, row, |visit| self.model.overlap_box(&query_box, visit))
            }
            Kind::Sphere => {
                let (centre, radius) = query.sphere()?;
                list_faces(&self.model, row, |visit| self.model.overlap_sphere(centre, radius, visit))
            }
        };
        Ok(())
    }
}

impl Handler<'_> {
    fn ray(&self, ray: &Ray, row: &mut String) -> std::fmt::Result {
        let Some(hit) = self.model.closest_hit(ray) else {
            row.push_str("0,,,,,,,,,");
            return Ok(());
        };
        push_hit(row, &hit, None, Some(&self.model))
    }

    fn point(&self, (point, max_distance): ([f32; 3], f32), row: &mut String) -> std::fmt::Result {
        let Some(nearest) = self.model.closest_point(point, max_distance) else {
            row.push_str("0,,,,,");
            return Ok(());
        };
        let face = face_of(Some(&self.model), nearest.triangle);
        push_point(row, nearest.distance, nearest.point, None, &face)
    }
}
