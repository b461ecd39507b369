//! PLY, the Polygon File Format of Stanford: text or binary, with elements and properties that its header describes.

mod faces;
mod header;
#[cfg(test)]
mod tests;
mod values;

use super::builder::Builder;
use super::error::Fault;
use super::text::Lines;
use super::{DataFault, ImportError, Imported, Input, Notes};
use faces::{Strip, add_face};
use header::{Element, Encoding, Header, Kind, Property, Role};
use values::{Binary, Text, Values};

/// Whether bytes that begin so are PLY: its first line has that word alone.
pub(super) fn is_it(bytes: &[u8]) -> bool {
    header::is_it(bytes)
}

/// Reads a PLY file. Faces are numbered in order from 0: those of the element `face`, and for each `tristrips` its triangles.
pub(super) fn read(input: &Input<'_>) -> Result<Imported, ImportError> {
    let mut model = Model::default();
    model.read(input.bytes).map_err(|(place, fault)| ImportError::Data {
        file: input.name.to_owned(),
        place,
        fault,
    })?;
    Ok(Imported { polygons: model.builder.finish(input.name)?, inputs: Vec::new(), notes: model.notes })
}

/// What of a file has been read.
#[derive(Default)]
struct Model {
    builder: Builder,
    notes: Notes,
    /// The corners of a face, kept for their memory.
    corners: Vec<i64>,
}

/// Which elements to read; others are skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    All,
    Vertices,
    Faces,
}

impl Pass {
    fn reads(self, kind: Kind) -> bool {
        match kind {
            Kind::Vertices => self != Self::Faces,
            Kind::Faces | Kind::Strips => self != Self::Vertices,
            Kind::Edges | Kind::Other => false,
        }
    }
}

impl Model {
    fn read(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let header = Header::read(bytes)?;
        for edges in
            header.elements.iter().filter(|element| element.kind == Kind::Edges && element.count != 0)
        {
            self.notes.ignored.insert("edges", edges.count);
        }
        match header.encoding {
            Encoding::Text => {
                let lines = Lines::with_terminator(header.body, header.terminator);
                self.elements(&header.elements, Text::new(lines, header.lines))
            }
            Encoding::LittleEndian => self.elements(&header.elements, Binary::<false>(header.body)),
            Encoding::BigEndian => self.elements(&header.elements, Binary::<true>(header.body)),
        }
    }

    fn elements<V: Values>(&mut self, elements: &[Element], values: V) -> Result<(), Fault> {
        let first = |reads: fn(Kind) -> bool| elements.iter().position(|element| reads(element.kind));
        let faces = first(|kind| matches!(kind, Kind::Faces | Kind::Strips));
        // Faces that come before the vertices are read when the vertices have been.
        let are_first =
            faces.is_some_and(|faces| first(|kind| kind == Kind::Vertices).is_some_and(|at| faces < at));
        let passes: &[Pass] = if are_first { &[Pass::Vertices, Pass::Faces] } else { &[Pass::All] };
        let mut end = values.clone();
        for pass in passes {
            end = values.clone();
            for element in elements {
                self.element(element, *pass, &mut end)?;
            }
        }
        let warning = |rest| format!("ignored {rest}: the elements that the header describes end before it");
        self.notes.warnings.extend(end.unread().map(warning));
        Ok(())
    }

    fn element<V: Values>(&mut self, element: &Element, pass: Pass, values: &mut V) -> Result<(), Fault> {
        // Such records take no bytes, however many a header claims.
        if element.properties.is_empty() {
            return Ok(());
        }
        let mut record = 0;
        let result = if pass.reads(element.kind) {
            let possible = (values.rest() / V::least(&element.properties)).min(element.count) as usize;
            match element.kind {
                Kind::Vertices => self.builder.reserve(possible, 0),
                _ => self.builder.reserve(0, 3 * possible),
            }
            self.records(element, values, &mut record)
        } else {
            values.skip_records(element, &mut record)
        };
        result.map_err(|fault| (values.place(&format!("{} {record}", element.word())), fault))
    }

    /// Reads all records of an element; `record` is the number of the last.
    fn records<V: Values>(
        &mut self,
        element: &Element,
        values: &mut V,
        record: &mut u64,
    ) -> Result<(), DataFault> {
        for number in 0..element.count {
            *record = number;
            values.begin(element, number)?;
            let mut position = [0.0; 3];
            for property in &element.properties {
                match (property.role, property.counted_by) {
                    (Role::Axis(axis), None) => position[axis] = values.number(property.scalar)?,
                    (Role::Corners, Some(_)) => self.list(property, values)?,
                    _ => values.skip(property)?,
                }
            }
            values.end()?;
            match element.kind {
                Kind::Vertices => self.builder.vertex(position)?,
                Kind::Faces => add_face(&self.corners, &mut self.builder)?,
                _ => self.strip()?,
            }
        }
        Ok(())
    }

    fn list<V: Values>(&mut self, property: &Property, values: &mut V) -> Result<(), DataFault> {
        self.corners.clear();
        for _ in 0..values.length(property)? {
            self.corners.push(values.integer(property.scalar)?);
        }
        Ok(())
    }

    fn strip(&mut self) -> Result<(), DataFault> {
        let mut strip = Strip::default();
        self.corners.iter().try_for_each(|index| strip.next(*index, &mut self.builder))
    }
}
