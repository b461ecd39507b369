//! Internal edges: where a surface goes on smoothly across an edge, contacts at the edge get the normals of faces.
//!
//! Based on: the active edges of Jolt Physics. Departures: angles are in the file and the limit is the query's; corners are
//! known by the whole surface around them; and beyond the normals of a convex edge, the normal is that of the face across.

use bvhc_format::edges::{FOLD, TriangleEdges, UNKNOWN_ANGLE};

use crate::math::vector::{add, cross, dot, scale, sub};
use crate::shape::Corners;
use crate::shape::first_touch::{Feature, unit_normal};
use crate::shape::near::Near;

const RIGHT_ANGLE: f64 = core::f64::consts::FRAC_PI_2;

/// The unit of angles in files.
const UNIT: f64 = core::f64::consts::PI / FOLD as f64;

/// A normal whose height above the face is at most this does not tell on which side of it the shape is.
const SIDEWAYS: f64 = 1e-9;

/// Where the surface is flat, this height tells the side, 25 degrees from the face's normal. The side face of a box that
/// stands askew in a floor has a smaller one, by which the box would be pushed through the floor.
const UPRIGHT: f64 = 0.9;

/// The normal of a contact, corrected by what is known of the triangle's edges: the face's if the surface bends away from
/// the shape, of which this is the middle, by at most `limit` there.
pub(super) fn face_across(
    near: &Near,
    corners: &Corners,
    edges: &TriangleEdges,
    limit: f64,
    middle: [f64; 3],
) -> [f64; 3] {
    let slot = match near.feature {
        Feature::Face => return near.normal,
        Feature::Edge(k) => usize::from(k % 3),
        Feature::Vertex(k) => 3 + usize::from(k % 3),
    };
    let face = unit_normal(corners);
    let angles = [edges.convex[slot], edges.concave[slot]];
    if angles.contains(&UNKNOWN_ANGLE) || face == [0.0; 3] {
        return near.normal;
    }
    let [convex, concave] = angles.map(|angle| f64::from(angle) * UNIT);
    let (height, of_middle) = (dot(near.normal, face), dot(sub(middle, corners[0]), face));
    if convex <= limit + UNIT && concave <= limit + UNIT {
        let side = if height.abs() > UPRIGHT || of_middle == 0.0 { height } else { of_middle };
        return scale(face, if side < 0.0 { -1.0 } else { 1.0 });
    }
    let height = match height {
        height if height.abs() > SIDEWAYS => height,
        _ if of_middle < 0.0 => -SIDEWAYS,
        _ => SIDEWAYS,
    };
    // On the front of the faces at an edge where they bend to one side, or well above all that bends towards the shape.
    let outwards = if slot < 3 { outwards(corners, slot, face) } else { [0.0; 3] };
    let (is_front, is_back) = if slot < 3 && convex.min(concave) <= limit + UNIT {
        let is_front = libm::atan2(height, dot(near.normal, outwards)) >= concave - convex;
        (is_front, !is_front)
    } else {
        let above = |bend: f64| if bend <= limit + UNIT { 0.0 } else { libm::sin(bend.min(RIGHT_ANGLE)) };
        (height >= above(concave), -height >= above(convex))
    };
    let (towards, angle) = match (is_front, is_back) {
        (true, _) => (face, convex),
        (_, true) => (scale(face, -1.0), concave),
        _ => return near.normal,
    };
    // Angles are rounded to whole units.
    if angle <= limit + UNIT {
        return towards;
    }
    // The normals of an edge are between those of its faces, of several the one that bends most; a corner's are not known.
    if slot >= 3 {
        return near.normal;
    }
    let beyond = libm::atan2(dot(near.normal, outwards), dot(near.normal, towards));
    if beyond <= angle {
        return near.normal;
    }
    add(scale(towards, libm::cos(angle)), scale(outwards, libm::sin(angle)))
}

/// The unit vector in a triangle's plane that points away from it across an edge.
fn outwards(corners: &Corners, edge: usize, face: [f64; 3]) -> [f64; 3] {
    let along = sub(corners[(edge + 1) % 3], corners[edge]);
    let outwards = cross(along, face);
    scale(outwards, 1.0 / libm::sqrt(dot(outwards, outwards)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The riser of a stair, in the plane x = 0 below z = 0, that faces -x or +x; its edge 0 is the nose, and the tread goes on
    /// towards +x.
    fn at_nose(faces_front: bool, normal: [f64; 3]) -> [f64; 3] {
        let (a, b, c) = ([0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.5, -1.0]);
        let corners = if faces_front { [b, a, c] } else { [a, b, c] };
        let mut edges = TriangleEdges::UNKNOWN;
        (edges.convex[0], edges.concave[0]) = if faces_front { (FOLD / 2, 0) } else { (0, FOLD / 2) };
        let length = libm::sqrt(dot(normal, normal));
        let normal = scale(normal, 1.0 / length);
        let near = Near { normal, gap: 0.0, point: [0.0, 0.5, 0.0], feature: Feature::Edge(0) };
        assert!((unit_normal(&corners)[0] - if faces_front { -1.0 } else { 1.0 }).abs() < 1e-12);
        face_across(&near, &corners, &edges, 0.01, normal)
    }

    fn is_near(a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-4)
    }

    #[test]
    fn normals_at_a_nose_are_between_those_of_its_faces() {
        for faces_front in [true, false] {
            // From above the tread, from the edge, and from before the riser.
            assert!(is_near(at_nose(faces_front, [0.1, 0.0, 1.0]), [0.0, 0.0, 1.0]));
            assert!(is_near(at_nose(faces_front, [-0.6, 0.0, 0.8]), [-0.6, 0.0, 0.8]));
            assert!(is_near(at_nose(faces_front, [-1.0, 0.0, 0.0]), [-1.0, 0.0, 0.0]));
        }
    }

    #[test]
    fn corners_take_the_face_only_where_the_side_is_sure() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut edges = TriangleEdges::UNKNOWN;
        let mut ask = |[convex, concave]: [u16; 2], normal: [f64; 3]| {
            (edges.convex[3], edges.concave[3]) = (convex, concave);
            let near = Near { normal, gap: 0.0, point: [0.0; 3], feature: Feature::Vertex(0) };
            face_across(&near, &corners, &edges, 0.01, normal)
        };
        assert_eq!(ask([0, 0], [-0.6, 0.0, 0.8]), [0.0, 0.0, 1.0]);
        assert_eq!(ask([0, 0], [-0.6, 0.0, -0.8]), [0.0, 0.0, -1.0]);
        for normal in [[-0.6, 0.0, 0.8], [-0.8, 0.0, -0.6]] {
            assert_eq!(ask([FOLD / 2, 0], normal), normal, "a convex corner");
            assert_eq!(ask([UNKNOWN_ANGLE, 0], normal), normal);
        }
        // A hollow of thirty degrees: above it, and where it may be on the other side.
        assert_eq!(ask([0, FOLD / 6], [-0.6, 0.0, 0.8]), [0.0, 0.0, 1.0]);
        assert_eq!(ask([0, FOLD / 6], [-0.96, 0.0, 0.28]), [-0.96, 0.0, 0.28]);
        // Sideways, as a box is pushed out of the side of a floor that it is in: towards the side where most of it is, though it leans.
        (edges.convex[3], edges.concave[3]) = (0, 0);
        for normal in [[-1.0, 0.0, 0.0], [-0.8, 0.0, 0.6], [-0.8, 0.0, -0.6]] {
            for side in [1.0, -1.0] {
                let near = Near { normal, gap: -0.25, point: [0.0; 3], feature: Feature::Vertex(0) };
                let normal = face_across(&near, &corners, &edges, 0.01, [0.25, 0.25, side]);
                assert_eq!(normal, [0.0, 0.0, side]);
            }
        }
    }
}
