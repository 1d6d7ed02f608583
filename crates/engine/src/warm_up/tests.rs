use super::*;
use crate::random::Random;
use record::{Address, Intensity, LaneOrder, WarmUp};

const MS: u64 = 1_000_000;

/// A warm-up of lanes with these arrivals.
fn test_of(arrivals: &[Arrivals], least_ms: u64, most_ms: u64) -> WarmUpTest {
    let lane = |arrivals: &Arrivals| LaneOrder {
        intensity: Intensity { connections: 8, depth: 1, arrivals: *arrivals },
        ..LaneOrder::closed(Address::Unix(String::new()), 8)
    };
    WarmUpTest::new(&DriveOrder {
        seed: 1,
        warm_up: WarmUp { least_ns: least_ms * MS, most_ns: most_ms * MS },
        first_round: 1,
        lanes: arrivals.iter().map(lane).collect(),
        ..DriveOrder::default()
    })
}

/// Drives lanes with such a test, in which `slice` says what is measured of a lane that was driven for so
/// long (in nanoseconds) when a slice of this length begins. Returns how long each was driven, in ms.
fn driven(
    mut test: WarmUpTest,
    mut slice: impl FnMut(usize, u64, u64) -> WarmSlice,
) -> (WarmUpTest, Vec<u64>) {
    let mut driven = vec![0; test.lanes.len()];
    for block in 0..10_000 {
        let Some(sending_ns) = test.next_block() else {
            return (test, driven.iter().map(|ns| ns / MS).collect());
        };
        for (lane, driven) in driven.iter_mut().enumerate() {
            let slice = slice(lane, *driven, sending_ns);
            *driven += slice.took_ns;
            test.add(lane as u32, block, &slice);
        }
    }
    panic!("the warm-up never ends");
}

/// A slice in which a server ends so many operations per second.
fn at_rate(rate: f64, took_ns: u64) -> WarmSlice {
    let operations = (rate * took_ns as f64 / 1e9) as u64;
    WarmSlice { operations, took_ns, ..WarmSlice::default() }
}

/// How long a server is warmed whose rate after so many milliseconds is this one.
fn closed(most_ms: u64, rate: impl Fn(u64) -> f64) -> (bool, u64) {
    let test = test_of(&[Arrivals::Closed], 1000, most_ms);
    let (test, driven) = driven(test, |_, since, sending| at_rate(rate(since / MS), sending));
    (test.has_levelled(0), driven[0])
}

#[test]
fn a_steady_server_is_warm_after_the_least() {
    assert_eq!(closed(30_000, |_| 20_000.0), (true, 1000));
}

#[test]
fn one_that_gets_faster_is_warmed_until_it_does_not_any_more() {
    // As the rate of a just-in-time compiler: it doubles within 300 ms, and grows by another half of that
    // until 1.5 s have passed.
    let rate =
        |ms: u64| 10_000.0 * (1.0 + (ms as f64 / 300.0).min(1.0) + (ms as f64 / 1500.0).min(1.0));
    let (levelled, ms) = closed(30_000, rate);
    assert!(levelled && (1500..3000).contains(&ms), "{ms} ms");
    let slower = closed(30_000, |ms| 10_000.0 / (1.0 + (ms as f64 / 3000.0).min(1.0)));
    assert!(slower.0 && slower.1 > 3000, "{slower:?}");
}

#[test]
fn a_step_in_the_compared_slices_is_waited_for() {
    for step_ms in [400, 600, 800] {
        let (levelled, ms) = closed(30_000, |ms| if ms < step_ms { 10_000.0 } else { 14_000.0 });
        assert!(levelled && ms >= step_ms + 400, "{step_ms}: {ms} ms");
    }
}

/// Three launches of one Node program on a busy machine: thousands of replies per second in each 100 ms. It
/// is compiled after 0.6 to 0.8 s, and all was slower than on an idle machine.
#[test]
fn a_program_that_is_compiled_late_is_not_taken_for_warm() {
    #[rustfmt::skip]
    let launches = [
        [1.7, 3.2, 2.9, 2.6, 2.8, 2.8, 4.3, 5.3, 7.2, 9.7, 9.6, 8.8, 8.9, 8.5, 10.6, 11.7, 10.2, 9.2, 10.8],
        [1.8, 3.9, 2.1, 2.2, 3.0, 1.9, 4.5, 7.2, 9.0, 6.3, 6.8, 6.1, 9.2, 8.2, 12.6, 9.8, 9.0, 10.6, 8.9],
        [1.8, 3.1, 2.2, 3.6, 2.3, 1.7, 7.8, 11.5, 7.7, 7.1, 7.8, 8.9, 8.5, 9.4, 9.6, 8.4, 9.1, 10.7, 9.2],
    ];
    for rates in launches {
        let test = test_of(&[Arrivals::Closed], 1000, 30_000);
        let (_, driven) = driven(test, |_, since, sending| {
            let at = (since / MS / 100) as usize;
            at_rate(1000.0 * rates.get(at).copied().unwrap_or(9.5), sending)
        });
        assert!((1100..3000).contains(&driven[0]), "{rates:?}: {driven:?}");
    }
}

#[test]
fn one_that_never_levels_is_warmed_for_the_most() {
    let (levelled, ms) = closed(5000, |ms| 1000.0 * (1.0 + ms as f64 / 1000.0));
    assert_eq!((levelled, ms), (false, 5000));
}

/// Rates that scatter by 10 or 20 % around a fixed one.
#[test]
fn noise_delays_the_end_by_little() {
    for (spread, most_ms) in [(0.1, 1300), (0.2, 1800)] {
        let mut all = Vec::new();
        for seed in 0..200 {
            let mut random = Random::new(seed, 1);
            let test = test_of(&[Arrivals::Closed], 1000, 30_000);
            let (test, driven) = driven(test, |_, _, sending| {
                // The sum of twelve uniform numbers is almost normal.
                let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
                at_rate(20_000.0 * (1.0 + spread * normal), sending)
            });
            assert!(test.has_levelled(0));
            all.push(driven[0]);
        }
        all.sort_unstable();
        assert_eq!(all[100], 1000, "the median, {spread}");
        assert!(all[195] <= most_ms, "{spread}: {all:?}");
    }
}

#[test]
fn a_pause_in_one_slice_is_noise() {
    for slow in 6..20 {
        let (levelled, ms) = closed(30_000, |ms| if ms / 50 == slow { 2_000.0 } else { 20_000.0 });
        assert!(levelled && ms <= 1150, "{slow}: {ms} ms");
    }
}

/// Eight connections to a server that takes a second, beside a fast one.
#[test]
fn a_slow_service_needs_few_slices_and_the_other_is_driven_as_well() {
    let test = test_of(&[Arrivals::Closed, Arrivals::Closed], 1000, 5000);
    let (test, driven) = driven(test, |lane, _, sending| match lane {
        0 => WarmSlice { operations: 8, took_ns: 1000 * MS, ..WarmSlice::default() },
        _ => at_rate(20_000.0, sending),
    });
    assert!(test.has_levelled(0) && test.has_levelled(1));
    assert_eq!(driven, [4000, 1100]);
}

#[test]
fn in_open_loop_the_median_must_level() {
    let arrivals = Arrivals::Constant(1000.0);
    let reply = |us: u64, sending: u64| WarmSlice {
        operations: sending / MS,
        took_ns: sending,
        replies: sending / MS,
        medians_ns: sending / MS * us * 1000,
    };
    let (test, steady) =
        driven(test_of(&[arrivals], 1000, 30_000), |_, _, sending| reply(300, sending));
    assert!(test.has_levelled(0));
    assert_eq!(steady, [1000]);
    // The rate is kept all the time, and the response times fall during 1.5 s.
    let (test, falling) = driven(test_of(&[arrivals], 1000, 30_000), |_, since, sending| {
        reply(300 + (1500_u64.saturating_sub(since / MS)) / 5, sending)
    });
    assert!(test.has_levelled(0) && (1500..=3000).contains(&falling[0]), "{falling:?}");
}

#[test]
fn a_low_rate_has_slices_with_enough_operations() {
    let sending = |rate| test_of(&[Arrivals::Poisson(rate)], 1000, 5000).next_block();
    assert_eq!(sending(10_000.0), Some(50 * MS));
    assert_eq!(sending(100.0), Some(200 * MS));
    assert_eq!(sending(1.0), Some(500 * MS));
}

#[test]
fn one_that_answers_nothing_does_not_hold_up_the_run() {
    let test = test_of(&[Arrivals::Closed, Arrivals::Poisson(1000.0)], 1000, 5000);
    let (test, driven) =
        driven(test, |_, _, took_ns| WarmSlice { took_ns, ..WarmSlice::default() });
    assert_eq!(driven, [5000, 5000]);
    assert_eq!((test.has_levelled(0), test.has_levelled(1)), (true, false));
}

#[test]
fn all_are_warmed_until_the_last_has_levelled() {
    let test = test_of(&[Arrivals::Closed, Arrivals::Closed], 1000, 30_000);
    let (test, driven) = driven(test, |lane, since, sending| match lane {
        0 => at_rate(20_000.0, sending),
        _ => at_rate(10_000.0 * (1.0 + (since as f64 / 1e9).min(2.0)), sending),
    });
    assert!(test.has_levelled(0) && test.has_levelled(1));
    assert!(driven[0] == driven[1] && driven[1] >= 2000, "{driven:?}");
}

#[test]
fn later_launches_take_at_least_what_the_first_one_took() {
    let steady = |least_ms, most_ms| {
        let test = test_of(&[Arrivals::Closed], least_ms, most_ms);
        driven(test, |_, _, sending| at_rate(20_000.0, sending)).1[0]
    };
    assert_eq!(steady(1800, 2700), 1800);
}

#[test]
fn the_parts_of_all_workers_make_one_slice() {
    let mut test = test_of(&[Arrivals::Constant(1000.0)], 1000, 5000);
    let part = |replies, median_ns| WarmSlice {
        operations: replies,
        took_ns: 50 * MS + replies,
        replies,
        medians_ns: replies * median_ns,
    };
    test.add(0, 0, &part(10, 300));
    test.add(0, 0, &part(30, 100));
    let [whole] = test.lanes[0].slices[..] else { panic!("one slice") };
    assert_eq!((whole.operations, whole.took_ns, whole.median()), (40, 50 * MS + 30, Some(150.0)));
}
