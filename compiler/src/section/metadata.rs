//! Section metadata: what the model is and how the file was made.

use bvhc_format::record::{InputFile, TreeStatistics};
use bvhc_format::section::{Metadata, Names};

use crate::compile::job::{Job, Origin};
use crate::file::Section;
use crate::import::OtherInput;
use crate::layout;

/// Makes the section for a file with these trees; `options` is the text of the options it was made with.
pub(crate) fn metadata(
    job: &Job<'_>,
    origin: &Origin<'_>,
    options: &str,
    trees: &[TreeStatistics],
) -> Section {
    let (mesh, user) = (job.mesh, &job.options.user_metadata);
    let [materials, groups, objects] = [&mesh.names.materials, &mesh.names.groups, &mesh.names.objects]
        .map(|names| NameTable::of(names.iter().map(String::as_str)));
    let keys = NameTable::of(user.keys().map(String::as_str));
    let values = NameTable::of(user.values().map(String::as_str));
    let input_names = NameTable::of(origin.inputs.iter().map(|input| input.name.as_str()));
    let record = |input: &OtherInput| InputFile { hash: *input.hash.as_bytes(), length: input.length };
    let inputs: Vec<InputFile> = origin.inputs.iter().map(record).collect();
    Section::new(&Metadata {
        source_hash: *origin.hash.as_bytes(),
        source_length: origin.length,
        source_faces: mesh.source_faces,
        source_vertices: mesh.source_vertices,
        triangles: mesh.triangles.len() as u64,
        vertices: u64::from(job.laid_out.weld.count),
        dropped_triangles: mesh.dropped.triangles,
        dropped_faces: mesh.dropped.faces,
        bounds: layout::used_bounds(mesh).planes(),
        compiler: concat!("bvhc ", env!("CARGO_PKG_VERSION")).as_bytes(),
        options: options.as_bytes(),
        materials: materials.names(),
        groups: groups.names(),
        objects: objects.names(),
        trees,
        keys: keys.names(),
        values: values.names(),
        input_names: input_names.names(),
        inputs: &inputs,
    })
}

/// Names in the file's encoding.
#[derive(Default)]
pub(crate) struct NameTable {
    text: String,
    ends: Vec<u32>,
}

impl NameTable {
    pub(crate) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut table = Self::default();
        for name in names {
            table.text.push_str(name);
            table.ends.push(table.text.len() as u32);
        }
        table
    }

    pub(crate) fn names(&self) -> Names<'_> {
        Names { text: self.text.as_bytes(), ends: &self.ends }
    }
}
