//! How soon two things can touch, from bounds on how they move.

/// A bound on how any point of a thing moves from now on: after a time t it is at most `speed` t + `acceleration` t² / 2 from where
/// it was. In the world's units and the caller's unit of time.
///
/// The speed is that of the path of positions. Steps that change the velocity first and then move by it (`v += a * dt; x += v * dt`,
/// as most engines do) begin at the new velocity: there `speed` is |v| + a dt, with the longest step for dt. Positions that are kept in
/// `f32` jump by their rounding, too. A speed that jumps, as by an impulse, breaks the bound: see
/// [`ContactSchedule::wake`](super::ContactSchedule::wake).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionBound {
    /// Of the fastest point, now.
    pub speed: f64,
    /// How much faster a point may get in a unit of time.
    pub acceleration: f64,
}

/// Lowers a time by more than rounding may have raised it: 1 - 2^-48.
const ROUNDED_DOWN: f64 = 1.0 - 16.0 * f64::EPSILON;

/// Speeds that are not zero count as at least 2^-500, so that squares do not underflow.
const SLOWEST: f64 = f64::from_bits((1023 - 500) << 52);

impl MotionBound {
    /// Of what does not move.
    pub const STILL: Self = Self { speed: 0.0, acceleration: 0.0 };

    /// Of a rigid body: bounds on the velocity and the acceleration of its centre, on the angular ones (radians), and the radius of
    /// a ball around the centre that holds it.
    ///
    /// A point moves as far as the centre does, and at most radius times the angle of the rotation in between.
    pub fn of_body(
        speed: f64,
        acceleration: f64,
        angular_speed: f64,
        angular_acceleration: f64,
        radius: f64,
    ) -> Self {
        Self {
            speed: speed + angular_speed * radius,
            acceleration: acceleration + angular_acceleration * radius,
        }
    }

    /// The time before which two things at this distance cannot touch, rounded down: when both bounds together have used it up.
    /// 0 where a number is negative or NaN, and infinite where neither may move.
    ///
    /// ```
    /// use bvhc_runtime::MotionBound;
    ///
    /// let falling = MotionBound { speed: 0.0, acceleration: 10.0 };
    /// let time = falling.earliest_contact(&MotionBound::STILL, 5.0);
    /// assert!(time <= 1.0 && time > 0.999_999);
    /// ```
    pub fn earliest_contact(&self, other: &Self, distance: f64) -> f64 {
        let numbers = [self.speed, self.acceleration, other.speed, other.acceleration, distance];
        if numbers.iter().any(|x| x.is_nan() || *x < 0.0) {
            return 0.0;
        }
        let (speed, acceleration) = (self.speed + other.speed, self.acceleration + other.acceleration);
        if speed == 0.0 && acceleration == 0.0 {
            return f64::INFINITY;
        }
        // The root of s t + a t² / 2 = d, without cancellation: t = 2 d / (s + sqrt(s² + 2 a d)). It falls where s grows, so a
        // larger s is no danger. Then s² is at least 2^-1000, beside which an underflow of a d is less than a unit; each other
        // operation errs by 2^-53, one after the other by less than 2^-50 of t, or by less than the least number: the next one below
        // covers that. What overflows makes t zero or NaN.
        let speed = speed.max(SLOWEST);
        let root = libm::sqrt(speed * speed + 2.0 * (acceleration * distance));
        let time = distance / (0.5 * (speed + root)) * ROUNDED_DOWN;
        if time > 0.0 { time.next_down() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the time that is returned, the bounds have not used up the distance; a little later they have.
    #[test]
    fn times_are_earliest() {
        let numbers = [0.0, 1e-300, 1e-160, 1e-9, 0.3, 1.0, 7.5, 1e12, 1e150];
        for speed in numbers {
            for acceleration in numbers {
                for distance in [1e-300, 1e-12, 0.1, 1.0, 1e6, 1e60] {
                    let (a, b) =
                        (MotionBound { speed, acceleration: 0.0 }, MotionBound { speed: 0.0, acceleration });
                    let time = a.earliest_contact(&b, distance);
                    assert_eq!(time, b.earliest_contact(&a, distance));
                    if speed == 0.0 && acceleration == 0.0 {
                        assert_eq!(time, f64::INFINITY);
                        continue;
                    }
                    let moved = |time: f64| speed * time + acceleration * time * time / 2.0;
                    assert!(moved(time) <= distance, "{speed} {acceleration} {distance}");
                    let is_common = speed.max(acceleration) > 1e-150 && distance > 1e-100;
                    assert!(
                        !is_common || moved(time * (1.0 + 1e-13)) >= distance,
                        "{speed} {acceleration} {distance}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_distance_is_too_large_or_small() {
        let ten = MotionBound { speed: 10.0, acceleration: 0.0 };
        assert!(ten.earliest_contact(&MotionBound::STILL, 1e308) <= 1e307);
        let least = f64::from_bits(1);
        assert_eq!(MotionBound { speed: 1.5, ..ten }.earliest_contact(&MotionBound::STILL, least), 0.0);
    }

    #[test]
    fn what_is_not_bounded_may_touch_at_once() {
        let some = MotionBound { speed: 1.0, acceleration: 1.0 };
        for bad in [f64::NAN, -1.0, f64::INFINITY] {
            assert_eq!(some.earliest_contact(&MotionBound { speed: bad, ..some }, 1.0), 0.0);
            assert_eq!(some.earliest_contact(&MotionBound { acceleration: bad, ..some }, 1.0), 0.0);
            assert_eq!(some.earliest_contact(&some, bad), 0.0);
        }
        let turning = MotionBound::of_body(1.0, 2.0, 3.0, 4.0, 0.5);
        assert_eq!(turning, MotionBound { speed: 2.5, acceleration: 4.0 });
    }
}
