//! The stored face corners of each triangle have the positions of the triangle's corners.

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::import::Input;
use bvhc::optimise::Stop;
use bvhc::verify::source::compare;
use bvhc::verify::verify;
use bvhc_runtime::Model;

/// A polygon of `n` corners on a circle; for a star, every other corner is moved towards the centre.
fn polygon(text: &mut String, n: u32, is_star: bool, at: [f32; 3]) {
    for corner in 0..n {
        let angle = corner as f32 / n as f32 * std::f32::consts::TAU;
        let radius = if is_star && corner % 2 == 1 { 0.375 } else { 1.0 };
        let (x, y) = (at[0] + radius * angle.cos(), at[1] + radius * angle.sin());
        *text += &format!("v {x} {y} {}\n", at[2]);
    }
    *text += "f";
    (0..n).for_each(|corner| *text += &format!(" {}", corner as i32 - n as i32));
    *text += "\n";
}

/// Convex and concave faces of 3 to 70 corners, interspersed with faces that cleaning drops.
fn polygons() -> String {
    let mut text = String::new();
    for (index, n) in [3, 4, 5, 6, 31, 32, 33, 34, 70].into_iter().enumerate() {
        let x = 2.5 * index as f32;
        polygon(&mut text, n, false, [x, 0.0, 0.0]);
        polygon(&mut text, n / 2 * 2 + 4, true, [x, 2.5, 0.5]);
        // A line, a degenerate triangle, and a quad with a corner on an edge.
        text += "l -1 -2\nf -1 -2 -1\nv 0 0 9\nv 1 0 9\nv 2 0 9\nv 0 1 9\nf -4 -3 -2 -1\n";
    }
    // A concave quad in two rotations; in the second, its inner diagonal does not start at corner 0.
    text + "v 0 0 7\nv 4 0 7\nv 1 1 7\nv 0 4 7\nf -4 -3 -2 -1\nf -3 -2 -1 -4\n"
}

/// The faces of an OBJ text with relative indices, read by a minimal independent parser.
fn parse(text: &str) -> Vec<Vec<[f32; 3]>> {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || words.next().unwrap().parse::<f32>().unwrap() + 0.0;
                vertices.push([number(), number(), number()]);
            }
            Some("f") => {
                let index = |word: &str| vertices.len().wrapping_add_signed(word.parse::<isize>().unwrap());
                faces.push(words.map(|word| vertices[index(word)]).collect());
            }
            _ => {}
        }
    }
    faces
}

fn check(text: &str, options: &Options) -> usize {
    let file = compile(text.as_bytes(), "polygons", options, &()).unwrap().bytes;
    verify(&file).unwrap();
    let model = Model::from_bytes(&file).unwrap();
    compare(&model, &Input::new(text.as_bytes(), "polygons")).unwrap();
    let (faces, error) = (parse(text), model.sections().blocks().position_error());
    let numbers = model.sections().geometry().triangles.get();
    let mut rotated = 0;
    for (_, block) in model.sections().blocks().iter() {
        for lane in 0..usize::from(block.triangles) {
            let triangle = numbers[block.first as usize + lane].to_native();
            let source = model.source_of(triangle).unwrap();
            for (corner, slots) in source.corners.into_iter().zip(block.corners) {
                let expected = faces[source.face as usize][corner as usize];
                let found = block.positions.map(|axis| axis[usize::from(slots[lane])]);
                let off = (0..3).map(|axis| (found[axis] - expected[axis]).abs()).fold(0.0, f32::max);
                assert!(off <= error, "triangle {triangle}: {found:?} is not {expected:?}");
            }
            rotated += usize::from(source.corners != [0, 1, 2]);
        }
    }
    assert!(model.source_of(model.triangle_count() as u32).is_none());
    rotated
}

#[test]
fn corners_are_those_of_the_face() {
    for layout in [Layout::Fast, Layout::Small] {
        for quality in [Quality::Default, Quality::Best] {
            let options = Options { layout, quality, stop: Stop::Steps(1), obb: None, ..Options::default() };
            assert!(check(&polygons(), &options) > 100);
        }
    }
}

#[test]
fn triangles_in_source_order_store_nothing() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf -4 -3 -2\nf -3 -2 -1\n";
    assert_eq!(check(text, &Options::default()), 0);
    let file = compile(text.as_bytes(), "two", &Options::default(), &()).unwrap().bytes;
    let model = Model::from_bytes(&file).unwrap();
    assert!(
        model.sections().geometry().corners.is_empty() && model.sections().geometry().wide_corners.is_empty()
    );
}
