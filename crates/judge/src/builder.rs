//! Builds runs for the tests of rules and verdicts.

use crate::{
    Judge, audit,
    verdict::{Finding, Verdict, Weight},
};
use record::{
    Address, Arrivals, Case, CaseFigure, Cases, ContenderQuestion, End, EndReason, Histogram,
    Interleave, LaneOrder, Launches, Metric, OwnCost, Pair, Phase, PilotChoice, Question, Seen,
    Slice, StoreReport, TargetDone, TrialRecord, seen::Connections,
};

/// Sending time of a slice, and slices per trial: a round takes one second.
const SLICE_NS: u64 = 250_000_000;
const SLICES: u64 = 4;

/// A valid run, which a test spoils in one respect.
#[derive(Clone)]
pub(crate) struct SampleRun {
    pub(crate) question: Question,
    pub(crate) pilot: Option<PilotChoice>,
    pub(crate) records: Vec<TrialRecord>,
    pub(crate) end: Option<End>,
    /// The reports of the stores.
    pub(crate) store_reports: Vec<StoreReport>,
    /// What is known of targets at the ends of their launches.
    pub(crate) done: Vec<TargetDone>,
    /// Own costs of the generator that earlier runs measured.
    pub(crate) kept_costs: Vec<OwnCost>,
    /// The cases of a suite.
    pub(crate) cases: Option<Cases>,
}

impl SampleRun {
    /// Two equal contenders, a and b, in this many rounds of slices, closed loop, with 800 replies
    /// of 1 ms per round.
    pub(crate) fn compare(rounds: u32) -> SampleRun {
        SampleRun::of(&["a", "b"], rounds)
    }

    /// These contenders, each compared with the first.
    pub(crate) fn of(names: &[&str], rounds: u32) -> SampleRun {
        let numbers = 0..names.len() as u32;
        let records = (1..=rounds)
            .flat_map(|round| numbers.clone().map(move |contender| record(round, contender)))
            .collect();
        let complete = End { reason: EndReason::Complete, detail: String::new() };
        SampleRun {
            question: question(names, rounds),
            pilot: Some(record::testing::pilot(names.len(), SLICE_NS, SLICES * SLICE_NS)),
            records,
            end: Some(complete),
            store_reports: Vec::new(),
            done: Vec::new(),
            kept_costs: Vec::new(),
            cases: None,
        }
        .with_operations(800)
    }

    /// A run of one contender, without a pilot and without slices.
    pub(crate) fn single() -> SampleRun {
        let mut run = SampleRun::of(&["a"], 1);
        run.pilot = None;
        run.each_seen("a", |_, seen| seen.slices.truncate(1));
        run
    }

    /// A suite of programs: `cost` is what a case costs, given the round, the contender and the case.
    pub(crate) fn suite(
        names: &[&str],
        (cases, rounds): (usize, u32),
        mut cost: impl FnMut(u32, u32, usize) -> f64,
    ) -> SampleRun {
        let case = |number| format!("case {number:02}");
        let mut run = SampleRun::of(names, 0);
        (run.question.is_suite, run.question.primary) = (true, Metric::Cost);
        (run.question.rounds, run.question.matters) = (rounds, 0.03);
        let compared = (0..cases).map(|number| Case {
            name: case(number),
            unit: "ns".to_owned(),
            larger_is_better: false,
        });
        run.cases =
            Some(Cases { compared: compared.collect(), replicates: rounds, ..Cases::default() });
        run.pilot.iter_mut().for_each(|pilot| pilot.interleave = Interleave::Turns);
        for (round, contender) in
            (1..=rounds).flat_map(|round| (0..names.len() as u32).map(move |of| (round, of)))
        {
            let mut record = record(round, contender);
            record.seen = Seen { operations: 1, sent: 1, ..Seen::default() };
            record.seen.outcomes.ok = 1;
            record.seen.programs.runs = 1;
            let figure = |number| CaseFigure {
                case: case(number),
                value: cost(round, contender, number),
                unit: "ns".to_owned(),
                larger_is_better: false,
            };
            record.seen.programs.figures = (0..cases).map(figure).collect();
            run.records.push(record);
        }
        run
    }

    /// One round for each of these ratios b/a of throughput.
    pub(crate) fn with_ratios(ratios: &[f64]) -> SampleRun {
        let mut run = SampleRun::compare(ratios.len() as u32);
        run.each_seen("b", |round, seen| {
            let ratio = ratios[round as usize - 1];
            for slice in &mut seen.slices {
                slice.took_ns = (slice.took_ns as f64 / ratio) as u64;
            }
        });
        run
    }

    /// Ten launches of two rounds, in which b takes this many times as long for the first slices.
    pub(crate) fn with_slow_starts(slices: usize, slower: f64) -> SampleRun {
        let mut run = SampleRun::compare(20).with_restarts(10).with_whole_launches();
        run.each_seen("b", |round, seen| {
            let first = seen.slices.iter_mut().take(if round % 2 == 1 { slices } else { 0 });
            first.for_each(|slice| slice.took_ns = (slice.took_ns as f64 * slower) as u64);
        });
        run
    }

    /// This many operations of 1 ms in every trial.
    pub(crate) fn with_operations(mut self, operations: u64) -> SampleRun {
        self.each(|record| {
            let seen = &mut record.seen;
            seen.operations = operations;
            seen.sent = operations;
            seen.outcomes.ok = operations;
            seen.codes = [(200, operations)].into();
            for (i, slice) in (0..).zip(&mut seen.slices) {
                slice.operations = operations * (i + 1) / SLICES - operations * i / SLICES;
                slice.due = slice.operations;
            }
            for histogram in [&mut seen.response_time, &mut seen.service_time] {
                fill(histogram, 1_000_000, operations);
            }
            fill(&mut seen.body_bytes, 87, operations);
        });
        self
    }

    pub(crate) fn with_arrivals(mut self, arrivals: Arrivals) -> SampleRun {
        self.each(|record| record.lane_order.intensity.arrivals = arrivals);
        self
    }

    /// Slices of this length, as the pilot chose it.
    pub(crate) fn with_slice(mut self, slice_ns: u64) -> SampleRun {
        if let Some(pilot) = &mut self.pilot {
            pilot.slice_ns = slice_ns;
        }
        self
    }

    /// Makes the CPU time of every target visible, on core 0: in each slice a target uses this
    /// share of a core, given its number and the number of the driven contender.
    pub(crate) fn with_target_cpu(mut self, share: impl Fn(u32, u32) -> f64) -> SampleRun {
        let numbers = 0..self.question.contenders.len() as u32;
        for question in &mut self.question.contenders {
            question.cpu_in_sight = true;
            question.target_cores = vec![0];
        }
        self.each(|record| {
            for slice in &mut record.seen.slices {
                let used = |target| slice.took_ns as f64 * share(target, record.contender);
                let read = |target| Some(used(target).round() as u64);
                slice.target_cpu_ns = numbers.clone().map(read).collect();
            }
        });
        self
    }

    /// The generator's threads are busy for this share of the time in which they drive the
    /// contender.
    pub(crate) fn with_busy_generator(mut self, name: &str, share: f64) -> SampleRun {
        self.each_seen(name, |_, seen| {
            for slice in &mut seen.slices {
                slice.generator_cpu_ns = (slice.took_ns as f64 * share) as u64;
            }
        });
        self
    }

    /// Adds one round against the null server before the rounds for each of these costs of an
    /// operation.
    pub(crate) fn with_own_cost(mut self, name: &str, costs_ns: &[u64]) -> SampleRun {
        let number = self.question.number_of(name);
        let number = number.expect("a contender of the run") as u32;
        for cost_ns in costs_ns {
            let mut record = record(1, number);
            record.phase = Phase::Null;
            record.seen.operations = 1000;
            record.seen.outcomes.ok = 1000;
            record.seen.slices.truncate(1);
            record.seen.slices[0].operations = 1000;
            record.seen.slices[0].generator_cpu_ns = 1000 * cost_ns;
            self.records.insert(0, record);
        }
        self
    }

    /// Makes the launch the replicate, with this many launches.
    pub(crate) fn with_restarts(mut self, restarts: u32) -> SampleRun {
        self.question.restarts = restarts;
        self
    }

    /// Lets the replies of a launch be judged together, as the pilot records it.
    pub(crate) fn with_whole_launches(mut self) -> SampleRun {
        let launches = self.question.restarts;
        let rounds = self.question.rounds / launches.max(1);
        if let Some(pilot) = &mut self.pilot {
            pilot.launches = Some(Launches { launches, rounds });
        }
        self
    }

    /// Adds the five looks from 10 to 60 rounds.
    pub(crate) fn with_looks(mut self) -> SampleRun {
        self.question.interim_looks = vec![10, 16, 26, 40, 60];
        self.question.rounds = 60;
        self
    }

    /// Returns this run after so many rounds.
    pub(crate) fn after(&self, rounds: u32) -> SampleRun {
        let mut run = self.clone();
        run.records.retain(|record| record.round <= rounds);
        run
    }

    /// Gives each contender of the question one of these values.
    pub(crate) fn ask_each<T>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        set: impl Fn(&mut ContenderQuestion, T),
    ) {
        self.question.contenders.iter_mut().zip(values).for_each(|(of, value)| set(of, value));
    }

    pub(crate) fn each(&mut self, change: impl Fn(&mut TrialRecord)) {
        self.records.iter_mut().for_each(change);
    }

    /// Changes every record of a contender.
    pub(crate) fn each_record(&mut self, name: &str, change: impl Fn(&mut TrialRecord)) {
        let number = self.question.number_of(name);
        let number = number.expect("a contender of the run") as u32;
        let of_it = self.records.iter_mut().filter(|record| record.contender == number);
        of_it.for_each(change);
    }

    /// Changes what was recorded of a contender, given the round.
    pub(crate) fn each_seen(&mut self, name: &str, change: impl Fn(u32, &mut Seen)) {
        self.each_record(name, |record| change(record.round, &mut record.seen));
    }

    /// Adds a warm-up of a contender, which took this long.
    pub(crate) fn warm_up(&mut self, name: &str, took_ns: u64, levelled: Option<bool>) {
        let contender = self.question.contenders.iter().position(|of| of.name == name);
        let mut trial = record(0, contender.expect("a contender") as u32);
        trial.seen = Seen::default();
        trial.seen.slices.push(Slice { took_ns, ..Slice::default() });
        (trial.phase, trial.levelled) = (Phase::WarmUp, levelled);
        self.records.push(trial);
    }

    /// Judges the run.
    pub(crate) fn verdict(&self) -> Verdict {
        self.judge().verdict()
    }

    /// A judge that has seen the whole run.
    pub(crate) fn judge(&self) -> Judge {
        self.judge_after(|_, _| {})
    }

    /// A judge that has seen the whole run, and this after each record.
    pub(crate) fn judge_after(&self, after: impl Fn(&mut Judge, &TrialRecord)) -> Judge {
        let mut judge = Judge::new(&self.question);
        if let Some(pilot) = &self.pilot {
            judge.pilot(pilot);
        }
        self.kept_costs.iter().for_each(|kept| judge.own_cost(kept));
        self.cases.iter().for_each(|cases| judge.cases(cases));
        for record in &self.records {
            judge.add(record);
            after(&mut judge, record);
        }
        self.store_reports.iter().for_each(|store_reports| judge.store(store_reports));
        self.done.iter().for_each(|done| judge.target_done(done));
        if let Some(end) = &self.end {
            judge.end(end);
        }
        judge
    }

    /// The findings of one rule, none of which is more severe than the rule declares.
    pub(crate) fn findings(&self, rule: &str) -> Vec<Finding> {
        let rule = audit::RULES.iter().find(|known| known.name == rule).expect("a rule");
        let verdict = self.verdict();
        let of_it = verdict.findings().iter().filter(|finding| finding.rule == rule.name);
        let findings: Vec<Finding> = of_it.cloned().collect();
        assert!(findings.iter().all(|finding| finding.weight <= rule.weight));
        findings
    }
}

/// A ranking of these contenders in this many rounds.
pub(crate) fn ranked_run(names: &[&str], rounds: u32) -> SampleRun {
    let mut run = SampleRun::of(names, rounds);
    let many = names.len() as u32;
    run.question.pairs =
        (0..many).flat_map(|a| (a + 1..many).map(move |b| Pair { a, b })).collect();
    run.question.is_ranked = true;
    run
}

/// The weights of one rule's findings.
pub(crate) fn weights(run: &SampleRun, rule: &str) -> Vec<Weight> {
    run.findings(rule).iter().map(|finding| finding.weight).collect()
}

/// Fills a histogram with this value, this many times.
pub(crate) fn fill(histogram: &mut Histogram, value: u64, times: u64) {
    *histogram = Histogram::new();
    (0..times).for_each(|_| histogram.record(value));
}

fn question(names: &[&str], rounds: u32) -> Question {
    Question { secondary: Vec::new(), ..record::testing::question(names, rounds) }
}

fn record(round: u32, contender: u32) -> TrialRecord {
    let slices = (0..SLICES).map(|i| slice(u64::from(round), u64::from(contender), i));
    let mut seen = Seen {
        connections: Connections {
            requested: 64,
            established: 64,
            opened: 0,
            ..Connections::default()
        },
        slices: slices.collect(),
        ..Seen::default()
    };
    seen.digests.record(7);
    record::testing::trial(Phase::Round, round, contender, lane_order(), seen)
}

fn slice(round: u64, contender: u64, i: u64) -> Slice {
    let index = (round * SLICES + i) * 8 + contender;
    Slice {
        index,
        after: Some(((contender + i) % 2) as u32),
        starts_ns: index * SLICE_NS,
        sending_ns: SLICE_NS,
        took_ns: SLICE_NS + 1_000_000,
        generator_cpu_ns: SLICE_NS / 2,
        max_response_ns: 1_000_000,
        ..Slice::default()
    }
}

fn lane_order() -> LaneOrder {
    LaneOrder::closed(Address::Tcp(([127, 0, 0, 1], 8080).into()), 64)
}
