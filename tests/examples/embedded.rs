//! A model embedded in the program: no file, no allocation, nothing built at load time.

use bvhc_runtime::{Model, OpenError, Ray, include_aligned};

fn main() -> Result<(), OpenError> {
    let model = Model::from_bytes(include_aligned!("../golden/quad.bvh"))?;
    let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
    let hit = model.closest_hit(&ray).expect("the ray meets the quad");
    let source = model.source_of(hit.triangle).expect("every hit has a source");
    println!("face {} at t = {}, normal {:?}", source.face, hit.t, hit.normal);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_readme_shows_this_file_and_it_runs() {
        let (shown, _) = include_str!("embedded.rs").split_once("\n#[cfg(test)]").expect("tests come last");
        assert!(include_str!("../../README.md").contains(shown.trim_end()));
        super::main().expect("the example runs");
    }
}
