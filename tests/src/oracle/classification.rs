//! Whether the answer of a ray query is one that the query may give.

use super::ray::{Class, Crossing};

/// One hit, as a query reported it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The triangle's number.
    pub triangle: u32,
    /// Where on the ray, in lengths of its direction.
    pub t: f64,
    /// Weight of the triangle's second corner.
    pub u: f64,
    /// Weight of its third corner.
    pub v: f64,
}

/// An answer that a query must not give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The ray surely hits this triangle, and the answer does not have it.
    Missing(Crossing),
    /// The ray surely misses this triangle.
    Surplus(u32),
    /// A hit was reported, but the ray surely misses all triangles.
    OutOfNothing,
    /// `t`, `u` or `v` is farther off than rounding allows.
    Displaced(Answer, Crossing),
    /// This triangle is surely nearer.
    NotClosest(Answer, Crossing),
}

/// Checks whether anything is hit. `crossings` are [`all`](super::ray::all) of the ray.
pub fn any(crossings: &[Crossing], hit: bool) -> Result<(), Fault> {
    let sure = crossings.iter().find(|crossing| crossing.class == Class::Hit);
    match sure {
        Some(&crossing) if !hit => Err(Fault::Missing(crossing)),
        _ if hit && crossings.is_empty() => Err(Fault::OutOfNothing),
        _ => Ok(()),
    }
}

/// Checks the closest hit. `crossings` are [`all`](super::ray::all) of the ray.
pub fn closest(crossings: &[Crossing], answer: Option<Answer>) -> Result<(), Fault> {
    let Some(answer) = answer else {
        return any(crossings, false);
    };
    place(crossings, answer)?;
    let sure = crossings.iter().filter(|crossing| crossing.class == Class::Hit);
    match sure.into_iter().find(|crossing| answer.t > crossing.t + crossing.t_tolerance) {
        Some(&nearer) => Err(Fault::NotClosest(answer, nearer)),
        None => Ok(()),
    }
}

/// Checks all hits, in any order. `crossings` are [`all`](super::ray::all) of the ray.
pub fn all(crossings: &[Crossing], answers: &[Answer]) -> Result<(), Fault> {
    for &answer in answers {
        place(crossings, answer)?;
    }
    let reported = |crossing: &Crossing| answers.iter().any(|answer| answer.triangle == crossing.triangle);
    let mut sure = crossings.iter().filter(|crossing| crossing.class == Class::Hit);
    match sure.find(|crossing| !reported(crossing)) {
        Some(&missing) => Err(Fault::Missing(missing)),
        None => Ok(()),
    }
}

/// Checks one hit by itself.
fn place(crossings: &[Crossing], answer: Answer) -> Result<(), Fault> {
    let same = crossings.iter().find(|crossing| crossing.triangle == answer.triangle);
    let crossing = *same.ok_or(Fault::Surplus(answer.triangle))?;
    let near = |found: f64, expected: f64, tolerance: f64| (found - expected).abs() <= tolerance;
    let placed = near(answer.t, crossing.t, crossing.t_tolerance)
        && (crossing.class == Class::Border
            || near(answer.u, crossing.u, crossing.uv_tolerance)
                && near(answer.v, crossing.v, crossing.uv_tolerance));
    if placed { Ok(()) } else { Err(Fault::Displaced(answer, crossing)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::ray::{self, Ray};
    use crate::scene::grid;

    /// Down the middle of a stack of two cubes: floors at 0, 1, 1 and 2.
    fn crossings() -> Vec<Crossing> {
        let mesh = grid::cubes([1, 1, 2]);
        let down = Ray { origin: [0.25, 0.5, 3.0], direction: [0.0, 0.0, -1.0], t_min: 0.0, t_max: 9.0 };
        ray::all(&mesh, &down)
    }

    fn answer(crossing: &Crossing) -> Answer {
        Answer { triangle: crossing.triangle, t: crossing.t, u: crossing.u, v: crossing.v }
    }

    #[test]
    fn right_answers_pass() {
        let crossings = crossings();
        let answers: Vec<_> = crossings.iter().map(answer).collect();
        let first = *answers.iter().min_by(|a, b| a.t.total_cmp(&b.t)).expect("hits");
        assert_eq!(first.t, 1.0);
        assert_eq!(any(&crossings, true), Ok(()));
        assert_eq!(closest(&crossings, Some(first)), Ok(()));
        assert_eq!(all(&crossings, &answers), Ok(()));
        assert_eq!(any(&[], false), Ok(()));
    }

    #[test]
    fn wrong_answers_are_named() {
        let crossings = crossings();
        let answers: Vec<_> = crossings.iter().map(answer).collect();
        let last = *answers.iter().max_by(|a, b| a.t.total_cmp(&b.t)).expect("hits");
        let off = Answer { t: last.t + 0.1, ..last };
        assert!(matches!(any(&crossings, false), Err(Fault::Missing(_))));
        assert_eq!(any(&[], true), Err(Fault::OutOfNothing));
        assert!(matches!(closest(&crossings, None), Err(Fault::Missing(_))));
        assert!(matches!(closest(&crossings, Some(last)), Err(Fault::NotClosest(..))));
        assert!(matches!(closest(&crossings, Some(off)), Err(Fault::Displaced(..))));
        assert!(matches!(all(&crossings, &answers[1..]), Err(Fault::Missing(_))));
        assert!(matches!(all(&[], &answers), Err(Fault::Surplus(_))));
    }
}
