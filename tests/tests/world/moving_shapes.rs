//! Shapes and insides in moving worlds: as in a compiled world of the same instances, bit for bit, and against boxes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bvhc_runtime::format::NONE;
use bvhc_runtime::{
    Aabb, Ball, CastHit, Contact, Cuboid, Feature, Found, Handle, InsideRule, Place, Shape, ShapeCast,
    Snapshot, Thing, Touches, World, WorldContact,
};
use bvhc_tests::random::Random;

use super::moving::{number, point};
use super::shapes::Any;

/// Whether shapes and insides are alike.
pub(super) fn compare(world: &World<'_>, moving: &Snapshot<'_>, at: [f32; 3], random: &mut Random) {
    let displacement = point(random, 8.0);
    let shape = Any::new(random.below(6), at, 1.5, random);
    shape.with(|shape| compare_shape(world, moving, shape, displacement));
    compare_inside(world, moving, at);
}

/// Whether what a shape touches is alike.
fn compare_shape(world: &World<'_>, moving: &Snapshot<'_>, shape: &dyn Shape, displacement: [f32; 3]) {
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    let _ = moving.overlap(&shape, &mut (), |it| {
        found.push((number(it.thing), it.answer.triangle));
        ControlFlow::Continue(())
    });
    let _ = world.overlap(&shape, |it| {
        wanted.push((it.instance, it.overlap.triangle));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    assert_eq!(moving.overlaps(&shape, &mut ()), !wanted.is_empty());
    let cast = ShapeCast::new(&shape, displacement);
    let first = moving.cast(&cast, &mut ()).map(|it| (number(it.thing), it.answer));
    assert_eq!(first, world.cast(&cast).map(|it| (it.instance, it.hit)));
    assert_eq!(moving.cast_any(&cast, &mut ()), first.is_some());
    let (mut found, mut wanted) = (BTreeMap::new(), BTreeMap::new());
    let _ = moving.all_casts(&cast, &mut (), |it| {
        found.insert((number(it.thing), it.answer.triangle), it.answer.t);
        ControlFlow::Continue(())
    });
    let _ = world.all_casts(&cast, |it| {
        wanted.insert((it.instance, it.hit.triangle), it.hit.t);
        ControlFlow::Continue(())
    });
    assert_eq!(found, wanted);
    let touches = Touches::new(&shape, 0.25);
    let (mut found, mut wanted) = (vec![Found::<Contact>::NONE; 4096], vec![WorldContact::NONE; 4096]);
    let counts = (moving.contacts(&touches, &mut (), &mut found), world.contacts(&touches, &mut wanted));
    assert_eq!(counts.0, counts.1);
    let kept = moving.manifold(&touches, &mut (), &mut found).expect("there is room");
    assert_eq!(world.manifold(&touches, &mut wanted), Ok(kept));
    let found = found[..kept].iter().map(|it| (number(it.thing), it.answer));
    assert!(found.eq(wanted[..kept].iter().map(|it| (it.instance, it.contact))));
}

/// Whether insides are alike.
fn compare_inside(world: &World<'_>, moving: &Snapshot<'_>, point: [f32; 3]) {
    assert_eq!(moving.winding(point, &mut ()), world.winding(point));
    let (found, wanted) = (
        moving.signed_distance(point, InsideRule::NonZero, &mut ()),
        world.signed_distance(point, InsideRule::NonZero),
    );
    let found = found.map(|it| {
        (
            it.distance,
            it.place.place,
            it.place.thing.map(number),
            number(it.nearest.thing),
            it.nearest.answer.local,
        )
    });
    let wanted = wanted
        .map(|it| (it.distance, it.place.place, it.place.instance, it.nearest.instance, it.nearest.local));
    assert_eq!(found, wanted);
}

/// The caller's boxes, which are solid.
pub(super) struct Boxes<'a> {
    pub(super) all: &'a [(Handle, Aabb)],
    pub(super) moving: &'a Snapshot<'a>,
}

impl Boxes<'_> {
    /// A ball and a box against each.
    pub(super) fn check_shapes(&self, random: &mut Random) {
        let moving = self.moving;
        let (centre, away) = (point(random, 12.0), point(random, 12.0));
        let half = point(random, 2.0).map(f32::abs);
        let radius = half[0];
        let (ball, cuboid) = (Ball::new(centre, radius), Cuboid::new(centre, half));
        let ends =
            [-1.0, 1.0].map(|sign| [0, 1, 2].map(|k| f64::from(centre[k]) + sign * f64::from(half[k])));
        let gap = |it: &Aabb, t: f64| {
            let part = |k: usize| {
                let x = f64::from(centre[k]) + t * f64::from(away[k]);
                (x.clamp(it.min[k].into(), it.max[k].into()) - x).powi(2)
            };
            (part(0) + part(1) + part(2)).sqrt() - f64::from(radius)
        };
        let is_beside = |it: &Aabb| {
            (0..3).any(|k| f64::from(it.min[k]) > ends[1][k] || f64::from(it.max[k]) < ends[0][k])
        };
        let is_box = |thing: Thing| self.all.iter().any(|(it, _)| Thing::Moving(*it) == thing);
        for (handle, bounds) in self.all {
            let mut only = |thing: Thing| thing == Thing::Moving(*handle);
            assert_eq!(moving.overlaps(&cuboid, &mut only), !is_beside(bounds), "{bounds:?}");
            let near = gap(bounds, 0.0);
            assert!(near.abs() < 1e-6 || moving.overlaps(&ball, &mut only) == (near < 0.0), "{bounds:?}");
            let cast = ShapeCast::new(&ball, away);
            let found = moving.cast(&cast, &mut only);
            assert_eq!(moving.cast_any(&cast, &mut only), found.is_some());
            match found.map(|it| it.answer) {
                Some(CastHit { t, depth: None, normal, triangle, .. }) => {
                    assert_eq!(triangle, NONE);
                    assert!((-1e-9..1e-5).contains(&gap(bounds, t)), "{} at {t}", gap(bounds, t));
                    assert!((0..3).map(|k| normal[k] * away[k]).sum::<f32>() <= 1e-3);
                }
                Some(CastHit { t, depth: Some(depth), normal, .. }) => {
                    assert!(t == 0.0 && near < 1e-6);
                    // Moved out by the depth it is just in contact.
                    let out = [0, 1, 2].map(|k| f64::from(centre[k]) + f64::from(depth * normal[k]));
                    let part = |k: usize| {
                        (out[k].clamp(bounds.min[k].into(), bounds.max[k].into()) - out[k]).powi(2)
                    };
                    let after = (part(0) + part(1) + part(2)).sqrt() - f64::from(radius);
                    assert!(after.abs() < 1e-4, "{after} beyond {bounds:?}");
                }
                None => {
                    let least = (0..=400).map(|step| gap(bounds, f64::from(step) / 400.0));
                    assert!(least.fold(f64::INFINITY, f64::min) > -1e-6, "{bounds:?} is missed");
                }
            }
            self.check_depth(*handle, bounds, centre, half);
            let touches = Touches::new(&ball, 0.5);
            let mut least = f32::INFINITY;
            let _ = moving.touches(&touches, &mut only, |it| {
                assert!(it.answer.gap <= 0.5 && it.answer.triangle == NONE);
                least = least.min(it.answer.gap);
                ControlFlow::Continue(())
            });
            assert!((near - 0.5).abs() < 1e-5 || least.is_finite() == (near < 0.5), "{near} {least}");
            assert!(near < 1e-6 || least == f32::INFINITY || (f64::from(least) - near).abs() < 1e-5);
        }
        // All at once as one by one.
        let cast = ShapeCast::new(&ball, away);
        let first = self
            .all
            .iter()
            .filter_map(|(it, _)| moving.cast(&cast, &mut (|thing| thing == Thing::Moving(*it))))
            .min_by(|a, b| a.answer.t.total_cmp(&b.answer.t));
        let found = moving.cast(&cast, &mut (|thing| is_box(thing)));
        assert_eq!(found.map(|it| it.answer.t), first.map(|it| it.answer.t));
    }

    pub(super) fn check_inside(&self, point: [f32; 3]) {
        let moving = self.moving;
        let is_box = |thing: Thing| self.all.iter().any(|(it, _)| Thing::Moving(*it) == thing);
        let depth = |it: &Aabb| {
            let part = |k: usize| f64::from(point[k] - it.min[k]).min(f64::from(it.max[k] - point[k]));
            part(0).min(part(1)).min(part(2))
        };
        let holding: Vec<Thing> =
            self.all.iter().filter(|(_, it)| depth(it) > 0.0).map(|(it, _)| Thing::Moving(*it)).collect();
        let found = moving.contains(point, InsideRule::NonZero, &mut (|thing| is_box(thing)));
        assert_eq!(found.thing, holding.iter().copied().min());
        assert_eq!(found.place == Place::In, !holding.is_empty());
        let winding = moving.winding(point, &mut (|thing| is_box(thing)));
        assert_eq!(winding.map(|it| it.value), Some(holding.len() as f64));
        for thing in &holding {
            let found = moving.signed_distance(point, InsideRule::NonZero, &mut (|it| it == *thing));
            let found = found.expect("it is seen");
            let (_, bounds) =
                self.all.iter().find(|(it, _)| Thing::Moving(*it) == *thing).expect("it is there");
            assert!((f64::from(found.distance) + depth(bounds)).abs() < 1e-5, "{found:?}");
            assert!((0..3).any(|k| [bounds.min[k], bounds.max[k]].contains(&found.nearest.answer.point[k])));
        }
    }

    /// How deep a box is in another one: along an axis, and just that far.
    fn check_depth(&self, handle: Handle, bounds: &Aabb, centre: [f32; 3], half: [f32; 3]) {
        let overlap = |k: usize| {
            let above = f64::from(bounds.max[k]) - (f64::from(centre[k]) - f64::from(half[k]));
            above.min(f64::from(centre[k]) + f64::from(half[k]) - f64::from(bounds.min[k]))
        };
        let depth = overlap(0).min(overlap(1)).min(overlap(2));
        let cuboid = Cuboid::new(centre, half);
        let cast = ShapeCast::new(&cuboid, [0.0; 3]);
        let found = self.moving.cast(&cast, &mut (|thing| thing == Thing::Moving(handle)));
        assert_eq!(found.is_some(), depth >= 0.0);
        let mut most = f32::INFINITY;
        let touches = Touches::new(&cuboid, 0.0);
        let _ = self.moving.touches(&touches, &mut (|thing| thing == Thing::Moving(handle)), |it| {
            most = most.min(it.answer.gap);
            ControlFlow::Continue(())
        });
        let Some(hit) = found.map(|it| it.answer) else {
            assert_eq!(most, f32::INFINITY);
            return;
        };
        assert!((f64::from(hit.depth.expect("from the start")) - depth).abs() < 1e-5, "{hit:?}: {depth}");
        assert!((f64::from(-most) - depth).abs() < 1e-5, "{most} {depth}");
        assert_eq!(hit.normal.iter().filter(|x| x.abs() == 1.0).count(), 1, "{hit:?}");
        assert_eq!((hit.feature, hit.normal), (Feature::Face, hit.face_normal));
    }
}
