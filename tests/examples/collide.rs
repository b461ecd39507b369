//! Mesh against mesh: whether two models meet, and which of their triangles do.

use std::error::Error;
use std::ops::ControlFlow;

use bvhc_runtime::{Model, Pose, include_aligned};

fn main() -> Result<(), Box<dyn Error>> {
    let a = Model::from_bytes(include_aligned!("../golden/quad.bvh"))?;
    let b = Model::from_bytes(include_aligned!("../golden/quad.bvh"))?;
    // B is rotated upright, and half of it is below A: a point x of B is at R x + T.
    let upright = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];
    let pose = Pose::from_rows(upright, [0.25, 0.5, -0.5])?;
    println!("they meet: {}", a.collides(&b, &pose)?);
    let _ = a.all_pairs(&b, &pose, |pair| {
        println!("triangle {} of A meets triangle {} of B", pair.a, pair.b);
        ControlFlow::Continue(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_readme_shows_this_file_and_it_runs() {
        let (shown, _) = include_str!("collide.rs").split_once("\n#[cfg(test)]").expect("tests come last");
        assert!(include_str!("../../README.md").contains(shown.trim_end()));
        super::main().expect("the example runs");
    }
}
