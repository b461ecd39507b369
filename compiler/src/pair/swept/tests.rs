use super::*;
use crate::fit::tests::sets::sets;

/// What is around the leaf of a tree of one node, given points.
fn swept(core: Core, points: &[[f32; 3]]) -> Swept {
    enclosed(Cores::Same(core), points).children[0]
}

/// A tree of one node and one leaf around points.
fn enclosed(cores: Cores, points: &[[f32; 3]]) -> Enclosed {
    let triangles: Vec<_> = points.iter().map(|point| [*point; 3]).collect();
    let obb = crate::fit::fit(&Method::Covariance, Objective::Collision, points, &mut Scratch::default());
    let child = Child { obb, range: 0..triangles.len() as u32, link: Link::Leaf };
    let order = (0..triangles.len() as u32).collect();
    let nodes = vec![crate::pair::obb::Node { children: 0..1 }];
    let tree = Tree { nodes, children: vec![child], order, depth: 1, root: obb };
    enclose(&tree, &triangles, cores, [0.0; 3], 0.0)[0].clone()
}

/// The distance from the core by another way: the least of many tries, refined.
fn distance(point: Vector, axes: [Vector; 2]) -> f64 {
    let at = |x: f64, y: f64| length(subtract(point, add(scale(axes[0], x), scale(axes[1], y))));
    let (mut x, mut y, mut step) = (0.0, 0.0, 1.0);
    while step > 1e-14 {
        let moves = [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)];
        let tried = moves.map(|(dx, dy): (f64, f64)| ((x + dx).clamp(-1.0, 1.0), (y + dy).clamp(-1.0, 1.0)));
        let best = tried.into_iter().min_by(|a, b| at(a.0, a.1).total_cmp(&at(b.0, b.1))).unwrap();
        if at(best.0, best.1) < at(x, y) {
            (x, y) = best;
        } else {
            step *= 0.5;
        }
    }
    at(x, y)
}

#[test]
fn every_point_is_within() {
    for set in sets(200) {
        for core in Core::ALL {
            let swept = swept(core, &set.points);
            let axes = swept.axes.map(|axis| axis.map(f64::from));
            let farthest = set.points.iter().fold(0.0, |far: f64, point| {
                far.max(distance(subtract(point.map(f64::from), swept.centre.map(f64::from)), axes))
            });
            let radius = f64::from(swept.radius);
            assert!(
                farthest <= radius + 1e-12 * swept.radius_from_origin(),
                "{}, {core:?}: {farthest} {swept:?}",
                set.name
            );
            // Unless the points are so far away that the centre is rounded by more than they are apart.
            let rounded = swept.centre.iter().fold(0.0, |far: f32, x| far.max(x.abs())) * f32::EPSILON;
            assert!(radius * 0.999 <= farthest + f64::from(rounded), "{}, {core:?}: {swept:?}", set.name);
            assert!(axes[core.axes()..].iter().all(|axis| *axis == [0.0; 3]), "{}", set.name);
            let skew = dot(axes[0], axes[1]) / (length(axes[0]) * length(axes[1]));
            assert!(skew.is_nan() || skew.abs() < 1e-5, "{}: {skew}", set.name);
        }
    }
}

/// With more to choose from, what is swept is not greater; and a rectangle's is not much greater than a box.
#[test]
fn longer_cores_are_worth_it() {
    let mut sums = [0.0; 4];
    let mut count = 0.0;
    for set in sets(200) {
        let ball = swept(Core::Point, &set.points);
        // What is far away, or tiny, is as large as its numbers are rounded.
        if ball.radius < 1e-30 || ball.centre.iter().any(|x| x.abs() > 1e3 * ball.radius) {
            continue;
        }
        let measures = Core::ALL.map(|core| swept(core, &set.points).measure());
        let box_ =
            crate::fit::fit(&Method::default(), Objective::Collision, &set.points, &mut Scratch::default());
        let whole = Objective::Collision.measure(box_.extents());
        if whole > 0.0 && whole.is_normal() {
            count += 1.0;
            let shares = [measures[0], measures[1], measures[2], whole].map(|one| (one / measures[0]).cbrt());
            sums = [0, 1, 2, 3].map(|index| sums[index] + shares[index]);
        }
        // Lines and planes are within what rounding leaves.
        let fits = |a: f64, b: f64| a <= b * 1.02 || a < measures[0] * 1e-4;
        assert!(
            fits(measures[1], measures[0]) && fits(measures[2], measures[1]),
            "{}: {measures:?}",
            set.name
        );
    }
    let means = sums.map(|sum| sum / count);
    assert!(means[1] < 0.85 && means[2] < 0.75 && means[2] < 1.06 * means[3], "{means:?}");
}

#[test]
fn known_shapes() {
    let near = |found: f64, expected: f64| (found - expected).abs() < 0.02 * expected;
    // The corners of a cube of side 2 are sqrt 3 from its middle.
    let cube: Vec<[f32; 3]> =
        (0..8).map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1.0 } else { 1.0 })).collect();
    let ball = swept(Core::Point, &cube);
    assert!(near(f64::from(ball.radius), 3f64.sqrt()), "{ball:?}");
    // A line needs no radius, a rectangle none either.
    let line = swept(Core::Line, &[[-1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    assert!(line.radius < 0.1 && near(length(line.axes[0].map(f64::from)), 2.0), "{line:?}");
    let plate =
        swept(Core::Rectangle, &[[-3.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-3.0, 1.0, 0.0], [3.0, 1.0, 0.0]]);
    assert!(plate.radius < 0.1, "{plate:?}");
}

/// Of a hybrid: the first kind that is as good as any, and the same fit as if all were of that kind.
#[test]
fn a_hybrid_takes_the_cheapest_core() {
    let mut counts = [0; 3];
    for set in sets(200) {
        let found = enclosed(Cores::Hybrid, &set.points);
        let all = Core::ALL.map(|core| swept(core, &set.points));
        let measures = all.map(|swept| swept.measure());
        let least = measures.into_iter().fold(f64::INFINITY, f64::min);
        let expected = Core::ALL.into_iter().find(|core| measures[*core as usize] <= 1.1 * least).unwrap();
        assert_eq!(
            (found.core, found.children[0]),
            (expected, all[expected as usize]),
            "{}: {measures:?}",
            set.name
        );
        counts[expected as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 3), "{counts:?}");
    // Of several children, the sum decides: one may be worse.
    let ball = |radius: f32| Swept { centre: [0.0; 3], axes: [[0.0; 3]; 2], radius };
    let (small, large) = (ball(0.1), ball(2.0));
    assert_eq!(cheapest(&[vec![large, large], vec![ball(0.11), small]], 2), 0);
    assert_eq!(cheapest(&[vec![ball(2.2), large], vec![small, small]], 2), 1);
}
