//! Stored boxes of every fitting method around random and adversarial point sets contain their points.

use super::*;
use crate::fit::tests::{is_within, quick_methods, sets};
use crate::fit::{Objective, Scratch, fit};
use crate::pair::obb::{Link, Node};

const EMPTY: u32 = PairRef::EMPTY.0;

/// Triangles whose corners are these points.
fn mesh(points: &[[f32; 3]]) -> Mesh {
    let last = points.len() as u32 - 1;
    let triangles = (0..=last).map(|first| [first, (first + 1).min(last), (first + 2).min(last)]).collect();
    Mesh { positions: points.to_vec(), triangles, ..Mesh::default() }
}

#[test]
fn stored_boxes_hold_their_points_exactly() {
    let mut scratch = Scratch::default();
    for set in sets(1000) {
        let mesh = mesh(&set.points);
        let order: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
        for method in quick_methods() {
            let obb = fit(&method, Objective::Volume, &set.points, &mut scratch);
            let child = Child { obb, range: 0..order.len() as u32, link: Link::Leaf };
            let nodes = vec![Node { children: 0..1 }];
            let references = [PairRef::leaf(0, 1).0, EMPTY, EMPTY, EMPTY];
            let children = vec![child];
            let tree = Tree { nodes, children, order: order.clone(), depth: 1, root: obb };
            let (writer, children) = (Writer::new(&tree, &mesh), &tree.children);
            for record in
                [writer.node(children, references), writer.packed_node(children, references).unpack()]
            {
                let frame = Frame::from_quaternion(record.rotation.map(|part| f64::from(part[0])));
                let half_extents = record.half_extents.map(|axis| f64::from(axis[0]));
                let [origin, centre] = [writer.origin, record.centre.map(|axis| axis[0])];
                let back = [origin, centre].map(|point| point.map(|x| -f64::from(x)));
                for point in &set.points {
                    let offsets = [point.map(f64::from), back[0], back[1]];
                    let held = is_within(&frame, half_extents, &offsets);
                    assert!(held, "{} {} {point:?}", set.name, method.name());
                }
            }
        }
    }
}
