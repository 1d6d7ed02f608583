//! Chooses the kind of an operation.

use super::inserts::Inserts;
use record::{Kind, Share};

/// The kinds and their shares.
///
/// Inserts have fixed places, see [`Inserts`]. Each of the other operations gets its kind from
/// one uniform number compared with the cumulated weights.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    others: Vec<Other>,
    inserts: Option<(Inserts, Chosen)>,
}

/// A kind other than insert.
#[derive(Clone, Copy, Debug)]
struct Other {
    /// The highest uniform number that selects it.
    up_to: u64,
    chosen: Chosen,
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chosen {
    /// Its place in the mix as asked.
    pub(super) share: u32,
    pub(super) kind: Kind,
}

impl Mix {
    /// Creates the mix. It has been checked: it is not empty, and contains `Insert` at most
    /// once. `before` is how many shares of the whole mix belong to groups before this one.
    pub(super) fn new(mix: &[Share], before: u32, seed: u64) -> Mix {
        let all: f64 = mix.iter().map(|share| share.weight).sum();
        let mut inserts = None;
        let mut others: Vec<(f64, Chosen)> = Vec::with_capacity(mix.len());
        for (number, share) in mix.iter().enumerate() {
            let chosen = Chosen { share: before + number as u32, kind: share.kind };
            if share.kind == Kind::Insert {
                inserts = Some((Inserts::new(share.weight / all, seed), chosen));
            } else {
                others.push((share.weight, chosen));
            }
        }
        Mix { others: with_ends(&others), inserts }
    }

    /// Returns the kind of operation `n`, and the number of the insert if it inserts. `uniform`
    /// are 64 random bits of the operation.
    pub(super) fn choose(&self, n: u64, uniform: u64) -> (Chosen, Option<u64>) {
        if let Some((inserts, chosen)) = &self.inserts
            && let Some(insert) = inserts.made_by(n)
        {
            return (*chosen, Some(insert));
        }
        let other = self.others.iter().find(|other| uniform <= other.up_to);
        // If all operations insert, this is never reached; the last of the others goes up to the
        // highest number.
        (other.expect("a kind for every number").chosen, None)
    }

    /// Returns the places of inserts, or None if there are none.
    pub(super) fn inserts(&self) -> Option<&Inserts> {
        self.inserts.as_ref().map(|(inserts, _)| inserts)
    }
}

fn with_ends(others: &[(f64, Chosen)]) -> Vec<Other> {
    let weights: Vec<f64> = others.iter().map(|(weight, _)| *weight).collect();
    let ends = cumulated(&weights).into_iter();
    ends.zip(others).map(|(up_to, (_, chosen))| Other { up_to, chosen: *chosen }).collect()
}

/// Returns for each weight the highest of 64 uniform bits that select it; the last one is the
/// highest of all.
pub(super) fn cumulated(weights: &[f64]) -> Vec<u64> {
    let all: f64 = weights.iter().sum();
    let mut sum = 0.0;
    let ends = weights.iter().enumerate().map(|(number, weight)| {
        sum += weight;
        let last = number + 1 == weights.len();
        if last { u64::MAX } else { (sum / all * u64::MAX as f64) as u64 }
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const KINDS: [(Kind, f64); 5] = [
        (Kind::Get, 6.0),
        (Kind::Insert, 0.5),
        (Kind::Set, 3.0),
        (Kind::Scan(10), 0.01),
        (Kind::Delete, 0.49),
    ];

    fn mix(kinds: &[(Kind, f64)]) -> Mix {
        let shares = kinds.iter().map(|&(kind, weight)| Share { kind, weight });
        Mix::new(&shares.collect::<Vec<_>>(), 0, 3)
    }

    #[test]
    fn shares_are_weights_over_their_sum() {
        let (mix, draws) = (mix(&KINDS), 400_000);
        let mut seen = [0u32; 5];
        for n in 0..draws {
            let (chosen, insert) = mix.choose(n, Random::new(9, n).next());
            assert_eq!(chosen.kind, KINDS[chosen.share as usize].0);
            assert_eq!(insert.is_some(), chosen.kind == Kind::Insert);
            seen[chosen.share as usize] += 1;
        }
        for (seen, (kind, weight)) in seen.into_iter().zip(KINDS) {
            let expected = draws as f64 * weight / 10.0;
            let off = (f64::from(seen) - expected).abs();
            assert!(off < 4.0 * expected.sqrt(), "{kind:?}: {seen}, not {expected}");
        }
    }

    #[test]
    fn a_mix_of_one_kind_is_that_kind() {
        for kind in [Kind::Get, Kind::Insert] {
            let mix = mix(&[(kind, 0.1)]);
            for (n, uniform) in [(0, 0), (1, u64::MAX), (1 << 40, 77)] {
                let (chosen, insert) = mix.choose(n, uniform);
                assert_eq!(chosen.kind, kind);
                assert_eq!(insert, (kind == Kind::Insert).then_some(n));
            }
        }
    }

    #[test]
    fn the_ends_of_the_numbers_belong_to_the_first_and_the_last_kind() {
        let mix = mix(&[(Kind::Get, 1.0), (Kind::Set, 2.0), (Kind::Touch, 3.0)]);
        let kind = |uniform| mix.choose(0, uniform).0.kind;
        let (sixth, half) = (u64::MAX / 6, u64::MAX / 2);
        assert_eq!((kind(0), kind(sixth - 9999)), (Kind::Get, Kind::Get));
        assert_eq!((kind(sixth + 9999), kind(half - 9999)), (Kind::Set, Kind::Set));
        assert_eq!((kind(half + 9999), kind(u64::MAX)), (Kind::Touch, Kind::Touch));
    }
}
