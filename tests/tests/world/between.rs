//! Near pairs of things that move: whether they meet, which triangles do, and how far apart they are, against all triangles of
//! both, one by one; and warm starts, which change nothing.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Aabb, BetweenError, Handle, KeptStart, MovingWorld, Separation, Similarity, Snapshot, Thing, ThingPair,
    WarmStarts, World,
};
use bvhc_tests::oracle::gap;
use bvhc_tests::oracle::pairs::{self, Surface};
use bvhc_tests::pose::Pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::levels;
use bvhc_tests::support::world::{Placed, compiled_world};

use super::moving::similarity;
use super::with_world;

const NOTHING: ThingPair = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };

fn meshes() -> [Mesh; 3] {
    [grid::cubes([2, 1, 1]), icosphere::displaced(3, 0.2, 1), grid::staircase(4)]
}

fn compiled(meshes: &[Mesh], placed: &[Placed], options: &Options) -> Bytes {
    compiled_world(&meshes.iter().collect::<Vec<_>>(), placed, options)
}

/// What the world's things are: where, and of which mesh.
fn place(world: &World<'_>, moving: &[(Handle, Placed)], thing: Thing) -> (Similarity, usize) {
    match thing {
        Thing::Still(number) => {
            let instance = world.instance(number).expect("it is there");
            (instance.similarity(), instance.mesh() as usize)
        }
        Thing::Moving(handle) => {
            let (_, placed) = moving.iter().find(|(its, _)| *its == handle).expect("it is there");
            (similarity(placed), placed.mesh)
        }
    }
}

/// Where a thing is in the space of another one of no smaller scale, as documented: the matrix of the relative rotation, with
/// mirrors and scale, and a translation.
fn image(outer: &Similarity, inner: &Similarity) -> Pose {
    let pose = |it: &Similarity| {
        bvhc_runtime::Pose::from_rows(it.pose().rotation(), it.pose().translation()).expect("a pose")
    };
    let relative = match outer.is_identity() {
        true => *inner.pose(),
        false => inner.pose().relative_to(&pose(outer)).expect("a pose"),
    };
    let (mut rotation, mut translation) = (relative.rotation(), relative.translation());
    let scale = inner.scale() / outer.scale();
    for (row, entries) in rotation.iter_mut().enumerate() {
        for (column, entry) in entries.iter_mut().enumerate() {
            let is_negated = (row == 0 && outer.mirrors()) != (column == 0 && inner.mirrors());
            *entry *= if is_negated { -scale } else { scale };
        }
        translation[row] /= if row == 0 && outer.mirrors() { -outer.scale() } else { outer.scale() };
    }
    Pose { rotation, translation }
}

/// What the triangles of two things answer, one by one: those that meet, the distance in the world and which are that near.
struct Wanted {
    meeting: BTreeSet<(u32, u32)>,
    distance: f64,
    ties: Vec<(u32, u32)>,
}

fn one_by_one(meshes: &[Mesh], a: &(Similarity, usize), b: &(Similarity, usize)) -> Wanted {
    let is_swapped = a.0.scale() < b.0.scale();
    let [outer, inner] = if is_swapped { [b, a] } else { [a, b] };
    let first = Surface::of(&meshes[outer.1]);
    let second = Surface::transformed(&meshes[inner.1], &image(&outer.0, &inner.0));
    let numbers = |pair: (u32, u32)| if is_swapped { (pair.1, pair.0) } else { pair };
    let nearest = gap::of_surfaces(&first, &second).expect("there are triangles");
    Wanted {
        meeting: pairs::all(&first, &second).into_iter().map(numbers).collect(),
        distance: nearest.distance * outer.0.scale(),
        ties: nearest.ties.into_iter().map(numbers).collect(),
    }
}

/// The corners of a triangle in the world.
fn in_world(meshes: &[Mesh], thing: &(Similarity, usize), triangle: u32) -> [[f64; 3]; 3] {
    meshes[thing.1].corners(triangle).map(|corner| thing.0.apply(corner.map(f64::from)))
}

/// All answers about a pair.
type Answers = (bool, BTreeSet<(u32, u32)>, Separation, Separation);

fn ask(moving: &Snapshot<'_>, pair: ThingPair, limit: f64) -> Answers {
    let between = moving.between(pair).expect("both have meshes");
    assert_eq!(between.pair(), pair);
    let (mut meeting, mut count) = (BTreeSet::new(), 0);
    let all = between.all_pairs(|pair| {
        meeting.insert((pair.a, pair.b));
        count += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(all, Ok(ControlFlow::Continue(())));
    assert_eq!(meeting.len(), count, "each is reported once");
    let separation = between.separation(f64::INFINITY).expect("in time");
    (between.collides().expect("in time"), meeting, separation, between.separation(limit).expect("in time"))
}

fn check(meshes: &[Mesh], [a, b]: [&(Similarity, usize); 2], answers: &Answers, limit: f64) -> bool {
    let (meets, meeting, separation, near) = answers;
    let wanted = one_by_one(meshes, a, b);
    assert_eq!(*meeting, wanted.meeting);
    assert_eq!(*meets, !wanted.meeting.is_empty());
    let Separation::Apart(found) = separation else {
        assert_eq!((*separation, *near), (Separation::Meeting, Separation::Meeting));
        assert!(*meets);
        return true;
    };
    assert!(!meets);
    assert!(
        (found.distance - wanted.distance).abs() <= 1e-11 * wanted.distance,
        "{found:?} {}",
        wanted.distance
    );
    assert!(wanted.ties.contains(&(found.a, found.b)), "{found:?} {:?}", wanted.ties);
    let size = a.0.scale() + b.0.scale() + 10.0;
    let flat = gap::of_triangles(in_world(meshes, a, found.a), in_world(meshes, b, found.b));
    assert!((flat - found.distance).abs() <= 1e-11 * size, "{flat} {found:?}");
    let far = |p: [f64; 3], q: [f64; 3]| (0..3).map(|axis| (p[axis] - q[axis]).abs()).fold(0.0, f64::max);
    let along = [0, 1, 2].map(|axis| found.on_a[axis] + found.distance * found.direction[axis]);
    assert!(far(along, found.on_b) <= 1e-11 * size, "{found:?}");
    for (thing, triangle, point) in [(a, found.a, found.on_a), (b, found.b, found.on_b)] {
        let on = gap::of_triangles(in_world(meshes, thing, triangle), [point; 3]);
        assert!(on <= 1e-11 * size, "{on} {found:?}");
    }
    let wanted = if found.distance <= limit { *separation } else { Separation::Beyond };
    assert_eq!(*near, wanted);
    false
}

/// Things of all scales, mirrored and not, still and moving, near each other.
fn compare(options: &Options, is_rigid: bool, seed: u64) {
    let meshes = meshes();
    let mut random = Random::new(seed);
    let any = |number: usize, random: &mut Random| {
        let mut placed = Placed::any(number % 3, 4.0, is_rigid, random);
        // Some have the same scale, mirrored or not.
        if number % 4 == 1 {
            placed.scale = 1.5;
        }
        placed
    };
    let still: Vec<Placed> = (0..10).map(|number| any(number, &mut random)).collect();
    let placed: Vec<Placed> = (0..14).map(|number| any(number, &mut random)).collect();
    let file = compiled(&meshes, &still, options);
    let mut first: Option<Vec<(ThingPair, Answers)>> = None;
    for level in levels() {
        with_world(&file, level, |world| {
            let mut memory = vec![0; MovingWorld::bytes_needed(20)];
            let mut moving = MovingWorld::new(*world, 20, &mut memory).expect("there is memory");
            let add = |it: &Placed| {
                let handle = moving.add_instance(it.mesh as u32, &similarity(it), 1, 0).expect("it fits");
                (handle, *it)
            };
            let things: Vec<(Handle, Placed)> = placed.iter().map(add).collect();
            let mut near = vec![NOTHING; 1000];
            let count = moving.snapshot().near_pairs_into(1.0, &mut near).expect("there are places");
            let snapshot = moving.snapshot();
            let answers: Vec<(ThingPair, Answers)> =
                near[..count].iter().map(|pair| (*pair, ask(&snapshot, *pair, 0.4))).collect();
            match &first {
                Some(first) => assert_eq!(*first, answers, "{level:?}"),
                None => {
                    let is_meeting = |(pair, answers): &&(ThingPair, Answers)| {
                        let [a, b] = [pair.a, pair.b].map(|thing| place(world, &things, thing));
                        check(&meshes, [&a, &b], answers, 0.4)
                    };
                    let meeting = answers.iter().filter(is_meeting).count();
                    assert!(meeting > 5 && meeting + 5 < count, "{meeting} of {count}");
                    first = Some(answers);
                }
            }
        });
    }
}

#[test]
fn pairs_answer_as_their_triangles() {
    compare(&Options::default(), false, 1);
    compare(&Options::default(), true, 2);
}

/// By axis-aligned boxes, and where triangles are split.
#[test]
fn pairs_without_oriented_boxes_answer_as_their_triangles() {
    compare(&Options { obb: None, ..Options::of(Quality::Default) }, false, 3);
    compare(&Options { obb: None, ..Options::of(Quality::Best) }, false, 4);
}

type Separations = Vec<(ThingPair, Result<Separation, BetweenError>)>;

fn separations(moving: &Snapshot<'_>, pairs: &[ThingPair], starts: &mut WarmStarts<'_>) -> Separations {
    let mut found = Vec::new();
    let ended = moving.separations(pairs, 0.75, starts, |pair, separation| {
        found.push((pair, separation));
        ControlFlow::Continue(())
    });
    assert!(ended.is_continue());
    found
}

/// Whether the table is full, small, or of another world whose handles are the same and whose meshes are not.
#[test]
fn answers_do_not_depend_on_warm_starts() {
    let meshes = meshes();
    let mut random = Random::new(5);
    let still: Vec<Placed> = (0..8).map(|number| Placed::any(number % 3, 4.0, false, &mut random)).collect();
    let file = compiled(&meshes, &still, &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let mut memory = [vec![0; MovingWorld::bytes_needed(24)], vec![0; MovingWorld::bytes_needed(24)]];
            let [one, other] = &mut memory;
            let mut worlds =
                [one, other].map(|memory| MovingWorld::new(*world, 24, memory).expect("it fits"));
            let mut things: Vec<(Handle, Placed)> = Vec::new();
            let mut places =
                [vec![KeptStart::NONE; 400], vec![KeptStart::NONE; 7], vec![KeptStart::NONE; 400]];
            let [many, few, of_other] = &mut places;
            let (mut many, mut few) = (WarmStarts::new(many), WarmStarts::new(few));
            let mut of_other = WarmStarts::new(of_other);
            let (mut near, mut kinds) = (vec![NOTHING; 400], [0; 3]);
            for frame in 0..25 {
                for it in 0..24 {
                    let placed = Placed::any(it % 3, 4.0, it % 2 == 0, &mut random);
                    let mesh = |shift: usize| ((placed.mesh + shift) % 3) as u32;
                    if it == things.len() {
                        let mut add = |shift: usize| {
                            worlds[shift]
                                .add_instance(mesh(shift), &similarity(&placed), 1, 0)
                                .expect("it fits")
                        };
                        let handle = add(0);
                        assert_eq!(handle, add(1));
                        things.push((handle, placed));
                    } else if (it + frame) % 9 == 0 {
                        // The number stays, with another generation and perhaps another mesh.
                        let (handle, held) = &mut things[it];
                        let new = Placed { mesh: frame % 3, ..placed };
                        for (shift, world) in worlds.iter_mut().enumerate() {
                            world.remove(*handle).expect("it is there");
                            let mesh = ((new.mesh + shift) % 3) as u32;
                            world.add_instance(mesh, &similarity(&new), 1, 0).expect("it fits");
                        }
                        handle.generation += 1;
                        *held = new;
                    } else {
                        let (handle, held) = &mut things[it];
                        let part = |axis: usize| held.position[axis] + 0.05 * (placed.position[axis] / 4.0);
                        held.position = [part(0), part(1), part(2)];
                        for world in &mut worlds {
                            world.move_instance(*handle, &similarity(held)).expect("it is there");
                        }
                    }
                }
                let [moving, others] = worlds.each_ref().map(|world| world.snapshot());
                let count = moving.near_pairs_into(0.5, &mut near).expect("there are places");
                let pairs = &near[..count];
                let wanted = separations(&moving, pairs, &mut WarmStarts::new(&mut []));
                assert!(pairs.iter().eq(wanted.iter().map(|(pair, _)| pair)), "in the order of the list");
                assert_eq!(separations(&moving, pairs, &mut many), wanted);
                assert_eq!(many.len(), count);
                assert_eq!(separations(&moving, pairs, &mut few), wanted);
                assert_eq!(few.len(), count.min(7));
                separations(&others, pairs, &mut of_other);
                assert_eq!(separations(&moving, pairs, &mut of_other), wanted);
                let reversed: Vec<ThingPair> = pairs.iter().rev().copied().collect();
                let back = separations(&moving, &reversed, &mut of_other);
                assert!(back.iter().rev().eq(&wanted));
                for (_, found) in &wanted {
                    kinds[match found.as_ref().expect("all have answers") {
                        Separation::Meeting => 0,
                        Separation::Apart(_) => 1,
                        Separation::Beyond => 2,
                    }] += 1;
                }
            }
            assert!(kinds.iter().all(|count| *count > 50), "{kinds:?}");
        });
    }
}

/// Each pair has its own error, beside the answers of the others.
#[test]
fn what_cannot_be_asked_is_named() {
    let meshes = [grid::cubes([1, 1, 1])];
    let file = compiled(&meshes, &[Placed::identity(0)], &Options::default());
    let level = bvhc_runtime::Model::from_bytes(&file).expect("it opens").level();
    with_world(&file, level, |world| {
        let mut memory = vec![0; MovingWorld::bytes_needed(5)];
        let mut moving = MovingWorld::new(*world, 5, &mut memory).expect("there is memory");
        let at = |x: f64, scale: f64| {
            let placed = Placed { position: [x, 0.0, 0.0], scale, ..Placed::identity(0) };
            similarity(&placed)
        };
        let solid = moving.add_box(&Aabb::new([0.5; 3], [0.75; 3]), 1, 0).expect("it fits");
        let cube = moving.add_instance(0, &at(0.5, 0.5), 1, 0).expect("it fits");
        let gone = moving.add_instance(0, &at(0.5, 0.5), 1, 0).expect("it fits");
        let off = moving.add_instance(0, &at(0.5, 0.5), 2, 0).expect("it fits");
        moving.remove(gone).expect("it is there");
        moving.set_enabled(off, false).expect("it is there");
        let pair = |a: Thing, b: Handle| ThingPair { a, b: Thing::Moving(b) };
        let (still, cube_of) = (Thing::Still(0), Thing::Moving(cube));
        let pairs = [pair(still, solid), pair(still, cube), pair(cube_of, gone), pair(cube_of, off)];
        let mut places = [KeptStart::NONE; 4];
        let found = separations(&moving.snapshot(), &pairs, &mut WarmStarts::new(&mut places));
        let found: Vec<_> = found.into_iter().map(|(_, found)| found).collect();
        let not_seen = |handle| Err(BetweenError::NotSeen { thing: Thing::Moving(handle) });
        let wanted = [
            Err(BetweenError::NoMesh { thing: Thing::Moving(solid) }),
            Ok(Separation::Meeting),
            not_seen(gone),
            not_seen(off),
        ];
        assert_eq!(found, wanted);
        let hidden = moving.snapshot().with_layers(4).between(pairs[1]).map(|_| ());
        assert_eq!(hidden, Err(BetweenError::NotSeen { thing: still }));
        let again = moving.add_instance(0, &at(0.5, 0.5), 1, 0).expect("it fits");
        assert_eq!(again.number, gone.number);
        assert_eq!(moving.snapshot().between(pairs[2]).map(|_| ()), not_seen(gone).map(|_: Separation| ()));
        let between = moving.snapshot().between(pairs[1]).expect("both have meshes");
        for limit in [-1.0, f64::NAN] {
            assert_eq!(between.separation(limit), Ok(Separation::Beyond));
        }
        let far = at(1e18, 1.0 / (1u64 << 40) as f64);
        let tiny = moving.add_instance(0, &far, 1, 0).expect("it fits");
        moving.move_instance(cube, &at(0.0, 1.0 / (1u64 << 40) as f64)).expect("it is there");
        let found = moving.snapshot().between(pair(cube_of, tiny)).map(|_| ());
        assert!(matches!(found, Err(BetweenError::Pose { .. })), "{found:?}");
        let found = moving.snapshot().between(pair(still, tiny)).and_then(|it| it.separation(f64::INFINITY));
        assert!(matches!(found, Ok(Separation::Apart(it)) if (it.distance - 1e18).abs() < 1e6), "{found:?}");
    });
}
