//! Chooses the key of an operation.

use super::inserts::{Ages, Inserts};
use super::permutation::Permutation;
use super::ycsb::ScrambledZipfian;
use super::zipf::Zipf;
use crate::random::Random;
use record::{Distribution, Workload};

/// θ of the ages in `latest`: YCSB's.
pub(super) const LATEST_THETA: f64 = 0.99;

/// Draws keys. Operations that only read are confined to the hot part, the first ranks; those
/// that write (or read in order to write) use all loaded keys.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    reads: RankGenerator,
    writes: RankGenerator,
    scattered: Permutation,
    ages: Ages,
}

/// The law by which ranks are drawn from a number of keys.
#[derive(Clone, Debug)]
enum RankGenerator {
    Uniform(u64),
    Sequential(u64),
    Zipf(Zipf),
    Hotspot { keys: u64, hot: u64, operations: f64 },
    Latest(Zipf),
    YcsbZipfian(ScrambledZipfian),
}

impl Keys {
    pub(super) fn new(workload: &Workload, inserts: Option<&Inserts>, seed: u64) -> Keys {
        let Workload { keys, distribution, hot, .. } = *workload;
        Keys {
            reads: RankGenerator::new(distribution, part(hot, keys)),
            writes: RankGenerator::new(distribution, keys),
            scattered: Permutation::new(keys, seed),
            ages: Ages { loaded: keys, inserts: inserts.cloned(), workers: 1 },
        }
    }

    /// Sets how many workers share the operations; see [`Ages`].
    pub(super) fn for_workers(&mut self, workers: u64) {
        self.ages.workers = workers;
    }

    /// Returns the key of the `i`-th item of operation `n`, from its own random numbers.
    pub(super) fn key(&self, only_reads: bool, n: u64, i: u64, random: &mut Random) -> u64 {
        match if only_reads { &self.reads } else { &self.writes } {
            RankGenerator::Uniform(keys) => self.scattered.apply(below(random, *keys)),
            RankGenerator::Sequential(keys) => n.wrapping_add(i) % keys,
            RankGenerator::Zipf(zipf) => self.scattered.apply(zipf.rank(random)),
            RankGenerator::Hotspot { keys, hot, operations } => {
                self.scattered.apply(hotspot(*keys, *hot, *operations, random))
            }
            RankGenerator::Latest(ages) => self.ages.key(ages, n, random),
            RankGenerator::YcsbZipfian(ycsb) => ycsb.key(random),
        }
    }
}

impl RankGenerator {
    fn new(distribution: Distribution, keys: u64) -> RankGenerator {
        match distribution {
            Distribution::Uniform => RankGenerator::Uniform(keys),
            Distribution::Sequential => RankGenerator::Sequential(keys),
            Distribution::Zipf(theta) => RankGenerator::Zipf(Zipf::new(theta, keys)),
            Distribution::Hotspot { keys: hot, operations } => {
                RankGenerator::Hotspot { keys, hot: part(hot, keys), operations }
            }
            Distribution::Latest => RankGenerator::Latest(Zipf::new(LATEST_THETA, keys)),
            Distribution::YcsbZipfian => RankGenerator::YcsbZipfian(ScrambledZipfian::new(keys)),
        }
    }
}

/// Returns how many keys this part of them is, at least one.
pub(super) fn part(part: f64, keys: u64) -> u64 {
    ((part * keys as f64).round() as u64).clamp(1, keys)
}

fn hotspot(keys: u64, hot: u64, operations: f64, random: &mut Random) -> u64 {
    if hot == keys || random.unit() <= operations {
        below(random, hot)
    } else {
        hot + below(random, keys - hot)
    }
}

fn below(random: &mut Random, count: u64) -> u64 {
    random.below(count as usize) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::presets::preset;

    const HOTSPOT: Distribution = Distribution::Hotspot { keys: 0.2, operations: 0.8 };

    fn keys(distribution: Distribution, hot: f64) -> Keys {
        let kv = preset("kv").expect("a preset");
        Keys::new(&Workload { keys: 1000, distribution, hot, ..kv }, None, 1)
    }

    /// Returns how often each key is drawn, the most frequent first.
    fn counts(keys: &Keys, only_reads: bool, draws: u64) -> Vec<u64> {
        let mut seen = vec![0; 1000];
        for n in 0..draws {
            seen[keys.key(only_reads, n, 0, &mut Random::new(4, n)) as usize] += 1;
        }
        seen.sort_unstable_by(|a, b| b.cmp(a));
        seen
    }

    #[test]
    fn uniform_keys_are_all_alike() {
        let seen = counts(&keys(Distribution::Uniform, 1.0), true, 1_000_000);
        let squares: f64 = seen.iter().map(|&n| (n as f64 - 1000.0).powi(2) / 1000.0).sum();
        assert!(squares < 999.0 + 4.0 * (2.0f64 * 999.0).sqrt(), "χ² {squares}");
    }

    #[test]
    fn sequential_keys_follow_each_other_and_begin_again() {
        let keys = keys(Distribution::Sequential, 1.0);
        let drawn = |n, i| keys.key(true, n, i, &mut Random::new(0, 0));
        assert_eq!([0, 1, 999, 1000, 2001].map(|n| drawn(n, 0)), [0, 1, 999, 0, 1]);
        assert_eq!([0, 1, 2].map(|i| drawn(998, i)), [998, 999, 0]);
    }

    #[test]
    fn zipf_gives_keys_the_frequencies_of_their_ranks() {
        let draws = 1_000_000;
        let seen = counts(&keys(Distribution::Zipf(0.99), 1.0), true, draws);
        let all = super::super::zipf::sum(0.99, 1000);
        for (rank, &n) in seen[..5].iter().enumerate() {
            let expected = draws as f64 * (rank as f64 + 1.0).powf(-0.99) / all;
            assert!((n as f64 - expected).abs() < 4.0 * expected.sqrt(), "rank {rank}: {n}");
        }
    }

    /// The figures of a textbook zipf(0.99): hottest key, top 1 %, top 10 %.
    #[test]
    fn zipf_has_the_skew_of_its_law() {
        let draws = 1_000_000;
        let seen = counts(&keys(Distribution::Zipf(0.99), 1.0), true, draws);
        for (top, wanted) in [(1, 0.129), (10, 0.382), (100, 0.685)] {
            let share = seen[..top].iter().sum::<u64>() as f64 / draws as f64;
            assert!((share - wanted).abs() < 0.002, "top {top}: {share}, not {wanted}");
        }
    }

    #[test]
    fn the_hot_part_of_a_hotspot_gets_its_operations() {
        let seen = counts(&keys(HOTSPOT, 1.0), true, 1_000_000);
        let hot: u64 = seen[..200].iter().sum();
        assert!((hot as f64 / 1e6 - 0.8).abs() < 0.002, "{hot}");
        assert!(seen[199] > 3600 && seen[200] < 450 && seen[999] > 100, "{:?}", &seen[198..202]);
    }

    #[test]
    fn reads_are_confined_to_the_hot_part_and_writes_are_not() {
        let laws =
            [Distribution::Uniform, Distribution::Sequential, Distribution::Zipf(0.5), HOTSPOT];
        for distribution in laws {
            let keys = keys(distribution, 0.1);
            let used = |reads| counts(&keys, reads, 60_000).iter().filter(|&&n| n > 0).count();
            assert_eq!(used(true), 100, "{distribution:?}");
            assert!(used(false) > 900, "{distribution:?}");
        }
    }

    #[test]
    fn keys_of_one_operation_are_drawn_each_on_its_own() {
        let keys = keys(Distribution::Uniform, 1.0);
        let mut random = Random::new(1, 1);
        let drawn: Vec<u64> = (0..10).map(|i| keys.key(true, 7, i, &mut random)).collect();
        assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]), "{drawn:?}");
    }
}
