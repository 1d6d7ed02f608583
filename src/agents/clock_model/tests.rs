//! Clocks with a planted offset and drift, over networks with planted delays.

use super::*;

/// Another machine: what its clock shows, and how long messages take.
#[derive(Clone, Copy)]
struct Truth {
    offset_ns: i64,
    drift_ppm: f64,
    there_ns: u64,
    back_ns: u64,
    /// Up to this much is added in each direction, drawn for each message.
    jitter_ns: u64,
}

const QUIET: Truth =
    Truth { offset_ns: 0, drift_ppm: 0.0, there_ns: 20_000, back_ns: 20_000, jitter_ns: 0 };
const BEGIN: u64 = 1_000_000_000_000;
const EVERY_NS: u64 = 50_000_000;

impl Truth {
    fn clock(&self, at: u64) -> u64 {
        let drifted = (at - BEGIN) as f64 * self.drift_ppm / 1e6;
        at.wrapping_add_signed(self.offset_ns + drifted.round() as i64)
    }

    fn exchange(&self, at: u64, random: &mut impl FnMut() -> u64) -> Exchange {
        let there = self.there_ns + self.jitter_ns * random() / 100;
        let back = self.back_ns + self.jitter_ns * random() / 100;
        // A slice is driven between the message and its answer.
        let received = at + there;
        let answered = received + 40_000_000;
        Exchange {
            sent: at,
            received: self.clock(received),
            answered: self.clock(answered),
            back: answered + back,
        }
    }
}

/// Delays that are typical of networks, in percent of the jitter: most are short, some are long.
fn random() -> impl FnMut() -> u64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let part = (state >> 33) % 101;
        part * part * part / 10_000
    }
}

fn model(truth: &Truth, exchanges: u64) -> (ClockModel, u64) {
    let (mut model, mut random) = (ClockModel::default(), random());
    for n in 0..exchanges {
        model.add(&truth.exchange(BEGIN + n * EVERY_NS, &mut random));
    }
    (model, BEGIN + exchanges * EVERY_NS)
}

/// How far the model is off at this time.
fn off_ns(model: &ClockModel, truth: &Truth, at: u64) -> u64 {
    model.theirs(at).abs_diff(truth.clock(at))
}

#[test]
fn offset_and_drift_are_found_within_the_bound() {
    let hour = 3_600_000_000_000;
    let offsets = [0, 5_000_000, -5_000_000, 40 * hour, -(BEGIN as i64) / 2];
    for offset_ns in offsets {
        for drift_ppm in [0.0, 0.1, -20.0, 100.0] {
            for (there_ns, back_ns) in [(20_000, 20_000), (10_000, 200_000), (5_000_000, 100_000)] {
                for jitter_ns in [0, 50_000, 10_000_000] {
                    let truth = Truth { offset_ns, drift_ppm, there_ns, back_ns, jitter_ns };
                    let (model, now) = model(&truth, 400);
                    let (off, bound) =
                        (off_ns(&model, &truth, now), model.bound_ns(now).expect("yes"));
                    let case = format!(
                        "{offset_ns} ns, {drift_ppm} ppm, {there_ns}/{back_ns} ns, {jitter_ns} ns"
                    );
                    assert!(off <= bound, "{case}: off by {off} ns, bound {bound} ns");
                    let asymmetry = there_ns.abs_diff(back_ns) / 2;
                    assert!(off <= asymmetry + 10_000 + jitter_ns / 20, "{case}: off by {off} ns");
                }
            }
        }
    }
}

#[test]
fn the_bound_is_half_the_smallest_round_trip_on_a_quiet_network() {
    let truth = Truth { drift_ppm: 30.0, ..QUIET };
    let (model, now) = model(&truth, 200);
    let bound = model.bound_ns(now).expect("known");
    assert!((20_000..20_600).contains(&bound), "{bound}");
    assert!((model.drift() * 1e6 - 30.0).abs() < 0.01, "{}", model.drift());
    assert_eq!((model.exchanges(), model.samples.len() <= MOST), (200, true));
}

#[test]
fn long_answers_and_a_strong_drift_do_not_feign_a_short_round_trip() {
    // In a turn of 2.5 s, the other clock gains 200 µs at 80 millionths. The round trip takes 40
    // µs.
    let truth = Truth { drift_ppm: 80.0, ..QUIET };
    let (mut model, mut at) = (ClockModel::default(), BEGIN);
    for n in 0..40 {
        let (received, took) = (at + 20_000, if n < 8 { 1_000 } else { 2_500_000_000 });
        model.add(&Exchange {
            sent: at,
            received: truth.clock(received),
            answered: truth.clock(received + took),
            back: received + took + 20_000,
        });
        at += took + 60_000;
        let (off, bound) = (off_ns(&model, &truth, at), model.bound_ns(at).expect("known"));
        assert!(bound >= 19_900 && off <= bound, "{n}: off by {off} ns, bound {bound} ns");
    }
}

#[test]
fn one_direction_alone_is_what_no_clock_can_see() {
    // The delay of one direction is an error of half of it, and the bound covers that.
    let truth = Truth { there_ns: 20_000, back_ns: 1_020_000, ..QUIET };
    let (model, now) = model(&truth, 200);
    let off = off_ns(&model, &truth, now);
    assert!((499_000..=501_000).contains(&off), "{off}");
    assert!(off <= model.bound_ns(now).expect("known"));
}

#[test]
fn a_clock_that_steps_widens_the_bound_until_it_is_forgotten() {
    let (mut model, mut now) = model(&QUIET, 100);
    let before = model.bound_ns(now).expect("known");
    let stepped = Truth { offset_ns: 3_000_000, ..QUIET };
    let mut random = random();
    for n in 0..20 {
        model.add(&stepped.exchange(now, &mut random));
        now += EVERY_NS;
        let (off, bound) = (off_ns(&model, &stepped, now), model.bound_ns(now).expect("known"));
        assert!(off <= bound && bound > 10 * before, "{n}: off by {off} ns, bound {bound} ns");
    }
    for _ in 0..2 * FORGOTTEN_NS / EVERY_NS {
        model.add(&stepped.exchange(now, &mut random));
        now += EVERY_NS;
    }
    assert!(model.bound_ns(now).expect("known") < 2 * before);
    assert!(off_ns(&model, &stepped, now) <= before);
}

/// The clock steps while it is asked: between its two stamps of one exchange.
#[test]
fn a_clock_that_steps_while_it_is_asked_is_within_the_bound() {
    for step_ns in [3_000, 10_000, 30_000, 100_000, 3_000_000, 30_000_000] {
        for step_ns in [step_ns, -step_ns] {
            let (mut model, mut now) = model(&QUIET, 100);
            let stepped = Truth { offset_ns: step_ns, ..QUIET };
            let mut random = random();
            let stepping = Exchange {
                answered: stepped.exchange(now, &mut random).answered,
                ..QUIET.exchange(now, &mut random)
            };
            model.add(&stepping);
            for n in 0..100 {
                now += EVERY_NS;
                model.add(&stepped.exchange(now, &mut random));
                let (off, bound) = (off_ns(&model, &stepped, now), model.bound_ns(now));
                assert!(Some(off) <= bound, "{step_ns} ns, {n}: off by {off} ns, {bound:?}");
            }
        }
    }
}

#[test]
fn both_directions_of_the_conversion_agree() {
    let truth = Truth { offset_ns: -7_000_000_123, drift_ppm: 80.0, ..QUIET };
    let (model, now) = model(&truth, 100);
    for at in [now, now + 3_000_000_000, now - 1_000_000] {
        assert!(model.ours(model.theirs(at)).abs_diff(at) <= 2);
    }
}

#[test]
fn before_the_first_exchange_nothing_is_known() {
    let mut model = ClockModel::default();
    assert_eq!((model.bound_ns(5), model.round_trip_ns(), model.offset_ns(5)), (None, None, 0));
    assert_eq!((model.theirs(9), model.ours(9)), (9, 9));
    // Stamps that contradict each other.
    model.add(&Exchange { sent: 10, received: 5, answered: 6, back: 9 });
    model.add(&Exchange { sent: 10, received: 7, answered: 6, back: 19 });
    assert_eq!(model.exchanges(), 0);
}
