//! How far a shape has moved.

use crate::math::exact::{Span, Vector, Whole};

/// The exact product of a number and a direction: how far a shape has moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    t: f64,
    direction: [f32; 3],
}

impl Displacement {
    /// None at all.
    pub const NONE: Self = Self { t: 0.0, direction: [0.0; 3] };

    /// `t` times `direction`; both must be finite.
    pub fn new(t: f64, direction: [f32; 3]) -> Self {
        Self { t, direction }
    }

    /// The product, each coordinate rounded once.
    #[inline(always)]
    pub fn rounded(&self) -> [f64; 3] {
        self.direction.map(|x| self.t * f64::from(x))
    }

    /// A coordinate, if f64 holds it exactly.
    pub(super) fn exact_in_f64(&self, axis: usize) -> Option<f64> {
        let x = self.direction[axis];
        let bits =
            Span::of(&[self.t]).map_or(0, |span| span.bits()) + Span::of(&[x]).map_or(0, |span| span.bits());
        // Products of normal numbers; smaller ones may be rounded.
        let product = self.t * f64::from(x);
        (bits <= 53
            && (product == 0.0) == (self.t == 0.0 || x == 0.0)
            && (product == 0.0 || product.is_normal()))
        .then_some(product)
    }

    /// The bits of the exact coordinates; `None` if all are zero.
    pub(super) fn span(&self) -> Option<Span> {
        Some(Span::of(&[self.t])?.product(Span::of(&self.direction)?))
    }

    /// The exact coordinates in units of 2^`unit`, which must divide them.
    pub(super) fn exact<const LIMBS: usize>(&self, unit: i32) -> Vector<LIMBS> {
        let Some(of_time) = Span::of(&[self.t]) else { return [Whole::ZERO; 3] };
        let time = Whole::new(self.t, of_time.unit);
        self.direction.map(|x| if x == 0.0 { Whole::ZERO } else { time * Whole::new(x, unit - of_time.unit) })
    }
}
