//! What a run that seeks capacities has shown so far: the search of each contender, and its rounds. The run follows it
//! while it lasts and the judge afterwards, so that both take the same trials in the same way.

use crate::capacity::{Adaptation, Found, Part, Search, Step, TURNS, Turn};
use crate::cost::GENERATOR_LIMITED_BELOW;
use crate::objectives;
pub use crate::turn::DrivenTurn;
use record::{Histogram, Objective, Phase, PilotChoice, PilotSeen, Question, Seen, TrialRecord};

/// The generator is the slowest part if its median delay is more than this share of the median response time: the
/// same limit as in the rule `generator_saturated`.
const LATE_GENERATOR: f64 = 0.2;
/// Connections limit a contender only if its replies take less than this many times as long as when they are few: if
/// they take longer, it is the target where operations wait.
const STILL_QUICK: f64 = 2.0;

/// The contenders of a run that seeks capacities.
#[derive(Clone, Debug)]
pub struct CapacityRun {
    objectives: Vec<Objective>,
    contenders: Vec<Contender>,
    /// The round that is under way, or the last one.
    round: u32,
    complete: u32,
}

#[derive(Clone, Debug)]
struct Contender {
    search: Search,
    /// The rounds, once the search has found a rate.
    adaptation: Option<Adaptation>,
    /// All turns so far, those of the search with round 0.
    turns: Vec<DrivenTurn>,
    /// The shortest median service time of a turn, in nanoseconds.
    quickest_ns: u64,
    /// Its turns of the round that is under way.
    open: Vec<Turn>,
}

impl CapacityRun {
    /// A run that asks this question, after its pilot.
    pub fn new(question: &Question, pilot: &PilotChoice) -> CapacityRun {
        let contender = |at: usize| Contender {
            search: search(&question.objectives, pilot.saw.get(at)),
            adaptation: None,
            turns: Vec::new(),
            quickest_ns: u64::MAX,
            open: Vec::new(),
        };
        CapacityRun {
            objectives: question.objectives.clone(),
            contenders: (0..question.contenders.len()).map(contender).collect(),
            round: 0,
            complete: 0,
        }
    }

    /// The next step of a contender's search.
    pub fn step(&self, contender: usize) -> Step {
        self.contenders[contender].search.step()
    }

    /// What the search of a contender found. None while it is under way.
    pub fn found(&self, contender: usize) -> Option<Found> {
        match self.step(contender) {
            Step::Done(found) => Some(found),
            Step::Drive { .. } => None,
        }
    }

    /// The contenders that are driven in the rounds, by number.
    pub fn driven(&self) -> Vec<usize> {
        let has_rounds = |at: &usize| self.contenders[*at].adaptation.is_some();
        (0..self.contenders.len()).filter(has_rounds).collect()
    }

    /// The rates of a contender in the next round, in operations per second, ascending. None if it has no rounds.
    pub fn rates(&self, contender: usize) -> Option<[f64; TURNS]> {
        self.rounds(contender).map(Adaptation::rates)
    }

    /// The rounds of a contender. None if its search found no rate near its capacity.
    pub fn rounds(&self, contender: usize) -> Option<&Adaptation> {
        self.contenders.get(contender)?.adaptation.as_ref()
    }

    /// The turns of a contender, in the order in which they were driven.
    pub fn turns(&self, contender: usize) -> &[DrivenTurn] {
        self.contenders.get(contender).map_or(&[], |of| &of.turns)
    }

    /// Rounds in which every contender that has rounds was driven at all of its rates.
    pub fn complete_rounds(&self) -> u32 {
        self.complete
    }

    /// Whether further rounds find nothing more: it is sure that every contender's percentile hardly depends on the
    /// rate.
    pub fn finds_nothing_more(&self) -> bool {
        let mut rounds = self.contenders.iter().filter_map(|of| of.adaptation.as_ref()).peekable();
        rounds.peek().is_some() && rounds.all(Adaptation::surely_hardly_depends)
    }

    /// Takes a trial of the search or of a round, in the order in which they were driven. All others are ignored, and
    /// so are those that were cut short: they and the round that they belong to count for nothing.
    pub fn add(&mut self, trial: &TrialRecord) {
        let Some(rate) = trial.lane_order.intensity.arrivals.rate() else { return };
        let at = trial.contender as usize;
        if trial.cut_short || at >= self.contenders.len() {
            return;
        }
        match trial.phase {
            Phase::Pilot => self.add_to_search(at, rate, &trial.seen),
            Phase::Round => self.add_to_round(at, trial.round, rate, &trial.seen),
            Phase::Ready | Phase::Load | Phase::Null | Phase::WarmUp => {}
        }
    }

    fn add_to_search(&mut self, at: usize, rate: f64, seen: &Seen) {
        let turn = self.counted(at, 0, rate, seen);
        let of = &mut self.contenders[at];
        if let Step::Drive { .. } = of.search.step() {
            of.search.observe(&turn);
        }
        if let Step::Done(Found::Near(start)) = of.search.step() {
            of.adaptation.get_or_insert_with(|| Adaptation::new(&self.objectives, start));
        }
    }

    fn add_to_round(&mut self, at: usize, round: u32, rate: f64, seen: &Seen) {
        if round != self.round {
            self.round = round;
            self.contenders.iter_mut().for_each(|of| of.open.clear());
        }
        let turn = self.counted(at, round, rate, seen);
        self.contenders[at].open.push(turn);
        let driven = self.driven();
        if driven.is_empty() || driven.iter().any(|at| self.contenders[*at].open.len() < TURNS) {
            return;
        }
        self.complete += 1;
        for of in &mut self.contenders {
            let turns = std::mem::take(&mut of.open);
            if let Some(adaptation) = &mut of.adaptation {
                adaptation.add_round(turns);
            }
        }
    }

    /// Counts a turn, and keeps it for the report.
    fn counted(&mut self, at: usize, round: u32, rate: f64, seen: &Seen) -> Turn {
        let of = &mut self.contenders[at];
        if let Some(typical_ns) = seen.service_time.quantile(0.5) {
            of.quickest_ns = of.quickest_ns.min(typical_ns);
        }
        let missed = self.objectives.iter().map(|objective| objectives::missed(seen, *objective));
        let turn = Turn {
            rate,
            counted: objectives::counted(seen),
            missed: missed.collect(),
            part: slowest_part(seen, &self.objectives, of.quickest_ns),
        };
        let percentile_ns = percentile_ns(seen, &self.objectives);
        of.turns.push(DrivenTurn { round, turn: turn.clone(), percentile_ns });
        turn
    }
}

/// A search from what the pilot saw in closed loop.
fn search(objectives: &[Objective], saw: Option<&PilotSeen>) -> Search {
    let (peak, idle) = saw.map_or((0.0, 1.0), |saw| (saw.throughput, saw.generator_idle));
    let part = if idle < GENERATOR_LIMITED_BELOW { Part::Generator } else { Part::Target };
    Search::new(objectives, peak, part)
}

/// The percentile of the first objective on response times over all operations that are counted. None if it lies
/// among those without a response time.
fn percentile_ns(seen: &Seen, objectives: &[Objective]) -> Option<u64> {
    let timed = |objective: &&Objective| matches!(objective, Objective::ResponseTime { .. });
    let share = 1.0 - objectives.iter().find(timed)?.may_miss();
    let rank = (share * objectives::counted(seen) as f64).ceil() as u64;
    let known = rank > 0 && rank <= seen.response_time.len();
    known.then(|| seen.response_time.at_rank(rank)).flatten()
}

/// What was the slowest part in a turn. `quickest_ns` is the shortest median service time so far.
fn slowest_part(seen: &Seen, objectives: &[Objective], quickest_ns: u64) -> Part {
    let median = |times: &Histogram| times.quantile(0.5).unwrap_or(0) as f64;
    if median(&seen.own_lag) > LATE_GENERATOR * median(&seen.response_time) {
        return Part::Generator;
    }
    for objective in objectives {
        let Objective::ResponseTime { limit_ns, .. } = *objective else { continue };
        let late = objectives::missed(seen, *objective);
        if late as f64 <= objective.may_miss() * objectives::counted(seen) as f64 {
            continue;
        }
        let beyond = |times: &Histogram, ns| times.len() - objectives::at_or_below(times, ns);
        // An operation that waited for the generator for half of the limit would not have been late without it.
        if 2 * beyond(&seen.own_lag, limit_ns / 2) > late {
            return Part::Generator;
        }
        let quick = median(&seen.service_time) < STILL_QUICK * quickest_ns as f64;
        if quick && 2 * beyond(&seen.service_time, limit_ns) < late {
            return Part::Connections;
        }
    }
    Part::Target
}
