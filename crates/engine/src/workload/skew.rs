//! How unevenly a workload requests its keys.

use super::keys::{LATEST_THETA, part};
use super::ycsb::ScrambledZipfian;
use super::zipf;
use record::{Distribution, Kind, Skew, Workload};

/// Returns the skew that a workload has in the long run.
///
/// It is computed from the law and not from counted operations: the most used 1 % of the keys of
/// a sample look hotter than they are, the more so the fewer operations each key has had. For
/// `ycsb-zipfian` the likeliest items of its generator, at most 4 million, are hashed to their
/// keys and the others are taken to be spread evenly; that underestimates the top above 4
/// million keys, by 1 point at 10 million.
///
/// Each key of a multi-get counts, but only the first of a scan. Inserts do not count. `latest`
/// is as skewed as this at any moment, by age, while its hottest keys change. Returns None if
/// there are only inserts, or if reads are confined to the hot part and there are groups,
/// because it is not known how much each of them will request.
pub(super) fn skew(workload: &Workload) -> Option<Skew> {
    let requests = |only_reads| {
        let kinds = workload.mix.iter().filter(|share| share.kind.only_reads() == only_reads);
        kinds.map(|share| share.weight * keys_asked(share.kind)).sum::<f64>()
    };
    let (reads, writes) = (requests(true), requests(false));
    let Workload { keys, distribution, hot, .. } = *workload;
    if !workload.groups.is_empty() && hot < 1.0 {
        return None;
    }
    let tops = [1, part(0.01, keys), part(0.1, keys)];
    // Reads and writes have the same ranks, so the top ones are the same too.
    let of_reads = shares(distribution, part(hot, keys), tops);
    let of_writes = if hot < 1.0 { shares(distribution, keys, tops) } else { of_reads };
    let together =
        |top: usize| (reads * of_reads[top] + writes * of_writes[top]) / (reads + writes);
    (reads + writes > 0.0).then(|| Skew {
        hottest: together(0),
        top_1_percent: together(1),
        top_10_percent: together(2),
    })
}

fn keys_asked(kind: Kind) -> f64 {
    match kind {
        Kind::Insert => 0.0,
        Kind::MultiGet(keys) => f64::from(keys),
        _ => 1.0,
    }
}

/// Returns the shares of the first ranks of `keys` keys.
fn shares(distribution: Distribution, keys: u64, tops: [u64; 3]) -> [f64; 3] {
    let tops = tops.map(|top| top.min(keys));
    let even = |top: u64, keys: u64| top as f64 / keys as f64;
    match distribution {
        Distribution::Uniform | Distribution::Sequential => tops.map(|top| even(top, keys)),
        Distribution::Zipf(theta) => zipf_shares(theta, keys, tops),
        Distribution::Latest => zipf_shares(LATEST_THETA, keys, tops),
        Distribution::Hotspot { keys: hot, operations } => {
            let hot = part(hot, keys);
            if hot == keys {
                return tops.map(|top| even(top, keys));
            }
            tops.map(|top| {
                let cold = even(top.saturating_sub(hot), keys - hot);
                operations * even(top.min(hot), hot) + (1.0 - operations) * cold
            })
        }
        Distribution::YcsbZipfian => ycsb_shares(keys, tops),
    }
}

fn zipf_shares(theta: f64, keys: u64, tops: [u64; 3]) -> [f64; 3] {
    let all = zipf::sum(theta, keys);
    tops.map(|top| zipf::sum(theta, top) / all)
}

/// Minimum and maximum number of items that are hashed one by one.
const ITEMS: (u64, u64) = (1 << 18, 1 << 22);

fn ycsb_shares(keys: u64, tops: [u64; 3]) -> [f64; 3] {
    let ycsb = ScrambledZipfian::new(keys);
    let items = keys.clamp(ITEMS.0, ITEMS.1);
    let hashed = shares_by_key(&ycsb, items);
    let others = 1.0 - ycsb.part_below(items);
    let head: f64 = hashed.iter().sum();
    tops.map(|top| {
        let first: f64 = hashed.iter().take(top as usize).sum();
        (first + others * top as f64 / keys as f64) / (head + others)
    })
}

/// Returns the shares of the keys that the first items fall on, the highest first.
fn shares_by_key(ycsb: &ScrambledZipfian, items: u64) -> Vec<f64> {
    let mut below = 0.0;
    let hashed = (0..items).filter_map(|item| {
        let share = ycsb.part_below(item + 1) - below;
        below += share;
        ycsb.key_of_item(item).map(|key| (key, share))
    });
    let mut hashed: Vec<(u64, f64)> = hashed.collect();
    hashed.sort_unstable_by_key(|(key, _)| *key);
    let same_key = hashed.chunk_by(|(a, _), (b, _)| a == b);
    let mut shares: Vec<f64> =
        same_key.map(|items| items.iter().map(|(_, share)| share).sum()).collect();
    shares.sort_unstable_by(|a, b| b.total_cmp(a));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Operations;
    use crate::workload::presets::preset;
    use record::Share;

    fn of(keys: u64, distribution: Distribution, hot: f64) -> Skew {
        let kv = preset("kv").expect("a preset");
        skew(&Workload { keys, distribution, hot, ..kv }).expect("kv does not insert")
    }

    fn close(seen: Skew, wanted: [f64; 3], off: f64, what: &str) {
        let seen = [seen.hottest, seen.top_1_percent, seen.top_10_percent];
        for (seen, wanted) in seen.into_iter().zip(wanted) {
            assert!((seen - wanted).abs() < off, "{what}: {seen}, not {wanted}");
        }
    }

    #[test]
    fn uniform_and_sequential_keys_have_none() {
        for distribution in [Distribution::Uniform, Distribution::Sequential] {
            close(of(100_000, distribution, 1.0), [1e-5, 0.01, 0.1], 1e-12, "even");
        }
        close(of(5, Distribution::Uniform, 1.0), [0.2, 0.2, 0.2], 1e-12, "five keys");
    }

    /// Measured with 100 M draws.
    #[test]
    fn zipf_has_the_figures_of_the_textbook() {
        for (keys, wanted) in [
            (1_000, [0.129, 0.382, 0.685]),
            (100_000, [0.0783, 0.605, 0.800]),
            (1_000_000, [0.0650, 0.664, 0.830]),
            (10_000_000, [0.0554, 0.707, 0.852]),
        ] {
            close(of(keys, Distribution::Zipf(0.99), 1.0), wanted, 0.001, "zipf");
            close(of(keys, Distribution::Latest, 1.0), wanted, 0.001, "latest");
        }
    }

    /// Measured with 100 M draws of YCSB itself.
    #[test]
    fn ycsb_zipfian_has_the_figures_of_ycsb() {
        for (keys, wanted, off) in [
            (1_000, [0.0386, 0.126, 0.290], 0.002),
            (100_000, [0.0378, 0.304, 0.449], 0.002),
            (1_000_000, [0.0377, 0.400, 0.545], 0.005),
        ] {
            close(of(keys, Distribution::YcsbZipfian, 1.0), wanted, off, "ycsb");
        }
    }

    #[test]
    fn a_hotspot_has_its_part() {
        let hotspot = Distribution::Hotspot { keys: 0.05, operations: 0.8 };
        let wanted = [0.8 / 50.0, 0.16, 0.8 + 0.2 * 50.0 / 950.0];
        close(of(1000, hotspot, 1.0), wanted, 1e-12, "hotspot");
        let all = Distribution::Hotspot { keys: 1.0, operations: 1.0 };
        close(of(1000, all, 1.0), [0.001, 0.01, 0.1], 1e-12, "all of it");
    }

    #[test]
    fn confined_reads_make_a_skew_of_their_own() {
        let wanted = [0.9 / 1e4 + 0.1 / 1e5, 0.9 * 0.1 + 0.1 * 0.01, 0.9 + 0.1 * 0.1];
        close(of(100_000, Distribution::Uniform, 0.1), wanted, 1e-12, "hot = 10 %");
    }

    /// Compares the laws with the operations themselves. There are so few keys and so many
    /// operations that the top keys of the sample are the top keys.
    #[test]
    fn operations_have_the_skew_of_their_workload() {
        let hotspot = Distribution::Hotspot { keys: 0.1, operations: 0.5 };
        for (distribution, hot) in [
            (Distribution::Zipf(0.8), 1.0),
            (Distribution::Zipf(1.2), 0.3),
            (hotspot, 1.0),
            (Distribution::YcsbZipfian, 1.0),
        ] {
            let kv = preset("kv").expect("a preset");
            let workload = Workload { keys: 200, distribution, hot, ..kv };
            let operations = Operations::new(&workload, 5).expect("sane");
            let mut seen = vec![0u32; 200];
            for n in 0..1_000_000 {
                seen[operations.operation(n).key as usize] += 1;
            }
            seen.sort_unstable_by(|a, b| b.cmp(a));
            let wanted = [1, 2, 20].map(|top| f64::from(seen[..top].iter().sum::<u32>()) / 1e6);
            close(of(200, distribution, hot), wanted, 0.003, &format!("{distribution:?}"));
        }
    }

    #[test]
    fn each_key_of_a_multi_get_counts_and_inserts_do_not() {
        let mix = |kinds: &[(Kind, f64)]| {
            let mix = kinds.iter().map(|&(kind, weight)| Share { kind, weight }).collect();
            Workload { keys: 1000, hot: 0.01, mix, ..preset("kv").expect("a preset") }
        };
        let seen = skew(&mix(&[(Kind::MultiGet(9), 1.0), (Kind::Set, 1.0), (Kind::Insert, 5.0)]));
        close(seen.expect("reads"), [0.0901, 0.901, 0.91], 1e-12, "multi-get");
        assert_eq!(skew(&mix(&[(Kind::Insert, 1.0)])), None);
    }
}
