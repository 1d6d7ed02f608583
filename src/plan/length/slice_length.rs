//! How long a slice must be in closed loop: as short as its figures allow, since measurements that
//! are close in time see the same machine. Pure functions; the measurements are in METHOD, "How
//! long a slice is".

use judge::stats::paired_t::standard_deviation;
use record::slice::EARLY_NS;
use text::units::{show_ns, show_percent};

/// The shortest slice that is chosen. Shorter slices hardly reduce the deviation of a round, and
/// the cost of the start and the end of slices grows.
pub(in crate::plan) const SHORTEST_NS: u64 = 10_000_000;
/// The largest bias of ln(B/A) of throughput that is expected, as a share of ln(B/A).
/// The limit is 2 %, and the expected bias was 77 to 88 % of the measured one.
const MOST_BIAS: f64 = 0.015;
/// The largest bias that is expected, as a share of the expected half-width of the interval.
const MOST_OF_HALF_WIDTH: f64 = 0.2;
/// A bias below this share of the half-width is allowed, however small ln(B/A) is.
const ALWAYS_OF_HALF_WIDTH: f64 = 0.1;
/// A bias below this in ln(B/A) is allowed, too: a twentieth of the default smallest difference
/// that matters.
const ALWAYS: f64 = 0.0005;
/// Half-width of the 95 % interval of ten rounds, in their standard deviations:
/// Student's t with 9 degrees of freedom, 2.262, ÷ √10.
const HALF_WIDTH: f64 = 0.715;
/// Throughput never requires more than this many times the p50: there the bias is below a
/// thousandth in any case.
const LONGEST_IN_P50: u64 = 25;
/// Response times require this many times the p50: the burn-in, 2 × p50, then leaves half of the
/// slice.
pub(in crate::plan) const IN_P50: u64 = 4;
/// Response times also require this many times the p99, so that a slice is not filled by a single
/// slow reply.
const IN_P99: u64 = 2;
/// With fewer operations than this in the second 5 ms of all slices together, the loss cannot be
/// estimated.
const FEWEST_OPERATIONS: f64 = 400.0;
/// CPU at rest that is expected to stay below this share of a core requires no longer slices; the
/// audit notes larger shares.
const CPU_AT_REST: f64 = 0.005;

/// The measurements of one contender in the pilot that the length of slices depends on.
#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct Pace {
    /// Name of the contender.
    pub(in crate::plan) name: String,
    /// The shortest response time; 0 if nothing was answered.
    pub(in crate::plan) fastest_ns: u64,
    /// Operations that ended in the first 5 ms of each of the pilot's slices, and in
    /// the second 5 ms.
    pub(in crate::plan) early: Vec<[u32; 2]>,
    pub(in crate::plan) p50_ns: u64,
    pub(in crate::plan) p99_ns: u64,
    /// Throughput of each of the pilot's slices, in their order.
    pub(in crate::plan) throughputs: Vec<f64>,
    /// CPU that its target used at rest, as a share of one core.
    pub(in crate::plan) cpu_at_rest: Option<f64>,
}

/// A time and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct TimeLost {
    ns: f64,
    error_ns: f64,
}

impl Pace {
    /// Returns the time that each slice loses at its start: the target is idle until the first
    /// requests arrive, and its data have left the caches. It is estimated from the first 5 ms and
    /// the second 5 ms of the same slices, which see the same machine, and is at least the shortest
    /// response time.
    fn lost(&self) -> TimeLost {
        let sum =
            |piece: usize| self.early.iter().map(|early| f64::from(early[piece])).sum::<f64>();
        let (first, second) = (sum(0), sum(1));
        let fastest = self.fastest_ns as f64;
        // These pieces say nothing about a target whose responses take longer than a piece.
        if second < FEWEST_OPERATIONS || fastest >= EARLY_NS as f64 {
            return TimeLost { ns: fastest, error_ns: 0.0 };
        }
        let piece_ns = EARLY_NS as f64;
        let residual =
            |early: &[u32; 2]| f64::from(early[0]) - first / second * f64::from(early[1]);
        let residuals: Vec<f64> = self.early.iter().map(residual).collect();
        let spread = standard_deviation(&residuals).unwrap_or(0.0);
        let error_ns = piece_ns * spread * (residuals.len() as f64).sqrt() / second;
        TimeLost { ns: (piece_ns * (1.0 - first / second)).max(fastest), error_ns }
    }

    /// Returns the approximate length of such a slice up to its last reply: the reply to the last
    /// request arrives about a p50 after the end of sending.
    fn whole(&self, slice_ns: f64) -> f64 {
        slice_ns + self.p50_ns as f64
    }

    fn mean_throughput(&self) -> f64 {
        self.throughputs.iter().sum::<f64>() / self.throughputs.len().max(1) as f64
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::plan) struct RequiredLength {
    pub(in crate::plan) ns: u64,
    /// Which figure of which contender, and why. Empty for the shortest slice.
    pub(in crate::plan) because: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::plan) struct RequiredLengths {
    pub(in crate::plan) throughput: RequiredLength,
    /// The length that response times and CPU at rest require.
    pub(in crate::plan) others: RequiredLength,
}

impl RequiredLengths {
    /// Returns the requirement of each figure. `pilot_ns` is the length of the pilot's slices,
    /// `round_ns` how long each contender is driven in a round.
    pub(in crate::plan) fn of(paces: &[Pace], pilot_ns: u64, round_ns: u64) -> RequiredLengths {
        let throughput = RequiredLength { ns: SHORTEST_NS, because: String::new() };
        let others = throughput.clone();
        let mut asks = RequiredLengths { throughput, others };
        let Some((first, rest)) = paces.split_first() else { return asks };
        for pace in rest {
            asks.throughput.raise(for_throughput(first, pace, round_ns));
        }
        for pace in paces {
            for (times, value, what) in [(IN_P50, pace.p50_ns, "p50"), (IN_P99, pace.p99_ns, "p99")]
            {
                asks.others.raise(RequiredLength {
                    ns: value.saturating_mul(times),
                    because: format!(
                        "required by the response times of `{}`: {times} × its {what}, {}",
                        pace.name,
                        show_ns(value)
                    ),
                });
            }
            asks.others.raise(for_rest(pace, pilot_ns));
        }
        asks
    }

    /// Returns the longer length.
    pub(in crate::plan) fn ns(&self) -> u64 {
        self.throughput.ns.max(self.others.ns)
    }

    /// Says which figure requires the longer length, and what the other figure requires.
    pub(in crate::plan) fn because(&self) -> String {
        let (longer, shorter, other) = if self.others.ns > self.throughput.ns {
            (&self.others, &self.throughput, "throughput needs")
        } else {
            (&self.throughput, &self.others, "response times need")
        };
        if longer.because.is_empty() {
            return "the shortest allowed; no figure requires longer ones".to_owned();
        }
        format!("{}; {other} {}", longer.because, show_ns(shorter.ns))
    }
}

impl RequiredLength {
    fn raise(&mut self, other: RequiredLength) {
        if other.ns > self.ns {
            *self = other;
        }
    }
}

/// Returns the shortest slice in which the idle start of slices moves ln(B/A) by at most 2 % of it,
/// and by at most a fifth of the expected half-width.
fn for_throughput(a: &Pace, b: &Pace, round_ns: u64) -> RequiredLength {
    let difference = (b.mean_throughput() / a.mean_throughput()).ln().abs();
    let slowest = if a.p50_ns > b.p50_ns { a } else { b };
    let longest = slowest.p50_ns.saturating_mul(LONGEST_IN_P50);
    let blocks = a.throughputs.iter().zip(&b.throughputs);
    let ratios: Vec<f64> = blocks.map(|(a, b)| (b / a).ln()).filter(|d| d.is_finite()).collect();
    let of_a_block = standard_deviation(&ratios).unwrap_or(0.0);
    let (of_a, of_b) = (a.lost(), b.lost());
    let fits = |ns: u64| {
        let slice = ns as f64;
        let bias = bias(a, of_a, b, of_b, slice);
        // A round has round ÷ slice blocks, which vary independently.
        let half_width = HALF_WIDTH * of_a_block * (slice / round_ns.max(1) as f64).sqrt();
        let most = (MOST_BIAS * difference).min(MOST_OF_HALF_WIDTH * half_width);
        bias <= most.max(ALWAYS_OF_HALF_WIDTH * half_width).max(ALWAYS)
    };
    let mut ns = SHORTEST_NS;
    while ns < longest && difference.is_finite() && !fits(ns) {
        ns = (ns + ns / 20).min(longest);
    }
    RequiredLength {
        ns,
        because: format!(
            "required by throughput: each slice loses {} of `{}` and {} of `{}` at its start",
            show_ns(of_a.ns as u64),
            a.name,
            show_ns(of_b.ns as u64),
            b.name,
        ),
    }
}

/// Returns by how much slices of this length move ln(B/A), less one standard error of that: both
/// lose a share of their throughput, and only the difference of these shares moves the ratio.
fn bias(a: &Pace, of_a: TimeLost, b: &Pace, of_b: TimeLost, slice_ns: f64) -> f64 {
    let (whole_a, whole_b) = (a.whole(slice_ns), b.whole(slice_ns));
    let difference = (of_a.ns / whole_a - of_b.ns / whole_b).abs();
    let error = (of_a.error_ns / whole_a).hypot(of_b.error_ns / whole_b);
    (difference - error).max(0.0)
}

/// A target's CPU at rest is work at the end of each slice, which occurs more often the shorter
/// slices are.
fn for_rest(pace: &Pace, pilot_ns: u64) -> RequiredLength {
    let share = pace.cpu_at_rest.unwrap_or(0.0);
    RequiredLength {
        ns: (share / CPU_AT_REST * pilot_ns as f64) as u64,
        because: format!(
            "required by the CPU time that `{}` uses at rest: {} of a core in slices of {}",
            pace.name,
            show_percent(share),
            show_ns(pilot_ns)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Throughput that scatters by 5 % around `rate`.
    fn pace(name: &str, rate: f64, fastest_us: u64, p50_us: u64) -> Pace {
        let wobble = if name == "a" { [1.05, 0.95] } else { [1.0, 1.0] };
        Pace {
            name: name.to_owned(),
            fastest_ns: 1000 * fastest_us,
            early: Vec::new(),
            p50_ns: 1000 * p50_us,
            p99_ns: 1100 * p50_us,
            throughputs: (0..40).map(|n| rate * wobble[n % 2]).collect(),
            cpu_at_rest: None,
        }
    }

    fn asks(a: Pace, b: Pace) -> RequiredLengths {
        RequiredLengths::of(&[a, b], 50 * MS, 1000 * MS)
    }

    #[test]
    fn quick_servers_get_the_shortest_slices() {
        let asks = asks(pace("a", 60e3, 80, 900), pace("b", 58e3, 80, 950));
        assert_eq!((asks.throughput.ns, asks.ns()), (SHORTEST_NS, SHORTEST_NS));
        assert_eq!(asks.because(), "the shortest allowed; no figure requires longer ones");
    }

    /// The bias that was measured with 64 connections, 100 against 200 µs of service
    /// and 2 ms of delay, as a share of ln 2: 11.3 % at 5 ms, 6.0 % at 10 ms, 2.3 % at
    /// 20 ms, 0.6 % at 50 ms.
    #[test]
    fn the_bias_that_is_expected_is_the_one_that_was_measured() {
        let (a, b) = (pace("a", 10e3, 2100, 6400), pace("b", 5e3, 2200, 12800));
        for (ms, measured) in [(5, 0.113), (10, 0.060), (20, 0.023), (50, 0.006)] {
            let expected = bias(&a, a.lost(), &b, b.lost(), (ms * MS) as f64);
            let share = expected / std::f64::consts::LN_2;
            // Measured to ± 0.2 %.
            let least = 0.75 * measured - 0.002;
            assert!((least..measured).contains(&share), "{ms} ms: {share}");
        }
    }

    #[test]
    fn a_delay_asks_for_longer_slices_and_the_reason_says_so() {
        let asks = asks(pace("a", 10e3, 2100, 6400), pace("b", 5e3, 2200, 12800));
        let ms = asks.throughput.ns / MS;
        assert!((20..80).contains(&ms), "{ms} ms");
        let because = &asks.throughput.because;
        assert!(because.contains("2.1 ms of `a` and 2.2 ms of `b`"), "{because}");
    }

    /// In 40 slices of 50 ms Node lost 0.63 ms, an nginx that tries 100 regular
    /// expressions 0.30 ms; 64 connections, each ± 0.05 ms.
    #[test]
    fn what_is_lost_is_known_from_the_first_milliseconds() {
        let mut node = pace("b", 60e3, 150, 970);
        node.early = (0..40).map(|n| [262 + n % 3 * 15, 300]).collect();
        let lost = node.lost();
        assert!((lost.ns - 0.383e6).abs() < 0.01e6, "{lost:?}");
        assert!((0.02e6..0.06e6).contains(&lost.error_ns), "{lost:?}");
        // It loses twice as much as one that answers 60 k/s, too: slices get longer.
        let mut lean = pace("a", 60e3, 100, 970);
        lean.early = vec![[292, 300]; 40];
        let longer = asks(lean.clone(), node.clone()).throughput.ns;
        assert!(longer > 2 * SHORTEST_NS, "{longer}");
        assert_eq!(
            asks(node.clone(), Pace { name: "a".into(), ..node }).throughput.ns,
            SHORTEST_NS
        );
        // Too few operations: the shortest response time is all that is known.
        lean.early = vec![[1, 2]; 40];
        assert_eq!(lean.lost(), TimeLost { ns: 100_000.0, error_ns: 0.0 });
    }

    #[test]
    fn response_times_ask_for_four_p50_or_two_p99() {
        let mut slow = pace("b", 1e3, 20, 8000);
        let by_p50 = asks(pace("a", 1e3, 20, 8000), slow.clone());
        assert_eq!(by_p50.ns(), 32 * MS);
        assert!(by_p50.because().contains("4 × its p50, 8 ms"), "{}", by_p50.because());
        slow.p99_ns = 40 * MS;
        let by_p99 = asks(pace("a", 1e3, 20, 8000), slow);
        assert_eq!(by_p99.ns(), 80 * MS);
        assert!(by_p99.because().ends_with("throughput needs 10 ms"), "{}", by_p99.because());
    }

    #[test]
    fn cpu_at_rest_asks_for_slices_in_which_it_stays_below_what_is_noted() {
        let mut busy = pace("b", 60e3, 80, 900);
        busy.cpu_at_rest = Some(0.0025);
        assert_eq!(asks(pace("a", 60e3, 80, 900), busy.clone()).ns(), 25 * MS);
        busy.cpu_at_rest = Some(0.0005);
        assert_eq!(asks(pace("a", 60e3, 80, 900), busy).ns(), SHORTEST_NS);
    }

    #[test]
    fn one_that_answers_nothing_asks_for_nothing() {
        let asks = asks(Pace::default(), pace("b", 1e3, 20, 800));
        assert_eq!(asks.ns(), SHORTEST_NS);
        assert_eq!(RequiredLengths::of(&[], MS, MS).ns(), SHORTEST_NS);
    }
}
