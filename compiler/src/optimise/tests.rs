//! The optimiser on a pile of long beams, for which every builder makes a poor tree.

use std::cell::Cell;
use std::num::NonZeroUsize;

use super::visits::Segment;
use super::*;
use crate::compile::{Compiled, Options, Quality, compile};
use crate::tree::aabb::Aabb;
use crate::tree::build::{Builder, Leaves, build};
use crate::verify::verify;

/// Crossing beams of square section, as OBJ text.
fn beams(count: u32) -> String {
    let mut text = String::new();
    for beam in 0..count {
        let noise = |salt: u32| (beam.wrapping_mul(2_654_435_761) ^ salt).wrapping_mul(40_503) % 997;
        let axis = beam as usize % 3;
        for corner in 0..8u32 {
            let mut position = [noise(3) as f32, noise(77) as f32, noise(991) as f32];
            let shift = |bit: u32| if corner >> bit & 1 == 0 { 0.0 } else { 4.0 };
            position[axis] = if corner & 1 == 0 { 0.0 } else { 1000.0 };
            position[(axis + 1) % 3] += shift(1) + if corner & 1 == 0 { 0.0 } else { noise(5) as f32 / 3.0 };
            position[(axis + 2) % 3] += shift(2);
            text += &format!("v {} {} {}\n", position[0], position[1], position[2]);
        }
        for face in ["1 3 7 5", "2 6 8 4", "1 5 6 2", "3 4 8 7", "1 2 4 3", "5 7 8 6"] {
            let corners =
                face.split(' ').map(|corner| (8 * beam + corner.parse::<u32>().unwrap_or(0)).to_string());
            text += &format!("f {}\n", corners.collect::<Vec<_>>().join(" "));
        }
    }
    text
}

fn compiled(count: u32, stop: Stop, threads: usize) -> Compiled {
    let threads = NonZeroUsize::new(threads);
    let options = Options { quality: Quality::Best, stop, threads, ..Options::default() };
    compile(beams(count).as_bytes(), "beams.obj", &options, &()).expect("beams compile")
}

#[test]
fn the_outcome_depends_on_the_steps_alone() {
    let first = compiled(60, Stop::Steps(3), 1);
    assert_eq!(first.report.steps, Some(3));
    assert!(compiled(60, Stop::Steps(3), 3).bytes[..] == first.bytes[..]);
    verify(&first.bytes).expect("a valid file");
}

#[test]
fn a_budget_of_time_is_a_number_of_steps() {
    // As long as a busy machine takes for one step.
    let (timed, steps) = (0..10)
        .map(|doublings| compiled(20, Stop::After(Duration::from_millis(300 << doublings)), 2))
        .find_map(|timed| timed.report.steps.filter(|steps| *steps > 0).map(|steps| (timed, steps)))
        .expect("some time is enough for a step");
    assert!(compiled(20, Stop::Steps(steps), 1).bytes[..] == timed.bytes[..]);
}

#[test]
fn no_step_raises_the_cost_of_the_measuring_rays() {
    let file = compiled(60, Stop::Steps(0), 1);
    let model = Model::from_bytes(&file.bytes).expect("a valid file");
    let boxes: Vec<Aabb> = (0..500u32)
        .map(|i| {
            let at = [i % 8, i / 8 % 8, i / 64].map(|x| x as f32 * 120.0);
            Aabb { lower: at, upper: [at[0] + 200.0, at[1] + 10.0 * (i % 7) as f32, at[2] + 5.0] }
        })
        .collect();
    let tree = build(&boxes, Builder::Binned, Leaves::Single, &|_| ());
    let fits = |tree: &BinaryTree| tree.nodes.iter().map(|node| node.count <= 8).collect::<Vec<bool>>();
    let made = Cell::new(0);
    let on_step = || made.set(made.get() + 1);
    let job = |steps| Job { model: &model, fits: &fits, stop: Stop::Steps(steps), on_step: &on_step };
    let mut least = f64::INFINITY;
    for steps in [0, 1, 4, 6] {
        made.set(0);
        let (better, count) = optimise(tree.clone(), &job(steps));
        assert_eq!((count, made.get()), (steps, steps));
        let mut seen = better.tree.order.clone();
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..500));
        for index in 0..better.tree.nodes.len() {
            let around = better.tree.primitives(index).iter().map(|p| boxes[*p as usize]);
            assert_eq!(better.tree.nodes[index].bounds, around.fold(Aabb::EMPTY, Aabb::union));
        }
        let evaluation = Evaluation::new(&job(0), &tree, &Deadline(None)).expect("it may take its time");
        let cost = evaluation.try_tree(better).cost;
        assert!(cost <= least);
        least = cost;
    }
}

/// Where all boxes overlap, each ray visits them all: fewer rays are asked.
#[test]
fn triangles_that_overlap_take_no_time_for_each_other() {
    let triangle = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let pile = vec![[0, 1, 2]; 4_000];
    let options = Options { obb: None, ..Options::of(Quality::Fast) };
    let file = crate::compile_mesh(&triangle, &pile, &options).expect("it compiles");
    let model = Model::from_bytes(&file.bytes).expect("a valid file");
    let bounds = Aabb { lower: [0.0; 3], upper: [1.0, 1.0, 0.0] };
    let tree = build(&vec![bounds; pile.len()], Builder::Binned, Leaves::Single, &|_| ());
    let fits = |tree: &BinaryTree| tree.nodes.iter().map(|node| node.count <= 8).collect::<Vec<bool>>();
    let job = Job { model: &model, fits: &fits, stop: Stop::Steps(0), on_step: &|| () };
    let evaluation = Evaluation::new(&job, &tree, &Deadline(None)).expect("it may take its time");
    for segments in [&evaluation.weighing, &evaluation.deciding] {
        let visits: u64 = visits(&tree, segments).into_iter().map(u64::from).sum();
        assert!(segments.len() >= 1_000 && (visits as f64) < 1.2 * MOST_VISITS, "{visits}");
    }
}

/// The result is that of the steps that were made, so that these make the same file again.
#[test]
fn without_time_for_rays_no_step_is_made() {
    let [none, timed] = [Stop::Steps(0), Stop::After(Duration::ZERO)].map(|stop| compiled(60, stop, 2));
    assert_eq!(timed.report.steps, Some(0));
    let model =
        |file: &Compiled| Model::from_bytes(&file.bytes).expect("a valid file").sections().nodes().to_vec();
    assert!(model(&none) == model(&timed));
}

#[test]
fn visits_are_counted_down_to_the_leaves() {
    let boxes = [0.0, 10.0, 20.0].map(|x| Aabb { lower: [x, 0.0, 0.0], upper: [x + 1.0, 1.0, 1.0] });
    let tree = build(&boxes, Builder::Sweep, Leaves::Single, &|_| ());
    let through_two = Segment::new([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0], 15.0);
    let past = Segment::new([-1.0, 5.0, 0.5], [1.0, 0.0, 0.0], f32::INFINITY);
    let seen = visits(&tree, &[through_two, past]);
    assert_eq!(seen[0], 1);
    let leaves = (0..tree.nodes.len()).filter(|node| tree.nodes[*node].count == 1);
    assert_eq!(leaves.map(|leaf| seen[leaf]).sum::<u32>(), 2);
}
