//! The distance of a point from a triangle, for peers that leave it to their caller.
//!
//! Based on: Christer Ericson, "Real-Time Collision Detection", 2005, 5.1.5.

use nalgebra::{Point3, Vector3};

/// The offset of `point` from the nearest point of the triangle.
pub(super) fn offset(corners: [Point3<f32>; 3], point: Point3<f32>) -> Vector3<f32> {
    let [a, b, c] = corners;
    let (ab, ac) = (b - a, c - a);
    let [ap, bp, cp] = corners.map(|corner| point - corner);
    let [d1, d2, d3] = [ab.dot(&ap), ac.dot(&ap), ab.dot(&bp)];
    let [d4, d5, d6] = [ac.dot(&bp), ab.dot(&cp), ac.dot(&cp)];
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if d1 <= 0.0 && d2 <= 0.0 {
        ap
    } else if d3 >= 0.0 && d4 <= d3 {
        bp
    } else if d6 >= 0.0 && d5 <= d6 {
        cp
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        ap - ab * (d1 / (d1 - d3))
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        ap - ac * (d2 / (d2 - d6))
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        bp - (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))
    } else {
        let scale = 1.0 / (va + vb + vc);
        ap - ab * (vb * scale) - ac * (vc * scale)
    }
}
