//! Which operations insert, and how old keys are.

use super::zipf::Zipf;
use crate::random::Random;

/// Maximum number of operations that a worker may have in flight, so that an insert further back
/// has been answered: 64 connections with depth 16.
const IN_FLIGHT: u64 = 1024;

/// How many inserts a read checks to find one of its own worker.
const LOOKS: usize = 64;

/// One insert in each stretch of 1 ÷ share operations, at a random place in it.
///
/// If each operation decided at random whether it inserts, the number of an insert could only be
/// found by counting: its key would have to be derived from its operation's number, with gaps
/// that a scan runs into, and the youngest keys could only be found by searching backwards. Here
/// the number of an insert, the inserts before an operation and the operation of an insert are
/// each computed directly, and inserted keys follow each other. The price: the number of inserts
/// among *n* operations does not scatter (by more than one).
#[derive(Clone, Debug)]
pub(super) struct Inserts {
    /// Length of a stretch in 2⁻³² operations: an integer, so that stretches neither overlap nor
    /// leave a gap.
    length: u64,
    /// 2³² ÷ length.
    share: f64,
    seed: u64,
}

impl Inserts {
    /// Creates the inserts; `share` of all operations is above 0 and at most 1.
    pub(super) fn new(share: f64, seed: u64) -> Inserts {
        let length = ((1u64 << 32) as f64 / share).round() as u64;
        let share = (1u64 << 32) as f64 / length as f64;
        Inserts { length, share, seed: Random::new(seed, 0x1145_E127).next() }
    }

    /// Returns the operation that makes this insert; inserts count from 0.
    pub(super) fn operation(&self, insert: u64) -> u64 {
        let first = self.first(insert);
        let length = self.first(insert + 1) - first;
        first + Random::new(self.seed, insert).below(length as usize) as u64
    }

    /// Returns the insert that operation `n` makes, or None if it makes none.
    pub(super) fn made_by(&self, n: u64) -> Option<u64> {
        let insert = self.stretch(n);
        (self.operation(insert) == n).then_some(insert)
    }

    /// Returns how many inserts there are among the operations before `n`.
    pub(super) fn before(&self, n: u64) -> u64 {
        let insert = self.stretch(n);
        insert + u64::from(self.operation(insert) < n)
    }

    /// Returns the first operation of a stretch.
    fn first(&self, stretch: u64) -> u64 {
        ((u128::from(stretch) * u128::from(self.length)).div_ceil(1 << 32)) as u64
    }

    /// Returns the stretch of operation `n`.
    fn stretch(&self, n: u64) -> u64 {
        let mut stretch = (n as f64 * self.share) as u64;
        // It is off by at most one, because the product was rounded.
        while self.first(stretch) > n {
            stretch -= 1;
        }
        while self.first(stretch + 1) <= n {
            stretch += 1;
        }
        stretch
    }
}

/// Keys by their age: the youngest is that of the last insert whose answer the requesting worker
/// has certainly received, the oldest is key 0.
///
/// A worker counts back along its own inserts only, and leaves out the newest operations.
/// Workers are not synchronised: in closed loop one of them is soon thousands of operations
/// ahead, and keys that the others have yet to insert would be missing. With one worker the ages
/// are exact. With more, the keys that the others inserted are skipped, as many as there are on
/// average.
#[derive(Clone, Debug)]
pub(super) struct Ages {
    pub(super) loaded: u64,
    pub(super) inserts: Option<Inserts>,
    pub(super) workers: u64,
}

impl Ages {
    /// Returns a key for operation `n`, with an age by this law over the loaded keys.
    pub(super) fn key(&self, distribution: &Zipf, n: u64, random: &mut Random) -> u64 {
        let age = distribution.rank(random);
        let answered = (n + 1).saturating_sub(IN_FLIGHT * self.workers);
        let inserted = match &self.inserts {
            Some(inserts) if answered > 0 => inserts.before(answered),
            _ => 0,
        };
        match self.own_insert(age, inserted, n) {
            Some(insert) => self.loaded + insert,
            None => self.loaded - 1 - age.saturating_sub(inserted / self.workers),
        }
    }

    /// Returns the insert of this age among those of the worker of operation `n`.
    fn own_insert(&self, age: u64, inserted: u64, n: u64) -> Option<u64> {
        let inserts = self.inserts.as_ref()?;
        let left = inserted.checked_sub(age.checked_mul(self.workers)?)?;
        if self.workers == 1 {
            return left.checked_sub(1);
        }
        let own = |insert: &u64| inserts.operation(*insert) % self.workers == n % self.workers;
        (0..left).rev().take(LOOKS).find(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_insert_has_one_operation_and_they_are_in_order() {
        for share in [1.0, 0.999, 0.5, 1.0 / 3.0, 0.05, 0.0007] {
            let inserts = Inserts::new(share, 4);
            let made: Vec<u64> = (0..20_000).filter_map(|n| inserts.made_by(n)).collect();
            assert!(made.iter().copied().eq(0..made.len() as u64), "share {share}");
            assert!((made.len() as f64 - 20_000.0 * share).abs() <= 1.0, "share {share}");
        }
    }

    #[test]
    fn numbers_of_inserts_agree_with_counting() {
        let inserts = Inserts::new(0.07, 8);
        let mut counted = 0;
        for n in 0..30_000 {
            assert_eq!(inserts.before(n), counted, "before operation {n}");
            if let Some(insert) = inserts.made_by(n) {
                assert_eq!(inserts.operation(insert), n);
                counted += 1;
            }
        }
    }

    #[test]
    fn they_agree_far_out_too() {
        for share in [0.05, 0.3, 0.99] {
            let inserts = Inserts::new(share, 2);
            for n in (1u64 << 41)..(1 << 41) + 2000 {
                let made = u64::from(inserts.made_by(n).is_some());
                assert_eq!(inserts.before(n + 1) - inserts.before(n), made, "operation {n}");
            }
        }
    }

    #[test]
    fn places_of_inserts_are_not_regular() {
        let inserts = Inserts::new(0.05, 1);
        let even = (0..2000).filter(|insert| inserts.operation(*insert).is_multiple_of(2)).count();
        assert!((900..1100).contains(&even), "{even} of 2000 at even operations");
        let mut gaps: Vec<u64> =
            (0..2000).map(|i| inserts.operation(i + 1) - inserts.operation(i)).collect();
        gaps.sort_unstable();
        assert!(gaps[0] <= 2 && gaps[1999] >= 35, "{} to {}", gaps[0], gaps[1999]);
    }

    fn ages(workers: u64) -> (Ages, Inserts) {
        let inserts = Inserts::new(0.05, 6);
        (Ages { loaded: 1000, inserts: Some(inserts.clone()), workers }, inserts)
    }

    #[test]
    fn a_key_was_inserted_by_the_same_worker_and_is_answered() {
        let distribution = Zipf::new(0.99, 1000);
        for workers in [1, 2, 3, 8] {
            let (ages, inserts) = ages(workers);
            let mut random = Random::new(1, workers);
            let mut inserted = 0;
            for n in (0..200_000).step_by(7) {
                let key = ages.key(&distribution, n, &mut random);
                let Some(insert) = key.checked_sub(1000) else { continue };
                let made = inserts.operation(insert);
                assert!(made + (IN_FLIGHT - 1) * workers < n, "{made} for {n}");
                assert_eq!(made % workers, n % workers, "{made} for {n} of {workers} workers");
                inserted += 1;
            }
            assert!(inserted > 10_000, "{inserted} of inserted keys, {workers} workers");
        }
    }

    #[test]
    fn ages_have_the_frequencies_of_the_law() {
        let (ages, inserts) = ages(1);
        let distribution = Zipf::new(0.99, 1000);
        let mut random = Random::new(2, 0);
        let (from, draws) = (100_000u64, 200_000u64);
        let mut seen = [0u64; 1000];
        for n in from..from + draws {
            let youngest = 1000 + inserts.before(n + 1 - IN_FLIGHT) - 1;
            seen[(youngest - ages.key(&distribution, n, &mut random)) as usize] += 1;
        }
        let all = super::super::zipf::sum(0.99, 1000);
        let squares = seen.iter().enumerate().map(|(age, &n)| {
            let expected = draws as f64 * (age as f64 + 1.0).powf(-0.99) / all;
            (n as f64 - expected).powi(2) / expected
        });
        let squares: f64 = squares.sum();
        assert!(squares < 999.0 + 4.0 * (2.0f64 * 999.0).sqrt(), "χ² {squares}");
    }

    #[test]
    fn before_the_first_answer_the_loaded_keys_are_the_youngest() {
        let (ages, _) = ages(2);
        let distribution = Zipf::new(0.99, 1000);
        let mut random = Random::new(2, 0);
        assert!((0..2000).all(|n| ages.key(&distribution, n, &mut random) < 1000));
        let none = Ages { loaded: 1, inserts: None, workers: 1 };
        assert_eq!(none.key(&Zipf::new(0.99, 1), 9_000, &mut random), 0);
    }
}
