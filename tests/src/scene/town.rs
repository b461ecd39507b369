//! A town of many small parts: houses with windows, fences, trees, lamps and cars on level ground. Difficult for
//! leaves.

mod garden;
mod house;
mod site;
mod street;

use super::Parts;
use crate::random::Random;
use bvhc::mesh::Mesh;
use site::Site;

/// Width of a plot, and depth of a plot with its street, in metres.
pub const PLOT: [f32; 2] = [18.0, 30.0];

/// Triangles of a plot.
pub const PLOT_TRIANGLES: usize =
    house::TRIANGLES + garden::TRIANGLES + street::LAMP_TRIANGLES + street::CAR_TRIANGLES;

/// How far the ground extends beyond the plots.
const MARGIN: f32 = 20.0;

/// Rows and columns of plots from the origin along x and y, z up: 12 triangles of ground, and [`PLOT_TRIANGLES`] for
/// each plot. Every part is closed and faces outward; parts touch and overlap, as in models by artists.
pub fn town(columns: u32, rows: u32, seed: u64) -> Mesh {
    let mut parts = Parts::default();
    let mut random = Random::new(seed);
    let [width, depth] = [columns as f32 * PLOT[0], rows as f32 * PLOT[1]];
    parts.block([-MARGIN, -MARGIN, -1.0], [width + MARGIN, depth + MARGIN, 0.0]);
    for row in 0..rows {
        for column in 0..columns {
            let corner = [column as f32 * PLOT[0], row as f32 * PLOT[1], 0.0];
            plot(&mut parts, corner, &mut random);
        }
    }
    parts.finish()
}

/// A plot whose street runs along its lower end in y.
fn plot(parts: &mut Parts, corner: [f32; 3], random: &mut Random) {
    let at = |x: f32, y: f32| [corner[0] + x, corner[1] + y, 0.0];
    let lean = random.f32(-0.05, 0.05);
    let mut lot = Site::new(parts, at(PLOT[0] / 2.0, 18.0), lean);
    garden::build(&mut lot, random);
    house::build(&mut lot, random);
    street::lamp(&mut Site::new(parts, at(random.f32(1.0, 17.0), 6.0), lean), random);
    street::car(&mut Site::new(parts, at(random.f32(3.0, 15.0), random.f32(1.5, 4.5)), 2.0 * lean), random);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, volume};
    use super::*;

    #[test]
    fn has_as_many_triangles_as_promised() {
        assert_eq!(town(3, 2, 1).triangles.len(), 12 + 6 * PLOT_TRIANGLES);
    }

    #[test]
    fn parts_are_closed_and_face_outward() {
        let (bare, built) = (town(2, 1, 2), town(2, 2, 2));
        assert!(is_closed(&built));
        let ground = |rows: f64| 6.0 * (36.0 + 40.0) * (rows * 30.0 + 40.0);
        let [one, two] = [volume(&bare) - ground(1.0), volume(&built) - ground(2.0)];
        assert!(one > 6.0 * 200.0 && two > 1.5 * one, "{one} {two}");
    }

    #[test]
    fn nothing_leaves_the_ground() {
        let mesh = town(4, 4, 3);
        let inside = |[x, y, z]: &[f32; 3]| {
            (-MARGIN..=72.0 + MARGIN).contains(x)
                && (-MARGIN..=120.0 + MARGIN).contains(y)
                && (-1.0..20.0).contains(z)
        };
        assert!(mesh.positions.iter().all(inside));
    }

    #[test]
    fn most_triangles_are_small() {
        let mesh = town(2, 2, 4);
        let longest = |triangle| {
            let [a, b, c] = mesh.corners(triangle);
            let square =
                |a: [f32; 3], b: [f32; 3]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>();
            square(a, b).max(square(b, c)).max(square(c, a))
        };
        let count = mesh.triangles.len() as u32;
        let small = (0..count).filter(|triangle| longest(*triangle) < 2.0f32.powi(2)).count();
        assert!(small as f64 > 0.9 * f64::from(count), "{small} of {count}");
    }
}
