use super::*;
use proptest::prelude::*;
use record::{Distribution, KeysAs, Share, ValuesAs};
use std::collections::BTreeSet;

fn operations(change: impl FnOnce(&mut Workload)) -> Operations {
    let mut workload = preset("kv").expect("a preset");
    workload.prefix = "a:".to_owned();
    change(&mut workload);
    Operations::new(&workload, 7).expect("sane")
}

fn mixed(kinds: &[(Kind, f64)], distribution: Distribution) -> Operations {
    operations(|workload| {
        workload.mix = kinds.iter().map(|&(kind, weight)| Share { kind, weight }).collect();
        workload.distribution = distribution;
    })
}

const DISTRIBUTIONS: [Distribution; 6] = [
    Distribution::Uniform,
    Distribution::Sequential,
    Distribution::Zipf(0.99),
    Distribution::Hotspot { keys: 0.2, operations: 0.8 },
    Distribution::Latest,
    Distribution::YcsbZipfian,
];

const KINDS: [(Kind, f64); 6] = [
    (Kind::Get, 4.0),
    (Kind::MultiGet(10), 2.0),
    (Kind::Set, 2.0),
    (Kind::Insert, 1.0),
    (Kind::Scan(100), 0.5),
    (Kind::ReadModifyWrite, 0.5),
];

#[test]
fn the_operations_of_a_seed_never_change() {
    let description: Vec<String> = DISTRIBUTIONS
        .iter()
        .map(|&distribution| description(&mixed(&KINDS, distribution)))
        .collect();
    assert_eq!(description.join("\n"), include_str!("operations.txt").trim_end());
}

/// Returns some operations as text, from where `latest` finds inserted keys on, with the last
/// key of each.
fn description(operations: &Operations) -> String {
    let drawn = (20_000..20_060).step_by(4).map(|n| {
        let drawn = operations.operation(n);
        let last = match drawn.kind {
            Kind::MultiGet(keys) | Kind::Scan(keys) => keys - 1,
            _ => 0,
        };
        format!("{:?} {}", drawn.kind, operations.key_of(&drawn, last))
    });
    drawn.collect::<Vec<_>>().join(", ")
}

proptest! {
    #[test]
    fn the_same_seed_gives_the_same_operations(seed: u64, n in 0u64..1 << 48) {
        for distribution in DISTRIBUTIONS {
            let workload = mixed(&KINDS, distribution).workload;
            let [one, two] = [0, 1].map(|_| Operations::new(&workload, seed).expect("sane"));
            prop_assert_eq!(one.operation(n), two.operation(n));
        }
    }

    #[test]
    fn the_parts_of_the_workers_are_the_whole(seed: u64, workers in 1u64..9, from in 0u64..1 << 40) {
        let numbers = from..from + 100;
        for distribution in DISTRIBUTIONS {
            let workload = mixed(&KINDS, distribution).workload;
            let make = || Operations::new(&workload, seed).expect("sane").for_workers(workers);
            let one = make();
            let whole: Vec<Drawn> = numbers.clone().map(|n| one.operation(n)).collect();
            let part = |worker| {
                let custom = make();
                numbers.clone().filter(move |n| n % workers == worker).map(move |n| custom.operation(n))
            };
            let mut parts: Vec<Drawn> = (0..workers).flat_map(part).collect();
            parts.sort_unstable_by_key(|drawn| drawn.n);
            prop_assert_eq!(parts, whole);
        }
    }
}

/// Returns the operations of these groups, each with its mix.
fn grouped(mixes: &[&[(Kind, f64)]], distribution: Distribution) -> Operations {
    operations(|workload| {
        let share = |&(kind, weight): &(Kind, f64)| Share { kind, weight };
        workload.mix = mixes.concat().iter().map(share).collect();
        workload.groups = mixes.iter().map(|mix| mix.len() as u32).collect();
        workload.distribution = distribution;
    })
}

const READS: &[(Kind, f64)] = &[(Kind::Get, 3.0), (Kind::MultiGet(4), 1.0)];
const WRITES: &[(Kind, f64)] = &[(Kind::Set, 1.0), (Kind::Get, 0.5)];

#[test]
fn a_group_has_the_kinds_of_its_own_mix_and_the_keys_of_all() {
    for distribution in
        DISTRIBUTIONS.into_iter().filter(|distribution| *distribution != Distribution::Latest)
    {
        let all = grouped(&[READS, WRITES], distribution);
        let mut keys = [BTreeSet::new(), BTreeSet::new()];
        for n in 0..20_000u64 {
            let drawn = all.operation(n);
            let group = (n % 2) as usize;
            let (mix, first) = ([READS, WRITES][group], [0, READS.len()][group]);
            assert_eq!(drawn.kind, mix[drawn.share as usize - first].0, "{distribution:?} {n}");
            keys[group].insert(drawn.key);
            if drawn.version > 0 {
                assert!(all.gives(drawn.key, drawn.version), "{distribution:?}: {drawn:?}");
            }
            assert!(!all.gives(drawn.key, n + 1) || drawn.version > 0, "a read gives nothing");
        }
        // This holds for a sequence as for all others: no group has only odd keys.
        let odd = |keys: &BTreeSet<u64>| keys.iter().any(|key| key % 2 == 1);
        assert!(
            keys.iter().all(|keys| odd(keys) && keys.iter().any(|key| key % 2 == 0)),
            "{distribution:?}"
        );
    }
}

#[test]
fn one_group_alone_does_what_would_be_done_without_groups() {
    for distribution in
        DISTRIBUTIONS.into_iter().filter(|distribution| *distribution != Distribution::Latest)
    {
        let (with, without) = (grouped(&[READS], distribution), mixed(READS, distribution));
        assert!((0..5000).all(|n| with.operation(n) == without.operation(n)), "{distribution:?}");
    }
}

#[test]
fn places_of_workers_and_groups_share_out_all_numbers() {
    let stop = crate::Stop::new().expect("a descriptor");
    for (workers, groups) in [(1, 1), (1, 3), (3, 1), (4, 2), (3, 8)] {
        let mut seen = BTreeSet::new();
        for (worker, group) in (0..workers).flat_map(|w| (0..groups).map(move |g| (w, g))) {
            let seat =
                crate::Seat { group, groups, ..crate::Seat::new(worker, workers, stop.clone()) };
            for n in (seat.index()..600).step_by(seat.count()) {
                assert_eq!((n % groups, n / groups % workers), (group, worker));
                assert!(seen.insert(n), "{n} is of two places");
            }
        }
        assert_eq!(seen.len(), 600);
    }
}

#[test]
fn seeds_differ() {
    let workload = operations(|_| ()).workload;
    let keys = |seed| {
        let operations = Operations::new(&workload, seed).expect("sane");
        (0..10).map(|n| operations.operation(n).key).collect::<Vec<_>>()
    };
    assert_ne!(keys(1), keys(2));
}

#[test]
fn only_latest_asks_how_many_workers_there_are() {
    for distribution in DISTRIBUTIONS {
        let one = mixed(&KINDS, distribution);
        let four = one.clone().for_workers(4);
        let same = (50_000..51_000).all(|n| one.operation(n) == four.operation(n));
        assert_eq!(same, distribution != Distribution::Latest, "{distribution:?}");
    }
}

#[test]
fn inserted_keys_follow_the_loaded_ones_and_each_other() {
    let operations = mixed(&KINDS, Distribution::Uniform);
    let drawn = (0..50_000).map(|n| operations.operation(n));
    let keys = drawn.filter(|drawn| drawn.kind == Kind::Insert).map(|drawn| drawn.key);
    let keys: Vec<u64> = keys.collect();
    assert!(keys.iter().copied().eq(100_000..100_000 + keys.len() as u64));
    assert_eq!(keys.len(), 5000);
}

#[test]
fn all_other_keys_exist_when_they_are_asked_for() {
    for distribution in DISTRIBUTIONS {
        let operations = mixed(&KINDS, distribution);
        let mut inserted = 0;
        for n in 0..50_000 {
            let drawn = operations.operation(n);
            if drawn.kind == Kind::Insert {
                inserted += 1;
            } else {
                assert!(drawn.key < 100_000 + inserted, "{distribution:?}: {drawn:?}");
            }
        }
    }
}

#[test]
fn a_write_has_the_version_after_its_number_and_a_read_has_none() {
    let operations = mixed(&KINDS, Distribution::Uniform);
    for n in 0..1000 {
        let drawn = operations.operation(n);
        let writes = matches!(drawn.kind, Kind::Set | Kind::Insert | Kind::ReadModifyWrite);
        assert_eq!(drawn.version, if writes { n + 1 } else { 0 }, "{drawn:?}");
    }
}

#[test]
fn versions_that_nobody_writes_are_known() {
    let operations = mixed(&KINDS, Distribution::Zipf(0.99));
    assert!(operations.gives(0, 0) && operations.gives(99_999, 0));
    assert!(!operations.gives(100_000, 0));
    assert!(!operations.gives(0, u64::MAX) && !operations.gives(u64::MAX, 1 << 53));
    for n in 0..1000 {
        let drawn = operations.operation(n);
        assert_eq!(operations.gives(drawn.key, n + 1), drawn.version > 0, "{drawn:?}");
        assert!(!operations.gives(drawn.key + 1, n + 1), "{drawn:?}");
    }
}

#[test]
fn the_keys_of_a_multi_get_are_drawn_and_those_of_a_scan_follow() {
    let operations = operations(|workload| {
        let kinds = [Kind::MultiGet(10), Kind::Scan(10)];
        workload.mix = kinds.map(|kind| Share { kind, weight: 1.0 }).to_vec();
        workload.hot = 0.1;
    });
    let mut drawn_keys = BTreeSet::new();
    for drawn in (0..4000).map(|n| operations.operation(n)) {
        let keys = (0..10).map(|i| operations.key_of(&drawn, i));
        match drawn.kind {
            Kind::MultiGet(10) => drawn_keys.extend(keys),
            Kind::Scan(1..=10) => assert!(keys.eq(drawn.key..drawn.key + 10)),
            kind => panic!("{kind:?}"),
        }
    }
    // 20 000 draws of 10 000 keys reach all but one in e² of them.
    assert!((8500..8800).contains(&drawn_keys.len()), "{} keys", drawn_keys.len());
}

#[test]
fn lengths_of_scans_are_from_one_to_what_was_asked() {
    let operations = mixed(&[(Kind::Scan(100), 1.0)], Distribution::Uniform);
    let mut seen = [0u32; 101];
    for n in 0..100_000 {
        let Kind::Scan(length) = operations.operation(n).kind else { panic!("no scan") };
        seen[length as usize] += 1;
    }
    let squares: f64 = seen[1..].iter().map(|&n| (f64::from(n) - 1e3).powi(2) / 1e3).sum();
    assert!(seen[0] == 0 && squares < 99.0 + 4.0 * 198f64.sqrt(), "χ² {squares}");
}

#[test]
fn the_name_of_a_key_is_the_prefix_and_twelve_digits() {
    let operations = operations(|_| ());
    for (key, name) in [
        (0, "a:000000000000"),
        (1_234, "a:000000001234"),
        (9_876_543_210, "a:009876543210"),
        (999_999_999_999, "a:999999999999"),
    ] {
        let mut out = b"get ".to_vec();
        operations.write_key(Space::Values, key, &mut out);
        assert_eq!(out, format!("get {name}").as_bytes());
    }
}

/// `md5sum` computed these.
#[test]
fn the_name_of_a_key_can_be_the_md5_of_its_number() {
    let operations = operations(|workload| workload.keys_as = KeysAs::Md5);
    for (space, key, name) in [
        (Space::Values, 0, "a:cfcd208495d565ef66e7dff9f98764da"),
        (Space::Values, 99_999, "a:d3eb9a9233e52948740d7eb8c3062d14"),
        // The hash of `n7`: a counter has another key than the value with its number.
        (Space::Counters, 7, "a:c364e7cd25ef8288236d31f1ed69a94a"),
    ] {
        let mut out = b"get ".to_vec();
        operations.write_key(space, key, &mut out);
        assert_eq!(out, format!("get {name}").as_bytes());
        assert_eq!(longest_key(&operations.workload), name.len());
    }
}

/// The operations and their keys are the same.
#[test]
fn names_and_values_do_not_change_the_operations() {
    let (plain, hashed) = (
        operations(|_| ()),
        operations(|workload| {
            (workload.keys_as, workload.values_as) = (KeysAs::Md5, ValuesAs::Crc32);
        }),
    );
    assert!((0..1000).all(|n| plain.operation(n) == hashed.operation(n)));
    let mut value = Vec::new();
    for version in [0, 7] {
        hashed.values().write(1, version, &mut value);
    }
    assert_eq!(value, b"22122945832212294583");
}

#[test]
fn counters_and_commands_have_keys_of_their_own() {
    let mix = [Kind::Get, Kind::Incr, Kind::Decr, Kind::Command(0)];
    let operations = operations(|workload| {
        workload.keys = 10;
        workload.mix = mix.iter().map(|&kind| Share { kind, weight: 1.0 }).collect();
        workload.commands = vec![vec!["PING".to_owned()]];
    });
    for n in 0..200 {
        let drawn = operations.operation(n);
        let letter = match drawn.kind {
            Kind::Get => "",
            Kind::Command(_) => "x",
            _ => "n",
        };
        let mut out = Vec::new();
        operations.write_key(drawn.space, drawn.key, &mut out);
        assert_eq!(out, format!("a:{letter}{:012}", drawn.key).as_bytes());
        assert!(out.len() <= longest_key(&operations.workload));
        assert!(drawn.kind == Kind::Get || !operations.gives(drawn.key, n + 1));
    }
    assert_eq!(operations.workload.to_load(), 20);
    let loaded: Vec<_> = (0..20).map(|n| operations.loading(n)).map(|d| (d.space, d.key)).collect();
    let space = |space| (0..10).map(move |key| (space, key));
    assert!(loaded.into_iter().eq(space(Space::Values).chain(space(Space::Counters))));
}

#[test]
fn one_operation_in_a_hundred_of_a_sample_is_checked_in_full() {
    let checked = |verify, worker: usize| {
        let operations = operations(|workload| workload.verify = verify);
        (worker..200_000).step_by(2).filter(|n| operations.checks_all_bytes(*n as u64)).count()
    };
    for worker in [0, 1] {
        assert_eq!(checked(Verify::Off, worker), 0);
        assert!((880..1120).contains(&checked(Verify::Sample, worker)));
        assert_eq!(checked(Verify::All, worker), 100_000);
    }
}

#[test]
fn a_workload_that_cannot_be_is_refused() {
    let workload = Workload { keys: 0, ..preset("kv").expect("a preset") };
    let refused = Operations::new(&workload, 1).expect_err("no keys");
    assert!(refused.to_string().starts_with("keys = 0"), "{refused}");
}

/// Returns a workload of 40 users with wide rows and these operations.
pub(crate) fn wide(mix: &[(Kind, f64)]) -> Workload {
    let mix = mix.iter().map(|&(kind, weight)| Share { kind, weight }).collect();
    Workload { prefix: "p:".to_owned(), keys: 40, mix, ..preset("wide-rows").expect("a preset") }
}
