//! What turns make of a search and of a capacity, without a simulation: here the share that misses an objective is a
//! function of the rate.

use super::*;
use crate::random::Random;
use crate::verdict::Word;
use record::{Objective, Percentile};

const P99: Objective = Objective::ResponseTime { percentile: Percentile::P99, limit_ns: 5_000_000 };
const ERRORS: Objective = Objective::Errors { fraction: 0.001 };

/// Logit of the share of late replies at a rate: 1 % at the capacity.
fn late(rate: f64, capacity: f64, slope: f64) -> f64 {
    let logit = (0.01f64 / 0.99).ln() + slope * (rate / capacity).ln();
    1.0 / (1.0 + (-logit).exp())
}

fn turn(rate: f64, shares: &[f64]) -> Turn {
    let counted = 1_000_000;
    let missed = shares.iter().map(|share| (share * counted as f64).round() as u64).collect();
    Turn { rate, counted, missed, part: Part::Target }
}

/// Ten rounds of a contender whose turns are these at a rate.
fn rounds(objectives: &[Objective], start: f64, turn: impl Fn(f64) -> Turn) -> Adaptation {
    let mut side = Adaptation::new(objectives, start);
    for _ in 0..ROUNDS {
        side.add_round(side.rates().map(&turn).to_vec());
    }
    side
}

/// Ten rounds of a server with this capacity and slope.
fn server(capacity: f64, slope: f64, start: f64) -> Adaptation {
    rounds(&[P99], start, |rate| turn(rate, &[late(rate, capacity, slope)]))
}

fn found(side: &Adaptation) -> CapacityFound {
    side.capacity(0.05).expect("ten rounds").found
}

/// Drives a search; returns the rates and what was found.
fn search(peak: f64, part: Part, turn: impl Fn(f64) -> Turn) -> (Vec<f64>, Found) {
    let mut search = Search::new(&[P99], peak, part);
    let mut rates = Vec::new();
    loop {
        match search.step() {
            Step::Done(found) => return (rates, found),
            Step::Drive { rate, .. } => {
                rates.push(rate);
                search.observe(&turn(rate));
            }
        }
    }
}

#[test]
fn a_search_halves_and_then_bisects() {
    let (rates, found) =
        search(1600.0, Part::Target, |rate| turn(rate, &[if rate > 300.0 { 0.02 } else { 0.01 }]));
    assert_eq!(rates[..3], [800.0, 400.0, 200.0]);
    assert_eq!(rates.len(), 6);
    let Found::Near(near) = found else { panic!("{found:?}") };
    assert!((near / 300.0).ln().abs() < 0.05, "{near}");
}

#[test]
fn a_search_that_meets_no_limit_ends_below_the_closed_loop() {
    let (_, found) = search(1600.0, Part::Target, |rate| turn(rate, &[0.0]));
    let Found::Near(near) = found else { panic!("{found:?}") };
    assert!((1500.0..1600.0).contains(&near), "{near}");
}

#[test]
fn a_search_that_meets_the_objective_nowhere_ends() {
    let (rates, found) = search(1280.0, Part::Target, |rate| turn(rate, &[0.02]));
    assert_eq!((rates.len(), found), (7, Found::Below(10.0)));
    let nothing = |rate| Turn { counted: 0, ..turn(rate, &[0.0]) };
    assert_eq!(search(1280.0, Part::Target, nothing).1, Found::Below(10.0));
}

#[test]
fn what_the_generator_limits_is_no_crossing() {
    let saturated = |rate| Turn {
        part: if rate > 900.0 { Part::Generator } else { Part::Target },
        ..turn(rate, &[if rate > 900.0 { 0.5 } else { 0.0 }])
    };
    let (_, found) = search(1600.0, Part::Target, saturated);
    let Found::GeneratorLimited(Some(met)) = found else { panic!("{found:?}") };
    assert!((800.0..=900.0).contains(&met), "{met}");
    // The closed loop itself was held back.
    let (_, found) = search(1600.0, Part::Generator, |rate| turn(rate, &[0.0]));
    assert!(matches!(found, Found::GeneratorLimited(Some(_))), "{found:?}");
    let all = |rate| Turn { part: Part::Generator, ..turn(rate, &[0.5]) };
    assert_eq!(search(1600.0, Part::Target, all).1, Found::GeneratorLimited(None));
}

/// A turn of the search counts 1000 replies for a p99, and half a second at least.
#[test]
fn turns_of_a_search_are_long_enough_for_the_percentile() {
    let length = |percentile, rate| {
        let objective = Objective::ResponseTime { percentile, limit_ns: 1 };
        length::of_search_ns(&[objective, ERRORS], rate) - UNCOUNTED_NS
    };
    assert_eq!(length(Percentile::P99, 10_000.0), 500_000_000);
    assert_eq!(length(Percentile::P99, 100.0), 10_000_000_000);
    assert_eq!(length(Percentile::P999, 10_000.0), 1_000_000_000);
    // Of a slow target fewer are counted.
    assert_eq!(length(Percentile::P99, 99.0), 10_000_000_000);
    assert_eq!(length(Percentile::P99, 0.1), 10_000_000_000);
    assert_eq!(length(Percentile::P999, 100.0), 20_000_000_000);
}

/// All turns of a search, in nanoseconds, for a target whose closed loop reaches `peak`.
fn all_search_ns(objectives: &[Objective], peak: f64, turn: impl Fn(f64) -> Turn) -> u64 {
    let mut search = Search::new(objectives, peak, Part::Target);
    let mut all_ns = 0;
    while let Step::Drive { rate, length_ns } = search.step() {
        all_ns += length_ns;
        search.observe(&turn(rate));
    }
    all_ns
}

/// Seven turns that miss take 71.4 s, and three more if the last of them meets the objective: 102 s, for a p99.9 202 s.
#[test]
fn a_search_is_bounded_in_time_however_slow_the_target_is() {
    let p999 = Objective::ResponseTime { percentile: Percentile::P999, limit_ns: 5_000_000 };
    let missed = |rate| turn(rate, &[1.0]);
    let only_lowest = |peak: f64| move |rate| turn(rate, &[f64::from(rate > peak / 127.0)]);
    assert_eq!(all_search_ns(&[P99], 100.0, missed), 71_400_000_000);
    assert_eq!(all_search_ns(&[P99], 100.0, only_lowest(100.0)), 102_000_000_000);
    assert_eq!(all_search_ns(&[p999], 100.0, only_lowest(100.0)), 202_000_000_000);
    assert_eq!(all_search_ns(&[P99], 0.01, missed), 71_400_000_000);
}

/// A turn of a slow target counts few operations, and one that is late among them is a miss.
#[test]
fn few_operations_are_judged_as_they_are() {
    let of = |missed| {
        let mut search = Search::new(&[P99], 10.0, Part::Target);
        search.observe(&Turn { counted: 50, missed: vec![missed], ..turn(5.0, &[0.0]) });
        match search.step() {
            Step::Drive { rate, .. } => rate,
            Step::Done(found) => panic!("{found:?}"),
        }
    };
    assert!(of(0) > 5.0, "met");
    assert!(of(1) < 5.0, "missed");
}

#[test]
fn turns_of_rounds_take_two_minutes_or_what_they_are_given() {
    use length::{all_turns_ns, default_turn_ns, turn_within_ns};
    let second_ns = 1_000_000_000;
    assert_eq!(all_turns_ns(default_turn_ns(&[P99, ERRORS]), 2, ROUNDS), 120 * second_ns);
    let p999 = Objective::ResponseTime { percentile: Percentile::P999, limit_ns: 1 };
    assert_eq!(default_turn_ns(&[P99, p999]), 20 * second_ns);
    assert_eq!(turn_within_ns(240 * second_ns, &[P99], 2, ROUNDS), Ok(4 * second_ns));
    assert_eq!(turn_within_ns(59 * second_ns, &[P99], 2, ROUNDS), Err(60 * second_ns));
}

#[test]
fn rates_follow_the_crossing() {
    let side = server(1000.0, 20.0, 1080.0);
    let first = Adaptation::new(&[P99], 1080.0).rates();
    let expected = [1080.0 * (-0.05f64).exp(), 1080.0, 1080.0 * 0.05f64.exp()];
    assert!(first.iter().zip(expected).all(|(rate, expected)| (rate - expected).abs() < 1e-9));
    let [low, middle, high] = side.rates();
    assert!((middle / 1000.0).ln().abs() < 0.002, "{middle}");
    // 1 ÷ slope on both sides.
    assert!(
        ((middle / low).ln() - 0.05).abs() < 0.003 && ((high / middle).ln() - 0.05).abs() < 0.003
    );
    let CapacityFound::At { rate, interval, slope, is_slope_small } = found(&side) else {
        panic!()
    };
    assert!(
        (rate / 1000.0).ln().abs() < 0.002 && (slope / 20.0).ln().abs() < 0.05,
        "{rate} {slope}"
    );
    let (low, high) = interval.expect("ten rounds");
    assert!(low <= rate && rate <= high && !is_slope_small);
}

#[test]
fn a_slope_that_is_too_small_is_no_capacity() {
    assert!(matches!(found(&server(1000.0, 3.2, 1000.0)), CapacityFound::HardlyDepends { .. }));
    let small = found(&server(1000.0, 7.0, 1000.0));
    assert!(matches!(small, CapacityFound::At { is_slope_small: true, .. }), "{small:?}");
    let flat = server(1000.0, 3.2, 1000.0);
    let steep = server(1000.0, 20.0, 1000.0);
    assert_eq!(ratio(&flat, &steep, 0.05, 0.01), Err(NoRatio::NoCapacity));
}

#[test]
fn a_crossing_outside_the_range_is_no_capacity() {
    let CapacityFound::LeftRange { rate } = found(&server(1500.0, 20.0, 1000.0)) else { panic!() };
    assert!((rate - 1300.0).abs() < 1e-9, "{rate}");
    let all_met = rounds(&[ERRORS], 1000.0, |rate| turn(rate, &[0.0]));
    assert!(matches!(found(&all_met), CapacityFound::LeftRange { .. }));
    assert_eq!(Adaptation::new(&[P99], 1000.0).capacity(0.05), None);
}

#[test]
fn the_generator_limits_from_a_tenth_of_the_turns_on_and_connections_by_the_turns_above() {
    let by = |part: Part, above: f64| {
        rounds(&[P99], 1000.0, move |rate| Turn {
            part: if rate > above { part } else { Part::Target },
            ..turn(rate, &[late(rate, 1000.0, 20.0)])
        })
    };
    let part = |side: &Adaptation| side.capacity(0.05).expect("ten rounds").part;
    let generator = by(Part::Generator, 1020.0);
    assert_eq!(part(&generator), Part::Generator);
    assert_eq!(
        ratio(&server(1000.0, 20.0, 1000.0), &generator, 0.05, 0.01),
        Err(NoRatio::Generator)
    );
    assert_eq!(part(&by(Part::Connections, 1001.0)), Part::Connections);
    assert_eq!(part(&by(Part::Connections, 2000.0)), Part::Target);
}

#[test]
fn of_several_objectives_the_smallest_crossing_counts() {
    let median = Objective::ResponseTime { percentile: Percentile::P50, limit_ns: 1_000_000 };
    let both = |capacity: f64| {
        rounds(&[P99, median], 1000.0, move |rate| {
            let half = 1.0 / (1.0 + (-40.0 * (rate / capacity).ln()).exp());
            turn(rate, &[late(rate, 1000.0, 20.0), half])
        })
    };
    let capacity = both(1100.0).capacity(0.05).expect("ten rounds");
    assert_eq!(capacity.objective, 0);
    let capacity = both(950.0).capacity(0.05).expect("ten rounds");
    assert_eq!(capacity.objective, 1);
    let CapacityFound::At { rate, interval: None, .. } = capacity.found else { panic!() };
    assert!((rate / 950.0).ln().abs() < 0.002, "{rate}");
    // Different objectives limit them.
    let of_two = ratio(&both(1100.0), &both(950.0), 0.05, 0.01).expect("two crossings");
    assert!((of_two.ratio - 0.95).abs() < 0.005, "{}", of_two.ratio);
}

#[test]
fn errors_are_judged_on_both_sides() {
    let shed = |above: f64| {
        rounds(&[P99, ERRORS], 1000.0, move |rate| {
            turn(rate, &[late(rate, 1000.0, 20.0), if rate > above { 0.05 } else { 0.0001 }])
        })
    };
    let side = shed(970.0);
    let capacity = side.capacity(0.05).expect("ten rounds");
    assert_eq!(capacity.objective, 1);
    let CapacityFound::Between { met: Some(met), missed } = capacity.found else { panic!() };
    assert!(met <= 970.0 && missed > 970.0 && missed < 1000.0, "{met} {missed}");
    assert_eq!(ratio(&side, &side, 0.05, 0.01), Err(NoRatio::Errors));
    // Errors only beyond the crossing of the p99 do not limit it.
    let beyond = shed(1030.0).capacity(0.05).expect("ten rounds");
    assert_eq!(beyond.objective, 0);
    assert!(matches!(beyond.found, CapacityFound::At { .. }));
    // They fail everywhere.
    let everywhere = rounds(&[ERRORS], 1000.0, |rate| turn(rate, &[0.05]));
    assert!(matches!(found(&everywhere), CapacityFound::Between { met: None, .. }));
}

#[test]
fn a_ratio_is_called_only_beyond_one_percent() {
    let of = |capacity| {
        ratio(&server(1000.0, 20.0, 1000.0), &server(capacity, 20.0, 1000.0), 0.05, 0.0)
            .expect("two crossings")
    };
    let (slower, near, faster) = (of(900.0), of(1008.0), of(1100.0));
    assert_eq!(
        (slower.word, near.word, faster.word),
        (Word::Slower, Word::Undecided, Word::Faster)
    );
    // Without noise the interval is narrow.
    for (of, truth) in [(&slower, 0.9), (&near, 1.008), (&faster, 1.1)] {
        let (low, high) = of.interval.expect("ten rounds");
        assert!((of.ratio / truth - 1.0).abs() < 0.002 && high / low < 1.01, "{of:?}");
    }
    let same = ratio(&server(1000.0, 20.0, 1000.0), &server(1000.0, 20.0, 1000.0), 0.05, 0.01);
    assert_eq!(same.expect("two crossings").word, Word::Equivalent);
}

#[test]
fn both_sides_must_have_been_driven_in_the_same_rounds() {
    let one = server(1000.0, 20.0, 1000.0);
    let mut other = one.clone();
    other.add_round(other.rates().map(|rate| turn(rate, &[0.01])).to_vec());
    assert_eq!(ratio(&one, &other, 0.05, 0.01), Err(NoRatio::Rounds));
    let none = Adaptation::new(&[P99], 1000.0);
    assert_eq!(ratio(&none, &none, 0.05, 0.01), Err(NoRatio::Rounds));
}

/// Without a late reply, or with none in time, curves have no maximum; the rates stay in their range.
#[test]
fn turns_in_which_none_or_all_are_late_keep_the_range() {
    for share in [0.0, 1.0] {
        let side = rounds(&[P99], 1000.0, |rate| turn(rate, &[share]));
        assert!(
            side.rates().iter().all(|rate| (600.0..1500.0).contains(rate)),
            "{:?}",
            side.rates()
        );
        assert!(!matches!(found(&side), CapacityFound::At { .. }));
    }
}

/// As many late operations as the slope says, which come in bursts of twenty.
fn in_bursts(rate: f64, slope: f64, counted: u64, random: &mut Random) -> Turn {
    let share = late(rate, 1000.0, slope);
    let bursts = (0..counted / 20).filter(|_| random.uniform() < share).count() as u64;
    Turn { rate, counted, missed: vec![20 * bursts], part: Part::Target }
}

/// The rounds after which it is sure that a slope is small, of so many contenders. None if it never is.
fn sure_after(
    slope: f64,
    counted: u64,
    contenders: u64,
    is_sure: fn(&Adaptation) -> bool,
) -> Vec<Option<usize>> {
    let mut random = Random(31);
    let of_one = |_| {
        let mut side = Adaptation::new(&[P99], 1000.0);
        (1..ROUNDS as usize).find(|_| {
            let rates = side.rates();
            side.add_round(rates.map(|rate| in_bursts(rate, slope, counted, &mut random)).to_vec());
            is_sure(&side)
        })
    };
    (0..contenders).map(of_one).collect()
}

#[test]
fn a_flat_percentile_is_told_after_a_few_rounds_where_there_are_many_operations() {
    let told = sure_after(0.0, 200_000, 20, Adaptation::surely_hardly_depends);
    assert!(
        told.iter().all(|after| after.is_some_and(|after| (3..=6).contains(&after))),
        "{told:?}"
    );
    // A slope of 10 is called too small for a capacity in none of 100, however few operations there are.
    for counted in [4_000, 200_000] {
        let wrong = sure_after(10.0, counted, 100, Adaptation::surely_hardly_depends);
        assert!(wrong.iter().all(Option::is_none), "{counted}: {wrong:?}");
    }
    let slow = sure_after(5.0, 200_000, 20, Adaptation::is_surely_slow);
    assert!(slow.iter().filter(|after| after.is_some()).count() >= 18, "{slow:?}");
    let steep = sure_after(30.0, 200_000, 100, Adaptation::is_surely_slow);
    assert!(steep.iter().all(Option::is_none), "{steep:?}");
}
