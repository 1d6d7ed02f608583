//! What follows from the pilot: how long a slice must be, and whether slices can be used at all.
//! Pure functions; the measurements are in METHOD.

mod short_rounds;

use crate::plan::contender::local;
use crate::plan::length::in_step;
use crate::plan::length::pilot_length::{
    CLOSED_SLICE_NS, LONGEST_GROWN_ROUND_NS, OPEN_SLICE_NS, SLICES_A_ROUND, is_open, reply_ns,
};
use crate::plan::length::slice_length::{IN_P50, Pace, RequiredLengths};
use crate::plan::resolved::TURN;
use judge::cost;
use judge::stats::quantile::fewest_samples;
use record::{Interleave, Metric, Phase, PilotChoice, PilotSeen, Plan, Seen, Slice, TrialRecord};
use text::units::{show_ns, show_percent};

/// The shortest burn-in, and the pilot's own.
pub const BURN_IN_NS: u64 = 2_000_000;
/// Turns are used if a target uses more than this share of a core at rest.
const MOST_CPU_AT_REST: f64 = 0.01;
/// The burn-in is not applied if it would leave fewer replies in a round than this.
const FEWEST_REPLIES: f64 = 20.0;

/// Chooses slices or turns, their length and the burn-in.
pub fn decide(plan: &Plan, trials: &[TrialRecord]) -> PilotChoice {
    let parts: Vec<Seen> = (0..plan.contenders.len()).map(|at| merged(trials, at)).collect();
    let workers = f64::from(plan.workers());
    let mut saw: Vec<PilotSeen> = parts.iter().map(|part| saw(part, workers)).collect();
    let costs = cost::costs(&plan.question.sharing, &parts.iter().collect::<Vec<_>>());
    for (saw, cost) in saw.iter_mut().zip(costs) {
        saw.cpu_at_rest = cost.and_then(|cost| cost.at_rest());
    }
    let agents = in_step::needed(trials, plan.question.matters);
    let agents = agents.map(|(ns, because)| RequiredSlice { ns, because });
    let own = if is_open(plan) {
        open_loop(plan, RequiredSlice::of_open_loop(plan, &saw).or_longer(agents), &parts)
    } else {
        closed_loop(plan, RequiredSlice::of_closed_loop(plan, &saw, &parts).or_longer(agents))
    };
    let own = match (busy_at_rest(plan, &saw), own.interleave) {
        (Some(why), Interleave::Slices) => turns(plan, own.needed_ns, why),
        (Some(why), _) => Alternation { why: [own.why, vec![why]].concat(), ..own },
        (None, _) => own,
    };
    let alternation = overridden(plan, own);
    let (alternation, looks) = short_rounds::of(plan, &saw, alternation);
    let (burn_in_ns, burn_in_why) = burn_in(plan, &saw, &alternation);
    let too_few = too_few_replies(plan, &saw, alternation.round_ns);
    let mut why = alternation.why;
    // The latency of a program is not known.
    if !local::any_program(&plan.contenders) {
        why.push(burn_in_why);
        why.extend(too_few);
    }
    PilotChoice {
        interleave: alternation.interleave,
        slice_ns: alternation.slice_ns,
        round_ns: alternation.round_ns,
        burn_in_ns,
        why,
        saw,
        looks,
        ..PilotChoice::default()
    }
}

/// How contenders alternate, and why.
struct Alternation {
    interleave: Interleave,
    slice_ns: u64,
    round_ns: u64,
    /// The slice that the rule requires, even if turns are used instead.
    needed_ns: u64,
    why: Vec<String>,
}

fn merged(trials: &[TrialRecord], contender: usize) -> Seen {
    let mut all = Seen::default();
    let own =
        |trial: &&TrialRecord| trial.phase == Phase::Pilot && trial.contender as usize == contender;
    trials.iter().filter(own).for_each(|trial| all.merge(&trial.seen));
    all
}

fn saw(seen: &Seen, workers: f64) -> PilotSeen {
    let sum = |figure: fn(&Slice) -> u64| seen.slices.iter().map(figure).sum::<u64>() as f64;
    let available = sum(|slice| slice.took_ns) * workers;
    let busy = sum(|slice| slice.generator_cpu_ns + slice.waited_ns);
    // With several groups the slowest one determines how long slices must be.
    let slowest = |q: f64| parts(seen).filter_map(|part| part.response_time.quantile(q)).max();
    // Of a slow target every reply may be in the burn-in.
    let typical_ns = reply_ns(seen).unwrap_or(0);
    PilotSeen {
        throughput: seen.throughput().unwrap_or(0.0),
        p50_ns: slowest(0.5).unwrap_or(typical_ns),
        p99_ns: slowest(0.99).unwrap_or(typical_ns),
        generator_idle: if available > 0.0 {
            (1.0 - busy / available).clamp(0.0, 1.0)
        } else {
            0.0
        },
        cpu_at_rest: None,
    }
}

/// Returns what was seen of each group, or of the single workload.
fn parts(seen: &Seen) -> impl Iterator<Item = &Seen> {
    let whole = seen.groups.is_empty().then_some(seen);
    whole.into_iter().chain(&seen.groups)
}

struct RequiredSlice {
    ns: u64,
    because: String,
}

const NOTHING_ANSWERED: &str = "nothing was answered in the pilot";
/// Open loop: a slice is at least this many times the slowest p99.
const OPEN_IN_P99: u64 = 100;

impl RequiredSlice {
    /// Returns the longer of the two.
    fn or_longer(self, other: Option<RequiredSlice>) -> RequiredSlice {
        match other {
            Some(other) if other.ns > self.ns => other,
            _ => self,
        }
    }

    /// Open loop: [`OPEN_IN_P99`] times the p99 of the slowest contender.
    fn of_open_loop(plan: &Plan, saw: &[PilotSeen]) -> RequiredSlice {
        let slowest = saw.iter().zip(&plan.contenders).max_by_key(|(seen, _)| seen.p99_ns);
        let Some((seen, contender)) = slowest.filter(|(seen, _)| seen.p99_ns > 0) else {
            return RequiredSlice { ns: OPEN_SLICE_NS, because: NOTHING_ANSWERED.to_owned() };
        };
        let ns = seen.p99_ns.saturating_mul(OPEN_IN_P99);
        let figure = format!("{OPEN_IN_P99} × its p99, {}", show_ns(seen.p99_ns));
        let because = if ns > OPEN_SLICE_NS {
            format!("`{}` is the slowest ({figure})", contender.name)
        } else {
            let name = &contender.name;
            format!("the shortest allowed; the slowest contender, `{name}`, needs less ({figure})")
        };
        RequiredSlice { ns: ns.max(OPEN_SLICE_NS), because }
    }

    /// Closed loop: the length that throughput, response times and CPU at rest require.
    fn of_closed_loop(plan: &Plan, saw: &[PilotSeen], parts: &[Seen]) -> RequiredSlice {
        if saw.iter().all(|seen| seen.p50_ns == 0) {
            return RequiredSlice { ns: CLOSED_SLICE_NS, because: NOTHING_ANSWERED.to_owned() };
        }
        let pace = |at: usize| Pace {
            name: plan.contenders[at].name.clone(),
            fastest_ns: fastest(&parts[at]),
            early: parts[at].slices.iter().map(|slice| slice.early).collect(),
            p50_ns: saw[at].p50_ns,
            p99_ns: saw[at].p99_ns,
            throughputs: parts[at].slices.iter().map(throughput).collect(),
            cpu_at_rest: saw[at].cpu_at_rest,
        };
        // One that left a ranking was not driven.
        let driven = (0..saw.len()).filter(|at| !parts[*at].slices.is_empty());
        let paces: Vec<Pace> = driven.map(pace).collect();
        let slices = parts.iter().flat_map(|part| &part.slices);
        let pilot_slice_ns = slices.map(|slice| slice.sending_ns).max().unwrap_or(0);
        let asks = RequiredLengths::of(&paces, pilot_slice_ns, plan.round_ns);
        RequiredSlice { ns: asks.ns(), because: asks.because() }
    }
}

/// The shortest response time of all groups.
fn fastest(seen: &Seen) -> u64 {
    parts(seen).filter_map(|part| part.response_time.min()).min().unwrap_or(0)
}

/// Operations per second.
fn throughput(slice: &Slice) -> f64 {
    slice.operations as f64 / slice.took_ns.max(1) as f64 * 1e9
}

/// The response time above which the pilot makes rounds longer than planned: the p99 with a rate, else the
/// p50. None if the plan fixes their length.
pub fn lengthens_above_ns(plan: &Plan) -> Option<u64> {
    let is_fixed = plan.interleave == Interleave::Turns || plan.slice_ns.is_some();
    let times = if is_open(plan) { OPEN_IN_P99 } else { SLICES_A_ROUND * IN_P50 };
    (!is_fixed).then(|| plan.round_ns / times)
}

fn closed_loop(plan: &Plan, need: RequiredSlice) -> Alternation {
    let four = need.ns.saturating_mul(SLICES_A_ROUND);
    if four <= plan.round_ns {
        return slices(plan, &need);
    }
    if four > LONGEST_GROWN_ROUND_NS {
        let why = format!(
            "slices of {} are needed ({}), but four of them exceed {}, the longest that a round \
             may become",
            show_ns(need.ns),
            need.because,
            show_ns(LONGEST_GROWN_ROUND_NS)
        );
        return turns(plan, need.ns, why);
    }
    let mut alternation = slices(plan, &need);
    alternation.slice_ns = need.ns;
    alternation.round_ns = four;
    alternation.why = vec![
        requested_slices(&need, need.ns),
        format!(
            "rounds of {} in place of {}: a round has at least four slices of each contender",
            show_ns(four),
            show_ns(plan.round_ns)
        ),
    ];
    alternation
}

fn open_loop(plan: &Plan, need: RequiredSlice, parts: &[Seen]) -> Alternation {
    if need.ns > plan.round_ns {
        let (slice, round) = (show_ns(need.ns), show_ns(plan.round_ns));
        let why = if need.ns > OPEN_SLICE_NS {
            format!("slices of {slice} are longer than a round of {round}: {}", need.because)
        } else {
            format!("a round of {round} is shorter than the shortest slice, {slice}")
        };
        return turns(plan, need.ns, why);
    }
    let grows = |seen: &Seen| self::parts(seen).any(|part| keeps_growing(&part.slices));
    if let Some(index) = parts.iter().position(grows) {
        let why = format!(
            "requests in flight at the ends of the slices of `{}` kept growing",
            plan.contenders[index].name
        );
        return turns(plan, need.ns, why);
    }
    slices(plan, &need)
}

/// Work that a contender does at rest falls into the slices of others: in a pilot of 2 s this share
/// of one core separated a garbage-heavy server from a lean one (METHOD, "CPU at rest and the
/// charged ratio").
fn busy_at_rest(plan: &Plan, saw: &[PilotSeen]) -> Option<String> {
    let busy = |at: &usize| saw[*at].cpu_at_rest.filter(|share| *share > MOST_CPU_AT_REST);
    let at = (0..saw.len()).find(|at| busy(at).is_some())?;
    Some(format!(
        "`{}` used {} of a core while it rested (more than {}): in slices its work would be \
         charged to the others",
        plan.contenders[at].name,
        show_percent(busy(&at)?),
        show_percent(MOST_CPU_AT_REST)
    ))
}

/// Returns slices that fill the round and are not shorter than required.
fn slices(plan: &Plan, need: &RequiredSlice) -> Alternation {
    let count = (plan.round_ns / need.ns).max(1);
    let slice_ns = plan.round_ns.div_ceil(count);
    Alternation {
        interleave: Interleave::Slices,
        slice_ns,
        round_ns: plan.round_ns,
        needed_ns: need.ns,
        why: vec![requested_slices(need, slice_ns)],
    }
}

fn turns(plan: &Plan, needed_ns: u64, why: String) -> Alternation {
    let turn_ns = plan.round_ns.max(TURN.as_nanos() as u64);
    Alternation {
        interleave: Interleave::Turns,
        slice_ns: turn_ns,
        round_ns: turn_ns,
        needed_ns,
        why: vec![format!("turns of {}: {why}", show_ns(turn_ns))],
    }
}

fn requested_slices(need: &RequiredSlice, slice_ns: u64) -> String {
    format!("slices of {}: {}", show_ns(slice_ns), need.because)
}

/// Options of the user take precedence; the reason then says what the pilot would have chosen.
fn overridden(plan: &Plan, own: Alternation) -> Alternation {
    let choice = match (plan.interleave, plan.slice_ns) {
        (_, Some(slice_ns)) => {
            let round_ns = plan.round_ns.div_ceil(slice_ns) * slice_ns;
            let message = format!("slices of {}, as requested", show_ns(slice_ns));
            (Interleave::Slices, slice_ns, round_ns, message)
        }
        (Interleave::Turns, None) if local::any_program(&plan.contenders) => {
            let turn = show_ns(plan.round_ns);
            let why = vec![format!("turns of {turn}, or of one run: a program runs to its end")];
            return Alternation {
                interleave: Interleave::Turns,
                slice_ns: plan.round_ns,
                round_ns: plan.round_ns,
                why,
                ..own
            };
        }
        (Interleave::Turns, None) => {
            let message = format!("turns of {}, as requested", show_ns(plan.round_ns));
            (Interleave::Turns, plan.round_ns, plan.round_ns, message)
        }
        (Interleave::Slices, None) if own.interleave == Interleave::Turns => {
            let round_ns = if is_open(plan) {
                plan.round_ns
            } else {
                plan.round_ns.max(LONGEST_GROWN_ROUND_NS)
            };
            let fewest = if is_open(plan) { 1 } else { SLICES_A_ROUND };
            let slice_ns = own.needed_ns.min(round_ns / fewest);
            let message = format!("slices of {}, as requested", show_ns(slice_ns));
            (Interleave::Slices, slice_ns, round_ns, message)
        }
        _ => return own,
    };
    let (interleave, slice_ns, round_ns, message) = choice;
    let same = interleave == own.interleave && slice_ns == own.slice_ns;
    let mut why = vec![if same {
        format!("{message}, and as the pilot would have chosen")
    } else {
        format!("{message}; the pilot would have chosen {}", own.why.join("; and "))
    }];
    if round_ns != plan.round_ns {
        why.push(format!(
            "rounds of {} in place of {}, so that they have whole slices",
            show_ns(round_ns),
            show_ns(plan.round_ns)
        ));
    }
    Alternation { interleave, slice_ns, round_ns, needed_ns: own.needed_ns, why }
}

/// How much of the start of a slice is left out of the latencies: the burst, but at most half of
/// the slice, so that some latencies remain. Nothing is left out if too few replies would remain in a round.
fn burn_in(plan: &Plan, saw: &[PilotSeen], alternation: &Alternation) -> (Vec<u64>, String) {
    let half = alternation.slice_ns / 2;
    let wanted = wanted_burn_in;
    let chosen: Vec<u64> = saw.iter().map(|seen| wanted(seen).min(half)).collect();
    let left = |(seen, burn_in_ns): (&PilotSeen, &u64)| {
        let counted = 1.0 - *burn_in_ns as f64 / alternation.slice_ns.max(1) as f64;
        replies(seen, alternation.round_ns) * counted
    };
    let few = |pair: &(&PilotSeen, &u64)| pair.0.throughput > 0.0 && left(*pair) < FEWEST_REPLIES;
    if let Some(at) = saw.iter().zip(&chosen).position(|pair| few(&pair)) {
        let why = format!(
            "latencies include operations that are due at the start of a slice: without them a round \
             would have fewer than {FEWEST_REPLIES} replies of `{}`",
            plan.contenders[at].name
        );
        return (vec![0; saw.len()], why);
    }
    let is_cut = saw.iter().any(|seen| wanted(seen) > half);
    let cut = if is_cut { ", at most half of the slice" } else { "" };
    let message = match chosen.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => show_ns(*first),
        several => {
            let each = several.iter().zip(&plan.contenders);
            let each =
                each.map(|(ns, contender)| format!("{} for `{}`", show_ns(*ns), contender.name));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    let why = format!(
        "latencies leave out operations that are due at the start of a slice (2 × p50, at least \
         {}{cut}): {message}",
        show_ns(BURN_IN_NS)
    );
    (chosen, why)
}

fn wanted_burn_in(seen: &PilotSeen) -> u64 {
    BURN_IN_NS.max(seen.p50_ns.saturating_mul(2))
}

/// How many replies this contender is expected to give in a round.
fn replies(seen: &PilotSeen, round_ns: u64) -> f64 {
    seen.throughput * round_ns as f64 / 1e9
}

/// Says which quantile cannot be compared because a round (or a launch) will have too few replies, and how
/// long one with enough would be. In open loop the plan compares only what can be compared.
fn too_few_replies(plan: &Plan, saw: &[PilotSeen], round_ns: u64) -> Option<String> {
    let question = &plan.question;
    let metrics = question.secondary.iter().chain([&question.primary]);
    let needed = |metric: &Metric| Some((fewest_samples(metric.quantile()?), *metric));
    let (fewest, metric) = metrics.filter_map(needed).max_by_key(|(fewest, _)| *fewest)?;
    let answering = saw.iter().zip(&plan.contenders).filter(|(seen, _)| seen.throughput > 0.0);
    let slowest = answering.min_by(|(a, _), (b, _)| a.throughput.total_cmp(&b.throughput));
    let (seen, contender) = slowest.filter(|_| !is_open(plan) && !plan.sweeps_one_target())?;
    let rounds = question.rounds_of_a_launch().unwrap_or(1);
    let expected = replies(seen, round_ns) * f64::from(rounds);
    if expected >= fewest as f64 {
        return None;
    }
    let long_s = (fewest as f64 / seen.throughput / f64::from(rounds)).ceil() as u64;
    let all_s = long_s.saturating_mul(question.turns());
    let period = if rounds > 1 { "launch" } else { "round" };
    Some(format!(
        "{} cannot be compared: about {} replies in a {period} of `{}`, and at least {fewest} are needed; --round \
         {long_s}s would be long enough, and takes about {}",
        metric.path(),
        expected as u64,
        contender.name,
        show_ns(all_s.saturating_mul(1_000_000_000))
    ))
}

/// Compares thirds of the pilot: each has more in flight at the ends of its slices than the one
/// before, and the last at least twice as much as the first and 8 more. Each slice is drained, so a
/// queue that fits into its slice does not grow.
fn keeps_growing(slices: &[Slice]) -> bool {
    if slices.len() < 6 {
        return false;
    }
    let third = slices.len() / 3;
    let mean = |part: &[Slice]| {
        part.iter().map(|slice| slice.in_flight_at_end).sum::<u64>() as f64 / part.len() as f64
    };
    let (first, middle, last) = (
        mean(&slices[..third]),
        mean(&slices[third..slices.len() - third]),
        mean(&slices[slices.len() - third..]),
    );
    first < middle && middle < last && last >= 2.0 * first && last - first >= 8.0
}

#[cfg(test)]
mod tests;
