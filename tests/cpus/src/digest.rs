//! Digests of answers.

use bvhc_runtime::{CastHit, ClosestPoint, Distance, Feature, Hit};

use crate::draw::mix;

/// What gets the name of a query, that of the volume or shape if it has one, and the digest of its answers.
pub type Report<'a> = dyn FnMut(&str, &str, &Digest) + 'a;

/// A number that depends on every word given to it and on their order: `state = mix(state + word + 1)`, with the
/// finaliser of SplitMix64, from 0 on. Not cryptographic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// The digest.
    pub state: u64,
    /// How many answers were found: hits, triangles, pairs, or yes.
    pub found: u64,
}

impl Digest {
    pub(crate) fn word(&mut self, word: u64) {
        self.state = mix(self.state.wrapping_add(word).wrapping_add(1));
    }

    pub(crate) fn words<const N: usize>(&mut self, words: [u32; N]) {
        for word in words {
            self.word(word.into());
        }
    }

    pub(crate) fn singles<const N: usize>(&mut self, numbers: [f32; N]) {
        self.words(numbers.map(f32::to_bits));
    }

    pub(crate) fn doubles<const N: usize>(&mut self, numbers: [f64; N]) {
        for number in numbers {
            self.word(number.to_bits());
        }
    }

    /// A decision.
    pub(crate) fn decision(&mut self, is_so: bool) {
        self.found += u64::from(is_so);
        self.word(is_so.into());
    }

    /// An answer that there may be, or not.
    pub(crate) fn maybe<T>(&mut self, answer: Option<T>, add: impl FnOnce(&mut Self, T)) {
        self.decision(answer.is_some());
        if let Some(answer) = answer {
            add(self, answer);
        }
    }

    /// Answers whose order is not specified.
    pub(crate) fn set(&mut self, set: Set) {
        self.found += set.count;
        self.word(set.sum);
        self.word(set.count);
    }
}

/// The digests of answers in any order.
#[derive(Default)]
pub(crate) struct Set {
    sum: u64,
    count: u64,
}

impl Set {
    pub(crate) fn add(&mut self, add: impl FnOnce(&mut Digest)) {
        let mut digest = Digest::default();
        add(&mut digest);
        self.sum = self.sum.wrapping_add(mix(digest.state));
        self.count += 1;
    }
}

impl Digest {
    pub(crate) fn hit(&mut self, hit: &Hit) {
        self.singles([hit.t, hit.u, hit.v]);
        self.singles(hit.normal);
        self.words([hit.triangle, hit.back.into()]);
    }

    pub(crate) fn closest_point(&mut self, nearest: &ClosestPoint) {
        self.singles([nearest.distance]);
        self.singles(nearest.point);
        self.words([nearest.triangle]);
        for corner in nearest.corners {
            self.singles(corner);
        }
    }

    /// Where triangles meet, any meeting pair may be the answer, so only the distance counts.
    pub(crate) fn distance(&mut self, found: &Distance) {
        self.doubles([found.distance]);
        if found.distance > 0.0 {
            self.doubles(found.on_a);
            self.doubles(found.on_b);
            self.doubles(found.direction);
            self.words([found.a, found.b]);
        }
    }

    pub(crate) fn cast_hit(&mut self, hit: &CastHit) {
        self.doubles([hit.t]);
        self.singles(hit.point);
        self.singles(hit.normal);
        self.singles(hit.face_normal);
        self.words(match hit.feature {
            Feature::Face => [0, 0],
            Feature::Edge(edge) => [1, edge.into()],
            Feature::Vertex(vertex) => [2, vertex.into()],
        });
        self.maybe(hit.depth, |digest, depth| digest.singles([depth]));
        self.words([hit.triangle]);
    }
}
